//! Tools that the tests of all protocols share: conversations led as the engine leads them, what rules and records
//! see of them in segments of any length, Zeek's rows as text, and settings as texts.

mod conversation;
mod events;
mod holes;
mod laws;
mod memory;
mod order;
mod rows;
mod segmentation;
mod settings;
mod streams;

use weir_applayer::zeek::{Begun, Datagram, DatagramLogs, Watch, Watching};
use weir_applayer::{Access, Endpoints, Protocol, Transaction, Transport};
use weir_base::{Direction, Timestamp};

pub(crate) use conversation::Conversation;
pub(crate) use events::{Events, told_of_file};
pub(crate) use rows::{NEVER, Rows};
pub(crate) use segmentation::{led_in_any_pieces, same_in_any_pieces};
pub(crate) use settings::Settings;
pub(crate) use streams::{told, told_by_settings, told_of_datagrams};

/// To the server.
pub(crate) const UP: Direction = Direction::ToServer;
/// To the client.
pub(crate) const DOWN: Direction = Direction::ToClient;

/// Two ends that speak `protocol` on its port, of which only the client's address is a local one.
pub(crate) fn endpoints(protocol: &Protocol, transport: Transport) -> Endpoints {
    ends(protocol.ports, transport)
}

fn ends(ports: &[u16], transport: Transport) -> Endpoints {
    Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 4000,
        server: [10, 0, 0, 2].into(),
        server_port: ports.first().copied().unwrap_or(9),
        transport,
    }
}

/// Returns the rows of a logger of Zeek's for datagrams, one a second, and at the end.
pub(crate) fn logged<T: AsRef<[u8]>>(logs: &DatagramLogs, datagrams: &[(Direction, T)]) -> Rows {
    let ends = ends(logs.ports, Transport::Udp);
    let (mut rows, mut followed) = (Rows::new(ends), logs.follow());
    for (second, (direction, payload)) in (1..).zip(datagrams) {
        let (direction, time) = (*direction, Timestamp::new(second, 0));
        followed.datagram(Datagram { direction, payload: payload.as_ref(), time }, &mut rows);
    }
    followed.end(&mut rows);
    rows
}

/// Returns the weirds of payloads of a connection to a port, each of the originator or not: names, and additional text.
pub(crate) fn watched<T: AsRef<[u8]>>(watch: &Watch, port: u16, payloads: &[(bool, T)]) -> Vec<String> {
    let (mut found, mut begun) = (Vec::new(), Begun::Nothing);
    for (originator, payload) in payloads {
        let next = (watch.look)(*originator, payload.as_ref(), port, begun, &mut |odd| {
            found.push(odd.addl.map_or(odd.name.to_owned(), |addl| format!("{}: {addl}", odd.name)));
        });
        match next {
            Watching::On => {}
            Watching::Amid(now) => begun = now,
            Watching::Over => break,
        }
    }
    found
}

/// All values of the fields with this name (or other name) in a direction, as text.
pub(crate) fn values(
    protocol: &Protocol,
    transaction: &dyn Transaction,
    name: &str,
    direction: Direction,
) -> Vec<String> {
    let named = protocol.fields.iter().filter(|field| field.name == name || field.aliases.contains(&name));
    let mut named = named.peekable();
    assert!(named.peek().is_some(), "{name} is no field");
    let here = named.filter(|field| field.direction.covers(direction));
    here.flat_map(|field| read(&field.access.value(), transaction, direction)).collect()
}

fn read(access: &Access, transaction: &dyn Transaction, direction: Direction) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match access {
        Access::Bytes(get) => get(transaction, direction).map(text).into_iter().collect(),
        Access::List(get) => (0..).map_while(|index| get(transaction, direction, index)).map(text).collect(),
        Access::Build(build) => {
            let mut out = Vec::new();
            build(transaction, direction, &mut out).then(|| text(&out)).into_iter().collect()
        }
        Access::BuildList(build) => (0..)
            .map_while(|index| {
                let mut out = Vec::new();
                build(transaction, direction, index, &mut out).then(|| text(&out))
            })
            .collect(),
        Access::Integer { read, .. } | Access::Flags { read, .. } => (0..)
            .map_while(|index| read(transaction, direction, index))
            .map(|value| value.to_string())
            .collect(),
        Access::Body(get) | Access::BodyAndFiles(get) => {
            get(transaction, direction).map(|body| text(body.bytes().1)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
