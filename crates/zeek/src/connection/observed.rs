//! A connection as scripts see it, and why it ends.

use weir_base::Timestamp;
use weir_base::event::{ConnectionState, EndState};

use super::tcp::State;
use super::timeouts::{Timeouts, after};
use super::{Carrier, Connection, view};
use crate::events::Ending;

/// States of the ends of a TCP connection: of the originator and of the responder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TcpStates {
    states: [State; 2],
    /// Whether each end counts as closed.
    pub(crate) closed: [bool; 2],
}

impl TcpStates {
    /// Returns the state of an end.
    pub(crate) const fn end(self, originator: bool) -> State {
        let [first, second] = self.states;
        if originator { first } else { second }
    }
}

impl State {
    /// Zeek's number of it.
    const fn number(self) -> u8 {
        match self {
            Self::Inactive => 0,
            Self::SynSent => 1,
            Self::SynAckSent => 2,
            Self::Partial => 3,
            Self::Established => 4,
            Self::Closed => 5,
            Self::Reset => 6,
        }
    }
}

impl Connection {
    /// Returns the connection as it is now.
    pub(crate) fn observed(&self) -> ConnectionState<'_> {
        let (sent, received) = self.sizes();
        let link = self.link();
        let tags = link.map(|link| link.vlan.as_slice()).unwrap_or_default();
        let [orig_link, resp_link] = match link.and_then(|link| link.macs) {
            // An address of zeros is none.
            Some(macs) => macs.map(|mac| Some(mac).filter(|mac| *mac != [0; 6])),
            None => [None; 2],
        };
        let [orig_label, resp_label] = self.rare.as_ref().map_or([0; 2], |rare| rare.flow_labels);
        let [orig_state, resp_state] = self.end_states();
        let [orig, resp] = &self.sides;
        let end =
            |ends: (std::net::IpAddr, u16), side: &super::Side, size, state, flow_label, link| EndState {
                address: ends.0,
                port: ends.1,
                size,
                state,
                packets: side.packets,
                ip_bytes: side.ip_bytes,
                flow_label,
                link,
            };
        ConnectionState {
            uid: self.uid.as_bytes(),
            ends: [
                end(self.originator(), orig, sent, orig_state, orig_label, orig_link),
                end(self.responder(), resp, received, resp_state, resp_label, resp_link),
            ],
            protocol: self.protocol(),
            start: self.start,
            duration: u64::try_from(self.duration().as_nanos()).unwrap_or(u64::MAX),
            history: self.history(),
            services: &self.services,
            vlans: [tags.first().copied(), tags.get(1).copied()],
            tunnels: self.around(),
            is_whole: true,
        }
    }

    /// Zeek's numbers of the states of both ends.
    fn end_states(&self) -> [u8; 2] {
        match &self.carrier {
            Carrier::Tcp(tcp) => [tcp.originator.state.number(), tcp.responder.state.number()],
            Carrier::Udp | Carrier::Icmp => {
                let [sent, received] = &self.sides;
                [u8::from(sent.packets > 0), u8::from(received.packets > 0)]
            }
            Carrier::Unknown => [0; 2],
        }
    }

    /// Returns the states of the ends, where it is a connection of TCP.
    pub(crate) const fn tcp_states(&self) -> Option<TcpStates> {
        match &self.carrier {
            Carrier::Tcp(tcp) => Some(TcpStates {
                states: [tcp.originator.state, tcp.responder.state],
                closed: [tcp.originator.closed, tcp.responder.closed],
            }),
            _ => None,
        }
    }

    /// Returns sequence and acknowledgement number of an end's segment from the beginning of each end on.
    pub(crate) fn relative(&self, originator: bool, seq: u32, ack: u32) -> (u64, u64) {
        let Carrier::Tcp(tcp) = &self.carrier else { return (0, 0) };
        let (end, peer) =
            if originator { (&tcp.originator, &tcp.responder) } else { (&tcp.responder, &tcp.originator) };
        let behind = |number: u32, start: u32| u64::from(number.wrapping_sub(start));
        let acknowledged = if peer.state == State::Inactive { 0 } else { behind(ack, peer.start) };
        (behind(seq, end.start), acknowledged)
    }

    /// Whether the originator acknowledges for the first time.
    pub(crate) fn is_first_ack(&mut self) -> bool {
        !std::mem::replace(&mut self.rare().has_acknowledged, true)
    }

    /// Notes the flow label of an end's packet; the one before, where it was another one.
    pub(crate) fn flow_label(&mut self, originator: bool, label: u32) -> Option<u32> {
        let [sent, received] = &self.sides;
        let side = if originator { sent } else { received };
        let is_first = side.packets == 0;
        let [orig, resp] = &mut self.rare().flow_labels;
        let before = std::mem::replace(if originator { orig } else { resp }, label);
        (before != label && !is_first).then_some(before)
    }

    /// Returns why the connection ends `now`; none where the capture ends.
    pub(crate) fn ending(&self, now: Option<Timestamp>, timeouts: &Timeouts) -> Ending {
        let Some(now) = now else { return Ending::Capture };
        if self.over <= now {
            return if matches!(self.carrier, Carrier::Udp) { Ending::Silence } else { Ending::Closed };
        }
        let silence = match &self.carrier {
            Carrier::Tcp(tcp) => {
                if tcp.is_attempt() && tcp.attempt.is_some_and(|began| after(began, timeouts.attempt) <= now)
                {
                    return Ending::Attempt;
                }
                timeouts.tcp
            }
            Carrier::Udp if view::is_dns(self.responder().1) => return Ending::Closed,
            Carrier::Udp => timeouts.udp,
            Carrier::Icmp => timeouts.icmp,
            Carrier::Unknown => timeouts.unknown,
        };
        if after(self.touched, silence) <= now { Ending::Silence } else { Ending::Closed }
    }

    /// Whether it is one of TCP that is still open.
    pub(crate) const fn is_pending(&self) -> bool {
        match &self.carrier {
            Carrier::Tcp(tcp) => !(tcp.originator.closed && tcp.responder.closed),
            _ => false,
        }
    }

    /// Whether it is one of TCP whose originator waits for the first answer.
    pub(crate) fn is_attempt(&self) -> bool {
        matches!(&self.carrier, Carrier::Tcp(tcp) if tcp.is_attempt() && tcp.attempt.is_some())
    }

    /// Whether its ends agreed to it; connections of other transports than TCP do that by an answer.
    pub(crate) fn was_successful(&self) -> bool {
        match &self.carrier {
            Carrier::Tcp(tcp) => tcp.originator.was_established() && tcp.responder.was_established(),
            _ => self.sides.iter().all(|side| side.packets > 0),
        }
    }
}
