//! Follows the handshake, in which one side speaks at a time.

use weir_applayer::{
    Factory, FrameKind, Options, Outcome, ParseContext, Parser, Request, TransactionList, factory,
};
use weir_base::Direction;

use super::RFB;
use super::anomaly::RfbAnomaly;
use super::message::{self, Message, Missing, Stage, result, security};
use super::transaction::{COMPLETE, RfbTransaction};

/// The only kind of frame: a message.
const PDU: FrameKind = FrameKind(0);

/// From which version on the client chooses, and from which on all is answered.
const CHOOSING: u32 = 7;
const ANSWERING: u32 = 8;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| {
        Box::new(RfbParser { stage: Stage::default(), version: 0, transactions: TransactionList::default() })
    })
}

/// One connection.
#[derive(Debug)]
pub struct RfbParser {
    stage: Stage,
    /// The version that the client speaks: 3 and this.
    version: u32,
    transactions: TransactionList<RfbTransaction>,
}

impl Parser for RfbParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transactions.created() == 0 {
            self.transactions.push(RfbTransaction::default());
        }
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if self.stage == Stage::Done {
                break;
            }
            if self.stage.speaker() != direction {
                return self.fail(cx, RfbAnomaly::ConfusedState, position);
            }
            match message::read(self.stage, rest) {
                Ok((message, length)) => {
                    self.fork_at(cx, &message, position);
                    let frame = cx.frame(direction, PDU, position, length);
                    cx.frame_transaction(direction, frame, 0);
                    self.take(cx, direction, message, (position, position + length));
                    position += length;
                }
                Err(Missing::Needed(needed)) => return Outcome::Incomplete { consumed: position, needed },
                Err(Missing::Malformed) => return self.fail(cx, RfbAnomaly::MalformedMessage, position),
            }
        }
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.meta.advance(direction, COMPLETE);
        }
    }

    weir_applayer::parser_transactions!(&RFB);
}

impl RfbParser {
    /// Zeek's logs follow Apple's way of authentication, too.
    fn fork_at(&mut self, cx: &mut ParseContext<'_>, message: &Message, position: usize) {
        if *message == Message::SecurityType(security::APPLE)
            && self.stage == Stage::Selection
            && cx.may_fork()
        {
            let transactions = self.transactions.fork(RfbTransaction::fork);
            cx.fork(position, Box::new(Self { transactions, ..*self }));
        }
    }

    fn take(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        message: Message,
        (start, end): (usize, usize),
    ) {
        let Some(tx) = self.transactions.last_mut() else { return };
        cx.request(Request::InspectStream(direction));
        tx.meta.seen(direction, cx.arrival(start));
        tx.meta.seen(direction, cx.arrival(end.saturating_sub(1)));
        self.stage = match message {
            Message::Version(version) => {
                tx.versions[direction] = Some(version);
                if direction == Direction::ToClient {
                    Stage::ClientVersion
                } else {
                    tx.agreed_at = Some(cx.arrival(end.saturating_sub(1)));
                    self.version = version.number();
                    if self.version < CHOOSING { Stage::SecurityType } else { Stage::SecurityTypes }
                }
            }
            Message::SecurityTypes(0) => Stage::Reason,
            Message::SecurityTypes(_) => Stage::Selection,
            Message::SecurityType(kind) => {
                tx.security_type = Some(kind);
                match kind {
                    security::INVALID if direction == Direction::ToClient => Stage::Reason,
                    security::NONE if self.version >= ANSWERING => Stage::Result,
                    security::NONE => Stage::ClientInit,
                    security::VNC => Stage::Challenge,
                    security::APPLE if direction == Direction::ToServer && cx.reads_as_zeek() => {
                        Stage::AppleKey
                    }
                    _ => {
                        tx.note(RfbAnomaly::UnimplementedSecurityType);
                        Stage::Done
                    }
                }
            }
            Message::Challenge(bytes) => {
                tx.challenge[direction] = Some(bytes);
                if direction == Direction::ToClient { Stage::Response } else { Stage::Result }
            }
            Message::AppleKey(length) => Stage::AppleCredentials(length),
            Message::AppleCredentials => Stage::Result,
            Message::Result(value) => {
                tx.result = Some(value);
                match value {
                    result::OK => Stage::ClientInit,
                    result::FAILED | result::TOO_MANY if self.version >= ANSWERING => Stage::Reason,
                    result::FAILED | result::TOO_MANY => Stage::Done,
                    _ => {
                        tx.note(RfbAnomaly::UnknownSecurityResult);
                        Stage::Done
                    }
                }
            }
            Message::Reason(reason) => {
                tx.reason = Some(reason);
                Stage::Done
            }
            Message::ClientInit(shared) => {
                tx.shared = Some(shared);
                Stage::ServerInit
            }
            Message::ServerInit(desktop) => {
                tx.desktop = Some(desktop);
                Stage::Done
            }
        };
        if self.stage == Stage::Done {
            for direction in Direction::BOTH {
                tx.meta.advance(direction, COMPLETE);
                cx.request(Request::StopParsing(direction));
            }
        }
    }

    fn fail(&mut self, cx: &ParseContext<'_>, anomaly: RfbAnomaly, position: usize) -> Outcome {
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.note(anomaly);
            transaction.failed_at = Some(cx.arrival(position));
        }
        Outcome::Error
    }
}
