//! Metrics as text: OpenMetrics 1.0, and the text format 0.0.4 of Prometheus.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use weir_base::Timestamp;

use super::request::Form;

/// Prefix of the engine's metrics.
const PREFIX: &str = "weir_";

/// Kinds of metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It only grows.
    Counter,
    /// It rises and falls.
    Gauge,
    /// Labels say all.
    Info,
}

/// A metric: its name without prefix and without `_total`, and its meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Metric {
    pub(super) name: Cow<'static, str>,
    pub(super) kind: Kind,
    /// A sentence.
    pub(super) help: Cow<'static, str>,
}

impl Metric {
    pub(super) const fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), kind, help: Cow::Borrowed(help) }
    }
}

/// A number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Whole(u64),
    /// A time, in seconds since 1970.
    Time(Timestamp),
}

/// Numbers of a metric by their labels, as text.
struct Family {
    metric: Metric,
    samples: BTreeMap<String, Number>,
}

/// Metrics by name.
#[derive(Default)]
pub(super) struct Metrics(BTreeMap<String, Family>);

impl Metrics {
    /// Adds a number. One that has the same name and labels is added to.
    pub(super) fn add(&mut self, metric: &Metric, labels: &[(&str, &str)], number: Number) {
        let name = if metric.name.starts_with("process_") {
            metric.name.to_string()
        } else {
            format!("{PREFIX}{}", metric.name)
        };
        let family =
            self.0.entry(name).or_insert_with(|| Family { metric: metric.clone(), samples: BTreeMap::new() });
        let known = family.samples.entry(label_text(labels)).or_insert(Number::Whole(0));
        *known = match (*known, number) {
            (Number::Whole(sum), Number::Whole(more)) => Number::Whole(sum.saturating_add(more)),
            (_, number) => number,
        };
    }

    /// Writes them down.
    pub(super) fn text(&self, form: Form) -> String {
        let mut out = String::new();
        for (name, family) in &self.0 {
            family.write(name, form, &mut out);
        }
        if form == Form::Open {
            out.push_str("# EOF\n");
        }
        out
    }
}

impl Family {
    fn write(&self, name: &str, form: Form, out: &mut String) {
        let suffix = match self.metric.kind {
            Kind::Counter => "_total",
            Kind::Gauge => "",
            Kind::Info => "_info",
        };
        let kind = match (self.metric.kind, form) {
            (Kind::Counter, _) => "counter",
            (Kind::Info, Form::Open) => "info",
            (Kind::Gauge | Kind::Info, _) => "gauge",
        };
        // The older format has no units, and names metrics as their numbers.
        let named = if form == Form::Open { "" } else { suffix };
        let help = self.metric.help.replace('\\', "\\\\").replace('\n', "\\n");
        let help = if form == Form::Open { help.replace('"', "\\\"") } else { help };
        let _ = writeln!(out, "# TYPE {name}{named} {kind}");
        let unit = ["bytes", "seconds"].into_iter().find(|unit| name.ends_with(&format!("_{unit}")));
        if let (Some(unit), Form::Open) = (unit, form) {
            let _ = writeln!(out, "# UNIT {name} {unit}");
        }
        let _ = writeln!(out, "# HELP {name}{named} {help}");
        for (labels, number) in &self.samples {
            let _ = match number {
                Number::Whole(number) => writeln!(out, "{name}{suffix}{labels} {number}"),
                Number::Time(time) => {
                    let (seconds, rest) = (time.0 / 1_000_000_000, time.0 % 1_000_000_000);
                    writeln!(out, "{name}{suffix}{labels} {seconds}.{rest:09}")
                }
            };
        }
    }
}

/// Labels in braces; nothing where there are none.
fn label_text(labels: &[(&str, &str)]) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        let mut metrics = Metrics::default();
        let read = Metric::new("read_bytes", Kind::Counter, "Bytes that were \"read\".");
        metrics.add(&read, &[("thread", "a\"\\\n")], Number::Whole(7));
        metrics.add(&read, &[("thread", "b")], Number::Whole(1));
        metrics.add(&read, &[("thread", "b")], Number::Whole(2));
        metrics.add(&Metric::new("build", Kind::Info, "The build."), &[("version", "1")], Number::Whole(1));
        let start = Metric::new("process_start_time_seconds", Kind::Gauge, "The start.");
        metrics.add(&start, &[], Number::Time(Timestamp::new(5, 60)));
        assert_eq!(
            metrics.text(Form::Open),
            "# TYPE process_start_time_seconds gauge\n# UNIT process_start_time_seconds seconds\n\
             # HELP process_start_time_seconds The start.\nprocess_start_time_seconds 5.000000060\n\
             # TYPE weir_build info\n# HELP weir_build The build.\nweir_build_info{version=\"1\"} 1\n\
             # TYPE weir_read_bytes counter\n# UNIT weir_read_bytes bytes\n\
             # HELP weir_read_bytes Bytes that were \\\"read\\\".\n\
             weir_read_bytes_total{thread=\"a\\\"\\\\\\n\"} 7\nweir_read_bytes_total{thread=\"b\"} 3\n# EOF\n"
        );
        assert_eq!(
            metrics.text(Form::Plain),
            "# TYPE process_start_time_seconds gauge\n# HELP process_start_time_seconds The start.\n\
             process_start_time_seconds 5.000000060\n\
             # TYPE weir_build_info gauge\n# HELP weir_build_info The build.\nweir_build_info{version=\"1\"} 1\n\
             # TYPE weir_read_bytes_total counter\n# HELP weir_read_bytes_total Bytes that were \"read\".\n\
             weir_read_bytes_total{thread=\"a\\\"\\\\\\n\"} 7\nweir_read_bytes_total{thread=\"b\"} 3\n"
        );
    }
}
