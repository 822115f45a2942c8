//! A unified diff of two texts with the same number of lines, as fixes leave them.

use std::fmt::Write;

/// The diff, empty where the texts are the same.
pub fn unified(file: &str, before: &[u8], after: &[u8]) -> String {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut diff = String::new();
    let mut at = 0;
    while at < before.len().max(after.len()) {
        let run = (at..before.len().max(after.len())).take_while(|&n| before.get(n) != after.get(n)).count();
        if run == 0 {
            at += 1;
            continue;
        }
        if diff.is_empty() {
            let _ = write!(diff, "--- {file}\n+++ {file}\n");
        }
        let _ = writeln!(diff, "@@ -{0},{run} +{0},{run} @@", at + 1);
        for line in before.iter().skip(at).take(run) {
            let _ = writeln!(diff, "-{line}");
        }
        for line in after.iter().skip(at).take(run) {
            let _ = writeln!(diff, "+{line}");
        }
        at += run;
    }
    diff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_lines_that_differ() {
        let cases = [
            ("a\nb\n", "a\nb\n", ""),
            ("a\nb\nc\n", "a\nB\nc\n", "--- f\n+++ f\n@@ -2,1 +2,1 @@\n-b\n+B\n"),
            ("a\nb\nc", "A\nB\nc", "--- f\n+++ f\n@@ -1,2 +1,2 @@\n-a\n-b\n+A\n+B\n"),
        ];
        for (before, after, expected) in cases {
            assert_eq!(unified("f", before.as_bytes(), after.as_bytes()), expected);
        }
    }
}
