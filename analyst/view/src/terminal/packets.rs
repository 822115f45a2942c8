//! The packets of a connection as a file: which they are, what it is called, and the screen that tells of it.

use std::path::PathBuf;

use ratatui::style::Style;

use super::document::{Document, ERROR};
use super::state::Content;
use super::text::{bytes, count};
use crate::pages::When;
use crate::pages::connection::{Connection, Ends};
use crate::pages::packets::{NO_CAPTURE, Which};

/// Letters of an id in a file's name.
const LONGEST: usize = 32;

/// Packets that a file is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Their ends.
    pub which: Which,
    /// Their time.
    pub when: When,
    /// The name of the file where nobody gives it another.
    pub name: String,
}

impl Wanted {
    /// Returns the packets of the connection on a screen, or a sentence about why there are none.
    pub fn on(content: &Content, captures: &[String]) -> Result<Self, &'static str> {
        let Content::Found(super::question::Answer::Connection(found)) = content else {
            return Err("This is for the packets of a connection: c shows the connection of a line.");
        };
        let Some(ends) = &found.ends else {
            return Err("No record tells both ends of this connection, by which its packets are found.");
        };
        if captures.is_empty() {
            return Err(NO_CAPTURE);
        }
        let when = When { from: found.from, to: found.to };
        Ok(Self { which: which(ends), when, name: name(found) })
    }
}

/// Returns what a capture's packets are compared with.
pub fn which(ends: &Ends) -> Which {
    Which {
        client: ends.client,
        server: ends.server,
        client_port: ends.client_port,
        server_port: ends.server_port,
        protocol: ends.protocol.clone(),
    }
}

/// Names a file by the first id of a connection that has letters and digits alone, for records may hold any.
fn name(found: &Connection) -> String {
    let is_plain = |id: &&String| {
        id.len() <= LONGEST && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    match found.flow_ids.iter().chain(&found.uids).find(is_plain) {
        Some(id) => format!("connection-{id}.pcapng"),
        None => "connection.pcapng".to_owned(),
    }
}

/// A file of packets that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its path.
    pub path: PathBuf,
    /// Packets in it.
    pub packets: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Sentences about what could not be read.
    pub remarks: Vec<String>,
}

/// Makes the lines of a file of packets.
pub fn document(written: &Written, width: usize) -> Document {
    let mut document = Document::new("Packets", width);
    let [packets, size] =
        [written.packets, written.bytes].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    let words = if packets == 1 { "packet was" } else { "packets were" };
    let place = written.path.display();
    let told = format!("{} {words} written to {place} ({}).", count(packets), bytes(size));
    document.text(&told, Style::new());
    for remark in &written.remarks {
        document.text(remark, ERROR);
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_and_digits() {
        let cases: [(&[&str], &[&str], &str); 6] = [
            (&["1002"], &["Cabc"], "connection-1002.pcapng"),
            (&[], &["Cabc"], "connection-Cabc.pcapng"),
            (&["-1"], &["../C", "C\u{1b}[2J", "Cb"], "connection-Cb.pcapng"),
            (&[], &["../../etc/passwd"], "connection.pcapng"),
            (&[], &["", "é", "a b", "a\u{202e}b", "0123456789012345678901234567890123"], "connection.pcapng"),
            (&[], &[], "connection.pcapng"),
        ];
        let set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        for (flow_ids, uids, expected) in cases {
            let found = Connection { flow_ids: set(flow_ids), uids: set(uids), ..Connection::default() };
            assert_eq!(name(&found), expected, "{flow_ids:?} {uids:?}");
        }
    }
}
