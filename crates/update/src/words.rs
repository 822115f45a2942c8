//! Words of a line, apart by white space and quoted as a POSIX shell quotes them, which `modify.conf` asks for.
//!
//! Within `"…"` a backslash escapes `"` and `\` alone and stays before all else, so that `"\d+"` needs no second one;
//! within `'…'` nothing is escaped; elsewhere a backslash escapes whatever follows.

/// The words; the error says what is not closed.
pub(crate) fn split(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\r' => words.extend(word.take()),
            '\'' => {
                let text = word.get_or_insert_default();
                loop {
                    match letters.next().ok_or("a quote ' is not closed")? {
                        '\'' => break,
                        inner => text.push(inner),
                    }
                }
            }
            '"' => double_quoted(&mut letters, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(letters.next().ok_or("nothing follows the last \\")?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

fn double_quoted(letters: &mut std::str::Chars<'_>, text: &mut String) -> Result<(), &'static str> {
    const OPEN: &str = "a quote \" is not closed";
    loop {
        match letters.next().ok_or(OPEN)? {
            '"' => return Ok(()),
            '\\' => {
                let next = letters.next().ok_or(OPEN)?;
                if !matches!(next, '"' | '\\') {
                    text.push('\\');
                }
                text.push(next);
            }
            inner => text.push(inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (line, expected) in [
            (r#"re:. ^alert drop"#, Ok(vec!["re:.", "^alert", "drop"])),
            (r#"2019401 "seconds \d+" "seconds 3600""#, Ok(vec!["2019401", r"seconds \d+", "seconds 3600"])),
            (r#"a "x\\1y" 'it\1s' b\ c"#, Ok(vec!["a", r"x\1y", r"it\1s", "b c"])),
            (r#"re:"two words"x """#, Ok(vec!["re:two wordsx", ""])),
            ("", Ok(vec![])),
            (r#"a "b"#, Err("a quote \" is not closed")),
            ("a 'b", Err("a quote ' is not closed")),
            ("a \\", Err("nothing follows the last \\")),
        ] {
            assert_eq!(
                split(line),
                expected.map(|words| words.into_iter().map(str::to_owned).collect()),
                "{line}"
            );
        }
    }
}
