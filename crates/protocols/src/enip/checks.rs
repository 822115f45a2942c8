//! The keyword `cip_service`: `<service>[,<class>[,[!]<attribute>]]`.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::cip::{Cip, segment};
use super::transaction::EnipTransaction;

/// Condition of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Asked {
    service: u8,
    class: Option<u32>,
    attribute: Option<u32>,
}

impl TransactionCheck for Asked {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        let message = downcast::<EnipTransaction>(transaction).and_then(|tx| tx.message(direction));
        message.is_some_and(|message| {
            message.services().flat_map(|(cip, ..)| cip.all()).any(|cip| self.is_asked_of(cip))
        })
    }
}

impl Asked {
    fn is_asked_of(&self, cip: &Cip) -> bool {
        cip.service == self.service
            && self.class.is_none_or(|class| {
                cip.segments(segment::CLASS).any(|found| found == class)
                    && self.attribute.is_none_or(|attribute| cip.attributes().any(|found| found == attribute))
            })
    }
}

/// `cip_service:75,16,1;`
pub fn cip_service(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    Ok(Box::new(parse(option.unwrap_or_default())?))
}

fn parse(text: &str) -> Result<Asked, String> {
    let mut parts = text.split(',').map(str::trim);
    let mut next = |what: &str, most: u32| match parts.next() {
        None => Ok(None),
        Some(part) => {
            // An attribute behind `!` may be any.
            let (any, digits) = match part.strip_prefix('!').filter(|_| what == "attribute") {
                Some(digits) => (true, digits),
                None => (false, part),
            };
            let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
            let number = digits.parse().ok().filter(|number| is_number && *number <= most);
            let number: u32 =
                number.ok_or_else(|| format!("`{part}` is no {what}: it is a number to {most}."))?;
            Ok::<_, String>(Some(number).filter(|_| !any))
        }
    };
    let service = next("service", 127)?.and_then(|service| u8::try_from(service).ok()).unwrap_or_default();
    let asked = Asked { service, class: next("class", u32::MAX)?, attribute: next("attribute", u32::MAX)? };
    match parts.next() {
        Some(more) => Err(format!("`{more}` is too much.")),
        None => Ok(asked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let asked = |service, class, attribute| Some(Asked { service, class, attribute });
        for (text, expected) in [
            ("12", asked(12, None, None)),
            ("12 , 123 , 45678", asked(12, Some(123), Some(45678))),
            ("1,2,!3", asked(1, Some(2), None)),
            ("128", None),
            ("", None),
            ("!1", None),
            ("+1", None),
            ("1,", None),
            ("1,x", None),
            ("1,2,3,4", None),
        ] {
            assert_eq!(parse(text).ok(), expected, "{text}");
        }
        assert!(cip_service(None).is_err());
    }
}
