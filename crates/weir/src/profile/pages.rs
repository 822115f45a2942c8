//! Profiles as parts of a page for browsers.

use std::collections::BTreeMap;

use weir_lab::formats::pprof::main_measure;
use weir_lab::formats::svg::amount;
use weir_lab::profile::{Profile, State};
use weir_lab::purpose;
use weir_lab::report::{Cell, Chart, Look, Part, Series, Table};
use weir_lab::summary::{functions, sites, tree};

use super::table::place;
use crate::cli;

/// Shares below this are left out of flame graphs.
const NARROWEST: f64 = 0.0005;
/// Points of a chart over time.
const POINTS: u64 = 60;
/// Series of a chart; the rest is put together.
const MAX_SERIES: usize = 9;
/// Below this share of all, nothing is a finding.
const NOTABLE: f64 = 0.1;

/// Returns the title of a measured run.
pub fn title(what: &str, run: &cli::Arguments) -> String {
    let names: Vec<_> = run
        .input
        .names
        .iter()
        .map(|path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy())
        .collect();
    match names.as_slice() {
        [] => what.to_owned(),
        [name] => format!("{what} of {name}"),
        [name, others @ ..] => format!("{what} of {name} and {} more", others.len()),
    }
}

/// Returns a line about how a profile was taken.
pub fn subtitle(profile: &Profile) -> String {
    let took = amount(profile.duration as f64, "nanoseconds");
    let version = env!("CARGO_PKG_VERSION");
    format!("Weir {version}; {took} by the clock. {}", profile.remarks.join(" "))
}

/// Returns sentences about a CPU profile.
pub fn cpu_findings(profile: &Profile) -> Vec<String> {
    let measure = profile.measure("cpu").unwrap_or_default();
    let total = profile.total(measure).max(1) as f64;
    let mut findings: Vec<String> = purpose::sums(profile, measure)
        .iter()
        .take(3)
        .filter(|(_, sum)| *sum as f64 / total >= NOTABLE)
        .map(|(purpose, sum)| {
            format!("{:.0} % of the CPU time is for {purpose}.", *sum as f64 / total * 100.0)
        })
        .collect();
    if let Some(first) = functions(profile, measure).first() {
        let share = first.own as f64 / total * 100.0;
        findings.push(format!("{} is the function with the most time of its own: {share:.1} %.", first.name));
    }
    let sum = |name: &str| profile.measure(name).map_or(0, |measure| profile.total(measure));
    if sum("wait") > 0 {
        let waited = amount(sum("wait") as f64, "nanoseconds");
        findings.push(format!("All threads together waited for {waited}."));
    }
    if sum("ready") as f64 / total >= NOTABLE {
        let ready = amount(sum("ready") as f64, "nanoseconds");
        findings.push(format!("For {ready} they were ready to run, but others had the processors."));
    }
    findings
}

/// Returns sentences about heap profiles.
pub fn heap_findings(peak: &Profile, end: &Profile) -> Vec<String> {
    let measure = main_measure(peak);
    let total = peak.total(measure);
    let mut findings = vec![format!("At most {} were in use.", amount(total as f64, "bytes"))];
    let share = |sum: i64| sum as f64 / total.max(1) as f64;
    let large = purpose::sums(peak, measure).into_iter().take(3).filter(|(_, sum)| share(*sum) >= NOTABLE);
    findings
        .extend(large.map(|(purpose, sum)| format!("{:.0} % of that is for {purpose}.", share(sum) * 100.0)));
    let left = end.total(main_measure(end));
    findings.push(match sites(end, main_measure(end)).first() {
        Some(site) if left > 0 => {
            let (left, most) = (amount(left as f64, "bytes"), place(site));
            format!("{left} were not freed when the run had ended, most of that by {most}.")
        }
        _ => "All was freed when the run had ended.".to_owned(),
    });
    findings
}

/// Returns the parts of a CPU profile.
pub fn cpu(profile: &Profile) -> Vec<Part> {
    let measure = profile.measure("cpu").unwrap_or_default();
    let mut parts = vec![flame(profile, measure, "CPU time by calls")];
    parts.extend(over_time(profile));
    parts.push(by_purpose(profile, measure, "CPU time by purpose"));
    parts.push(by_function(profile, measure, "CPU time by function"));
    parts.push(by_thread(profile));
    if let Some(wait) = profile.measure("wait").filter(|wait| profile.total(*wait) > 0) {
        parts.push(flame(profile, wait, "Waiting by calls"));
        parts.push(by_function(profile, wait, "Waiting by function"));
    }
    parts
}

/// Returns the parts of heap profiles, with the dumps while it ran.
pub fn heap(peak: &Profile, end: &Profile, dumps: &[Profile]) -> Vec<Part> {
    let (measure, of_end) = (main_measure(peak), main_measure(end));
    let mut parts = Vec::new();
    if dumps.len() > 1 {
        parts.push(Part::Chart(memory_over_time(dumps)));
    }
    parts.push(by_purpose(peak, measure, "Memory by purpose, when most was in use"));
    parts.push(flame(peak, measure, "Memory by calls, when most was in use"));
    parts.push(by_site(peak, measure, "Memory by call site, when most was in use"));
    parts.push(by_site(end, of_end, "What was not freed at the end"));
    if end.total(of_end) > 0 {
        parts.push(flame(end, of_end, "What was not freed at the end, by calls"));
    }
    parts
}

/// Returns the parts of any profile.
pub fn any(profile: &Profile) -> Vec<Part> {
    let measure = main_measure(profile);
    let is_memory = profile.measures.get(measure).is_some_and(|measure| measure.unit == "bytes");
    let details = if is_memory {
        by_site(profile, measure, "By call site")
    } else {
        by_function(profile, measure, "By function")
    };
    vec![flame(profile, measure, "By calls"), by_purpose(profile, measure, "By purpose"), details]
}

fn unit(profile: &Profile, measure: usize) -> String {
    profile.measures.get(measure).map(|measure| measure.unit.clone()).unwrap_or_default()
}

fn flame(profile: &Profile, measure: usize, title: &str) -> Part {
    Part::Flame {
        title: title.to_owned(),
        unit: unit(profile, measure),
        root: tree(profile, measure, NARROWEST),
    }
}

fn percent(part: i64, whole: i64) -> Cell {
    if whole == 0 { Cell::Empty } else { Cell::Number(part as f64 / whole as f64 * 100.0) }
}

fn column(title: &str, unit: &str) -> (String, String) {
    (title.to_owned(), unit.to_owned())
}

fn by_purpose(profile: &Profile, measure: usize, title: &str) -> Part {
    let total = profile.total(measure);
    let rows = purpose::sums(profile, measure)
        .into_iter()
        .map(|(purpose, sum)| vec![purpose.into(), (sum as f64).into(), percent(sum, total)]);
    Part::Table(Table {
        title: title.to_owned(),
        note: "The innermost function of the program that is at work decides.".to_owned(),
        columns: vec![
            column("purpose", ""),
            column("sum", &unit(profile, measure)),
            column("share", "percent"),
        ],
        rows: rows.collect(),
    })
}

fn by_function(profile: &Profile, measure: usize, title: &str) -> Part {
    let total = profile.total(measure);
    let unit = unit(profile, measure);
    let rows = functions(profile, measure).into_iter().map(|sum| {
        vec![
            sum.name.as_str().into(),
            (sum.own as f64).into(),
            percent(sum.own, total),
            (sum.total as f64).into(),
            percent(sum.total, total),
            sum.file.as_str().into(),
        ]
    });
    Part::Table(Table {
        title: title.to_owned(),
        columns: vec![
            column("function", ""),
            column("own", &unit),
            column("own share", "percent"),
            column("with calls", &unit),
            column("with calls, share", "percent"),
            column("source", ""),
        ],
        rows: rows.collect(),
        ..Table::default()
    })
}

fn by_site(profile: &Profile, measure: usize, title: &str) -> Part {
    let total = profile.total(measure);
    let objects = profile.measure("inuse_objects").unwrap_or_default();
    let allocated = profile.measure("alloc_space").unwrap_or_default();
    let rows = sites(profile, measure).into_iter().map(|site| {
        let value = |measure: usize| site.values.get(measure).copied().unwrap_or_default();
        vec![
            site.purpose.into(),
            place(&site).as_str().into(),
            (value(measure) as f64).into(),
            percent(value(measure), total),
            (value(objects) as f64).into(),
            (value(allocated) as f64).into(),
        ]
    });
    Part::Table(Table {
        title: title.to_owned(),
        note: "The call site is the innermost function that is no collection's or standard library's."
            .to_owned(),
        columns: vec![
            column("purpose", ""),
            column("call site", ""),
            column("in use", "bytes"),
            column("share", "percent"),
            column("objects", "count"),
            column("allocated in all", "bytes"),
        ],
        rows: rows.collect(),
    })
}

fn by_thread(profile: &Profile) -> Part {
    let mut sums: BTreeMap<u32, [i64; 3]> = BTreeMap::new();
    let measures = ["cpu", "wait", "ready"].map(|name| profile.measure(name));
    for sample in &profile.samples {
        let sum = sums.entry(sample.thread.unwrap_or(u32::MAX)).or_default();
        for (sum, measure) in sum.iter_mut().zip(measures) {
            *sum += measure.map_or(0, |measure| sample.value(measure));
        }
    }
    let rows = sums.into_iter().map(|(at, [cpu, wait, ready])| {
        let thread = profile.threads.get(at as usize);
        let name = thread.map_or_else(|| "unknown".to_owned(), |thread| thread.name.clone());
        let id = thread.map_or(Cell::Empty, |thread| Cell::Number(f64::from(thread.id)));
        vec![Cell::Text(name), id, (cpu as f64).into(), (wait as f64).into(), (ready as f64).into()]
    });
    Part::Table(Table {
        title: "Threads".to_owned(),
        columns: vec![
            column("thread", ""),
            column("id", "number"),
            column("CPU time", "nanoseconds"),
            column("waiting", "nanoseconds"),
            column("ready, but not running", "nanoseconds"),
        ],
        rows: rows.collect(),
        ..Table::default()
    })
}

/// Processors in use by purpose over time.
fn over_time(profile: &Profile) -> Option<Part> {
    let running = || profile.timeline.iter().filter(|moment| moment.state == State::Running);
    let length = running().map(|moment| moment.time).max()?.max(1);
    let bin = length / POINTS + 1;
    let purposes: Vec<&str> =
        (0..).zip(&profile.stacks).map(|(at, _)| purpose::of_stack(profile, at)).collect();
    let mut sums: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for moment in running() {
        let purpose = purposes.get(moment.stack as usize).copied().unwrap_or(purpose::OTHER);
        *sums.entry(purpose).or_default().entry(moment.time / bin).or_default() += moment.duration;
    }
    let ends: Vec<u64> = (0..=length / bin).collect();
    let series = sums.into_iter().map(|(name, bins)| {
        let point = |at: &u64| {
            let used = bins.get(at).copied().unwrap_or_default();
            (*at as f64 * bin as f64 / 1e9, used as f64 / bin as f64)
        };
        Series { name: name.to_owned(), points: ends.iter().map(point).collect(), errors: Vec::new() }
    });
    Some(Part::Chart(Chart {
        title: "Processors in use over time".to_owned(),
        look: Look::Stacked,
        across: "time since the start [s]".to_owned(),
        upward: "processors".to_owned(),
        series: fewest(series.collect()),
        ..Chart::default()
    }))
}

/// Memory in use by purpose over time.
fn memory_over_time(dumps: &[Profile]) -> Chart {
    let mut series: BTreeMap<&str, BTreeMap<u64, f64>> = BTreeMap::new();
    for dump in dumps {
        for (purpose, sum) in purpose::sums(dump, main_measure(dump)) {
            series.entry(purpose).or_default().insert(dump.duration, sum as f64 / 1e6);
        }
    }
    let series = series.into_iter().map(|(name, values)| {
        let value = |time: u64| values.get(&time).copied().unwrap_or_default();
        let points = dumps.iter().map(|dump| (dump.duration as f64 / 1e9, value(dump.duration))).collect();
        Series { name: name.to_owned(), points, errors: Vec::new() }
    });
    Chart {
        title: "Memory in use over time".to_owned(),
        look: Look::Stacked,
        across: "time since the start [s]".to_owned(),
        upward: "memory [MB]".to_owned(),
        series: fewest(series.collect()),
        ..Chart::default()
    }
}

/// The largest series, and the sum of the rest. All have the same places.
fn fewest(mut series: Vec<Series>) -> Vec<Series> {
    let sum = |series: &Series| series.points.iter().map(|point| point.1).sum::<f64>();
    series.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    let rest = series.split_off(series.len().min(MAX_SERIES));
    let mut rest = rest.into_iter();
    if let Some(mut sum) = rest.next() {
        "the rest".clone_into(&mut sum.name);
        for one in rest {
            for (point, more) in sum.points.iter_mut().zip(&one.points) {
                point.1 += more.1;
            }
        }
        series.push(sum);
    }
    series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_series_are_put_together() {
        let one =
            |at: usize| Series { name: at.to_string(), points: vec![(0.0, at as f64)], errors: Vec::new() };
        let found = fewest((1..=12).map(one).collect());
        assert_eq!(found.len(), MAX_SERIES + 1);
        assert_eq!(
            (found[0].name.as_str(), found[9].name.as_str(), found[9].points[0].1),
            ("12", "the rest", 6.0)
        );
        assert_eq!(fewest(vec![one(1)]).len(), 1);
    }
}
