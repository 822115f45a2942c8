//! Integers of packets and flows: what all keywords share that compare one number with the option.

use weir_rules::value::{IntegerMatch, Unsigned};
use weir_rules::{Quotes, RuleOption, SyntaxError};

use crate::builder::RuleBuilder;
use crate::model::signature::PacketCheck;
use crate::model::view::PacketView;

/// Access to a number; `None` where the packet has none, and then the check fails.
pub type ReadInteger<T> = fn(&PacketView<'_>) -> Option<T>;

/// A comparison with one number.
pub struct IntegerCheck<T> {
    comparison: IntegerMatch<T>,
    read: ReadInteger<T>,
    ip_only: bool,
}

impl<T: Unsigned + Send + Sync> PacketCheck for IntegerCheck<T> {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        (self.read)(view).is_some_and(|number| self.comparison.matches(number))
    }

    fn observed(&self, view: &PacketView<'_>) -> Option<String> {
        Some(match (self.read)(view) {
            Some(number) => format!("it is {}", number.to_u64()),
            None => "there is none".to_owned(),
        })
    }

    fn ip_only(&self) -> bool {
        self.ip_only
    }
}

/// Reads the option's comparison; `names` are spellings of values.
pub fn comparison<T: Unsigned>(
    option: &RuleOption,
    names: &[(&str, T)],
) -> Result<IntegerMatch<T>, SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    // All small or all capital.
    let is = |known: &str, name: &str| {
        known == name
            || (known.eq_ignore_ascii_case(name) && !name.bytes().any(|byte| byte.is_ascii_lowercase()))
    };
    let value_of = |name: &str| names.iter().find(|(known, _)| is(known, name)).map(|(_, value)| *value);
    IntegerMatch::parse_named(&text, value_of).map_err(|error| text.locate(error))
}

/// Adds the check of a keyword on a packet's header.
pub fn push_header<T: Unsigned + Send + Sync + 'static>(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    read: ReadInteger<T>,
) -> Result<(), SyntaxError> {
    push_header_comparison(rule, comparison(option, &[])?, read);
    Ok(())
}

/// Adds a comparison with a packet's header.
pub fn push_header_comparison<T: Unsigned + Send + Sync + 'static>(
    rule: &mut RuleBuilder<'_>,
    comparison: IntegerMatch<T>,
    read: ReadInteger<T>,
) {
    rule.push_header_check(IntegerCheck { comparison, read, ip_only: false });
}

/// Adds the check of a keyword on a flow.
pub fn push_flow<T: Unsigned + Send + Sync + 'static>(
    rule: &mut RuleBuilder<'_>,
    comparison: IntegerMatch<T>,
    read: ReadInteger<T>,
) {
    rule.push_packet_check(IntegerCheck { comparison, read, ip_only: false });
}

/// Adds a check that address-only rules may have.
pub fn push_ip_only<T: Unsigned + Send + Sync + 'static>(
    rule: &mut RuleBuilder<'_>,
    comparison: IntegerMatch<T>,
    read: ReadInteger<T>,
) {
    rule.push_packet_check(IntegerCheck { comparison, read, ip_only: true });
}
