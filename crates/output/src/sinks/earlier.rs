//! File of an earlier run: whether lines can be added below it, and how its end is repaired before.
//!
//! Its head and its tail are read, never the whole of it, however large it is.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use memchr::memrchr;

/// Beginnings of the lines in Zeek's logs that say when a file was opened and closed.
const OPENED: &[u8] = b"#open";
const CLOSED: &[u8] = b"#close";

/// Beginning of Zeek's tab-separated logs.
const SEPARATOR: &[u8] = b"#separator";

/// Room for the line of a header that says when the file was opened.
const OPENED_BYTES: usize = 256;

/// Bytes of a file's end that are read: more than a line that says when it was closed.
const TAIL_BYTES: u64 = 256;

/// A file as it is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Earlier {
    /// There is none, or nothing is in it, or it is none that keeps what is written.
    Nothing,
    /// Lines can be added.
    Fits(End),
    /// It has another header, or another form.
    Differs,
}

/// The end of a file that lines are to be added to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// A whole line.
    Whole,
    /// A line without its end, as a run leaves it that was killed.
    Unfinished,
    /// A line that says when the file was closed; it begins here.
    Closed(u64),
}

impl Earlier {
    /// Looks at the file that lines with this header, which may be empty, are to be written to.
    pub(super) fn look(path: &Path, header: &[u8]) -> Self {
        let size = match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() && metadata.len() > 0 => metadata.len(),
            _ => return Self::Nothing,
        };
        // Of a file that can be written and not be read nothing is known, as of one whose lines are whole.
        File::open(path).and_then(|file| Self::read(file, size, header)).unwrap_or(Self::Fits(End::Whole))
    }

    fn read(file: File, size: u64, header: &[u8]) -> io::Result<Self> {
        let mut head = Vec::new();
        let needed = header.len() + OPENED_BYTES;
        (&file).take(needed as u64).read_to_end(&mut head)?;
        if !fits(&head, header) {
            return Ok(Self::Differs);
        }
        let start = size.saturating_sub(TAIL_BYTES);
        (&file).seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut tail)?;
        let lines = tail.strip_suffix(b"\n");
        let is_whole = lines.is_some();
        let lines = lines.unwrap_or(&tail);
        let last = memrchr(b'\n', lines).map_or(0, |end| end + 1);
        let line = lines.get(last..).unwrap_or_default();
        // A run may have been killed while it wrote this line, too.
        let closes = line.starts_with(CLOSED) || (!is_whole && CLOSED.starts_with(line));
        Ok(Self::Fits(match is_whole {
            _ if closes && !header.is_empty() => End::Closed(start + last as u64),
            true => End::Whole,
            false => End::Unfinished,
        }))
    }
}

impl End {
    /// Makes a file ready for the next line.
    pub(super) fn prepare(self, file: &mut File) -> io::Result<()> {
        match self {
            End::Whole => Ok(()),
            End::Unfinished => file.write_all(b"\n"),
            End::Closed(from) => {
                // A file that can only grow keeps the line: better than to lose what would follow it.
                let _ = file.set_len(from);
                Ok(())
            }
        }
    }
}

/// Whether a file that begins so has this header; without one, whether it has none of Zeek's either.
fn fits(head: &[u8], header: &[u8]) -> bool {
    if header.is_empty() {
        return !head.starts_with(SEPARATOR);
    }
    let mut found = lines(head);
    lines(header).all(|line| found.next() == Some(line))
}

/// The lines of a header but for the one that says when the file was opened.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = text.split_inclusive(|byte| *byte == b'\n');
    whole.filter(|line| !line.starts_with(OPENED))
}

/// Gives a file the next name that is free: `conn.log.1`, `conn.log.2`. Where a link leads to it, the link stays.
pub(crate) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path)?;
    let aside = numbered(&path);
    fs::rename(path, &aside)?;
    Ok(aside)
}

/// The path with the next number behind it that makes one of no file. Numbers are mostly given out in order: the last
/// one is found in few looks, however many there are.
pub(super) fn numbered(path: &Path) -> PathBuf {
    let with = |number: u64| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    let is_free = |number: u64| fs::symlink_metadata(with(number)).is_err();
    let (mut taken, mut free) = (0, 1);
    while !is_free(free) && free < u64::MAX / 2 {
        (taken, free) = (free, free * 2);
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        (taken, free) = if is_free(middle) { (taken, middle) } else { (middle, free) };
    }
    with(free)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &[u8] = b"#separator \\x09\n#path\tconn\n#open\t2024-01-01-00-00-00\n#fields\tts\tuid\n";

    #[test]
    fn files_are_known_by_their_head_and_their_tail() {
        let zeek = "#separator \\x09\n#path\tconn\n#open\t1999-12-31-23-59-59\n#fields\tts\tuid\n";
        let close = "#close\t2000-01-01-00-00-00";
        let long = "x".repeat(100_000);
        let at = |text: &str| Earlier::Fits(End::Closed(text.len() as u64));
        let (whole, unfinished) = (Earlier::Fits(End::Whole), Earlier::Fits(End::Unfinished));
        let cases = [
            (String::new(), Earlier::Nothing, Earlier::Nothing),
            (zeek.to_owned(), whole, Earlier::Differs),
            (format!("{zeek}1\ta\n"), whole, Earlier::Differs),
            (format!("{zeek}1\ta\n{close}\n"), at(&format!("{zeek}1\ta\n")), Earlier::Differs),
            (format!("{zeek}{close}\n"), at(zeek), Earlier::Differs),
            (format!("{zeek}{long}\n{close}"), at(&format!("{zeek}{long}\n")), Earlier::Differs),
            (format!("{zeek}{long}\n#clo"), at(&format!("{zeek}{long}\n")), Earlier::Differs),
            (format!("{zeek}{long}"), unfinished, Earlier::Differs),
            (format!("{zeek}1\ta\n{close}\n2\tb\n"), whole, Earlier::Differs),
            (format!("{zeek}1\ta\n2"), unfinished, Earlier::Differs),
            (zeek.replace("uid", "uid\tproto"), Earlier::Differs, Earlier::Differs),
            (zeek.replace("conn", "dns"), Earlier::Differs, Earlier::Differs),
            (zeek.replace('\n', "\r\n"), Earlier::Differs, Earlier::Differs),
            (zeek[..30].to_owned(), Earlier::Differs, Earlier::Differs),
            ("{\"ts\":1}\n".to_owned(), Earlier::Differs, whole),
            ("{\"ts\":1}\n{\"ts\"".to_owned(), Earlier::Differs, unfinished),
            (format!("{{\"ts\":1}}\n{close}\n"), Earlier::Differs, whole),
            ("\n".to_owned(), Earlier::Differs, whole),
        ];
        let folder = std::env::temp_dir().join(format!("weir-earlier-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.log");
        assert_eq!(Earlier::look(&path, HEADER), Earlier::Nothing, "no file");
        assert_eq!(Earlier::look(&folder, HEADER), Earlier::Nothing, "a folder");
        assert_eq!(Earlier::look(Path::new("/dev/null"), HEADER), Earlier::Nothing, "a device");
        for (text, with_header, without) in cases {
            fs::write(&path, &text).unwrap();
            assert_eq!(Earlier::look(&path, HEADER), with_header, "{text:.200}");
            assert_eq!(Earlier::look(&path, b""), without, "{text:.200}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_are_set_aside_under_names_that_are_free() {
        let folder = std::env::temp_dir().join(format!("weir-aside-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("disk")).unwrap();
        let folder = fs::canonicalize(&folder).unwrap();
        let path = folder.join("conn.log");
        for number in 1..=20 {
            fs::write(&path, number.to_string()).unwrap();
            let aside = set_aside(&path).unwrap();
            assert_eq!(aside, folder.join(format!("conn.log.{number}")));
            assert_eq!(fs::read_to_string(aside).unwrap(), number.to_string());
        }
        // A link to another disk is one for the next file, too.
        fs::write(folder.join("disk/dns.log"), "rows").unwrap();
        let link = folder.join("dns.log");
        std::os::unix::fs::symlink(folder.join("disk/dns.log"), &link).unwrap();
        assert_eq!(set_aside(&link).unwrap(), folder.join("disk/dns.log.1"));
        fs::write(&link, "more").unwrap();
        assert_eq!(fs::read_to_string(folder.join("disk/dns.log")).unwrap(), "more");
        fs::remove_dir_all(folder).unwrap();
    }
}
