//! `disable.conf`, `enable.conf`, `drop.conf` and `modify.conf`: what people want otherwise than the sources have it.
//!
//! The first three hold a [`Matcher`] a line. Lines of `modify.conf` are
//!
//! | line | what it does |
//! |---|---|
//! | `MATCHER "FROM" "TO"` | puts TO in the place of all that the expression FROM finds in the rule |
//! | `modifysid MATCHER "FROM" \| "TO"` | the same, as Oinkmaster writes it |
//! | `metadata-add MATCHER "KEY" "VALUE"` | adds an item of metadata |
//!
//! `#` begins a comment at the front of a line or behind a space.

use std::collections::HashSet;

use pcre2::bytes::Regex;
use weir_config::yaml::decode;

use crate::complaint::Complaint;
use crate::matcher::{Matcher, expression_of};
use crate::rewrite::Replacement;
use crate::set::{Entry, RuleId};
use crate::words;

/// Files by kind: name and content.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Those of `disable.conf`.
    pub disable: Vec<(String, Vec<u8>)>,
    /// Those of `enable.conf`.
    pub enable: Vec<(String, Vec<u8>)>,
    /// Those of `drop.conf`.
    pub drop: Vec<(String, Vec<u8>)>,
    /// Those of `modify.conf`.
    pub modify: Vec<(String, Vec<u8>)>,
}

/// Rules that lines of one kind are about.
#[derive(Debug, Default)]
pub struct Choice {
    ids: HashSet<RuleId>,
    others: Vec<Matcher>,
}

impl Choice {
    /// Whether one of the lines is about the rule.
    pub fn contains(&self, rule: &Entry) -> bool {
        self.ids.contains(&rule.id) || self.others.iter().any(|matcher| matcher.matches(rule))
    }

    fn read(files: &[(String, Vec<u8>)], complaints: &mut Vec<Complaint>) -> Self {
        let mut choice = Self::default();
        for_lines(files, complaints, |line| {
            match Matcher::parse(line.text)? {
                Matcher::Ids(ids) => choice.ids.extend(ids),
                other => choice.others.push(other),
            }
            Ok(())
        });
        choice
    }
}

/// All edits.
#[derive(Debug, Default)]
pub struct Edits {
    /// What is disabled.
    pub disable: Choice,
    /// What is enabled, whether disabled before or not.
    pub enable: Choice,
    /// What drops.
    pub drop: Choice,
    /// What is modified, in order.
    pub modify: Vec<Line>,
}

impl Edits {
    /// Reads files; lines that cannot be read are complained of.
    pub fn read(files: &Files, complaints: &mut Vec<Complaint>) -> Self {
        let disable = Choice::read(&files.disable, complaints);
        let enable = Choice::read(&files.enable, complaints);
        let drop = Choice::read(&files.drop, complaints);
        let mut modify = Vec::new();
        for_lines(&files.modify, complaints, |line| {
            modify.push(Line::parse(line)?);
            Ok(())
        });
        Self { disable, enable, drop, modify }
    }
}

/// A line that modifies rules.
#[derive(Debug)]
pub struct Line {
    /// The file it stands in.
    pub file: String,
    /// Its number there.
    pub number: u32,
    matcher: Matcher,
    what: Change,
}

#[derive(Debug)]
enum Change {
    Replace(Box<Regex>, Replacement),
    Add(String),
}

impl Line {
    fn parse(line: &Numbered<'_>) -> Result<Self, String> {
        const FORM: &str = "Write MATCHER \"FROM\" \"TO\"";
        let words = words::split(line.text).map_err(|why| format!("{why}. {FORM}"))?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (matcher, what) = match words.as_slice() {
            ["metadata-add", matcher, key, value] => (matcher, Change::Add(format!("{key} {value}"))),
            ["metadata-add", ..] => return Err("Write metadata-add MATCHER \"KEY\" \"VALUE\"".to_owned()),
            ["modifysid", matcher, from, "|", to] | [matcher, from, to] => {
                let regex = expression_of(from, false)?;
                let replacement = Replacement::parse(to, &regex)?;
                (matcher, Change::Replace(Box::new(regex), replacement))
            }
            _ => {
                return Err(format!(
                    "it has {} words where 3 are expected. {FORM}, with quotes around what has spaces",
                    words.len()
                ));
            }
        };
        Ok(Self { file: line.file.to_owned(), number: line.number, matcher: Matcher::parse(matcher)?, what })
    }

    /// The text that a rule has afterwards; none where it stays the same.
    pub(crate) fn rewritten(&self, rule: &Entry) -> Option<String> {
        if !self.matcher.matches(rule) {
            return None;
        }
        match &self.what {
            Change::Replace(regex, replacement) => {
                replacement.apply(regex, &rule.text).filter(|text| *text != rule.text)
            }
            Change::Add(item) if rule.metadata().any(|found| found == item) => None,
            Change::Add(item) => {
                let (front, back) = rule.text.split_at_checked(rule.text.rfind(')')?)?;
                Some(format!("{} metadata:{item};{back}", front.trim_end()))
            }
        }
    }
}

/// A line of a file.
struct Numbered<'a> {
    file: &'a str,
    number: u32,
    text: &'a str,
}

/// Has each line read that is neither empty nor a comment, and takes down what cannot be.
fn for_lines(
    files: &[(String, Vec<u8>)],
    complaints: &mut Vec<Complaint>,
    mut read: impl FnMut(&Numbered<'_>) -> Result<(), String>,
) {
    for (file, bytes) in files {
        let (text, _) = decode(bytes);
        for (line, number) in text.lines().zip(1u32..) {
            let line = line.trim();
            let text = line.split_once(" #").map_or(line, |(front, _)| front).trim_end();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Err(why) = read(&Numbered { file, number, text }) {
                complaints.push(Complaint::at(file, number, format!("the line is left out: {why}.")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_lines_lose_nothing_else() {
        let text = b"# comment\n\n7 # of its own\nheartbleed\nre:[\n8\n".to_vec();
        let modify =
            b"7 alert drop\n7 alert\n7 \"alert drop\n7 (a) '\\2'\nmetadata-add 7 key\nmodifysid * a | b\n"
                .to_vec();
        let files = Files {
            disable: vec![("disable.conf".into(), text)],
            modify: vec![("modify.conf".into(), modify)],
            ..Files::default()
        };
        let mut complaints = Vec::new();
        let edits = Edits::read(&files, &mut complaints);
        assert_eq!((edits.disable.ids.len(), edits.disable.others.len(), edits.modify.len()), (2, 0, 2));
        let told: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        let expected = [
            ("disable.conf:4: ", "Write a rule's number"),
            ("disable.conf:5: ", "Check brackets"),
            ("modify.conf:2: ", "2 words where 3"),
            ("modify.conf:3: ", "not closed"),
            ("modify.conf:4: ", "no group 2"),
            ("modify.conf:5: ", "metadata-add MATCHER"),
        ];
        assert_eq!(told.len(), expected.len(), "{told:#?}");
        for (found, (place, words)) in told.iter().zip(expected) {
            assert!(found.starts_with(place) && found.contains(words), "{found}");
        }
    }
}
