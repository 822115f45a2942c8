//! `suricata.base64`.

use base64::Engine;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use mlua::{Error, Lua, LuaString, Table};

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
        library
            .raw_set(decode, lua.create_function(move |lua, text: LuaString| decoded(lua, engine, &text))?)?;
    }
    Ok(library)
}

fn decoded(lua: &Lua, engine: &GeneralPurpose, text: &LuaString) -> mlua::Result<LuaString> {
    let bytes = engine.decode(text.as_bytes()).map_err(|error| Error::runtime(format!("base64: {error}")))?;
    lua.create_string(bytes)
}
