//! Keywords with a grammar of their own: `dcerpc.iface` and `dcerpc.opnum`.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::transaction::{DceRpcTransaction, Exchange};
use super::uuid::Uuid;

/// A test of an interface's version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Version {
    Is(u16),
    IsNot(u16),
    Below(u16),
    AtMost(u16),
    Above(u16),
    AtLeast(u16),
    /// Between the two, which do not count.
    Between(u16, u16),
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        type Make = fn(u16) -> Version;
        const SIGNS: [(&str, Make); 7] = [
            ("<=", Version::AtMost),
            (">=", Version::AtLeast),
            ("!=", Version::IsNot),
            ("<", Version::Below),
            (">", Version::Above),
            ("!", Version::IsNot),
            ("=", Version::Is),
        ];
        for (sign, make) in SIGNS {
            if let Some(number) = text.strip_prefix(sign) {
                return number.trim().parse().ok().map(make);
            }
        }
        match text.split_once('-') {
            Some((low, high)) => {
                let (low, high) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
                (low < high).then_some(Version::Between(low, high))
            }
            None => text.parse().ok().map(Version::Is),
        }
    }

    const fn holds(self, version: u16) -> bool {
        match self {
            Version::Is(wanted) => version == wanted,
            Version::IsNot(wanted) => version != wanted,
            Version::Below(limit) => version < limit,
            Version::AtMost(limit) => version <= limit,
            Version::Above(limit) => version > limit,
            Version::AtLeast(limit) => version >= limit,
            Version::Between(low, high) => low < version && version < high,
        }
    }
}

/// The call that a transaction is, whatever carries it, where its beginning was seen.
fn as_call(transaction: &dyn Transaction) -> Option<&Exchange> {
    let exchange = match downcast::<DceRpcTransaction>(transaction) {
        Some(transaction) => &transaction.exchange,
        None => transaction.part()?.downcast_ref::<Exchange>()?,
    };
    exchange.is_call().then_some(exchange)
}

/// The interface of a call.
struct Interface {
    uuid: Uuid,
    version: Option<Version>,
    /// Also where it was not offered in a first fragment.
    any_fragment: bool,
}

/// `dcerpc.iface:367abb81-9844-35f1-ad32-98f038001003,>1,any_frag;`
pub fn interface(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default();
    let mut parts = text.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let uuid = Uuid::parse(name).ok_or_else(|| format!("`{name}` is no UUID of an interface."))?;
    let (version, any_fragment) = match (parts.next(), parts.next(), parts.next()) {
        (None, ..) => (None, false),
        (Some("any_frag"), None, _) => (None, true),
        (Some(version), None, _) => (Some(version), false),
        (Some(version), Some("any_frag"), None) => (Some(version), true),
        _ => return Err(format!("`{text}` is more than a UUID, a version and `any_frag`.")),
    };
    let test = |text| {
        Version::parse(text).ok_or_else(|| format!("`{text}` is no test of a version: <1, >1, =1 or !1."))
    };
    Ok(Box::new(Interface { uuid, version: version.map(test).transpose()?, any_fragment }))
}

impl TransactionCheck for Interface {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        let Some(call) = as_call(transaction) else { return false };
        call.contexts.iter().any(|context| {
            context.is_accepted()
                && (self.any_fragment || context.in_first_fragment)
                && context.interface == self.uuid
                && self.version.is_none_or(|version| version.holds(context.version.0))
        })
    }
}

/// Most ranges of a rule.
const MAX_RANGES: usize = 1024;

/// The operation's number lies in one of these, ends included.
struct Operation(Vec<(u32, u32)>);

/// `dcerpc.opnum:12,24,62-78;`
pub fn operation(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default();
    let range = |text: &str| {
        let (low, high) = text.split_once('-').unwrap_or((text, text));
        let (low, high) = (number(low)?, number(high)?);
        (low <= high && high <= u16::MAX.into()).then_some((low, high))
    };
    let ranges: Option<Vec<_>> = text.split(',').take(MAX_RANGES).map(|text| range(text.trim())).collect();
    match ranges {
        Some(ranges) => Ok(Box::new(Operation(ranges))),
        None => Err(format!("`{text}` is no list of operations' numbers and ranges, such as 12,62-78.")),
    }
}

fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

impl TransactionCheck for Operation {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        let Some(call) = as_call(transaction) else { return false };
        let number = u32::from(call.operation);
        self.0.iter().any(|&(low, high)| low <= number && number <= high)
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::Contexts;
    use super::super::pdu::{Offer, kind};
    use super::super::transaction::Call;
    use super::super::uuid::Order;
    use super::*;

    const UUID: &str = "367abb81-9844-35f1-ad32-98f038001003";

    fn tx(first: bool, result: u16) -> DceRpcTransaction {
        let mut tx = DceRpcTransaction::new(Call::Association { number: 1, minor: 0 }, Order::Little);
        tx.exchange.sides.to_server.kind = Some(kind::REQUEST);
        tx.exchange.operation = 15;
        let mut contexts = Contexts::default();
        let interface = Uuid::parse(UUID).unwrap();
        contexts.offer(1, first, &[Offer { context: 0, interface, version: (2, 0) }]);
        contexts.answer(1, &[(result, 0)]);
        tx.exchange.contexts = contexts.numbered(0);
        tx
    }

    #[test]
    fn interfaces() {
        let cases = [
            ("", true, 0, true),
            ("", true, 2, false),
            ("", false, 0, false),
            (",any_frag", false, 0, true),
            (",=2", true, 0, true),
            (",2", true, 0, true),
            (",<2", true, 0, false),
            (",>1,any_frag", false, 0, true),
            (",!2", true, 0, false),
            (", >= 2", true, 0, true),
            (",1-3", true, 0, true),
            (",2-3", true, 0, false),
        ];
        for (rest, first, result, expected) in cases {
            let option = format!("{UUID}{rest}");
            let check = interface(Some(&option)).unwrap_or_else(|error| panic!("{option}: {error}"));
            assert_eq!(check.matches(&tx(first, result), Direction::ToServer), expected, "{option}");
        }
        let other = interface(Some("367abb81-9844-35f1-ad32-98f038001004")).ok().unwrap();
        assert!(!other.matches(&tx(true, 0), Direction::ToServer));
        for rest in [",", ",x", ",=65536", ",any_frag,=1", ",=1,any", ",=1,any_frag,", ",3-1"] {
            assert!(interface(Some(&format!("{UUID}{rest}"))).is_err(), "{rest}");
        }
        assert!(interface(Some("367abb81")).is_err() && interface(None).is_err());
    }

    #[test]
    fn operations() {
        let cases = [
            ("15", true),
            ("14", false),
            ("1,15", true),
            ("10-20", true),
            ("15-15", true),
            ("16-20,3", false),
        ];
        for (option, expected) in cases {
            let check = operation(Some(option)).unwrap_or_else(|error| panic!("{option}: {error}"));
            assert_eq!(check.matches(&tx(true, 0), Direction::ToServer), expected, "{option}");
            let mut answer = tx(true, 0);
            answer.exchange.sides.to_server.kind = None;
            assert!(!check.matches(&answer, Direction::ToClient), "{option}");
        }
        for option in ["", "x", "1,", "20-10", "1-2-3", ">3", "-3", "+3", "65536", "1-70000", "4294967296"] {
            assert!(operation(Some(option)).is_err(), "{option}");
        }
    }
}
