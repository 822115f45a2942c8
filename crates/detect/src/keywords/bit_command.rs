//! Commands of `flowbits`, `xbits` and `hostbits` on a bit, whosever it is.

use weir_rules::{Spanned, SyntaxError};

/// Command of a rule on a bit.
pub(super) enum BitCommand {
    /// Matches where it is set, or where it is not.
    Ask {
        /// It must be set.
        set: bool,
    },
    /// Changes it when the rule matches.
    Change(BitChange),
}

/// Change of a bit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BitChange {
    Set,
    Unset,
    Toggle,
}

impl BitCommand {
    /// Reads the command of `keyword`, which has others beside, or none.
    pub(super) fn parse(command: &Spanned, keyword: &str, others: &str) -> Result<Self, SyntaxError> {
        Ok(match command.as_str() {
            "isset" => Self::Ask { set: true },
            "isnotset" => Self::Ask { set: false },
            "set" => Self::Change(BitChange::Set),
            "unset" => Self::Change(BitChange::Unset),
            "toggle" => Self::Change(BitChange::Toggle),
            other => {
                return Err(command
                    .error(format!("ERROR: {keyword} action \"{other}\" is not supported."))
                    .with_help(format!("commands are set, unset, toggle, isset and isnotset{others}")));
            }
        })
    }
}

impl BitChange {
    /// Whether the bit is unset after it; `is_set` returns its state before.
    pub(super) fn clears(self, is_set: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Set => false,
            Self::Unset => true,
            Self::Toggle => is_set(),
        }
    }
}
