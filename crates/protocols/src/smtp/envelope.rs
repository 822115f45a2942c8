//! Columns of Zeek's log on an envelope: kept while it comes, as its row is written once it is over.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use weir_applayer::File;
use weir_base::Timestamp;

use super::command::{Chunk, Verb};
use crate::mime::entities::{Entities, Listener};
use crate::mime::{Line, fields};

/// Most hosts of a path.
const MAX_PATH: usize = 64;

/// Most addresses of a field.
const MAX_ADDRESSES: usize = 1024;

/// Most bytes of them.
const MAX_ADDRESS_BYTES: usize = 256 << 10;

/// Most oddities of an envelope.
const MAX_ODDITIES: usize = 8;

/// The different entries of a field, in order; no more than [`MAX_ADDRESSES`], nor than [`MAX_ADDRESS_BYTES`].
#[derive(Debug, Default)]
pub(super) struct Entries {
    in_order: Vec<Arc<[u8]>>,
    known: BTreeSet<Arc<[u8]>>,
    bytes: usize,
}

impl Entries {
    fn add(&mut self, value: &[u8]) {
        for entry in fields::entries(value).filter(|entry| !entry.is_empty()) {
            let fits = self.in_order.len() < MAX_ADDRESSES && self.bytes + entry.len() <= MAX_ADDRESS_BYTES;
            if fits && !self.known.contains(entry) {
                let entry: Arc<[u8]> = entry.into();
                self.bytes += entry.len();
                self.in_order.push(Arc::clone(&entry));
                self.known.insert(entry);
            }
        }
    }

    /// The entries.
    pub(super) fn as_slice(&self) -> &[Arc<[u8]>] {
        &self.in_order
    }

    /// Bytes of memory that they take.
    fn memory(&self) -> usize {
        self.bytes + 3 * size_of_val(self.as_slice())
    }
}

/// The fields of a mail that its row has.
///
/// It has a field for each column that is taken of the mail itself.
#[derive(Debug, Default)]
pub(super) struct MailFields {
    pub date: Option<Vec<u8>>,
    pub from: Option<Vec<u8>>,
    pub to: Entries,
    pub cc: Entries,
    pub reply_to: Option<Vec<u8>>,
    pub message_id: Option<Vec<u8>>,
    pub in_reply_to: Option<Vec<u8>>,
    pub subject: Option<Vec<u8>>,
    pub originating_ip: Option<IpAddr>,
    pub first_received: Option<Vec<u8>>,
    pub second_received: Option<Vec<u8>>,
    /// Hosts that passed it on, the newest first.
    pub path: Vec<IpAddr>,
    pub user_agent: Option<Vec<u8>>,
    /// It was sent through a web site.
    pub is_webmail: bool,
    /// There were fields.
    pub any: bool,
}

/// Names of programs that send mail for the visitors of a web site, at the beginning and elsewhere.
const WEBMAIL: [&[u8]; 4] =
    [b"iPlanet Messenger", b"Sun Java(tm) System Messenger Express", b"SquirrelMail", b"NeoMail"];
const WEBMAIL_WITHIN: [&[u8]; 2] = [b"(IMP)", b"ZimbraWebClient"];

fn is_webmail(agent: &[u8]) -> bool {
    WEBMAIL.iter().any(|name| agent.starts_with(name))
        || WEBMAIL_WITHIN.iter().any(|name| memchr::memmem::find(agent, name).is_some())
}

impl Listener for MailFields {
    fn field(&mut self, depth: usize, name: &[u8], value: &[u8]) {
        // Those of entities within the mail are not its own.
        if depth != 1 {
            return;
        }
        self.any = true;
        let text = || Some(value.to_vec());
        match &name.to_ascii_lowercase()[..] {
            b"date" => self.date = text(),
            b"from" => self.from = text(),
            b"to" => self.to.add(value),
            b"cc" => self.cc.add(value),
            b"reply-to" => self.reply_to = text(),
            b"message-id" => self.message_id = text(),
            b"in-reply-to" => self.in_reply_to = text(),
            b"subject" => self.subject = text(),
            b"x-originating-ip" => self.originating_ip = addresses(value, false).next(),
            b"x-mailer" | b"x-user-agent" => self.user_agent = text(),
            b"user-agent" => {
                self.user_agent = text();
                self.is_webmail |= is_webmail(value);
            }
            b"received" => {
                self.second_received = std::mem::replace(&mut self.first_received, text());
                // Where there are several, the first one is what the sender called itself.
                let found: Vec<_> = addresses(value, true).take(2).collect();
                if let Some(&host) = found.last()
                    && self.path.last() != Some(&host)
                    && self.path.len() < MAX_PATH
                {
                    self.path.push(host);
                }
            }
            _ => {}
        }
    }
}

impl MailFields {
    /// Bytes of memory that they take beside themselves.
    fn memory(&self) -> usize {
        let texts = [
            &self.date,
            &self.from,
            &self.reply_to,
            &self.message_id,
            &self.in_reply_to,
            &self.subject,
            &self.first_received,
            &self.second_received,
            &self.user_agent,
        ];
        texts.into_iter().flatten().map(Vec::capacity).sum::<usize>() + self.to.memory() + self.cc.memory()
    }
}

/// The addresses of hosts in a text; `wrapped`: only those in a pair of brackets or blanks.
fn addresses(text: &[u8], wrapped: bool) -> impl Iterator<Item = IpAddr> {
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':');
    let mut position = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(position..)?;
            let start = position + rest.iter().position(is_part)?;
            let run = text.get(start..)?;
            let length = run.iter().position(|byte| !is_part(byte)).unwrap_or(run.len());
            position = start + length;
            let around = (start.checked_sub(1).and_then(|at| text.get(at)), text.get(position));
            let fits = !wrapped
                || matches!(
                    around,
                    (Some(b'['), Some(b']')) | (Some(b'('), Some(b')')) | (Some(b'{'), Some(b'}'))
                )
                || matches!(around, (Some(before), Some(after)) if before.is_ascii_whitespace() && after.is_ascii_whitespace());
            let address = std::str::from_utf8(run.get(..length)?).ok().and_then(|text| text.parse().ok());
            if let Some(address) = address.filter(|_| fits) {
                return Some(address);
            }
        }
    })
}

/// An address of mail in an argument: `<a@b>` or `a@b`.
pub(super) fn mailbox(argument: &[u8]) -> Option<&[u8]> {
    let words =
        argument.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'>' | b',' | b';'));
    words.into_iter().find(|word| {
        let at = memchr::memchr(b'@', word);
        at.is_some_and(|at| at > 0 && at + 1 < word.len())
    })
}

/// Most mails out of order before nothing more is looked at.
const MAX_OUT_OF_ORDER: u32 = 25;

/// Order of the commands of a mail, as Zeek watches it (RFC 5321 3.3): sender, recipients, content.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    sender: bool,
    recipient: bool,
    /// Commands that came too early.
    early: u32,
}

impl Order {
    /// A command comes; the answer is what is odd about it.
    pub(super) fn command(&mut self, verb: Verb<'_>) -> [Option<Oddity>; 2] {
        let missing = match verb {
            Verb::Mail(_) => {
                (self.sender, self.recipient) = (true, false);
                None
            }
            Verb::Recipient(_) => {
                self.recipient = true;
                (!self.sender).then_some("rcpt to missing mail from")
            }
            Verb::Data | Verb::Chunk(_) => (!self.recipient).then_some("data missing rcpt to"),
            _ => None,
        };
        if matches!(verb, Verb::Chunk(Some(Chunk { last: true, .. }))) {
            self.end();
        }
        let Some(missing) = missing else { return [None, None] };
        self.early = self.early.saturating_add(1);
        let invalid = Oddity { name: "smtp_mail_transaction_invalid", addl: missing.to_owned() };
        let excessive = Oddity { name: "smtp_excessive_invalid_mail_transactions", addl: String::new() };
        [Some(invalid), (self.early > MAX_OUT_OF_ORDER).then_some(excessive)]
    }

    /// The content of a mail is over.
    pub(super) fn end(&mut self) {
        (self.sender, self.recipient) = (false, false);
    }
}

/// Something odd about a command, by Zeek's names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Oddity {
    pub name: &'static str,
    pub addl: String,
}

/// Longest argument of BDAT: the greatest number, a blank, the word, and a byte to spare.
const MAX_CHUNK_ARGUMENT: usize = 26;

impl Oddity {
    /// Returns the weird of the argument of BDAT.
    pub(super) fn of_chunk(argument: &[u8]) -> Option<Self> {
        let invalid = |addl: &str| Some(Self { name: "smtp_invalid_bdat_command", addl: addl.to_owned() });
        let argument = argument.strip_prefix(b" ").unwrap_or(argument);
        if argument.is_empty() || argument.len() > MAX_CHUNK_ARGUMENT {
            return invalid("BDAT argument bad length");
        }
        let end = argument.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(argument.len());
        let (digits, rest) = argument.split_at_checked(end)?;
        let Some(length) = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u64>().ok())
        else {
            return invalid("BDAT not followed by a valid chunk-size");
        };
        let rest = rest.trim_ascii();
        if !rest.is_empty() && !rest.eq_ignore_ascii_case(b"LAST") {
            return invalid("BDAT chunk-size followed by junk");
        }
        i64::try_from(length)
            .is_err()
            .then(|| Self { name: "smtp_huge_bdat_chunk", addl: length.to_string() })
    }
}

/// One envelope.
#[derive(Debug, Default)]
pub(super) struct Envelope {
    /// When the row begins.
    pub start: Timestamp,
    /// Position among the messages of the connection, from 1.
    pub depth: u64,
    pub mail: MailFields,
    pub entities: Entities,
    /// The mail as one file, with the number of its outermost entity, where scripts follow files.
    pub whole: Option<(u64, File)>,
    pub last_reply: Option<Vec<u8>>,
    /// The server agreed to TLS.
    pub tls: bool,
    /// The message was answered: what follows belongs to another row.
    pub answered: bool,
    pub oddities: Vec<(Timestamp, Oddity)>,
}

impl Envelope {
    /// Bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        let whole = self.whole.as_ref().map_or(0, |(_, file)| file.memory());
        size_of::<Self>() + self.mail.memory() + self.entities.memory() + whole
    }

    /// Takes a line of the mail as it was sent, but for a doubled dot at its beginning; line ends count as CRLF.
    pub(super) fn append(&mut self, line: &Line<'_>, stuffed: bool, time: Timestamp) {
        let Some((_, file)) = &mut self.whole else { return };
        let text = match line.text.strip_prefix(b".") {
            Some(rest) if stuffed && !line.continues => rest,
            _ => line.text,
        };
        let end: &[u8] = if line.end.is_empty() { b"" } else { b"\r\n" };
        file.append(&[text, end].concat(), time);
    }

    /// Notes what is odd about a command.
    pub(super) fn odd(&mut self, time: Timestamp, oddity: Option<Oddity>) {
        let is_new = |oddity: &Oddity| self.oddities.iter().all(|(_, known)| known.name != oddity.name);
        if let Some(oddity) = oddity.filter(is_new).filter(|_| self.oddities.len() < MAX_ODDITIES) {
            self.oddities.push((time, oddity));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_a_mail_have_an_order() {
        let (mail, rcpt) = (Verb::Mail(b"a"), Verb::Recipient(b"b"));
        let chunk = |last| Verb::Chunk(Some(Chunk { left: 1, last }));
        let cases: [(&[Verb<'_>], &[&str]); 7] = [
            (&[mail, rcpt, Verb::Data], &[]),
            (&[rcpt, Verb::Data], &["rcpt to missing mail from"]),
            (&[mail, Verb::Data], &["data missing rcpt to"]),
            (&[mail, rcpt, mail, Verb::Data], &["data missing rcpt to"]),
            (&[mail, rcpt, chunk(false), chunk(true)], &[]),
            (&[mail, rcpt, chunk(true), rcpt], &["rcpt to missing mail from"]),
            (&[Verb::Reset, Verb::Quit], &[]),
        ];
        for (verbs, expected) in cases {
            let mut order = Order::default();
            let found: Vec<_> = verbs.iter().flat_map(|&verb| order.command(verb)).flatten().collect();
            assert_eq!(found.iter().map(|odd| &*odd.addl).collect::<Vec<_>>(), expected);
        }
        let mut order = Order::default();
        let excessive = (0..=MAX_OUT_OF_ORDER).filter(|_| order.command(Verb::Data)[1].is_some()).count();
        assert_eq!(excessive, 1);
    }

    #[test]
    fn addresses_of_hosts() {
        let cases: [(&str, bool, &[&str]); 5] = [
            ("from a (b [10.0.0.1]) by c", true, &["10.0.0.1"]),
            ("from a (1.2.3.4 [::1] (5.6.7.8) 9.9.9.9 x", true, &["::1", "5.6.7.8", "9.9.9.9"]),
            ("from a [IPv6:2607:f8b0::1]", true, &[]),
            ("x1.2.3.4, 1.2.3", false, &["1.2.3.4"]),
            ("", false, &[]),
        ];
        for (text, wrapped, expected) in cases {
            let found: Vec<_> = addresses(text.as_bytes(), wrapped).map(|ip| ip.to_string()).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn the_way_of_a_mail() {
        let mut mail = MailFields::default();
        for value in ["from a [10.0.0.1] by b", "from c ([10.0.0.2]) by [10.0.0.3]", "from d [10.0.0.3]"] {
            mail.field(1, b"RECEIVED", value.as_bytes());
        }
        let path: Vec<_> = mail.path.iter().map(ToString::to_string).collect();
        assert_eq!(path, ["10.0.0.1", "10.0.0.3"]);
        assert_eq!(mail.first_received.as_deref(), Some(&b"from d [10.0.0.3]"[..]));
        mail.field(1, b"to", b"\"a, b\" <a@b>, c@d, c@d");
        let to: Vec<&[u8]> = mail.to.as_slice().iter().map(AsRef::as_ref).collect();
        assert_eq!(to, [&b"\"a, b\" <a@b>"[..], b"c@d"]);
    }

    #[test]
    fn mailboxes() {
        for (argument, expected) in [("<a@b>", Some("a@b")), ("a@b", Some("a@b")), ("<>", None), ("a@", None)]
        {
            assert_eq!(mailbox(argument.as_bytes()), expected.map(str::as_bytes), "{argument}");
        }
    }

    #[test]
    fn odd_chunks() {
        let cases = [
            (" 15555555557777777777 LAST\r", Some(("smtp_huge_bdat_chunk", "15555555557777777777"))),
            (
                " 184467440737095516150 LAST\r",
                Some(("smtp_invalid_bdat_command", "BDAT argument bad length")),
            ),
            ("", Some(("smtp_invalid_bdat_command", "BDAT argument bad length"))),
            (" X", Some(("smtp_invalid_bdat_command", "BDAT not followed by a valid chunk-size"))),
            (" 12 X", Some(("smtp_invalid_bdat_command", "BDAT chunk-size followed by junk"))),
            (" 12 last", None),
        ];
        for (argument, expected) in cases {
            let found = Oddity::of_chunk(argument.as_bytes());
            assert_eq!(found.as_ref().map(|odd| (odd.name, &odd.addl[..])), expected, "{argument}");
        }
    }
}
