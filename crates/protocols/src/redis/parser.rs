//! Cuts both sides into commands and replies.

use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{
    Early, Factory, Options, Outcome, ParseContext, Parser, Said, TransactionList, factory,
    parser_transactions,
};
use weir_base::{Direction, PerDirection};

use super::REDIS;
use super::command::Reader;
use super::message::Message;
use super::value::{Step, Value};

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(RedisParser::default()))
}

/// The messages of one flow.
#[derive(Debug, Default)]
struct RedisParser {
    command: Reader,
    reply: Value,
    /// By direction: it said what is no message, and nothing more of it is read.
    has_failed: PerDirection<bool>,
    transactions: TransactionList<Said<Message>>,
}

impl Parser for RedisParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if self.has_failed[direction] {
                return Outcome::Ok;
            }
            self.command.keeps_all = cx.files.messages;
            let (step, message) = self.step(direction, rest);
            match step {
                Step::Taken(taken) => position += taken,
                Step::More(needed) => return Outcome::Incomplete { consumed: position, needed },
                Step::Malformed => self.has_failed[direction] = true,
            }
            if let Some(message) = message.filter(|_| self.transactions.len() < MAX_LIVE) {
                let time = cx.arrival(position.saturating_sub(1));
                let is_told = cx.files.messages && matches!(message, Message::Command(_));
                let said = self.transactions.push(Said::new(direction, time, message));
                if is_told {
                    said.meta.heard.note(true, direction, time, 0, &self.command.take_words());
                }
            }
        }
        Outcome::Ok
    }

    /// A server may yet say something that makes sense again, for Zeek: what it said fails with its end. Of a
    /// client that fails Zeek says nothing.
    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        if direction == Direction::ToClient && std::mem::take(&mut self.has_failed.to_client) {
            self.transactions.push(Said::new(direction, cx.time, Message::Failure));
        }
    }

    fn fork(&mut self, direction: Direction, early: Early) -> Option<Box<dyn Parser>> {
        if early != Early::End || direction != Direction::ToClient || !self.has_failed.to_client {
            return None;
        }
        Some(Box::new(Self {
            command: self.command.clone(),
            reply: self.reply.clone(),
            has_failed: self.has_failed,
            transactions: self.transactions.fork(Said::fork),
        }))
    }

    fn held(&self) -> usize {
        self.command.memory() + self.reply.memory()
    }

    parser_transactions!(&REDIS);
}

impl RedisParser {
    /// Reads what stands next, and with it perhaps a message.
    fn step(&mut self, direction: Direction, bytes: &[u8]) -> (Step, Option<Message>) {
        match direction {
            Direction::ToServer => {
                let (step, command) = self.command.read(bytes);
                (step, command.map(Message::Command))
            }
            Direction::ToClient => {
                let (step, is_whole) = self.reply.read(bytes);
                (step, (is_whole && !self.reply.is_empty()).then(|| self.take_reply()))
            }
        }
    }

    fn take_reply(&mut self) -> Message {
        let Value { text, is_error, is_push, is_version_3, .. } = std::mem::take(&mut self.reply);
        if is_push { Message::Push(text) } else { Message::Reply { text, is_error, is_version_3 } }
    }
}
