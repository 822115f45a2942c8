//! The keywords `dnp3_ind` and `dnp3_obj`.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::names::INDICATIONS;
use super::transaction::Dnp3Transaction;

/// Compiled option of a keyword.
type Parsed = Result<Box<dyn TransactionCheck>, String>;

/// Condition on a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// One of these internal indications.
    Indications(u16),
    /// An object of this group and variation.
    Object(u8, u8),
}

impl TransactionCheck for Asked {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        let Some(tx) = downcast::<Dnp3Transaction>(transaction) else { return false };
        tx.meta.only == Some(direction)
            && match *self {
                Self::Indications(asked) => tx.indications().is_some_and(|found| found & asked != 0),
                Self::Object(group, variation) => tx
                    .objects
                    .list
                    .iter()
                    .any(|object| (object.group, object.variation) == (group, variation)),
            }
    }
}

/// A number, in decimal or behind `0x` in hexadecimal.
fn number<T: TryFrom<u32>>(text: &str) -> Option<T> {
    let (digits, base) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    let is_number = digits.starts_with(|c: char| c.is_digit(base));
    u32::from_str_radix(digits, base).ok().filter(|_| is_number).and_then(|number| number.try_into().ok())
}

/// `dnp3_ind:device_restart,need_time;`
pub fn indications(option: Option<&str>) -> Parsed {
    let text = option.unwrap_or_default().trim();
    if let Some(flags) = number(text) {
        return Ok(Box::new(Asked::Indications(flags)));
    }
    let mut flags = 0;
    for name in text.split(',').map(str::trim) {
        let found = INDICATIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        flags |= found.ok_or_else(|| format!("`{name}` is no internal indication."))?.1;
    }
    Ok(Box::new(Asked::Indications(flags)))
}

/// `dnp3_obj:99,99;`
pub fn object(option: Option<&str>) -> Parsed {
    let text = option.unwrap_or_default();
    let parts = text.split_once(',');
    let parts = parts.and_then(|(group, variation)| Some((number(group.trim())?, number(variation.trim())?)));
    let (group, variation) =
        parts.ok_or_else(|| format!("`{text}` should be a group and a variation, numbers to 255."))?;
    Ok(Box::new(Asked::Object(group, variation)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        type Read = fn(Option<&str>) -> Parsed;
        let cases: &[(Read, Option<&str>, bool)] = &[
            (indications, Some("0x8000"), true),
            (indications, Some("32768"), true),
            (indications, Some("device_restart, Need_Time"), true),
            (indications, Some("65536"), false),
            (indications, Some("something"), false),
            (indications, None, false),
            (object, Some("99,0x10"), true),
            (object, Some("99, 16"), true),
            (object, Some("99"), false),
            (object, Some("99,256"), false),
            (object, Some("99,1,2"), false),
            (object, None, false),
        ];
        for (read, option, expected) in cases {
            assert_eq!(read(*option).is_ok(), *expected, "{option:?}");
        }
    }
}
