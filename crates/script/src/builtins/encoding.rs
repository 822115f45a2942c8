//! Encodings of bytes.

use super::{Builtin, bytes, row};
use crate::values::Value;
use crate::vm::{Engine, Outcome};

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) const ROWS: &[Builtin] = &[
    row("encode_base64", "(s: string, a: string &default=\"\"): string", encode),
    row("decode_base64", "(s: string, a: string &default=\"\"): string", decode),
    row("decode_base64_conn", "(cid: conn_id, s: string, a: string &default=\"\"): string", |e, a| {
        decode(e, a.get(1..).unwrap_or(&[]))
    }),
    row("is_valid_base64", "(s: string, a: string &default=\"\"): bool", |_, a| {
        let alphabet = alphabet(bytes(a, 1)).unwrap_or(STANDARD);
        Ok(Value::Bool(decoded(bytes(a, 0), alphabet).is_ok_and(|_| bytes(a, 0).len().is_multiple_of(4))))
    }),
    row("bytestring_to_hexstr", "(bytestring: string): string", |_, a| {
        Ok(Value::string(super::digests::hexadecimal(bytes(a, 0))))
    }),
    row("hexstr_to_bytestring", "(hexstr: string): string", hexstr_to_bytestring),
    row("uuid_to_string", "(uuid: string): string", |_, a| {
        let octets = bytes(a, 0);
        if octets.len() < 16 {
            return Ok(Value::string("<Invalid UUID>"));
        }
        let part = |from: usize, to: usize| super::digests::hexadecimal(octets.get(from..to).unwrap_or(&[]));
        // The first three parts are numbers, with the least significant byte first.
        let number = |from: usize, to: usize| {
            let bytes: Vec<u8> = octets.get(from..to).unwrap_or(&[]).iter().rev().copied().collect();
            super::digests::hexadecimal(&bytes)
        };
        Ok(Value::string(format!(
            "{}-{}-{}-{}-{}",
            number(0, 4),
            number(4, 6),
            number(6, 8),
            part(8, 10),
            part(10, 16)
        )))
    }),
];

fn alphabet(given: &[u8]) -> Option<&[u8]> {
    match given.len() {
        0 => Some(STANDARD),
        64 => Some(given),
        _ => None,
    }
}

fn encode(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let Some(alphabet) = alphabet(bytes(a, 1)) else {
        engine.complain("base64 alphabet is not 64 characters");
        return Ok(Value::string(""));
    };
    let letter = |six: u32| alphabet.get((six & 63) as usize).copied().unwrap_or(b'=');
    let mut out = Vec::new();
    for chunk in bytes(a, 0).chunks(3) {
        let word =
            chunk.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        out.push(letter(word >> 18));
        out.push(letter(word >> 12));
        out.push(if chunk.len() > 1 { letter(word >> 6) } else { b'=' });
        out.push(if chunk.len() > 2 { letter(word) } else { b'=' });
    }
    Ok(Value::string(out))
}

/// Decodes; `Err` has what was decoded up to a wrong character.
fn decoded(text: &[u8], alphabet: &[u8]) -> Result<Vec<u8>, Vec<u8>> {
    let mut out = Vec::new();
    let (mut word, mut bits) = (0u32, 0u32);
    for byte in text {
        if *byte == b'=' {
            break;
        }
        if matches!(byte, b'\r' | b'\n') {
            continue;
        }
        let Some(six) = alphabet.iter().position(|known| known == byte) else { return Err(out) };
        word = word << 6 | u32::try_from(six).unwrap_or(0);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(word >> bits & 0xff).unwrap_or(0));
        }
    }
    Ok(out)
}

fn decode(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let Some(alphabet) = alphabet(bytes(a, 1)) else {
        engine.complain("base64 decoding alphabet is not 64 characters");
        return Ok(Value::string(""));
    };
    match decoded(bytes(a, 0), alphabet) {
        Ok(out) => Ok(Value::string(out)),
        Err(out) => {
            engine.complain("error in decoding string");
            let _ = out;
            Ok(Value::Unset)
        }
    }
}

fn hexstr_to_bytestring(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let text = bytes(a, 0);
    let shown = String::from_utf8_lossy(text).into_owned();
    if !text.len().is_multiple_of(2) {
        let sentence = format!("Hex string '{shown}' has invalid length (not divisible by 2)");
        engine.report("error", "", &sentence);
        return Ok(Value::string(""));
    }
    let pairs = text.chunks_exact(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    });
    match pairs.collect::<Option<Vec<u8>>>() {
        Some(out) => Ok(Value::string(out)),
        None => {
            engine.report("error", "", &format!("Hex string '{shown}' contains invalid characters"));
            Ok(Value::string(""))
        }
    }
}
