//! Captures of an archive: files are known by what is in them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use flate2::read::MultiGzDecoder;
use sha1::{Digest, Sha1};

/// Folders within folders that are looked into at most.
const DEEPEST: usize = 16;

/// A capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Where it is.
    pub path: PathBuf,
    /// Its length in bytes.
    pub length: u64,
    /// When it was changed last, in nanoseconds since 1970.
    modified: u128,
}

impl Capture {
    /// Returns a name for what was found in it, which changes when the capture does.
    pub fn key(&self) -> String {
        let mut hash = Sha1::new();
        hash.update(self.path.as_os_str().as_encoded_bytes());
        hash.update(self.length.to_le_bytes());
        hash.update(self.modified.to_le_bytes());
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Finds the captures that are named, and those in folders that are named, in the order of their names. What cannot be
/// read is told of in sentences.
pub fn find(paths: &[PathBuf]) -> (Vec<Capture>, Vec<String>) {
    let (mut captures, mut sentences) = (Vec::new(), Vec::new());
    for path in paths {
        walk(path, 0, &mut captures, &mut sentences);
    }
    captures.sort_by(|a: &Capture, b| a.path.cmp(&b.path));
    captures.dedup_by(|a, b| a.path == b.path);
    (captures, sentences)
}

fn walk(path: &Path, depth: usize, captures: &mut Vec<Capture>, sentences: &mut Vec<String>) {
    let mut look = || -> std::io::Result<()> {
        let metadata = std::fs::metadata(path)?;
        let is_link = std::fs::symlink_metadata(path)?.file_type().is_symlink();
        if metadata.is_dir() {
            if depth > DEEPEST || (is_link && depth > 0) {
                return Ok(());
            }
            for entry in std::fs::read_dir(path)? {
                walk(&entry?.path(), depth + 1, captures, sentences);
            }
        } else if metadata.is_file() && is_capture(path)? {
            let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
            captures.push(Capture { path: std::path::absolute(path)?, length: metadata.len(), modified });
        }
        Ok(())
    };
    if let Err(error) = look() {
        sentences.push(format!("{} cannot be read: {error}.", path.display()));
    }
}

/// Whether a file is a capture, as pcap or pcapng, perhaps compressed.
fn is_capture(path: &Path) -> std::io::Result<bool> {
    let start = first_bytes(File::open(path)?);
    let start = if start.starts_with(&[0x1f, 0x8b]) {
        first_bytes(MultiGzDecoder::new(File::open(path)?))
    } else {
        start
    };
    const MAGIC: [[u8; 4]; 7] = [
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x4d, 0x3c, 0xb2, 0xa1],
        [0x0a, 0x0d, 0x0d, 0x0a],
        // Zstandard and LZ4: what is in them, the engine tells.
        [0x28, 0xb5, 0x2f, 0xfd],
        [0x04, 0x22, 0x4d, 0x18],
    ];
    Ok(MAGIC.iter().any(|magic| start.starts_with(magic)))
}

fn first_bytes(from: impl Read) -> Vec<u8> {
    let mut start = Vec::new();
    // Damage shows when the engine reads the file.
    let _ = from.take(4).read_to_end(&mut start);
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_known_by_their_content() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        for (path, bytes) in [
            (folder.path().join("b.pcap"), &[0xd4, 0xc3, 0xb2, 0xa1, 0][..]),
            (inner.join("a"), &[0x0a, 0x0d, 0x0d, 0x0a]),
            (folder.path().join("eve.json"), b"{}"),
            (folder.path().join("empty.pcap"), b""),
        ] {
            std::fs::write(path, bytes).unwrap();
        }
        let (captures, sentences) = find(&[folder.path().to_owned(), folder.path().join("none")]);
        let names: Vec<_> = captures.iter().map(|c| c.path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!((names, sentences.len()), (vec!["b.pcap", "a"], 1));
        let before = captures[0].key();
        std::fs::write(&captures[0].path, [0xd4, 0xc3, 0xb2, 0xa1]).unwrap();
        let (captures, _) = find(&[folder.path().join("b.pcap")]);
        assert_ne!(captures[0].key(), before);
    }
}
