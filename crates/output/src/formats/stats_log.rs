//! `stats.log`: counters as a table.

use crate::format::{Format, RecordKind, RecordKinds};
use crate::outlet::{OutletId, Outlets};
use crate::record::{Counter, Record, RecordContext, StatsRecord};
use crate::timestamp::digits;

/// Width of the column of names.
const NAME_WIDTH: usize = 45;

/// Width of the column of threads.
const THREAD_WIDTH: usize = 25;

const RULE: &str = "------------------------------------------------------------------------------------";

/// Options of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsLogOptions {
    /// All threads together.
    pub totals: bool,
    /// Each thread.
    pub threads: bool,
    /// Counters that are zero.
    pub null_values: bool,
}

/// A worker's writer.
pub struct StatsLog {
    outlet: OutletId,
    options: StatsLogOptions,
}

impl StatsLog {
    /// Writes to `outlet`.
    pub const fn new(outlet: OutletId, options: StatsLogOptions) -> Self {
        Self { outlet, options }
    }

    fn table(&self, cx: &RecordContext<'_>, record: &StatsRecord<'_>, out: &mut Vec<u8>) {
        rule(out);
        date(cx, record.uptime_secs, out);
        rule(out);
        row(out, "Counter", "TM Name", b"Value");
        rule(out);
        if self.options.totals {
            self.counters("Total", record.totals, out);
        }
        if self.options.threads {
            for (name, list) in record.threads {
                self.counters(name, list, out);
            }
        }
        out.extend_from_slice(RULE.as_bytes());
    }

    fn counters(&self, thread: &str, list: &[Counter], out: &mut Vec<u8>) {
        for counter in list.iter().filter(|c| self.options.null_values || c.value > 0) {
            row(out, &counter.name, thread, itoa::Buffer::new().format(counter.value).as_bytes());
        }
    }
}

impl Format for StatsLog {
    fn wants(&self) -> RecordKinds {
        RecordKinds::of(&[RecordKind::Stats])
    }

    fn part(&self, _: &'static str) -> &'static str {
        "stats.log"
    }

    fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>, out: &mut Outlets) {
        if let Record::Stats(stats) = record {
            out.line(self.outlet, cx.position, |bytes| {
                self.table(cx, stats, bytes);
                true
            });
        }
    }
}

fn rule(out: &mut Vec<u8>) {
    out.extend_from_slice(RULE.as_bytes());
    out.push(b'\n');
}

fn row(out: &mut Vec<u8>, name: &str, thread: &str, value: &[u8]) {
    for (text, width) in [(name, NAME_WIDTH), (thread, THREAD_WIDTH)] {
        out.extend_from_slice(text.as_bytes());
        out.extend(std::iter::repeat_n(b' ', width.saturating_sub(text.len())));
        out.extend_from_slice(b" | ");
    }
    out.extend_from_slice(value);
    out.push(b'\n');
}

/// `Date: 1/31/2015 -- 00:00:00 (uptime: 0d, 00h 00m 08s)`
fn date(cx: &RecordContext<'_>, uptime: u64, out: &mut Vec<u8>) {
    let civil = cx.now.local().civil;
    out.extend_from_slice(b"Date: ");
    for (number, after) in
        [(u64::from(civil.month), "/"), (u64::from(civil.day), "/"), (civil.year.unsigned_abs(), " -- ")]
    {
        digits(out, number, 1);
        out.extend_from_slice(after.as_bytes());
    }
    for (number, after) in [(civil.hour, ":"), (civil.minute, ":"), (civil.second, " (uptime: ")] {
        digits(out, u64::from(number), 2);
        out.extend_from_slice(after.as_bytes());
    }
    digits(out, uptime / 86_400, 1);
    for (number, before) in [(uptime / 3600 % 24, "d, "), (uptime / 60 % 60, "h "), (uptime % 60, "m ")] {
        out.extend_from_slice(before.as_bytes());
        digits(out, number, 2);
    }
    out.extend_from_slice(b"s)\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_base::Timestamp;

    #[test]
    fn table() {
        let totals = [("decoder.pkts", 5), ("decoder.none", 0)].map(|(name, value)| Counter {
            name: name.to_owned(),
            value,
            previous: 0,
        });
        let record = StatsRecord { uptime_secs: 90_061, totals: &totals, threads: &[], engines: &[] };
        let options = StatsLogOptions { totals: true, threads: false, null_values: false };
        let mut out = Vec::new();
        let cx = RecordContext::at(weir_base::Position::default(), Timestamp::new(1_700_000_000, 0));
        StatsLog::new(OutletId(0), options).table(&cx, &record, &mut out);
        let rule = "-".repeat(84);
        let expected = format!(
            "{rule}\nDate: 11/14/2023 -- 22:13:20 (uptime: 1d, 01h 01m 01s)\n{rule}\n\
             Counter                                       | TM Name                   | Value\n{rule}\n\
             decoder.pkts                                  | Total                     | 5\n{rule}"
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
