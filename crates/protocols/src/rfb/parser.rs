//! Follows the handshake, in which one side speaks at a time.

use weir_applayer::{
    Factory, FrameKind, Options, Outcome, ParseContext, Parser, Request, TransactionList, factory,
};
use weir_base::Direction;

use super::RFB;
use super::anomaly::RfbAnomaly;
use super::message::{self, Message, Missing, Stage, Version, result, security};
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
        let for_zeek = cx.reads_as_zeek();
        if self.transactions.created() == 0 {
            if cx.may_fork() {
                cx.fork(0, Box::new(Self { transactions: TransactionList::default(), ..*self }));
            }
            // To records there is a handshake once the server has said its version.
            if for_zeek {
                self.transactions.push(RfbTransaction::default());
            }
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
                    if !for_zeek && self.stage == Stage::ServerVersion {
                        self.transactions.push(RfbTransaction::default());
                    }
                    let is_reason = self.stage == Stage::Reason;
                    if for_zeek || !is_reason {
                        let frame = cx.frame(direction, PDU, position, length);
                        cx.frame_transaction(direction, frame, 0);
                    }
                    self.take(cx, direction, message, (position, position + length));
                    if is_reason {
                        break;
                    }
                    position += length;
                }
                Err(Missing::Needed(needed)) => return Outcome::Incomplete { consumed: position, needed },
                Err(Missing::Malformed) if !for_zeek && self.stage.is_version() => return Outcome::Error,
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
        let for_zeek = cx.reads_as_zeek();
        let (stage, is_over) = match message {
            Message::Version(version) => {
                tx.versions[direction] = Some(version);
                if direction == Direction::ToClient {
                    (Stage::ClientVersion, false)
                } else {
                    tx.agreed_at = Some(cx.arrival(end.saturating_sub(1)));
                    self.version = version.number();
                    let is_old = if for_zeek { self.version < CHOOSING } else { version == Version::OLDEST };
                    (if is_old { Stage::SecurityType } else { Stage::SecurityTypes }, false)
                }
            }
            Message::SecurityTypes(0) => (Stage::Reason, false),
            Message::SecurityTypes(_) => (Stage::Selection, false),
            Message::SecurityType(kind) => self.agree(direction, kind, for_zeek),
            Message::Challenge(bytes) => {
                tx.challenge[direction] = Some(bytes);
                (if direction == Direction::ToClient { Stage::Response } else { Stage::Result }, false)
            }
            Message::AppleKey(length) => (Stage::AppleCredentials(length), false),
            Message::AppleCredentials => (Stage::Result, false),
            Message::Result(value) => self.judge(value, for_zeek),
            Message::Reason(reason) => {
                tx.reason = Some(reason);
                // Records wait for the end of the connection.
                (if for_zeek { Stage::Done } else { Stage::Reason }, for_zeek)
            }
            Message::ClientInit(shared) => {
                tx.shared = Some(shared);
                (Stage::ServerInit, false)
            }
            Message::ServerInit(desktop) => {
                tx.desktop = Some(desktop);
                (Stage::Done, true)
            }
        };
        self.stage = stage;
        if is_over {
            self.end(cx);
        }
    }

    /// Takes the method of authentication; returns what follows and whether that is all.
    fn agree(&mut self, direction: Direction, kind: u32, for_zeek: bool) -> (Stage, bool) {
        let Some(tx) = self.transactions.last_mut() else { return (Stage::Done, true) };
        let is_known = matches!(kind, security::NONE | security::VNC);
        let is_refusal = kind == security::INVALID && direction == Direction::ToClient;
        // What a server alone decides on, and nobody knows, ends the handshake of records unnamed.
        let ends = for_zeek || direction == Direction::ToClient;
        if is_known || is_refusal || for_zeek || !ends {
            tx.security_type = Some(kind);
        }
        match kind {
            security::INVALID if is_refusal => (Stage::Reason, false),
            // Suricata knows of no result that follows.
            security::NONE if for_zeek && self.version >= ANSWERING => (Stage::Result, false),
            security::NONE => (Stage::ClientInit, false),
            security::VNC => (Stage::Challenge, false),
            // Zeek's logs follow Apple's way of authentication, too.
            security::APPLE if for_zeek && direction == Direction::ToServer => (Stage::AppleKey, false),
            _ => {
                tx.note(RfbAnomaly::UnimplementedSecurityType);
                (Stage::Done, ends)
            }
        }
    }

    /// Takes the result of the authentication; records have only that of a client that is let in.
    fn judge(&mut self, value: u32, for_zeek: bool) -> (Stage, bool) {
        let Some(tx) = self.transactions.last_mut() else { return (Stage::Done, true) };
        tx.result = Some(value).filter(|&value| for_zeek || value == result::OK);
        match value {
            result::OK => (Stage::ClientInit, false),
            result::FAILED if !for_zeek || self.version >= ANSWERING => (Stage::Reason, false),
            result::TOO_MANY if for_zeek && self.version >= ANSWERING => (Stage::Reason, false),
            result::FAILED | result::TOO_MANY if for_zeek => (Stage::Done, true),
            _ => {
                tx.note(RfbAnomaly::UnknownSecurityResult);
                (Stage::Done, true)
            }
        }
    }

    /// Nothing more is read.
    fn end(&mut self, cx: &mut ParseContext<'_>) {
        self.stage = Stage::Done;
        for direction in Direction::BOTH {
            if let Some(tx) = self.transactions.last_mut() {
                tx.meta.advance(direction, COMPLETE);
            }
            cx.request(Request::StopParsing(direction));
        }
    }

    /// Something is no message, or of the wrong side: records end with it.
    fn fail(&mut self, cx: &mut ParseContext<'_>, anomaly: RfbAnomaly, position: usize) -> Outcome {
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.note(anomaly);
            transaction.failed_at = Some(cx.arrival(position));
        }
        if cx.reads_as_zeek() {
            return Outcome::Error;
        }
        self.end(cx);
        Outcome::Ok
    }
}
