//! A command and what the server replies.

use weir_applayer::{Progress, TxMeta};
use weir_base::{Direction, Timestamp};

use super::command::{Command, Mode};

/// All of it was read.
pub const COMPLETE: Progress = Progress(1);

/// Most lines of replies that are kept of a transaction.
pub const MAX_REPLIES: usize = 256;

/// Digits of a reply's code.
const CODE: usize = 3;

/// A line of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply(Vec<u8>);

impl Reply {
    /// A line without its end.
    pub fn new(line: &[u8]) -> Self {
        Self(line.to_vec())
    }

    /// The line without its end.
    pub fn line(&self) -> &[u8] {
        &self.0
    }

    /// The three digits that it begins with.
    pub fn code(&self) -> Option<&[u8]> {
        self.0.get(..CODE).filter(|code| code.iter().all(u8::is_ascii_digit))
    }

    /// Returns the code that rules and EVE records show: of the line that ends a reply, or is all of it.
    pub fn final_code(&self) -> Option<&[u8]> {
        self.code().filter(|_| self.0.get(CODE) == Some(&b' '))
    }

    /// Returns the text that rules and EVE records show: what is behind [`Self::final_code`], or the whole line.
    pub fn shown(&self) -> Option<&[u8]> {
        let text = if self.final_code().is_some() { self.0.get(CODE + 1..)? } else { &self.0 };
        Some(text.trim_ascii_end()).filter(|text| !text.is_empty())
    }

    /// Whether another line follows for sure.
    pub fn is_preliminary(&self) -> bool {
        self.final_code().is_some_and(|code| code.starts_with(b"1"))
    }

    /// Returns the fault of a line that begins a reply.
    pub fn fault(&self) -> Option<ReplyFault> {
        match (self.code(), self.0.get(CODE)) {
            (None, _) => Some(ReplyFault::NoCode),
            (Some(_), Some(b' ' | b'-')) => None,
            (Some(_), _) => Some(ReplyFault::NoSeparator),
        }
    }

    /// Returns the text after the code.
    pub fn text(&self) -> Option<&[u8]> {
        match self.code() {
            Some(_) => self.0.get(CODE + 1..),
            None => Some(&self.0),
        }
    }
}

/// Fault of a line of the server's, as Zeek sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplyFault {
    /// It does not begin with a code.
    NoCode,
    /// Something else than a blank or a dash comes behind the code.
    NoSeparator,
}

/// One transaction.
#[derive(Debug, Default)]
pub struct FtpTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The command, where it is a known one.
    pub command: Option<Command>,
    /// Argument of the command.
    pub argument: Vec<u8>,
    /// The command is longer than what is kept.
    pub command_truncated: bool,
    /// Bytes of its text that are not kept, once its end was seen.
    pub unkept: usize,
    /// Lines of the server's replies.
    pub replies: Vec<Reply>,
    /// Bytes of those.
    pub reply_bytes: usize,
    /// A reply is longer than what is kept.
    pub reply_truncated: bool,
    /// The server has said more than that a reply follows.
    pub replied: bool,
    /// The port that data will go to.
    pub port: Option<u16>,
    /// Data is to go to another host than the client.
    pub bounces: bool,
    /// The first thing that is wrong with a reply, and when it was captured.
    pub fault: Option<(ReplyFault, Timestamp)>,
    /// A reply of several lines has begun with this code.
    pub open_reply: Option<[u8; CODE]>,
}

weir_applayer::transaction!(FtpTransaction, |tx| Some(tx.argument.capacity() + tx.reply_bytes));

impl FtpTransaction {
    /// Returns the command, where rules and EVE records have a name for it.
    pub fn named(&self) -> Option<Command> {
        self.command.filter(|command| command.is_named())
    }

    /// Returns the mode of the data connection that it agrees on.
    pub fn mode(&self) -> Option<Mode> {
        self.command.and_then(Command::mode)
    }

    /// Ends it; returns where data will go, where it agrees on that.
    pub fn complete(&mut self) -> Option<(Mode, u16)> {
        self.meta.advance(Direction::ToClient, COMPLETE);
        if self.meta.only.is_none() {
            self.meta.advance(Direction::ToServer, COMPLETE);
        }
        self.mode().zip(self.port)
    }

    /// Forks it for Zeek's logs alone.
    pub fn fork(&mut self) -> Self {
        Self {
            meta: self.meta.fork(),
            argument: self.argument.clone(),
            replies: self.replies.clone(),
            ..*self
        }
    }

    /// Returns whether a line of the server's ends the reply.
    pub fn is_last(&mut self, reply: &Reply) -> bool {
        let code = reply.code().and_then(|code| <[u8; CODE]>::try_from(code).ok());
        let separator = reply.0.get(CODE).copied();
        if let Some(open) = self.open_reply {
            if code != Some(open) || separator == Some(b'-') {
                return false;
            }
            self.open_reply = None;
        } else if let (Some(code), Some(b'-')) = (code, separator) {
            self.open_reply = Some(code);
            return false;
        }
        // One that is preliminary is followed by another.
        !code.is_some_and(|code| code.starts_with(b"1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_several_lines() {
        let cases: &[(&[&str], &[bool])] = &[
            (&["200 done"], &[true]),
            (&["200"], &[true]),
            (&["150 wait", "226 done"], &[false, true]),
            (&["230-hello", "230-more", " text", "226 no", "230 end"], &[false, false, false, false, true]),
            (&["not a code"], &[true]),
        ];
        for (lines, expected) in cases {
            let mut tx = FtpTransaction::default();
            let found: Vec<bool> =
                lines.iter().map(|line| tx.is_last(&Reply::new(line.as_bytes()))).collect();
            assert_eq!(found, *expected, "{lines:?}");
        }
    }

    #[test]
    fn parts_of_a_reply() {
        type Part<'a> = Option<&'a [u8]>;
        let cases: &[(&str, [Part<'_>; 2], [Part<'_>; 2])] = &[
            ("230 Login ", [Some(b"230"), Some(b"Login ")], [Some(b"230"), Some(b"Login")]),
            ("230-Login", [Some(b"230"), Some(b"Login")], [None, Some(b"230-Login")]),
            ("230", [Some(b"230"), None], [None, Some(b"230")]),
            ("230 ", [Some(b"230"), Some(b"")], [Some(b"230"), None]),
            (" text", [None, Some(b" text")], [None, Some(b" text")]),
            (" ", [None, Some(b" ")], [None, None]),
        ];
        for (line, parts, shown) in cases {
            let reply = Reply::new(line.as_bytes());
            assert_eq!([reply.code(), reply.text()], *parts, "{line}");
            assert_eq!([reply.final_code(), reply.shown()], *shown, "{line}");
        }
    }
}
