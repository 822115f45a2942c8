//! Cuts streams into frames of the link layer and puts messages together from them.
//!
//! Bytes that begin no frame are passed over as they come.

use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, TransactionList, factory, parser_transactions,
};
use weir_base::{Direction, PerDirection, Timestamp};

use super::DNP3;
use super::anomaly::Dnp3Anomaly;
use super::link::{self, HEADER, Header, START};
use super::names::CONFIRM;
use super::object::Objects;
use super::settings::Settings;
use super::transaction::Dnp3Transaction;

/// Longest message that is read; devices send 2048 bytes where they are not told otherwise.
pub const MAX_MESSAGE: usize = 1 << 15;

/// Most messages of a side of which more is to come, each between other stations; the oldest one goes.
pub const MAX_OPEN: usize = 16;

/// Bytes of the header of a request, and of a response.
const REQUEST_HEADER: usize = 2;
const RESPONSE_HEADER: usize = 4;

/// Reads `app-layer.protocols.dnp3`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |_| {
        Box::new(Dnp3Parser {
            settings,
            open: PerDirection::default(),
            transactions: TransactionList::default(),
        })
    })
}

/// A message of which more is to come.
#[derive(Clone, Copy, Debug)]
struct Open {
    id: u64,
    destination: u16,
    source: u16,
    /// The sequence number of the next frame.
    next: u8,
}

impl Open {
    /// Whether a frame is between the same stations.
    const fn is_between(&self, header: Header) -> bool {
        self.destination == header.destination && self.source == header.source
    }
}

/// One conversation.
#[derive(Debug)]
pub struct Dnp3Parser {
    settings: Settings,
    /// The oldest first.
    open: PerDirection<Vec<Open>>,
    transactions: TransactionList<Dnp3Transaction>,
}

impl Parser for Dnp3Parser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if !START.starts_with(rest.get(..2).unwrap_or(rest)) {
                // To where a frame may begin.
                let next = memchr::memchr(START[0], rest.get(1..).unwrap_or_default());
                position += next.map_or(rest.len(), |place| place + 1);
                continue;
            }
            let Some((header, right)) = Header::read(rest) else {
                return Outcome::Incomplete { consumed: position, needed: HEADER };
            };
            let anomaly = if right { Dnp3Anomaly::LengthTooSmall } else { Dnp3Anomaly::BadLinkCrc };
            let Some(length) = header.whole().filter(|_| right) else {
                self.odd(cx, direction, anomaly);
                position += START.len();
                continue;
            };
            let Some(blocks) = rest.get(HEADER..length) else {
                return Outcome::Incomplete { consumed: position, needed: length };
            };
            let time = cx.arrival(position + length - 1);
            if header.carries_data() {
                match link::data(blocks) {
                    Some(data) => {
                        // Nothing is said by a confirmation; Zeek has it all the same.
                        if matches!(data[..], [transport, _, CONFIRM, ..] if transport & 0x40 != 0) {
                            self.fork_at(cx, position);
                        }
                        self.frame(cx, direction, header, &data, time);
                    }
                    None => self.odd(cx, direction, Dnp3Anomaly::BadTransportCrc),
                }
            }
            position += length;
        }
        Outcome::Ok
    }

    fn gap(&mut self, _: &mut ParseContext<'_>, direction: Direction, _: u64) -> Outcome {
        self.forget(direction, |_| true);
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        self.forget(direction, |_| true);
    }

    fn held(&self) -> usize {
        Direction::BOTH.iter().map(|&direction| self.open[direction].capacity() * size_of::<Open>()).sum()
    }

    parser_transactions!(&DNP3);
}

impl Dnp3Parser {
    /// Zeek reads what follows `position` of the push.
    fn fork_at(&mut self, cx: &mut ParseContext<'_>, position: usize) {
        if cx.may_fork() {
            let transactions = self.transactions.fork(Dnp3Transaction::fork);
            let open = PerDirection::from_fn(|direction| self.open[direction].clone());
            cx.fork(position, Box::new(Self { settings: self.settings, open, transactions }));
        }
    }

    /// Something is wrong with the newest message of which more is to come, or with no message in particular.
    fn odd(&mut self, cx: &mut ParseContext<'_>, direction: Direction, anomaly: Dnp3Anomaly) {
        let open = self.open[direction].last().and_then(|open| self.transactions.by_id_mut(open.id));
        match open {
            Some(tx) => tx.meta.anomaly(anomaly.into()),
            None => cx.anomalies.push(anomaly.into()),
        }
    }

    /// No more of these messages will come.
    fn forget(&mut self, direction: Direction, which: impl Fn(&Open) -> bool) {
        for gone in self.open[direction].extract_if(.., |open| which(open)) {
            if let Some(tx) = self.transactions.by_id_mut(gone.id) {
                tx.end();
            }
        }
    }

    /// A frame carries a part of a message, behind the header of the transport function.
    fn frame(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: Header,
        data: &[u8],
        time: Timestamp,
    ) {
        let [transport, part @ ..] = data else { return };
        let (is_last, is_first, sequence) = (transport & 0x80 != 0, transport & 0x40 != 0, transport & 0x3f);
        if is_first {
            self.forget(direction, |open| open.is_between(header));
            let least = if direction == Direction::ToServer { REQUEST_HEADER } else { RESPONSE_HEADER };
            if part.len() < least {
                self.odd(cx, direction, Dnp3Anomaly::LengthTooSmall);
            }
            if part.len() >= least || !is_last {
                self.begin(cx, direction, header, sequence, part);
            }
        }
        let fits = |open: &&mut Open| open.is_between(header) && open.next == sequence;
        let Some(open) = self.open[direction].iter_mut().find(fits) else { return };
        open.next = sequence.wrapping_add(1) & 0x3f;
        let id = open.id;
        let Some(tx) = self.transactions.by_id_mut(id) else { return };
        tx.meta.seen(direction, time);
        if tx.data.len() + part.len() > MAX_MESSAGE {
            tx.meta.anomaly(Dnp3Anomaly::Malformed.into());
            return self.forget(direction, |open| open.id == id);
        }
        tx.data.extend_from_slice(part);
        if is_last {
            self.finish(direction, id, time);
        }
    }

    /// A message begins.
    fn begin(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: Header,
        sequence: u8,
        part: &[u8],
    ) {
        // Nothing is said by a confirmation; Zeek has it all the same.
        if part.get(1) == Some(&CONFIRM) && !cx.reads_as_zeek() {
            return;
        }
        if self.transactions.len() >= MAX_LIVE {
            return cx.anomalies.push(Dnp3Anomaly::Flooded.into());
        }
        let mut tx = Dnp3Transaction { link: header, ..Dnp3Transaction::default() };
        tx.meta.only = Some(direction);
        if self.transactions.len() >= self.settings.max_transactions {
            tx.meta.anomaly(Dnp3Anomaly::Flooded.into());
        }
        let id = self.transactions.push(tx).meta.id;
        if self.open[direction].len() >= MAX_OPEN
            && let Some(oldest) = self.open[direction].first().map(|open| open.id)
        {
            if let Some(given_up) = self.transactions.by_id_mut(oldest) {
                given_up.meta.anomaly(Dnp3Anomaly::Flooded.into());
            }
            self.forget(direction, |open| open.id == oldest);
        }
        let (destination, source) = (header.destination, header.source);
        self.open[direction].push(Open { id, destination, source, next: sequence });
    }

    /// A message is whole.
    fn finish(&mut self, direction: Direction, id: u64, time: Timestamp) {
        self.open[direction].retain(|open| open.id != id);
        let Some(tx) = self.transactions.by_id_mut(id) else { return };
        tx.time = time;
        tx.end();
        let start = if tx.is_request() { REQUEST_HEADER } else { RESPONSE_HEADER };
        tx.whole = tx.data.len() >= start;
        if !tx.whole {
            return tx.meta.anomaly(Dnp3Anomaly::Malformed.into());
        }
        // What is asked for is only named.
        let with_points = tx.function() != READ;
        tx.objects = Objects::read(&tx.data, start, with_points, &self.settings);
        if let Some(anomaly) = tx.objects.anomaly {
            tx.meta.anomaly(anomaly.into());
        }
    }
}

/// The function that asks for objects.
const READ: u8 = 1;
