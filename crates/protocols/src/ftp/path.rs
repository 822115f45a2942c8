//! Names of files and folders in commands and replies, as Zeek's log shows them.

use std::net::IpAddr;

/// A name below a folder, unless it begins at the root.
pub fn below(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"/") {
        return name.to_vec();
    }
    let separator: &[u8] = if folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, separator, name].concat()
}

/// A path without empty parts and those that `..` takes back; a `.` at its beginning stays.
fn compressed(path: &[u8]) -> Vec<u8> {
    let is_rooted = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for (index, part) in path.split(|byte| *byte == b'/').enumerate() {
        match part {
            b"" => {}
            b"." if index > 0 => {}
            b".." if parts.last().is_some_and(|last| !matches!(*last, b"." | b"..")) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join(&b'/');
    if is_rooted { [b"/", joined.as_slice()].concat() } else { joined }
}

/// The address of a file at a server.
pub fn url(server: IpAddr, folder: &[u8], name: &[u8]) -> Vec<u8> {
    let path = compressed(&below(folder, name));
    let host = match server {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    let separator: &[u8] = if path.starts_with(b"/") { b"" } else { b"/" };
    [b"ftp://", host.as_bytes(), separator, &path].concat()
}

/// Returns the text between the first two quotes.
pub fn quoted(text: &[u8]) -> Option<&[u8]> {
    let mut parts = text.split(|byte| *byte == b'"').skip(1);
    let inner = parts.next()?;
    parts.next().map(|_| inner)
}

/// The last number in a text.
pub fn last_number(text: &[u8]) -> Option<u64> {
    let digits = text.split(|byte| !byte.is_ascii_digit()).rfind(|digits| !digits.is_empty())?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let cases = [
            (".", "robots.txt", "ftp://10.0.0.1/./robots.txt"),
            ("/", "a.exe", "ftp://10.0.0.1/a.exe"),
            ("/a/b", "c", "ftp://10.0.0.1/a/b/c"),
            ("/a/b/..", "c", "ftp://10.0.0.1/a/c"),
            ("/a", "/b//c/", "ftp://10.0.0.1/b/c"),
            (".", "", "ftp://10.0.0.1/."),
        ];
        for (folder, name, expected) in cases {
            let found = url([10, 0, 0, 1].into(), folder.as_bytes(), name.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), expected, "{folder} {name}");
        }
        assert_eq!(url("2001:db8::1".parse().unwrap(), b"/", b"a"), b"ftp://[2001:db8::1]/a");
    }

    #[test]
    fn parts_of_replies() {
        assert_eq!(quoted(b"\"/home\" is current"), Some(&b"/home"[..]));
        assert_eq!(quoted(b"\"/home"), None);
        assert_eq!(last_number(b"for a1.txt (1164 bytes)."), Some(1164));
        assert_eq!(last_number(b"none"), None);
    }
}
