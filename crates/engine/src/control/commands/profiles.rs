//! Commands about what rules and packets cost.

use serde_json::Value;
use weir_config::RuleSort;

use super::arguments::Arguments;
use super::{Answer, Context, Run};
use crate::profile::{Asked, Profile, RuleProfile};
use crate::run::wall_clock;

/// Begins to measure rules; what was measured before is forgotten.
pub(super) fn start(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    ask(context, Asked::Start)
}

/// Measures no more; what was measured can still be asked for.
pub(super) fn stop(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    ask(context, Asked::Stop)
}

fn ask(context: &mut Context<'_, '_>, asked: Asked) -> Answer {
    let engine = &*context.engine;
    engine.profiling.set(asked);
    if let Run::Live(live) = &context.run {
        live.listeners.measure(engine.profile_plan(true));
    }
    Ok("OK".into())
}

/// Tells what rules cost.
pub(super) fn rules(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let rules = rule_profile(context);
    if rules.entries.is_empty() {
        return Err("NOK".into());
    }
    let settings = &context.engine.parts.settings.profiling.rules;
    let mut text = Vec::new();
    rules.write_json(settings.sort.unwrap_or(RuleSort::Ticks), settings.limit, wall_clock(), &mut text);
    serde_json::from_slice::<Value>(&text).map_err(|error| error.to_string().into())
}

/// Tells which packets took long of late, and writes them to a capture among the logs.
pub(super) fn slow(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let Run::Live(live) = &context.run else {
        return Err("Packets that take long are kept of interfaces, and with profiling.slow-us".into());
    };
    let profile = Profile::of(&live.listeners.measured());
    let engine = &*context.engine;
    match engine.profile_logs(engine.profile_plan(true)).write_slow(&profile) {
        Some(problem) => Err(problem.into()),
        None => serde_json::from_str(&profile.slow_json()).map_err(|error| error.to_string().into()),
    }
}

/// Returns what rules cost until now: those in force, and in runs that are over.
fn rule_profile(context: &Context<'_, '_>) -> RuleProfile {
    match &context.run {
        Run::Live(live) => Profile::of(&live.listeners.measured()).rules,
        Run::Jobs(_) => context.engine.profiling.kept(),
    }
}
