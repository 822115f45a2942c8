//! Zeek's logs as separated values: what their heads say, and the values of rows.

use std::borrow::Cow;

use crate::columns::{Column, micros};
use crate::kinds::Kind;

/// The head of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Name of the log.
    pub path: String,
    /// Names and types of its columns.
    pub columns: Vec<(String, Kind)>,
    separator: u8,
    set_separator: u8,
    unset: Vec<u8>,
    empty: Vec<u8>,
}

impl Header {
    /// Reads the head at the beginning of a log; none where there is none.
    pub fn at_start(text: &[u8]) -> Option<Self> {
        let mut header = Self {
            path: String::new(),
            columns: Vec::new(),
            separator: b'\t',
            set_separator: b',',
            unset: b"-".to_vec(),
            empty: b"(empty)".to_vec(),
        };
        let mut names = Vec::new();
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let Some(line) = line.strip_prefix(b"#") else { break };
            if let Some(separator) = line.strip_prefix(b"separator ") {
                header.separator = *unescape(separator).first()?;
                continue;
            }
            let mut words = line.split(|byte| *byte == header.separator);
            let key = words.next().unwrap_or_default();
            let first = || Some(line.get(key.len() + 1..)?.to_vec());
            match key {
                b"set_separator" => header.set_separator = *unescape(&first()?).first()?,
                b"empty_field" => header.empty = first()?,
                b"unset_field" => header.unset = first()?,
                b"path" => header.path = table_name(&String::from_utf8_lossy(&first()?)),
                b"fields" => names = words.map(|name| String::from_utf8_lossy(name).into_owned()).collect(),
                b"types" => {
                    let kinds = words.map(kind_of);
                    header.columns = names.drain(..).zip(kinds).collect();
                }
                _ => {}
            }
        }
        (!header.path.is_empty() && !header.columns.is_empty()).then_some(header)
    }

    /// Gives each value of a row, with the place of its column.
    pub fn values<'a>(&'a self, row: &'a [u8]) -> impl Iterator<Item = (usize, &'a [u8])> {
        row.split(|byte| *byte == self.separator).enumerate()
    }

    /// Appends a value. One that is not of the type becomes nothing, and the answer is false.
    pub fn append(&self, value: &[u8], column: &mut Column) -> bool {
        if value == self.unset {
            column.null();
            return true;
        }
        if let Column::List { items, ends, present, .. } = column {
            let mut fits = true;
            if value != self.empty {
                let list = value.split(|byte| *byte == self.set_separator);
                for item in list {
                    fits &= self.append(item, items);
                }
            }
            ends.push(i32::try_from(items.len()).unwrap_or(i32::MAX));
            present.append_non_null();
            return fits;
        }
        let value = if value == self.empty { Cow::Borrowed(&b""[..]) } else { unescape(value) };
        let text = String::from_utf8_lossy(&value);
        let parsed = match column {
            Column::Text(values) | Column::Json(values) => {
                values.append_value(&text);
                return true;
            }
            Column::Bool(values) => match &*value {
                b"T" => Some(true),
                b"F" => Some(false),
                _ => None,
            }
            .map(|truth| values.append_value(truth)),
            Column::Int(values) => text.parse().ok().map(|number| values.append_value(number)),
            Column::Unsigned(values) => text.parse().ok().map(|number| values.append_value(number)),
            Column::Float(values) => text.parse().ok().map(|number| values.append_value(number)),
            Column::Time(values) => moment(&text).map(|moment| values.append_value(moment)),
            Column::List { .. } | Column::Object { .. } => None,
        };
        if parsed.is_none() {
            column.null();
        }
        parsed.is_some()
    }
}

/// Microseconds of `1425565514.419939`, or of a date.
fn moment(text: &str) -> Option<i64> {
    let Some((seconds, fraction)) = text.split_once('.') else {
        return weir_columns::times::parse(text).or_else(|| micros(text.parse().ok()?));
    };
    // Six digits are exact, which a floating-point number is not.
    match (seconds.parse::<i64>(), fraction.len(), fraction.parse::<u32>()) {
        (Ok(seconds), 6, Ok(fraction)) if seconds >= 0 && !text.starts_with('-') => {
            seconds.checked_mul(1_000_000)?.checked_add(i64::from(fraction))
        }
        _ => weir_columns::times::parse(text).or_else(|| micros(text.parse().ok()?)),
    }
}

/// Returns the name of a table for that of a log, which may be a path.
fn table_name(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

/// Returns the type of a column by Zeek's name.
fn kind_of(name: &[u8]) -> Kind {
    let name = name.strip_suffix(b"\r").unwrap_or(name);
    for list in [&b"set["[..], b"vector["] {
        if let Some(inner) = name.strip_prefix(list).and_then(|rest| rest.strip_suffix(b"]")) {
            return Kind::List(Box::new(kind_of(inner)));
        }
    }
    match name {
        b"bool" => Kind::Bool,
        b"count" | b"int" | b"port" => Kind::Int { negative: true },
        b"double" | b"interval" => Kind::Float,
        b"time" => Kind::Time,
        _ => Kind::Text,
    }
}

/// `\x09` as the byte that it stands for, and `\\` as one of them.
fn unescape(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'\\', text) else { return Cow::Borrowed(text) };
    let (plain, mut rest) = text.split_at_checked(first).unwrap_or((text, &[]));
    let mut out = plain.to_vec();
    while let Some((byte, after)) = rest.split_first() {
        let (byte, after) = match (byte, after) {
            (b'\\', [b'x', high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, after),
                _ => (b'\\', rest.get(1..).unwrap_or_default()),
            },
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (byte, after) => (*byte, after),
        };
        out.push(byte);
        rest = after;
    }
    Cow::Owned(out)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::util::display::array_value_to_string;

    const HEAD: &str = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tx/y\n#open\t2024\n\
        #fields\tts\tid.orig_h\tp\tok\tnames\tspan\tn\n#types\ttime\taddr\tport\tbool\tset[string]\tinterval\tcount\n1.0\n";

    #[test]
    fn heads() {
        let header = Header::at_start(HEAD.as_bytes()).unwrap();
        assert_eq!((header.path.as_str(), header.columns.len()), ("x_y", 7));
        assert_eq!(header.columns[4], ("names".to_owned(), Kind::List(Box::new(Kind::Text))));
        for text in ["", "#path\tx\n", "#fields\ta\n#types\tint\n", "1\t2\n", "#separator \n"] {
            assert_eq!(Header::at_start(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn values() {
        let header = Header::at_start(HEAD.as_bytes()).unwrap();
        let list = Kind::List(Box::new(Kind::Text));
        let cases = [
            (Kind::Time, "1425565514.419939", Some("2015-03-05T14:25:14.419939Z")),
            (Kind::Time, "1425565514.5", Some("2015-03-05T14:25:14.500Z")),
            (Kind::Time, "1425565514", Some("2015-03-05T14:25:14Z")),
            (Kind::Time, "x", None),
            (Kind::Text, "a\\x09b\\\\x41\\xzz", Some("a\tb\\x41\\xzz")),
            (Kind::Text, "(empty)", Some("")),
            (Kind::Text, "-", Some("")),
            (Kind::Text, "\\x2d", Some("-")),
            (Kind::Bool, "T", Some("true")),
            (Kind::Bool, "yes", None),
            (Kind::Float, "0.25", Some("0.25")),
            (Kind::Int { negative: true }, "-7", Some("-7")),
            (Kind::Int { negative: true }, "18446744073709551615", None),
            (list.clone(), "a,b\\x2cc,-", Some("[a, b,c, ]")),
            (list.clone(), "(empty)", Some("[]")),
        ];
        for (kind, value, expected) in cases {
            let mut column = Column::new(&kind);
            assert_eq!(header.append(value.as_bytes(), &mut column), expected.is_some(), "{value}");
            let array = column.finish().unwrap();
            assert_eq!(array_value_to_string(&array, 0).unwrap(), expected.unwrap_or(""), "{value}");
        }
    }
}
