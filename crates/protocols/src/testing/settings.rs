//! Settings as texts.

use weir_applayer::Options;

/// Texts by path; those of another protocol behind its name. `rules-use` names fields that rules look at; `rules-follow-states`, whatever it is, says that
/// rules are about states. A complaint fails the test unless there is a text `may-complain`.
pub(crate) struct Settings<'a>(pub(crate) &'a [(&'a str, &'a str)]);

impl Options for Settings<'_> {
    fn text(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(key, _)| *key == path).map(|(_, value)| (*value).to_string())
    }

    fn children(&self, path: &str) -> Vec<String> {
        let mut children: Vec<String> = Vec::new();
        for (key, _) in self.0 {
            let below = match path {
                "" => Some(*key),
                _ => key.strip_prefix(path).and_then(|rest| rest.strip_prefix('.')),
            };
            let child = below.and_then(|below| below.split('.').next());
            if let Some(child) = child.filter(|child| !children.iter().any(|known| known == child)) {
                children.push(child.to_owned());
            }
        }
        children
    }

    fn complain(&self, path: &str, remedy: &str) {
        assert!(self.text("may-complain").is_some(), "{path}: {remedy}");
    }

    fn of_protocol(&self, protocol: &str, path: &str) -> Option<String> {
        self.text(&format!("{protocol}.{path}"))
    }

    fn rules_use(&self, field: &str) -> bool {
        self.0.contains(&("rules-use", field))
    }

    fn rules_follow_states(&self) -> bool {
        self.text("rules-follow-states").is_some()
    }
}
