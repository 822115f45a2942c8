//! `suricata.log`: messages in the engine's log.

use mlua::{Lua, LuaString, Table};

use crate::language::Say;

/// The levels.
const LEVELS: &[&str] = &["info", "notice", "warning", "error", "debug", "config", "perf"];

pub(super) fn open(lua: &Lua, say: &Say) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    for level in LEVELS {
        let say = say.clone();
        library.raw_set(
            *level,
            lua.create_function(move |_, text: LuaString| {
                (say.0)(level, &text.to_string_lossy());
                Ok(())
            })?,
        )?;
    }
    Ok(library)
}
