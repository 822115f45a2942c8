//! Tunnels: what inner connections name as their parent, and the rows of `tunnel`.

pub(crate) mod parents;
pub(crate) mod settings;
pub(crate) mod violation;

use std::collections::HashMap;
use std::net::IpAddr;

use ahash::RandomState;
use smallvec::SmallVec;
use weir_applayer::{Endpoints, Transport, ZeekConnection};
use weir_base::event::TunnelState;
use weir_base::{Duration, Expiring, Timestamp};
use weir_packet::{FlowKey, LayerKind, Origin, Packet};

use crate::connection::{Connection, PacketView};
use crate::identifier::{self, Id};
use crate::rows::Rows;
use crate::seeded::SeededIds;
use crate::streams::{self, TunnelRow};

/// Most tunnels directly over IP that are remembered; those beyond have no uid, and their packets are counted.
const MAX_TUNNELS: usize = 65_536;

/// Time for which a tunnel without packets is remembered where there is no room for others.
const SILENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// Kind of encapsulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind {
    /// `tunnel_type`
    pub(crate) name: &'static str,
    /// The entry of the carrying connection's `service`; none where the tunnel lies directly over
    /// IP and has no connection.
    pub(crate) service: Option<&'static str>,
}

/// A tunnel that a packet lies in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    /// The id of what carries it.
    pub(crate) uid: Id,
    /// `tunnel_type`
    kind: &'static str,
    ends: [(IpAddr, u16); 2],
    protocol: u8,
}

/// Most tunnels that lie in each other; the decoder goes no deeper.
pub(crate) type Stack = SmallVec<[Within; 2]>;

impl Within {
    /// The tunnel of a connection.
    pub(crate) fn of(connection: &Connection, kind: &'static str) -> Self {
        let ends = [connection.originator(), connection.responder()];
        Self { uid: connection.uid, kind, ends, protocol: connection.protocol() }
    }

    /// The tunnel of a packet whose connection another worker follows.
    pub(crate) fn of_packet(outer: &Packet<'_>, kind: Kind, uid: Id) -> Option<Self> {
        let ends = match PacketView::of(outer).filter(|_| kind.service.is_some()) {
            Some(view) => [view.source, view.destination],
            None => [(outer.source()?, 0), (outer.destination()?, 0)],
        };
        Some(Self { uid, kind: kind.name, ends, protocol: outer.ip.as_ref()?.protocol() })
    }

    /// Returns it as scripts see it.
    pub(crate) fn state(&self) -> TunnelState {
        let Self { uid, kind, ends, protocol } = *self;
        TunnelState { uid: uid.as_bytes().into(), kind, ends, protocol }
    }
}

/// The tunnel between an inner packet and the one around it; none where that is not a tunnel.
pub(crate) fn kind(inner: &Packet<'_>, outer: &Packet<'_>) -> Option<Kind> {
    let over_udp = |name, service| Some(Kind { name, service: Some(service) });
    let over_ip = |name| Some(Kind { name, service: None });
    match inner.origin {
        Origin::Gre | Origin::Erspan => over_ip("Tunnel::GRE"),
        Origin::Ipv4Tunnel | Origin::Ipv6Tunnel => over_ip("Tunnel::IP"),
        Origin::Teredo => over_udp("Tunnel::TEREDO", "teredo"),
        Origin::Vxlan => over_udp("Tunnel::VXLAN", "vxlan"),
        Origin::Geneve => over_udp("Tunnel::GENEVE", "geneve"),
        Origin::OtherTunnel if outer.layers.last(LayerKind::Gtp).is_some() => {
            over_udp("Tunnel::GTPv1", "gtpv1")
        }
        Origin::OtherTunnel if outer.layers.last(LayerKind::Ayiya).is_some() => {
            over_udp("Tunnel::AYIYA", "ayiya")
        }
        _ => None,
    }
}

/// The service that a packet shows which carries others over UDP.
pub(crate) fn service(packet: &Packet<'_>) -> Option<&'static str> {
    SERVICES.iter().find(|(layer, _)| packet.layers.last(*layer).is_some()).map(|(_, name)| *name)
}

/// Returns the analyzer of a service that carries packets.
pub(crate) fn analyzer(service: &str) -> &'static str {
    match service {
        TEREDO => "TEREDO",
        "vxlan" => "VXLAN",
        "geneve" => "GENEVE",
        "gtpv1" => "GTPV1",
        _ => "AYIYA",
    }
}

/// Whether a Teredo packet without content has some after it.
pub(crate) fn is_bubble_with_payload(inner: &Packet<'_>, outer: &Packet<'_>) -> bool {
    let header = outer.layers.last(LayerKind::Teredo).map_or(0, |layer| layer.length as usize);
    inner.origin == Origin::Teredo && outer.payload.len() > header + inner.bytes.len()
}

const SERVICES: [(LayerKind, &str); 5] = [
    (LayerKind::Teredo, TEREDO),
    (LayerKind::Vxlan, "vxlan"),
    (LayerKind::Geneve, "geneve"),
    (LayerKind::Gtp, "gtpv1"),
    (LayerKind::Ayiya, "ayiya"),
];

/// The service that both ends are to show before it counts.
pub(crate) const TEREDO: &str = "teredo";

/// Tunnels directly over IP, by their ends.
#[derive(Debug, Default)]
pub(crate) struct IpTunnels {
    known: Expiring<(IpAddr, IpAddr), Within>,
}

impl IpTunnels {
    /// The tunnel that `outer` belongs to; a new one gets its row. None where there is no room for it.
    pub(crate) fn find(&mut self, outer: &Packet<'_>, kind: Kind, rows: &mut Rows<'_>) -> Option<Within> {
        let (source, destination) = (outer.source()?, outer.destination()?);
        let ends = if source <= destination { (source, destination) } else { (destination, source) };
        let now = rows.position.clock;
        if let Some((&known, over)) = self.known.get(&ends) {
            if over < now.plus(SILENCE / 2) {
                self.known.hold(ends, now.plus(SILENCE), || known);
            }
            return Some(known);
        }
        if self.known.len() >= MAX_TUNNELS {
            self.known.expire(now, |_| {});
        }
        if self.known.len() >= MAX_TUNNELS {
            return None;
        }
        let key = FlowKey::of(outer)?;
        let seeded = rows.plan.ids.as_ref().map(SeededIds::next);
        let uid = seeded
            .unwrap_or_else(|| identifier::of_number(b'C', weir_flow::FlowId::new(&key, outer.number).0));
        let endpoints = Endpoints {
            client: source,
            client_port: 0,
            server: destination,
            server_port: 0,
            transport: Transport::Udp,
        };
        let connection = ZeekConnection { endpoints: &endpoints, start: outer.time, uid: uid.as_bytes() };
        row(rows, &connection, outer.time, kind.name, "Tunnel::DISCOVER");
        let tunnel = Within::of_packet(outer, kind, uid)?;
        self.known.insert(ends, tunnel, now.plus(SILENCE));
        Some(tunnel)
    }
}

/// Most proxies that are remembered; beyond, all are forgotten.
const MAX_PROXIES: usize = 16_384;

/// Time for which a proxy without requests is remembered.
const PATIENCE: Duration = Duration::from_secs(3600);

/// The proxies that hosts use. All connections between them are one tunnel, which has a row once.
#[derive(Debug)]
pub(crate) struct Proxies {
    /// By client, server and its port; when they were last used.
    known: HashMap<(IpAddr, IpAddr, u16), Timestamp, RandomState>,
}

impl Default for Proxies {
    fn default() -> Self {
        Self { known: HashMap::with_hasher(weir_base::keyed_hash()) }
    }
}

impl Proxies {
    /// Whether a use of a proxy is the first one, or the first one in a long time.
    pub(crate) fn is_new(&mut self, ends: &Endpoints, now: Timestamp) -> bool {
        let key = (ends.client, ends.server, ends.server_port);
        if self.known.len() >= MAX_PROXIES && !self.known.contains_key(&key) {
            self.known.clear();
        }
        let before = self.known.insert(key, now);
        before.is_none_or(|last| now.since(last) > PATIENCE)
    }
}

/// A row of `tunnel`.
pub(crate) fn row(
    rows: &mut Rows<'_>,
    connection: &ZeekConnection<'_>,
    ts: Timestamp,
    name: &str,
    action: &str,
) {
    let row = TunnelRow { tunnel_type: name.into(), action: action.into() };
    rows.row(&streams::TUNNEL, Some(connection), ts, &row.values());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(client_port: u16, server_port: u16) -> Endpoints {
        let (client, server) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        Endpoints { client, client_port, server, server_port, transport: Transport::Tcp }
    }

    #[test]
    fn a_proxy_is_new_once_an_hour() {
        let mut proxies = Proxies::default();
        for (second, ends, expected) in [
            (0, ends(1024, 1080), true),
            (1, ends(1025, 1080), false),
            (1, ends(1025, 8080), true),
            (3600, ends(1026, 1080), false),
            (7201, ends(1027, 1080), true),
            (7201, ends(1028, 1080), false),
        ] {
            assert_eq!(proxies.is_new(&ends, Timestamp::new(second, 0)), expected, "{second}");
        }
    }

    #[test]
    fn proxies_are_bounded() {
        let mut proxies = Proxies::default();
        for port in 0..=u16::MAX {
            assert!(proxies.is_new(&ends(1, port), Timestamp::new(1, 0)));
            assert!(proxies.known.len() <= MAX_PROXIES);
        }
        assert!(!proxies.is_new(&ends(1, u16::MAX), Timestamp::new(2, 0)));
    }
}
