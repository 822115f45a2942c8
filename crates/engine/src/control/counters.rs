//! Records of the counters as objects.

use serde_json::{Map, Value};
use weir_output::StatsRecord;
use weir_output::record::Counter;

/// The counters of all threads, with those of each.
pub(super) fn object(record: &StatsRecord<'_>) -> Value {
    let mut all = nested(record.totals);
    all.insert("uptime".to_owned(), record.uptime_secs.into());
    let threads = record.threads.iter().map(|(name, own)| (name.clone(), Value::Object(nested(own))));
    all.insert("threads".to_owned(), Value::Object(threads.collect()));
    Value::Object(all)
}

/// Objects for the parts of the counters' names. A counter whose name is the beginning of another one's gives way to it.
fn nested(counters: &[Counter]) -> Map<String, Value> {
    let mut all = Map::new();
    for counter in counters {
        let mut object = &mut all;
        let mut parts = counter.name.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                object.entry(part).or_insert_with(|| counter.value.into());
                break;
            }
            let below = object.entry(part).or_insert_with(|| Value::Object(Map::new()));
            if !below.is_object() {
                *below = Value::Object(Map::new());
            }
            let Value::Object(below) = below else { break };
            object = below;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_become_objects() {
        let counter = |name: &str, value| Counter { name: name.to_owned(), value, previous: 0 };
        let all = [counter("a.b", 1), counter("a.c.d", 2), counter("e", 3), counter("e.f", 4)];
        let threads = [("W#01-eth0".to_owned(), vec![counter("a.b", 1)])];
        let record = StatsRecord { uptime_secs: 7, totals: &all, threads: &threads, engines: &[] };
        assert_eq!(
            object(&record),
            json!({
                "uptime": 7, "a": {"b": 1, "c": {"d": 2}}, "e": {"f": 4},
                "threads": {"W#01-eth0": {"a": {"b": 1}}}
            })
        );
    }
}
