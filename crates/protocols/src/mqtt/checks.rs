//! Keywords of MQTT that are no buffers and no numbers to compare.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::transaction::MqttTransaction;

/// Compiled option of a keyword.
type Parsed = Result<Box<dyn TransactionCheck>, String>;

/// Condition on a transaction.
#[derive(Clone, Copy)]
enum Asked {
    /// A message has this quality of service.
    Qos(u8),
    /// The server knows of a session before, or does not.
    SessionPresent(bool),
}

impl TransactionCheck for Asked {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        let Some(tx) = downcast::<MqttTransaction>(transaction) else { return false };
        match *self {
            Asked::Qos(qos) => tx.messages.iter().any(|message| message.header.qos() == qos),
            Asked::SessionPresent(present) => tx.session_present() == Some(present),
        }
    }
}

/// `mqtt.qos:1;`
pub fn qos(option: Option<&str>) -> Parsed {
    match option.map(str::trim) {
        Some("0") => Ok(Box::new(Asked::Qos(0))),
        Some("1") => Ok(Box::new(Asked::Qos(1))),
        Some("2") => Ok(Box::new(Asked::Qos(2))),
        other => Err(format!("`{}` is no quality of service: it is 0, 1 or 2.", other.unwrap_or_default())),
    }
}

/// `mqtt.connack.session_present:yes;`
pub fn session_present(option: Option<&str>) -> Parsed {
    let text = option.unwrap_or_default().trim().to_ascii_lowercase();
    match text.as_str() {
        "yes" | "true" => Ok(Box::new(Asked::SessionPresent(true))),
        "no" | "false" => Ok(Box::new(Asked::SessionPresent(false))),
        _ => Err(format!("`{text}` should be yes, true, no or false.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        type Read = fn(Option<&str>) -> Parsed;
        let cases: &[(Read, Option<&str>, bool)] = &[
            (qos, Some(" 2 "), true),
            (qos, Some("3"), false),
            (qos, Some(">0"), false),
            (qos, None, false),
            (session_present, Some("TRUE"), true),
            (session_present, Some("no"), true),
            (session_present, Some("1"), false),
            (session_present, None, false),
        ];
        for (read, option, expected) in cases {
            assert_eq!(read(*option).is_ok(), *expected, "{option:?}");
        }
    }
}
