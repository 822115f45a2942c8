//! Names of numbers.

/// Kinds of messages as EVE records write them (RFC 2132 9.6).
const KINDS: &[&str] = &["discover", "offer", "request", "decline", "ack", "nak", "release", "inform"];

/// Kinds of messages, those of later RFCs too, as Zeek's logs write them.
const ZEEK_KINDS: &[&str] = &[
    "DISCOVER",
    "OFFER",
    "REQUEST",
    "DECLINE",
    "ACK",
    "NAK",
    "RELEASE",
    "INFORM",
    "FORCERENEW",
    "LEASEQUERY",
    "LEASEUNASSIGNED",
    "LEASEUNKNOWN",
    "LEASEACTIVE",
    "BULKLEASEQUERY",
    "LEASEQUERYDONE",
    "ACTIVELEASEQUERY",
    "LEASEQUERYSTATUS",
    "TLS",
];

/// The name of a kind of message, as EVE records write it.
pub fn kind(number: u8) -> &'static str {
    by_number(KINDS, number).unwrap_or("unknown")
}

/// The name of a kind of message, as Zeek's logs write it.
pub fn zeek_kind(number: u8) -> String {
    by_number(ZEEK_KINDS, number).map_or_else(|| format!("UNKNOWN-{number}"), str::to_owned)
}

/// Names from one on.
fn by_number(names: &[&'static str], number: u8) -> Option<&'static str> {
    names.get(usize::from(number).checked_sub(1)?).copied()
}

/// Returns the name of an option in a parameter request list, where it has one.
pub const fn parameter(code: u8) -> Option<&'static str> {
    Some(match code {
        1 => "subnet_mask",
        3 => "router",
        6 => "dns_server",
        15 => "domain",
        35 => "arp_timeout",
        42 => "ntp_server",
        66 => "tftp_server_name",
        150 => "tftp_server_ip",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!([0, 1, 8, 9].map(kind), ["unknown", "discover", "inform", "unknown"]);
        assert_eq!([0, 5, 18, 19].map(zeek_kind), ["UNKNOWN-0", "ACK", "TLS", "UNKNOWN-19"]);
        assert_eq!([3, 4].map(parameter), [Some("router"), None]);
    }
}
