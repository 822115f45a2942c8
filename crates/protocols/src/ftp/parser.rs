//! Cuts the two directions into lines, and puts commands and replies together.

use std::sync::Arc;

use memchr::memchr;
use weir_applayer::{Factory, Options, Outcome, ParseContext, Parser, Request, TransactionList, factory};
use weir_base::{Direction, Duration, PerDirection};

use super::FTP;
use super::address;
use super::anomaly::FtpAnomaly;
use super::command::{Command, Mode};
use super::data::FTP_DATA;
use super::line::{self, Next};
use super::nvt;
use super::settings::Settings;
use super::transaction::{COMPLETE, FtpTransaction, MAX_REPLIES, Reply};

/// Reads `app-layer.protocols.ftp`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |_| {
        Box::new(FtpParser {
            settings,
            cut: PerDirection::default(),
            unkept: None,
            agreed: None,
            waiting: 0,
            latest: None,
            asked: None,
            transactions: TransactionList::default(),
        })
    })
}

/// One control connection.
#[derive(Debug)]
pub struct FtpParser {
    settings: Settings,
    /// The end of a line is passed over that is longer than what is kept.
    cut: PerDirection<bool>,
    /// The end of a command that is passed over, if that has a transaction.
    unkept: Option<Unkept>,
    /// Where the next data will go.
    agreed: Option<(Mode, u16)>,
    /// No transaction before this one waits for a reply.
    waiting: u64,
    /// The transaction whose reply ended among the bytes at hand.
    latest: Option<u64>,
    /// The last command.
    asked: Option<Command>,
    transactions: TransactionList<FtpTransaction>,
}

/// The end of a command that is longer than what is kept.
#[derive(Clone, Copy, Debug)]
struct Unkept {
    /// Its transaction.
    id: u64,
    /// Meaning of its next byte.
    next: nvt::Next,
    /// Bytes of text so far.
    length: usize,
    /// Its last byte so far.
    last: u8,
}

/// Result of a line.
enum Read {
    /// The next one may follow.
    Taken,
    /// Encryption begins behind it.
    Encrypted,
    /// Too much is open.
    Failed,
}

impl Parser for FtpParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        self.latest = None;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if self.cut[direction] {
                let end = memchr(b'\n', rest);
                self.cut[direction] = end.is_none();
                let taken = end.map_or(rest.len(), |end| end + 1);
                if direction == Direction::ToServer {
                    self.pass_over(rest.get(..taken).unwrap_or_default());
                }
                position += taken;
                continue;
            }
            let (text, truncated, taken) = match line::next(rest, self.settings.max_line_length) {
                Next::Needed(needed) => {
                    self.end_part(cx, direction, position);
                    return Outcome::Incomplete { consumed: position, needed };
                }
                Next::Line { text, truncated, taken, ended } => {
                    self.cut[direction] = !ended;
                    (text, truncated, taken)
                }
            };
            let span = (position, position + taken);
            position += taken;
            let read = match direction {
                Direction::ToServer => {
                    let read = self.request(cx, text, truncated, span);
                    self.pass_over(rest.get(text.len()..taken).unwrap_or_default());
                    read
                }
                Direction::ToClient => self.reply(cx, text, truncated, span),
            };
            match read {
                Read::Taken => {}
                Read::Encrypted => return Outcome::Incomplete { consumed: position, needed: 0 },
                Read::Failed => return Outcome::Error,
            }
        }
        self.end_part(cx, direction, position);
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        if direction == Direction::ToServer {
            self.end_unkept();
        }
        for transaction in self.transactions.iter_mut() {
            transaction.meta.advance(direction, COMPLETE);
        }
    }

    weir_applayer::parser_transactions!(&FTP);
}

impl FtpParser {
    fn request(
        &mut self,
        cx: &mut ParseContext<'_>,
        text: &[u8],
        truncated: bool,
        (start, end): (usize, usize),
    ) -> Read {
        if text.is_empty() {
            return Read::Taken;
        }
        let mut known = Command::read(text);
        if !cx.reads_as_zeek() {
            let found = Command::find(text);
            if found != known {
                self.fork_at(cx, start);
                known = found;
            }
            if known.is_none() {
                // To records it is nothing that is replied to.
                self.asked = None;
                return Read::Taken;
            }
        }
        if self.transactions.len() >= self.settings.max_transactions {
            if let Some(last) = self.transactions.iter_mut().last() {
                last.meta.anomaly(FtpAnomaly::TooManyTransactions.into());
            }
            return Read::Failed;
        }
        let (command, argument) = known.map_or((None, text), |(command, argument)| (Some(command), argument));
        self.asked = command;
        let mut tx = FtpTransaction {
            command,
            argument: argument.to_vec(),
            command_truncated: truncated,
            ..FtpTransaction::default()
        };
        if truncated {
            tx.meta.anomaly(FtpAnomaly::RequestCommandTooLong.into());
        }
        match command.map(Command::name) {
            Some("PORT") => {
                let target = address::port(argument);
                tx.port = target.map(|(_, port)| port);
                tx.bounces = target.is_some_and(|(address, _)| address != cx.endpoints.client);
            }
            Some("EPRT") => tx.port = address::extended(argument).map(|(_, port)| port),
            _ => {}
        }
        if let Some(command) = command.filter(|command| command.sends_data()) {
            match self.agreed.take() {
                _ if argument.is_empty() && matches!(command.name(), "RETR" | "STOR") => {
                    tx.meta.anomaly(FtpAnomaly::FileWithoutName.into())
                }
                Some((mode, port)) => cx.request(expectation(mode, port, about(command, argument))),
                None => tx.meta.anomaly(FtpAnomaly::FileBeforePort.into()),
            }
        }
        let is_passive = tx.mode() == Some(Mode::Passive);
        let tx = self.transactions.push(tx);
        if truncated {
            let mut next = nvt::Next::default();
            next.count(text);
            self.unkept = Some(Unkept { id: tx.meta.id, next, length: 0, last: 0 });
        }
        tx.meta.seen(Direction::ToServer, cx.arrival(start));
        tx.meta.seen(Direction::ToServer, cx.arrival(end.saturating_sub(1)));
        // What it agrees on is known with the reply.
        if !is_passive {
            tx.meta.advance(Direction::ToServer, COMPLETE);
        }
        Read::Taken
    }

    /// Counts bytes of a command that are not kept.
    fn pass_over(&mut self, bytes: &[u8]) {
        let Some(unkept) = &mut self.unkept else { return };
        let line = bytes.strip_suffix(b"\n");
        let text = line.unwrap_or(bytes);
        unkept.length += unkept.next.count(text);
        unkept.last = text.last().copied().unwrap_or(unkept.last);
        if line.is_some() {
            unkept.length -= usize::from(unkept.last == b'\r').min(unkept.length);
            self.end_unkept();
        }
    }

    /// A command that is longer than what is kept is at its end.
    fn end_unkept(&mut self) {
        if let Some(Unkept { id, length, .. }) = self.unkept.take()
            && let Some(tx) = self.transactions.by_id_mut(id)
        {
            tx.unkept = length;
        }
    }

    /// Gives Zeek's logs a parser of their own, which reads on behind the first `taken` bytes of those at hand.
    fn fork_at(&mut self, cx: &mut ParseContext<'_>, taken: usize) {
        if cx.may_fork() {
            let transactions = self.transactions.fork(FtpTransaction::fork);
            cx.fork(taken, Box::new(Self { transactions, ..*self }));
        }
    }

    /// The bytes at hand end at `position`. Records tell of a reply as far as it came in one piece; Zeek's logs wait for
    /// its last line.
    fn end_part(&mut self, cx: &mut ParseContext<'_>, direction: Direction, position: usize) {
        let waits = |tx: &&FtpTransaction| tx.replied && tx.meta.progress[Direction::ToClient] < COMPLETE;
        let is_open = self.transactions.by_id(self.waiting).filter(waits).is_some();
        if direction == Direction::ToServer || cx.reads_as_zeek() || !is_open {
            return;
        }
        self.fork_at(cx, position);
        if let Some(tx) = self.transactions.by_id_mut(self.waiting) {
            self.agreed = tx.complete().or(self.agreed);
        }
    }

    /// The transaction that a reply belongs to: the oldest that waits for one. What a server says by itself is
    /// one of its own, or to records part of what came just before.
    fn replied_to(&mut self, cx: &mut ParseContext<'_>, start: usize) -> Option<&mut FtpTransaction> {
        let created = self.transactions.created();
        while self.waiting < created
            && self
                .transactions
                .by_id(self.waiting)
                .is_none_or(|tx| tx.meta.progress[Direction::ToClient] >= COMPLETE)
        {
            self.waiting += 1;
        }
        if self.waiting == created {
            if let Some(latest) = self.latest.filter(|_| !cx.reads_as_zeek()) {
                self.fork_at(cx, start);
                return self.transactions.by_id_mut(latest);
            }
            if self.transactions.len() >= self.settings.max_transactions {
                return None;
            }
            let mut greeting = FtpTransaction::default();
            greeting.meta.only = Some(Direction::ToClient);
            self.transactions.push(greeting);
        }
        self.transactions.by_id_mut(self.waiting)
    }

    fn reply(
        &mut self,
        cx: &mut ParseContext<'_>,
        text: &[u8],
        truncated: bool,
        (start, end): (usize, usize),
    ) -> Read {
        let last = self.asked.map(Command::name);
        let reply = Reply::new(text);
        let agrees = reply.code() == Some(b"234");
        // Rules and records go on as if it were not encrypted.
        let encrypts = agrees
            && cx.reads_as_zeek()
            && self.replied_to(cx, start).and_then(|tx| tx.command).is_some_and(Command::is_auth);
        let hides = last.is_none() && !cx.reads_as_zeek();
        let Some(tx) = self.replied_to(cx, start) else { return Read::Failed };
        // In records a command has no name once one follows before the reply that they have no name for.
        tx.command = tx.command.filter(|_| !hides);
        tx.meta.seen(Direction::ToClient, cx.arrival(start));
        tx.meta.seen(Direction::ToClient, cx.arrival(end.saturating_sub(1)));
        if truncated {
            tx.reply_truncated = true;
            tx.meta.anomaly(FtpAnomaly::ResponseCommandTooLong.into());
        }
        let command = tx.command.map(Command::name);
        // To records the transaction may be another one than the command's, where a reply came in pieces.
        let answers = |name| command == Some(name) || last == Some(name);
        let port = match (reply.code(), reply.text()) {
            (Some(b"227"), Some(text)) if answers("PASV") => address::passive(text).map(|(_, port)| port),
            (Some(b"229"), Some(text)) if answers("EPSV") => address::extended_passive(text),
            _ => None,
        };
        tx.port = port.or(tx.port);
        if tx.open_reply.is_none() && tx.fault.is_none() {
            tx.fault = reply.fault().map(|fault| (fault, cx.arrival(end.saturating_sub(1))));
        }
        let is_last = tx.is_last(&reply);
        tx.replied |= !reply.is_preliminary();
        if tx.replies.len() < MAX_REPLIES {
            tx.reply_bytes += size_of::<Reply>() + reply.line().len();
            tx.replies.push(reply);
        }
        if is_last {
            let agreed = tx.complete().or(port.map(|port| (Mode::Passive, port)));
            self.latest = Some(tx.meta.id);
            // Zeek waits for the data from now on, whatever it will be for.
            if let Some((mode, port)) = agreed.filter(|_| cx.reads_as_zeek()) {
                cx.request(expectation(mode, port, Arc::default()));
            }
            self.agreed = agreed.or(self.agreed);
        }
        if encrypts {
            cx.request(Request::Upgrade(Some("tls")));
            return Read::Encrypted;
        }
        Read::Taken
    }
}

/// Time for which a connection for data is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

fn expectation(mode: Mode, port: u16, tag: Arc<[u8]>) -> Request {
    let opened_by = match mode {
        Mode::Active => Direction::ToClient,
        Mode::Passive => Direction::ToServer,
    };
    Request::Expect { protocol: FTP_DATA.name, opened_by, port, tag, patience: PATIENCE }
}

/// Returns the command and its argument, for the data connection.
fn about(command: Command, argument: &[u8]) -> Arc<[u8]> {
    let mut text = command.name().as_bytes().to_vec();
    let name = argument.trim_ascii();
    if command.sends_file() && !name.is_empty() {
        text.push(b' ');
        text.extend_from_slice(name);
    }
    text.into()
}
