//! Events of Redis for scripts: commands with all of their words, some with what they say, and replies.

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_applayer::{Said, event_names};
use weir_base::{EventValue, Reader};

use super::command::{Command, Effect};
use super::message::Message;

event_names! {
    /// Their names.
    const NAMES;
    COMMAND = "Redis::command",
    SET = "Redis::set_command",
    GET = "Redis::get_command",
    AUTH = "Redis::auth_command",
    HELLO = "Redis::hello_command",
    REPLY = "Redis::reply",
    ERROR = "Redis::error",
    PUSH = "Redis::server_push",
}

/// The events.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/redis/main",
    bodies: None,
    names: NAMES,
    open: || Box::<RedisRaiser>::default(),
};

/// Names of commands that scripts know by a number of an enumeration.
const KNOWN: &str = "Redis::RedisCommand_";

#[derive(Debug, Default)]
struct RedisRaiser {
    /// Replies are messages that were subscribed to.
    is_subscribed: bool,
    is_version_3: bool,
}

impl EventRaiser for RedisRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<Said<Message>>().filter(|_| news.complete) else { return };
        match &tx.message {
            Message::Command(command) => {
                self.is_version_3 |= command.effect == Effect::Hello3;
                if command.effect != Effect::Unknown && !self.is_version_3 {
                    self.is_subscribed = command.effect == Effect::Subscribe;
                }
                for heard in tx.meta.heard.take() {
                    told(command, &words(&heard.bytes), sink);
                }
            }
            Message::Reply { text, is_error, is_version_3 } => {
                if *is_version_3 {
                    (self.is_version_3, self.is_subscribed) = (true, false);
                }
                if self.is_subscribed && !is_error {
                    replied(PUSH, text, *is_version_3, sink);
                }
                replied(if *is_error { ERROR } else { REPLY }, text, *is_version_3, sink);
            }
            Message::Push(text) => replied(PUSH, text, true, sink),
            Message::Failure => {}
        }
    }
}

fn replied(event: usize, text: &[u8], is_version_3: bool, sink: &mut dyn EventSink) {
    let version = if is_version_3 { 3u8 } else { 2 };
    let data = [EventValue::Unset, EventValue::String(text), version.into()];
    sink.raise(event, &[EventValue::Connection, EventValue::Record(&data)]);
}

/// The words of a command, each behind its length.
fn words(bytes: &[u8]) -> Vec<&[u8]> {
    let mut reader = Reader::new(bytes);
    std::iter::from_fn(|| {
        let length = reader.u32()?;
        reader.take(length as usize)
    })
    .collect()
}

/// Raises the events of a command: that of its name, and that of any command.
fn told(command: &Command, words: &[&[u8]], sink: &mut dyn EventSink) {
    let c = EventValue::Connection;
    let name = command.name.to_ascii_uppercase();
    match (name.as_slice(), words) {
        (b"SET", [_, key, value, options @ ..]) => set(key, value, options, sink),
        (b"GET", [_, key, ..]) => sink.raise(GET, &[c, EventValue::String(key)]),
        (b"AUTH", [_, password]) => auth(None, password, sink),
        (b"AUTH", [_, user, password, ..]) => auth(Some(user), password, sink),
        (b"HELLO", [_, rest @ ..]) => {
            let version = EventValue::bytes(rest.first().copied());
            sink.raise(HELLO, &[c, EventValue::Record(&[version])]);
        }
        _ => {}
    }
    let raw: Vec<EventValue<'_>> = words.iter().map(|word| EventValue::String(word)).collect();
    let known = std::str::from_utf8(&name).ok().filter(|_| command.effect != Effect::Unknown);
    let known = known.map(|name| [KNOWN, name].concat());
    let fields = [
        EventValue::List(&raw),
        EventValue::String(&command.name),
        EventValue::bytes(command.key.as_deref()),
        EventValue::bytes(command.value.as_deref()),
        known.as_deref().map_or(EventValue::Unset, EventValue::Enum),
    ];
    sink.raise(COMMAND, &[c, EventValue::Record(&fields)]);
}

fn auth(user: Option<&[u8]>, password: &[u8], sink: &mut dyn EventSink) {
    let fields = [EventValue::bytes(user), EventValue::String(password)];
    sink.raise(AUTH, &[EventValue::Connection, EventValue::Record(&fields)]);
}

fn set(key: &[u8], value: &[u8], options: &[&[u8]], sink: &mut dyn EventSink) {
    let [mut only_new, mut only_old, mut returns, mut keeps] = [false; 4];
    let mut times = [EventValue::Unset; 4];
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        let option = option.to_ascii_uppercase();
        let place = [&b"EX"[..], b"PX", b"EXAT", b"PXAT"].iter().position(|name| **name == option);
        if let Some(time) = place.and_then(|place| times.get_mut(place)) {
            let number = rest.next().and_then(|word| std::str::from_utf8(word).ok());
            *time = EventValue::count(number.and_then(|word| word.parse::<u64>().ok()));
            continue;
        }
        match option.as_slice() {
            b"NX" => only_new = true,
            b"XX" => only_old = true,
            b"GET" => returns = true,
            b"KEEPTTL" => keeps = true,
            _ => {}
        }
    }
    let [seconds, millis, at_seconds, at_millis] = times;
    let fields = [
        EventValue::String(key),
        EventValue::String(value),
        only_new.into(),
        only_old.into(),
        returns.into(),
        seconds,
        millis,
        at_seconds,
        at_millis,
        keeps.into(),
    ];
    sink.raise(SET, &[EventValue::Connection, EventValue::Record(&fields)]);
}

#[cfg(test)]
mod tests {
    use weir_applayer::NoOptions;

    use super::*;
    use crate::redis::REDIS;
    use crate::testing::{Conversation, DOWN, Events, UP};

    #[test]
    fn commands_and_replies() {
        let set = b"*6\r\n$3\r\nset\r\n$1\r\nk\r\n$1\r\nv\r\n$2\r\nNX\r\n$2\r\nex\r\n$2\r\n10\r\n";
        let said: [(_, &[u8]); 8] = [
            (UP, set),
            (DOWN, b"+OK\r\n"),
            (UP, b"AUTH bob secret\r\nHELLO 3\r\nGET k\r\n"),
            (DOWN, b"-ERR no\r\n_\r\n"),
            (DOWN, b">1\r\n+news\r\n"),
            (UP, b"*5\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd\r\n$1\r\ne\r\n"),
            (UP, b"PING\r\n"),
            (DOWN, b"+PONG\r\n"),
        ];
        let expected = [
            "Redis::set_command c [k, v, T, F, F, 10, -, -, -, F]",
            "Redis::command c [(set, k, v, NX, ex, 10), set, k, v, Redis::RedisCommand_SET]",
            "Redis::reply c [-, OK, 2]",
            "Redis::auth_command c [bob, secret]",
            "Redis::command c [(AUTH, bob, secret), AUTH, -, -, Redis::RedisCommand_AUTH]",
            "Redis::hello_command c [3]",
            "Redis::command c [(HELLO, 3), HELLO, -, -, Redis::RedisCommand_HELLO]",
            "Redis::get_command c k",
            "Redis::command c [(GET, k), GET, k, -, Redis::RedisCommand_GET]",
            "Redis::error c [-, ERR no, 2]",
            "Redis::reply c [-, null, 3]",
            "Redis::server_push c [-, [news], 3]",
            "Redis::command c [(a, b, c, d, e), a, -, -, -]",
            "Redis::command c [(PING), PING, -, -, -]",
            "Redis::reply c [-, PONG, 2]",
        ];
        let mut talk = Conversation::new(&REDIS, &NoOptions);
        talk.files.messages = true;
        for (direction, bytes) in said {
            talk.push(direction, bytes);
        }
        let (mut raiser, mut sink) = (RedisRaiser::default(), Events::new(NAMES));
        for id in talk.ids() {
            raiser.transaction(News { transaction: talk.transaction(id), complete: true }, &mut sink);
        }
        assert_eq!(sink.raised, expected);
    }
}
