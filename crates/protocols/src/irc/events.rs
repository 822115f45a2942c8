//! Events of IRC for scripts (RFC 2812): commands and replies, each by its name or number.

use std::net::{IpAddr, Ipv4Addr};

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_applayer::{HeardMessage, Said};
use weir_base::{Direction, EventValue};

use super::message::Message;

macro_rules! events {
    ($($variant:ident $name:literal)*) => {
        /// An event of IRC.
        #[derive(Clone, Copy)]
        #[repr(usize)]
        enum Event {
            $($variant,)*
        }

        /// Their names, in order.
        const NAMES: &[&str] = &[$($name),*];
    };
}

events! {
    Request "irc_request"
    Reply "irc_reply"
    Message "irc_message"
    Quit "irc_quit_message"
    Privmsg "irc_privmsg_message"
    Notice "irc_notice_message"
    Squery "irc_squery_message"
    Join "irc_join_message"
    Part "irc_part_message"
    Nick "irc_nick_message"
    InvalidNick "irc_invalid_nick"
    NetworkInfo "irc_network_info"
    ServerInfo "irc_server_info"
    ChannelInfo "irc_channel_info"
    WhoLine "irc_who_line"
    NamesInfo "irc_names_info"
    WhoisOperator "irc_whois_operator_line"
    WhoisChannels "irc_whois_channel_line"
    WhoisUser "irc_whois_user_line"
    OperResponse "irc_oper_response"
    GlobalUsers "irc_global_users"
    ChannelTopic "irc_channel_topic"
    Who "irc_who_message"
    Whois "irc_whois_message"
    Oper "irc_oper_message"
    Kick "irc_kick_message"
    Error "irc_error_message"
    Invite "irc_invite_message"
    Mode "irc_mode_message"
    Squit "irc_squit_message"
    User "irc_user_message"
    Password "irc_password_message"
    Dcc "irc_dcc_message"
    Starttls "irc_starttls"
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/irc/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(IrcRaiser),
};

#[derive(Debug)]
struct IrcRaiser;

impl EventRaiser for IrcRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<Said<Message>>() else { return };
        for heard in tx.meta.heard.take() {
            // What does not fit its format has no event.
            let _ = Line::read(&heard, sink);
        }
    }
}

/// Oddities of replies that do not fit their format, by their codes.
const ODD_REPLIES: &[(u64, Event, &str)] = &[
    (266, Event::GlobalUsers, "invalid_irc_global_users_reply"),
    (311, Event::WhoisUser, "irc_invalid_whois_user_line"),
    (313, Event::WhoisOperator, "irc_invalid_whois_operator_line"),
    (319, Event::WhoisChannels, "irc_invalid_whois_channel_line"),
    (332, Event::ChannelTopic, "irc_invalid_topic_reply"),
    (352, Event::WhoLine, "irc_invalid_who_line"),
    (353, Event::NamesInfo, "irc_invalid_names_line"),
];

/// Oddities of commands that do not fit their format.
const ODD_COMMANDS: &[(&str, Event, &str)] = &[
    ("PRIVMSG", Event::Privmsg, "irc_invalid_privmsg_message_format"),
    ("NOTICE", Event::Notice, "irc_invalid_notice_message_format"),
    ("SQUERY", Event::Squery, "irc_invalid_squery_message_format"),
    ("OPER", Event::Oper, "irc_invalid_oper_message_format"),
    ("KICK", Event::Kick, "irc_invalid_kick_message_format"),
    ("JOIN", Event::Join, "irc_invalid_join_line"),
    ("WHOIS", Event::Whois, "irc_invalid_whois_message_format"),
    ("INVITE", Event::Invite, "irc_invalid_invite_message_format"),
];

/// A line that is told of.
struct Line<'a> {
    is_orig: EventValue<'a>,
    prefix: &'a [u8],
    sink: &'a mut dyn EventSink,
}

/// Values of an event that are text.
fn texts<const N: usize>(texts: [&[u8]; N]) -> [EventValue<'_>; N] {
    texts.map(EventValue::String)
}

impl<'a> Line<'a> {
    fn read(heard: &'a HeardMessage, sink: &'a mut dyn EventSink) -> Option<()> {
        let mut rest = heard.bytes.trim_ascii_start();
        // Tags of a message stand before it.
        if rest.starts_with(b"@") {
            rest = word(rest).1.trim_ascii_start();
        }
        let mut prefix: &[u8] = b"";
        if let Some(behind) = rest.strip_prefix(b":") {
            let end = behind.iter().position(|byte| *byte == b' ')?;
            prefix = behind.get(..end)?;
            rest = behind.get(end + 1..)?.trim_ascii_start();
        }
        if rest.len() < 3 {
            return None;
        }
        let is_orig = heard.direction == Direction::ToServer;
        let mut line = Self { is_orig: EventValue::Bool(is_orig), prefix, sink };
        if let Some((digits, params)) = rest.split_first_chunk::<3>()
            && digits.iter().all(u8::is_ascii_digit)
        {
            let code = digits.iter().fold(0u64, |code, digit| code * 10 + u64::from(digit - b'0'));
            let told = line.reply(code, params.get(1..).unwrap_or_default());
            if told.is_none() {
                line.tell_odd(
                    ODD_REPLIES.iter().find(|(known, ..)| *known == code).map(|odd| (odd.1, odd.2)),
                );
            }
            return told;
        }
        let (command, params) = word(rest);
        let params = params.trim_ascii_start();
        let command = command.to_ascii_uppercase();
        if command == b"STARTTLS" {
            return None;
        }
        let told = line.command(&command, params);
        if told.is_none() {
            let odd = ODD_COMMANDS.iter().find(|(known, ..)| known.as_bytes() == command);
            line.tell_odd(odd.map(|odd| (odd.1, odd.2)));
        }
        if told.is_none() && !is_told(&command) {
            let event = if is_orig { Event::Request } else { Event::Message };
            line.raise(event, &texts([prefix, &command, params]));
        }
        Some(())
    }

    /// Tells that a line does not fit the format of its event, where scripts handle that.
    fn tell_odd(&mut self, odd: Option<(Event, &str)>) {
        if let Some((event, name)) = odd
            && self.sink.wants(event as usize)
        {
            self.sink.weird(name, None, "IRC");
        }
    }

    fn raise(&mut self, event: Event, values: &[EventValue<'_>]) {
        let mut arguments = vec![EventValue::Connection, self.is_orig];
        arguments.extend_from_slice(values);
        self.sink.raise(event as usize, &arguments);
    }

    /// RFC 2812 5.
    fn reply(&mut self, code: u64, params: &[u8]) -> Option<()> {
        let all: Vec<&[u8]> = words(params).collect();
        // The first parameter is whom the reply is for.
        let parts = all.get(1..).unwrap_or_default();
        match code {
            353 => {
                let (kind, channel) = (parts.first()?, parts.get(1)?);
                let users: Vec<&[u8]> = parts.get(2..)?.iter().map(|name| named(name)).collect();
                let users: Vec<EventValue<'_>> = distinct(users);
                let [kind, channel] = texts([kind, channel]);
                self.raise(Event::NamesInfo, &[kind, channel, EventValue::List(&users)]);
            }
            255 | 251 => {
                let before = |name: &[u8]| {
                    let place = all.iter().position(|part| *part == name);
                    number(place.and_then(|place| all.get(place.checked_sub(1)?)).map_or(b"", |part| part))
                };
                let first: &[u8] = if code == 255 { b"clients" } else { b"users" };
                let users = before(first).max(before(&[first, b","].concat()));
                let services = before(b"services").max(before(b"services,"));
                let event = if code == 255 { Event::ServerInfo } else { Event::NetworkInfo };
                let numbers = [users, services, before(b"servers")].map(EventValue::Count);
                self.raise(event, &numbers);
            }
            254 => self.raise(Event::ChannelInfo, &[EventValue::Count(number(parts.first()?))]),
            265 | 266 => {
                let start = params.iter().position(|byte| *byte == b':')?;
                self.raise(Event::GlobalUsers, &texts([self.prefix, params.get(start + 1..)?]));
            }
            319 => {
                let nick = parts.first()?;
                let channels = distinct(parts.get(1..)?.iter().map(|name| unmarked(name)).collect());
                self.raise(Event::WhoisChannels, &[EventValue::String(nick), EventValue::List(&channels)]);
            }
            311 => {
                let real = parts.get(4..)?.join(&b' ');
                let values = texts([parts.first()?, parts.get(1)?, parts.get(2)?, unmarked(&real)]);
                self.raise(Event::WhoisUser, &values);
            }
            313 => self.raise(Event::WhoisOperator, &texts([parts.first()?])),
            352 => {
                let target = all.first()?;
                let [channel, user, host, server, nick, params] = *parts.first_chunk::<6>()?;
                let hops = number(unmarked(parts.get(6)?));
                let real = parts.get(7..)?.join(&b' ');
                let mut values = texts([target, channel, user, host, server, nick, params]).to_vec();
                values.extend([EventValue::Count(hops), EventValue::String(&real)]);
                self.raise(Event::WhoLine, &values);
            }
            332 => {
                let topic = parts.get(1..)?.join(&b' ');
                self.raise(Event::ChannelTopic, &texts([parts.first()?, unmarked(&topic)]));
            }
            431..=433 | 436 | 437 => self.raise(Event::InvalidNick, &[]),
            670 => self.sink.raise(Event::Starttls as usize, &[EventValue::Connection]),
            381 | 491 => self.raise(Event::OperResponse, &[EventValue::Bool(code == 381)]),
            _ => {
                let [prefix, params] = texts([self.prefix, params]);
                self.raise(Event::Reply, &[prefix, EventValue::Count(code), params]);
            }
        }
        Some(())
    }

    /// RFC 2812 3. None where it is no command with an event of its own, or does not fit its format.
    fn command(&mut self, command: &[u8], params: &[u8]) -> Option<()> {
        let prefix = self.prefix;
        let sender = prefix.split(|byte| *byte == b'!').next().unwrap_or_default();
        let parts: Vec<&[u8]> = words(params).collect();
        match command {
            b"PRIVMSG" | b"NOTICE" | b"SQUERY" => {
                let (target, message) = word(params);
                if message.is_empty() {
                    return None;
                }
                self.said(command, target, unmarked(message.trim_ascii_start()))?;
            }
            b"USER" => {
                let real = parts.get(3..)?.join(&b' ');
                let values = texts([parts.first()?, parts.get(1)?, parts.get(2)?, unmarked(&real)]);
                self.raise(Event::User, &values);
            }
            b"OPER" => self.raise(Event::Oper, &texts([parts.first()?, parts.get(1)?])),
            b"KICK" => {
                let comment = parts.get(2..)?.join(&b' ');
                let values = texts([prefix, parts.first()?, parts.get(1)?, unmarked(&comment)]);
                self.raise(Event::Kick, &values);
            }
            b"JOIN" => self.join(sender, &parts)?,
            b"PART" => {
                let (channels, message) = word(params);
                let channels = distinct(unmarked(channels).split(|byte| *byte == b',').collect());
                let [sender, message] = texts([sender, unmarked(message.trim_ascii_start())]);
                self.raise(Event::Part, &[sender, EventValue::List(&channels), message]);
            }
            b"QUIT" => self.raise(Event::Quit, &texts([sender, unmarked(params)])),
            b"NICK" => self.raise(Event::Nick, &texts([sender, unmarked(params)])),
            b"WHO" => {
                let oper = EventValue::Bool(parts.get(1) == Some(&&b"o"[..]));
                let mask = EventValue::String(parts.first().map_or(b"", |mask| unmarked(mask)));
                self.raise(Event::Who, &[mask, oper]);
            }
            b"WHOIS" => {
                let (server, users) = match parts[..] {
                    [server, users, ..] => (server, users),
                    [users] => (&b""[..], users),
                    [] => return None,
                };
                self.raise(Event::Whois, &texts([server, users]));
            }
            b"ERROR" => self.raise(Event::Error, &texts([prefix, unmarked(params)])),
            b"INVITE" => self.raise(Event::Invite, &texts([prefix, parts.first()?, unmarked(parts.get(1)?)])),
            b"MODE" if !params.is_empty() => self.raise(Event::Mode, &texts([prefix, params])),
            b"PASS" => self.raise(Event::Password, &texts([params])),
            b"SQUIT" => {
                let (server, message) = word(params);
                let values = texts([prefix, server, unmarked(message.trim_ascii_start())]);
                self.raise(Event::Squit, &values);
            }
            _ => return None,
        }
        Some(())
    }

    /// A message to somebody, or the offer of a direct connection.
    fn said(&mut self, command: &[u8], target: &[u8], message: &[u8]) -> Option<()> {
        let message = message.strip_prefix(b"\x01").unwrap_or(message);
        if !message.starts_with(b"DCC") || message.len() <= 3 {
            let event = match command {
                b"PRIVMSG" => Event::Privmsg,
                b"NOTICE" => Event::Notice,
                _ => Event::Squery,
            };
            self.raise(event, &texts([self.prefix, target, message]));
            return Some(());
        }
        let message = message.strip_suffix(b"\x01").unwrap_or(message);
        let parts: Vec<&[u8]> = words(message).collect();
        if !((5..=6).contains(&parts.len()) || parts.len() == 7 && parts.last() == Some(&&b"T"[..])) {
            return None;
        }
        let [prefix, target, kind, argument] = texts([self.prefix, target, parts.get(1)?, parts.get(2)?]);
        let host = IpAddr::V4(Ipv4Addr::from(number(parts.get(3)?) as u32));
        let (port, size) = (number(parts.get(4)?), parts.get(5).map_or(0, |size| number(size)));
        let [port, size] = [port, size].map(EventValue::Count);
        self.raise(Event::Dcc, &[prefix, target, kind, argument, EventValue::Addr(host), port, size]);
        Some(())
    }

    fn join(&mut self, sender: &[u8], parts: &[&[u8]]) -> Option<()> {
        let channels = unmarked(parts.first()?).split(|byte| *byte == b',');
        let mut keys = parts.get(1).copied().unwrap_or_default().split(|byte| *byte == b',');
        let joined: Vec<[EventValue<'_>; 4]> = channels
            .map(|channel| {
                let mut halves = channel.splitn(2, |byte| *byte == 7);
                let (channel, mode) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
                texts([sender, channel, keys.next().unwrap_or_default(), mode])
            })
            .collect();
        let records: Vec<EventValue<'_>> = joined.iter().map(|fields| EventValue::Record(fields)).collect();
        self.raise(Event::Join, &[EventValue::List(&records)]);
        Some(())
    }
}

/// Whether a command has an event of its own even where it does not fit its format.
fn is_told(command: &[u8]) -> bool {
    const COMMANDS: [&[u8]; 10] =
        [b"PRIVMSG", b"NOTICE", b"SQUERY", b"USER", b"OPER", b"KICK", b"JOIN", b"WHOIS", b"INVITE", b"MODE"];
    COMMANDS.contains(&command)
}

/// The first word, and what is behind the blank after it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b' ').unwrap_or(text.len());
    (text.get(..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default())
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b' ').filter(|word| !word.is_empty())
}

/// Text without the mark of a last parameter.
fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(b":").unwrap_or(text)
}

/// The name of a user without marks.
fn named(name: &[u8]) -> &[u8] {
    let name = unmarked(name);
    name.strip_prefix(b"@").unwrap_or(name)
}

/// Members of a set.
fn distinct(mut all: Vec<&[u8]>) -> Vec<EventValue<'_>> {
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(EventValue::String).collect()
}

fn number(digits: &[u8]) -> u64 {
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u64, digit| number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_lines() {
        assert_eq!(word(b"NICK a b"), (&b"NICK"[..], &b"a b"[..]));
        assert_eq!(word(b"QUIT"), (&b"QUIT"[..], &b""[..]));
        assert_eq!(words(b" a  b ").collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!((named(b":@op"), unmarked(b"::x")), (&b"op"[..], &b":x"[..]));
        assert_eq!((number(b"12a"), number(b"")), (12, 0));
        assert_eq!(distinct(vec![b"b", b"a", b"b"]).len(), 2);
        assert_eq!(NAMES.len(), Event::Starttls as usize + 1);
    }

    #[test]
    fn lines_that_do_not_fit() {
        let cases: [(&str, &[&str]); 6] = [
            (":s 353 me = #a :@op me", &["irc_names_info c F = #a (me, op)"]),
            (":s 353 me", &["weird irc_invalid_names_line  IRC"]),
            (":s 352 me #a", &["weird irc_invalid_who_line  IRC"]),
            (":s 670 me :go", &["irc_starttls c"]),
            ("PRIVMSG bob", &["weird irc_invalid_privmsg_message_format  IRC"]),
            ("KICK #a", &["weird irc_invalid_kick_message_format  IRC"]),
        ];
        for (text, expected) in cases {
            let heard = HeardMessage {
                direction: Direction::ToClient,
                time: weir_base::Timestamp::default(),
                kind: 0,
                bytes: text.as_bytes().into(),
            };
            let mut sink = crate::testing::Events::new(NAMES);
            let _ = Line::read(&heard, &mut sink);
            assert_eq!(sink.raised, expected, "{text}");
        }
    }
}
