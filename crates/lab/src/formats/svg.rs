//! A flame graph as a picture: SVG, in which a click on a function shows it in full width, another at the bottom all.
//! Its width is the share of the total that was measured while the function was at work; the colour tells crates apart.

use std::fmt::Write;

use crate::profile::Profile;
use crate::summary::{Node, tree};

/// Width of the picture.
const WIDTH: f64 = 1200.0;
/// Height of a function.
const ROW: f64 = 17.0;
/// Room above for the title.
const HEAD: f64 = 46.0;
/// Narrower functions are left out, as a share of the total.
const NARROWEST: f64 = 0.0004;
/// Width of a letter.
const LETTER: f64 = 6.8;
/// Most rows.
const MAX_ROWS: usize = 120;

/// Returns the picture of a measure.
pub fn write(profile: &Profile, measure: usize) -> String {
    let root = tree(profile, measure, NARROWEST);
    let rows = depth(&root).min(MAX_ROWS);
    let height = HEAD + ROW * rows as f64 + 8.0;
    let unit = profile.measures.get(measure).map_or("", |measure| measure.unit.as_str());
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"ui-monospace, \
         Menlo, Consolas, monospace\" font-size=\"11\">\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n\
         <text x=\"8\" y=\"18\" class=\"title\">{}</text><text x=\"8\" y=\"36\" class=\"note\">{}</text>\n",
        escaped(&profile.title),
        escaped(&format!(
            "{} in all; a click shows a function in full width",
            amount(root.value as f64, unit)
        ))
    );
    draw(&mut picture, &root, &Place { x: 0.0, depth: 0, total: root.value as f64, height, unit });
    let _ = writeln!(picture, "<script>{SCRIPT}</script>\n</svg>");
    picture
}

struct Place<'a> {
    x: f64,
    depth: usize,
    total: f64,
    height: f64,
    unit: &'a str,
}

fn draw(picture: &mut String, node: &Node, place: &Place<'_>) {
    if place.total <= 0.0 || place.depth >= MAX_ROWS {
        return;
    }
    let share = node.value as f64 / place.total;
    let (width, y) = (share * WIDTH, place.height - 6.0 - ROW * (place.depth + 1) as f64);
    let letters = ((width - 6.0) / LETTER).max(0.0) as usize;
    let name: String = node.name.chars().take(letters).collect();
    let shown = if letters < 3 { "" } else { name.as_str() };
    let _ = writeln!(
        picture,
        "<g data-n=\"{}\"><title>{}: {} ({:.2} %)</title><rect x=\"{:.2}\" y=\"{y:.1}\" width=\"{:.2}\" \
         height=\"{:.1}\" rx=\"2\" fill=\"{}\"/><text x=\"{:.2}\" y=\"{:.1}\">{}</text></g>",
        escaped(&node.name),
        escaped(&node.name),
        amount(node.value as f64, place.unit),
        share * 100.0,
        place.x,
        width.max(0.3),
        ROW - 1.0,
        colour(&node.name),
        place.x + 3.0,
        y + 12.0,
        escaped(shown)
    );
    let mut x = place.x;
    for child in &node.children {
        draw(picture, child, &Place { x, depth: place.depth + 1, ..*place });
        x += child.value as f64 / place.total * WIDTH;
    }
}

fn depth(node: &Node) -> usize {
    1 + node.children.iter().map(depth).max().unwrap_or(0)
}

/// Warm colours, one for each crate or library.
fn colour(name: &str) -> String {
    let name = name.trim_start_matches(['<', '&']);
    let of_crate = name.split("::").next().unwrap_or(name);
    let hash = of_crate.bytes().fold(5381_u32, |hash, byte| hash.wrapping_mul(33) ^ u32::from(byte));
    if name.ends_with(crate::profile::KERNEL_NAME) {
        return "hsl(210 12% 66%)".to_owned();
    }
    format!(
        "hsl({} {}% {}%)",
        (hash % 60 + 330) % 360 + hash / 60 % 30,
        62 + hash / 7 % 20,
        62 + hash / 11 % 12
    )
}

/// Returns an amount with its unit, for people.
pub fn amount(value: f64, unit: &str) -> String {
    let scaled = |units: &[(&str, f64)]| {
        let found = units.iter().find(|(_, size)| value.abs() >= *size).or(units.last());
        found.map_or_else(String::new, |(name, size)| format!("{:.2} {name}", value / size))
    };
    match unit {
        "nanoseconds" => scaled(&[("s", 1e9), ("ms", 1e6), ("µs", 1e3)]),
        "bytes" => scaled(&[("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)]),
        _ => format!("{value:.0}"),
    }
}

/// Returns text as it stands in XML and HTML, in attributes too.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No other control characters are allowed in XML.
            letter if letter.is_control() && letter != '\n' && letter != '\t' => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

const STYLE: &str = "text{fill:#1b1b1b;pointer-events:none}.page{fill:#fdfcf9}.title{font-size:14px;font-weight:600}\
.note{fill:#666}g{cursor:pointer}g:hover rect{stroke:#222;stroke-width:1}\
@media(prefers-color-scheme:dark){.page{fill:#16181d}.title{fill:#eee}.note{fill:#aaa}}";

const SCRIPT: &str = "(()=>{const all=[...document.querySelectorAll('g')].map(g=>({g,r:g.querySelector('rect'),\
t:g.querySelector('text'),n:g.dataset.n}));for(const a of all){a.x=+a.r.getAttribute('x');\
a.w=+a.r.getAttribute('width');a.y=+a.r.getAttribute('y');a.g.addEventListener('click',()=>{for(const b of all){\
const over=b.x<=a.x+.01&&b.x+b.w>=a.x+a.w-.01&&b.y>=a.y,within=b.x>=a.x-.01&&b.x+b.w<=a.x+a.w+.01&&b.y<=a.y;\
b.g.style.display=over||within?'':'none';let x=over?0:(b.x-a.x)/a.w*1200,w=over?1200:b.w/a.w*1200;\
b.r.setAttribute('x',x);b.r.setAttribute('width',w);b.t.setAttribute('x',x+3);const l=Math.floor((w-6)/6.8);\
b.t.textContent=l<3?'':b.n.slice(0,l)}})}})()";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::folded;

    #[test]
    fn a_picture_of_functions_by_share() {
        let mut profile = folded(&[("main;a", 750), ("main;b", 250)]);
        profile.functions[0].name = "<img src=x onerror=\"alert(1)\">".to_owned();
        let picture = write(&profile, 0);
        assert!(picture.contains("750.00 ") || picture.contains("0.75 µs (75.00 %)"), "{picture}");
        assert!(!picture.contains("<img"), "{picture}");
        assert_eq!(picture.matches("<g ").count(), 4, "all, main, a, b: {picture}");
    }

    #[test]
    fn amounts() {
        let cases = [
            (1.5e9, "nanoseconds", "1.50 s"),
            (2.5e3, "nanoseconds", "2.50 µs"),
            (1.0, "nanoseconds", "0.00 µs"),
            (97e6, "bytes", "97.00 MB"),
            (3.0, "bytes", "3.00 B"),
            (-2e6, "bytes", "-2.00 MB"),
            (12.0, "count", "12"),
        ];
        for (value, unit, expected) in cases {
            assert_eq!(amount(value, unit), expected);
        }
    }
}
