//! `flowint`: numbers that rules keep on a flow.

use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::post::{PostAction, PostView};
use crate::model::signature::{Cost, PacketCheck, Subjects};
use crate::model::view::PacketView;
use crate::state::names::NameKind;
use crate::state::{FlowDetect, NameId};

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "flowint",
    [
        "flowint:<name>,<=|+|-|<|>|<=|>=|==|!=>,<number|name>; flowint:<name>,<isset|notset|isnotset>;",
        "Sets, adds to or takes from a number of the flow when the rule matches, or compares it.",
        "flowint:failures,+,1; flowint:failures,>,5;",
    ],
    flowint,
)];

/// A number as written, or that of another name.
#[derive(Clone, Copy)]
enum Operand {
    Number(u32),
    Name(NameId),
}

impl Operand {
    /// A name that the flow has no number for stands for zero.
    fn value(self, state: &FlowDetect) -> u32 {
        match self {
            Operand::Number(number) => number,
            Operand::Name(name) => state.integer(name).unwrap_or_default(),
        }
    }
}

/// A comparison.
type Compare = fn(u32, u32) -> bool;

struct IntegerCheck {
    name: NameId,
    compare: Compare,
    operand: Operand,
}

impl PacketCheck for IntegerCheck {
    fn cost(&self) -> Cost {
        Cost::Flow
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        let Some(state) = view.state else { return false };
        state.integer(self.name).is_some_and(|found| (self.compare)(found, self.operand.value(state)))
    }

    fn observed(&self, view: &PacketView<'_>) -> Option<String> {
        Some(match view.state.and_then(|state| state.integer(self.name)) {
            Some(value) => format!("it is {value}"),
            None => "it is not set".to_owned(),
        })
    }
}

/// `isset`, `notset`
struct IntegerSet {
    name: NameId,
    set: bool,
}

impl PacketCheck for IntegerSet {
    fn cost(&self) -> Cost {
        Cost::Flow
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        view.state.is_some_and(|state| state.integer(self.name).is_some() == self.set)
    }
}

/// Change of a number.
#[derive(Clone, Copy)]
enum Change {
    Assign,
    Add,
    Subtract,
}

struct IntegerChange {
    name: NameId,
    change: Change,
    operand: Operand,
}

impl PostAction for IntegerChange {
    fn apply(&self, view: &mut PostView<'_>) {
        let Some(state) = view.state.as_deref_mut() else { return };
        let operand = self.operand.value(state);
        let value = match (self.change, state.integer(self.name)) {
            // What was not there yet counts from zero; nothing is taken from it.
            (Change::Assign, _) | (Change::Add, None) => operand,
            (Change::Add, Some(found)) => found.wrapping_add(operand),
            (Change::Subtract, Some(found)) => found.wrapping_sub(operand),
            (Change::Subtract, None) => return,
        };
        let room = state.set_integer(self.name, value);
        view.note(room);
    }
}

fn flowint(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let (name, operator, operand) = match items.as_slice() {
        [name, operator] => (name, operator, None),
        [name, operator, operand] => (name, operator, Some(operand)),
        _ => {
            return Err(text
                .error("`flowint` takes a name, an operator and mostly a number.")
                .with_help("write `flowint:name,+,1;` or `flowint:name,isset;`"));
        }
    };
    let id = integer_name(rule, name, |c| matches!(c, '_' | '.' | '/' | '"'))?;
    match (operator.as_str(), operand) {
        ("isset" | "notset" | "isnotset", operand) => {
            // A number or a name behind it says nothing.
            operand.map(|operand| parse_operand(rule, operand)).transpose()?;
            rule.effects.state_use.integers.1 = true;
            rule.push_packet_check(IntegerSet { name: id, set: operator == "isset" });
            return Ok(());
        }
        (_, None) => return Err(operator.error(format!("`{operator}` needs a number behind it."))),
        _ => {}
    }
    let Some(operand_text) = operand else { return Ok(()) };
    let operand = parse_operand(rule, operand_text)?;
    let change = match operator.as_str() {
        "=" => Some(Change::Assign),
        "+" => Some(Change::Add),
        "-" => Some(Change::Subtract),
        _ => None,
    };
    if let Some(change) = change {
        rule.effects.state_use.integers.0 = true;
        rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
        rule.push_post(IntegerChange { name: id, change, operand });
        return Ok(());
    }
    let compare: Compare = match operator.as_str() {
        "<" => |found, operand| found < operand,
        ">" => |found, operand| found > operand,
        "<=" => |found, operand| found <= operand,
        ">=" => |found, operand| found >= operand,
        "==" => |found, operand| found == operand,
        "!=" => |found, operand| found != operand,
        other => {
            return Err(operator
                .error(format!("`{other}` is no operator of `flowint`."))
                .with_help("operators are = + - < > <= >= == != isset notset"));
        }
    };
    rule.effects.state_use.integers.1 = true;
    rule.push_packet_check(IntegerCheck { name: id, compare, operand });
    Ok(())
}

/// Reads a name: a letter and at least one more letter, digit or sign among those `allowed`.
fn integer_name(
    rule: &RuleBuilder<'_>,
    name: &Spanned,
    allowed: fn(char) -> bool,
) -> Result<NameId, SyntaxError> {
    let valid = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || allowed(c));
    if !valid {
        return Err(name
            .error(format!("\"{name}\" is not a valid setting for flowint: it is no name."))
            .with_help(
                "a name has two letters at least, and may have digits, `_`, `.` and `/` after the first",
            ));
    }
    Ok(rule.name(NameKind::FlowInteger, name))
}

fn parse_operand(rule: &RuleBuilder<'_>, text: &Spanned) -> Result<Operand, SyntaxError> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        let decimal = text.bytes().all(|byte| byte.is_ascii_digit());
        return text
            .parse()
            .ok()
            .filter(|_| decimal)
            .map(Operand::Number)
            .ok_or_else(|| text.error(format!("`{text}` is no number of 32 bits.")));
    }
    integer_name(rule, text, |c| c == '_').map(Operand::Name)
}
