//! `update.yaml`: which sources, and which files edit their rules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use weir_base::nearest;
use weir_config::yaml::Yaml;

use crate::complaint::Complaint;
use crate::tree;

/// Rule files that are left out unless others are named.
pub const DEFAULT_IGNORE: &str = "*deleted.rules";

/// The source of those who name none: Emerging Threats Open, for the release whose language is spoken.
pub const DEFAULT_SOURCE: &str =
    "https://rules.emergingthreats.net/open/suricata-%(__version__)s/emerging.rules.tar.gz";

/// The keys.
const KEYS: &[&str] = &[
    "sources",
    "local",
    "ignore",
    "disable-conf",
    "enable-conf",
    "drop-conf",
    "modify-conf",
    "index",
    "output",
    "data-directory",
    "user-agent",
];

/// Keys of other programs that read such a file, and why they mean nothing here.
const OTHERS: &[(&str, &str)] = &[
    ("test-command", "rules are checked by the program itself. Leave it out, or use --no-test"),
    ("reload-command", "use --reload, which asks the running program by its control socket"),
    ("suricata", "rules are checked by the program itself. Leave it out"),
    ("suricata-conf", "use -c, which names the configuration that rules are checked with"),
];

/// A source as people name it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// A path, an address, or a name of the index.
    pub name: String,
    /// Whether a checksum lies beside an address; where nobody says, one is looked for.
    pub checksum: Option<bool>,
    /// A header to send.
    pub header: Option<String>,
    /// Parameters, such as an access code.
    pub parameters: BTreeMap<String, String>,
}

impl Wanted {
    /// A source by its name alone.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }
}

/// The settings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Sources.
    pub sources: Vec<Wanted>,
    /// Files, folders and patterns of one's own rules.
    pub local: Vec<String>,
    /// Patterns of rule files that are left out; none where it says nothing.
    pub ignore: Option<Vec<String>>,
    /// Files that disable rules.
    pub disable: Vec<PathBuf>,
    /// Files that enable rules.
    pub enable: Vec<PathBuf>,
    /// Files that make rules drop.
    pub drop: Vec<PathBuf>,
    /// Files that modify rules.
    pub modify: Vec<PathBuf>,
    /// The index of sources: a file or an address.
    pub index: Option<String>,
    /// The folder of rules.
    pub output: Option<PathBuf>,
    /// The folder of what is kept.
    pub data_folder: Option<PathBuf>,
    /// What the program calls itself to servers.
    pub user_agent: Option<String>,
}

impl Settings {
    /// Reads a file. Names in it are relative to its folder.
    pub fn read(bytes: &[u8], path: &Path, complaints: &mut Vec<Complaint>) -> Result<Self, Complaint> {
        let file = path.to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut settings = Self::default();
        for (key, node) in tree::read(bytes, &file)? {
            let Some(name) = tree::text(&key) else { continue };
            let texts =
                || tree::items(&node).iter().filter_map(tree::text).map(str::to_owned).collect::<Vec<_>>();
            let paths = || texts().iter().map(|text| folder.join(text)).collect::<Vec<_>>();
            let last = || texts().pop();
            match name {
                "sources" => settings.sources = sources(&node, &file, folder, complaints),
                "local" => {
                    settings.local = paths().iter().map(|path| path.to_string_lossy().into_owned()).collect();
                }
                "ignore" => settings.ignore = Some(texts()),
                "disable-conf" => settings.disable = paths(),
                "enable-conf" => settings.enable = paths(),
                "drop-conf" => settings.drop = paths(),
                "modify-conf" => settings.modify = paths(),
                "index" => settings.index = last().map(|name| placed(&name, folder)),
                "output" => settings.output = paths().pop(),
                "data-directory" => settings.data_folder = paths().pop(),
                "user-agent" => settings.user_agent = last(),
                _ => complaints.push(Complaint::at(&file, tree::line(&key), unknown(name))),
            }
        }
        Ok(settings)
    }
}

fn unknown(name: &str) -> String {
    match (OTHERS.iter().find(|(other, _)| *other == name), nearest(name, KEYS.iter().copied())) {
        (Some((_, why)), _) => format!("'{name}' is left out: {why}."),
        (None, Some(near)) => format!("'{name}' is not known and left out. Did you mean '{near}'?"),
        (None, None) => format!("'{name}' is not known and left out. Known are {}.", KEYS.join(", ")),
    }
}

/// A path below the file's folder, where the name says so and is neither an address nor one of the index.
fn placed(name: &str, folder: &Path) -> String {
    let path = folder.join(name);
    let is_path = !name.contains("://") && path.exists();
    if is_path { path.to_string_lossy().into_owned() } else { name.to_owned() }
}

/// The list of sources: texts, or mappings with `source`, `url` or `path`, and parameters beside it.
fn sources(node: &Yaml, file: &str, folder: &Path, complaints: &mut Vec<Complaint>) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for item in tree::items(node) {
        if let Some(name) = tree::text(item) {
            wanted.push(Wanted::named(&placed(name, folder)));
            continue;
        }
        let mut source = Wanted::default();
        for (key, value) in tree::entries(item) {
            let text = tree::text(value).unwrap_or_default().to_owned();
            match key {
                "source" | "url" | "path" => source.name = placed(&text, folder),
                "checksum" => source.checksum = tree::flag(value),
                "http-header" => source.header = Some(text),
                _ => {
                    source.parameters.insert(key.to_owned(), text);
                }
            }
        }
        match source.name.is_empty() {
            true => {
                let text = "the source has no name and is left out. Write source:, url: or path: in it";
                complaints.push(Complaint::at(file, tree::line(item), text));
            }
            false => wanted.push(source),
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_told_and_the_rest_counts() {
        let text = "sources:\n  - https://a.example/x.tar.gz\n  - et/open\n  - source: et/pro\n    secret-code: abc\n  \
            - url: https://b.example/y\n    checksum: no\n    http-header: 'X-Key: z'\n  - {checksum: no}\n\
            local: mine/*.rules\nignore: ['*a.rules', b.rules]\ndisable-conf: disable.conf\nenabel-conf: x\n\
            test-command: true\nwhatever: 1\n";
        let mut complaints = Vec::new();
        let settings = Settings::read(text.as_bytes(), Path::new("/etc/weir/update.yaml"), &mut complaints)
            .expect("valid");
        let names: Vec<&str> = settings.sources.iter().map(|source| source.name.as_str()).collect();
        assert_eq!(names, ["https://a.example/x.tar.gz", "et/open", "et/pro", "https://b.example/y"]);
        assert_eq!(settings.sources[2].parameters["secret-code"], "abc");
        assert_eq!(settings.sources[3].checksum, Some(false));
        assert_eq!(settings.sources[3].header.as_deref(), Some("X-Key: z"));
        assert_eq!(settings.local, ["/etc/weir/mine/*.rules"]);
        assert_eq!(settings.ignore.as_deref(), Some(&["*a.rules".to_owned(), "b.rules".to_owned()][..]));
        assert_eq!(settings.disable, [Path::new("/etc/weir/disable.conf")]);
        let told: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        let expected = [
            "/etc/weir/update.yaml:9: the source has no name",
            "/etc/weir/update.yaml:13: 'enabel-conf' is not known and left out. Did you mean 'enable-conf'?",
            "/etc/weir/update.yaml:14: 'test-command' is left out: rules are checked",
            "/etc/weir/update.yaml:15: 'whatever' is not known and left out. Known are sources",
        ];
        assert_eq!(told.len(), expected.len(), "{told:#?}");
        told.iter().zip(expected).for_each(|(found, words)| assert!(found.starts_with(words), "{found}"));
    }
}
