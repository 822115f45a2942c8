//! `suricata.log`: messages in the engine's log.

use mlua::{Lua, LuaString, Table};

use crate::language::Say;

/// The functions, named for levels, with their documentation.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("info", "Writes a string to the log of the engine."),
    ("notice", "Writes what all should know."),
    ("warning", "Writes a warning."),
    ("error", "Writes an error."),
    ("debug", "Writes what helps to find mistakes."),
    ("config", "Writes how something was set up."),
    ("perf", "Writes what was measured."),
];

pub(super) fn open(lua: &Lua, say: &Say) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    for (level, _) in FUNCTIONS {
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
