//! Characters to tokens. Files that are loaded lie on a stack: their tokens come where `@load` stands.

use std::rc::Rc;

use super::constants;
use crate::source::{FileId, Span};
use crate::values::Value;

/// A token.
#[derive(Clone, Debug)]
pub enum Token {
    /// A name.
    Name(Rc<str>),
    /// A word of the language or a sign.
    Word(&'static str),
    /// A constant.
    Constant(Value),
    /// A name of a host.
    Host(Rc<str>),
    /// An attribute, without `&`.
    Attribute(Rc<str>),
    /// A directive, without `@`.
    Directive(Rc<str>),
    /// Something that is no token; the sentence says why.
    Wrong(String),
    /// The end of all files.
    End,
}

/// Words of the language.
const WORDS: [&str; 60] = [
    "add",
    "addr",
    "any",
    "as",
    "assert",
    "bool",
    "break",
    "case",
    "const",
    "copy",
    "count",
    "default",
    "delete",
    "double",
    "else",
    "enum",
    "event",
    "export",
    "fallthrough",
    "file",
    "for",
    "function",
    "global",
    "hook",
    "if",
    "in",
    "int",
    "interval",
    "is",
    "local",
    "module",
    "next",
    "of",
    "opaque",
    "option",
    "pattern",
    "port",
    "print",
    "record",
    "redef",
    "return",
    "schedule",
    "set",
    "string",
    "subnet",
    "switch",
    "table",
    "time",
    "timeout",
    "type",
    "vector",
    "when",
    "while",
    "T",
    "F",
    "list",
    "void",
    "union",
    "timer",
    "match",
];

/// Words that are types of Zeek's past, and names today.
const NAMES: [&str; 5] = ["list", "void", "union", "timer", "match"];

/// Signs, longer ones first.
const SIGNS: [&str; 48] = [
    "?as", "...", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "++", "--", "<<", ">>", "?$", "::", "(",
    ")", "{", "}", "[", "]", ",", ";", ":", "=", "+", "-", "*", "/", "%", "!", "~", "&", "|", "^", "<", ">",
    "?", "$", ".", "@", "#", "\\", "'", "`", "\"", "\u{7f}",
];

/// Attributes.
const ATTRIBUTES: [&str; 30] = [
    "optional",
    "default_insert",
    "default",
    "redef",
    "log",
    "ordered",
    "priority",
    "create_expire",
    "read_expire",
    "write_expire",
    "expire_func",
    "on_change",
    "add_func",
    "delete_func",
    "raw_output",
    "deprecated",
    "group",
    "backend",
    "broker_store",
    "broker_allow_complex_type",
    "is_assigned",
    "is_used",
    "is_set",
    "type_column",
    "error_handler",
    "no_CPP_opt",
    "no_ZAM_opt",
    "encrypt",
    "mergeable",
    "rotate_interval",
];

/// A file that is being read.
#[derive(Debug)]
struct Source {
    file: FileId,
    text: Rc<[u8]>,
    at: usize,
    line: u32,
    /// What the module was where this file was loaded.
    module: Rc<str>,
    /// Conditions that were open where this file was loaded.
    conditions: usize,
}

/// The reader of tokens.
#[derive(Debug)]
pub struct Lexer {
    sources: Vec<Source>,
    /// The module of what is read now.
    pub module: Rc<str>,
    /// Open `@if`s: the lines they stand on.
    pub conditions: Vec<Span>,
    last: Span,
    /// The file that ended last, for messages.
    pub ended: FileId,
    /// Conditions that files left open.
    pub unbalanced: Vec<Span>,
}

impl core::default::Default for Lexer {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
            module: "GLOBAL".into(),
            conditions: Vec::new(),
            last: Span::default(),
            ended: 0,
            unbalanced: Vec::new(),
        }
    }
}

impl Lexer {
    /// Reads a file before what is left of the current one.
    pub fn push(&mut self, file: FileId, text: Rc<[u8]>) {
        let module = std::mem::replace(&mut self.module, "GLOBAL".into());
        self.sources.push(Source { file, text, at: 0, line: 1, module, conditions: self.conditions.len() });
    }

    /// Returns how many files are open.
    pub fn depth(&self) -> usize {
        self.sources.len()
    }

    /// Returns where the last token stands.
    pub fn span(&self) -> Span {
        self.last
    }

    /// Returns where reading goes on.
    pub fn here(&self) -> Span {
        self.sources.last().map_or(self.last, |source| Span::line(source.file, source.line))
    }

    fn rest(&self) -> &[u8] {
        self.sources.last().and_then(|source| source.text.get(source.at..)).unwrap_or(&[])
    }

    fn skip(&mut self, count: usize) {
        if let Some(source) = self.sources.last_mut() {
            let lines = source.text.get(source.at..source.at + count).unwrap_or(&[]);
            source.line += u32::try_from(lines.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(0);
            source.at = (source.at + count).min(source.text.len());
        }
    }

    /// Skips blanks and comments; ends files that are over. False where nothing is left.
    fn settle(&mut self) -> bool {
        loop {
            let rest = self.rest();
            let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if blanks > 0 {
                self.skip(blanks);
            } else if rest.first() == Some(&b'#') {
                let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                self.skip(length);
            } else if rest.is_empty() {
                let Some(source) = self.sources.pop() else { return false };
                self.ended = source.file;
                if self.conditions.len() > source.conditions {
                    self.unbalanced.push(Span::line(source.file, source.line));
                    self.conditions.truncate(source.conditions);
                }
                self.module = source.module;
            } else {
                return true;
            }
        }
    }

    /// Returns the next token.
    pub fn next_token(&mut self) -> Token {
        if !self.settle() {
            return Token::End;
        }
        self.last = self.here();
        let (token, length) = self.token();
        self.skip(length);
        token
    }

    fn token(&self) -> (Token, usize) {
        let rest = self.rest();
        let first = rest.first().copied().unwrap_or(0);
        if first == b'"' {
            return constants::string(rest);
        }
        if first.is_ascii_digit() || (first == b'.' && rest.get(1).is_some_and(u8::is_ascii_digit)) {
            return constants::number(rest);
        }
        if first == b'['
            && let Some(found) = constants::address(rest)
        {
            return found;
        }
        if first.is_ascii_alphabetic() || first == b'_' || rest.starts_with(b"::") {
            if let Some(found) = constants::host(rest) {
                return found;
            }
            if let Some(found) = word(rest) {
                return found;
            }
        }
        if first == b'&'
            && let Some(found) = attribute(rest)
        {
            return found;
        }
        if first == b'@' {
            let length = letters(rest.get(1..).unwrap_or(&[]), b"-");
            let name = String::from_utf8_lossy(rest.get(1..=length).unwrap_or(&[])).into_owned();
            return (Token::Directive(name.into()), length + 1);
        }
        if first == b'!' {
            let blanks = rest.iter().skip(1).take_while(|byte| byte.is_ascii_whitespace()).count();
            let behind = rest.get(1 + blanks..).unwrap_or(&[]);
            if behind.starts_with(b"in") && letters(behind, b":") == 2 {
                return (Token::Word("!in"), 3 + blanks);
            }
        }
        for sign in SIGNS {
            if rest.starts_with(sign.as_bytes())
                && (sign != "?as" || letters(rest.get(1..).unwrap_or(&[]), b"") == 2)
            {
                return (Token::Word(sign), sign.len());
            }
        }
        (Token::Wrong(format!("unrecognized character - {}", char::from(first))), 1)
    }

    /// Reads a pattern behind its first slash: the text, and the letters behind the last slash.
    pub fn pattern(&mut self) -> Option<(String, String)> {
        let rest = self.rest();
        let mut at = 0;
        let mut text = Vec::new();
        loop {
            match rest.get(at).copied()? {
                b'\n' => return None,
                b'\\' if rest.get(at + 1) == Some(&b'/') => {
                    text.extend_from_slice(b"\\/");
                    at += 2;
                }
                b'\\' => {
                    text.push(b'\\');
                    text.push(rest.get(at + 1).copied()?);
                    at += 2;
                }
                b'/' => break,
                byte => {
                    text.push(byte);
                    at += 1;
                }
            }
        }
        at += 1;
        let mut flags = String::new();
        while let Some(flag @ (b'i' | b's')) = rest.get(at) {
            flags.push(char::from(*flag));
            at += 1;
        }
        self.skip(at);
        Some((text.iter().map(|byte| char::from(*byte)).collect(), flags))
    }

    /// Reads the rest of the line behind a directive.
    pub fn line(&mut self) -> String {
        let rest = self.rest();
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let text = String::from_utf8_lossy(rest.get(..length).unwrap_or(&[])).into_owned();
        self.skip(length);
        let text = if text.contains('"') { text } else { text.split('#').next().unwrap_or("").to_owned() };
        text.trim().to_owned()
    }

    /// Reads the word behind `@load`, which ends at a blank or semicolon.
    pub fn argument(&mut self) -> String {
        let rest = self.rest();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.skip(blanks);
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace() && **byte != b';').count();
        let text = String::from_utf8_lossy(rest.get(..length).unwrap_or(&[])).into_owned();
        self.skip(length);
        if self.rest().first() == Some(&b';') {
            self.skip(1);
        }
        text.trim_matches('"').to_owned()
    }

    /// Skips lines up to the directive that ends a false condition; true where it is `@else`.
    pub fn skip_condition(&mut self, stops_at_else: bool) -> bool {
        let mut nested = 0usize;
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return false;
            }
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let line = rest.get(blanks..).unwrap_or(&[]);
            let name = if line.first() == Some(&b'@') {
                let length = letters(line.get(1..).unwrap_or(&[]), b"-");
                String::from_utf8_lossy(line.get(1..=length).unwrap_or(&[])).into_owned()
            } else {
                String::new()
            };
            let consumed = blanks + 1 + name.len();
            match name.as_str() {
                "if" | "ifdef" | "ifndef" => nested += 1,
                "endif" if nested == 0 => {
                    self.skip(consumed);
                    self.conditions.pop();
                    return false;
                }
                "endif" => nested -= 1,
                "else" if nested == 0 && stops_at_else => {
                    self.skip(consumed);
                    return true;
                }
                _ => {}
            }
            let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
            self.skip(length);
        }
    }

    /// Returns whether what follows `event NAME` or `hook NAME` is a definition: an empty list of parameters without a
    /// semicolon behind it, or a name with a colon.
    pub fn is_definition(&self) -> bool {
        let mut rest = trim(self.rest());
        if rest.first() != Some(&b'(') {
            return false;
        }
        rest = trim(rest.get(1..).unwrap_or(&[]));
        if rest.first() == Some(&b')') {
            return trim(rest.get(1..).unwrap_or(&[])).first() != Some(&b';');
        }
        // A parameter's name, and a colon that is no part of a longer name.
        let length = letters(rest, b"");
        let is_name = rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let behind = trim(rest.get(length..).unwrap_or(&[]));
        is_name && behind.first() == Some(&b':') && behind.get(1) != Some(&b':')
    }
}

/// Skips blanks and comments.
fn trim(mut rest: &[u8]) -> &[u8] {
    loop {
        rest = rest.trim_ascii_start();
        if rest.first() != Some(&b'#') {
            return rest;
        }
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        rest = rest.get(length..).unwrap_or(&[]);
    }
}

/// Returns the number of letters of a name at the begin of a text.
fn letters(text: &[u8], more: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_' || more.contains(byte))
        .count()
}

/// Reads a name or a word; names have parts between double colons.
fn word(rest: &[u8]) -> Option<(Token, usize)> {
    let mut at = if rest.starts_with(b"::") { 2 } else { 0 };
    loop {
        let part = rest.get(at..).unwrap_or(&[]);
        if !part.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
            return None;
        }
        at += letters(part, b"");
        let behind = rest.get(at..).unwrap_or(&[]);
        let goes_on = !rest.starts_with(b"::")
            && behind.starts_with(b"::")
            && behind.get(2).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        if !goes_on {
            break;
        }
        at += 2;
    }
    let text = std::str::from_utf8(rest.get(..at)?).ok()?;
    let word = WORDS.iter().find(|word| **word == text && !NAMES.contains(word));
    Some((word.map_or_else(|| Token::Name(text.into()), |word| Token::Word(word)), at))
}

fn attribute(rest: &[u8]) -> Option<(Token, usize)> {
    let length = letters(rest.get(1..)?, b"");
    let name = std::str::from_utf8(rest.get(1..=length)?).ok()?;
    ATTRIBUTES.contains(&name).then(|| (Token::Attribute(name.into()), length + 1))
}
