//! Bytes of the server: replies, matched with the commands that they answer.

use weir_applayer::{Outcome, ParseContext, Request};
use weir_base::{Direction, Timestamp};

use super::anomaly::Oddity;
use super::command::Reply;
use super::events::heard;
use super::parser::{Command, CommandKind, RESPONSE_LINE, SmtpParser};
use super::transaction::RESPONSE_DATA;
use crate::mime::Line;

/// The service is ready.
const READY: u16 = 220;
/// The action was done.
const DONE: u16 = 250;
/// The message is to come.
const SEND_MESSAGE: u16 = 354;

impl SmtpParser {
    /// Reads the server's bytes.
    pub(super) fn server(&mut self, cx: &mut ParseContext<'_>, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            let mut lines = std::mem::take(&mut self.response.lines);
            if !lines.is_within_line() {
                self.response.line_start = cx.offset.saturating_add(position as u64);
            }
            let (taken, line) = lines.next(rest);
            position += taken;
            if let Some(line) = line {
                let time = cx.arrival(position.saturating_sub(1));
                self.reply_line(cx, &line, cx.offset.saturating_add(position as u64), time);
            }
            self.response.lines = lines;
            if self.left && position < bytes.len() {
                return Outcome::Incomplete { consumed: position, needed: 1 };
            }
        }
        Outcome::Ok
    }

    fn reply_line(&mut self, cx: &mut ParseContext<'_>, line: &Line<'_>, end: u64, time: Timestamp) {
        if line.continues || line.text.is_empty() {
            return;
        }
        let frame = cx.open_frame(Direction::ToClient, RESPONSE_LINE, self.response.line_start);
        cx.close_frame(Direction::ToClient, frame, end);
        let asked = self.commands.front().and_then(|command| command.transaction);
        if let Some(id) = asked {
            cx.frame_transaction(Direction::ToClient, frame, id);
            if let Some(transaction) = self.transactions.by_id_mut(id) {
                transaction.meta.seen(Direction::ToClient, time);
            }
        }
        if line.end.is_empty() {
            self.odd(Direction::ToClient, Oddity::TruncatedLine);
        }
        self.hear(cx, Direction::ToClient, heard::LINE, line.text, time);
        match Reply::read(line.text) {
            Some(reply) => self.reply(cx, reply, time),
            None => self.odd(Direction::ToClient, Oddity::InvalidReply),
        }
    }

    fn reply(&mut self, cx: &mut ParseContext<'_>, reply: Reply<'_>, time: Timestamp) {
        self.heard = true;
        self.note_last(reply);
        let front = self.commands.front().map(|command| command.kind);
        if !self.welcomed && (front.is_none() || reply.code == READY && front != Some(CommandKind::StartTls))
        {
            self.welcomed = !reply.goes_on;
            if reply.code != READY {
                self.odd(Direction::ToClient, Oddity::InvalidReply);
            }
            return;
        }
        if reply.goes_on {
            self.pipelining |= reply.code == DONE && reply.text.eq_ignore_ascii_case(b"PIPELINING");
            return;
        }
        if reply.code == SEND_MESSAGE
            && let Some(data) = self.commands.iter().position(|command| command.kind == CommandKind::Data)
        {
            // Only DATA is answered so: replies to those before were not seen.
            for command in self.commands.drain(..data).collect::<Vec<_>>() {
                self.settle(command, time);
            }
        }
        // The last line of what EHLO is answered.
        self.pipelining |= reply.code == DONE && reply.text.eq_ignore_ascii_case(b"PIPELINING");
        let Some(command) = self.commands.pop_front() else { return };
        match (command.kind, reply.code) {
            (CommandKind::StartTls, READY) => {
                self.left = true;
                cx.request(Request::Upgrade(Some("tls")));
                if let Some(transaction) = command.transaction.and_then(|id| self.transactions.by_id_mut(id))
                {
                    transaction.ended = true;
                    if let Some(envelope) = &mut transaction.envelope {
                        envelope.tls = true;
                    }
                }
            }
            (CommandKind::StartTls, _) => self.odd(Direction::ToClient, Oddity::TlsRejected),
            (CommandKind::Data, SEND_MESSAGE) => self.accept_data(cx, command, time),
            (CommandKind::Data, _) => {
                if let Some(transaction) = command.transaction.and_then(|id| self.transactions.by_id_mut(id))
                {
                    transaction.odd(Direction::ToClient, Oddity::DataCommandRejected);
                }
                self.refuse_data();
            }
            (CommandKind::Reset, DONE) => {
                let is_last = command.transaction.is_some_and(|id| id + 1 == self.transactions.created());
                let goes_on = self.goes_on(command);
                if is_last
                    && !goes_on
                    && let Some(transaction) = self.current().filter(|transaction| !transaction.has_content)
                {
                    transaction.ended = true;
                }
            }
            (CommandKind::EndOfData, _) => {
                self.row.start = time;
                self.row.messages += 1;
                self.row.active = false;
                if let Some(transaction) = command.transaction.and_then(|id| self.transactions.by_id_mut(id))
                    && let Some(envelope) = &mut transaction.envelope
                {
                    envelope.answered = true;
                }
            }
            _ => {}
        }
        self.settle(command, time);
    }

    /// Keeps the last line of replies while a row is open.
    fn note_last(&mut self, reply: Reply<'_>) {
        let asked = self.commands.front().and_then(|command| command.transaction);
        let id = asked.or(self.transactions.created().checked_sub(1));
        let transaction = id.and_then(|id| self.transactions.by_id_mut(id));
        if let Some(transaction) = transaction.filter(|transaction| !transaction.is_complete())
            && let Some(envelope) = transaction.envelope.as_deref_mut().filter(|envelope| !envelope.answered)
        {
            let code = reply.code.to_string();
            envelope.last_reply = Some([code.as_bytes(), b" ", reply.text].concat());
        }
    }

    /// The message is to follow; it may have done so already.
    fn accept_data(&mut self, cx: &mut ParseContext<'_>, command: Command, time: Timestamp) {
        if let Some(transaction) = command.transaction.and_then(|id| self.transactions.by_id_mut(id)) {
            transaction.meta.advance(Direction::ToClient, RESPONSE_DATA);
        }
        let waits = self.current().is_some_and(|transaction| {
            Some(transaction.meta.id) == command.transaction && !transaction.ended && !transaction.has_content
        });
        if waits {
            self.begin_data(cx, time);
        }
    }

    /// Whether more commands of a transaction wait for replies: its commands stand behind each other.
    fn goes_on(&self, command: Command) -> bool {
        self.commands.front().is_some_and(|next| next.transaction == command.transaction)
    }

    /// A command was answered: a transaction that the client has ended is complete with the last of its replies.
    fn settle(&mut self, command: Command, time: Timestamp) {
        let goes_on = self.goes_on(command);
        let Some(transaction) = command.transaction.and_then(|id| self.transactions.by_id_mut(id)) else {
            return;
        };
        transaction.meta.seen(Direction::ToClient, time);
        if transaction.ended && !goes_on {
            transaction.complete();
        }
    }
}
