//! Rules as far as pages show them: their text, and where their contents are in a payload.

use std::collections::HashMap;
use std::path::PathBuf;

use memchr::memmem;
use serde::Serialize;

/// Rules that are kept at most.
const MOST_RULES: usize = 1_000_000;
/// Contents of a rule that are looked for, each through the whole payload: rules have far fewer.
const MOST_CONTENTS: usize = 128;
/// Places that are marked at most.
const MOST_MARKS: usize = 500;

/// Rules by their number.
#[derive(Debug, Default)]
pub struct Rules {
    texts: HashMap<u64, String>,
}

impl Rules {
    /// Reads files of rules; the errors are sentences.
    pub fn read(paths: &[PathBuf]) -> (Self, Vec<String>) {
        let (mut rules, mut sentences) = (Self::default(), Vec::new());
        for path in paths {
            match std::fs::read(path) {
                Ok(text) => rules.add(&String::from_utf8_lossy(&text)),
                Err(error) => sentences.push(format!("{} cannot be read: {error}.", path.display())),
            }
        }
        (rules, sentences)
    }

    fn add(&mut self, text: &str) {
        let text = text.replace("\\\r\n", "").replace("\\\n", "");
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            let number = options(line)
                .find(|(name, _)| *name == "sid")
                .and_then(|(_, value)| value.trim().parse().ok());
            if let Some(number) = number.filter(|_| self.texts.len() < MOST_RULES) {
                self.texts.insert(number, line.to_owned());
            }
        }
    }

    /// Returns the text of a rule.
    pub fn text(&self, number: u64) -> Option<&str> {
        self.texts.get(&number).map(String::as_str)
    }
}

/// Gives each option of a rule, as its name and its value.
fn options(rule: &str) -> impl Iterator<Item = (&str, &str)> {
    let body = rule.split_once('(').map_or("", |(_, body)| body);
    let mut rest = body.strip_suffix(')').unwrap_or(body);
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let mut quoted = false;
        let mut escaped = false;
        let end = rest.find(|letter: char| {
            let was_escaped = std::mem::take(&mut escaped);
            match letter {
                _ if was_escaped => {}
                '\\' => escaped = true,
                '"' => quoted = !quoted,
                ';' => return !quoted,
                _ => {}
            }
            false
        });
        let (option, after) =
            end.and_then(|end| Some((rest.get(..end)?, rest.get(end + 1..)?))).unwrap_or((rest, ""));
        rest = after;
        Some(option.split_once(':').map_or((option.trim(), ""), |(name, value)| (name.trim(), value.trim())))
    })
}

/// A text that a rule looks for.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    bytes: Vec<u8>,
    any_case: bool,
    written: String,
}

/// Returns the contents that must be there, as far as they are plain.
fn contents(rule: &str) -> Vec<Content> {
    let mut found: Vec<Content> = Vec::new();
    let mut negated = false;
    for (name, value) in options(rule) {
        match name {
            "content" => {
                negated = value.starts_with('!');
                if !negated {
                    let written = value.trim_matches('"').to_owned();
                    found.push(Content { bytes: bytes_of(&written), any_case: false, written });
                }
            }
            "nocase" if !negated => {
                found.iter_mut().next_back().into_iter().for_each(|last| last.any_case = true)
            }
            _ => {}
        }
    }
    found.retain(|content| !content.bytes.is_empty());
    found
}

/// The bytes of a content: `|0d 0a|` are two, `\"` is one.
fn bytes_of(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut letters = text.chars();
    let mut digits: Option<String> = None;
    while let Some(letter) = letters.next() {
        match (&mut digits, letter) {
            (Some(hex), '|') => {
                let pairs = hex.as_bytes().chunks_exact(2).filter_map(|pair| std::str::from_utf8(pair).ok());
                bytes.extend(pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()));
                digits = None;
            }
            (Some(hex), letter) => hex.extend(Some(letter).filter(char::is_ascii_hexdigit)),
            (None, '|') => digits = Some(String::new()),
            (None, letter) => {
                let letter = if letter == '\\' { letters.next().unwrap_or(letter) } else { letter };
                bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    bytes
}

/// A place of a payload where a content of the rule is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last one.
    pub end: usize,
    /// The content as the rule writes it.
    pub content: String,
}

/// Returns where the contents of a rule are, in order. Offsets and the like that the rule adds are not looked at: what is
/// marked are all places that may have matched.
pub fn marks(rule: &str, payload: &[u8]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let in_any_case = payload.to_ascii_lowercase();
    for content in contents(rule).into_iter().take(MOST_CONTENTS) {
        let (wanted, payload) = if content.any_case {
            (content.bytes.to_ascii_lowercase(), &*in_any_case)
        } else {
            (content.bytes, payload)
        };
        let places = places(&wanted, payload).take(MOST_MARKS - marks.len());
        marks.extend(places.map(|start| Mark {
            start,
            end: start + wanted.len(),
            content: content.written.clone(),
        }));
    }
    marks.sort_by_key(|mark| (mark.start, mark.end));
    marks
}

/// Gives where bytes are, also over each other.
fn places(wanted: &[u8], all: &[u8]) -> impl Iterator<Item = usize> {
    let finder = memmem::Finder::new(wanted).into_owned();
    let mut from = 0;
    std::iter::from_fn(move || {
        let place = from + finder.find(all.get(from..)?)?;
        from = place + 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule, a payload and the ranges of it that are marked.
    type Case = (&'static str, &'static [u8], &'static [(usize, usize)]);

    #[test]
    fn contents_are_marked() {
        let cases: [Case; 11] = [
            ("alert tcp any any -> any any (content:\"evil\"; sid:1;)", b"an evil evil", &[(3, 7), (8, 12)]),
            ("a (content:\"EVIL\"; nocase;)", b"eViL", &[(0, 4)]),
            ("a (content:\"EVIL\"; content:\"x\"; nocase;)", b"evil X", &[(5, 6)]),
            ("a (content:\"|0d 0A|b|00|\";)", b"a\r\nb\0", &[(1, 5)]),
            ("a (content:!\"evil\"; nocase;)", b"evil", &[]),
            ("a (content:\"a\\;b\\\"c\\\\\";)", b"a;b\"c\\", &[(0, 6)]),
            ("a (content:\"\"; content:\"|zz|\";)", b"evil", &[]),
            ("a (msg:\"content:x;\"; content:\"y\";)", b"xy", &[(1, 2)]),
            ("a (content:\"AA\"; nocase;)", b"aAa", &[(0, 2), (1, 3)]),
            ("", b"x", &[]),
            ("a (content:\"longer than all\";)", b"x", &[]),
        ];
        for (rule, payload, expected) in cases {
            let found: Vec<(usize, usize)> =
                marks(rule, payload).iter().map(|mark| (mark.start, mark.end)).collect();
            assert_eq!(found, expected, "{rule}");
        }
        assert_eq!(marks("a (content:\"a\"; content:\"aa\";)", &[b'a'; 10_000]).len(), MOST_MARKS);
        let many: String = (0..MOST_CONTENTS).map(|_| "content:\"no\"; ").collect();
        assert_eq!(marks(&format!("a ({many}content:\"a\";)"), b"a"), []);
    }

    #[test]
    fn rules_are_found_by_number() {
        let mut rules = Rules::default();
        rules.add("# alert a (sid:1;)\nalert b (msg:\"sid:2;\"; \\\n sid: 3; rev:1;)\nalert c (sid:x;)\n");
        assert_eq!(rules.text(3), Some("alert b (msg:\"sid:2;\";  sid: 3; rev:1;)"));
        assert_eq!(rules.texts.len(), 1);
    }
}
