//! Commands about rules.

use serde_json::{Map, Value, json};
use weir_output::record::DetectEngine;
use weir_output::timestamp::TimeWriter;

use super::arguments::Arguments;
use super::{Answer, Context, Run};

/// Most rules that are named of those that cannot be used.
const MAX_FAILED: usize = 21;

/// Begins to load rules again.
pub(super) fn begin_reload(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    if context.reloads.is_under_way() {
        return Err("Reload already in progress".into());
    }
    context.reloads.begin(context.engine)?;
    Ok("done".into())
}

/// Loads rules again, and waits until all workers have them.
pub(super) fn reload(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let begun = begin_reload(context, arguments)?;
    match &mut context.run {
        Run::Live(live) => {
            let listeners = &*live.listeners;
            let mut listening = Some((listeners, &mut *live.statistics));
            context.reloads.finish(context.engine, &mut listening, &mut || (live.report)(listeners))?;
        }
        Run::Jobs(_) => context.reloads.finish(context.engine, &mut None, &mut || ())?,
    }
    Ok(begun)
}

pub(super) fn rule_counts(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let DetectEngine { id, rules_loaded, rules_failed, rules_skipped, .. } = context.engine.detect_engine();
    let counts =
        [("rules_loaded", rules_loaded), ("rules_failed", rules_failed), ("rules_skipped", rules_skipped)];
    let mut engine: Map<String, Value> =
        counts.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect();
    engine.insert("id".to_owned(), id.into());
    Ok(json!([engine]))
}

pub(super) fn failed_rules(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let failures = context.engine.rules().failures.iter().take(MAX_FAILED);
    let described = failures.map(|failure| {
        json!({
            "tenant_id": 0,
            "rule": &*failure.text,
            "filename": &*failure.file,
            "line": failure.line,
            "error": failure.message,
        })
    });
    Ok(Value::Array(described.collect()))
}

pub(super) fn load_time(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let mut text = Vec::new();
    let DetectEngine { id, loaded_at, .. } = context.engine.detect_engine();
    TimeWriter::default().iso(&mut text, loaded_at);
    Ok(json!([{"id": id, "last_reload": String::from_utf8_lossy(&text)}]))
}

pub(super) fn profile(_: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    Err("Rules are not profiled while they run: `weir check` says what each costs".into())
}
