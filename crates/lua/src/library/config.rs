//! `suricata.config`.

use mlua::{Lua, Table};

/// The functions, with their documentation.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[("log_path", "Folder of logs.")];

pub(super) fn open(lua: &Lua, log_folder: &str) -> mlua::Result<Table> {
    let (library, folder) = (lua.create_table()?, log_folder.to_owned());
    library.raw_set("log_path", lua.create_function(move |_, ()| Ok(folder.clone()))?)?;
    Ok(library)
}
