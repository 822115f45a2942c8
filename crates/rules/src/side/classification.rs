//! classification.config: `config classification: name,description,priority`.

use std::collections::HashMap;
use std::sync::Arc;

use super::line::{after_config, for_each_line, is_name};
use crate::RuleHash;
use crate::diagnostic::{Diagnostic, SyntaxError};
use crate::text::{Span, Spanned};

/// One class of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// Place among the classes of the file, counted from 1.
    pub id: u16,
    /// Short name.
    pub name: Arc<str>,
    /// Description, which alerts show as their category.
    pub description: Arc<str>,
    /// Default priority of its rules.
    pub priority: u32,
}

/// The classes of a file by name.
#[derive(Clone, Debug, Default)]
pub struct Classifications {
    classes: Vec<Classification>,
    by_name: HashMap<String, usize, RuleHash>,
}

impl Classifications {
    /// Reads a file; of classes with the same name the first counts, without a word.
    pub fn parse(text: impl AsRef<[u8]>, file: &str) -> (Self, Vec<Diagnostic>) {
        let mut found = Self::default();
        let diagnostics = for_each_line(text.as_ref(), file, |line, _| found.add(line));
        (found, diagnostics)
    }

    fn add(&mut self, line: &Spanned) -> Result<(), SyntaxError> {
        let body = after_config(line, "classification")?;
        let form = "a class is written `config classification: name,description,priority`";
        let (Some(first), Some(last)) =
            (body.find(','), body.rfind(',').filter(|last| body.find(',') < Some(*last)))
        else {
            return Err(body.error("The class does not have three parts.").with_help(form));
        };
        let name = body.slice(Span::new(0, first)).trimmed();
        let description = body.slice(Span::new(first + 1, last)).trimmed();
        let priority = body.slice(Span::new(last + 1, body.len())).trimmed();
        if !is_name(&name) {
            return Err(name.error(format!("`{name}` is not a name for a class.")));
        }
        if description.is_empty() {
            return Err(body.error("The class has no description.").with_help(form));
        }
        let Ok(priority) = priority.parse() else {
            return Err(priority.error(format!("`{priority}` is not a priority.")).with_help(form));
        };
        let key = name.to_ascii_lowercase();
        if self.by_name.contains_key(&key) {
            return Ok(());
        }
        let Ok(id) = u16::try_from(self.classes.len() + 1) else {
            return Err(name.error("The file holds too many classes."));
        };
        self.by_name.insert(key, self.classes.len());
        self.classes.push(Classification {
            id,
            name: (*name).into(),
            description: (*description).into(),
            priority,
        });
        Ok(())
    }

    /// The class of that name, in any case.
    pub fn find(&self, name: &str) -> Option<&Classification> {
        let found = self.by_name.get(name).or_else(|| self.by_name.get(&name.to_ascii_lowercase()));
        self.classes.get(*found?)
    }

    /// All classes, in the order of the file.
    pub fn iter(&self) -> std::slice::Iter<'_, Classification> {
        self.classes.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let text = "# comment\n\nconfig classification: trojan-activity,A Network Trojan, was detected, 1\n\
                    config  classification :bad-unknown , Potentially Bad , 2\r\nconfig classification: x,y\n\
                    config clasification: x,y,1\nconfig classification: BAD-UNKNOWN,again,3\n\
                    config classification: q,y,one\nconfig classification: 1q,y,1\nconfig classification: q,,1\n";
        let (found, diagnostics) = Classifications::parse(text, "classification.config");
        let classes: Vec<_> = found.iter().map(|c| (c.id, &*c.name, &*c.description, c.priority)).collect();
        assert_eq!(
            classes,
            [
                (1, "trojan-activity", "A Network Trojan, was detected", 1),
                (2, "bad-unknown", "Potentially Bad", 2)
            ]
        );
        assert_eq!(found.find("Trojan-Activity").map(|class| class.id), Some(1));
        assert_eq!(found.find("unknown"), None);
        let places: Vec<_> = diagnostics.iter().map(|found| (found.line, found.column)).collect();
        assert_eq!(places, [(5, 24), (6, 1), (8, 28), (9, 24), (10, 24)]);
    }
}
