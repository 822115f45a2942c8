//! Databases as bytes, for the cache.

use std::ffi::CStr;
use std::ptr::{self, NonNull};

use sha2::{Digest as _, Sha256};

use super::{Hyperscan, check_library, ffi};
use crate::Cache;
use crate::cache::Digest;
use crate::engines::Engine;
use crate::keys::Keys;

/// Changed with everything that makes other databases of the same keys.
const FORMAT: u32 = 1;

impl Hyperscan {
    /// The database of these keys, from `cache` where it is there, else compiled and put there.
    pub(crate) fn from_cache(keys: &Keys, cache: Option<&Cache>) -> Result<Self, String> {
        let Some(cache) = cache else { return Self::build(keys) };
        check_library()?;
        let digest = digest(keys);
        if let Some(database) = cache.load(&digest).and_then(|bytes| revive(&bytes)) {
            return Ok(Self::new(database, keys));
        }
        let built = Self::build(keys)?;
        built.with_bytes(|bytes| cache.save(&digest, bytes));
        Ok(built)
    }

    /// Shows the database's bytes, if the library gives them.
    fn with_bytes(&self, show: impl FnOnce(&[u8])) {
        let (mut bytes, mut length) = (ptr::null_mut(), 0);
        // SAFETY: the database is valid while `self` lives; the two results are written by the call only.
        let code = unsafe { ffi::hs_serialize_database(self.database.as_ptr(), &mut bytes, &mut length) };
        if code == ffi::SUCCESS
            && let Some(bytes) = NonNull::new(bytes)
        {
            // SAFETY: on success the library gives so many bytes, allocated by malloc, which are the
            // caller's to free; they are freed here only and after their last use.
            unsafe {
                show(std::slice::from_raw_parts(bytes.as_ptr().cast(), length));
                ffi::free(bytes.as_ptr().cast());
            }
        }
    }
}

/// A database from its bytes; none where the library refuses them: it compares a checksum, its own
/// version and the processor's features.
fn revive(bytes: &[u8]) -> Option<NonNull<ffi::Database>> {
    let mut database = ptr::null_mut();
    // SAFETY: so many bytes can be read, and the result is written by the call only.
    let code = unsafe { ffi::hs_deserialize_database(bytes.as_ptr().cast(), bytes.len(), &mut database) };
    NonNull::new(database).filter(|_| code == ffi::SUCCESS)
}

/// The digest of all that a database of `keys` depends on.
fn digest(keys: &Keys) -> Digest {
    let mut platform = ffi::Platform::default();
    // SAFETY: the structure is written by the call only. Where it fails nothing is known of the
    // processor, and the library compares the features itself when it reads a database.
    unsafe { ffi::hs_populate_platform(&mut platform) };
    // SAFETY: hs_version returns a null-terminated string that is never freed.
    let version = unsafe { CStr::from_ptr(ffi::hs_version()) };
    let mut hasher = Sha256::new();
    hasher.update(FORMAT.to_le_bytes());
    hasher.update(version.to_bytes_with_nul());
    hasher.update(platform.tune.to_le_bytes());
    hasher.update(platform.cpu_features.to_le_bytes());
    for (_, key, bytes) in keys.iter() {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update([u8::from(key.nocase)]);
        hasher.update(bytes);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Literal, MatchScratch, MultiMatcher, PatternSet};

    #[test]
    fn a_stored_database_finds_what_the_compiled_one_does() {
        let folder = std::env::temp_dir().join(format!("weir-mpm-{}-stored", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let cache = Cache::open(&folder).unwrap();
        let set: Vec<Literal> =
            (0..100).map(|id| Literal::new(format!("Word{id}"), id % 2 == 0, id)).collect();
        let mut files = Vec::new();
        for round in 0..3 {
            let matcher = MultiMatcher::build_with(set.clone(), Backend::Hyperscan, Some(&cache)).unwrap();
            let mut found = PatternSet::new();
            matcher.find_set(b"word10 word11 Word13", &mut MatchScratch::new(), &mut found);
            let mut found = found.as_slice().to_vec();
            found.sort_unstable();
            assert_eq!(found, [1, 10, 13], "round {round}");
            files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert_eq!(files.len(), 1);
            if round == 1 {
                // Damage is noticed, and the database is compiled again.
                let mut bytes = std::fs::read(&files[0]).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                std::fs::write(&files[0], bytes).unwrap();
            }
        }
        let keys = |set: &[Literal]| digest(&Keys::new(set));
        assert_ne!(keys(&set), keys(&set[1..]));
        assert!(!files.is_empty());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
