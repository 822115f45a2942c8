//! Commands about bits of hosts.

use serde_json::{Value, json};
use weir_base::Duration;
use weir_detect::names::{NameId, NameKind};
use weir_detect::state::shared_bits::Owner;

use super::arguments::Arguments;
use super::{Answer, Context};
use crate::run::wall_clock;

/// The bits of an address, which rules may set as well.
fn owner(arguments: &Arguments<'_>) -> Result<Owner, Value> {
    arguments.text("ipaddress").parse().map(Owner::Address).map_err(|_| "invalid ipaddress value".into())
}

/// A bit that some rule knows.
fn host_bit(context: &Context<'_, '_>, arguments: &Arguments<'_>) -> Result<NameId, Value> {
    let name = arguments.text("hostbit");
    let rules = context.engine.ruleset();
    let known = rules.names.iter().find(|(_, kind, known)| *kind == NameKind::HostBit && *known == name);
    known.map(|(id, ..)| id).ok_or_else(|| "hostbit not found".into())
}

pub(super) fn add_host_bit(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (owner, bit) = (owner(arguments)?, host_bit(context, arguments)?);
    let seconds = arguments.number("expire")?.unwrap_or_default();
    let bits = context.engine.ruleset().name_table.shared_bits();
    match bits.set(bit, owner, wall_clock(), Duration::from_secs(seconds)) {
        true => Ok("hostbit added".into()),
        false => Err("there are too many hostbits".into()),
    }
}

pub(super) fn remove_host_bit(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (owner, bit) = (owner(arguments)?, host_bit(context, arguments)?);
    let bits = context.engine.ruleset().name_table.shared_bits();
    if !bits.is_set(bit, owner, wall_clock()) {
        return Err("host not found".into());
    }
    bits.clear(bit, owner);
    Ok("hostbit removed".into())
}

/// The bits of an address, with the seconds that they have left.
pub(super) fn host_bits(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let owner = owner(arguments)?;
    let (rules, now) = (context.engine.ruleset(), wall_clock());
    let bits = rules.name_table.shared_bits();
    let kept = rules.names.iter().filter(|(_, kind, _)| *kind == NameKind::HostBit);
    let set: Vec<Value> = kept
        .filter_map(|(id, _, name)| {
            let left = bits.time_left(id, owner, now)?;
            Some(json!({"name": name, "expire": left.as_secs()}))
        })
        .collect();
    Ok(json!({"count": set.len(), "hostbits": set}))
}
