//! Texts to booleans, numbers, sizes and spans of time, by the rules of the engine users come from.

/// `1`, `yes`, `true`, `on`, in any case.
pub fn is_true(text: &str) -> bool {
    ["1", "yes", "true", "on"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// `0`, `no`, `false`, `off`, in any case.
pub fn is_false(text: &str) -> bool {
    ["0", "no", "false", "off"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A whole number: decimal, `0x` hexadecimal, or octal with a leading zero.
pub fn integer(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (digits, 8),
        None => (digits, 10),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// A number of bytes: `65535`, `64kb`, `1.5 mb`, `1gb`; `KiB`, `MiB`, `GiB` mean the same.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" => 0,
        "kb" | "kib" => 10,
        "mb" | "mib" => 20,
        "gb" | "gib" => 30,
        _ => return None,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(1 << shift);
    }
    if !number.starts_with(|c: char| c.is_ascii_digit()) || !number.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let bytes = number.parse::<f64>().ok()? * f64::from(1u32 << shift);
    (bytes < u64::MAX as f64).then_some(bytes as u64)
}

/// Seconds: a whole number, alone or followed by `s`, `m`, `h`, `d` or `w`.
pub fn seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, scale) = match text.chars().next_back()?.to_ascii_lowercase() {
        's' => (text.get(..text.len().checked_sub(1)?)?, 1),
        'm' => (text.get(..text.len().checked_sub(1)?)?, 60),
        'h' => (text.get(..text.len().checked_sub(1)?)?, 3600),
        'd' => (text.get(..text.len().checked_sub(1)?)?, 86_400),
        'w' => (text.get(..text.len().checked_sub(1)?)?, 604_800),
        _ => (text, 1),
    };
    number.trim().parse::<u64>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans() {
        for text in ["yes", "YES", "true", "True", "1", "on", "On"] {
            assert!(is_true(text) && !is_false(text), "{text}");
        }
        for text in ["no", "false", "0", "off", "OFF"] {
            assert!(is_false(text) && !is_true(text), "{text}");
        }
        for text in ["y", "enabled", "", "auto", "2"] {
            assert!(!is_false(text) && !is_true(text), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("0", Some(0)),
            ("2560", Some(2560)),
            ("64kb", Some(65_536)),
            ("64 KB", Some(65_536)),
            ("100 MiB", Some(104_857_600)),
            ("10mb", Some(10_485_760)),
            ("1gb", Some(1 << 30)),
            ("1.5kb", Some(1536)),
            (" 7 ", Some(7)),
            ("10k", None),
            ("suricata", None),
            ("", None),
            (".", None),
            ("1.", None),
            ("-1", None),
            ("1.2.3", None),
            ("99999999999gb", None),
            ("99999999999999999999.5gb", None),
        ] {
            assert_eq!(size(text), expected, "{text:?}");
        }
    }

    #[test]
    fn numbers_and_spans() {
        for (text, expected) in [
            ("0", Some(0)),
            ("010", Some(8)),
            ("0x1F", Some(31)),
            ("-1", None),
            ("+-1", None),
            ("12a", None),
            ("", None),
        ] {
            assert_eq!(integer(text), expected, "{text:?}");
        }
        for (text, expected) in [
            ("60", Some(60)),
            ("2m", Some(120)),
            ("1h", Some(3600)),
            ("1 d", Some(86_400)),
            ("s", None),
            ("é", None),
        ] {
            assert_eq!(seconds(text), expected, "{text:?}");
        }
    }
}
