//! Datagrams to the ports of tunnels that are none, by the checks of Zeek's packet analyzers.

use weir_base::Reader;
use weir_packet::Origin;

/// A datagram that a tunnel's analyzer does not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Violation {
    pub(crate) analyzer: &'static str,
    pub(crate) reason: &'static str,
    /// Each datagram is told of, not the first alone, after which the analyzer is gone.
    pub(crate) repeats: bool,
}

impl Violation {
    const fn once(analyzer: &'static str, reason: &'static str) -> Self {
        Self { analyzer, reason, repeats: false }
    }
}

/// Looks at a datagram to `port` in which no tunnel was found.
pub(crate) fn look(port: u16, payload: &[u8], origin: Origin) -> Option<Violation> {
    match port {
        2123 | 2152 => {
            gtp(payload, origin).map(|reason| Violation { analyzer: "GTPV1", reason, repeats: true })
        }
        3544 => teredo(payload).map(|reason| Violation::once("TEREDO", reason)),
        4789 => vxlan(payload).map(|reason| Violation::once("VXLAN", reason)),
        5072 => ayiya(payload).map(|reason| Violation::once("AYIYA", reason)),
        6081 => geneve(payload).map(|reason| Violation::once("Geneve", reason)),
        _ => None,
    }
}

/// GTP version 1 (3GPP TS 29.060, 6). GTP' and messages other than user data are not looked into.
fn gtp(payload: &[u8], origin: Origin) -> Option<&'static str> {
    const SHORT: &str = "the header is cut off";
    let (Some(&[flags, kind, ..]), Some(mut rest)) = (payload.first_chunk::<8>(), payload.get(8..)) else {
        return Some(SHORT);
    };
    if flags & 0x07 != 0 {
        let Some((&[_, _, _, mut next], after)) = rest.split_first_chunk::<4>() else { return Some(SHORT) };
        rest = after;
        while flags & 0x04 != 0 && next != 0 {
            let length = rest.first().map_or(0, |&units| usize::from(units) * 4);
            let Some((extension, after)) = rest.split_at_checked(length).filter(|_| length > 0) else {
                return Some(SHORT);
            };
            next = extension.last().copied().unwrap_or_default();
            rest = after;
        }
    }
    // Of the tunnels without a name of their own, this one alone has datagrams of GTP inside.
    if origin == Origin::OtherTunnel {
        return Some("GTP-in-GTP");
    }
    if flags >> 5 != 1 {
        return Some("GTPv1 bad Version");
    }
    if flags & 0x10 == 0 || kind != 0xff {
        return None;
    }
    match rest {
        packet if packet.len() < 20 => Some("Truncated GTPv1"),
        [first, ..] if !matches!(first >> 4, 4 | 6) => Some("non-IP packet in GTPv1"),
        _ => Some("GTPv1 payload length"),
    }
}

/// Teredo (RFC 4380, 5.1).
fn teredo(payload: &[u8]) -> Option<&'static str> {
    const BAD: Option<&str> = Some("Bad Teredo encapsulation");
    let (mut rest, mut origin, mut authentication) = (payload, false, false);
    loop {
        let after = match *rest {
            [0, 0, ..] if !origin => {
                origin = true;
                rest.get(8..)
            }
            [0, 1, id, value, ..] if !origin && !authentication => {
                authentication = true;
                rest.get(13 + usize::from(id) + usize::from(value)..)
            }
            [first, ..] if first >> 4 == 6 && rest.len() >= 40 => break,
            _ => None,
        };
        match after {
            Some(after) => rest = after,
            None => return BAD,
        }
    }
    let above = Reader::new(rest.get(4..)?).u16()?;
    let stated = usize::from(above) + 40;
    match rest.len() {
        length if length < stated => Some("Truncated Teredo or invalid inner IP version"),
        length if length > stated => Some("Teredo payload length"),
        _ => None,
    }
}

/// VXLAN (RFC 7348, 5).
fn vxlan(payload: &[u8]) -> Option<&'static str> {
    match payload.first_chunk::<8>() {
        None => Some("VXLAN header truncation"),
        Some(&[flags, ..]) => (flags & 0x08 == 0).then_some("VXLAN 'I' flag not set"),
    }
}

/// AYIYA (draft-massar-v6ops-ayiya).
fn ayiya(payload: &[u8]) -> Option<&'static str> {
    let length = payload.first_chunk::<8>().map(|&[identity, signature, ..]| {
        // The length of the identity is a byte to Zeek.
        8 + usize::from(1u8.checked_shl(u32::from(identity >> 4)).unwrap_or_default())
            + usize::from(signature >> 4) * 4
    });
    length.is_none_or(|length| length > payload.len()).then_some("Truncated AYIYA")
}

/// Geneve (RFC 8926, 3.4). Another version is no violation.
fn geneve(payload: &[u8]) -> Option<&'static str> {
    match payload.first_chunk::<8>() {
        None => Some("Geneve header truncation"),
        Some(&[first, ..]) => {
            let length = 8 + usize::from(first & 0x3f) * 4;
            (first >> 6 == 0 && length > payload.len()).then_some("Geneve option header truncation")
        }
    }
}

/// Returns the version of a datagram of GENEVE to `port`, if that is another than there is (RFC 8926 3.4).
pub(crate) fn other_geneve(port: u16, payload: &[u8]) -> Option<u8> {
    let version = payload.first_chunk::<8>()?.first()? >> 6;
    (port == 6081 && version != 0).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_that_are_no_tunnels() {
        const IPV6: [u8; 40] = {
            let mut header = [0; 40];
            header[0] = 0x60;
            header
        };
        let joined = |parts: &[&[u8]]| parts.concat();
        let gtp = |flags: u8, kind: u8, rest: &[u8]| joined(&[&[flags, kind, 0, 0, 0, 0, 0, 0], rest]);
        let cases: Vec<(&str, u16, Vec<u8>, Option<&str>)> = vec![
            ("no tunnel's port", 53, Vec::new(), None),
            ("GTP, short", 2152, vec![0x30; 7], Some("the header is cut off")),
            ("GTP, other version", 2123, gtp(0x48, 1, &[]), Some("GTPv1 bad Version")),
            ("GTP'", 2152, gtp(0x20, 1, &[]), None),
            ("GTP, echo", 2152, gtp(0x30, 1, &[]), None),
            ("GTP, data without a packet", 2152, gtp(0x30, 0xff, &[0x45; 19]), Some("Truncated GTPv1")),
            ("GTP, data of another kind", 2152, gtp(0x30, 0xff, &[0; 20]), Some("non-IP packet in GTPv1")),
            ("GTP, fields cut off", 2152, gtp(0x32, 0xff, &[0; 3]), Some("the header is cut off")),
            ("GTP, empty extension", 2152, gtp(0x34, 1, &[0, 0, 0, 1, 0]), Some("the header is cut off")),
            ("Teredo, nothing", 3544, vec![0], Some("Bad Teredo encapsulation")),
            ("Teredo, twice an origin", 3544, vec![0; 60], Some("Bad Teredo encapsulation")),
            ("Teredo, more behind", 3544, joined(&[&[0; 8], &IPV6, &[1]]), Some("Teredo payload length")),
            ("Teredo, bubble", 3544, joined(&[&[0, 1, 0, 0], &[0; 9], &IPV6]), None),
            ("VXLAN, short", 4789, vec![8; 7], Some("VXLAN header truncation")),
            ("VXLAN, no network", 4789, vec![0; 8], Some("VXLAN 'I' flag not set")),
            ("VXLAN, empty", 4789, vec![8; 8], None),
            ("AYIYA, cut off", 5072, vec![0x44, 0x52, 0x11, 0x29, 0, 0, 0, 0, 1], Some("Truncated AYIYA")),
            (
                "AYIYA, its signature cut off",
                5072,
                vec![0, 0x50, 0, 0, 0, 0, 0, 0, 0],
                Some("Truncated AYIYA"),
            ),
            ("AYIYA, other operation", 5072, vec![0; 9], None),
            ("Geneve, short", 6081, vec![0; 7], Some("Geneve header truncation")),
            ("Geneve, options cut off", 6081, vec![1; 8], Some("Geneve option header truncation")),
            ("Geneve, other version", 6081, vec![0x41; 8], None),
        ];
        for (name, port, payload, expected) in cases {
            let found = look(port, &payload, Origin::Wire);
            assert_eq!(found.map(|found| found.reason), expected, "{name}");
            assert!(found.is_none_or(|found| found.repeats == matches!(port, 2123 | 2152)), "{name}");
        }
        let inside = look(2152, &gtp(0x30, 1, &[]), Origin::OtherTunnel);
        assert_eq!(inside.map(|found| found.reason), Some("GTP-in-GTP"));
    }

    #[test]
    fn other_versions_of_geneve() {
        for (port, payload, expected) in [
            (6081, &b"\x40\0\x65\x58\0\0\x01\0"[..], Some(1)),
            (6081, b"\xc0\0\x65\x58\0\0\x01", None),
            (6081, b"\0\0\x65\x58\0\0\x01\0", None),
            (6082, b"\x40\0\x65\x58\0\0\x01\0", None),
        ] {
            assert_eq!(other_geneve(port, payload), expected, "{port} {payload:?}");
        }
    }
}
