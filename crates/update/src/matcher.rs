//! Which rules a line of `enable.conf`, `disable.conf`, `drop.conf` or `modify.conf` is about.
//!
//! | text | rules |
//! |---|---|
//! | `2019401`, `1:2019401`, `1:2019401,2019402` | of these numbers, of generator 1 where none is named |
//! | `re:heartbleed` | whose text matches a regular expression, in any case |
//! | `group:emerging-icmp`, `group:*deleted.rules` | of files of that name, with its ending or without it |
//! | `filename:*/emerging-dos.rules` | of files whose whole name matches |
//! | `metadata: deployment perimeter` | with that item of metadata, in any case |
//! | `multi:group:emerging-dns;re:tunnel` | that all of these match |
//! | `*` | all |
//!
//! Regular expressions are PCRE2's; a rule on which one takes more than [`MATCH_LIMIT`] steps does not match.

use glob::Pattern;
use pcre2::bytes::{Regex, RegexBuilder};

use crate::set::{Entry, RuleId};

/// Most steps of a regular expression on one rule.
pub(crate) const MATCH_LIMIT: u32 = 1_000_000;

/// Longest text of a matcher, in bytes.
const MAX_TEXT: usize = 64 << 10;

/// What is meant where a word is none of these.
const FORMS: &str = "Write a rule's number, re:EXPRESSION, group:FILE, filename:PATH, \
                     metadata:KEY VALUE, or multi: with several of them and ; between";

/// A choice of rules.
#[derive(Debug)]
pub enum Matcher {
    /// All rules.
    All,
    /// Those of these numbers.
    Ids(Vec<RuleId>),
    /// Those whose text matches.
    Expression(Box<Regex>),
    /// Those of files by base name.
    Group(Pattern),
    /// Those of files by whole name.
    File(Pattern),
    /// Those with an item of metadata, in lower case.
    Metadata(String),
    /// Those that all of these match.
    Every(Vec<Matcher>),
}

impl Matcher {
    /// Reads a matcher; the error is a clause with a remedy.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.len() > MAX_TEXT {
            return Err(format!("it is longer than {MAX_TEXT} bytes. Use several lines"));
        }
        if text == "*" {
            return Ok(Self::All);
        }
        match text.split_once(':') {
            Some(("re", expression)) => {
                Ok(Self::Expression(Box::new(expression_of(expression.trim(), true)?)))
            }
            Some(("group", name)) => Ok(Self::Group(pattern(name)?)),
            Some(("filename", name)) => Ok(Self::File(pattern(name)?)),
            Some(("metadata", item)) if !item.trim().is_empty() => Ok(Self::Metadata(normal(item))),
            Some(("multi", parts)) => several(parts),
            _ => ids(text),
        }
    }

    /// Whether a rule is meant.
    pub fn matches(&self, rule: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::Ids(ids) => ids.contains(&rule.id),
            Self::Expression(regex) => regex.is_match(rule.text.as_bytes()).unwrap_or(false),
            Self::Group(pattern) => {
                let base = rule.file.rsplit('/').next().unwrap_or_default();
                pattern.matches(base) || base.rsplit_once('.').is_some_and(|(stem, _)| pattern.matches(stem))
            }
            Self::File(pattern) => pattern.matches(&rule.file),
            Self::Metadata(item) => rule.metadata().any(|found| normal(found) == *item),
            Self::Every(all) => all.iter().all(|matcher| matcher.matches(rule)),
        }
    }
}

/// Compiles an expression; the error is a clause with a remedy.
pub(crate) fn expression_of(text: &str, any_case: bool) -> Result<Regex, String> {
    if text.is_empty() {
        return Err("the expression is empty. Write one behind re:".to_owned());
    }
    // In the ways of the language that these files are written for: `.` is no line end, and text is Unicode.
    RegexBuilder::new()
        .caseless(any_case)
        .utf(true)
        .jit_if_available(true)
        .max_jit_stack_size(Some(1 << 20))
        .build(&format!("(*LIMIT_MATCH={MATCH_LIMIT}){text}"))
        .map_err(|error| {
            format!("the regular expression '{text}' is wrong: {error}. Check brackets and escapes")
        })
}

fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::new(text.trim())
        .map_err(|error| format!("the pattern '{text}' is wrong: {}. Use * ? and [abc]", error.msg))
}

/// White space made one space, and all of it lower case.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn several(parts: &str) -> Result<Matcher, String> {
    let parts: Vec<&str> = parts.split(';').map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| part.starts_with("multi:")) {
        return Err("a multi: holds another one. Write all parts in one, with ; between".to_owned());
    }
    match parts.is_empty() {
        true => Err(format!("nothing follows multi:. {FORMS}")),
        false => parts.into_iter().map(Matcher::parse).collect::<Result<_, _>>().map(Matcher::Every),
    }
}

fn ids(text: &str) -> Result<Matcher, String> {
    let number = |word: &str| word.trim().parse::<u32>().ok();
    let id = |word: &str| match word.split_once(':') {
        Some((gid, sid)) => Some(RuleId { gid: number(gid)?, sid: number(sid)? }),
        None => Some(RuleId { gid: 1, sid: number(word)? }),
    };
    let ids: Option<Vec<RuleId>> = text.split(',').map(id).collect();
    ids.map(Matcher::Ids).ok_or_else(|| format!("'{text}' says of no rules. {FORMS}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> Entry {
        Entry::of_line(
            r#"alert tcp any any -> any any (msg:"ET DOS Heartbleed CVE-2014-0160"; metadata:deployment Perimeter, tag a; sid:7; rev:2;)"#,
            "rules/emerging-dos.rules",
            1,
        )
        .expect("a rule")
        .expect("a rule")
    }

    #[test]
    fn each_form_of_matcher() {
        for (text, expected) in [
            ("7", true),
            ("1:7", true),
            ("2:7", false),
            ("5, 1:6,7", true),
            ("8", false),
            ("re:heartBLEED", true),
            (r"re:cve[-,]201[0-5]", true),
            (r"re:(?<!ET )DOS", false),
            ("group:emerging-dos", true),
            ("group:emerging-dos.rules", true),
            ("group:emerging-d?s*", true),
            ("group:rules", false),
            ("filename:rules/*dos*", true),
            ("filename:*/emerging-dos.rules", true),
            ("filename:emerging-dos.rules", false),
            ("metadata: deployment perimeter", true),
            ("metadata:deployment  PERIMETER", true),
            ("metadata: deployment", false),
            ("multi:group:emerging-dos;re:heartbleed;", true),
            ("multi:group:emerging-dos;re:nmap;", false),
            ("*", true),
        ] {
            assert_eq!(Matcher::parse(text).expect(text).matches(&rule()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_matcher_has_a_remedy() {
        for (text, words) in [
            ("heartbleed", "Write a rule's number"),
            ("1:2:3", "Write a rule's number"),
            ("99999999999", "Write a rule's number"),
            ("re:", "the expression is empty"),
            ("re:(", "Check brackets"),
            ("group:[", "Use * ? and [abc]"),
            ("multi:", "nothing follows"),
            ("multi:multi:7", "another one"),
            ("metadata:", "Write a rule's number"),
        ] {
            let error = Matcher::parse(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    /// An expression whose cost explodes gives up, and the rule is not meant.
    #[test]
    fn expressions_end() {
        let text = format!("alert tcp any any -> any any (msg:\"{}\"; sid:1;)", "a".repeat(5000));
        let rule = Entry::of_line(&text, "a.rules", 1).expect("a rule").expect("a rule");
        assert!(!Matcher::parse("re:(a+)+b(?!x)$").expect("valid").matches(&rule));
    }
}
