//! Cuts the two directions into messages, and puts together what is asked and what is answered.
//!
//! An answer belongs to the oldest request that waits for one. Of what is passed over, no more than the header is
//! waited for.

use weir_applayer::{
    Factory, Heard, Options, Outcome, ParseContext, Parser, Request as Wish, Step, TransactionList, factory,
    in_steps,
};
use weir_base::{Direction, PerDirection, Reader};

use super::PGSQL;
use super::anomaly::PgsqlAnomaly;
use super::answer::Refused;
use super::events;
use super::message::{HEADER, Header, LENGTH, MAX_OPENING, backend, frontend, method, opening, text};
use super::probe;
use super::request::{self, CopyEnd, CopyIn, Request};
use super::settings::Settings;
use super::transaction::{COMPLETE, PgsqlTransaction, Place};

/// Multiple of `max-tx` transactions that may be live, while the engine has not looked at them.
const MAX_LIVE: usize = 2;

/// Most requests of a connection whose answers are in transactions of their own.
const MAX_LEFT_OPEN: usize = 64;

/// Most bytes of a message that scripts see.
const MAX_TOLD: usize = 64 << 10;

/// Reads `app-layer.protocols.pgsql`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |_| {
        Box::new(PgsqlParser {
            settings,
            streams: PerDirection::default(),
            begun: false,
            encryption: None,
            method: None,
            copies_both: false,
            waiting: 0,
            asked: false,
            left_open: 0,
            answering: None,
            transactions: TransactionList::default(),
            heard: Heard::default(),
        })
    })
}

/// One direction's bytes.
#[derive(Debug, Default)]
struct Stream {
    /// Bytes of a message that are passed over.
    skip: u64,
    /// Bytes were not seen: where a message begins is not known.
    lost: bool,
}

/// One connection.
#[derive(Debug)]
pub struct PgsqlParser {
    settings: Settings,
    streams: PerDirection<Stream>,
    /// Something was said.
    begun: bool,
    /// The transaction whose wish for encryption a byte answers.
    encryption: Option<u64>,
    /// The method of authentication that the server asked for last.
    method: Option<u32>,
    /// Both sides copy.
    copies_both: bool,
    /// No transaction before this one waits for an answer.
    waiting: u64,
    /// A request was sent, and nothing that answers it has come.
    asked: bool,
    /// Requests whose answers are in transactions of their own.
    left_open: usize,
    /// The transaction that has the answer of a request before it.
    answering: Option<u64>,
    transactions: TransactionList<PgsqlTransaction>,
    /// Messages for scripts.
    heard: Heard,
}

impl Parser for PgsqlParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if !std::mem::replace(&mut self.begun, true) {
            cx.request(Wish::StreamDepth(self.settings.stream_depth));
        }
        in_steps(bytes, |rest, position| self.step(cx, direction, rest, position))
    }

    /// Skips a gap within a message that is passed over; else looks for the next message, and gives up requests that
    /// wait for an answer.
    fn gap(&mut self, _: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        let stream = &mut self.streams[direction];
        if stream.skip >= length {
            stream.skip -= length;
            return Outcome::Ok;
        }
        stream.skip = 0;
        stream.lost = true;
        if direction == Direction::ToClient {
            self.encryption = None;
            self.copies_both = false;
            while let Some(transaction) = self.answered() {
                transaction.meta.advance(direction, COMPLETE);
            }
        }
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        for transaction in self.transactions.iter_mut() {
            transaction.meta.advance(direction, COMPLETE);
        }
    }

    fn heard(&self) -> Option<&Heard> {
        Some(&self.heard)
    }

    weir_applayer::parser_transactions!(&PGSQL);
}

impl PgsqlParser {
    fn step(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        let stream = &mut self.streams[direction];
        if stream.skip > 0 {
            let count = usize::try_from(stream.skip).unwrap_or(usize::MAX).min(rest.len());
            stream.skip -= count as u64;
            return Step::Taken(count);
        }
        if std::mem::take(&mut stream.lost) && !probe::may_begin(direction, rest) {
            stream.lost = true;
            return Step::Taken(rest.len());
        }
        match (direction, rest.first()) {
            // What follows a wish for TLS is TLS, or not: the answer tells.
            (Direction::ToServer, Some(_)) if self.encryption.is_some() => {
                return Step::Needed(rest.len() + 1);
            }
            (Direction::ToServer, Some(0)) => return self.opening(cx, rest, position),
            (Direction::ToClient, Some(&byte)) => {
                if let Some(step) = self.encryption_answer(cx, byte, position) {
                    return step;
                }
            }
            _ => {}
        }
        let Some(header) = Header::read(rest) else { return Step::Needed(HEADER) };
        if !header.has_length() {
            return self.fail(cx, direction, position);
        }
        let end = HEADER + header.kept(direction, self.transactions.len());
        let Some(body) = rest.get(HEADER..end) else { return Step::Needed(end) };
        let whole = HEADER.saturating_add(header.body());
        if header.kind > events::ENCRYPTION {
            let told = rest.get(HEADER..whole).unwrap_or(body);
            self.tell(cx, direction, header.kind, told, position + end);
        }
        if header.is_known(direction) {
            match direction {
                Direction::ToServer => self.request(cx, header, body, (position, position + end)),
                Direction::ToClient => self.answer(cx, header, body, (position, position + end)),
            }
        } else {
            self.note(cx, direction, malformed(direction));
        }
        self.streams[direction].skip = (HEADER + header.body()).saturating_sub(end) as u64;
        Step::Taken(end)
    }

    /// Keeps a message that ends there in the push, or its beginning, for scripts.
    fn tell(&mut self, cx: &ParseContext<'_>, direction: Direction, kind: u8, body: &[u8], end: usize) {
        if cx.files.messages && cx.tells_zeek() {
            let body = body.get(..MAX_TOLD).unwrap_or(body);
            self.heard.note(true, direction, cx.arrival(end.saturating_sub(1)), kind, body);
        }
    }

    /// A message that a connection begins with.
    fn opening(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], position: usize) -> Step {
        let Some(length) = Reader::new(rest).u32() else { return Step::Needed(LENGTH) };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if !(opening::WISH_LENGTH..=MAX_OPENING).contains(&length) {
            return self.fail(cx, Direction::ToServer, position);
        }
        let Some(message) = rest.get(..length) else { return Step::Needed(length) };
        self.tell(cx, Direction::ToServer, events::OPENING, message, position + length);
        let (request, is_wish) = request::open(message).unwrap_or((Request::Unknown, false));
        let is_unknown = request == Request::Unknown;
        let waits = is_wish || matches!(request, Request::Startup(_));
        self.method = None;
        let Some(transaction) = self.begin(cx, request, (position, position + length)) else {
            return Step::Taken(length);
        };
        if is_unknown {
            transaction.note(PgsqlAnomaly::MalformedRequest);
        }
        if !waits {
            transaction.meta.advance(Direction::ToClient, COMPLETE);
        }
        if is_wish {
            self.encryption = Some(transaction.meta.id);
        }
        Step::Taken(length)
    }

    /// A new transaction, whose request lies there in the push and is whole; none where there is no room.
    fn begin(
        &mut self,
        cx: &mut ParseContext<'_>,
        request: Request,
        (start, end): (usize, usize),
    ) -> Option<&mut PgsqlTransaction> {
        cx.request(Wish::InspectStream(Direction::ToServer));
        let live = self.transactions.len();
        if live >= self.settings.max_transactions {
            self.give_up_oldest();
        }
        if live >= self.settings.max_transactions.saturating_mul(MAX_LIVE) {
            return None;
        }
        self.asked = true;
        let transaction = self.transactions.push(PgsqlTransaction { request, ..PgsqlTransaction::default() });
        transaction.meta.seen(Direction::ToServer, cx.arrival(start));
        transaction.meta.seen(Direction::ToServer, cx.arrival(end.saturating_sub(1)));
        transaction.meta.advance(Direction::ToServer, COMPLETE);
        Some(transaction)
    }

    /// The oldest transaction that waits is waited for no longer.
    fn give_up_oldest(&mut self) {
        if let Some(oldest) = self.answered() {
            oldest.note(PgsqlAnomaly::TooManyTransactions);
            for direction in Direction::BOTH {
                oldest.meta.advance(direction, COMPLETE);
            }
        }
    }

    fn request(&mut self, cx: &mut ParseContext<'_>, header: Header, body: &[u8], span: (usize, usize)) {
        let request = match header.kind {
            frontend::QUERY => Request::Query(text(body).to_vec()),
            frontend::PASSWORD => match self.method.take() {
                Some(method::SASL) => request::sasl_initial(body),
                Some(method::SASL_CONTINUE) => Request::SaslResponse(body.to_vec()),
                _ => Request::Password(text(body).to_vec()),
            },
            frontend::TERMINATE => Request::Terminate,
            frontend::COPY_DATA | frontend::COPY_DONE | frontend::COPY_FAIL => {
                return self.copy(cx, header, span);
            }
            _ => return,
        };
        let is_end = request == Request::Terminate;
        if let Some(transaction) = self.begin(cx, request, span).filter(|_| is_end) {
            transaction.meta.advance(Direction::ToClient, COMPLETE);
        }
    }

    /// Data that is copied to the server, or its end: one transaction, whatever its messages.
    fn copy(&mut self, cx: &mut ParseContext<'_>, header: Header, (start, end): (usize, usize)) {
        if self.copies_both {
            return;
        }
        let is_open = self.transactions.last_mut().is_some_and(|transaction| {
            matches!(transaction.request, Request::Copy(CopyIn { end: None, .. }))
                && transaction.meta.progress[Direction::ToClient] < COMPLETE
        });
        if !is_open && self.begin_copy(cx, (start, end)).is_none() {
            return;
        }
        let Some(transaction) = self.transactions.last_mut() else { return };
        let Request::Copy(copy) = &mut transaction.request else { return };
        match header.kind {
            frontend::COPY_DATA => {
                copy.messages += 1;
                copy.bytes += header.body() as u64;
            }
            frontend::COPY_DONE => copy.end = Some(CopyEnd::Done),
            _ => copy.end = Some(CopyEnd::Fail),
        }
        let is_over = copy.end.is_some();
        transaction.meta.seen(Direction::ToServer, cx.arrival(end.saturating_sub(1)));
        if is_over {
            transaction.meta.advance(Direction::ToServer, COMPLETE);
        }
    }

    /// Begins a copy to the server, of which not all is there yet.
    fn begin_copy(&mut self, cx: &mut ParseContext<'_>, span: (usize, usize)) -> Option<()> {
        let transaction = self.begin(cx, Request::Copy(CopyIn::default()), span)?;
        transaction.meta.progress[Direction::ToServer] = Default::default();
        Some(())
    }

    /// The byte that answers a wish for encryption, where one waits for it.
    fn encryption_answer(&mut self, cx: &mut ParseContext<'_>, byte: u8, position: usize) -> Option<Step> {
        let id = self.encryption.take()?;
        if !matches!(byte, b'S' | b'N' | b'G') {
            return None;
        }
        self.tell(cx, Direction::ToClient, events::ENCRYPTION, &[byte], position + 1);
        let transaction = self.transactions.by_id_mut(id)?;
        transaction.answer.seen = true;
        let is_wish_for_tls = transaction.request == Request::Ssl;
        if is_wish_for_tls {
            transaction.answer.encryption = Some(byte);
        }
        transaction.meta.seen(Direction::ToClient, cx.arrival(position));
        transaction.meta.advance(Direction::ToClient, COMPLETE);
        Some(match byte {
            b'S' if is_wish_for_tls => {
                cx.request(Wish::Upgrade(Some("tls")));
                Step::Over(1)
            }
            b'G' => {
                cx.request(Wish::StopParsing(Direction::ToServer));
                cx.request(Wish::StopParsing(Direction::ToClient));
                Step::Taken(1)
            }
            _ => Step::Taken(1),
        })
    }

    /// The transaction that is answered: the one that was opened for the answer, or the oldest that waits for one.
    fn answered(&mut self) -> Option<&mut PgsqlTransaction> {
        let waits = |tx: &PgsqlTransaction| {
            tx.meta.progress[Direction::ToClient] < COMPLETE && tx.place != Place::LeftOpen
        };
        self.answering = self.answering.filter(|&id| self.transactions.by_id(id).is_some_and(waits));
        if let Some(id) = self.answering {
            return self.transactions.by_id_mut(id);
        }
        self.transactions.oldest_mut(&mut self.waiting, waits)
    }

    /// A notice that comes before the answer of a request opens a transaction of its own, which the answer belongs
    /// to: the request's stays open.
    fn open_another(&mut self) {
        if !self.asked {
            return;
        }
        let has_room = self.left_open < MAX_LEFT_OPEN.min(self.settings.max_transactions / 2);
        let Some(asked) = self.answered() else { return };
        if !has_room {
            asked.note(PgsqlAnomaly::TooManyTransactions);
            self.asked = false;
            return;
        }
        asked.place = Place::LeftOpen;
        self.left_open += 1;
        let other = PgsqlTransaction { place: Place::AnswersEarlier, ..PgsqlTransaction::default() };
        self.answering = Some(self.transactions.push(other).meta.id);
    }

    /// Begins a transaction for what the server says where nothing was asked that is known.
    fn unasked(&mut self, cx: &ParseContext<'_>, header: Header) {
        // Zeek's log has all errors.
        let is_told = self.transactions.created() == 0 || cx.reads_as_zeek() && header.kind == backend::ERROR;
        if is_told && self.transactions.len() < self.settings.max_transactions {
            let transaction = self.transactions.push(PgsqlTransaction::default());
            transaction.meta.only = Some(Direction::ToClient);
        }
    }

    fn answer(
        &mut self,
        cx: &mut ParseContext<'_>,
        header: Header,
        body: &[u8],
        (start, end): (usize, usize),
    ) {
        self.copies_both |= header.kind == backend::COPY_BOTH;
        self.copies_both &= header.kind != backend::READY;
        if self.answered().is_none() {
            self.unasked(cx, header);
        }
        if header.kind == backend::NOTICE {
            self.open_another();
        } else if header.is_news() {
            self.asked = false;
        }
        let Some(transaction) = self.answered() else { return };
        let taken = transaction.answer.take(header, body);
        transaction.meta.seen(Direction::ToClient, cx.arrival(start));
        transaction.meta.seen(Direction::ToClient, cx.arrival(end.saturating_sub(1)));
        match taken {
            Ok(()) => {}
            Err(Refused::NoRoom) => transaction.note(PgsqlAnomaly::TooManyResponses),
            Err(Refused::Malformed) => transaction.note(PgsqlAnomaly::MalformedResponse),
        }
        let method = (header.kind == backend::AUTHENTICATION).then(|| Reader::new(body).u32()).flatten();
        // The client's turn follows.
        let is_over = match header.kind {
            backend::READY | backend::COPY_IN => true,
            backend::AUTHENTICATION => {
                method.is_some_and(|method| !matches!(method, method::OK | method::SASL_FINAL))
            }
            // A session that does not begin ends; what fails in one is followed by more.
            backend::ERROR => !matches!(transaction.request, Request::Query(_) | Request::Copy(_)),
            _ => false,
        };
        if is_over {
            cx.request(Wish::InspectStream(Direction::ToClient));
            transaction.meta.advance(Direction::ToClient, COMPLETE);
            // One that copies to the server and has not ended is not waited for.
            if transaction.meta.only.is_none() {
                transaction.meta.advance(Direction::ToServer, COMPLETE);
            }
        }
        self.method = method.or(self.method);
    }

    /// Gives up at what is no message.
    fn fail(&mut self, cx: &mut ParseContext<'_>, direction: Direction, position: usize) -> Step {
        let is_first = self.transactions.created() == 0;
        self.note(cx, direction, PgsqlAnomaly::InvalidLength);
        if !is_first && self.transactions.last_mut().is_none_or(|last| last.is_complete()) {
            // Those before were reported; this one is for Zeek's logs alone.
            let mut transaction = PgsqlTransaction::default();
            transaction.meta.only = Some(direction);
            transaction.meta.silent = true;
            transaction.meta.advance(direction, COMPLETE);
            self.transactions.push(transaction);
        }
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.failed_at = Some(cx.arrival(position));
        }
        Step::Malformed
    }

    /// Records an anomaly of what waits, or of the flow where nothing does.
    fn note(&mut self, cx: &mut ParseContext<'_>, direction: Direction, anomaly: PgsqlAnomaly) {
        if self.transactions.created() == 0 {
            let transaction = self.transactions.push(PgsqlTransaction::default());
            transaction.meta.only = Some(direction);
            transaction.meta.seen(direction, cx.time);
            transaction.meta.advance(direction, COMPLETE);
            return transaction.note(anomaly);
        }
        match self.answered() {
            Some(transaction) => transaction.note(anomaly),
            None => cx.anomalies.push(anomaly.into()),
        }
    }
}

fn malformed(direction: Direction) -> PgsqlAnomaly {
    match direction {
        Direction::ToServer => PgsqlAnomaly::MalformedRequest,
        Direction::ToClient => PgsqlAnomaly::MalformedResponse,
    }
}
