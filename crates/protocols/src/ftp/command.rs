//! The commands of FTP.

use std::sync::LazyLock;

/// A command by its name, in capitals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Command(&'static str);

/// Where data goes that a client asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The server connects to the client.
    Active,
    /// The client connects to the server.
    Passive,
}

impl Mode {
    /// Its name in records and rules.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Active => "active",
            Mode::Passive => "passive",
        }
    }
}

/// Names, those first that others begin with a part of.
const NAMES: &[&str] = &[
    "AUTH TLS", "AUTH SSL", "PORT", "EPRT", "PASV", "EPSV", "RETR", "STOR", "ABOR", "ACCT", "ALLO", "APPE",
    "CDUP", "CHMOD", "CWD", "DELE", "FEAT", "HELP", "IDLE", "LIST", "MAIL", "MDTM", "MKD", "MLFL", "MLSD",
    "MLST", "MODE", "MRCP", "MRSQ", "MSAM", "MSND", "MSOM", "NLST", "NOOP", "OPTS", "PASS", "PBSZ", "PROT",
    "PWD", "QUIT", "REIN", "REST", "RMD", "RNFR", "RNTO", "SITE", "SIZE", "SMNT", "STAT", "STOR", "STOU",
    "STRU", "SYST", "TYPE", "UMASK", "USER", "XCUP", "XCWD", "XMKD", "XPWD", "XRMD",
];

/// Those of them that rules and EVE records have no name for.
const UNNAMED: &[&str] =
    &["AUTH TLS", "AUTH SSL", "FEAT", "MLST", "OPTS", "PBSZ", "PROT", "XCUP", "XCWD", "XMKD", "XPWD", "XRMD"];

/// Letters of the shortest name.
const SHORTEST: usize = 3;

/// For each letter that names begin with, a bit for each second letter.
static PAIRS: LazyLock<[u32; 26]> = LazyLock::new(|| {
    let mut pairs = [0; 26];
    for name in NAMES {
        if let [first, second, ..] = name.as_bytes()
            && let Some(seconds) = pairs.get_mut(usize::from(first - b'A'))
        {
            *seconds |= 1 << (second - b'A');
        }
    }
    pairs
});

/// Whether a name may begin with these two letters.
fn begins_name(pair: &[u8]) -> bool {
    let [first, second] = [0, 1]
        .map(|index| pair.get(index).map_or(u8::MAX, |byte| byte.to_ascii_uppercase().wrapping_sub(b'A')));
    second < 26 && PAIRS.get(usize::from(first)).is_some_and(|pairs| pairs >> second & 1 != 0)
}

fn begins_with(line: &[u8], name: &str) -> bool {
    line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
}

impl Command {
    /// The command that a line begins with, and its argument.
    pub fn read(line: &[u8]) -> Option<(Self, &[u8])> {
        let found = NAMES.iter().find(|name| {
            begins_with(line, name) && line.get(name.len()).is_none_or(u8::is_ascii_whitespace)
        })?;
        Some((Self(found), line.get(found.len() + 1..).unwrap_or_default()))
    }

    /// Finds the command of a line as rules and records do: the one that they have a name for whose name ends first
    /// within it, wherever that is. Its argument is what stands behind as many bytes of the line and a blank.
    pub fn find(line: &[u8]) -> Option<(Self, &[u8])> {
        let mut found: Option<(usize, &'static str)> = None;
        for (start, pair) in line.windows(2).enumerate() {
            // Names have three letters or more.
            if found.is_some_and(|(end, _)| start + SHORTEST > end) {
                break;
            }
            if !begins_name(pair) {
                continue;
            }
            let rest = line.get(start..).unwrap_or_default();
            let names = NAMES.iter().filter(|name| !UNNAMED.contains(name));
            for name in names.filter(|name| begins_with(rest, name)) {
                let end = start + name.len();
                if found.is_none_or(|(first, _)| end < first) {
                    found = Some((end, name));
                }
            }
        }
        let (_, name) = found?;
        Some((Self(name), line.get(name.len() + 1..).unwrap_or_default()))
    }

    /// Whether rules and EVE records name it.
    pub fn is_named(self) -> bool {
        !UNNAMED.contains(&self.0)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Returns the mode of the data connection that it agrees on.
    pub fn mode(self) -> Option<Mode> {
        match self.0 {
            "PORT" | "EPRT" => Some(Mode::Active),
            "PASV" | "EPSV" => Some(Mode::Passive),
            _ => None,
        }
    }

    /// Whether it asks for encryption.
    pub fn is_auth(self) -> bool {
        matches!(self.0, "AUTH TLS" | "AUTH SSL")
    }

    /// Whether a file goes over a connection of its own.
    pub fn sends_file(self) -> bool {
        matches!(self.0, "RETR" | "STOR" | "APPE" | "STOU")
    }

    /// Whether its argument names a file or a folder, or is about one, as Zeek sees it.
    pub fn is_about_file(self) -> bool {
        const OTHERS: &[&str] = &["CWD", "DELE", "MDTM", "MKD", "REST", "RMD", "RNFR", "RNTO", "SIZE"];
        self.sends_file() || OTHERS.contains(&self.0)
    }

    /// Whether something goes over a connection of its own.
    pub fn sends_data(self) -> bool {
        self.sends_file() || matches!(self.0, "LIST" | "NLST" | "MLSD")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_within_lines() {
        let cases: &[(&str, Option<(&str, &str)>)] = &[
            ("USER bob", Some(("USER", "bob"))),
            ("users bob", Some(("USER", " bob"))),
            ("    QUIT      quitting", Some(("QUIT", "UIT      quitting"))),
            ("XPWD", Some(("PWD", ""))),
            ("OPTS MLST type;size;", Some(("TYPE", "MLST type;size;"))),
            ("SITE CHMOD 1", Some(("SITE", "CHMOD 1"))),
            ("NICK acwd", Some(("CWD", " acwd"))),
            ("MLSD /a", Some(("MLSD", "/a"))),
            ("FEAT", None),
            ("AUTH TLS", None),
            ("PW", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let found = Command::find(line.as_bytes());
            let found =
                found.map(|(command, argument)| (command.name(), std::str::from_utf8(argument).unwrap()));
            assert_eq!(found, *expected, "{line}");
        }
    }

    #[test]
    fn lines() {
        type Case<'a> = (&'a str, Option<(&'a str, &'a str)>);
        let cases: &[Case<'_>] = &[
            ("USER bob", Some(("USER", "bob"))),
            ("user bob b", Some(("USER", "bob b"))),
            ("PASV", Some(("PASV", ""))),
            ("AUTH TLS", Some(("AUTH TLS", ""))),
            ("USERS bob", None),
            ("RETR  a", Some(("RETR", " a"))),
            ("XYZ", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let found = Command::read(line.as_bytes());
            let found =
                found.map(|(command, argument)| (command.name(), std::str::from_utf8(argument).unwrap()));
            assert_eq!(found, *expected, "{line}");
        }
    }
}
