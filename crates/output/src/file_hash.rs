//! Hashes of files, computed as their bytes come.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// The hashes that are wanted of a file.
#[derive(Clone, Debug, Default)]
pub struct FileHasher {
    md5: Option<Md5>,
    sha1: Option<Sha1>,
    sha256: Option<Sha256>,
}

/// Hashes of a whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileHashes {
    /// MD5.
    pub md5: Option<[u8; 16]>,
    /// SHA-1.
    pub sha1: Option<[u8; 20]>,
    /// SHA-256.
    pub sha256: Option<[u8; 32]>,
}

impl FileHasher {
    /// Computes those asked for.
    pub fn new(md5: bool, sha1: bool, sha256: bool) -> Self {
        Self {
            md5: md5.then(Md5::default),
            sha1: sha1.then(Sha1::default),
            sha256: sha256.then(Sha256::default),
        }
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        if let Some(hash) = &mut self.md5 {
            hash.update(bytes);
        }
        if let Some(hash) = &mut self.sha1 {
            hash.update(bytes);
        }
        if let Some(hash) = &mut self.sha256 {
            hash.update(bytes);
        }
    }

    /// The hashes of all bytes taken.
    pub fn finish(self) -> FileHashes {
        FileHashes {
            md5: self.md5.map(|hash| hash.finalize().into()),
            sha1: self.sha1.map(|hash| hash.finalize().into()),
            sha256: self.sha256.map(|hash| hash.finalize().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_base::hex;

    #[test]
    fn known_hashes() {
        let mut hasher = FileHasher::new(true, true, false);
        hasher.update(b"a");
        hasher.update(b"bc");
        let hashes = hasher.finish();
        assert_eq!(hashes.md5.map(|h| hex::string(&h)).unwrap(), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(hashes.sha1.map(|h| hex::string(&h)).unwrap(), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hashes.sha256, None);
    }
}
