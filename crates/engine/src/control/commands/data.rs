//! Commands about datasets.

use std::sync::Arc;

use serde_json::Value;
use weir_detect::dataset::{Addition, DataKind, Dataset};

use super::arguments::Arguments;
use super::{Answer, Context};

/// The set that two arguments name.
fn set(context: &Context<'_, '_>, arguments: &Arguments<'_>) -> Result<Arc<Dataset>, Value> {
    let (name, kind) = (arguments.text("setname"), arguments.text("settype"));
    let kind = DataKind::named(kind).ok_or("unknown settype")?;
    context.engine.ruleset().datasets.named(name, kind).ok_or_else(|| "set not found or wrong type".into())
}

pub(super) fn add_data(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (set, text) = (set(context, arguments)?, arguments.text("datavalue"));
    let value = set.read(text).map_err(|_| "failed to add data")?;
    if set.find(&value).is_some() {
        return Ok("data already in set".into());
    }
    match set.add(&value, 0) {
        Addition::New => Ok("data added".into()),
        Addition::Refused | Addition::NoRoom => Err("failed to add data".into()),
    }
}

pub(super) fn add_object(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (set, text) = (set(context, arguments)?, arguments.text("datavalue"));
    let value = set.read(text).map_err(|_| "failed to add data")?;
    match set.add_with_object(&value, arguments.text("datajson")) {
        Ok(Addition::New) => Ok("data added".into()),
        Ok(Addition::Refused) => Ok("data already in set".into()),
        Ok(Addition::NoRoom) => Err("failed to add data".into()),
        Err(reason) => Err(format!("failed to add data: {reason}").into()),
    }
}

pub(super) fn remove_data(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (set, text) = (set(context, arguments)?, arguments.text("datavalue"));
    let value = set.read(text).map_err(|_| "failed to remove data")?;
    if set.remove(&value) { Ok("data removed".into()) } else { Err("failed to remove data".into()) }
}

pub(super) fn find_data(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let (set, text) = (set(context, arguments)?, arguments.text("datavalue"));
    let value = set.read(text).map_err(|_| "item not found in set")?;
    if set.find(&value).is_some() {
        Ok("item found in set".into())
    } else {
        Err("item not found in set".into())
    }
}

pub(super) fn clear_data(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    set(context, arguments)?.clear();
    Ok("dataset cleared".into())
}

pub(super) fn save_data(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    for sentence in context.engine.ruleset().datasets.save() {
        context.engine.log.error("datasets", &sentence);
    }
    Ok("datasets dump done".into())
}
