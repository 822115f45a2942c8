//! Values on their way into a script.

use mlua::{Lua, MultiValue, Value};
use weir_applayer::ScriptValue;

/// Converts a value for scripts.
pub(crate) fn to_lua(lua: &Lua, value: ScriptValue) -> mlua::Result<Value> {
    Ok(match value {
        ScriptValue::Nil => Value::Nil,
        ScriptValue::Boolean(yes) => Value::Boolean(yes),
        ScriptValue::Integer(number) => Value::Integer(number),
        ScriptValue::Number(number) => Value::Number(number),
        ScriptValue::Bytes(bytes) => Value::String(lua.create_string(bytes)?),
        ScriptValue::List(values) => {
            let table = lua.create_table_with_capacity(values.len(), 0)?;
            for value in values {
                table.raw_push(to_lua(lua, value)?)?;
            }
            Value::Table(table)
        }
        ScriptValue::Numbered(values) => {
            let table = lua.create_table_with_capacity(values.len(), 1)?;
            for (index, value) in values.into_iter().enumerate() {
                table.raw_set(index, to_lua(lua, value)?)?;
            }
            Value::Table(table)
        }
        ScriptValue::Map(pairs) => {
            let table = lua.create_table_with_capacity(0, pairs.len())?;
            for (name, value) in pairs {
                table.raw_set(lua.create_string(name)?, to_lua(lua, value)?)?;
            }
            Value::Table(table)
        }
    })
}

/// Several values.
pub(crate) fn to_lua_multi(lua: &Lua, values: Vec<ScriptValue>) -> mlua::Result<MultiValue> {
    values.into_iter().map(|value| to_lua(lua, value)).collect()
}

/// A string of bytes.
pub(crate) fn string(lua: &Lua, bytes: impl AsRef<[u8]>) -> mlua::Result<Value> {
    Ok(Value::String(lua.create_string(bytes)?))
}

/// A number that may be too large for a script's.
pub(crate) fn number(value: u64) -> Value {
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// A number that scripts know as a fraction, and print with its `.0`.
pub(crate) fn fraction(value: u64) -> Value {
    Value::Number(value as f64)
}

/// Nothing, and why.
pub(crate) fn nothing(lua: &Lua, why: &str) -> mlua::Result<MultiValue> {
    Ok([Value::Nil, string(lua, why)?].into_iter().collect())
}
