//! Connections that begin between the ports of one that is dropped.
//!
//! A client whose connection is dropped gives it up, and its system hands the port to the next connection sooner or later.
//! The server may know nothing of that, and answers the SYN with an acknowledgement of the former connection, which the
//! client answers with a RST (RFC 5961, section 4). So the SYN begins a flow anew, which rules look at as at any other; until
//! the server agrees to it, what carries no data passes, and data is that of the connection that is dropped, and is dropped, too.

use weir_base::Direction;
use weir_flow::{Flow, FlowFlags};
use weir_packet::Tcp;
use weir_stream::TcpState;

use super::PacketContext;
use crate::session::Session;

/// Whether a packet of a dropped flow is the first of another connection: a SYN of the client with another number. Never
/// where the firewall drops, whose rules say what may begin.
#[cold]
pub(super) fn begins_anew(flow: &Flow<Session>, context: &PacketContext<'_>) -> bool {
    !flow.core.flags.contains(FlowFlags::FIREWALL_DROP)
        && flow
            .session
            .tcp
            .as_deref()
            .is_some_and(|tcp| tcp.differs_in_syn(context.packet, context.direction))
}

/// Whether a packet of a flow that began so belongs to the connection before: what the client sends behind its SYN, and what
/// the server acknowledges, until the server agrees or refuses.
#[cold]
pub(super) fn belongs_to_former(flow: &mut Flow<Session>, context: &PacketContext<'_>) -> bool {
    let state = flow.session.tcp.as_deref().map_or(TcpState::None, |tcp| tcp.state());
    if state >= TcpState::SynRecv {
        flow.core.flags.remove(FlowFlags::AFTER_DROP);
        return false;
    }
    context.packet.tcp().is_none_or(|tcp| match context.direction {
        Direction::ToServer => !tcp.has(Tcp::SYN),
        Direction::ToClient => tcp.flags & (Tcp::SYN | Tcp::RST) == 0,
    })
}
