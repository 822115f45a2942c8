//! Names of procedures, statuses and credentials in records.

use std::borrow::Cow;

const PROCEDURES_2: &[&str] = &[
    "NULL",
    "GETATTR",
    "SETATTR",
    "ROOT",
    "LOOKUP",
    "READLINK",
    "READ",
    "WRITECACHE",
    "WRITE",
    "CREATE",
    "REMOVE",
    "RENAME",
    "LINK",
    "SYMLINK",
    "MKDIR",
    "RMDIR",
    "READDIR",
    "STATFS",
];

const PROCEDURES_3: &[&str] = &[
    "NULL",
    "GETATTR",
    "SETATTR",
    "LOOKUP",
    "ACCESS",
    "READLINK",
    "READ",
    "WRITE",
    "CREATE",
    "MKDIR",
    "SYMLINK",
    "MKNOD",
    "REMOVE",
    "RMDIR",
    "RENAME",
    "LINK",
    "READDIR",
    "READDIRPLUS",
    "FSSTAT",
    "FSINFO",
    "PATHCONF",
    "COMMIT",
];

/// The procedures of version 4, and the operations of its compounds, which have numbers that they have not.
const OPERATIONS_4: &[&str] = &[
    "NULL",
    "COMPOUND",
    "2",
    "ACCESS",
    "CLOSE",
    "COMMIT",
    "CREATE",
    "DELEGPURGE",
    "DELEGRETURN",
    "GETATTR",
    "GETFH",
    "LINK",
    "LOCK",
    "LOCKT",
    "LOCKU",
    "LOOKUP",
    "LOOKUPP",
    "NVERIFY",
    "OPEN",
    "OPENATTR",
    "OPEN_CONFIRM",
    "OPEN_DOWNGRADE",
    "PUTFH",
    "PUTPUBFH",
    "PUTROOTFH",
    "READ",
    "READDIR",
    "READLINK",
    "REMOVE",
    "RENAME",
    "RENEW",
    "RESTOREFH",
    "SAVEFH",
    "SECINFO",
    "SETATTR",
    "SETCLIENTID",
    "SETCLIENTID_CONFIRM",
    "VERIFY",
    "WRITE",
    "RELEASE_LOCKOWNER",
];

/// The statuses of version 3, RFC 1813 2.6, which has those of version 2.
const STATUSES: &[(u32, &str)] = &[
    (0, "OK"),
    (1, "ERR_PERM"),
    (2, "ERR_NOENT"),
    (5, "ERR_IO"),
    (6, "ERR_NXIO"),
    (13, "ERR_ACCES"),
    (17, "ERR_EXIST"),
    (18, "ERR_XDEV"),
    (19, "ERR_NODEV"),
    (20, "ERR_NOTDIR"),
    (21, "ERR_ISDIR"),
    (22, "ERR_INVAL"),
    (27, "ERR_FBIG"),
    (28, "ERR_NOSPC"),
    (30, "ERR_ROFS"),
    (31, "ERR_MLINK"),
    (63, "ERR_NAMETOOLONG"),
    (66, "ERR_NOTEMPTY"),
    (69, "ERR_DQUOT"),
    (70, "ERR_STALE"),
    (71, "ERR_REMOTE"),
    (10001, "ERR_BADHANDLE"),
    (10002, "ERR_NOT_SYNC"),
    (10003, "ERR_BAD_COOKIE"),
    (10004, "ERR_NOTSUPP"),
    (10005, "ERR_TOOSMALL"),
    (10006, "ERR_SERVERFAULT"),
    (10007, "ERR_BADTYPE"),
    (10008, "ERR_JUKEBOX"),
];

const CREDENTIALS: &[&str] = &["NULL", "UNIX", "SHORT", "DH", "KERB", "RSA", "GSS"];

fn listed(names: &[&'static str], number: u32) -> Cow<'static, str> {
    let name = usize::try_from(number).ok().and_then(|index| names.get(index));
    name.map_or_else(|| number.to_string().into(), |&name| name.into())
}

/// Returns the name of a procedure; its number where it has none.
pub fn procedure(version: u32, procedure: u32) -> Cow<'static, str> {
    let names = match version {
        2 => PROCEDURES_2,
        3 => PROCEDURES_3,
        _ => OPERATIONS_4,
    };
    listed(names, procedure)
}

/// Returns the name of a status.
pub fn status(status: u32) -> Cow<'static, str> {
    let name = STATUSES.iter().find(|(number, _)| *number == status);
    name.map_or_else(|| status.to_string().into(), |&(_, name)| name.into())
}

/// Whether a call was accepted.
pub fn rpc_status(status: u32) -> Cow<'static, str> {
    listed(&["ACCEPTED", "DENIED"], status)
}

/// Returns the name of a flavour of credentials.
pub fn credentials(flavor: u32) -> Cow<'static, str> {
    listed(CREDENTIALS, flavor)
}

/// Whether there are such credentials.
pub fn has_credentials(flavor: u32) -> bool {
    usize::try_from(flavor).is_ok_and(|index| index < CREDENTIALS.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn procedures() {
        for (version, number, expected) in [
            (2, 14, "MKDIR"),
            (2, 17, "STATFS"),
            (3, 14, "RENAME"),
            (3, 21, "COMMIT"),
            (3, 22, "22"),
            (4, 25, "READ"),
            (4, 39, "RELEASE_LOCKOWNER"),
            (4, 53, "53"),
        ] {
            assert_eq!(procedure(version, number), expected);
        }
    }

    #[test]
    fn statuses() {
        assert_eq!(
            [status(0), status(70), status(10008), status(3)],
            ["OK", "ERR_STALE", "ERR_JUKEBOX", "3"]
        );
        assert_eq!([credentials(6), credentials(7), rpc_status(1)], ["GSS", "7", "DENIED"]);
    }
}
