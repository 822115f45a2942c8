//! Protocols that speak DNS messages elsewhere: multicast DNS (RFC 6762), LLMNR (RFC 4795) and the
//! NetBIOS name service (RFC 1002). They are read for Zeek's dns log; rules and EVE records have multicast
//! DNS as a protocol of its own, and know nothing of the others.

use weir_applayer::protocol::NO_EVE_NAME;
use weir_applayer::{Factory, Options, Probe, Protocol, Transport};
use weir_base::Direction;

use super::{DNS, mdns, parser, probe, zeek};

/// Differences between the protocols.
#[derive(Debug)]
pub struct Flavour {
    /// The protocol.
    pub protocol: &'static Protocol,
    /// Questions and responses both go to a group, so that direction says nothing.
    pub is_multicast: bool,
}

/// DNS itself.
pub static UNICAST: Flavour = Flavour { protocol: &DNS, is_multicast: false };

static MULTICAST: Flavour = Flavour { protocol: &MDNS, is_multicast: true };
static LINK_LOCAL: Flavour = Flavour { protocol: &LLMNR, is_multicast: false };
static NETBIOS: Flavour = Flavour { protocol: &NETBIOS_NAME_SERVICE, is_multicast: false };

const fn protocol(
    name: &'static str,
    ports: &'static [u16],
    configure: fn(&dyn Options) -> Box<dyn Factory>,
) -> Protocol {
    Protocol {
        eve_name: NO_EVE_NAME,
        zeek_service: "dns",
        transports: &[Transport::Udp],
        ports,
        probe: Some(probe::probe),
        frames: parser::FRAMES,
        anomalies: super::transaction::DnsAnomaly::NAMES,
        zeek: Some(&zeek::LOGS),
        ..Protocol::named(name, configure)
    }
}

/// Multicast DNS.
pub static MDNS: Protocol = Protocol {
    eve_name: "mdns",
    probe: Some(probe_multicast),
    fields: mdns::FIELDS,
    eve: Some(&mdns::EVE),
    ..protocol("mdns", &[5353], |options| parser::configure(&MULTICAST, options))
};

/// Link-local multicast name resolution.
pub static LLMNR: Protocol = protocol("llmnr", &[5355], |options| parser::configure(&LINK_LOCAL, options));

/// The NetBIOS name service.
pub static NETBIOS_NAME_SERVICE: Protocol =
    protocol("nbns", &[137], |options| parser::configure(&NETBIOS, options));

fn probe_multicast(transport: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    match probe::probe(transport, direction, bytes) {
        Probe::Reversed => Probe::Yes,
        verdict => verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::tests::build;
    use super::*;

    #[test]
    fn a_group_may_be_answered_in_the_direction_it_was_asked_in() {
        let response = build(0, 0x8400, b"\x01a\x05local\0", 1, [&[], &[], &[]]);
        let cases =
            [(&MDNS, Probe::Yes), (&LLMNR, Probe::Reversed), (&NETBIOS_NAME_SERVICE, Probe::Reversed)];
        for (protocol, expected) in cases {
            let probe = protocol.probe.map(|probe| probe(Transport::Udp, Direction::ToServer, &response));
            assert_eq!(probe, Some(expected), "{protocol:?}");
        }
    }
}
