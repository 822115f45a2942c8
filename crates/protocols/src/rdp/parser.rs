//! Cuts streams into packets, until what follows is secret: behind what the server says of itself, or behind the
//! certificates of TLS.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Request, Step, TransactionList, factory, in_steps,
    parser_transactions,
};
use weir_base::Direction;

use super::RDP;
use super::certificates::{self, APPLICATION_DATA, HANDSHAKE};
use super::negotiation::{self, Confirm};
use super::packet::{self, Packet};
use super::transaction::{Item, RdpTransaction};
use super::{client, server};

/// Most messages of a connection; a client and a server that do as they should have four.
pub const MAX_TRANSACTIONS: u64 = 64;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(RdpParser { is_secret: false, transactions: TransactionList::default() }))
}

/// One connection.
#[derive(Debug)]
pub struct RdpParser {
    /// Nobody can read what follows.
    is_secret: bool,
    transactions: TransactionList<RdpTransaction>,
}

impl Parser for RdpParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        in_steps(bytes, |rest, position| match rest.first() {
            _ if self.is_secret => Step::Taken(rest.len()),
            // Records of TLS have types that no packet begins with.
            Some(20..=24) => self.tls(cx, direction, rest, position),
            _ => self.packet(cx, direction, rest, position),
        })
    }

    parser_transactions!(&RDP);
}

impl RdpParser {
    fn packet(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        let (packet, length) = match packet::read(rest) {
            packet::Beginning::Short(needed) => return Step::Needed(needed),
            packet::Beginning::Packet(packet, length) => (packet, length),
            packet::Beginning::Malformed => return Step::Malformed,
        };
        let item = match (direction, packet) {
            (Direction::ToServer, Packet::Request(bytes)) => Some(Item::Request(negotiation::request(bytes))),
            (Direction::ToClient, Packet::Confirm(bytes)) => Some(Item::Confirm(negotiation::confirm(bytes))),
            (Direction::ToServer, Packet::Data(data)) => client::read(data).map(Box::new).map(Item::Client),
            (Direction::ToClient, Packet::Data(data)) => {
                // Only Zeek's logs have certificates.
                let most = if cx.tells_zeek() { server::MAX_CERTIFICATES } else { 0 };
                server::read(data, most).map(Item::Server)
            }
            _ => None,
        };
        let Some(item) = item else { return Step::Taken(length) };
        let is_client = matches!(item, Item::Client(_));
        if matches!(item, Item::Server(_)) {
            self.hush(cx);
        }
        let tls_follows = matches!(item, Item::Confirm(Confirm::Chosen(_, 1..)));
        if tls_follows && cx.may_fork() {
            let transactions = self.transactions.fork(RdpTransaction::fork);
            cx.fork(position, Box::new(Self { is_secret: false, transactions }));
        }
        self.add(cx, direction, item, position + length);
        if let (true, Packet::Data(data), Some(transaction)) =
            (is_client, packet, self.transactions.last_mut())
        {
            transaction.meta.heard.note(cx.files.messages, direction, cx.time, 0, data);
        }
        // Zeek reads what follows as TLS.
        if tls_follows && cx.reads_as_zeek() {
            cx.request(Request::Upgrade(Some("tls")));
            return Step::Over(length);
        }
        Step::Taken(length)
    }

    fn tls(&mut self, cx: &mut ParseContext<'_>, direction: Direction, rest: &[u8], position: usize) -> Step {
        match certificates::record(rest) {
            certificates::Beginning::Short(needed) => Step::Needed(needed),
            certificates::Beginning::Malformed => Step::Malformed,
            certificates::Beginning::Record(kind, content, length) => {
                let serials = match (direction, kind) {
                    (Direction::ToClient, HANDSHAKE) => certificates::serials(content),
                    _ => None,
                };
                if let Some(serials) = serials {
                    self.add(cx, direction, Item::Certificates(serials), position + length);
                    self.hush(cx);
                } else if kind == APPLICATION_DATA {
                    self.hush(cx);
                }
                Step::Taken(length)
            }
        }
    }

    /// Stops inspection: the rest is encrypted.
    fn hush(&mut self, cx: &mut ParseContext<'_>) {
        self.is_secret = true;
        for direction in Direction::BOTH {
            cx.request(Request::StopParsing(direction));
        }
    }

    /// Adds a message that ends before `end` of the push.
    fn add(&mut self, cx: &mut ParseContext<'_>, direction: Direction, item: Item, end: usize) {
        if self.transactions.created() < MAX_TRANSACTIONS {
            let time = cx.arrival(end.saturating_sub(1));
            self.transactions.push(RdpTransaction::new(direction, item, time));
            cx.request(Request::InspectStream(direction));
        }
    }
}
