//! Names of numbers.

/// Kinds of PDUs by name (RFC 1157 4, RFC 3416 3).
pub const PDU_TYPES: &[(&str, u64)] = &[
    ("get_request", 0),
    ("get_next_request", 1),
    ("response", 2),
    ("set_request", 3),
    ("trap_v1", 4),
    ("get_bulk_request", 5),
    ("inform_request", 6),
    ("trap_v2", 7),
    ("report", 8),
];

/// Kinds of traps of version 1 by name (RFC 1157 4.1.6).
pub const TRAP_TYPES: &[(&str, u64)] = &[
    ("coldstart", 0),
    ("warmstart", 1),
    ("linkdown", 2),
    ("linkup", 3),
    ("authenticationfailure", 4),
    ("egpneighborloss", 5),
    ("enterprisespecific", 6),
];

/// Kinds of traps as records write them, by number.
const TRAPS: &[&str] = &[
    "coldStart",
    "warmStart",
    "linkDown",
    "linkUp",
    "authenticationFailure",
    "egpNeighborLoss",
    "enterpriseSpecific",
];

/// Error statuses, by number (RFC 3416 3).
const ERRORS: &[&str] = &[
    "NoError",
    "TooBig",
    "NoSuchName",
    "BadValue",
    "ReadOnly",
    "GenErr",
    "NoAccess",
    "WrongType",
    "WrongLength",
    "WrongEncoding",
    "WrongValue",
    "NoCreation",
    "InconsistentValue",
    "ResourceUnavailable",
    "CommitFailed",
    "UndoFailed",
    "AuthorizationError",
    "NotWritable",
    "InconsistentName",
];

/// The kind of a PDU, as records write it.
pub fn pdu_type(kind: u8) -> &'static str {
    PDU_TYPES.get(usize::from(kind)).map_or("unknown", |(name, _)| name)
}

/// The kind of a trap, as records write it.
pub fn trap_type(kind: u8) -> String {
    named("TrapType", TRAPS, u32::from(kind))
}

/// Returns the name of an error status for records.
pub fn error(number: u32) -> String {
    named("ErrorStatus", ERRORS, number)
}

fn named(of: &str, names: &[&str], number: u32) -> String {
    let name = usize::try_from(number).ok().and_then(|index| names.get(index));
    name.map_or_else(|| format!("{of}({number} / 0x{number:x})"), |name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (index, (name, number)) in PDU_TYPES.iter().enumerate() {
            assert_eq!((index as u64, pdu_type(index as u8)), (*number, *name));
        }
        assert_eq!((trap_type(3), trap_type(9)), ("linkUp".into(), "TrapType(9 / 0x9)".into()));
        assert_eq!((error(2), error(255)), ("NoSuchName".into(), "ErrorStatus(255 / 0xff)".into()));
    }
}
