//! `iprep`: the reputation of a packet's addresses.

use std::sync::Arc;

use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::{Cost, PacketCheck};
use crate::model::view::PacketView;
use crate::state::reputation::{MAX_REPUTATION, Reputations};

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "iprep",
    [
        "iprep:<any|src|dst|both>,<category>,<operator>,<value>; iprep:<any|src|dst|both>,<category>,<isset|isnotset>;",
        "The reputation of the packet's addresses in a category. Operators are < > = != <= >=.",
        "iprep:src,CnC,>,100;",
    ],
    compile,
)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    Any,
    Source,
    Destination,
    Both,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    Less(u8),
    LessOrEqual(u8),
    Greater(u8),
    GreaterOrEqual(u8),
    Equal(u8),
    NotEqual(u8),
    IsSet,
    IsNotSet,
}

impl Test {
    fn holds(self, found: Option<u8>) -> bool {
        let compare = |holds: fn(u8, u8) -> bool, wanted| found.is_some_and(|value| holds(value, wanted));
        match self {
            Test::Less(wanted) => compare(|a, b| a < b, wanted),
            Test::LessOrEqual(wanted) => compare(|a, b| a <= b, wanted),
            Test::Greater(wanted) => compare(|a, b| a > b, wanted),
            Test::GreaterOrEqual(wanted) => compare(|a, b| a >= b, wanted),
            Test::Equal(wanted) => compare(|a, b| a == b, wanted),
            Test::NotEqual(wanted) => compare(|a, b| a != b, wanted),
            Test::IsSet => found.is_some(),
            Test::IsNotSet => found.is_none(),
        }
    }
}

struct Reputation {
    table: Arc<Reputations>,
    ends: Ends,
    category: u8,
    test: Test,
}

impl PacketCheck for Reputation {
    fn cost(&self) -> Cost {
        Cost::Search
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        let (Some(source), Some(destination)) = (view.facts.packet.source(), view.facts.packet.destination())
        else {
            return false;
        };
        let holds = |address| self.test.holds(self.table.find(self.category, address));
        match self.ends {
            Ends::Source => holds(source),
            Ends::Destination => holds(destination),
            Ends::Any => holds(source) || holds(destination),
            Ends::Both => holds(source) && holds(destination),
        }
    }

    fn ip_only(&self) -> bool {
        true
    }
}

fn compile(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let (ends, category, test) = match items.as_slice() {
        [ends, category, word] => {
            let test = match word.as_str() {
                "isset" => Test::IsSet,
                "isnotset" => Test::IsNotSet,
                _ => return Err(word.error(format!("`iprep` does not know `{word}`."))),
            };
            (ends, category, test)
        }
        [ends, category, sign, value] => (ends, category, test(sign, value)?),
        _ => return Err(text.error("`iprep` takes addresses, a category, and a comparison.")),
    };
    let ends = match ends.as_str() {
        "any" => Ends::Any,
        "src" => Ends::Source,
        "dst" => Ends::Destination,
        "both" => Ends::Both,
        _ => return Err(ends.error(format!("`{ends}` is none of any, src, dst and both."))),
    };
    rule.demands.lists = true;
    let table = &rule.environment.reputations;
    let Some(number) = table.category(category) else {
        return Err(category.error(format!("unknown iprep category \"{category}\"")));
    };
    let check = Reputation { table: Arc::clone(table), ends, category: number, test };
    rule.push_packet_check(check);
    Ok(())
}

fn test(sign: &Spanned, value: &Spanned) -> Result<Test, SyntaxError> {
    let number = value.parse::<u8>().ok().filter(|number| *number <= MAX_REPUTATION);
    let number =
        number.ok_or_else(|| value.error(format!("`{value}` is no reputation up to {MAX_REPUTATION}.")))?;
    Ok(match sign.as_str() {
        "<" => Test::Less(number),
        "<=" => Test::LessOrEqual(number),
        ">" => Test::Greater(number),
        ">=" => Test::GreaterOrEqual(number),
        "=" => Test::Equal(number),
        "!=" => Test::NotEqual(number),
        _ => return Err(sign.error(format!("`{sign}` is no operator of `iprep`."))),
    })
}

#[cfg(test)]
mod tests {
    use super::Test;

    #[test]
    fn comparisons() {
        let cases = [
            (Test::Less(5), Some(4), true),
            (Test::Less(5), None, false),
            (Test::GreaterOrEqual(5), Some(5), true),
            (Test::Equal(0), Some(0), true),
            (Test::NotEqual(1), Some(0), true),
            (Test::NotEqual(1), None, false),
            (Test::IsSet, Some(0), true),
            (Test::IsNotSet, None, true),
        ];
        for (test, found, expected) in cases {
            assert_eq!(test.holds(found), expected, "{test:?} {found:?}");
        }
    }
}
