//! The header: `action protocol source ports direction destination ports`.

use std::sync::Arc;

use crate::diagnostic::SyntaxError;
use crate::rule::{Action, ActionScope, Protocol, RuleDirection, ScopedAction};
use crate::text::{Span, Spanned};

/// The parts of a header.
pub(super) struct Header {
    pub(super) action: ScopedAction,
    pub(super) further_actions: Vec<ScopedAction>,
    pub(super) protocol: Protocol,
    pub(super) source: Spanned,
    pub(super) source_ports: Spanned,
    pub(super) direction: RuleDirection,
    pub(super) destination: Spanned,
    pub(super) destination_ports: Spanned,
    /// Byte of the text where the options begin.
    pub(super) end: usize,
}

pub(super) fn parse_header(source: &Arc<str>) -> Result<Header, SyntaxError> {
    let mut words = Words { source, at: 0 };
    let (action, further_actions) = parse_actions(&words.word("action")?)?;
    Ok(Header {
        action,
        further_actions,
        protocol: parse_protocol(words.word("protocol")?)?,
        source: words.list("source address")?,
        source_ports: words.list("source port")?,
        direction: parse_direction(&words.word("direction")?)?,
        destination: words.list("destination address")?,
        destination_ports: words.list("destination port")?,
        end: words.at,
    })
}

/// Takes words off the front of a rule.
struct Words<'a> {
    source: &'a Arc<str>,
    at: usize,
}

impl Words<'_> {
    /// A run of bytes up to white space.
    fn word(&mut self, what: &str) -> Result<Spanned, SyntaxError> {
        self.take(what, |bytes| bytes.iter().position(u8::is_ascii_whitespace))
    }

    /// A run of bytes up to white space, which brackets may enclose.
    fn list(&mut self, what: &str) -> Result<Spanned, SyntaxError> {
        let list = self.take(what, |bytes| {
            let mut depth = 0_usize;
            bytes.iter().position(|byte| match byte {
                b'[' => {
                    depth += 1;
                    false
                }
                b']' => {
                    depth = depth.saturating_sub(1);
                    false
                }
                b'(' => true,
                byte => byte.is_ascii_whitespace() && depth == 0,
            })
        })?;
        if list == "!" {
            return Err(list
                .error("Here white space stands between `!` and what it negates.")
                .with_help("write `!` directly before it"));
        }
        if self.source.as_bytes().get(self.at) == Some(&b'(') {
            let span = Span::new(self.at, self.at + 1);
            return Err(SyntaxError::new(span, format!("Here white space is missing behind the {what}."))
                .with_help("put a space before the parenthesis"));
        }
        Ok(list)
    }

    fn take(&mut self, what: &str, end: impl Fn(&[u8]) -> Option<usize>) -> Result<Spanned, SyntaxError> {
        let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
        let text = rest.trim_ascii_start();
        let start = self.at + (rest.len() - text.len());
        let length = end(text).unwrap_or(text.len());
        if length == 0 {
            let span = Span::new(start, (start + 1).min(self.source.len()));
            return Err(SyntaxError::new(span, format!("The rule ends before its {what}."))
                .with_help("a rule reads `action protocol source ports -> destination ports (options)`"));
        }
        self.at = start + length;
        Ok(Spanned::new(self.source, Span::new(start, self.at)))
    }
}

fn parse_actions(word: &Spanned) -> Result<(ScopedAction, Vec<ScopedAction>), SyntaxError> {
    let mut start = 0;
    let mut first = None;
    let mut further = Vec::new();
    for part in word.split(',') {
        let piece = word.slice(Span::new(start, start + part.len()));
        start += part.len() + 1;
        let action = parse_action(&piece)?;
        match first {
            None => first = Some(action),
            Some(_) => further.push(action),
        }
    }
    match first {
        Some(first) => Ok((first, further)),
        None => Err(word.error("The rule has no action.")),
    }
}

fn parse_action(piece: &Spanned) -> Result<ScopedAction, SyntaxError> {
    let (name, scope) = match piece.split_once(':') {
        Some((name, scope)) => (name, Some(scope)),
        None => (piece.as_str(), None),
    };
    let Some(action) = Action::from_name(name) else {
        let names: Vec<&str> = Action::ALL.into_iter().map(Action::name).collect();
        return Err(piece
            .slice(Span::new(0, name.len()))
            .error(format!("An invalid action \"{name}\" was given"))
            .with_help(format!("actions are {}", names.join(", "))));
    };
    let scope = match scope {
        None => None,
        Some(text) => Some(ActionScope::from_name(text).ok_or_else(|| {
            piece
                .slice(Span::new(name.len() + 1, piece.len()))
                .error(format!("invalid action scope '{text}' in action '{piece}': {}", action.scopes()))
                .with_help("scopes are packet, flow, hook, tx")
        })?),
    };
    Ok(ScopedAction { action, scope, span: piece.span() })
}

fn parse_protocol(word: Spanned) -> Result<Protocol, SyntaxError> {
    let Some(colon) = word.find(':') else {
        return Ok(Protocol { name: word, hook: None });
    };
    let name = word.slice(Span::new(0, colon));
    let hook = word.slice(Span::new(colon + 1, word.len()));
    if name.is_empty() {
        return Err(word.error("The protocol has no name."));
    }
    if hook.is_empty() {
        return Err(word.error("The protocol has a colon but no hook behind it."));
    }
    Ok(Protocol { name, hook: Some(hook) })
}

fn parse_direction(word: &Spanned) -> Result<RuleDirection, SyntaxError> {
    match word.as_str() {
        "->" => Ok(RuleDirection::OneWay),
        "<>" => Ok(RuleDirection::BothWays),
        "=>" => Ok(RuleDirection::Transaction),
        other => Err(word
            .error(format!("\"{other}\" is not a valid direction modifier, \"->\" and \"<>\" are supported."))
            .with_help(match other {
                "<-" => "exchange source and destination, and write `->`",
                _ => "write `->`, `<>` or `=>` between source ports and destination",
            })),
    }
}
