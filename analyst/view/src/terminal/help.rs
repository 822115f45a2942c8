//! The screen of the keys and of the language of searches.

use ratatui::style::Style;

use super::document::Document;
use super::keys::BINDINGS;

/// What the screen is called.
pub const TITLE: &str = "Help";

/// Searches, and what they find.
const SEARCHES: [(&str, &str); 6] = [
    ("evil.example", "records that have it anywhere in a text"),
    ("src_ip:10.0.0.0/8", "addresses in a network"),
    ("http.hostname:*evil*", "texts; * and ? stand for any letters"),
    ("dest_port>=1024", "numbers and times, by = != < <= > >="),
    ("tls.sni:*", "records that have the field"),
    ("a:1 and (b:2 or not c:\"x y\")", "and, or, not, brackets, quotes"),
];

/// Makes its lines.
pub fn document(width: usize) -> Document {
    let mut document = Document::new(TITLE, width);
    let places = (width / 2).min(32);
    document.heading("Keys");
    for binding in BINDINGS {
        document.named(binding.names, places, binding.does, Style::new(), None);
    }
    document.heading("Searches");
    for (search, finds) in SEARCHES {
        document.named(search, places, finds, Style::new(), None);
    }
    document.text("Fields are named as in the logs: src_ip of EVE, id.orig_h of Zeek.", Style::new());
    document
}
