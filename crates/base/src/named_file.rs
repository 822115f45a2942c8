//! Files that are read whole when a run begins: configurations, rules, lists.
//!
//! A name in a configuration may by mistake, or by someone else's doing, be that of a named pipe or a device: reading
//! would wait for ever, or never end. Only words of the command line may be pipes (`-S <(gunzip -c my.rules.gz)`).

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// The device that is always empty: a file for those who want none.
const EMPTY: &str = "/dev/null";

/// Whether a name may be that of a pipe or a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pipes {
    /// It is a word of the command line: whoever typed it waits for what it says.
    Read,
    /// It was found in a file.
    Refuse,
}

/// The bytes of a file that is not longer than `longest` bytes.
pub fn read(path: &Path, pipes: Pipes, longest: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    if pipes == Pipes::Refuse {
        // Some devices act when they are opened. What takes the file's place meanwhile does not wait.
        check(path)?;
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if pipes == Pipes::Refuse {
        check_kind(path, &metadata)?;
    }
    let mut bytes = Vec::with_capacity(metadata.len().min(longest) as usize);
    file.take(longest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is longer than {longest} bytes"),
        ));
    }
    Ok(bytes)
}

/// Refuses what is neither a file nor absent, for those who open it otherwise.
pub fn check(path: &Path) -> io::Result<()> {
    check_kind(path, &std::fs::metadata(path)?)
}

fn check_kind(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() || path == Path::new(EMPTY) {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let what = if kind.is_fifo() {
        "it is a named pipe"
    } else if kind.is_socket() {
        "it is a socket"
    } else {
        "it is a device"
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_files_are_read_unless_pipes_may_be() {
        let folder = std::env::temp_dir().join(format!("weir-named-file-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let place = |name: &str| folder.join(name);
        std::fs::write(place("file"), "text").unwrap();
        std::os::unix::fs::symlink(place("file"), place("link")).unwrap();
        assert!(Command::new("mkfifo").arg(place("pipe")).status().unwrap().success());
        std::os::unix::fs::symlink(place("pipe"), place("link-to-pipe")).unwrap();
        let _listener = UnixListener::bind(place("socket")).unwrap();
        let cases = [
            (place("file"), Ok("text")),
            (place("link"), Ok("text")),
            (EMPTY.into(), Ok("")),
            (place("pipe"), Err("it is a named pipe")),
            (place("link-to-pipe"), Err("it is a named pipe")),
            (place("socket"), Err("it is a socket")),
            ("/dev/zero".into(), Err("it is a device")),
            (folder.clone(), Err("is a directory")),
        ];
        for (path, expected) in cases {
            let found = read(&path, Pipes::Refuse, 100).map_err(|error| error.to_string());
            let found =
                found.as_ref().map(|bytes| std::str::from_utf8(bytes).unwrap()).map_err(String::as_str);
            assert_eq!(found, expected, "{}", path.display());
        }
        let endless = read(Path::new("/dev/zero"), Pipes::Read, 100).unwrap_err();
        assert_eq!(endless.to_string(), "it is longer than 100 bytes");
        assert_eq!(
            read(&place("file"), Pipes::Refuse, 3).unwrap_err().to_string(),
            "it is longer than 3 bytes"
        );
        assert!(
            read(&place("nothing"), Pipes::Refuse, 3).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
