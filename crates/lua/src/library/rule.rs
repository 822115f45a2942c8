//! `suricata.rule`.

use mlua::{Error, MultiValue, Value};
use weir_rules::RuleInfo;

use crate::host::{Call, Host};
use crate::value::{nothing, string};

/// The methods; the first row says why there is no rule.
pub(super) const METHODS: &[(&str, Call)] = &[
    ("", |lua, host, _| match host.rule {
        Some(_) => Ok(MultiValue::new()),
        None => nothing(lua, "error: no rule"),
    }),
    ("sid", |_, host, _| one(integer(rule(host)?.sid))),
    ("gid", |_, host, _| one(integer(rule(host)?.gid))),
    ("rev", |_, host, _| one(integer(rule(host)?.rev))),
    ("action", |lua, host, _| one(string(lua, rule(host)?.action.name())?)),
    ("msg", |lua, host, _| one(string(lua, rule(host)?.msg.as_bytes())?)),
    ("class_description", |lua, host, _| {
        let class = rule(host)?.classtype.as_ref();
        one(class.map_or(Ok(Value::Nil), |class| string(lua, class.description.as_bytes()))?)
    }),
    ("priority", |_, host, _| one(integer(rule(host)?.priority))),
];

fn rule<'a>(host: &Host<'a>) -> mlua::Result<&'a RuleInfo> {
    host.rule.ok_or_else(|| Error::runtime("no rule"))
}

fn one(value: Value) -> mlua::Result<MultiValue> {
    Ok([value].into_iter().collect())
}

fn integer(number: u32) -> Value {
    Value::Integer(i64::from(number))
}
