//! Commands about tenants and the traffic that is theirs.

use std::path::PathBuf;

use weir_config::multi_detect::tenant_vlan;
use weir_config::{TenantSelector, TenantTraffic};

use super::arguments::Arguments;
use super::{Answer, Context, rules};
use crate::reload::Wish;
use crate::run::Engine;
use crate::tenants::Tenants;

/// Answer where tenants would be needed.
const NO_TENANTS: &str = "multi-tenant support not enabled";

/// The tenants of a run that may have some.
pub(super) fn tenants(engine: &Engine) -> Result<&Tenants, String> {
    engine.parts.tenants.as_deref().ok_or_else(|| NO_TENANTS.to_owned())
}

/// The number of the tenant that a command is about.
fn id(arguments: &Arguments<'_>) -> Result<u32, String> {
    let id = arguments.number("id")?.and_then(|id| u32::try_from(id).ok()).filter(|id| *id != 0);
    id.ok_or_else(|| format!("id is not a number from 1 to {}", u32::MAX))
}

/// The same, of a tenant that is there.
fn known_id(context: &Context<'_, '_>, arguments: &Arguments<'_>) -> Result<u32, String> {
    let (tenants, id) = (tenants(context.engine)?, id(arguments)?);
    tenants.tenant(id).map(|tenant| tenant.id).ok_or_else(|| format!("there is no tenant {id}"))
}

/// The traffic that a command is about. Interfaces are as the configuration maps them.
fn traffic(context: &Context<'_, '_>, arguments: &Arguments<'_>) -> Result<TenantTraffic, String> {
    if tenants(context.engine)?.selector != TenantSelector::Vlan {
        return Err("multi-detect.selector is not vlan".to_owned());
    }
    if arguments.text("htype") != "vlan" {
        return Err(format!("htype is {}: it has to be vlan", arguments.text("htype")));
    }
    let number = arguments.number("hargs")?.ok_or("hargs is missing: the number of the VLAN")?;
    let vlan = tenant_vlan(number).ok_or_else(|| format!("VLAN {number} is not a number from 1 to 4094"))?;
    Ok(TenantTraffic::Vlan(vlan))
}

/// Has the workers go on as is wished, and waits until they do.
fn exchange(context: &mut Context<'_, '_>, wish: Wish, done: &str) -> Answer {
    if context.reloads.is_under_way() {
        return Err("Reload already in progress".into());
    }
    context.reloads.begin(context.engine, wish)?;
    rules::finish(context)?;
    Ok(done.into())
}

pub(super) fn map(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (traffic, id) = (traffic(context, arguments)?, id(arguments)?);
    match tenants(context.engine)?.mapped(&traffic) {
        Some(known) => Err(format!("{traffic} is mapped to the tenant {known} already").into()),
        None => exchange(context, Wish::Map(traffic, Some(id)), "handler added"),
    }
}

pub(super) fn unmap(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (traffic, id) = (traffic(context, arguments)?, id(arguments)?);
    match tenants(context.engine)?.mapped(&traffic) {
        Some(known) if known == id => exchange(context, Wish::Map(traffic, None), "handler removed"),
        _ => Err(format!("{traffic} is not mapped to the tenant {id}").into()),
    }
}

pub(super) fn register(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (known, id) = (tenants(context.engine)?, id(arguments)?);
    if known.tenant(id).is_some() {
        return Err(format!("there is a tenant {id} already: reload-tenant loads its rules again").into());
    }
    let wish = Wish::Register(id, PathBuf::from(arguments.text("filename")));
    exchange(context, wish, "adding tenant succeeded")
}

pub(super) fn reload(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let id = known_id(context, arguments)?;
    let file = arguments.has("filename").then(|| PathBuf::from(arguments.text("filename")));
    exchange(context, Wish::Tenant(id, file), "reloading tenant succeeded")
}

pub(super) fn reload_all(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    tenants(context.engine)?;
    exchange(context, Wish::Tenants, "reloading tenants succeeded")
}

pub(super) fn unregister(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let id = known_id(context, arguments)?;
    exchange(context, Wish::Unregister(id), "removing tenant succeeded")
}

/// The tenant that a capture is of as a whole; none where zero or no one is named.
pub(super) fn of_capture(engine: &Engine, arguments: &Arguments<'_>) -> Result<Option<u32>, String> {
    let Some(number) = arguments.number("tenant")?.filter(|number| *number != 0) else { return Ok(None) };
    let known = tenants(engine)?;
    if known.selector != TenantSelector::Direct {
        return Err("multi-detect.selector is not direct".to_owned());
    }
    let tenant = u32::try_from(number).ok().and_then(|id| known.tenant(id));
    tenant.map(|tenant| Some(tenant.id)).ok_or_else(|| format!("there is no tenant {number}"))
}
