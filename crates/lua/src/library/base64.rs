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
    let bytes = engine.decode(text).map_err(|error| Error::runtime(format!("base64: {error}")))?;
    lua.create_string(bytes)
}
