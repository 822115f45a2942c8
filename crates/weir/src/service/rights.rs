//! Rights that a run gives away once interfaces, rules and the control socket are open, and before logs are: these are
//! made by the user that writes them from then on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_capture::{Open, Standing};
use weir_config::{DetectSettings, Node, RuleSettings, SecuritySettings, Settings};
use weir_engine::log::EngineLog;
use weir_engine::{Confine, Engine, Holding};
use weir_sandbox::{CapabilitySet, Identity, Paths, Processes, Reading, calls, capabilities, paths};

use super::{Run, offloads, opener};

/// Module of log lines.
const MODULE: &str = "security";

/// Folders and files that libraries of the system read.
const SYSTEM: &[&str] = &[
    "/usr",
    "/etc",
    "/lib",
    "/lib64",
    "/proc",
    "/sys",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
];

/// Returns the way in which an engine's run gives rights away, if it is to.
pub fn confinement(run: Run<'_>, engine: &Engine, log: &Arc<EngineLog>) -> Result<Option<Confine>, String> {
    let standing = match run.source {
        Open::AtOnce(source) => source.goes_on_needing,
        Open::InTurn(_) => None,
    };
    let is_live = standing.is_some();
    let security = SecuritySettings::from_settings(engine.settings());
    let identity = match is_live || run.asked {
        true => identity(&security)?,
        false => None,
    };
    let capabilities = security.capabilities.holds(is_live) || identity.is_some();
    let (files, calls) = (security.landlock.holds(is_live), security.seccomp.holds(is_live));
    let offloads = is_live && engine.settings().section("capture").flag("disable-offloading", true);
    if !(capabilities || files || calls || offloads) {
        return Ok(None);
    }
    let rights = Rights {
        identity,
        standing,
        capabilities,
        files,
        calls,
        offloads,
        rules: rules(&run, engine.settings()),
        outputs: destinations_of(engine.settings()).into_iter().chain(engine.recording()).collect(),
        write: written(&run, &security, engine),
        read: read(&run, &security, engine.settings()),
        pid_file: run.pid_file,
        log_folder: run.log_folder.to_owned(),
        security,
        log: Arc::clone(log),
    };
    Ok(Some(Box::new(move |holding| rights.give_away(holding))))
}

/// The user and group of the configuration, unless the process is that already.
fn identity(security: &SecuritySettings) -> Result<Option<Identity>, String> {
    if security.user.is_none() && security.group.is_none() {
        return Ok(None);
    }
    let identity = Identity::named(security.user.as_deref(), security.group.as_deref())?;
    if identity.is_own() {
        return Ok(None);
    }
    if !capabilities::held().contains(CapabilitySet::SETUID | CapabilitySet::SETGID) {
        return Err(
            "This process may become no other user. Start it as root, or leave run-as, --user and --group \
                    out."
                .to_owned(),
        );
    }
    Ok(Some(identity))
}

/// Rights to give away, and what is left.
struct Rights {
    identity: Option<Identity>,
    standing: Option<Standing>,
    capabilities: bool,
    files: bool,
    calls: bool,
    /// Offloads of interfaces are to be switched off.
    offloads: bool,
    /// Places of rules.
    rules: Vec<PathBuf>,
    /// Destinations of outputs outside the folder for logs.
    outputs: Vec<PathBuf>,
    write: Vec<PathBuf>,
    read: Vec<PathBuf>,
    pid_file: Option<PathBuf>,
    log_folder: PathBuf,
    security: SecuritySettings,
    log: Arc<EngineLog>,
}

impl Rights {
    fn give_away(self, holding: &Holding<'_>) -> Result<(), String> {
        if self.offloads {
            self.switch_offloads_off(holding);
        }
        if !(self.capabilities || self.files || self.calls) {
            return Ok(());
        }
        let sockets = holding.sockets.as_slice();
        if !weir_sandbox::is_single_threaded() {
            return Err("Rights cannot be given away while threads run. This is a defect: please report it, and set \
                        security.capabilities.enabled, security.seccomp.enabled and security.landlock.enabled to no."
                .to_owned());
        }
        let wrong = |error: std::io::Error| format!("Rights cannot be given away: {error}.");
        if self.capabilities && self.standing == Some(Standing::PacketSockets) {
            self.start_opener();
        }
        if let Some(identity) = &self.identity {
            self.give_files(identity, sockets);
            identity.assume().and_then(|()| capabilities::take_up()).map_err(wrong)?;
        }
        let kept = match self.capabilities {
            true => {
                let keep = self.kept()?;
                capabilities::keep(keep).map_err(wrong)?;
                keep & capabilities::held()
            }
            false => capabilities::held(),
        };
        for folder in &self.outputs {
            // An output whose folder cannot be made says so itself.
            let _ = std::fs::create_dir_all(folder);
        }
        let files = match self.files {
            true => match paths::confine(&self.paths(sockets))? {
                true => "files in the folders of logs, data and rules only",
                false => "all files, for this kernel has no Landlock",
            },
            false => "all files (security.landlock.enabled)",
        };
        let calls = match self.calls {
            true => {
                let processes = if self.security.no_processes { Processes::None } else { Processes::Some };
                calls::confine(processes)?;
                "no programs"
            }
            false => "all system calls (security.seccomp.enabled)",
        };
        let kept = match (self.capabilities, kept.is_empty()) {
            (false, _) => "its capabilities (security.capabilities.enabled)".to_owned(),
            (true, true) => "no capability".to_owned(),
            (true, false) => capabilities::names(kept),
        };
        let user = self.security.user.as_deref().filter(|_| self.identity.is_some());
        let user = user.map_or(String::new(), |user| format!("user {user}, "));
        self.log.notice(MODULE, &format!("What is left: {user}{kept}, {files}, {calls}."));
        Ok(())
    }

    /// Gives files to the user that were made before it is that one, and the folder for logs where nothing else is in it.
    fn give_files(&self, identity: &Identity, sockets: &[&Path]) {
        let mut made: Vec<&Path> =
            self.log.files().chain(self.pid_file.as_deref()).chain(sockets.iter().copied()).collect();
        let is_made = |path: PathBuf| made.iter().any(|made| made.file_name() == path.file_name());
        let entries = std::fs::read_dir(&self.log_folder);
        if entries
            .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|entry| is_made(entry.path()))))
        {
            made.push(&self.log_folder);
        }
        for path in made {
            if let Err(error) = identity.give(path) {
                self.log.warning(MODULE, &format!("{} keeps its owner: {error}.", path.display()));
            }
        }
    }

    /// The user and the group that helpers become, too.
    fn become_too(&self) -> (Option<&str>, Option<&str>) {
        match self.identity {
            Some(_) => (self.security.user.as_deref(), self.security.group.as_deref()),
            None => (None, None),
        }
    }

    /// Starts the process that switches offloads of interfaces off, and on again at the end. That of this machine itself
    /// has no card behind it.
    fn switch_offloads_off(&self, holding: &Holding<'_>) {
        let mut interfaces =
            holding.interfaces.iter().map(String::as_str).filter(|name| *name != "lo").peekable();
        if interfaces.peek().is_none() || !capabilities::held().contains(CapabilitySet::NET_ADMIN) {
            return;
        }
        let (user, group) = self.become_too();
        match offloads::start(user, group, interfaces) {
            Ok(sentences) => sentences.iter().for_each(|sentence| self.log.notice(MODULE, sentence)),
            Err(error) => {
                self.log.warning(MODULE, &format!("Offloads of interfaces stay as they are: {error}."))
            }
        }
    }

    /// Starts the process that opens sockets when an interface comes back.
    fn start_opener(&self) {
        if !capabilities::held().contains(CapabilitySet::NET_RAW) {
            return;
        }
        let (user, group) = self.become_too();
        if let Err(error) = opener::start(user, group) {
            let what = "An interface that is deleted and comes back needs a new start";
            let why = "the process that would open it again cannot be started";
            self.log.warning(MODULE, &format!("{what}: {why}: {error}."));
        }
    }

    /// Capabilities that are needed on. A root that names no other user goes on using files of others, where it has to.
    fn kept(&self) -> Result<CapabilitySet, String> {
        let mut keep = match self.standing {
            Some(Standing::Decisions) => CapabilitySet::NET_ADMIN,
            _ => CapabilitySet::empty(),
        };
        // With all capabilities every place is seen.
        let there =
            |places: &[PathBuf]| places.iter().filter(|place| place.exists()).cloned().collect::<Vec<_>>();
        let logs = there(std::slice::from_ref(&self.log_folder));
        let (write, read, rules) = (there(&self.write), there(&self.read), there(&self.rules));
        let shut =
            |places: &[PathBuf], may: fn(&Path) -> bool| places.iter().find(|place| !may(place)).cloned();
        let found = capabilities::without(|| {
            let rules = shut(&rules, paths::may_read);
            (
                shut(&logs, paths::may_write),
                shut(&write, paths::may_write),
                shut(&read, paths::may_read),
                rules,
            )
        });
        let (logs, write, read, rules) =
            found.map_err(|error| format!("Rights cannot be looked at: {error}."))?;
        if let (Some(_), Some(place)) = (&self.identity, &rules) {
            let what = "cannot be read by the user that the program becomes";
            let place = place.display();
            self.log.warning(MODULE, &format!("{place} {what}: rules cannot be loaded again."));
        }
        if let (Some(_), Some(folder)) = (&self.identity, &logs) {
            let user = self.security.user.as_deref().unwrap_or("the group");
            return Err(format!(
                "The folder {} cannot be written by {user}. Give it to that user (`chown -R {user}`), or choose another \
                 with -l.",
                folder.display()
            ));
        }
        if self.identity.is_none() {
            if logs.is_some() || write.is_some() {
                keep |= CapabilitySet::DAC_OVERRIDE;
            }
            if read.is_some() {
                keep |= CapabilitySet::DAC_READ_SEARCH;
            }
        }
        Ok(keep)
    }

    fn paths(&self, sockets: &[&Path]) -> Paths {
        let owned = self.pid_file.as_deref().into_iter().chain(sockets.iter().copied());
        let remove = owned.filter_map(|file| file.parent().map(in_place)).collect();
        let write = self.write.iter().chain(&self.outputs).cloned().chain([PathBuf::from("/dev/null")]);
        // Captures may be anywhere.
        let read = match self.standing {
            Some(_) => Reading::Only(self.read.clone()),
            None => Reading::Anything,
        };
        Paths { write: write.collect(), remove, read }
    }
}

/// A folder of a relative name without any is the one that the program is in.
fn in_place(folder: &Path) -> PathBuf {
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() }
}

/// Folders that are written: of logs, and of data that is kept.
fn written(run: &Run<'_>, security: &SecuritySettings, engine: &Engine) -> Vec<PathBuf> {
    let mut folders = vec![run.log_folder.to_owned()];
    let settings = engine.settings();
    folders.extend(engine.ruleset().datasets.kept().iter().filter_map(|file| file.parent().map(in_place)));
    folders.extend(settings.text("default-data-dir").map(PathBuf::from));
    let detect = DetectSettings::from_settings(settings).ok();
    folders.extend(detect.and_then(|detect| detect.mpm_cache).map(|cache| cache.folder));
    folders.extend(security.write.iter().cloned());
    folders.sort();
    folders.dedup();
    folders
}

/// Destinations of all outputs outside the folder for logs.
fn destinations_of(settings: &Settings) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for place in ["outputs", "logging.outputs"] {
        settings.lookup(place).into_iter().for_each(|outputs| destinations(outputs, &mut folders));
    }
    folders
}

/// Destinations below a setting: the folder of a file, or one that is named.
fn destinations(node: &Node, folders: &mut Vec<PathBuf>) {
    let is_socket = node.text("filetype").is_some_and(|kind| kind.starts_with("unix"));
    for child in node.children() {
        destinations(child, folders);
        let Some(path) = child.value().map(Path::new).filter(|path| path.is_absolute()) else { continue };
        match child.name() {
            "filename" if is_socket => {}
            // A device is no folder's file.
            "filename" if path.starts_with("/dev") => folders.push(path.to_owned()),
            "filename" => folders.extend(path.parent().map(Path::to_owned)),
            "dir" | "folder" | "certs-log-dir" | "log-dir" => folders.push(path.to_owned()),
            _ => {}
        }
    }
}

/// Files and folders that are read when rules are loaded again: all that the configuration and the command line name,
/// with their folders, for files are replaced; and those of the system.
fn read(run: &Run<'_>, security: &SecuritySettings, settings: &Settings) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    found.extend(security.read.iter().cloned());
    let mut named = run.files.clone();
    named.push(settings.folder().join("."));
    named.extend(std::env::current_dir().ok().map(|folder| folder.join(".")));
    paths_of(settings.root(), &mut named);
    for path in named {
        // Where a link leads, the files beside it are read, too.
        let real = path.canonicalize().ok();
        for path in [Some(path), real].into_iter().flatten() {
            found.extend(place_of(&path));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The files that loading rules again begins with.
fn rules(run: &Run<'_>, settings: &Settings) -> Vec<PathBuf> {
    let rules = RuleSettings::from_settings(settings);
    let configured = rules.files.iter().map(|name| rules.folder.join(name));
    run.files.iter().cloned().chain(configured).collect()
}

/// The place by which a path may be read: a folder, or that of a file; of the topmost folder its file alone.
fn place_of(path: &Path) -> Option<PathBuf> {
    let is_top = |folder: &Path| folder.canonicalize().is_ok_and(|real| real == Path::new("/"));
    if path.is_dir() {
        return Some(path.to_owned()).filter(|folder| !is_top(folder));
    }
    let folder = in_place(without_patterns(path)?);
    Some(if is_top(&folder) { path.to_owned() } else { folder })
}

/// The folder of a file, or the last one before a pattern.
fn without_patterns(path: &Path) -> Option<&Path> {
    let has_pattern = |path: &Path| path.to_string_lossy().contains(['*', '?', '[']);
    path.ancestors().skip(1).find(|folder| !has_pattern(folder))
}

/// Values that are full paths.
fn paths_of(node: &Node, found: &mut Vec<PathBuf>) {
    found.extend(node.value().filter(|value| value.starts_with('/')).map(PathBuf::from));
    node.children().iter().for_each(|child| paths_of(child, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_outside_the_folder_for_logs() {
        let text = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      filename: /a/b/eve.json\n  - eve-log:\n      filetype: \
                    unix_stream\n      filename: /run/eve.socket\n  - fast:\n      filename: /dev/stdout\n  - file-store:\n      \
                    dir: /c/files\n  - lua:\n      scripts-dir: /etc/scripts\n  - stats:\n      filename: stats.log\n";
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).expect("settings");
        let mut folders = Vec::new();
        destinations(settings.lookup("outputs").expect("outputs"), &mut folders);
        assert_eq!(folders, ["/a/b", "/dev/stdout", "/c/files"].map(PathBuf::from));
    }

    /// `daemon-directory: "/"` and the like open no more than they name.
    #[test]
    fn the_topmost_folder_is_never_a_place() {
        for (path, place) in [
            ("/", None),
            ("/.", None),
            ("/usr/..", None),
            ("/no-such-file", Some("/no-such-file")),
            ("/usr/no-such-file", Some("/usr")),
            ("/usr", Some("/usr")),
            ("no-such-file", Some(".")),
        ] {
            assert_eq!(place_of(Path::new(path)).as_deref(), place.map(Path::new), "{path}");
        }
    }

    #[test]
    fn patterns_have_a_folder() {
        for (path, folder) in [("/a/b/*.rules", "/a/b"), ("/a/*/c.rules", "/a"), ("/a/b", "/a"), ("c", "")] {
            assert_eq!(without_patterns(Path::new(path)), Some(Path::new(folder)), "{path}");
        }
    }
}
