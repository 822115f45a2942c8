//! The file that a set begins with: a value on each line, with its reputation behind a comma or not.

use std::io::ErrorKind;
use std::path::Path;

use weir_base::{Pipes, Unreadable, named_file};

use super::{Addition, Dataset};

/// Longest file.
const MAX_FILE: u64 = 1 << 31;

/// Fills a set from a file.
pub(super) fn load(set: &Dataset, path: &Path) -> Result<(), String> {
    fill(set, &String::from_utf8_lossy(&read(path, MAX_FILE)?), path)
}

/// The bytes of a file that is not longer than this.
pub(super) fn read(path: &Path, longest: u64) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("fopen '{}' failed: {error}", path.display());
    named_file::read(path, Pipes::Refuse, longest).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => failed(&"the file is too long"),
        ErrorKind::InvalidInput | ErrorKind::IsADirectory => failed(&Unreadable::new(path, &error)),
        _ => failed(&error),
    })
}

fn fill(set: &Dataset, text: &str, path: &Path) -> Result<(), String> {
    let (mut plain, mut rated) = (false, false);
    for line in text.lines() {
        let line = line.trim_end_matches('\r');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (value, reputation) = match line.split_once(',') {
            None => {
                plain = true;
                (line, 0)
            }
            Some((value, number)) => {
                rated = true;
                let number = number.trim().parse::<u16>();
                let invalid = |_| format!("invalid datarep value {}/{}", set.name, path.display());
                (value, number.map_err(invalid)?)
            }
        };
        if plain && rated {
            return Err(format!(
                "Cannot mix dataset and datarep values for set {} in {}",
                set.name,
                path.display()
            ));
        }
        let bytes = set.kind.read(value).map_err(|what| format!("{what} {}/{}", set.name, path.display()))?;
        let added = set.add(&bytes, reputation);
        if added != Addition::New && set.find(&bytes).is_none() || set.is_full() {
            return Err("dataset too large for set memcap".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{DataKind, Description};
    use super::*;

    #[test]
    fn lines() {
        let cases = [
            ("YQ==\nYg==\n", Ok([Some(0), Some(0)])),
            ("# said\r\nYQ==,7\r\n", Ok([Some(7), None])),
            ("YQ==,7\nYg==\n", Err("Cannot mix dataset and datarep values for set s in f")),
            ("YQ==,-1\n", Err("invalid datarep value s/f")),
            ("Y;==\n", Err("bad base64 encoding s/f")),
        ];
        for (text, expected) in cases {
            let set = Dataset::new("s", DataKind::Text, 1 << 20, 1, &Description::default());
            let filled = fill(&set, text, Path::new("f")).map(|()| [set.find(b"a"), set.find(b"b")]);
            assert_eq!(filled, expected.map_err(str::to_owned), "{text}");
        }
    }
}
