//! The shape of one rule: action, header and options, each part with its place in the text.

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SyntaxError};
use crate::text::{Origin, Span, Spanned};

/// Action of a rule when it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Raise an alert.
    Alert,
    /// Stop inspecting.
    Pass,
    /// Drop the packet and raise an alert.
    Drop,
    /// Drop, and send a reset or unreachable message to the sender.
    Reject,
    /// Alias of [`Action::Reject`].
    RejectSrc,
    /// Drop, and send a reset or unreachable message to the receiver.
    RejectDst,
    /// Drop, and send a reset or unreachable message to both ends.
    RejectBoth,
    /// Change how the flow or transaction is logged or tracked.
    Config,
    /// Let through (firewall rules).
    Accept,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 9] = [
        Self::Alert,
        Self::Pass,
        Self::Drop,
        Self::Reject,
        Self::RejectSrc,
        Self::RejectDst,
        Self::RejectBoth,
        Self::Config,
        Self::Accept,
    ];

    /// The word rules use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alert => "alert",
            Self::Pass => "pass",
            Self::Drop => "drop",
            Self::Reject => "reject",
            Self::RejectSrc => "rejectsrc",
            Self::RejectDst => "rejectdst",
            Self::RejectBoth => "rejectboth",
            Self::Config => "config",
            Self::Accept => "accept",
        }
    }

    /// Says which scopes it can have.
    pub fn scopes(self) -> &'static str {
        match self {
            Self::Accept => "only 'packet', 'flow', 'tx' and 'hook' allowed",
            Self::Config => "only 'packet' allowed",
            Self::Alert => "scope only supported for actions 'drop', 'pass' and 'reject'",
            _ => "only 'packet' and 'flow' allowed",
        }
    }

    /// The action of that name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name().eq_ignore_ascii_case(name))
    }

    /// Whether the action sends a reset or unreachable message.
    pub fn is_reject(self) -> bool {
        matches!(self, Self::Reject | Self::RejectSrc | Self::RejectDst | Self::RejectBoth)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Scope of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionScope {
    /// This packet.
    Packet,
    /// The rest of the flow.
    Flow,
    /// The present hook or state.
    Hook,
    /// The present transaction.
    Transaction,
}

impl ActionScope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::Packet, Self::Flow, Self::Hook, Self::Transaction];

    /// The word rules use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Packet => "packet",
            Self::Flow => "flow",
            Self::Hook => "hook",
            Self::Transaction => "tx",
        }
    }

    /// The scope of that name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name().eq_ignore_ascii_case(name))
    }
}

/// An action with the scope that was written behind it, as in `drop:flow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopedAction {
    /// The action.
    pub action: Action,
    /// Its scope, if one was written.
    pub scope: Option<ActionScope>,
    /// Place of both in the rule's text.
    pub span: Span,
}

/// The protocol of the header, as in `tcp` or `http1:request_line`.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Name, as written.
    pub name: Spanned,
    /// All that follows the first colon: a hook such as `all`, `request_line`, `<request_body`.
    pub hook: Option<Spanned>,
}

/// Direction of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleDirection {
    /// `->`: from source to destination.
    OneWay,
    /// `<>`: either way, packet by packet.
    BothWays,
    /// `=>`: a transaction from source to destination, both of its sides at once.
    Transaction,
}

impl RuleDirection {
    /// The sign rules use.
    pub fn sign(self) -> &'static str {
        match self {
            Self::OneWay => "->",
            Self::BothWays => "<>",
            Self::Transaction => "=>",
        }
    }
}

/// One option between the parentheses: `name;` or `name:value;`.
#[derive(Clone, Debug)]
pub struct RuleOption {
    /// Keyword.
    pub name: Spanned,
    /// Text behind the colon, raw: quotes, `!` and escapes still in, white space at the ends off.
    /// `None` if nothing does.
    pub value: Option<Spanned>,
    /// Name and value.
    pub span: Span,
}

/// Whether a keyword takes its value in double quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// A quoted value is an error.
    Never,
    /// Quotes are taken off if there are any.
    Optional,
    /// A value without quotes is an error.
    Mandatory,
}

/// An option's value with its wrapping undone.
#[derive(Clone, Debug)]
pub struct Argument {
    /// A `!` stood before it, and the keyword takes one.
    pub negated: bool,
    /// It stood in quotes.
    pub quoted: bool,
    /// The value, escapes still in.
    pub text: Spanned,
}

impl RuleOption {
    /// The value with negation and quotes undone, or an error placed in the rule's text if there is none
    /// or it is wrapped otherwise than the keyword wants. The messages keep Suricata's words.
    ///
    /// `negation` says whether the keyword gives a leading `!` the usual meaning; otherwise it stays in the text.
    pub fn argument(&self, negation: bool, quotes: Quotes) -> Result<Argument, SyntaxError> {
        let Some(value) = &self.value else {
            return Err(self.malformed());
        };
        let negated = negation && value.starts_with('!');
        let text = match negated {
            true => value.slice_trimmed(Span::new(1, value.len())),
            false => value.clone(),
        };
        if text.is_empty() {
            return Err(self.malformed());
        }
        let quoted = text.starts_with('"');
        match (quoted, quotes) {
            (false, Quotes::Mandatory) => Err(text
                .error(format!(
                    "invalid formatting to {0} keyword: value must be double quoted '{0}'",
                    self.name
                ))
                .with_help(format!("write `{}:\"{text}\";`", self.name))),
            (true, Quotes::Never) => {
                Err(text.error(format!("quotes on {0} keyword that doesn't support them: '{0}'", self.name)))
            }
            (false, _) => Ok(Argument { negated, quoted, text }),
            (true, _) => Ok(Argument { negated, quoted, text: self.unquoted(value, &text)? }),
        }
    }

    fn unquoted(&self, value: &Spanned, text: &Spanned) -> Result<Spanned, SyntaxError> {
        if text.len() < 2 || !text.ends_with('"') {
            let name = &self.name;
            let message = format!(
                "bad option value formatting (possible missing semicolon) for keyword {name}: '{value}'"
            );
            return Err(text
                .error(message)
                .with_help("a `;` inside quotes must be written `\\;`, and each option must end with `;`"));
        }
        let inner = text.slice(Span::new(1, text.len() - 1));
        if inner.is_empty() {
            return Err(text.error(format!("bad input for keyword {}: '{value}'", self.name)));
        }
        Ok(inner)
    }

    /// An error about a value that is missing, or that is none for the keyword.
    pub fn malformed(&self) -> SyntaxError {
        self.error(format!("invalid formatting or malformed option to {0} keyword: '{0}'", self.name))
            .with_help("the keyword needs a value")
    }

    /// An error if the option carries a value, for keywords that take none.
    pub fn no_argument(&self) -> Result<(), SyntaxError> {
        match &self.value {
            None => Ok(()),
            Some(value) => Err(value.error(format!("unexpected option to {0} keyword: '{0}'", self.name))),
        }
    }

    /// An error about the whole option, placed in the rule's text.
    pub fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.span, message)
    }
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its text and the place it came from.
    pub origin: Origin,
    /// Action with its scope.
    pub action: ScopedAction,
    /// The actions that follow the first after a comma, as in `accept:hook,alert`.
    pub further_actions: Vec<ScopedAction>,
    /// Protocol and hook.
    pub protocol: Protocol,
    /// Source addresses, as written.
    pub source: Spanned,
    /// Source ports, as written.
    pub source_ports: Spanned,
    /// Direction.
    pub direction: RuleDirection,
    /// Destination addresses, as written.
    pub destination: Spanned,
    /// Destination ports, as written.
    pub destination_ports: Spanned,
    /// The options, in order.
    pub options: Vec<RuleOption>,
}

impl Rule {
    /// Name of the file.
    pub fn file(&self) -> &Arc<str> {
        &self.origin.file
    }

    /// First line of the rule, counted from 1.
    pub fn line(&self) -> u32 {
        self.origin.line
    }

    /// The rule as written, on one line.
    pub fn text(&self) -> &Arc<str> {
        &self.origin.text
    }

    /// The first option of that name, which may be in any case.
    pub fn option(&self, name: &str) -> Option<&RuleOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The error as a diagnostic of this rule; its span must count from the rule's first byte.
    pub fn error(&self, error: SyntaxError) -> Diagnostic {
        self.origin.error(error)
    }

    /// Makes a warning of an error.
    pub fn warning(&self, error: SyntaxError) -> Diagnostic {
        self.origin.warning(error)
    }
}
