//! The keyword `modbus`: `[unit <range>,] function <number>[, subfunction <number>]`, `function [!]<category>` or
//! `access read|write [discretes|coils|input|holding][, address <range>[, value <range>]]`.

use std::ops::RangeInclusive;

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::function::{access, category};
use super::message::{Data, Message};
use super::transaction::ModbusTransaction;

/// Condition on a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Range {
    Equal(u16),
    Less(u16),
    Greater(u16),
    /// Neither end belongs to it.
    Between(u16, u16),
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let number =
            |text: &str| text.parse().ok().filter(|_| text.starts_with(|c: char| c.is_ascii_digit()));
        Some(match (text.strip_prefix('<'), text.strip_prefix('>'), text.split_once("<>")) {
            (Some(most), _, None) => Self::Less(number(most)?),
            (_, Some(least), None) => Self::Greater(number(least)?),
            (None, None, Some((low, high))) => Self::Between(number(low)?, number(high)?),
            _ => Self::Equal(number(text)?),
        })
    }

    fn has(self, value: u16) -> bool {
        self.meets(&(value..=value))
    }

    /// Whether one of them is in it.
    fn meets(self, values: &RangeInclusive<u16>) -> bool {
        let (first, last) = (*values.start(), *values.end());
        match self {
            Self::Equal(value) => values.contains(&value),
            Self::Less(most) => first < most,
            Self::Greater(least) => last > least,
            Self::Between(low, high) => {
                let above = first.max(low.saturating_add(1));
                low < high && above <= last && above < high
            }
        }
    }
}

/// Condition on a message beside its unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Anything,
    Function(u8, Option<u16>),
    /// Bits of [`category`].
    Category(u8),
    Access {
        /// Bits of [`access`](mod@access): read or write.
        how: u8,
        /// Bits of [`access`](mod@access): objects; none for any.
        objects: u8,
        numbers: Option<Range>,
        value: Option<Range>,
    },
}

/// Condition of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Asked {
    unit: Option<Range>,
    what: What,
}

impl TransactionCheck for Asked {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        let message = downcast::<ModbusTransaction>(transaction).and_then(ModbusTransaction::message);
        message.is_some_and(|message| {
            self.unit.is_none_or(|unit| unit.has(message.unit.into())) && self.what.is_in(message)
        })
    }
}

impl What {
    fn is_in(&self, message: &Message) -> bool {
        match *self {
            Self::Anything => true,
            Self::Function(code, None) => code == message.code(),
            Self::Function(code, Some(function)) => {
                code == message.code()
                    && matches!(message.data, Data::Diagnostic(found, _) if found == function)
            }
            Self::Category(category) => message.category & category != 0,
            Self::Access { how, objects, numbers, value } => {
                let accessed = message.access;
                accessed & how != 0
                    && (objects == 0 || accessed & objects != 0)
                    && numbers.is_none_or(|asked| {
                        message.numbers().is_some_and(|found| {
                            asked.meets(&found) && value.is_none_or(|value| written(message, asked, value))
                        })
                    })
            }
        }
    }
}

/// Whether a value in `asked` is written to the object of a number.
fn written(message: &Message, number: Range, asked: Range) -> bool {
    matches!(number, Range::Equal(number) if message.written(number).is_some_and(|value| asked.has(value)))
}

/// `modbus: unit 10, access write coils, address 500, value >0;`
pub fn modbus(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default().trim();
    let text = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let asked = parse(&parts)?;
    Ok(Box::new(asked))
}

fn parse(parts: &[&str]) -> Result<Asked, String> {
    let (unit, rest) = match parts {
        [first, rest @ ..] if word(first, "unit").is_some() => {
            (Some(range(word(first, "unit").unwrap_or_default(), "unit")?), rest)
        }
        _ => (None, parts),
    };
    let what = match rest {
        [] => What::Anything,
        [first, rest @ ..] => {
            // Nothing need stand between these words and what follows.
            if let Some(function) = first.strip_prefix("function") {
                self::function(function.trim(), rest)?
            } else if let Some(access) = first.strip_prefix("access") {
                self::access(access.trim(), rest)?
            } else {
                return Err(format!("`{first}` should begin with function, access or, in front, unit."));
            }
        }
    };
    Ok(Asked { unit, what })
}

/// Returns the text after a word.
fn word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    rest.starts_with(|c: char| c.is_ascii_whitespace()).then(|| rest.trim())
}

fn range(text: &str, of: &str) -> Result<Range, String> {
    Range::parse(text).ok_or_else(|| {
        format!("`{text}` is no {of}: it is a number to 65535, perhaps behind < or >, or two with <> between them.")
    })
}

fn function(text: &str, rest: &[&str]) -> Result<What, String> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        let code = text.parse().ok().filter(|code| *code > 0);
        let code = code.ok_or_else(|| format!("`{text}` is no function: it is a number from 1 to 255."))?;
        let subfunction = match rest {
            [] => None,
            [one] => {
                let number = word(one, "subfunction").and_then(|number| number.parse().ok());
                Some(number.ok_or_else(|| format!("`{one}` should be subfunction and a number."))?)
            }
            [_, more, ..] => return Err(format!("`{more}` is too much.")),
        };
        return Ok(What::Function(code, subfunction));
    }
    if let Some(more) = rest.first() {
        return Err(format!("`{more}` is too much."));
    }
    let (negated, name) = text.strip_prefix('!').map_or((false, text), |name| (true, name));
    use category::{ASSIGNED, RESERVED, UNASSIGNED, USER};
    let bits = match name {
        "assigned" => ASSIGNED,
        "unassigned" => UNASSIGNED,
        "public" => ASSIGNED | UNASSIGNED,
        "user" => USER,
        "reserved" => RESERVED,
        "all" => ASSIGNED | UNASSIGNED | USER | RESERVED,
        _ => {
            let known = "assigned, unassigned, public, user, reserved or all";
            return Err(format!("`{name}` is no function: it is a number, {known}."));
        }
    };
    Ok(What::Category(if negated { !bits } else { bits }))
}

fn access(text: &str, rest: &[&str]) -> Result<What, String> {
    let (how, objects) = if let Some(objects) = text.strip_prefix("read") {
        (access::READ, objects.trim())
    } else if let Some(objects) = text.strip_prefix("write") {
        (access::WRITE, objects.trim())
    } else {
        return Err(format!("`{text}` should begin with read or write."));
    };
    let objects = match objects {
        "" => 0,
        "coils" => access::COILS,
        "holding" => access::HOLDING,
        "discretes" | "input" if how == access::WRITE => {
            return Err(format!("`{objects}` cannot be written."));
        }
        "discretes" => access::DISCRETES,
        "input" => access::INPUT,
        _ => return Err(format!("`{objects}` should be discretes, coils, input or holding.")),
    };
    let named = |part: &str, name: &str| {
        let text = word(part, name).ok_or_else(|| format!("`{part}` should be {name} and a number."))?;
        range(text, name)
    };
    let (numbers, value) = match rest {
        [] => (None, None),
        [address] => (Some(named(address, "address")?), None),
        [address, value] => (Some(named(address, "address")?), Some(named(value, "value")?)),
        [_, _, more, ..] => return Err(format!("`{more}` is too much.")),
    };
    if value.is_some() {
        if !matches!(numbers, Some(Range::Equal(_))) {
            return Err("A value is that of one address.".to_owned());
        }
        if how == access::READ {
            return Err("Only what is written has a value.".to_owned());
        }
    }
    Ok(What::Access { how, objects, numbers, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let any = |what| Asked { unit: None, what };
        let reads = |objects, numbers| any(What::Access { how: access::READ, objects, numbers, value: None });
        let cases: &[(&str, Option<Asked>)] = &[
            ("function 8", Some(any(What::Function(8, None)))),
            ("function 8, subfunction 4", Some(any(What::Function(8, Some(4))))),
            ("function !reserved", Some(any(What::Category(!category::RESERVED)))),
            ("functionpublic", Some(any(What::Category(category::ASSIGNED | category::UNASSIGNED)))),
            ("access read", Some(reads(0, None))),
            ("access read discretes, address <1000", Some(reads(access::DISCRETES, Some(Range::Less(1000))))),
            ("access read, address 500<>900", Some(reads(0, Some(Range::Between(500, 900))))),
            (
                "access write holding, address 100, value >20",
                Some(any(What::Access {
                    how: access::WRITE,
                    objects: access::HOLDING,
                    numbers: Some(Range::Equal(100)),
                    value: Some(Range::Greater(20)),
                })),
            ),
            ("unit 10", Some(Asked { unit: Some(Range::Equal(10)), what: What::Anything })),
            (
                "unit >10, function 5",
                Some(Asked { unit: Some(Range::Greater(10)), what: What::Function(5, None) }),
            ),
            ("unit 1<>9,access read", Some(Asked { unit: Some(Range::Between(1, 9)), ..reads(0, None) })),
            ("function 0", None),
            ("function 256", None),
            ("function some", None),
            ("function user, subfunction 1", None),
            ("access write input", None),
            ("access read, address 1, value 1", None),
            ("access write, address <1, value 1", None),
            ("access write, address 70000", None),
            ("access write, address +7", None),
            ("unit x", None),
            ("unit 1, unit 2", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let parts: Vec<&str> = text.split(',').map(str::trim).collect();
            assert_eq!(parse(&parts).ok(), *expected, "{text}");
        }
        assert!(modbus(Some("\"unit 1, access read\"")).is_ok() && modbus(None).is_err());
    }

    #[test]
    fn ranges() {
        for (range, values, expected) in [
            (Range::Equal(5), 1..=5, true),
            (Range::Less(1), 1..=5, false),
            (Range::Greater(4), 1..=5, true),
            (Range::Between(5, 9), 1..=5, false),
            (Range::Between(4, 9), 1..=5, true),
            (Range::Between(0, 2), 1..=5, true),
            (Range::Between(4, 5), 1..=9, false),
            (Range::Between(u16::MAX, 0), 1..=9, false),
        ] {
            assert_eq!(range.meets(&values), expected, "{range:?} {values:?}");
        }
    }
}
