//! Commands about rules.

use serde_json::{Value, json};
use weir_output::record::DetectEngine;
use weir_output::timestamp::TimeWriter;

use super::arguments::Arguments;
use super::{Answer, Context, Run};
use crate::reload::Wish;

/// Most rules that are named of those that cannot be used.
const MAX_FAILED: usize = 21;

/// Begins to load rules again.
pub(super) fn begin_reload(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    if context.reloads.is_under_way() {
        return Err("Reload already in progress".into());
    }
    context.reloads.begin(context.engine, Wish::All)?;
    Ok("done".into())
}

/// Loads rules again, and waits until all workers have them.
pub(super) fn reload(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let begun = begin_reload(context, arguments)?;
    finish(context)?;
    Ok(begun)
}

/// Waits until all workers have the rules that are being loaded.
pub(super) fn finish(context: &mut Context<'_, '_>) -> Result<(), String> {
    match &mut context.run {
        Run::Live(live) => {
            let listeners = &*live.listeners;
            let mut listening = Some((listeners, &mut *live.statistics));
            context.reloads.finish(context.engine, &mut listening, &mut || (live.report)(listeners))
        }
        Run::Jobs(_) => context.reloads.finish(context.engine, &mut None, &mut || ()),
    }
}

pub(super) fn rule_counts(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let counts = |engine: DetectEngine| {
        let DetectEngine { id, rules_loaded, rules_failed, rules_skipped, .. } = engine;
        json!({
            "id": id,
            "rules_loaded": rules_loaded,
            "rules_failed": rules_failed,
            "rules_skipped": rules_skipped,
        })
    };
    Ok(context.engine.detect_engines().into_iter().map(counts).collect())
}

pub(super) fn failed_rules(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let engine = &*context.engine;
    let main = engine.rules.failures.iter().map(|failure| (0, failure));
    let tenants = engine.parts.tenants.iter().flat_map(|tenants| tenants.all());
    let of_tenants =
        tenants.flat_map(|tenant| tenant.report.failures.iter().map(|failure| (tenant.id, failure)));
    let described = main.chain(of_tenants).take(MAX_FAILED).map(|(id, failure)| {
        json!({
            "tenant_id": id,
            "rule": &*failure.text,
            "filename": &*failure.file,
            "line": failure.line,
            "error": failure.message,
        })
    });
    Ok(Value::Array(described.collect()))
}

pub(super) fn load_time(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let time = |DetectEngine { id, loaded_at, .. }| {
        let mut text = Vec::new();
        TimeWriter::default().iso(&mut text, loaded_at);
        json!({"id": id, "last_reload": String::from_utf8_lossy(&text)})
    };
    Ok(context.engine.detect_engines().into_iter().map(time).collect())
}
