//! `suricata.rule`.

use mlua::{MultiValue, Value};

use crate::host::Call;
use crate::value::string;

/// The methods; the first row says why there is no rule, which there always is.
pub(super) const METHODS: &[(&str, Call)] = &[
    ("", |_, _, _| Ok(MultiValue::new())),
    ("sid", |_, host, _| one(integer(host.view.rule.sid))),
    ("gid", |_, host, _| one(integer(host.view.rule.gid))),
    ("rev", |_, host, _| one(integer(host.view.rule.rev))),
    ("action", |lua, host, _| one(string(lua, host.view.rule.action.name())?)),
    ("msg", |lua, host, _| one(string(lua, host.view.rule.msg.as_bytes())?)),
    ("class", |lua, host, _| {
        let rule = host.view.rule;
        let class = match &rule.classtype {
            Some(class) => string(lua, class.description.as_bytes())?,
            None => Value::Nil,
        };
        Ok([class, integer(rule.priority)].into_iter().collect())
    }),
];

fn one(value: Value) -> mlua::Result<MultiValue> {
    Ok([value].into_iter().collect())
}

fn integer(number: u32) -> Value {
    Value::Integer(i64::from(number))
}
