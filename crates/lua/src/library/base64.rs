//! `suricata.base64`.

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{GeneralPurposeConfig, STANDARD, STANDARD_NO_PAD};
use mlua::{Error, Lua, LuaString, Table};

/// The padding may be there.
const PADDING_OPTIONAL: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The functions, with their documentation.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("encode", "Base64 of a string, padded."),
    ("decode", "Bytes of padded Base64; an error where there are none, as of all that decode."),
    ("encode_nopad", "Base64 without padding."),
    ("decode_nopad", "Bytes of Base64 without padding."),
    ("decode_padopt", "Bytes of Base64 with padding or without."),
    ("decode_rfc2045", "Bytes of Base64 in mail: what is no digit is skipped."),
    ("decode_rfc4648", "Bytes of Base64 as RFC 4648 has it."),
];

pub(super) fn open(lua: &Lua) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    for (encode, decode, engine) in
        [("encode", "decode", &STANDARD), ("encode_nopad", "decode_nopad", &STANDARD_NO_PAD)]
    {
        library.raw_set(
            encode,
            lua.create_function(move |lua, text: LuaString| {
                lua.create_string(engine.encode(text.as_bytes()))
            })?,
        )?;
        library.raw_set(
            decode,
            lua.create_function(move |lua, text: LuaString| decoded(lua, engine, &text.as_bytes()))?,
        )?;
    }
    let optional = |lua: &Lua, text: LuaString| decoded(lua, &PADDING_OPTIONAL, &text.as_bytes());
    library.raw_set("decode_padopt", lua.create_function(optional)?)?;
    library.raw_set("decode_rfc4648", lua.create_function(optional)?)?;
    // Line breaks and other bytes outside the alphabet stand for nothing (RFC 2045 section 6.8).
    let mail = |lua: &Lua, text: LuaString| {
        let meant = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let digits: Vec<u8> = text.as_bytes().iter().copied().filter(meant).collect();
        decoded(lua, &PADDING_OPTIONAL, &digits)
    };
    library.raw_set("decode_rfc2045", lua.create_function(mail)?)?;
    Ok(library)
}

fn decoded(lua: &Lua, engine: &GeneralPurpose, text: &[u8]) -> mlua::Result<LuaString> {
    match engine.decode(text) {
        Ok(bytes) if !bytes.is_empty() => lua.create_string(bytes),
        _ => Err(Error::runtime("base64 decoding failed")),
    }
}
