//! Reading for rules and records.
//!
//! It goes by what comes together: a command and the first line of a response are whole in one push, or are none; of
//! a mail only the end is looked for, by its length where the server says it, else by the first dot before the end of
//! a line. What is neither a command nor a response ends it. Zeek's logs go by lines ([`super::parser`]).

use memchr::memmem;
use weir_applayer::{Outcome, ParseContext, Probe, Request as Wish};
use weir_base::{Direction, PerDirection};

use super::anomaly::Pop3Anomaly;
use super::command::{MAX_ARGUMENTS, Request};
use super::parser::Pop3Parser;
use super::probe::probe;
use super::transaction::{Pop3Transaction, Response};

/// End of a line, and what stands at the end of several.
const LINE_END: &[u8] = b"\r\n";
const LAST_LINE: &[u8] = b".\r\n";

/// A server that wants a client to go on.
const EMPTY_CHALLENGE: &[u8] = b"+ \r\n";

/// Longest command and longest first line of a response, with their ends (RFC 2449 4).
const LONGEST_REQUEST: usize = 256;
const LONGEST_RESPONSE: usize = 512;

/// Most digits of a mail's length.
const LENGTH_DIGITS: usize = 10;

/// Beside transactions, what is known of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// Bytes of a mail that are passed over.
    mail_left: usize,
    /// The client's next line is a step of an authentication.
    steps: bool,
    /// Something is missing.
    lost: PerDirection<bool>,
    /// Bytes of what waits in which no end was found.
    searched: usize,
    /// Pushes of the server's so far.
    push: u64,
}

/// Result for the start of the bytes.
enum Step {
    /// So many were taken.
    Taken(usize),
    /// As many were taken, and nothing more is looked at.
    Ended(usize),
    /// So many were taken, and the rest waits for more.
    Waits(usize),
    /// They are nothing that is known.
    Failed,
}

impl Pop3Parser {
    /// Notes that something is missing.
    pub(super) fn lose_records(&mut self, direction: Direction) {
        self.state.lost[direction] = true;
        self.state.searched = 0;
    }

    /// Reads what one side says.
    pub(super) fn read_records(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        bytes: &[u8],
    ) -> Outcome {
        let mut position = 0;
        if direction == Direction::ToClient {
            self.state.push += 1;
            if self.state.mail_left > 0 {
                position = self.state.mail_left.min(bytes.len());
                self.state.mail_left -= position;
                if self.state.mail_left > 0 {
                    return Outcome::Ok;
                }
                self.end_unanswered();
            }
        }
        let rest = bytes.get(position..).unwrap_or_default();
        if self.state.lost[direction] && !rest.is_empty() {
            if probe(cx.endpoints.transport, direction, rest) != Probe::Yes {
                return Outcome::Ok;
            }
            self.state.lost[direction] = false;
        }
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            let step = match direction {
                Direction::ToServer => self.client_line(cx, rest, position),
                Direction::ToClient => self.server_lines(cx, rest, position),
            };
            match step {
                Step::Taken(count) => position += count,
                Step::Ended(count) => return Outcome::Incomplete { consumed: position + count, needed: 0 },
                Step::Waits(count) => {
                    let consumed = position + count;
                    return Outcome::Incomplete { consumed, needed: (bytes.len() - consumed) + 1 };
                }
                Step::Failed => return Outcome::Error,
            }
        }
        Outcome::Ok
    }

    /// Takes a command, or a step of an authentication, which begins at this place of the push.
    fn client_line(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], start: usize) -> Step {
        let (request, length, anomalies) = if self.state.steps {
            let text =
                rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte)).count();
            match rest.get(text..) {
                Some([b'\r', b'\n', ..]) => {}
                Some([] | [b'\r']) => return Step::Waits(0),
                _ => return Step::Failed,
            }
            self.state.steps = false;
            (Request::step(), text + LINE_END.len(), Vec::new())
        } else {
            let Some(end) = memmem::find(rest, LINE_END) else { return Step::Failed };
            let line = rest.get(..end).unwrap_or_default();
            let Some(request) = Request::exact(line) else { return Step::Failed };
            let mut anomalies = Vec::new();
            let argument = line.get(request.word.len() + 1..).unwrap_or_default();
            if request.word.len() + 1 + argument.len() + LINE_END.len() > LONGEST_REQUEST {
                anomalies.push(Pop3Anomaly::RequestTooLong);
            }
            match request.known {
                None => anomalies.push(Pop3Anomaly::UnknownCommand),
                Some(known) if !known.takes(request.arguments.len()) => {
                    anomalies.push(Pop3Anomaly::IncorrectArgumentCount);
                }
                Some(_) => {}
            }
            (request, end + LINE_END.len(), anomalies)
        };
        let Some(transaction) = self.begin_record() else { return Step::Failed };
        anomalies.into_iter().for_each(|anomaly| transaction.note(anomaly));
        transaction.request = Some(request);
        transaction.asked();
        transaction.meta.seen(Direction::ToServer, cx.arrival(start));
        transaction.meta.seen(Direction::ToServer, cx.arrival(start + length - 1));
        cx.request(Wish::InspectStream(Direction::ToServer));
        Step::Taken(length)
    }

    /// Takes a response, which begins at this place of the push.
    fn server_lines(&mut self, cx: &mut ParseContext<'_>, rest: &[u8], start: usize) -> Step {
        if rest.starts_with(EMPTY_CHALLENGE) {
            let authenticates = self.unanswered().is_some_and(|transaction| {
                transaction.response = Some(Response::new(true, Vec::new()));
                transaction.end();
                transaction.request.as_ref().is_some_and(|request| request.word == b"AUTH")
            });
            self.state.steps |= authenticates;
            return Step::Taken(EMPTY_CHALLENGE.len());
        }
        let (mut several, is_mail) = self.unanswered().map_or((false, false), |transaction| {
            transaction.request.as_ref().map_or((false, false), Request::lines)
        });
        let Some(end) = memmem::find(rest, LINE_END) else { return Step::Waits(0) };
        let header = rest.get(..end).unwrap_or_default();
        let mut from = 0;
        if let Some(length) = mail_length(header).filter(|_| is_mail) {
            from = end + LINE_END.len();
            let there = rest.len() - from;
            self.state.mail_left = length.saturating_sub(there);
            from += length.min(there);
        } else if header.starts_with(b"-ERR") {
            several = false;
        }
        if several {
            let searched = std::mem::take(&mut self.state.searched).max(from);
            let waiting = rest.get(searched..).unwrap_or_default();
            let Some(last) = memmem::find(waiting, LAST_LINE) else {
                // The end may be cut.
                self.state.searched =
                    if from == 0 { rest.len().saturating_sub(LAST_LINE.len() - 1) } else { 0 };
                return Step::Waits(from);
            };
            if is_mail && self.state.mail_left == 0 {
                from = searched + last + LAST_LINE.len();
                self.end_unanswered();
            }
        }
        let text = rest.get(from..).unwrap_or_default();
        if text.is_empty() {
            return Step::Taken(from);
        }
        self.response_of(cx, text, (start + from, from))
    }

    /// Takes a response, which begins at this place of the push, behind so many bytes that go with it.
    fn response_of(
        &mut self,
        cx: &mut ParseContext<'_>,
        text: &[u8],
        (start, before): (usize, usize),
    ) -> Step {
        let Some((response, length)) = Response::whole(text) else { return Step::Failed };
        if self.unanswered().is_none() && self.begin_record().is_none() {
            return Step::Failed;
        }
        let Some(transaction) = self.unanswered() else { return Step::Failed };
        let status = if response.success { 3 } else { 4 };
        if status + 1 + response.header.len() + LINE_END.len() > LONGEST_RESPONSE {
            transaction.note(Pop3Anomaly::ResponseTooLong);
        }
        transaction.meta.seen(Direction::ToClient, cx.arrival(start));
        transaction.meta.seen(Direction::ToClient, cx.arrival(start + length - 1));
        let success = response.success;
        let word = transaction.request.as_ref().map(|request| request.word.clone()).unwrap_or_default();
        let is_mail = success && word == b"RETR";
        transaction.response = Some(if is_mail { response.without_data() } else { response });
        transaction.end();
        cx.request(Wish::InspectStream(Direction::ToClient));
        self.state.steps |= success && word == b"AUTH";
        if success && word == b"STLS" {
            cx.request(Wish::Upgrade(Some("tls")));
            return Step::Ended(before + length);
        }
        Step::Taken(before + length)
    }

    /// A new transaction; none where too many wait, which then wait no more.
    fn begin_record(&mut self) -> Option<&mut Pop3Transaction> {
        if self.transactions.len() > self.max_transactions {
            for transaction in self.transactions.iter_mut().filter(|transaction| transaction.waits()) {
                transaction.note(Pop3Anomaly::TooManyTransactions);
                transaction.end();
            }
            return None;
        }
        Some(self.transactions.push(Pop3Transaction::default()))
    }

    /// The oldest transaction without a response; one that ended without it is none once more comes.
    fn unanswered(&mut self) -> Option<&mut Pop3Transaction> {
        let push = self.state.push;
        self.transactions.oldest_mut(&mut self.oldest, |transaction| {
            transaction.response.is_none() && (transaction.waits() || transaction.ended_in == Some(push))
        })
    }

    /// Ends the oldest transaction without a response.
    fn end_unanswered(&mut self) {
        let push = self.state.push;
        if let Some(transaction) = self.unanswered() {
            transaction.ended_in = Some(push);
            transaction.end();
        }
    }
}

/// Length of a mail, where the first line of the response says it.
fn mail_length(header: &[u8]) -> Option<usize> {
    let text = header.strip_prefix(b"+OK ")?;
    if !text.ends_with(b"octets") {
        return None;
    }
    let digits = text.iter().take(LENGTH_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(text.get(..digits)?).ok()?;
    Some(number.parse::<u32>().ok().and_then(|number| usize::try_from(number).ok()).unwrap_or(0))
}

impl Request {
    /// Reads a command as it stands, without its end: its word in capitals, and its arguments between spaces.
    fn exact(line: &[u8]) -> Option<Self> {
        let end = line.iter().position(|byte| matches!(byte, b' ' | b'\r')).unwrap_or(line.len());
        let word = line.get(..end)?;
        if word.is_empty() || !word.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        let rest = line.get(end + 1..).unwrap_or_default();
        let arguments = rest.split(|&byte| byte == b' ').filter(|text| !text.is_empty());
        let arguments = arguments.take(MAX_ARGUMENTS).map(<[u8]>::to_vec).collect();
        Some(Self { known: super::command::find_exact(word), word: word.to_vec(), arguments })
    }

    /// Whether a response has several lines where nothing is wrong, and whether they are a mail.
    fn lines(&self) -> (bool, bool) {
        match self.word.as_slice() {
            b"LIST" | b"UIDL" => (self.arguments.is_empty(), false),
            b"TOP" => (true, false),
            b"RETR" => (true, true),
            _ => (false, false),
        }
    }
}

impl Response {
    /// Reads a response, with the lines up to one with a dot where there is such a one; and its length.
    fn whole(text: &[u8]) -> Option<(Self, usize)> {
        let end = text.iter().position(|byte| matches!(byte, b' ' | b'\r')).unwrap_or(text.len());
        let success = match text.get(..end)? {
            b"+OK" => true,
            b"-ERR" => false,
            _ => return None,
        };
        let start = end + usize::from(text.get(end) == Some(&b' '));
        let length = memmem::find(text.get(start..)?, LINE_END)?;
        let header = text.get(start..start + length)?.to_vec();
        let mut response = Self::new(success, header);
        let first = start + length + LINE_END.len();
        let mut at = first;
        loop {
            let rest = text.get(at..)?;
            if rest.starts_with(LAST_LINE) {
                return Some((response, at + LAST_LINE.len()));
            }
            let Some(length) = memmem::find(rest, LINE_END) else {
                return Some((response.without_data(), first));
            };
            let line = rest.get(..length)?;
            response.add(line.strip_prefix(b".").unwrap_or(line));
            at += length + LINE_END.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use weir_applayer::{NoOptions, Outcome};

    use super::super::POP3;
    use super::*;
    use crate::testing::{Conversation, DOWN, Settings, UP};

    fn told(said: &[(Direction, &str)]) -> (Vec<Value>, Outcome) {
        let mut conversation = Conversation::new(&POP3, &NoOptions);
        let mut outcome = Outcome::Ok;
        for (direction, text) in said {
            outcome = conversation.push(*direction, text.as_bytes());
        }
        let ids = conversation.ids().into_iter().filter(|&id| conversation.is_complete(id));
        let records = ids.filter_map(|id| conversation.eve(id, &NoOptions));
        (records.map(|record| short(&record)).collect(), outcome)
    }

    /// A record in few words.
    fn short(record: &Value) -> Value {
        let response = &record["response"];
        let answer = response.is_object().then(|| json!([response["header"], response["data"]]));
        json!([record["request"]["command"], record["request"]["args"], answer])
    }

    #[test]
    fn records() {
        let ok = |text: &str| json!([text, []]);
        type Case<'a> = (&'a str, Vec<(Direction, &'a str)>, Vec<Value>);
        let cases: Vec<Case<'_>> = vec![
            ("a greeting", vec![(DOWN, "+OK hi\r\n")], vec![json!([null, null, ok("hi")])]),
            (
                "words as they stand, and arguments between spaces",
                vec![(UP, "user a\r\nPASS b  c\r\n"), (DOWN, "+OK\r\n"), (DOWN, "-ERR no\r\n")],
                vec![json!(["user", ["a"], ok("")]), json!(["PASS", ["b", "c"], ok("no")])],
            ),
            (
                "a list",
                vec![(UP, "LIST\r\n"), (DOWN, "+OK 2\r\n1 9\r\n"), (DOWN, "..2\r\n.\r\n")],
                vec![json!(["LIST", [], ["2", ["1 9", ".2"]]])],
            ),
            (
                "lines that nobody waits for",
                vec![(UP, "CAPA\r\n"), (DOWN, "+OK\r\nTOP\r\n.\r\n")],
                vec![json!(["CAPA", [], ["", ["TOP"]]])],
            ),
            (
                "responses that come together",
                vec![(UP, "STAT\r\nLIST\r\n"), (DOWN, "+OK 1\r\n+OK\r\n1 9\r\n.\r\n")],
                vec![json!(["STAT", [], ["1", ["+OK", "1 9"]]])],
            ),
            (
                "a mail by its length",
                vec![
                    (UP, "RETR 1\r\n"),
                    (DOWN, "+OK 9 octets\r\na.\r\n"),
                    (DOWN, "b.c\r\n.\r\n"),
                    (UP, "STAT\r\n"),
                    (DOWN, "+OK 1\r\n"),
                ],
                vec![json!(["RETR", ["1"], null]), json!(["STAT", [], ok("1")])],
            ),
            (
                "a mail up to its end",
                vec![(UP, "RETR 1\r\n"), (DOWN, "+OK\r\na b\r\n"), (DOWN, "c\r\n.\r\n")],
                vec![json!(["RETR", ["1"], null])],
            ),
            (
                "no such mail",
                vec![(UP, "RETR 1\r\n"), (DOWN, "-ERR none\r\n")],
                vec![json!(["RETR", ["1"], ok("none")])],
            ),
            (
                "an authentication",
                vec![
                    (UP, "AUTH PLAIN\r\n"),
                    (DOWN, "+ \r\n"),
                    (UP, "AG"),
                    (UP, "E=\r\n"),
                    (DOWN, "+OK in\r\n"),
                ],
                vec![json!(["AUTH", ["PLAIN"], ok("")]), json!(["<SASL DATA>", [], ok("in")])],
            ),
        ];
        for (name, said, expected) in cases {
            let (records, outcome) = told(&said);
            assert_eq!(records, expected, "{name}");
            assert_ne!(outcome, Outcome::Error, "{name}");
        }
    }

    #[test]
    fn what_ends_it() {
        let cases: [(&str, &[(Direction, &str)]); 7] = [
            ("a command in parts", &[(UP, "USE")]),
            ("no word", &[(UP, "\r\n")]),
            ("an odd word", &[(UP, "US-ER a\r\n")]),
            ("a status in small letters", &[(UP, "NOOP\r\n"), (DOWN, "+ok\r\n")]),
            ("lines that come late", &[(UP, "CAPA\r\n"), (DOWN, "+OK\r\n"), (DOWN, "TOP\r\n.\r\n")]),
            ("a dot at the end of a mail's line", &[(UP, "RETR 1\r\n"), (DOWN, "+OK\r\nIt is.\r\nSo\r\n")]),
            ("a challenge", &[(UP, "AUTH X\r\n"), (DOWN, "+ cGFzcw==\r\n")]),
        ];
        for (name, said) in cases {
            assert_eq!(told(said).1, Outcome::Error, "{name}");
        }
    }

    #[test]
    fn anomalies_and_limits() {
        let long = |length: usize| "x".repeat(length);
        let cases: Vec<(Direction, String, &[&str])> = vec![
            (UP, "AUTH\r\n".into(), &["incorrect_argument_count"]),
            (UP, "PASS a b\r\n".into(), &["incorrect_argument_count"]),
            (UP, "UTF8\r\n".into(), &["unknown_command"]),
            (UP, format!("USER {}\r\n", long(249)), &[]),
            (UP, format!("USER {}\r\n", long(250)), &["request_too_long"]),
            (DOWN, format!("+OK {}\r\n", long(506)), &[]),
            (DOWN, format!("+OK {}\r\n", long(507)), &["response_too_long"]),
        ];
        for (direction, text, expected) in cases {
            let mut conversation = Conversation::new(&POP3, &NoOptions);
            conversation.push(direction, text.as_bytes());
            assert_eq!(conversation.anomalies(0), expected, "{text}");
        }
        let mut conversation = Conversation::new(&POP3, &Settings(&[("max-tx", "2")]));
        assert_eq!(conversation.push(UP, &b"STAT\r\n".repeat(4)), Outcome::Error);
        assert_eq!((conversation.ids().len(), conversation.anomalies(2)), (3, vec!["too_many_transactions"]));
    }

    #[test]
    fn gaps() {
        let mut conversation = Conversation::new(&POP3, &NoOptions);
        conversation.push(UP, b"STAT\r\n");
        conversation.gap(DOWN, 9);
        assert_eq!(conversation.push(DOWN, b"x\r\n+OK lost\r\n"), Outcome::Ok);
        conversation.push(DOWN, b"+OK 1\r\n");
        assert_eq!(conversation.eve(0, &NoOptions).unwrap()["response"]["header"], "1");
    }
}
