//! Commands about bits of hosts.

use std::sync::Arc;

use serde_json::{Value, json};
use weir_base::Duration;
use weir_detect::names::{NameId, NameKind};
use weir_detect::state::shared_bits::{Owner, SharedBits};

use super::arguments::Arguments;
use super::{Answer, Context};
use crate::run::wall_clock;

/// The bits of an address, which rules may set as well.
fn owner(arguments: &Arguments<'_>) -> Result<Owner, Value> {
    arguments.text("ipaddress").parse().map(Owner::Address).map_err(|_| "invalid ipaddress value".into())
}

/// A bit that some rule knows. Rules of all tenants have one table of names.
fn host_bit(context: &Context<'_, '_>, arguments: &Arguments<'_>) -> Result<NameId, Value> {
    let name = arguments.text("hostbit");
    let names = context.engine.ruleset().name_table.list();
    let known = names.iter().find(|(_, kind, known)| *kind == NameKind::HostBit && *known == name);
    known.map(|(id, ..)| id).ok_or_else(|| "hostbit not found".into())
}

/// The bits of addresses of all rules: those without a tenant, and those of each tenant.
fn all_bits(context: &Context<'_, '_>) -> impl Iterator<Item = Arc<SharedBits>> {
    context.engine.parts.rulesets().map(|ruleset| ruleset.name_table.shared_bits())
}

pub(super) fn add_host_bit(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (owner, bit) = (owner(arguments)?, host_bit(context, arguments)?);
    let seconds = arguments.number("expire")?.unwrap_or_default();
    let (now, span) = (wall_clock(), Duration::from_secs(seconds));
    let full = all_bits(context).filter(|bits| !bits.set(bit, owner, now, span)).count();
    if full == 0 { Ok("hostbit added".into()) } else { Err("there are too many hostbits".into()) }
}

pub(super) fn remove_host_bit(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (owner, bit) = (owner(arguments)?, host_bit(context, arguments)?);
    if !all_bits(context).any(|bits| bits.is_set(bit, owner, wall_clock())) {
        return Err("host not found".into());
    }
    all_bits(context).for_each(|bits| bits.clear(bit, owner));
    Ok("hostbit removed".into())
}

/// The bits of an address, with the seconds that they have left.
pub(super) fn host_bits(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let owner = owner(arguments)?;
    let (names, now) = (context.engine.ruleset().name_table.list(), wall_clock());
    let kept = names.iter().filter(|(_, kind, _)| *kind == NameKind::HostBit);
    let set: Vec<Value> = kept
        .filter_map(|(id, _, name)| {
            let left = all_bits(context).filter_map(|bits| bits.time_left(id, owner, now)).max()?;
            Some(json!({"name": name, "expire": left.as_secs()}))
        })
        .collect();
    Ok(json!({"count": set.len(), "hostbits": set}))
}
