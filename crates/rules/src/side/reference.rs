//! reference.config: `config reference: key prefix`.

use std::collections::HashMap;

use super::line::{after_config, for_each_line, is_name};
use crate::RuleHash;
use crate::diagnostic::{Diagnostic, SyntaxError};
use crate::text::Spanned;
use crate::value::key_value;

/// The prefixes of a file by key.
#[derive(Clone, Debug, Default)]
pub struct References {
    prefixes: HashMap<String, String, RuleHash>,
}

impl References {
    /// Reads a file; of equal keys the first counts, without a word, for common files repeat some.
    pub fn parse(text: impl AsRef<[u8]>, file: &str) -> (Self, Vec<Diagnostic>) {
        let mut found = Self::default();
        let diagnostics = for_each_line(text.as_ref(), file, |line, _| found.add(line));
        (found, diagnostics)
    }

    fn add(&mut self, line: &Spanned) -> Result<(), SyntaxError> {
        let (key, prefix) = key_value(&after_config(line, "reference")?);
        let form = "a reference is written `config reference: key prefix`";
        if !is_name(&key) {
            return Err(key.error(format!("`{key}` is not a name for a reference.")).with_help(form));
        }
        if prefix.is_empty() {
            return Err(key.error(format!("The reference `{key}` has no prefix.")).with_help(form));
        }
        self.prefixes.entry(key.to_ascii_lowercase()).or_insert_with(|| prefix.to_string());
        Ok(())
    }

    /// Returns the prefix of references of that key, which may be in any case.
    pub fn prefix(&self, key: &str) -> Option<&str> {
        let found = self.prefixes.get(key).or_else(|| self.prefixes.get(&key.to_ascii_lowercase()));
        found.map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        let text = "config reference: cve       http://cve.example/?name=\nconfig reference: url http://\n\
                    config reference: bare\nconfig reference: URL ftp://\nreference: a b\n";
        let (found, diagnostics) = References::parse(text, "reference.config");
        assert_eq!(found.prefix("CVE"), Some("http://cve.example/?name="));
        assert_eq!(found.prefix("url"), Some("http://"));
        assert_eq!(found.prefix("bare"), None);
        let places: Vec<_> = diagnostics.iter().map(|found| (found.line, found.column)).collect();
        assert_eq!(places, [(3, 19), (5, 1)]);
    }
}
