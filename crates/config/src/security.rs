//! `security` and `run-as`: the rights that a run gives away once it has begun.

use std::path::PathBuf;

use crate::settings::{Section, Settings};

/// When rights are given away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Confinement {
    /// `auto`: while interfaces are listened on.
    #[default]
    Live,
    /// `yes`: in all runs.
    Always,
    /// `no`
    Never,
}

impl Confinement {
    fn read(section: &Section<'_>) -> Self {
        match section.text("enabled") {
            None | Some("auto") => Self::Live,
            Some(_) if section.flag("enabled", false) => Self::Always,
            Some(_) => Self::Never,
        }
    }

    /// Whether it holds for a run.
    pub const fn holds(self, is_live: bool) -> bool {
        match self {
            Self::Live => is_live,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// `security` and `run-as`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecuritySettings {
    /// `run-as.user`
    pub user: Option<String>,
    /// `run-as.group`
    pub group: Option<String>,
    /// `security.limit-noproc`: no process is made.
    pub no_processes: bool,
    /// `security.capabilities.enabled`: capabilities are given away.
    pub capabilities: Confinement,
    /// `security.seccomp.enabled`: system calls are refused.
    pub seccomp: Confinement,
    /// `security.landlock.enabled`: files are written and read in some folders only.
    pub landlock: Confinement,
    /// `security.landlock.directories.write`
    pub write: Vec<PathBuf>,
    /// `security.landlock.directories.read`
    pub read: Vec<PathBuf>,
}

impl SecuritySettings {
    /// Reads both.
    pub fn from_settings(settings: &Settings) -> Self {
        let (run_as, security) = (settings.section("run-as"), settings.section("security"));
        let landlock = security.section("landlock");
        let folders = |key: &str| {
            let directories = landlock.section("directories");
            let texts = directories.node().and_then(|node| node.child(key)).map(crate::Node::texts);
            texts.unwrap_or_default().into_iter().map(PathBuf::from).collect()
        };
        let name = |key: &str| run_as.text(key).filter(|name| !name.is_empty()).map(str::to_owned);
        Self {
            user: name("user"),
            group: name("group"),
            no_processes: security.flag("limit-noproc", true),
            capabilities: Confinement::read(&security.section("capabilities")),
            seccomp: Confinement::read(&security.section("seccomp")),
            landlock: Confinement::read(&landlock),
            write: folders("write"),
            read: folders("read"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_when() {
        for (word, live, others) in [("auto", true, false), ("yes", true, true), ("no", false, false)] {
            let text = format!("%YAML 1.1\n---\nsecurity:\n  landlock:\n    enabled: {word}\n");
            let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
            let read = SecuritySettings::from_settings(&settings);
            assert_eq!([read.landlock.holds(true), read.landlock.holds(false)], [live, others], "{word}");
            assert_eq!(read.seccomp, Confinement::Live);
        }
    }

    #[test]
    fn the_shipped_file() {
        let settings = Settings::built_in(&["run-as.user=suri"]).unwrap();
        let read = SecuritySettings::from_settings(&settings);
        assert_eq!((read.user.as_deref(), read.group, read.no_processes), (Some("suri"), None, true));
        assert_eq!(read.landlock, Confinement::Live);
        assert!(read.read.contains(&PathBuf::from("/usr/")) && read.write.is_empty());
    }
}
