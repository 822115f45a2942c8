//! Zeek's dhcp log: a row for each exchange, which is known by its number.
//!
//! Broadcasts of clients and answers of servers are connections of their own, which several workers may follow:
//! the row is put together wherever all of them can ([`weir_applayer::zeek::JoinedRow`]). It is over
//! [`WATCHED`] after its first message.

use std::any::Any;
use std::net::{IpAddr, Ipv4Addr};

use weir_applayer::zeek::column::{Set, Vector};
use weir_applayer::zeek::{JoinedRow, News, Script, ZeekMembers};
use weir_applayer::{
    Endpoints, ZeekConnection, ZeekLogger, ZeekLogs, ZeekSink, ZeekStream, ZeekValue, zeek_stream,
};
use weir_base::{Direction, Duration, Reader, Timestamp, hex};

use super::events::EVENTS;
use super::message::{Message, REQUEST, code};
use super::names;
use super::transaction::DhcpTransaction;

zeek_stream! {
    static STREAM: "dhcp" of its own;
    struct Row {
        uids: Set<Text>,
        client_addr: Addr,
        server_addr: Addr,
        mac: Text,
        host_name: Text,
        client_fqdn: Text,
        domain: Text,
        requested_addr: Addr,
        assigned_addr: Addr,
        lease_time: Interval,
        client_message: Text,
        server_message: Text,
        msg_types: Vector<Text>,
        duration: Interval,
    }
    with static MORE {
        msg_orig: Vector<Addr> of MessageSenders,
        client_software: Text of DhcpSoftware,
        server_software: Text of DhcpSoftware,
        circuit_id: Text of RelayedOptions,
        agent_remote_id: Text of RelayedOptions,
        subscriber_id: Text of RelayedOptions,
    }
}

/// The log.
pub static LOGS: ZeekLogs = ZeekLogs {
    confirms: false,
    more: &MORE,
    events: Some(&EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::new(DhcpLogger))
};

/// Time for which messages of an exchange are waited for.
pub const WATCHED: Duration = Duration::from_secs(30);

/// Most messages of a row; another one begins with more.
pub const MAX_KINDS: usize = 50;

/// Most connections of a row; another one begins with more.
pub const MAX_CONNECTIONS: usize = 10;

/// Scripts that add columns.
const ADDING: [Script; 3] = [Script::MessageSenders, Script::DhcpSoftware, Script::RelayedOptions];

/// The port of servers.
const SERVERS: u16 = 67;

/// Tells of the messages of one connection.
struct DhcpLogger;

impl ZeekLogger for DhcpLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<DhcpTransaction>().filter(|_| news.complete) else { return };
        let Some(direction) = tx.meta.only else { return };
        let loaded = ADDING.into_iter().filter(|script| sink.has(*script)).collect();
        let exchange =
            Exchange::new(&tx.message, direction, tx.meta.first_seen[direction], sink.connection(), loaded);
        sink.join(&STREAM, tx.message.exchange.into(), Box::new(exchange));
    }
}

/// An exchange, as far as messages of it were seen.
#[derive(Debug)]
struct Exchange {
    start: Timestamp,
    last: Timestamp,
    connections: Vec<Vec<u8>>,
    kinds: Vec<String>,
    /// The senders of messages, in their order.
    senders: Vec<IpAddr>,
    told: Told,
    /// Scripts whose columns are logged.
    loaded: Vec<Script>,
}

/// Columns that messages fill.
#[derive(Debug, Default)]
struct Told {
    client: Option<IpAddr>,
    server: Option<IpAddr>,
    hardware: Option<Vec<u8>>,
    host_name: Option<Vec<u8>>,
    full_name: Option<Vec<u8>>,
    domain: Option<Vec<u8>>,
    requested: Option<Ipv4Addr>,
    assigned: Option<Ipv4Addr>,
    lease: Option<Duration>,
    client_text: Option<Vec<u8>>,
    server_text: Option<Vec<u8>>,
    /// Classes of vendors (RFC 2132, section 9.13).
    client_software: Option<Vec<u8>>,
    server_software: Option<Vec<u8>>,
    /// Circuit, remote end and subscriber, as a relay says.
    relayed: [Option<Vec<u8>>; 3],
}

impl Exchange {
    /// Of one message.
    fn new(
        message: &Message,
        direction: Direction,
        time: Timestamp,
        connection: ZeekConnection<'_>,
        loaded: Vec<Script>,
    ) -> Self {
        let is_request = message.operation == REQUEST;
        let sender = sender(is_request, direction, connection.endpoints);
        let mut told =
            if is_request { Told::by_client(message, sender) } else { Told::by_server(message, sender) };
        if loaded.contains(&Script::RelayedOptions) {
            told.relayed = relayed(message.option(code::RELAY_AGENT).unwrap_or_default());
        }
        Self {
            start: time,
            last: time,
            connections: vec![connection.uid.to_vec()],
            kinds: vec![names::zeek_kind(message.kind().unwrap_or_default())],
            senders: vec![sender],
            told,
            loaded,
        }
    }
}

impl JoinedRow for Exchange {
    fn join(&mut self, later: &dyn JoinedRow) -> bool {
        let Some(later) = later.as_any().downcast_ref::<Self>() else { return false };
        let new = later.connections.iter().filter(|uid| !self.connections.contains(uid)).count();
        if self.kinds.len() + later.kinds.len() > MAX_KINDS || self.connections.len() + new > MAX_CONNECTIONS
        {
            return false;
        }
        for uid in &later.connections {
            if !self.connections.contains(uid) {
                self.connections.push(uid.clone());
            }
        }
        self.kinds.extend_from_slice(&later.kinds);
        self.senders.extend_from_slice(&later.senders);
        self.last = self.last.max(later.last);
        self.told.add(&later.told);
        true
    }

    fn end(&self) -> Timestamp {
        self.start.plus(WATCHED)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn write(&self, write: &mut dyn FnMut(&'static ZeekStream, Timestamp, &[ZeekValue<'_>])) {
        let told = &self.told;
        let [circuit, remote, subscriber] = &told.relayed;
        let senders: ZeekMembers<'_> = self.senders.iter().map(|sender| ZeekValue::Addr(*sender)).collect();
        let (uids, kinds) = (ZeekValue::texts(&self.connections), ZeekValue::texts(&self.kinds));
        // The client has what it gets, where it was not seen to have any other.
        let client = told.client.or(told.assigned.map(IpAddr::V4));
        let row = Row {
            uids: Set::even_if_empty(&uids),
            client_addr: client.into(),
            server_addr: told.server.into(),
            mac: told.hardware.as_deref().into(),
            host_name: told.host_name.as_deref().into(),
            client_fqdn: told.full_name.as_deref().into(),
            domain: told.domain.as_deref().into(),
            requested_addr: told.requested.map(IpAddr::V4).into(),
            assigned_addr: told.assigned.map(IpAddr::V4).into(),
            lease_time: told.lease.into(),
            client_message: told.client_text.as_deref().into(),
            server_message: told.server_text.as_deref().into(),
            msg_types: Vector::even_if_empty(&kinds),
            duration: self.last.since(self.start).into(),
            msg_orig: Vector::even_if_empty(&senders),
            client_software: told.client_software.as_deref().into(),
            server_software: told.server_software.as_deref().into(),
            circuit_id: circuit.as_deref().into(),
            agent_remote_id: remote.as_deref().into(),
            subscriber_id: subscriber.as_deref().into(),
        };
        write(&STREAM, self.start, &row.values(|script| self.loaded.contains(&script)));
    }
}

/// Returns the sender of a message: the end at the port of clients or of servers; between relays and servers, which
/// have the same port, by direction.
fn sender(is_request: bool, direction: Direction, ends: &Endpoints) -> IpAddr {
    let is_clients = match (ends.client_port == SERVERS, ends.server_port == SERVERS) {
        (false, true) => is_request,
        (true, false) => !is_request,
        _ => direction == Direction::ToServer,
    };
    if is_clients { ends.client } else { ends.server }
}

/// Whether an address is one host's.
fn is_one_host(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !address.is_unspecified() && !address.is_broadcast(),
        IpAddr::V6(address) => !address.is_unspecified(),
    }
}

fn text(value: Option<&[u8]>) -> Option<Vec<u8>> {
    value.map(<[u8]>::to_vec)
}

impl Told {
    fn hardware(message: &Message) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        hex::append_separated(&mut text, message.hardware(), b':');
        (!text.is_empty()).then_some(text)
    }

    fn by_client(message: &Message, sender: IpAddr) -> Self {
        Self {
            client: Some(sender).filter(|sender| is_one_host(*sender)),
            hardware: Self::hardware(message),
            host_name: text(message.option(code::HOST_NAME)),
            full_name: message.option(code::CLIENT_NAME).and_then(full_name),
            requested: message.address(code::REQUESTED_ADDRESS),
            client_text: text(message.option(code::TEXT)),
            client_software: text(message.option(code::VENDOR_CLASS)),
            ..Self::default()
        }
    }

    fn by_server(message: &Message, sender: IpAddr) -> Self {
        let assigned = Some(message.assigned).filter(|address| !address.is_unspecified());
        let domain = message.option(code::DOMAIN_NAME).map(|name| {
            let end = name.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            name.get(..end).unwrap_or_default()
        });
        Self {
            // Who gives no address is not the server of the exchange.
            server: assigned.and(Some(sender)).filter(|sender| is_one_host(*sender)),
            hardware: Self::hardware(message),
            domain: text(domain),
            assigned,
            lease: message.seconds(code::LEASE_TIME).map(|seconds| Duration::from_secs(seconds.into())),
            server_text: text(message.option(code::TEXT)),
            server_software: text(message.option(code::VENDOR_CLASS)),
            ..Self::default()
        }
    }

    /// Adds a later message, whose values go before.
    fn add(&mut self, later: &Self) {
        self.client = later.client.or(self.client);
        self.server = later.server.or(self.server);
        self.requested = later.requested.or(self.requested);
        self.assigned = later.assigned.or(self.assigned);
        self.lease = later.lease.or(self.lease);
        let texts = [
            (&mut self.hardware, &later.hardware),
            (&mut self.host_name, &later.host_name),
            (&mut self.full_name, &later.full_name),
            (&mut self.domain, &later.domain),
            (&mut self.client_text, &later.client_text),
            (&mut self.server_text, &later.server_text),
            (&mut self.client_software, &later.client_software),
            (&mut self.server_software, &later.server_software),
        ];
        let relayed = self.relayed.iter_mut().zip(&later.relayed);
        for (known, later) in texts.into_iter().chain(relayed) {
            if later.is_some() {
                known.clone_from(later);
            }
        }
    }
}

/// Codes within the option of a relay: circuit and remote end (RFC 3046), subscriber (RFC 3993).
const RELAYED: [u8; 3] = [1, 2, 6];

/// Returns what a relay says of a client.
fn relayed(value: &[u8]) -> [Option<Vec<u8>>; 3] {
    let mut found = [const { None }; 3];
    let mut reader = Reader::new(value);
    while let Some((code, length)) = reader.u8().zip(reader.u8())
        && let Some(text) = reader.take(length.into())
    {
        let place = RELAYED.iter().position(|known| *known == code);
        if let Some(place) = place.and_then(|place| found.get_mut(place)) {
            *place = Some(text.to_vec());
        }
    }
    found
}

/// The flag that says that a name is written as DNS writes it.
const AS_DNS: u8 = 0x04;

/// The name in the option of RFC 4702, which stands behind flags and two codes.
fn full_name(value: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(value);
    let flags = reader.u8()?;
    reader.skip(2)?;
    if flags & AS_DNS == 0 {
        return text(Some(reader.rest()));
    }
    let mut name = Vec::new();
    while let Some(length @ 1..) = reader.u8() {
        let label = reader.take(reader.len().min(usize::from(length)))?;
        if !name.is_empty() {
            name.push(b'.');
        }
        name.extend_from_slice(label);
    }
    Some(name)
}
