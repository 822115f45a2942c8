//! `stats` records: counters as nested objects by the parts of their names.

use weir_base::JsonWriter;

use super::super::header::{Head, Source};
use super::super::{Log, RecordWriter};
use super::{RecordType, TypeWriter};
use crate::format::RecordKind;
use crate::record::{Counter, DetectEngine, Record, RecordContext};

/// Counters.
pub(super) static TYPE: RecordType = RecordType {
    name: "stats",
    records: &[(RecordKind::Stats, "stats")],
    open: |entry| {
        Ok(Box::new(Stats {
            totals: entry.section.flag("totals", true),
            threads: entry.section.flag("threads", false),
            deltas: entry.section.flag("deltas", false),
            null_values: entry.section.flag("null-values", true),
        }))
    },
};

struct Stats {
    /// All threads together.
    totals: bool,
    /// Each thread.
    threads: bool,
    /// Differences since the record before.
    deltas: bool,
    /// Counters that are zero.
    null_values: bool,
}

impl TypeWriter for Stats {
    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        let Record::Stats(record) = record else { return };
        let bare = RecordContext::at(cx.position, cx.now);
        log.line(&bare, &Head::new("stats", Source::Sender), |eve, json| {
            json.object("stats");
            json.unsigned("uptime", record.uptime_secs);
            if self.totals {
                let engines = |json: &mut JsonWriter<'_>| eve.engines(record.engines, json);
                counters(record.totals, self, engines, json);
            }
            if self.threads {
                json.object("threads");
                for (name, list) in record.threads {
                    json.nested(name, |json| counters(list, self, |_| {}, json));
                }
                json.close_object();
            }
            json.close_object();
            true
        });
    }
}

impl RecordWriter<'_> {
    fn engines(&mut self, engines: &[DetectEngine], json: &mut JsonWriter<'_>) {
        json.objects("engines", engines, |json, engine| {
            json.unsigned("id", engine.id);
            self.past(json, "last_reload", engine.loaded_at);
            json.unsigned("rules_loaded", engine.rules_loaded);
            json.unsigned("rules_failed", engine.rules_failed);
            json.unsigned("rules_skipped", engine.rules_skipped);
        });
    }
}

/// `detect` begins with what `engines` writes.
fn counters(
    list: &[Counter],
    options: &Stats,
    mut engines: impl FnMut(&mut JsonWriter<'_>),
    json: &mut JsonWriter<'_>,
) {
    let mut sorted: Vec<&Counter> =
        list.iter().filter(|counter| options.null_values || counter.value > 0).collect();
    sorted.sort_by(|a, b| a.name.split('.').cmp(b.name.split('.')));
    let mut open: Vec<&str> = Vec::new();
    let mut delta = String::new();
    for counter in sorted {
        let mut parts: Vec<&str> = counter.name.split('.').collect();
        let Some(leaf) = parts.pop() else { continue };
        let shared = open.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        for _ in shared..open.len() {
            json.close_object();
        }
        open.truncate(shared);
        for part in parts.into_iter().skip(shared) {
            json.object(part);
            if part == "detect" && open.is_empty() {
                engines(json);
            }
            open.push(part);
        }
        json.unsigned(leaf, counter.value);
        if options.deltas {
            delta.clear();
            delta.push_str(leaf);
            delta.push_str("_delta");
            json.signed(&delta, counter.value.wrapping_sub(counter.previous).cast_signed());
        }
    }
    for _ in open {
        json.close_object();
    }
}
