//! Settings of a connection (RFC 9113 6.5.2), and the keyword that looks at them.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::{Direction, Reader};

use super::comparison::Comparison;
use super::transaction::Http2Transaction;

/// Names by number.
pub const NAMES: &[(&str, u16)] = &[
    ("SETTINGS_HEADER_TABLE_SIZE", 1),
    ("SETTINGS_ENABLE_PUSH", 2),
    ("SETTINGS_MAX_CONCURRENT_STREAMS", 3),
    ("SETTINGS_INITIAL_WINDOW_SIZE", 4),
    ("SETTINGS_MAX_FRAME_SIZE", 5),
    ("SETTINGS_MAX_HEADER_LIST_SIZE", 6),
];

/// The settings that a frame holds: numbers and values.
pub fn read(payload: &[u8]) -> Vec<(u16, u32)> {
    let mut reader = Reader::new(payload);
    std::iter::from_fn(|| Some((reader.u16()?, reader.u32()?))).collect()
}

/// `http2.settings:SETTINGS_ENABLE_PUSH=0;`
struct SettingCheck {
    number: u16,
    comparison: Option<Comparison>,
}

impl TransactionCheck for SettingCheck {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        let Some(tx) = downcast::<Http2Transaction>(transaction) else { return false };
        let Some(controls) = tx.messages[direction].controls() else { return false };
        controls.settings.iter().any(|(number, value)| {
            *number == self.number && self.comparison.is_none_or(|comparison| comparison.holds(*value))
        })
    }
}

/// Reads the keyword's option: a name, and perhaps what its value is compared with.
pub fn parse(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default().trim();
    let end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(text.len());
    let (name, comparison) = text.split_at(end);
    let number = NAMES.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
    let number = number.ok_or_else(|| format!("`{name}` is no setting such as SETTINGS_ENABLE_PUSH."))?;
    let comparison =
        match comparison.trim() {
            "" => None,
            written => Some(Comparison::parse(written).ok_or_else(|| {
                format!("`{written}` is no comparison such as `=1`, `<10`, `>10` or `5<>10`.")
            })?),
        };
    Ok(Box::new(SettingCheck { number, comparison }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let mut tx = Http2Transaction::default();
        tx.messages.to_server.controls_mut().settings = read(b"\0\x04\0\0\0\x09\0\x02\0\0\0\0\0\x04\0\0");
        let cases = [
            ("SETTINGS_INITIAL_WINDOW_SIZE", Some(true)),
            ("SETTINGS_INITIAL_WINDOW_SIZE=9", Some(true)),
            ("SETTINGS_INITIAL_WINDOW_SIZE >8", Some(true)),
            ("SETTINGS_INITIAL_WINDOW_SIZE<9", Some(false)),
            ("SETTINGS_ENABLE_PUSH=0", Some(true)),
            ("SETTINGS_MAX_FRAME_SIZE", Some(false)),
            ("SETTINGS_ENABLE_PUSH=x", None),
            ("SETTINGS_ENABLE", None),
            ("", None),
        ];
        for (option, expected) in cases {
            let check = parse(Some(option)).ok();
            let found = check.as_ref().map(|check| check.matches(&tx, Direction::ToServer));
            assert_eq!(found, expected, "{option}");
            assert!(!check.is_some_and(|check| check.matches(&tx, Direction::ToClient)));
        }
    }
}
