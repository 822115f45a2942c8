//! Commands about the program.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Answer, COMMANDS, Context, Run};
use crate::control::counters;
use crate::jobs::questions::{Question, ask};

/// Version that clients look for before they send commands.
const VERSION: &str = "8.0.7 RELEASE";

pub(super) fn shutdown(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    context.engine.requests.stop.store(true, Ordering::Relaxed);
    Ok("Closing Suricata".into())
}

pub(super) fn list(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let own = COMMANDS.iter().filter(|command| command.is_of(&context.run));
    let names: Vec<&str> = own.map(|command| command.name).collect();
    Ok(json!({"count": names.len(), "commands": names}))
}

pub(super) fn version(_: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    Ok(VERSION.into())
}

pub(super) fn uptime(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    Ok(context.started.elapsed().as_secs().into())
}

pub(super) fn running_mode(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    Ok(match (&context.run, context.engine.parts.settings.workers) {
        (Run::Jobs(_), 1) => "single".into(),
        _ => "workers".into(),
    })
}

pub(super) fn capture_mode(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    Ok(match &context.run {
        Run::Live(live) => live.listeners.kind().run_mode.into(),
        Run::Jobs(_) => "UNIX_SOCKET".into(),
    })
}

pub(super) fn setting(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    match context.engine.settings.lookup(arguments.text("variable")) {
        None => Err("Unable to get value".into()),
        Some(node) => node.value().map(Value::from).ok_or_else(|| "No string value".into()),
    }
}

pub(super) fn all_counters(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    if !context.engine.parts.settings.stats.enabled {
        return Err("stats are disabled in the config".into());
    }
    let report = match &mut context.run {
        Run::Live(live) => live.statistics.report_now(live.listeners),
        Run::Jobs(jobs) => jobs.ask().and_then(|way| ask(way, Question::Counters)),
    };
    let report = report.ok_or("stats not yet synchronized")?;
    Ok(counters::object(&report.record()))
}

pub(super) fn reopen(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    context.engine.log.reopen();
    match &context.run {
        Run::Live(live) => (live.reopen)(),
        Run::Jobs(jobs) => jobs.reopen(),
    }
    context.engine.log.notice("suricata", "logs are opened anew");
    Ok("done".into())
}
