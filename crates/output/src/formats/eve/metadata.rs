//! `metadata` and `traffic`: what rules left behind in the flow.

use std::io::Write as _;

use weir_base::JsonWriter;
use weir_detect::FlowDetect;
use weir_detect::names::NameList;

use crate::record::RecordContext;

/// Flowbits whose names begin like this also stand in `traffic`.
const TRAFFIC: [(&str, &str); 2] = [("id", "traffic/id/"), ("label", "traffic/label/")];

/// Writes both objects, where there is something to say.
pub(super) fn write(cx: &RecordContext<'_>, json: &mut JsonWriter<'_>) {
    let Some(names) = cx.names else { return };
    let detect = cx.flow.and_then(|flow| flow.detect);
    let packet = cx.packet_variables;
    let (bits, integers, variables) =
        detect.map_or((&[][..], &[][..], &[][..]), |d| (d.bits(), d.integers(), d.variables()));
    let entropies = detect.map_or(&[][..], FlowDetect::entropies);
    if entropies.is_empty()
        && bits.is_empty()
        && integers.is_empty()
        && variables.is_empty()
        && packet.is_empty()
    {
        return;
    }
    if let Some(detect) = detect {
        traffic(detect, names, json);
    }
    json.object("metadata");
    for (key, variables) in [("pktvars", packet), ("flowvars", variables)] {
        if variables.is_empty() {
            continue;
        }
        json.objects(key, variables, |json, (id, value)| {
            json.string(names.name(*id), value);
        });
    }
    if !integers.is_empty() {
        json.object("flowints");
        for (id, value) in integers {
            json.unsigned(names.name(*id), *value);
        }
        json.close_object();
    }
    if !entropies.is_empty() {
        json.object("entropy");
        for (id, value) in entropies {
            json.raw(names.name(*id), |out| drop(write!(out, "{value:?}")));
        }
        json.close_object();
    }
    if !bits.is_empty() {
        json.strings("flowbits", bits.iter().map(|id| names.name(*id)));
    }
    json.close_object();
}

fn traffic(detect: &FlowDetect, names: &NameList, json: &mut JsonWriter<'_>) {
    let labels = |prefix: &'static str| {
        detect.bits().iter().filter_map(move |id| names.name(*id).strip_prefix(prefix))
    };
    if TRAFFIC.iter().all(|(_, prefix)| labels(prefix).next().is_none()) {
        return;
    }
    json.object("traffic");
    for (key, prefix) in TRAFFIC {
        if labels(prefix).next().is_none() {
            continue;
        }
        json.strings(key, labels(prefix));
    }
    json.close_object();
}
