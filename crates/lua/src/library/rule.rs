//! `suricata.rule`.

use mlua::{Error, MultiValue, Value};
use weir_rules::RuleInfo;

use super::Method;
use crate::host::Host;
use crate::value::{nothing, string};

/// The methods; the first row says why there is no rule.
pub(super) const METHODS: &[Method] = &[
    ("", "", |lua, host, _| match host.rule {
        Some(_) => Ok(MultiValue::new()),
        None => nothing(lua, "error: no rule"),
    }),
    ("sid", "Signature id.", |_, host, _| one(integer(rule(host)?.sid))),
    ("gid", "Group id.", |_, host, _| one(integer(rule(host)?.gid))),
    ("rev", "Revision.", |_, host, _| one(integer(rule(host)?.rev))),
    ("action", "Action (`alert`).", |lua, host, _| one(string(lua, rule(host)?.action.name())?)),
    ("msg", "Message.", |lua, host, _| one(string(lua, rule(host)?.msg.as_bytes())?)),
    ("class_description", "Description of the class; nothing where there is none.", |lua, host, _| {
        let class = rule(host)?.classtype.as_ref();
        one(class.map_or(Ok(Value::Nil), |class| string(lua, class.description.as_bytes()))?)
    }),
    ("priority", "Priority.", |_, host, _| one(integer(rule(host)?.priority))),
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
