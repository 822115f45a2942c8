//! Cuts the stream into messages and puts responses to requests.
//!
//! Of a message that has no length of messages, as much is passed over as came at once: a length that is made up
//! hides nothing of what is sent later. After a gap a message has to begin.

use std::collections::BTreeSet;

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Request, TransactionList, factory, parser_transactions,
};
use weir_base::{Direction, PerDirection};

use super::MODBUS;
use super::anomaly::{self, ModbusAnomaly};
use super::message::{Beginning, HEADER, Key, MIN_LENGTH, Message, error};
use super::transaction::{COMPLETE, ModbusTransaction};

/// Requests without a response that are too many, where nothing is said.
const FLOOD: usize = 500;

/// Most requests that wait for a response; beyond them the oldest one waits no more.
pub const MAX_WAITING: usize = 1024;

/// Most requests with the same numbers and function that a response is compared with.
pub const MAX_ALIKE: usize = 64;

/// Settings.
#[derive(Clone, Copy, Debug)]
struct Settings {
    flood: usize,
    stream_depth: u64,
}

/// Reads `app-layer.protocols.modbus`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let path = "request-flood";
    let flood = options.text(path).map_or(FLOOD, |text| {
        text.trim().parse().unwrap_or_else(|_| {
            options.complain(path, "it should be a number; the default is used");
            FLOOD
        })
    });
    if flood > MAX_WAITING {
        options.complain(path, "no more than 1024 requests wait for a response");
    }
    let stream_depth = options.size("stream-depth", 0);
    let settings = Settings { flood: flood.min(MAX_WAITING), stream_depth };
    factory(move |_| {
        Box::new(ModbusParser {
            settings,
            begun: false,
            transactions: TransactionList::default(),
            waiting: 0,
            asked: BTreeSet::new(),
            oldest: 0,
            flooded: false,
            skip: PerDirection::default(),
            lost: PerDirection::default(),
        })
    })
}

/// One conversation.
#[derive(Debug)]
pub struct ModbusParser {
    settings: Settings,
    /// Something was said.
    begun: bool,
    transactions: TransactionList<ModbusTransaction>,
    /// Requests that wait for a response.
    waiting: usize,
    /// These, by what a response repeats.
    asked: BTreeSet<(Key, u64)>,
    /// None before this one waits.
    oldest: u64,
    /// Too many wait.
    flooded: bool,
    /// Bytes that are passed over.
    skip: PerDirection<usize>,
    /// Bytes are missing: what follows has to begin with a message.
    lost: PerDirection<bool>,
}

impl Parser for ModbusParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if !std::mem::replace(&mut self.begun, true) {
            cx.request(Request::StreamDepth(self.settings.stream_depth));
        }
        let skipped = bytes.len().min(self.skip[direction]);
        self.skip[direction] -= skipped;
        let mut position = skipped;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            let (mut message, length) = match Message::read(rest, Some(direction), cx.reads_as_zeek()) {
                Beginning::Short(needed) => return Outcome::Incomplete { consumed: position, needed },
                // Zeek forgets all that came with it.
                Beginning::Message(_, length) if cx.reads_as_zeek() && length < HEADER + MIN_LENGTH => {
                    position = cx.segment_end(position + HEADER - 1, bytes.len());
                    continue;
                }
                Beginning::Message(message, length) => (message, length),
            };
            if std::mem::take(&mut self.lost[direction]) && message.errors & LOST != 0 && !cx.reads_as_zeek()
            {
                return Outcome::Error;
            }
            // From the function on it is known what a message is.
            message.time = cx.arrival(position + HEADER + 1);
            if cx.reads_as_zeek() {
                self.skip[direction] = length.saturating_sub(rest.len());
            }
            position += length;
            let heard = (cx.files.messages, rest.get(..length).unwrap_or(rest));
            match direction {
                Direction::ToServer => self.request(message, heard),
                Direction::ToClient => self.response(message, heard),
            }
        }
        Outcome::Ok
    }

    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        if cx.reads_as_zeek() {
            // What is missing is no part of a message to Zeek.
            return Outcome::Ok;
        }
        let missing = usize::try_from(length).unwrap_or(usize::MAX);
        let skip = &mut self.skip[direction];
        self.lost[direction] |= missing > *skip;
        *skip = skip.saturating_sub(missing);
        Outcome::Ok
    }

    fn held(&self) -> usize {
        self.asked.len() * size_of::<(Key, u64)>()
    }

    parser_transactions!(&MODBUS);
}

/// Faults of a message that cannot begin where one should after a gap.
const LOST: u8 = error::LENGTH | error::PROTOCOL;

impl ModbusParser {
    /// The oldest request that waits for a response like this one.
    fn asked(&self, response: &mut Message) -> Option<u64> {
        let key = response.key();
        let alike = self.asked.range((key, 0)..=(key, u64::MAX)).take(MAX_ALIKE);
        let request = |id| self.transactions.by_id(id)?.request.as_ref();
        let mut requests = alike.filter_map(|&(_, id)| Some((id, request(id)?)));
        requests.find(|(_, request)| response.answers(request)).map(|(id, _)| id)
    }

    /// `heard` says whether scripts want the message, and has its bytes.
    fn request(&mut self, message: Message, heard: (bool, &[u8])) {
        let id = self.begin();
        let Some(tx) = self.transactions.by_id_mut(id) else { return };
        tx.meta.seen(Direction::ToServer, message.time);
        tx.meta.heard.note(heard.0, Direction::ToServer, message.time, message.function, heard.1);
        anomaly::of_request(&message).for_each(|anomaly| tx.meta.anomaly_once(anomaly.into()));
        self.asked.insert((message.key(), id));
        tx.request = Some(message);
    }

    fn response(&mut self, mut message: Message, heard: (bool, &[u8])) {
        let asked = self.asked(&mut message);
        let id = asked.unwrap_or_else(|| self.begin());
        let Some(tx) = self.transactions.by_id_mut(id) else { return };
        tx.meta.seen(Direction::ToClient, message.time);
        tx.meta.heard.note(heard.0, Direction::ToClient, message.time, message.function, heard.1);
        anomaly::of_response(&message).for_each(|anomaly| tx.meta.anomaly_once(anomaly.into()));
        tx.response = Some(message);
        if asked.is_none() {
            tx.meta.anomaly(ModbusAnomaly::UnsolicitedResponse.into());
        }
        self.end(id);
    }

    /// A new transaction, which waits.
    fn begin(&mut self) -> u64 {
        let is_flood = self.settings.flood > 0 && self.waiting >= self.settings.flood;
        let mut tx = ModbusTransaction::default();
        if is_flood && !self.flooded {
            tx.meta.anomaly(ModbusAnomaly::Flooded.into());
        }
        self.flooded = is_flood;
        if self.waiting >= MAX_WAITING {
            self.forget_oldest();
        }
        self.waiting += 1;
        self.transactions.push(tx).meta.id
    }

    fn forget_oldest(&mut self) {
        while let Some(tx) = self.transactions.next_from(self.oldest) {
            let (id, waits) = (tx.meta.id, tx.waits());
            self.oldest = id + 1;
            if waits {
                return self.end(id);
            }
        }
    }

    /// A transaction waits no more.
    fn end(&mut self, id: u64) {
        let Some(tx) = self.transactions.by_id_mut(id) else { return };
        for direction in Direction::BOTH {
            tx.meta.advance(direction, COMPLETE);
        }
        if let Some(request) = &tx.request {
            self.asked.remove(&(request.key(), id));
        }
        self.waiting = self.waiting.saturating_sub(1);
    }
}
