//! `suricata.file`: there for scripts that are shared with those of outputs; rules are shown no file.

use mlua::{Lua, MultiValue, Table};

use crate::value::nothing;

pub(super) fn open(lua: &Lua) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    library.raw_set(
        "get_file",
        lua.create_function(|lua, _: MultiValue| nothing(lua, "error: rules are shown no file"))?,
    )?;
    Ok(library)
}
