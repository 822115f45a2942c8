//! Zeek's redis log: a row for each command, with the reply to it.
//!
//! Replies come in the order of the commands; some commands have none, or turn them off. A row is written once a reply
//! came to its command or to a later one, or when the connection is over and some reply came.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use weir_applayer::zeek::News;
use weir_applayer::zeek::column::Text;
use weir_applayer::{Said, ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::Timestamp;

use super::REDIS;
use super::command::{Command, Effect};
use super::message::Message;
use super::value::MAX_TEXT;

/// Most commands that wait for a reply, or replies for their command; beyond them all is forgotten with the next
/// command, and replies to nothing are.
pub const MAX_PENDING: usize = 10_000;

/// Most bytes of their texts.
pub const MAX_HELD: usize = 8 << 20;

zeek_stream! {
    static STREAM: "redis" of a connection;
    struct Row {
        name as "cmd.name": Text,
        key as "cmd.key": Text,
        value as "cmd.value": Text,
        success: Bool,
        reply as "reply.value": Text,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::<RedisLogger>::default())
};

/// A command that waits for a reply, or a reply that waits for its command.
#[derive(Debug)]
struct Pending {
    time: Timestamp,
    command: Option<Command>,
    reply: Option<(Vec<u8>, bool)>,
}

impl Pending {
    fn size(&self) -> usize {
        let command = self.command.as_ref().map_or(0, Command::size);
        command + self.reply.as_ref().map_or(0, |(text, _)| text.len())
    }
}

/// Follows one connection.
#[derive(Debug, Default)]
struct RedisLogger {
    /// By number, from 1 on.
    pending: BTreeMap<u64, Pending>,
    /// Bytes of their texts.
    held: usize,
    commands: u64,
    replies: u64,
    /// Commands without a reply: from where to before where, or open.
    quiet: VecDeque<(u64, Option<u64>)>,
    /// Single commands without one.
    skipped: BTreeSet<u64>,
    is_subscribed: bool,
    is_version_3: bool,
    /// The server said what is no message: nothing more is written.
    has_failed: bool,
}

impl ZeekLogger for RedisLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<Said<Message>>().filter(|_| news.complete && !self.has_failed) else {
            return;
        };
        match &tx.message {
            Message::Command(command) => self.command(command, tx.time, sink),
            Message::Push(_) => sink.service(REDIS.zeek_service),
            Message::Reply { text, is_error, is_version_3 } => {
                sink.service(REDIS.zeek_service);
                if *is_version_3 {
                    self.is_version_3 = true;
                    self.is_subscribed = false;
                }
                if *is_error || !self.is_subscribed {
                    self.reply(text, *is_error, tx.time, sink);
                }
            }
            Message::Failure => {
                self.has_failed = true;
                sink.violation(tx.time, "no value of RESP", None);
            }
        }
    }

    fn held(&self) -> usize {
        self.held + self.pending.len() * size_of::<(u64, Pending)>()
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        if self.has_failed || self.replies == 0 {
            return;
        }
        for pending in std::mem::take(&mut self.pending).into_values() {
            write(&pending, pending.time, sink);
        }
        self.held = 0;
    }
}

impl RedisLogger {
    fn command(&mut self, command: &Command, time: Timestamp, sink: &mut dyn ZeekSink) {
        if self.is_full() {
            sink.weird(time, "Redis_excessive_pipelining", None);
            *self = Self::default();
            return;
        }
        self.commands += 1;
        let number = self.commands;
        if command.effect == Effect::Hello3 {
            self.is_version_3 = true;
        }
        if command.effect != Effect::Unknown && !self.is_version_3 {
            self.is_subscribed = command.effect == Effect::Subscribe;
        }
        if matches!(command.effect, Effect::Subscribe | Effect::Unsubscribe) {
            self.skipped.insert(number);
        }
        self.follow(command.effect, number);
        let pending =
            self.pending.entry(number).or_insert_with(|| Pending { time, command: None, reply: None });
        self.held += command.size();
        pending.command = Some(command.clone());
    }

    fn is_full(&self) -> bool {
        self.pending.len() > MAX_PENDING || self.held > MAX_HELD
    }

    /// Notes which commands will have no reply.
    fn follow(&mut self, effect: Effect, number: u64) {
        let last = self.quiet.back_mut().filter(|(_, end)| end.is_none());
        match (effect, last) {
            (Effect::RepliesOn, Some((_, end))) => *end = Some(number),
            (Effect::RepliesOff, None) => self.quiet.push_back((number, None)),
            // This one and the next.
            (Effect::SkipReply, None) => self.quiet.push_back((number, Some(number + 2))),
            _ => {}
        }
    }

    /// The number of the command that the next reply is to.
    fn next_reply(&mut self) -> u64 {
        let mut number = self.replies + 1;
        while self.quiet.front().is_some_and(|(_, end)| end.is_some_and(|end| end <= number)) {
            self.quiet.pop_front();
        }
        if let Some((start, Some(end))) = self.quiet.front()
            && *start <= number
        {
            number = *end;
        }
        while self.skipped.remove(&number) {
            number += 1;
        }
        // Nobody asks for those before it any more.
        while self.skipped.first().is_some_and(|skipped| *skipped < number) {
            self.skipped.pop_first();
        }
        number
    }

    fn reply(&mut self, text: &[u8], is_error: bool, time: Timestamp, sink: &mut dyn ZeekSink) {
        self.replies = self.next_reply();
        let number = self.replies;
        if self.is_full() && !self.pending.contains_key(&number) {
            return;
        }
        self.held += text.len();
        let pending =
            self.pending.entry(number).or_insert_with(|| Pending { time, command: None, reply: None });
        pending.reply = Some((text.to_vec(), !is_error));
        // What stands before it has no reply any more; a reply that nothing asked for stays.
        while let Some(entry) = self.pending.first_entry().filter(|entry| *entry.key() <= number) {
            if entry.get().command.is_none() {
                break;
            }
            let pending = entry.remove();
            self.held = self.held.saturating_sub(pending.size());
            write(&pending, time, sink);
        }
        if self.commands == number {
            self.skipped.clear();
        }
    }
}

/// Writes a row, which Zeek cuts where it is too long.
fn write(pending: &Pending, time: Timestamp, sink: &mut dyn ZeekSink) {
    let Some(command) = &pending.command else { return };
    let reply = pending.reply.as_ref();
    let texts =
        [Some(&command.name), command.key.as_ref(), command.value.as_ref(), reply.map(|(text, _)| text)];
    if texts.iter().flatten().any(|text| text.len() > MAX_TEXT) {
        sink.weird_of_none(time, "log_string_field_truncated", Some("Redis::LOG"));
    }
    let [name, key, value, text] =
        texts.map(|text| Text::from(text.map(|text| text.get(..MAX_TEXT).unwrap_or(text))));
    let row = Row { name, key, value, success: reply.map(|(_, success)| *success).into(), reply: text };
    sink.row(&STREAM, pending.time, &row.values());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_of_commands_that_are_passed() {
        let mut logger = RedisLogger::default();
        for _ in 0..1000 {
            // A command without a reply stands among those for which replies were turned off.
            logger.commands += 1;
            logger.follow(Effect::SkipReply, logger.commands);
            logger.commands += 1;
            logger.skipped.insert(logger.commands);
            logger.commands += 1;
            logger.replies = logger.next_reply();
            assert_eq!(logger.replies, logger.commands);
        }
        assert_eq!((logger.skipped.len(), logger.quiet.len()), (0, 1));
    }
}
