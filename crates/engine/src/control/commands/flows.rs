//! Commands about flows.

use serde_json::json;
use weir_flow::FlowId;

use super::arguments::Arguments;
use super::{Answer, Context, Run};
use crate::jobs::questions::{Question, ask};

pub(super) fn counts(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let id = FlowId(arguments.number("flow_id")?.unwrap_or_default());
    let counts = match &mut context.run {
        Run::Live(live) => live.listeners.counts_of(id),
        Run::Jobs(jobs) => jobs.ask().and_then(|way| ask(way, |answer| Question::Flow(id, answer))).flatten(),
    };
    let counts = counts.ok_or("Not found")?;
    Ok(json!({
        "pkts_toclient": counts.packets.to_client,
        "pkts_toserver": counts.packets.to_server,
        "bytes_toclient": counts.bytes.to_client,
        "bytes_toserver": counts.bytes.to_server,
        "age": counts.age,
    }))
}
