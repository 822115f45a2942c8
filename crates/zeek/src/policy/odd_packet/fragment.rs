//! Weirds of fragments.

use weir_packet::defrag::Misfit;
use weir_packet::{Ip, Packet};

use super::Oddity;

/// Length of IPv6's fragment header (RFC 8200 4.5).
const FRAGMENT_HEADER: usize = 8;

/// Shortest packet that is to be a fragment others follow.
const MIN_FRAGMENT: usize = 64;

/// Most bytes that a length states.
const MAX_STATED: usize = 0xffff;

/// Where the last fragment is to end at most.
const MAX_FRAGMENT_END: usize = 64_000;

/// Reports the weirds of a fragment, which has `misfit` with those before it.
pub(crate) fn look_at_fragment(packet: &Packet<'_>, misfit: Misfit, tell: &mut dyn FnMut(Oddity)) {
    let Some(ip) = packet.ip.as_ref() else { return };
    // Bytes of the whole's headers that its length counts.
    let (forbidden, more, length, end, counted) = match ip {
        Ip::V4(v4) => {
            let above = usize::from(v4.total_length).saturating_sub(v4.header.len());
            let end = usize::from(v4.fragment_offset) + above;
            let header = v4.header.len();
            (v4.dont_fragment, v4.more_fragments, usize::from(v4.total_length), end, header)
        }
        Ip::V6(v6) => {
            let Some(fragment) = v6.fragment else { return };
            let end = usize::from(fragment.offset) + v6.payload.len();
            let extensions = v6.extensions.len().saturating_sub(FRAGMENT_HEADER);
            (false, fragment.more, usize::from(v6.payload_length) + v6.header.len(), end, extensions)
        }
    };
    let hosts = Some((ip.source(), ip.destination()));
    for (name, is_odd) in [
        ("fragment_with_DF", forbidden),
        ("excessively_small_fragment", more && length < MIN_FRAGMENT),
        ("excessively_large_fragment", end > MAX_FRAGMENT_END),
        ("fragment_size_inconsistency", misfit.size),
        ("fragment_overlap", misfit.overlaps && !misfit.differs),
        ("fragment_inconsistency", misfit.differs),
    ] {
        if is_odd {
            tell(Oddity { hosts, ..Oddity::plain(name) });
        }
    }
    // What is too long to be stated is stated shorter, by Zeek, than its headers are.
    let is_too_long = !more && counted + end > MAX_STATED;
    if is_too_long && ((counted + end) & MAX_STATED) < counted {
        tell(Oddity { hosts, ..Oddity::of("invalid_IP_header_size", "IP") });
    }
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::{Decoder, DecoderSettings, LinkType, PacketList, RawPacket};
    use weir_testkit::Frame;

    use super::*;

    #[test]
    fn oddities_of_fragments() {
        let packet = |payload: usize| {
            let payload = vec![7; payload];
            Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ip_id(1).udp(1, 2).payload(&payload).build()
        };
        let with = |bytes: &[u8], at: usize, value: &[u8]| {
            let mut bytes = bytes.to_vec();
            bytes[at..at + value.len()].copy_from_slice(value);
            bytes
        };
        let sound = weir_testkit::fragment_ipv4(&packet(400), 200);
        let small = weir_testkit::fragment_ipv4(&packet(100), 40);
        let v6 = Frame::bare().ipv6("::1", "::2").udp(1, 2).payload([7; 400]).build();
        let v6 = weir_testkit::fragment_ipv6(&v6, 200, 9);
        let misfit = |overlaps, differs, size| Misfit { overlaps, differs, size };
        let fits = Misfit::default();
        type Case<'a> = (&'a str, Vec<u8>, Misfit, &'a [&'a str]);
        let cases: Vec<Case<'_>> = vec![
            ("sound", sound[0].clone(), fits, &[]),
            ("sound", v6[0].clone(), fits, &[]),
            ("not to be cut", with(&sound[0], 6, &[0x60, 0]), fits, &["fragment_with_DF"]),
            ("small", small[0].clone(), fits, &["excessively_small_fragment"]),
            ("a small last one", small[small.len() - 1].clone(), fits, &[]),
            ("far", with(&sound[1], 6, &[0x1f, 0xf0]), fits, &["excessively_large_fragment"]),
            (
                "too long for its length to be stated",
                with(&small[small.len() - 1], 6, &[0x1f, 0xfc]),
                fits,
                &["excessively_large_fragment", "invalid_IP_header_size"],
            ),
            ("again", sound[1].clone(), misfit(true, false, false), &["fragment_overlap"]),
            ("otherwise", sound[1].clone(), misfit(true, true, false), &["fragment_inconsistency"]),
            ("longer", sound[1].clone(), misfit(false, false, true), &["fragment_size_inconsistency"]),
        ];
        for (what, bytes, misfit, expected) in cases {
            let raw = RawPacket {
                number: 1,
                time: Timestamp(1),
                link: LinkType::RAW,
                wire_length: bytes.len() as u32,
                interface: 0,
                bytes: &bytes,
            };
            let mut list = PacketList::new();
            Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
            let mut found = Vec::new();
            look_at_fragment(list.outer().unwrap(), misfit, &mut |oddity| {
                assert!(oddity.hosts.is_some(), "{what}");
                assert_eq!(oddity.source.is_some(), oddity.name == "invalid_IP_header_size", "{what}");
                found.push(oddity.name);
            });
            assert_eq!(found, expected, "{what}");
        }
    }
}
