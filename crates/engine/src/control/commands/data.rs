//! Commands about datasets.

use std::sync::Arc;

use serde_json::Value;
use weir_detect::dataset::{Addition, DataKind, Dataset};

use super::arguments::Arguments;
use super::{Answer, Context};

/// The sets that two arguments name: that of rules without a tenant, and those of tenants, which may be one.
fn sets(context: &Context<'_, '_>, arguments: &Arguments<'_>) -> Result<Vec<Arc<Dataset>>, Value> {
    let (name, kind) = (arguments.text("setname"), arguments.text("settype"));
    let kind = DataKind::named(kind).ok_or("unknown settype")?;
    let mut sets: Vec<Arc<Dataset>> = Vec::new();
    for set in context.engine.parts.rulesets().filter_map(|ruleset| ruleset.datasets.named(name, kind)) {
        if !sets.iter().any(|known| Arc::ptr_eq(known, &set)) {
            sets.push(set);
        }
    }
    if sets.is_empty() { Err("set not found or wrong type".into()) } else { Ok(sets) }
}

/// A value of sets of one kind, as they keep it.
fn value(sets: &[Arc<Dataset>], arguments: &Arguments<'_>, failure: &'static str) -> Result<Vec<u8>, Value> {
    let read = sets.first().and_then(|set| set.read(arguments.text("datavalue")).ok());
    read.ok_or_else(|| failure.into())
}

pub(super) fn add_data(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let sets = sets(context, arguments)?;
    let value = value(&sets, arguments, "failed to add data")?;
    if sets.iter().all(|set| set.find(&value).is_some()) {
        return Ok("data already in set".into());
    }
    let lacking = sets.iter().filter(|set| set.find(&value).is_none());
    let failed = lacking.filter(|set| set.add(&value, 0) != Addition::New).count();
    if failed == 0 { Ok("data added".into()) } else { Err("failed to add data".into()) }
}

pub(super) fn add_object(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let sets = sets(context, arguments)?;
    let value = value(&sets, arguments, "failed to add data")?;
    let mut added = "data already in set";
    for set in &sets {
        match set.add_with_object(&value, arguments.text("datajson")) {
            Ok(Addition::New) => added = "data added",
            Ok(Addition::Refused) => {}
            Ok(Addition::NoRoom) => return Err("failed to add data".into()),
            Err(reason) => return Err(format!("failed to add data: {reason}").into()),
        }
    }
    Ok(added.into())
}

pub(super) fn remove_data(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let sets = sets(context, arguments)?;
    let value = value(&sets, arguments, "failed to remove data")?;
    let removed = sets.iter().filter(|set| set.remove(&value)).count();
    if removed > 0 { Ok("data removed".into()) } else { Err("failed to remove data".into()) }
}

pub(super) fn find_data(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let sets = sets(context, arguments)?;
    let value = value(&sets, arguments, "item not found in set")?;
    if sets.iter().any(|set| set.find(&value).is_some()) {
        Ok("item found in set".into())
    } else {
        Err("item not found in set".into())
    }
}

pub(super) fn clear_data(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    sets(context, arguments)?.iter().for_each(|set| set.clear());
    Ok("dataset cleared".into())
}

pub(super) fn save_data(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    for sentence in context.engine.parts.rulesets().flat_map(|ruleset| ruleset.datasets.save()) {
        context.engine.log.error("datasets", &sentence);
    }
    Ok("datasets dump done".into())
}
