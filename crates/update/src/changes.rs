//! What is different between two sets of rules.

use serde_json::{Value, json};

use crate::set::{Entry, RuleId, RuleSet};

/// A rule of which something changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its number.
    pub id: RuleId,
    /// Its revision, the new one where there is one.
    pub revision: u32,
    /// Its message.
    pub message: String,
}

impl Item {
    fn of(rule: &Entry) -> Self {
        Self { id: rule.id, revision: rule.revision, message: rule.message.clone() }
    }

    fn json(&self) -> Value {
        json!({"gid": self.id.gid, "sid": self.id.sid, "rev": self.revision, "msg": self.message})
    }
}

/// The differences, by number. A rule may be in several lists: changed, and enabled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// Rules that were not there.
    pub added: Vec<Item>,
    /// Rules that are there no more.
    pub removed: Vec<Item>,
    /// Rules with another text.
    pub changed: Vec<Item>,
    /// Rules that were there, and run now.
    pub enabled: Vec<Item>,
    /// Rules that ran, and do not now.
    pub disabled: Vec<Item>,
}

impl Changes {
    /// Compares a set with the one before it.
    pub fn between(old: &RuleSet, new: &RuleSet) -> Self {
        let mut changes = Self::default();
        for rule in new.rules() {
            let Some(before) = old.get(rule.id) else {
                changes.added.push(Item::of(rule));
                continue;
            };
            if before.text != rule.written_text() {
                changes.changed.push(Item::of(rule));
            }
            match (before.enabled, rule.enabled) {
                (false, true) => changes.enabled.push(Item::of(rule)),
                (true, false) => changes.disabled.push(Item::of(rule)),
                _ => {}
            }
        }
        changes.removed =
            old.rules().iter().filter(|rule| new.get(rule.id).is_none()).map(Item::of).collect();
        for (_, list) in changes.lists_mut() {
            list.sort_by_key(|item| item.id);
        }
        changes
    }

    /// The lists by name.
    pub fn lists(&self) -> [(&'static str, &[Item]); 5] {
        [
            ("added", &self.added),
            ("removed", &self.removed),
            ("changed", &self.changed),
            ("enabled", &self.enabled),
            ("disabled", &self.disabled),
        ]
    }

    fn lists_mut(&mut self) -> [(&'static str, &mut Vec<Item>); 5] {
        [
            ("added", &mut self.added),
            ("removed", &mut self.removed),
            ("changed", &mut self.changed),
            ("enabled", &mut self.enabled),
            ("disabled", &mut self.disabled),
        ]
    }

    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|(_, list)| list.is_empty())
    }

    /// An object of lists.
    pub fn json(&self) -> Value {
        let lists = self.lists().map(|(name, list)| (name.to_owned(), list.iter().map(Item::json).collect()));
        Value::Object(lists.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_change() {
        let set = |rules: &[(u32, &str, bool)]| {
            let mut set = RuleSet::default();
            for (sid, message, enabled) in rules {
                let sign = if *enabled { "" } else { "# " };
                let line = format!("{sign}alert tcp any any -> any any (msg:\"{message}\"; sid:{sid};)");
                set.add("a", line.as_bytes(), &mut Vec::new());
            }
            set
        };
        let old = set(&[
            (1, "same", true),
            (2, "old", true),
            (3, "goes", true),
            (4, "off", true),
            (5, "on", false),
        ]);
        let new = set(&[
            (7, "new", true),
            (1, "same", true),
            (2, "other", false),
            (4, "off", false),
            (5, "on", true),
            (6, "new", false),
        ]);
        let changes = Changes::between(&old, &new);
        let found = changes
            .lists()
            .map(|(name, list)| (name, list.iter().map(|item| item.id.sid).collect::<Vec<_>>()));
        assert_eq!(
            found,
            [
                ("added", vec![6, 7]),
                ("removed", vec![3]),
                ("changed", vec![2]),
                ("enabled", vec![5]),
                ("disabled", vec![2, 4])
            ]
        );
        assert!(Changes::between(&new, &new).is_empty());
    }
}
