//! Follows a conversation until both sides have said hello: all else is encrypted with keys that only they
//! know.
//!
//! Limits: [`MAX_PACKETS`] packets of a datagram, [`MAX_TRANSACTIONS`] that wait for the engine, and what
//! is put together of a handshake ([`super::crypto`]).

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Request, TransactionList, factory, parser_transactions,
};
use weir_base::{Direction, PerDirection};

use super::QUIC;
use super::anomaly::QuicAnomaly;
use super::crypto::CryptoStream;
use super::extension::Hello;
use super::frames::{self, Frame};
use super::google;
use super::header::{Kind, Packet};
use super::keys::Keyring;
use super::settings::Settings;
use super::transaction::QuicTransaction;
use super::version::Version;

/// Most packets of a datagram.
const MAX_PACKETS: usize = 64;

/// Transactions that may wait for the engine before more are passed over.
const MAX_TRANSACTIONS: usize = 256;

/// Reads `app-layer.protocols.quic`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |_| {
        Box::new(QuicParser {
            settings,
            keys: None,
            sides: PerDirection::default(),
            retried: false,
            buffer: Vec::new(),
            transactions: TransactionList::default(),
        })
    })
}

/// State of one side.
#[derive(Debug, Default)]
struct Side {
    crypto: CryptoStream,
    /// Its hello was read: what it sends from then on is not.
    greeted: bool,
}

/// One conversation.
#[derive(Debug)]
pub struct QuicParser {
    settings: Settings,
    keys: Option<Box<Keyring>>,
    sides: PerDirection<Side>,
    /// The server asked once to begin again, which it may do once only.
    retried: bool,
    /// Packet without its protection.
    buffer: Vec<u8>,
    transactions: TransactionList<QuicTransaction>,
}

impl QuicParser {
    /// Reads the packet that `bytes` begin with; answers how many follow it.
    fn packet(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        bytes: &[u8],
    ) -> Result<usize, QuicAnomaly> {
        let packet = Packet::read(bytes).filter(|packet| packet.is_within(bytes.len()));
        let Some(packet) = packet else {
            return self.failed(cx, direction, None, QuicAnomaly::ErrorOnHeader);
        };
        if packet.kind == Kind::Short {
            return Ok(0);
        }
        if packet.kind == Kind::Retry && direction == Direction::ToClient && !self.retried {
            self.retried = true;
            self.keys = None;
            self.sides.to_server = Side::default();
        }
        let mut transaction = QuicTransaction::new(direction, Some(packet.version), self.settings);
        if packet.kind == Kind::Initial {
            let whole = bytes.get(..packet.end).unwrap_or_default();
            if let Err(anomaly) = self.initial(direction, &packet, whole, &mut transaction) {
                return self.failed(cx, direction, Some(packet.version), anomaly);
            }
        }
        self.push(cx, direction, transaction);
        Ok(bytes.len() - packet.end)
    }

    /// Reads what an Initial packet holds.
    fn initial(
        &mut self,
        direction: Direction,
        packet: &Packet<'_>,
        whole: &[u8],
        transaction: &mut QuicTransaction,
    ) -> Result<(), QuicAnomaly> {
        if packet.version.google().is_some() {
            let content = whole.get(packet.number_at..).unwrap_or_default();
            let hello = google::hello(packet.version, content).map_err(|_| QuicAnomaly::ErrorOnData)?;
            transaction.google = hello.map(Box::new);
            return Ok(());
        }
        if self.keys.is_none() {
            self.keys = Keyring::new(packet.version, packet.destination).map(Box::new);
        }
        let keys = self.keys.as_mut().and_then(|keys| keys.of(packet.version));
        let Some(keys) = keys else { return Ok(()) };
        let content = keys.open(direction, whole, packet.number_at, &mut self.buffer);
        let content = content.ok_or(QuicAnomaly::FailedDecrypt)?;
        let side = &mut self.sides[direction];
        let read = frames::each(content, |frame| {
            if let Frame::Crypto { offset, data } = frame
                && side.crypto.insert(offset, data).is_err()
            {
                transaction.note(QuicAnomaly::CryptoFragTooLong);
            }
        });
        read.map_err(|_| QuicAnomaly::ErrorOnData)?;
        if let Some(hello) = Hello::read(direction, side.crypto.start()) {
            transaction.hello = Some(Box::new(hello));
            *side = Side { greeted: true, ..Side::default() };
            if self.is_over() {
                self.keys = None;
                self.buffer = Vec::new();
            }
        }
        Ok(())
    }

    /// Whether both sides said hello.
    fn is_over(&self) -> bool {
        Direction::BOTH.iter().all(|&direction| self.sides[direction].greeted)
    }

    /// Something is wrong: a transaction of its own has the anomaly, and the rest of the datagram is passed over.
    fn failed(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        version: Option<Version>,
        anomaly: QuicAnomaly,
    ) -> Result<usize, QuicAnomaly> {
        let mut transaction = QuicTransaction::new(direction, version, self.settings);
        transaction.note(anomaly);
        self.push(cx, direction, transaction);
        Err(anomaly)
    }

    fn push(&mut self, cx: &ParseContext<'_>, direction: Direction, mut transaction: QuicTransaction) {
        transaction.meta.seen(direction, cx.time);
        self.transactions.push(transaction);
    }
}

impl Parser for QuicParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut rest = bytes;
        for _ in 0..MAX_PACKETS {
            if rest.is_empty() || self.sides[direction].greeted || self.transactions.len() >= MAX_TRANSACTIONS
            {
                break;
            }
            match self.packet(cx, direction, rest) {
                Ok(left) => rest = rest.get(rest.len() - left..).unwrap_or_default(),
                // The next datagram may be sound.
                Err(_) => return Outcome::Refused,
            }
        }
        if self.is_over() {
            Direction::BOTH.into_iter().for_each(|direction| cx.request(Request::StopParsing(direction)));
        }
        Outcome::Ok
    }

    fn held(&self) -> usize {
        let crypto = Direction::BOTH.iter().map(|&direction| self.sides[direction].crypto.memory());
        crypto.sum::<usize>()
            + self.buffer.capacity()
            + self.keys.as_ref().map_or(0, |_| size_of::<Keyring>())
    }

    parser_transactions!(&QUIC);
}
