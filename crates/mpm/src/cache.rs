//! Compiled databases kept on disk, so that the next start need not compile them.
//!
//! A file is named by a digest of all that a database depends on: what is looked for, the library's
//! version, the processor's features. It begins with that digest. A file that is damaged, or is of
//! something else, is compiled anew; one that was not used for a while is removed.
//!
//! Files of the folder are run by the library without further checks. So it must belong to who runs
//! this, and nobody else may write there.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The suffix of the files, by which they are recognised when old ones are removed.
const SUFFIX: &str = "weir-matcher";

/// Those that may write a file beside its owner.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Name of a database.
pub(crate) type Digest = [u8; 32];

/// A folder of compiled databases.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache in `folder`, which is made where it is not there.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let (found, own) = (fs::metadata(folder)?, rustix::process::geteuid().as_raw());
        if found.uid() != own || found.mode() & WRITABLE_BY_OTHERS != 0 {
            let reason = "the folder belongs to another user, or others may write there";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// Removes what was not used for `age`.
    pub fn remove_older(&self, age: Duration) -> io::Result<()> {
        let Some(limit) = SystemTime::now().checked_sub(age) else { return Ok(()) };
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let path = entry.path();
            let ours = path.extension().is_some_and(|extension| extension == SUFFIX);
            if ours && entry.metadata()?.modified()? < limit {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

// Of all engines only Hyperscan compiles what is worth keeping.
#[cfg_attr(not(any(hyperscan, test)), expect(dead_code))]
impl Cache {
    /// The database of this name.
    pub(crate) fn load(&self, digest: &Digest) -> Option<Vec<u8>> {
        let path = self.path(digest);
        let mut bytes = fs::read(&path).ok()?;
        if bytes.first_chunk() != Some(digest) {
            return None;
        }
        // That it was used shows by its time; if that cannot be changed it is compiled again one day.
        if let Ok(file) = fs::File::options().append(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(bytes.split_off(size_of::<Digest>()))
    }

    /// Keeps a database; where that fails it will be compiled again.
    pub(crate) fn save(&self, digest: &Digest, database: &[u8]) {
        let path = self.path(digest);
        // Under another name until it is whole: two may start at the same time.
        let unfinished = path.with_extension(format!("{}.unfinished", std::process::id()));
        let written = fs::File::create(&unfinished)
            .and_then(|mut file| file.write_all(digest).and_then(|()| file.write_all(database)))
            .and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name).with_extension(SUFFIX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("weir-mpm-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn gives_back_what_it_keeps_and_nothing_else() {
        let folder = folder("keeps");
        let cache = Cache::open(&folder).unwrap();
        let (one, other) = ([1; 32], [2; 32]);
        assert_eq!(cache.load(&one), None);
        cache.save(&one, b"database");
        assert_eq!(cache.load(&one).as_deref(), Some(&b"database"[..]));
        fs::copy(cache.path(&one), cache.path(&other)).unwrap();
        assert_eq!(cache.load(&other), None, "it is another's");
        fs::write(folder.join("notes"), "kept").unwrap();
        cache.remove_older(Duration::from_secs(3600)).unwrap();
        assert!(cache.load(&one).is_some());
        let long_ago = SystemTime::now() - Duration::from_secs(7200);
        fs::File::options().append(true).open(cache.path(&one)).unwrap().set_modified(long_ago).unwrap();
        cache.remove_older(Duration::from_secs(3600)).unwrap();
        assert_eq!(cache.load(&one), None);
        assert!(folder.join("notes").exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_where_others_may_write_is_refused() {
        let folder = folder("open");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(Cache::open(&folder).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        fs::remove_dir_all(folder).unwrap();
    }
}
