//! Values from text.

use std::rc::Rc;

use super::Wanted;
use crate::patterns::Pattern;
use crate::types::{Type, TypeId};
use crate::values::{Addr, Key, Port, Subnet, TableValue, Value, VectorValue, parse_double};
use crate::vm::Engine;

/// What stands between and in the place of values.
#[derive(Clone, Debug)]
pub struct Form {
    /// Between columns.
    pub column: Vec<u8>,
    /// Between elements.
    pub set: Vec<u8>,
    /// In the place of empty containers and strings.
    pub empty: Vec<u8>,
    /// In the place of values that are absent; none for no such mark.
    pub unset: Option<Vec<u8>>,
    /// Spaces around elements do not count.
    pub trims: bool,
}

impl Form {
    fn of(engine: &Engine, module: &str, config: &[(String, String)]) -> Self {
        let text = |name: &str| {
            config
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.clone().into_bytes())
                .or_else(|| engine.global(&format!("{module}::{name}")).map(|value| value.bytes().to_vec()))
                .unwrap_or_default()
        };
        Self {
            column: text("separator"),
            set: text("set_separator"),
            empty: text("empty_field"),
            unset: Some(text("unset_field")),
            trims: false,
        }
    }

    /// Returns the form of `InputAscii`.
    pub fn ascii(engine: &Engine, config: &[(String, String)]) -> Self {
        Self::of(engine, "InputAscii", config)
    }

    /// Returns the form of `InputConfig`.
    pub fn options(engine: &Engine, config: &[(String, String)]) -> Self {
        Self { unset: None, trims: true, ..Self::of(engine, "InputConfig", config) }
    }
}

/// Returns bytes with `\xNN` and `\\` taken back.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        match behind {
            [b'x', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
                out.push(digit(*high) << 4 | digit(*low));
                rest = behind.get(3..).unwrap_or_default();
            }
            [b'\\', ..] => {
                out.push(b'\\');
                rest = behind.get(1..).unwrap_or_default();
            }
            _ => out.push(b'\\'),
        }
    }
    out
}

/// Returns the value of a field; an error is a sentence.
pub fn field(
    engine: &mut Engine,
    form: &Form,
    wanted: &Wanted,
    text: &[u8],
    protocol: Option<&[u8]>,
) -> Result<Value, String> {
    if form.unset.as_deref() == Some(text) {
        return Ok(Value::Unset);
    }
    if let (Some(protocol), TypeId::PORT) = (protocol, wanted.ty) {
        let text = format!("{}/{}", String::from_utf8_lossy(text), String::from_utf8_lossy(protocol));
        return Port::parse(&text).map(Value::Port).ok_or_else(|| format!("Port '{text}' is not valid"));
    }
    value(engine, form, wanted.ty, text)
}

/// Returns the value of a text.
pub fn value(engine: &mut Engine, form: &Form, ty: TypeId, bytes: &[u8]) -> Result<Value, String> {
    match engine.types().get(ty) {
        Type::Table { keys, .. } => {
            let element = keys.first().copied().unwrap_or(TypeId::STRING);
            let set = Rc::new(TableValue::new(ty));
            let now = engine.now();
            for part in elements(engine, form, element, bytes)? {
                set.insert(Key::new(&part), Value::Unset, now);
            }
            return Ok(Value::Table(set));
        }
        Type::Vector(element) => {
            let element = *element;
            let parts = elements(engine, form, element, bytes)?;
            return Ok(Value::Vector(Rc::new(VectorValue::new(ty, parts))));
        }
        // Values that cannot be read are absent; that their fields may be so was checked before.
        Type::File | Type::Function(_) | Type::Opaque(_) => return Ok(Value::Unset),
        _ => {}
    }
    let trimmed = String::from_utf8_lossy(bytes);
    let text = trimmed.trim();
    if let Type::Enum(_) = engine.types().get(ty) {
        let found = engine
            .program
            .enum_named(text)
            .or_else(|| engine.program.enum_named(text.trim_start_matches("GLOBAL::")));
        return match found {
            Some(Value::Enum(known, number)) if known == ty => Ok(Value::Enum(known, number)),
            _ => Err(format!("Value '{text}' for stream '{{stream}}' is not a valid enum.")),
        };
    }
    let no_number = || format!("String '{text}' contained no parseable number");
    Ok(match ty {
        TypeId::STRING => {
            if bytes == form.empty {
                Value::string("")
            } else {
                Value::string(unescape(bytes))
            }
        }
        TypeId::BOOL => match text {
            "T" | "True" | "true" | "1" => Value::Bool(true),
            "F" | "False" | "false" | "0" => Value::Bool(false),
            _ => return Err(format!("Invalid value for boolean: {text}")),
        },
        TypeId::INT => Value::Int(text.parse().map_err(|_| no_number())?),
        TypeId::COUNT => Value::Count(text.parse().map_err(|_| no_number())?),
        TypeId::DOUBLE => Value::Double(double(text).ok_or_else(no_number)?),
        TypeId::TIME => Value::Time(double(text).ok_or_else(no_number)?),
        TypeId::INTERVAL => Value::Interval(double(text).ok_or_else(no_number)?),
        TypeId::PORT => port(text).ok_or_else(no_number)?,
        TypeId::ADDR => {
            let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
            Value::Addr(Addr::parse(inner).ok_or_else(|| format!("Invalid value for addr: {text}"))?)
        }
        TypeId::SUBNET => {
            let inner = text.replace(['[', ']'], "");
            Value::Subnet(Subnet::parse(&inner).ok_or_else(|| format!("Invalid value for subnet: {text}"))?)
        }
        TypeId::PATTERN => {
            let inner = text.strip_prefix('/').and_then(|text| text.strip_suffix('/'));
            let inner = inner.ok_or_else(|| format!("String '{text}' contained no parseable pattern."))?;
            let pattern = Pattern::parse(inner, "")
                .map_err(|error| format!("Could not compile pattern '{inner}': {error}"))?;
            Value::Pattern(Rc::new(pattern))
        }
        _ => return Err(format!("unsupported field format for {}", engine.types().text(ty))),
    })
}

fn double(text: &str) -> Option<f64> {
    let (value, length) = parse_double(text.as_bytes())?;
    (length == text.len()).then_some(value)
}

fn port(text: &str) -> Option<Value> {
    let with_protocol = if text.contains('/') { text.to_owned() } else { format!("{text}/unknown") };
    Port::parse(&with_protocol).map(Value::Port)
}

fn elements(engine: &mut Engine, form: &Form, element: TypeId, bytes: &[u8]) -> Result<Vec<Value>, String> {
    if bytes == form.empty || bytes.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    let mut rest = bytes;
    loop {
        let end = if form.set.is_empty() { None } else { memchr::memmem::find(rest, &form.set) };
        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let part = if form.trims { part.trim_ascii() } else { part };
        let is_unset = form.unset.as_deref() == Some(part);
        all.push(if is_unset { Value::Unset } else { value(engine, form, element, part)? });
        match end {
            Some(end) => rest = rest.get(end + form.set.len()..).unwrap_or_default(),
            None => return Ok(all),
        }
    }
}
