//! Protocols that speak DNS messages elsewhere: multicast DNS (RFC 6762), LLMNR (RFC 4795) and the
//! NetBIOS name service (RFC 1002). They are read for Zeek's dns log; rules and EVE records have multicast
//! DNS as a protocol of its own, and know nothing of the others.

use weir_applayer::{Factory, Options, Probe, Protocol, Transport};
use weir_base::{Direction, PerDirection};

use super::parser::DnsFactory;
use super::{DNS, mdns, probe, zeek};

/// What tells the protocols apart.
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

/// A protocol that EVE readers know no name of.
const EVE_NAME: &str = "failed";

const STATES: PerDirection<&[&str]> = PerDirection {
    to_server: &["request_started", "request_complete"],
    to_client: &["response_started", "response_complete"],
};

const fn protocol(
    name: &'static str,
    eve_name: &'static str,
    ports: &'static [u16],
    probe: fn(Transport, Direction, &[u8]) -> Probe,
    configure: fn(&dyn Options) -> Box<dyn Factory>,
) -> Protocol {
    Protocol {
        name,
        aliases: &[],
        eve_name,
        zeek_service: "dns",
        transports: &[Transport::Udp],
        ports,
        probe_any_port: false,
        hints: &[],
        probe: Some(probe),
        first_speaker: None,
        accepts_gaps: false,
        states: STATES,
        fields: &[],
        frames: super::parser::FRAMES,
        anomalies: super::transaction::ANOMALIES,
        configure,
        eve: None,
        zeek: Some(&zeek::LOGS),
        scripts: &[],
    }
}

/// Multicast DNS.
pub static MDNS: Protocol = Protocol {
    fields: mdns::FIELDS,
    eve: Some(&mdns::EVE),
    ..protocol("mdns", "mdns", &[5353], probe_multicast, |options| {
        Box::new(DnsFactory::new(&MULTICAST, options))
    })
};

/// Link-local multicast name resolution.
pub static LLMNR: Protocol = protocol("llmnr", EVE_NAME, &[5355], probe::probe, |options| {
    Box::new(DnsFactory::new(&LINK_LOCAL, options))
});

/// The NetBIOS name service.
pub static NETBIOS_NAME_SERVICE: Protocol =
    protocol("nbns", EVE_NAME, &[137], probe::probe, |options| Box::new(DnsFactory::new(&NETBIOS, options)));

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
