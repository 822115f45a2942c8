//! Archives, unpacked in memory: tar and zip, gzip around any of these or around a single file.
//!
//! Limits: [`MAX_ENTRIES`], [`MAX_UNPACKED`] bytes for all that is unpacked. Entries whose name leaves the archive's
//! folder, links and devices are refused one by one; an archive beyond a limit is refused as a whole.

use std::io::{Cursor, Read};
use std::path::{Component, Path};

use crate::complaint::Complaint;

/// Most entries.
pub const MAX_ENTRIES: usize = 20_000;
/// Most bytes unpacked from one source.
pub const MAX_UNPACKED: u64 = 256 << 20;
/// Most entries that are complained of one by one.
const MAX_COMPLAINTS: usize = 20;

/// Bits of a file's mode that tell its type, and the type of a link.
const TYPE_BITS: u32 = 0o170_000;
const LINK_BITS: u32 = 0o120_000;

/// A file of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its path within the source, `/` between parts.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Returns the files of an archive, or the one that it is where it is none. `name` is that of the archive.
pub fn unpack(name: &str, bytes: Vec<u8>, complaints: &mut Vec<Complaint>) -> Result<Vec<File>, Complaint> {
    let refuse = |why: String| Complaint::new(name, format!("the archive is refused: {why}"));
    let mut out =
        Unpacked { archive: name, files: Vec::new(), left: MAX_UNPACKED, entries: 0, refused: 0, complaints };
    let base = name.rsplit('/').next().unwrap_or(name);
    let (bytes, base) = match bytes.starts_with(b"\x1f\x8b") {
        true => (gunzip(&bytes).map_err(refuse)?, base.strip_suffix(".gz").unwrap_or(base)),
        false => (bytes, base),
    };
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        out.zip(&bytes).map_err(refuse)?;
    } else if bytes.get(257..262) == Some(b"ustar") {
        out.tar(&bytes).map_err(refuse)?;
    } else {
        return Ok(vec![File { name: base.to_owned(), bytes }]);
    }
    let Unpacked { mut files, refused, .. } = out;
    if refused > MAX_COMPLAINTS {
        complaints
            .push(Complaint::new(name, format!("{} entries more are left out", refused - MAX_COMPLAINTS)));
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

fn too_much() -> String {
    format!("it unpacks to more than {} MiB. Take rules apart into several archives", MAX_UNPACKED >> 20)
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("it is damaged: {error}. Load it again")
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let reader = flate2::read::MultiGzDecoder::new(bytes);
    reader.take(MAX_UNPACKED + 1).read_to_end(&mut out).map_err(damaged)?;
    if out.len() as u64 > MAX_UNPACKED { Err(too_much()) } else { Ok(out) }
}

/// What an archive gave so far.
struct Unpacked<'a> {
    archive: &'a str,
    files: Vec<File>,
    left: u64,
    entries: usize,
    refused: usize,
    complaints: &'a mut Vec<Complaint>,
}

impl Unpacked<'_> {
    fn tar(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut archive = tar::Archive::new(bytes);
        for entry in archive.entries().map_err(damaged)? {
            let entry = entry.map_err(damaged)?;
            self.count()?;
            let kind = entry.header().entry_type();
            if kind.is_dir() || kind.is_pax_global_extensions() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            match kind.is_file() || kind.is_contiguous() {
                true => self.take(&name, entry)?,
                false => self.refuse(&name, "it is a link or a device"),
            }
        }
        Ok(())
    }

    fn zip(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        for place in 0..archive.len() {
            self.count()?;
            let entry = archive.by_index(place).map_err(damaged)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let is_link = entry.unix_mode().is_some_and(|mode| mode & TYPE_BITS == LINK_BITS);
            match (entry.is_dir(), is_link) {
                (true, _) => {}
                (_, true) => self.refuse(&name, "it is a link or a device"),
                _ => self.take(&name, entry)?,
            }
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), String> {
        self.entries += 1;
        match self.entries > MAX_ENTRIES {
            true => {
                Err(format!("it has more than {MAX_ENTRIES} entries. Take rules apart into several archives"))
            }
            false => Ok(()),
        }
    }

    /// Takes an entry, where its name stays within the archive.
    fn take(&mut self, name: &str, entry: impl Read) -> Result<(), String> {
        let Some(name) = inner_name(name) else {
            self.refuse(name, "its name leaves the folder of the archive");
            return Ok(());
        };
        let mut bytes = Vec::new();
        entry.take(self.left + 1).read_to_end(&mut bytes).map_err(damaged)?;
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(too_much)?;
        self.files.push(File { name, bytes });
        Ok(())
    }

    fn refuse(&mut self, name: &str, why: &str) {
        self.refused += 1;
        if self.refused <= MAX_COMPLAINTS {
            let text = format!(
                "the entry {} is left out: {why}. Tell whoever made the archive",
                name.escape_debug()
            );
            self.complaints.push(Complaint::new(self.archive, text));
        }
    }
}

/// The parts of a relative path with `/` between; none where it leaves its folder, or has letters that no name has.
pub(crate) fn inner_name(name: &str) -> Option<String> {
    if name.chars().any(char::is_control) || name.contains('\\') {
        return None;
    }
    let mut parts = Vec::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn tar_of(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, kind, bytes) in entries {
            let mut header = tar::Header::new_ustar();
            // Names as an attacker writes them, which the library would refuse to write.
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            archive.append(&header, *bytes).expect("an entry");
        }
        archive.into_inner().expect("an archive")
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).expect("written");
        writer.finish().expect("finished")
    }

    fn zip_of(entries: &[(&str, &[u8])], links: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            archive.start_file(*name, SimpleFileOptions::default()).expect("an entry");
            archive.write_all(bytes).expect("written");
        }
        for (name, target) in links {
            archive.add_symlink(*name, *target, SimpleFileOptions::default()).expect("a link");
        }
        archive.finish().expect("an archive").into_inner()
    }

    fn names(name: &str, bytes: Vec<u8>) -> (Result<Vec<String>, String>, Vec<String>) {
        let mut complaints = Vec::new();
        let files = unpack(name, bytes, &mut complaints);
        let files = files
            .map(|files| files.into_iter().map(|file| file.name).collect())
            .map_err(|error| error.to_string());
        (files, complaints.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn hostile_entries_are_left_out() {
        use tar::EntryType;
        let archive = tar_of(&[
            ("rules/b.rules", EntryType::Regular, b"b"),
            ("./rules/a.rules", EntryType::Regular, b"a"),
            ("../up.rules", EntryType::Regular, b"x"),
            ("rules/../../up.rules", EntryType::Regular, b"x"),
            ("/etc/passwd", EntryType::Regular, b"x"),
            ("link.rules", EntryType::Symlink, b""),
            ("hard.rules", EntryType::Link, b""),
            ("device", EntryType::Block, b""),
            ("pipe", EntryType::Fifo, b""),
            ("rules/", EntryType::Directory, b""),
        ]);
        for (name, bytes) in [("a.tar", archive.clone()), ("a.tar.gz", gzip(&archive))] {
            let (files, complaints) = names(name, bytes);
            assert_eq!(files, Ok(vec!["rules/a.rules".to_owned(), "rules/b.rules".to_owned()]), "{name}");
            assert_eq!(complaints.len(), 7, "{complaints:#?}");
        }
        let archive = zip_of(
            &[("rules/a.rules", b"a"), ("../up.rules", b"x"), ("C:\\windows.rules", b"x")],
            &[("link.rules", "/etc/passwd")],
        );
        let (files, complaints) = names("a.zip", archive);
        assert_eq!(files, Ok(vec!["rules/a.rules".to_owned()]));
        assert_eq!(complaints.len(), 3, "{complaints:#?}");
    }

    #[test]
    fn what_is_no_archive_is_one_file() {
        for (name, bytes) in [("x/one.rules", b"alert".to_vec()), ("x/one.rules.gz", gzip(b"alert"))] {
            assert_eq!(names(name, bytes).0, Ok(vec!["one.rules".to_owned()]), "{name}");
        }
    }

    #[test]
    fn limits_refuse_the_whole() {
        let zeros = vec![0; (MAX_UNPACKED + 1) as usize];
        let (files, _) = names("bomb.gz", gzip(&zeros));
        assert!(files.expect_err("too much").contains("more than 256 MiB"));
        let many: Vec<(String, tar::EntryType, &[u8])> =
            (0..=MAX_ENTRIES).map(|n| (format!("{n}.rules"), tar::EntryType::Regular, &b""[..])).collect();
        let many: Vec<_> = many.iter().map(|(name, kind, bytes)| (name.as_str(), *kind, *bytes)).collect();
        let (files, _) = names("many.tar", tar_of(&many));
        assert!(files.expect_err("too many").contains("more than 20000 entries"));
        let (files, _) = names("cut.gz", gzip(b"alert").split_at(8).0.to_vec());
        assert!(files.expect_err("damaged").contains("Load it again"));
    }

    proptest! {
        /// Any damage to an archive gives files or a complaint, and no name that leaves a folder.
        #[test]
        fn damage_is_survived(place in 0usize..4000, byte: u8, which in 0usize..3) {
            let tar = tar_of(&[("a.rules", tar::EntryType::Regular, b"alert"), ("b/c", tar::EntryType::Regular, b"x")]);
            let zip = zip_of(&[("a.rules", b"alert"), ("b/c", b"x")], &[]);
            let mut bytes = [tar.clone(), zip, gzip(&tar)].into_iter().nth(which).unwrap_or_default();
            let place = place % bytes.len();
            bytes[place] = byte;
            if let (Ok(files), _) = names("a", bytes) {
                for file in files {
                    prop_assert!(!file.starts_with('/') && !file.split('/').any(|part| part == ".."), "{}", file);
                }
            }
        }
    }
}
