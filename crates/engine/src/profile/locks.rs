//! `lock_stats.log`, and the table of locks and queues: who waited for what.

use weir_base::JsonWriter;
use weir_base::profile::locks::{Kind, Waits};

use super::table::{cell, row};

/// A lock, queue or order with its counts.
pub(super) type Entry = (&'static str, Kind, Waits);

/// Widths of the columns of the log.
const WIDTHS: [usize; 7] = [50, 10, 9, 12, 12, 7, 9];

/// Names of the columns of the log.
const COLUMNS: [&str; 7] = ["Lock", "Cnt", "Avg ticks", "Max ticks", "Total ticks", "Cont", "Func"];

/// Returns the name of a thread, by the number of its worker.
fn thread(worker: usize) -> String {
    match worker {
        0 => "other".to_owned(),
        worker => format!("W#{worker:02}"),
    }
}

/// Appends the log. Ticks are those of waits; what a lock costs that nobody holds is not counted.
pub(super) fn write_log(entries: &[Entry], out: &mut String) {
    out.push_str("\n\n");
    row(out, 0, COLUMNS.into_iter().zip(WIDTHS.into_iter().take(6).chain([0])));
    let dashes = [18, 10, 9, 12, 12, 7, 9].map(|count: usize| "-".repeat(count));
    row(out, 0, dashes.iter().zip(WIDTHS.into_iter().take(6).chain([0])));
    for (name, kind, waits) in entries {
        let cells: [String; 7] = [
            format!("({}) {name}", kind.name()),
            waits.taken.to_string(),
            (waits.waited / waits.taken.max(1)).to_string(),
            waits.longest.to_string(),
            waits.waited.to_string(),
            waits.contended.to_string(),
            thread(waits.longest_by),
        ];
        row(out, 0, cells.iter().zip(WIDTHS.into_iter().take(6).chain([0])));
    }
    let sum = |of: fn(&Waits) -> u64| entries.iter().map(|(_, _, waits)| of(waits)).sum::<u64>();
    let (locks, waited) = (sum(|waits| waits.taken), sum(|waits| waits.waited));
    let contentions = sum(|waits| waits.contended);
    out.push_str(&format!(
        "\nOverall: locks {locks}, average cost {}, contentions {contentions}, total ticks {waited}\n",
        waited / locks.max(1)
    ));
}

/// Appends the table.
pub(super) fn write_text(entries: &[Entry], ticks_per_second: f64, out: &mut String) {
    const COLUMNS: [(&str, usize); 7] = [
        ("Lock or queue", 32),
        ("Taken", 12),
        ("Waited for", 11),
        ("Waits", 12),
        ("Longest", 12),
        ("by", 6),
        ("Most by", 7),
    ];
    row(out, 2, COLUMNS);
    let time = |ticks: u64| seconds(ticks, ticks_per_second);
    for (name, _, waits) in entries {
        let by = |worker: usize| if waits.contended == 0 { String::new() } else { thread(worker) };
        let cells: [String; 7] = [
            (*name).to_owned(),
            waits.taken.to_string(),
            waits.contended.to_string(),
            time(waits.waited),
            time(waits.longest),
            by(waits.longest_by),
            by(waits.most_by),
        ];
        row(out, 2, cells.iter().zip(COLUMNS.map(|(_, width)| width)));
    }
}

/// Returns ticks as a time.
pub(super) fn seconds(ticks: u64, ticks_per_second: f64) -> String {
    let nanos = ticks as f64 * 1e9 / ticks_per_second.max(1.0);
    let mut text = String::new();
    let (number, unit) = match nanos {
        nanos if nanos < 1e3 => (nanos, "ns"),
        nanos if nanos < 1e6 => (nanos / 1e3, "us"),
        nanos if nanos < 1e9 => (nanos / 1e6, "ms"),
        nanos => (nanos / 1e9, "s"),
    };
    cell(&mut text, &format!("{number:.1} {unit}"), 0);
    text
}

/// Adds the rows to an object.
pub(super) fn write_json(entries: &[Entry], json: &mut JsonWriter<'_>) {
    json.objects("locks", entries, |json, (name, kind, waits)| {
        json.string("name", name);
        json.string(
            "kind",
            match kind {
                Kind::Lock => "lock",
                Kind::Queue => "queue",
                Kind::Order => "order",
            },
        );
        json.unsigned("taken", waits.taken);
        json.unsigned("contended", waits.contended);
        json.unsigned("ticks_waited", waits.waited);
        json.unsigned("ticks_longest", waits.longest);
        json.unsigned("longest_by_worker", waits.longest_by as u64);
        json.unsigned("most_by_worker", waits.most_by as u64);
        json.unsigned("ticks_most", waits.most);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_the_form_of_the_reference() {
        let waits =
            Waits { taken: 4, contended: 1, waited: 400, longest: 400, longest_by: 2, ..Waits::default() };
        let mut text = String::new();
        write_log(&[("thresholds", Kind::Lock, waits)], &mut text);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "",
                "",
                "Lock                                               Cnt        Avg ticks Max ticks    Total ticks  Cont    Func",
                "------------------                                 ---------- --------- ------------ ------------ ------- ---------",
                "(mtx) thresholds                                   4          100       400          400          1       W#02",
                "",
                "Overall: locks 4, average cost 100, contentions 1, total ticks 400",
            ]
        );
    }

    #[test]
    fn ticks_become_times() {
        for (ticks, text) in
            [(0, "0.0 ns"), (2_500, "1.0 us"), (5_000_000, "2.0 ms"), (7_500_000_000, "3.0 s")]
        {
            assert_eq!(seconds(ticks, 2.5e9), text);
        }
    }
}
