//! Reading of signature files: text to rules, total on any bytes.
//!
//! Limits: [`MOST_RULES`] signatures of a file, [`MOST_PARTS`] conditions, patterns and actions of one.

use std::rc::Rc;

use super::rule::{
    Action, Carrier, Comparison, Condition, Content, End, FileType, FlowState, Header, HeaderCondition,
    IP_OPTIONS, Range, Requirement, Rule,
};
use crate::patterns::translate;
use crate::values::{Addr, Subnet};

/// Most signatures of a file.
pub const MOST_RULES: usize = 1 << 16;

/// Most conditions, patterns and actions of a signature.
pub const MOST_PARTS: usize = 1024;

/// Deepest nesting of groups in a pattern.
const MOST_GROUPS: usize = 100;

/// Words for what patterns are matched against.
const CONTENTS: [(&str, Content); 9] = [
    ("payload", Content::Payload),
    ("http", Content::HttpRequest),
    ("http-request", Content::HttpRequest),
    ("http-request-header", Content::HttpRequestHeader),
    ("http-request-body", Content::HttpRequestBody),
    ("http-reply-header", Content::HttpReplyHeader),
    ("http-reply-body", Content::HttpReplyBody),
    ("ftp", Content::Ftp),
    ("finger", Content::Finger),
];

/// Words for what is above IP.
const PROTOCOLS: [(&str, u64); 6] =
    [("tcp", 6), ("udp", 17), ("icmp", 1), ("icmp6", 58), ("ip", 4), ("ip6", 41)];

const HEADERS: [(&str, Header); 6] = [
    ("ip", Header::Ip),
    ("ip6", Header::Ip6),
    ("tcp", Header::Tcp),
    ("udp", Header::Udp),
    ("icmp", Header::Icmp),
    ("icmp6", Header::Icmp6),
];

const STATES: [(&str, FlowState); 3] = [
    ("established", FlowState::Established),
    ("originator", FlowState::Originator),
    ("responder", FlowState::Responder),
];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The line, from 1.
    pub line: u32,
    /// A sentence.
    pub text: String,
}

/// Variables of scripts that lists of values may name.
pub trait Variables {
    /// Returns the addresses and subnets of a variable.
    fn subnets(&self, name: &str) -> Option<Vec<Subnet>>;

    /// Returns the numbers of a variable: counts, or ports.
    fn numbers(&self, name: &str) -> Option<Vec<u64>>;
}

type Read<T> = Result<T, Problem>;

/// Reads the signatures of a file.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn read(text: &[u8], file: &str, variables: &dyn Variables) -> Read<Vec<Rule>> {
    let mut reader = Reader { text, at: 0, line: 1, variables };
    let mut rules = Vec::new();
    loop {
        reader.skip();
        if reader.at >= text.len() {
            return Ok(rules);
        }
        if rules.len() >= MOST_RULES {
            return Err(reader.problem("too many signatures"));
        }
        rules.push(reader.rule(file)?);
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    variables: &'a dyn Variables,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.')
}

fn named<T: Copy>(words: &[(&str, T)], word: &str) -> Option<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

impl Reader<'_> {
    fn problem(&self, text: &str) -> Problem {
        Problem { line: self.line, text: text.to_owned() }
    }

    fn syntax(&self) -> Problem {
        self.problem("syntax error")
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Goes on to what is neither space nor remark.
    fn skip(&mut self) {
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\n' => self.line += 1,
                b'#' => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    continue;
                }
                byte if byte.is_ascii_whitespace() => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Takes a sign, where it comes next.
    fn takes(&mut self, sign: u8) -> bool {
        self.skip();
        let is_next = self.text.get(self.at) == Some(&sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: u8) -> Read<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.syntax()) }
    }

    fn word(&mut self) -> Read<&str> {
        self.skip();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        self.at += length;
        match rest.get(..length).map(std::str::from_utf8) {
            Some(Ok(word)) if length > 0 => Ok(word),
            _ => Err(self.syntax()),
        }
    }

    fn name(&mut self) -> Read<Rc<str>> {
        self.word().map(Rc::from)
    }

    fn number(&mut self) -> Read<u64> {
        let word = self.word()?;
        let number = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        number.map_err(|_| self.syntax())
    }

    fn comparison(&mut self) -> Read<Comparison> {
        self.skip();
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (sign, comparison) in COMPARISONS {
            if rest.starts_with(sign.as_bytes()) {
                self.at += sign.len();
                return Ok(comparison);
            }
        }
        Err(self.syntax())
    }

    fn rule(&mut self, file: &str) -> Read<Rule> {
        let first = self.line;
        if self.word().ok() != Some("signature") {
            return Err(Problem { line: first, text: "syntax error".to_owned() });
        }
        let name = self.name()?;
        let mut rule = Rule { name, file: file.into(), line: self.line, ..Rule::default() };
        self.expect(b'{')?;
        let mut parts = 0;
        while !self.takes(b'}') {
            parts += 1;
            if parts > MOST_PARTS {
                return Err(self.problem("the signature has too many conditions"));
            }
            self.part(&mut rule)?;
        }
        Ok(rule)
    }

    fn part(&mut self, rule: &mut Rule) -> Read<()> {
        self.skip();
        let line = self.line;
        let word = self.name()?;
        if let Some(content) = named(&CONTENTS, &word) {
            let pattern = self.pattern()?;
            rule.patterns.push((content, pattern));
            return Ok(());
        }
        match &*word {
            "file-magic" => {
                let pattern = self.pattern()?;
                rule.magics.push(pattern);
            }
            "file-mime" => rule.file_type = Some(self.file_type()?),
            "src-ip" | "dst-ip" | "src-port" | "dst-port" | "ip-proto" | "header" => {
                rule.headers.extend(self.header_condition(&word)?);
            }
            "requires-signature" | "requires-reverse-signature" => {
                let is_negated = self.takes(b'!');
                let is_reverse = &*word == "requires-reverse-signature";
                rule.requirements.push(Requirement { name: self.name()?, is_reverse, is_negated });
            }
            "event" | "enable" => {
                let action = self.action(&word)?;
                rule.actions.push((action, line));
            }
            _ => {
                let condition = self.condition(&word)?;
                rule.conditions.push((condition, line));
            }
        }
        Ok(())
    }

    fn condition(&mut self, word: &str) -> Read<Condition> {
        Ok(match word {
            "payload-size" => Condition::PayloadSize(self.comparison()?, self.number()?),
            "same-ip" => Condition::SameAddress,
            "eval" => Condition::Eval(self.name()?),
            "tcp-state" => Condition::State(Carrier::Tcp, self.list(|reader| reader.one_of(&STATES))?),
            "udp-state" => {
                let line = self.line;
                let states = self.list(|reader| reader.one_of(&STATES))?;
                if states.contains(&FlowState::Established) {
                    let text = "'established' is not a valid 'udp-state'".to_owned();
                    return Err(Problem { line, text });
                }
                Condition::State(Carrier::Udp, states)
            }
            "ip-options" => {
                let options = self.list(|reader| reader.one_of(&IP_OPTIONS))?;
                Condition::IpOptions(options.concat())
            }
            _ => return Err(self.syntax()),
        })
    }

    fn one_of<T: Copy>(&mut self, words: &[(&str, T)]) -> Read<T> {
        let found = named(words, self.word()?);
        found.ok_or_else(|| self.syntax())
    }

    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut all = vec![element(self)?];
        while self.takes(b',') {
            all.push(element(self)?);
        }
        Ok(all)
    }

    fn action(&mut self, word: &str) -> Read<Action> {
        if word == "enable" {
            return Ok(Action::Enable(self.string()?));
        }
        self.skip();
        if self.peek() == b'"' {
            return Ok(Action::Event("signature_match".into(), Some(self.string()?)));
        }
        let event = self.name()?;
        self.skip();
        let message = if self.peek() == b'"' { Some(self.string()?) } else { None };
        Ok(Action::Event(event, message))
    }

    fn file_type(&mut self) -> Read<FileType> {
        let mime_type = self.string()?;
        let mut strength = 0;
        if self.takes(b',') {
            strength = self.word()?.parse().map_err(|_| self.syntax())?;
        }
        Ok(FileType { mime_type, strength })
    }

    fn string(&mut self) -> Read<Rc<str>> {
        self.expect(b'"')?;
        let mut text = Vec::new();
        loop {
            let byte = self.peek();
            if self.at >= self.text.len() || byte == b'\n' {
                return Err(self.problem("a string is not closed"));
            }
            self.at += 1;
            match byte {
                b'"' => return Ok(String::from_utf8_lossy(&text).into()),
                b'\\' => {
                    text.push(match self.peek() {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        other => other,
                    });
                    self.at += 1;
                }
                other => text.push(other),
            }
        }
    }

    /// Reads an expression between slashes; the answer is in the engine's syntax.
    fn pattern(&mut self) -> Read<String> {
        self.expect(b'/')?;
        let start = self.at;
        loop {
            match self.text.get(self.at) {
                None | Some(b'\n') => return Err(self.problem("a pattern is not closed")),
                Some(b'\\') => self.at += 1,
                Some(b'/') => break,
                Some(_) => {}
            }
            self.at += 1;
        }
        let bytes = self.text.get(start..self.at).unwrap_or_default();
        self.at += 1;
        let groups = bytes.iter().filter(|byte| **byte == b'(').count();
        if groups > MOST_GROUPS {
            return Err(self.problem("a pattern has too many groups"));
        }
        let mut expression =
            translate(&String::from_utf8_lossy(bytes)).map_err(|text| self.problem(&text))?;
        while matches!(self.peek(), b'i' | b's') {
            expression = format!("(?{}:{expression})", char::from(self.peek()));
            self.at += 1;
        }
        Ok(format!("(?:{expression})"))
    }

    fn header_condition(&mut self, word: &str) -> Read<Option<HeaderCondition>> {
        let end = if word.starts_with("src") { End::Source } else { End::Destination };
        Ok(Some(match word {
            "src-ip" | "dst-ip" => {
                let comparison = self.comparison()?;
                if !matches!(comparison, Comparison::Equal | Comparison::Unequal) {
                    return Err(self.problem("addresses are compared by == and !="));
                }
                let nets = self.list(Self::subnets)?.concat();
                HeaderCondition::Address(end, comparison, nets)
            }
            "src-port" | "dst-port" => {
                HeaderCondition::Port(end, self.comparison()?, self.list(Self::ranges)?.concat())
            }
            "ip-proto" => {
                let comparison = self.comparison()?;
                let values = self.list(|reader| reader.protocol())?;
                if values.iter().any(|range| matches!(range.first, 4 | 41)) {
                    // What is in tunnels is always looked at by itself.
                    return Ok(None);
                }
                HeaderCondition::Protocol(comparison, values)
            }
            _ => self.field()?,
        }))
    }

    fn protocol(&mut self) -> Read<Range> {
        let word = self.name()?;
        let number = named(&PROTOCOLS, &word).or_else(|| word.parse().ok()).ok_or_else(|| self.syntax())?;
        Ok(Range { first: number, last: number, mask: u64::MAX })
    }

    /// Reads `header PROTOCOL[OFFSET:SIZE] & MASK COMPARISON VALUES`.
    fn field(&mut self) -> Read<HeaderCondition> {
        let header = self.one_of(&HEADERS)?;
        self.expect(b'[')?;
        // A colon is a sign here, and a part of words elsewhere.
        let place = self.name()?;
        self.expect(b']')?;
        let numbers = place.split_once(':').and_then(|(offset, size)| {
            let numbers: (usize, usize) = (offset.parse().ok()?, size.parse().ok()?);
            matches!(numbers.1, 1 | 2 | 4).then_some(numbers)
        });
        let Some((offset, size)) = numbers else {
            return Err(self.problem("a field of a header has 1, 2 or 4 bytes"));
        };
        let mask = if self.takes(b'&') { self.number()? } else { u64::MAX };
        let comparison = self.comparison()?;
        let values = self.list(Self::ranges)?.concat();
        Ok(HeaderCondition::Field { header, offset, size, mask, comparison, values })
    }

    /// Reads a number, a range, a number of IP version 4 with or without the length of its prefix, or a variable.
    fn ranges(&mut self) -> Read<Vec<Range>> {
        let word = self.name()?;
        let plain = |first: u64, last: u64| vec![Range { first, last, mask: u64::MAX }];
        if let Some((first, last)) = word.split_once('-')
            && let (Ok(first), Ok(last)) = (first.parse(), last.parse())
        {
            return Ok(plain(first, last));
        }
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok().or_else(|| {
                let address: std::net::Ipv4Addr = word.parse().ok()?;
                Some(u64::from(u32::from(address)))
            }),
        };
        let Some(number) = number else {
            let known = self.variables.numbers(&word).ok_or_else(|| self.syntax())?;
            return Ok(known.into_iter().flat_map(|number| plain(number, number)).collect());
        };
        if self.takes(b'/') {
            let length = self.number()?.min(32);
            let mask = u64::from(u32::MAX) << (32 - length) & u64::from(u32::MAX);
            return Ok(vec![Range { first: number & mask, last: number & mask, mask }]);
        }
        if self.takes(b'-') {
            return Ok(plain(number, self.number()?));
        }
        Ok(plain(number, number))
    }

    /// Reads an address, with or without the length of its prefix, or a variable.
    fn subnets(&mut self) -> Read<Vec<Subnet>> {
        let address = if self.takes(b'[') {
            let text = self.name()?;
            self.expect(b']')?;
            Addr::parse(&text)
        } else {
            let text = self.name()?;
            match Addr::parse(&text) {
                None => return self.variables.subnets(&text).ok_or_else(|| self.syntax()),
                found => found,
            }
        };
        let address = address.ok_or_else(|| self.syntax())?;
        let width = address.width();
        let length = if self.takes(b'/') { self.number()? } else { width.into() };
        let length = u8::try_from(length).ok().filter(|length| *length <= width);
        let length = length.ok_or_else(|| self.problem("the length of a prefix is too large"))?;
        Ok(vec![Subnet::new(address, length)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Variables for Known {
        fn subnets(&self, name: &str) -> Option<Vec<Subnet>> {
            (name == "Site::nets").then(|| vec![Subnet::parse("10.0.0.0/8").unwrap()])
        }

        fn numbers(&self, name: &str) -> Option<Vec<u64>> {
            (name == "ports").then(|| vec![80, 8080])
        }
    }

    fn one(part: &str) -> Read<Rule> {
        let text = format!("# a remark\nsignature a-b {{\n  {part}\n}}\n");
        read(text.as_bytes(), "a.sig", &Known).map(|mut rules| rules.pop().unwrap())
    }

    #[test]
    fn conditions_and_actions() {
        for (part, expected) in [
            ("dst-port == 80,8000-8010", "Port(Destination, Equal, [Range { first: 80, last: 80,"),
            ("src-port != ports", "Port(Source, Unequal, [Range { first: 80,"),
            ("ip-proto == tcp", "Protocol(Equal, [Range { first: 6,"),
            ("src-ip == [fe80::1]/16, 10.0.0.1", "Address(Source, Equal, ["),
            ("dst-ip != Site::nets", "Address(Destination, Unequal, ["),
            ("header ip[16:4] & 0xff00 == 1.2.3.4/16", "offset: 16, size: 4, mask: 65280, comparison: Equal"),
            ("payload /a\\/b/i", "(Payload, \"(?:(?i:a\\\\x2fb))\")"),
            ("http-reply-body /x/", "(HttpReplyBody, "),
            ("payload-size >= 5", "PayloadSize(AtLeast, 5)"),
            ("tcp-state established,originator", "State(Tcp, [Established, Originator])"),
            ("udp-state responder", "State(Udp, [Responder])"),
            ("ip-options lsrr,rr", "IpOptions([131, 7])"),
            ("same-ip", "SameAddress"),
            ("eval M::f", "Eval(\"M::f\")"),
            ("requires-signature ! other", "name: \"other\", is_reverse: false, is_negated: true"),
            ("requires-reverse-signature other", "is_reverse: true, is_negated: false"),
            ("event \"a \\\"b\\\"\"", "Event(\"signature_match\", Some(\"a \\\"b\\\"\"))"),
            ("event M::found", "Event(\"M::found\", None)"),
            ("event found \"x\"", "Event(\"found\", Some(\"x\"))"),
            ("enable \"http\"", "Enable(\"http\")"),
            ("file-magic /^MZ/", "magics: [\"(?:(?:\\\\A)MZ)\"]"),
            ("file-mime \"a/b\", -5", "mime_type: \"a/b\", strength: -5"),
        ] {
            let rule = format!("{:?}", one(part).unwrap());
            assert!(rule.contains(expected), "{part}: {rule}");
        }
    }

    #[test]
    fn problems_have_their_line() {
        for (part, line, expected) in [
            ("payload /abc", 3, "a pattern is not closed"),
            ("event \"x", 3, "a string is not closed"),
            ("ip-proto = tcp", 3, "syntax error"),
            ("unknown-word 5", 3, "syntax error"),
            ("udp-state established", 3, "'established' is not a valid 'udp-state'"),
            ("src-ip == 1.2.3.4/33", 3, "the length of a prefix is too large"),
            ("header tcp[0:3] == 1", 3, "a field of a header has 1, 2 or 4 bytes"),
            ("dst-port == nowhere", 3, "syntax error"),
            ("same-ip\nsame-op", 4, "syntax error"),
        ] {
            let problem = one(part).unwrap_err();
            assert_eq!((problem.line, &*problem.text), (line, expected), "{part}");
        }
        for text in ["invalid", "signature", "signature x", "signature x {"] {
            let problem = read(text.as_bytes(), "a.sig", &Known).unwrap_err();
            assert_eq!(problem, Problem { line: 1, text: "syntax error".to_owned() }, "{text}");
        }
    }
}
