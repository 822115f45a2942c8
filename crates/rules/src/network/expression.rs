//! Expressions of addresses or ports to a tree. One grammar serves both; only the leaves differ.

use crate::diagnostic::SyntaxError;
use crate::network::{AddressRange, PortRange};
use crate::text::Span;

/// Deepest nesting of lists.
const MAX_DEPTH: usize = 64;

/// Leaf of an expression of one kind.
pub(super) trait Leaf: Copy {
    /// The set of such leaves.
    type Set: Set<Leaf = Self>;
    /// The word for one, in messages.
    const WHAT: &'static str;
    /// The sentence where one is missing.
    const MISSING: &'static str;
    /// Syntax of one.
    const HELP: &'static str;
    /// One value, block or range.
    fn parse(text: &str) -> Option<Self>;
}

/// A flattened set of leaves.
pub(super) trait Set: Clone + Default {
    /// Leaves that it is made of.
    type Leaf;
    /// The set of everything.
    fn any() -> Self;
    /// The set of all that the leaves name.
    fn from_leaves(leaves: &[Self::Leaf]) -> Self;
    /// The set as leaves, merged.
    fn leaves(&self) -> Vec<Self::Leaf>;
    /// This set less the other.
    fn without(&self, other: &Self) -> Self;
    /// Whether it holds nothing.
    fn is_empty(&self) -> bool;
}

/// A part of an expression and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression<L> {
    /// Place in the text that was read.
    pub span: Span,
    /// Kind, with its parts.
    pub kind: ExpressionKind<L>,
}

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionKind<L> {
    /// `any`
    Any,
    /// One value, block or range.
    Leaf(L),
    /// `$NAME`, without the dollar sign.
    Variable(String),
    /// `!` before an expression.
    Not(Box<Expression<L>>),
    /// Expressions between brackets, or separated by commas without any.
    List(Vec<Expression<L>>),
}

/// Reads an address expression.
pub fn parse_addresses(text: &str) -> Result<Expression<AddressRange>, SyntaxError> {
    parse(text)
}

/// Reads a port expression.
pub fn parse_ports(text: &str) -> Result<Expression<PortRange>, SyntaxError> {
    parse(text)
}

pub(super) fn parse<L: Leaf>(text: &str) -> Result<Expression<L>, SyntaxError> {
    let mut parser = Parser { text, at: 0 };
    let mut items = parser.items(0)?;
    if parser.at < text.len() {
        let span = Span::new(parser.at, parser.at + 1);
        return Err(SyntaxError::new(span, "This bracket is out of place.")
            .with_help("items of a list are separated by commas, and every `[` has its `]`"));
    }
    match items.pop() {
        Some(only) if items.is_empty() => Ok(only),
        last => {
            items.extend(last);
            Ok(Expression { span: Span::new(0, text.len()), kind: ExpressionKind::List(items) })
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Byte of the next character.
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes `sign` if it is next.
    fn take(&mut self, sign: char) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len_utf8();
        }
        found
    }

    /// Items separated by commas, up to a closing bracket or the end.
    fn items<L: Leaf>(&mut self, depth: usize) -> Result<Vec<Expression<L>>, SyntaxError> {
        let mut items = Vec::new();
        loop {
            items.push(self.item(depth)?);
            self.skip_blanks();
            if !self.take(',') {
                return Ok(items);
            }
        }
    }

    fn item<L: Leaf>(&mut self, depth: usize) -> Result<Expression<L>, SyntaxError> {
        self.skip_blanks();
        let start = self.at;
        if !self.take('!') {
            return self.plain(depth);
        }
        self.skip_blanks();
        let inner = self.plain(depth)?;
        let span = Span::new(start, self.at);
        if matches!(inner.kind, ExpressionKind::Any) {
            return Err(SyntaxError::new(span, format!("`!any` holds no {} at all.", L::WHAT)));
        }
        Ok(Expression { span, kind: ExpressionKind::Not(Box::new(inner)) })
    }

    /// An expression that does not begin with `!`.
    fn plain<L: Leaf>(&mut self, depth: usize) -> Result<Expression<L>, SyntaxError> {
        let start = self.at;
        if self.take('[') {
            return self.list(start, depth);
        }
        let rest = self.rest();
        let word = rest.split([',', ']', '[']).next().unwrap_or_default().trim_end();
        self.at += word.len();
        let span = Span::new(start, self.at);
        let kind = if let Some(name) = word.strip_prefix('$') {
            if name.is_empty() || !name.bytes().all(is_name_byte) {
                return Err(SyntaxError::new(span, format!("`{word}` is not the name of a variable.")));
            }
            ExpressionKind::Variable(name.to_owned())
        } else if word.eq_ignore_ascii_case("any") {
            ExpressionKind::Any
        } else if let Some(leaf) = L::parse(word) {
            ExpressionKind::Leaf(leaf)
        } else if word.is_empty() {
            return Err(SyntaxError::new(Span::new(start, start + 1), L::MISSING).with_help(L::HELP));
        } else {
            let message = format!("`{word}` is not a valid {}.", L::WHAT);
            return Err(SyntaxError::new(span, message).with_help(L::HELP));
        };
        Ok(Expression { span, kind })
    }

    fn list<L: Leaf>(&mut self, start: usize, depth: usize) -> Result<Expression<L>, SyntaxError> {
        if depth == MAX_DEPTH {
            let message = format!("Lists are nested more than {MAX_DEPTH} deep.");
            return Err(SyntaxError::new(Span::new(start, self.at), message));
        }
        let items = self.items(depth + 1)?;
        if !self.take(']') {
            return Err(SyntaxError::new(Span::new(start, self.at), "The list is not closed by `]`."));
        }
        Ok(Expression { span: Span::new(start, self.at), kind: ExpressionKind::List(items) })
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}
