//! What `weir top` shows: a look at a program that listens.

use serde_json::{Value, json};
use weir_base::profile::Aspect;

use super::arguments::Arguments;
use super::{Answer, Live};
use crate::profile::Profile;
use crate::stats::Totals;

/// Most rows of each kind.
const ROWS: usize = 32;

/// How a counter of memory in use ends.
const MEMORY: &str = ".memuse";

/// Tells how threads get on, and what costs them.
pub(super) fn top(live: &mut Live<'_, '_>, _: &Arguments<'_>) -> Answer {
    let each = live.listeners.totals_now().ok_or("A thread does not answer in time")?;
    let names: Vec<String> = live.listeners.lines().into_iter().map(|line| line.thread).collect();
    let facts = live.statistics.facts();
    let mut all = Totals::default();
    each.iter().for_each(|own| all.merge(own));
    all.merge(&facts.shared);
    let profile = Profile::of(&live.listeners.measured());
    let bound = |name: &str| {
        let bound = facts.bounds.iter().find(|bound| bound.memory.counter() == name);
        bound.map(|bound| bound.bytes).filter(|bytes| *bytes > 0)
    };
    let memory: Vec<Value> = all
        .ending_with(MEMORY)
        .map(|(name, bytes)| {
            json!({"name": name.trim_end_matches(MEMORY), "bytes": bytes, "bound": bound(name)})
        })
        .collect();
    let count = |(name, count): (String, u64)| json!({"name": name, "flows": count});
    Ok(json!({
        "threads": names.iter().zip(&each).map(|(name, own)| thread(name, own)).collect::<Vec<Value>>(),
        "memory": memory,
        "protocols": all.largest("app_layer.flow.").into_iter().take(ROWS).map(count).collect::<Vec<Value>>(),
        "profile": profile.summary(ROWS),
        "measured_one_in": profile.factor(Aspect::Rules),
    }))
}

/// Returns the counts of a thread.
fn thread(name: &str, own: &Totals) -> Value {
    json!({
        "name": name,
        "packets": own.value("decoder.pkts"),
        "bytes": own.value("decoder.bytes"),
        "kernel_packets": own.value("capture.kernel_packets"),
        "kernel_drops": own.value("capture.kernel_drops"),
        "flows": own.value("flow.active"),
        "alerts": own.value("detect.alert"),
    })
}
