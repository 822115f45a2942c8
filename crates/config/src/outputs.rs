//! `outputs`: the logs in their order, each with its options as a subtree.

use std::path::PathBuf;

use crate::node::Node;
use crate::settings::{Section, Settings};

/// Where logs go without `default-log-dir`.
const DEFAULT_LOG_FOLDER: &str = "/var/log/suricata";

/// One entry of `outputs`.
#[derive(Clone, Debug)]
pub struct Output {
    /// Kind of output: `fast`, `eve-log`, `stats`, ...
    pub kind: String,
    /// In use.
    pub enabled: bool,
    /// Dotted path of its options.
    pub path: String,
    /// Its options.
    pub node: Node,
}

impl Output {
    /// The file's name, or the one given.
    pub fn filename<'a>(&'a self, default: &'a str) -> &'a str {
        self.node.text("filename").unwrap_or(default)
    }

    /// The options with typed getters.
    pub fn section<'a>(&'a self, settings: &'a Settings) -> Section<'a> {
        settings.section_of(&self.path, &self.node)
    }

    /// New lines are added to an existing file.
    pub fn append(&self) -> bool {
        self.node.text("append").is_none_or(crate::value::is_true)
    }
}

/// `outputs` and `default-log-dir`.
#[derive(Clone, Debug)]
pub struct OutputsSettings {
    /// The folder of files without a full path.
    pub log_folder: PathBuf,
    /// All entries, in order; an output may stand there more than once.
    pub outputs: Vec<Output>,
}

impl OutputsSettings {
    /// Reads `outputs`. An entry is in use if it says `enabled: yes`.
    pub fn from_settings(settings: &Settings) -> Self {
        let mut outputs = Vec::new();
        for item in settings.section("outputs").children() {
            let Some(node) = item.node() else { continue };
            match (node.children().first(), node.value()) {
                (Some(options), _) => outputs.push(Output {
                    kind: options.name().to_owned(),
                    enabled: options.text("enabled").is_some_and(crate::value::is_true),
                    path: format!("{}.{}", item.path(), options.name()),
                    node: options.clone(),
                }),
                (None, Some(kind)) => outputs.push(Output {
                    kind: kind.to_owned(),
                    enabled: false,
                    path: item.path().to_owned(),
                    node: Node::new(kind, node.location().clone()),
                }),
                (None, None) => {}
            }
        }
        let log_folder = settings.text("default-log-dir").unwrap_or(DEFAULT_LOG_FOLDER).into();
        Self { log_folder, outputs }
    }

    /// The entries of a kind that are in use.
    pub fn enabled<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Output> {
        self.outputs.iter().filter(move |output| output.enabled && output.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_outputs() {
        let settings = Settings::built_in(&["outputs.0.fast.enabled=no"]).unwrap();
        let outputs = OutputsSettings::from_settings(&settings);
        let enabled: Vec<_> = outputs.outputs.iter().filter(|o| o.enabled).map(|o| o.kind.as_str()).collect();
        assert_eq!(enabled, ["eve-log", "stats"]);
        assert_eq!(outputs.enabled("eve-log").next().unwrap().filename("x"), "eve.json");
        assert_eq!(outputs.outputs[0].path, "outputs.0.fast");
    }

    #[test]
    fn entries_need_to_be_enabled() {
        let text = b"%YAML 1.1\n---\noutputs:\n  - fast\n  - stats:\n      filename: a\n  - eve-log:\n      enabled: on\n  - eve-log:\n      enabled: yes\n      append: no\n";
        let outputs = OutputsSettings::from_settings(&Settings::from_text::<&str>(text, "t", &[]).unwrap());
        let shown: Vec<_> =
            outputs.outputs.iter().map(|o| (o.kind.as_str(), o.enabled, o.append())).collect();
        assert_eq!(
            shown,
            [
                ("fast", false, true),
                ("stats", false, true),
                ("eve-log", true, true),
                ("eve-log", true, false)
            ]
        );
    }
}
