//! `suricata.util`.

use mlua::{Lua, Table};

/// Prefix of workers' names; without several workers the only one is the program's first thread.
const WORKER: &str = "W#";

/// The group of threads that look at packets.
const GROUP: &str = "Detect";

/// The functions, with their documentation.
pub(super) const FUNCTIONS: &[(&str, &str)] =
    &[("thread_info", "The worker, a table of `id`, `name` and `group_name`.")];

pub(super) fn open(lua: &Lua) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    library.raw_set(
        "thread_info",
        lua.create_function(|lua, ()| {
            let thread = std::thread::current();
            let name = thread.name().filter(|name| name.starts_with(WORKER)).unwrap_or("W#01");
            let digits: String = name.chars().filter(char::is_ascii_digit).collect();
            let information = lua.create_table()?;
            information.raw_set("id", digits.parse::<i64>().unwrap_or(1))?;
            information.raw_set("name", name)?;
            information.raw_set("group_name", GROUP)?;
            Ok(information)
        })?,
    )?;
    Ok(library)
}
