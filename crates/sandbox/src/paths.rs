//! Paths that may be written and read (Landlock, Linux 5.13 and later). No program may be started from any of them.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    path_beneath_rules,
};
use rustix::fs::{Access as FsAccess, AtFlags, CWD, accessat};

/// The latest set of rights that is asked for; kernels that know fewer take those that they know.
const RIGHTS: ABI = ABI::V5;

/// Paths that may be used: files, and folders with all below them. Those that are not there are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Paths to write and read.
    pub write: Vec<PathBuf>,
    /// Folders of files that may be removed.
    pub remove: Vec<PathBuf>,
    /// Paths to read.
    pub read: Reading,
}

/// Paths that may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// All that the user may read.
    Anything,
    /// These, and those that may be written.
    Only(Vec<PathBuf>),
}

/// Lets this thread, and those that it starts, use these paths only; false where the kernel cannot do that.
pub fn confine(paths: &Paths) -> Result<bool, String> {
    restrict(paths).map_err(|error| format!("Access to files cannot be restricted: {error}."))
}

fn restrict(paths: &Paths) -> Result<bool, RulesetError> {
    let reads = AccessFs::ReadFile | AccessFs::ReadDir;
    let writes: BitFlags<AccessFs> = AccessFs::from_write(RIGHTS);
    let handled = match paths.read {
        Reading::Anything => writes | AccessFs::Execute,
        Reading::Only(_) => AccessFs::from_all(RIGHTS),
    };
    let ruleset = Ruleset::default().handle_access(handled)?.create()?;
    let ruleset = ruleset.add_rules(path_beneath_rules(&paths.write, (writes | reads) & handled))?;
    let ruleset = ruleset.add_rules(path_beneath_rules(&paths.remove, AccessFs::RemoveFile))?;
    let ruleset = match &paths.read {
        Reading::Anything => ruleset,
        Reading::Only(read) => ruleset.add_rules(path_beneath_rules(read, reads))?,
    };
    Ok(ruleset.restrict_self()?.ruleset != RulesetStatus::NotEnforced)
}

/// Whether this process, with the capabilities that are in effect, may write into a folder.
pub fn may_write(folder: &Path) -> bool {
    may(folder, FsAccess::WRITE_OK | FsAccess::EXEC_OK)
}

/// Whether it may read a file or folder.
pub fn may_read(path: &Path) -> bool {
    may(path, FsAccess::READ_OK)
}

fn may(path: &Path, access: FsAccess) -> bool {
    accessat(CWD, path, access, AtFlags::EACCESS).is_ok()
}
