//! Checks of Zeek's analyzers on payloads at their ports.

use weir_applayer::zeek::{Begun, Watch, Watching};
use weir_packet::Packet;

use crate::connection::Connection;
use crate::rows::Rows;

/// Progress of the checks on a connection's payloads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Watched {
    /// Not yet.
    #[default]
    Unknown,
    /// By a row, so many times, and what has begun a line.
    By(u8, u8, Begun),
    /// They are not, or not any longer.
    Over,
}

/// Looks at a payload of a connection.
#[inline]
pub(crate) fn look(
    watches: &[&Watch],
    connection: &mut Connection,
    originator: bool,
    packet: &Packet<'_>,
    rows: &mut Rows<'_>,
) {
    if connection.watched != Watched::Over && !packet.payload.is_empty() {
        look_at(watches, connection, originator, packet, rows);
    }
}

#[inline(never)]
fn look_at(
    watches: &[&Watch],
    connection: &mut Connection,
    originator: bool,
    packet: &Packet<'_>,
    rows: &mut Rows<'_>,
) {
    let identity = connection.identity();
    let ends = &identity.endpoints;
    let (index, looked, begun) = match connection.watched {
        Watched::By(index, looked, begun) => (index, looked, begun),
        _ => {
            let carried = matches!(connection.protocol(), 6 | 17);
            let is_partial = connection.is_partial();
            let fits = |watch: &&Watch| {
                watch.transport == ends.transport
                    && watch.ports.contains(&ends.server_port)
                    && (watch.midway || !is_partial)
            };
            match watches.iter().position(fits).filter(|_| carried).and_then(|index| u8::try_from(index).ok())
            {
                Some(index) => (index, 0, Begun::Nothing),
                None => {
                    connection.watched = Watched::Over;
                    return;
                }
            }
        }
    };
    let Some(watch) = watches.get(usize::from(index)) else { return };
    let next = (watch.look)(originator, packet.payload, ends.server_port, begun, &mut |oddity| {
        rows.weird(
            Some(&identity.view()),
            packet.time,
            oddity.name,
            oddity.addl.as_deref(),
            Some(oddity.source),
        );
    });
    let looked = looked.saturating_add(1);
    let is_over = next == Watching::Over || watch.most.is_some_and(|most| looked >= most);
    connection.watched = match next {
        _ if is_over => Watched::Over,
        Watching::Amid(begun) => Watched::By(index, looked, begun),
        Watching::On | Watching::Over => Watched::By(index, looked, begun),
    };
}
