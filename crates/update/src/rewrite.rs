//! What `modify.conf` puts in the place of what it finds.
//!
//! `\1`, `\g<1>`, `\g<name>` and `${1}` stand for groups of the expression, `\\` for a backslash.

use pcre2::bytes::{Captures, Regex};

/// A part of a replacement.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    Number(usize),
    Name(String),
}

/// A replacement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Replacement(Vec<Part>);

impl Replacement {
    /// Reads a replacement for what an expression finds; the error is a clause with a remedy.
    pub(crate) fn parse(text: &str, regex: &Regex) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let (part, length) = group_at(rest).unwrap_or((None, 0));
            let part = part.or_else(|| rest.starts_with("\\\\").then(|| Part::Text("\\".to_owned())));
            let taken = match part {
                Some(Part::Text(text)) => {
                    plain.push_str(&text);
                    2
                }
                Some(group) => {
                    check(&group, regex)?;
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    parts.push(group);
                    length
                }
                None => {
                    plain.push(letter);
                    letter.len_utf8()
                }
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
        parts.push(Part::Text(plain));
        Ok(Self(parts))
    }

    /// The text with all that the expression finds replaced; none where it finds nothing.
    pub(crate) fn apply(&self, regex: &Regex, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        let mut found = false;
        for captures in regex.captures_iter(text.as_bytes()) {
            // One that takes too many steps is none.
            let captures = captures.ok()?;
            let whole = captures.get(0)?;
            out.push_str(text.get(end..whole.start())?);
            self.0.iter().try_for_each(|part| part.write(&captures, &mut out))?;
            end = whole.end();
            found = true;
        }
        out.push_str(text.get(end..)?);
        found.then_some(out)
    }
}

impl Part {
    fn write(&self, captures: &Captures<'_>, out: &mut String) -> Option<()> {
        let group = match self {
            Self::Text(text) => {
                out.push_str(text);
                return Some(());
            }
            Self::Number(number) => captures.get(*number),
            Self::Name(name) => captures.name(name),
        };
        // A group that took no part is nothing.
        out.push_str(group.map_or(Some(""), |group| std::str::from_utf8(group.as_bytes()).ok())?);
        Some(())
    }
}

/// The group at the front of a text, and the length of what names it.
fn group_at(text: &str) -> Option<(Option<Part>, usize)> {
    let named = |open: &str, close: char| {
        let (name, _) = text.strip_prefix(open)?.split_once(close)?;
        let part = name.parse().map(Part::Number).unwrap_or_else(|_| Part::Name(name.to_owned()));
        Some((Some(part), open.len() + name.len() + 1))
    };
    named("\\g<", '>')
        .or_else(|| named("${", '}').filter(|(part, _)| matches!(part, Some(Part::Number(_)))))
        .or_else(|| {
            let digits = text.strip_prefix('\\')?.bytes().take(2).take_while(u8::is_ascii_digit).count();
            let number = text.get(1..1 + digits)?.parse().ok()?;
            Some((Some(Part::Number(number)), 1 + digits))
        })
}

fn check(group: &Part, regex: &Regex) -> Result<(), String> {
    let (known, name) = match group {
        Part::Text(_) => (true, String::new()),
        Part::Number(number) => (*number < regex.captures_len(), number.to_string()),
        Part::Name(name) => (regex.capture_names().iter().flatten().any(|known| known == name), name.clone()),
    };
    match known {
        true => Ok(()),
        false => Err(format!(
            "the expression has no group {name}. It has {}, each between ( and )",
            regex.captures_len().saturating_sub(1)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::expression_of;

    #[test]
    fn groups_stand_for_what_they_found() {
        for (from, to, text, expected) in [
            ("^alert", "drop", "alert tcp", Some("drop tcp")),
            ("^drop(.*)noalert(.*)", r"alert\1noalert\2", "drop x noalert;)", Some("alert x noalert;)")),
            ("^alert(.*)", "drop${1}", "alert x", Some("drop x")),
            ("(?P<word>b+)", r"<\g<word>\g<1>>", "abba", Some("a<bbbb>a")),
            ("a", r"\\", "aXa", Some(r"\X\")),
            ("(x)|(y)", r"[\1\2]", "xy", Some("[x][y]")),
            (r"seconds \d+", "seconds 3600", "seconds 60, seconds 7", Some("seconds 3600, seconds 3600")),
            ("none", "", "text", None),
            ("ALERT", "drop", "alert", None),
            ("ü", r"\d", "aüb", Some(r"a\db")),
        ] {
            let regex = expression_of(from, false).expect(from);
            let replacement = Replacement::parse(to, &regex).expect(to);
            assert_eq!(replacement.apply(&regex, text).as_deref(), expected, "{from} {to}");
        }
        let regex = expression_of("(a)", false).expect("valid");
        for (to, words) in [(r"\2", "no group 2. It has 1"), (r"\g<name>", "no group name")] {
            let error = Replacement::parse(to, &regex).expect_err(to);
            assert!(error.contains(words), "{error}");
        }
    }
}
