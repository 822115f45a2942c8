//! `--workers 1..N`: what each number of workers does, what they wait for, and a law that tells what others would do.
//!
//! Rates are by the clock, without start-up. Where perf events may be had, one more run with each number is recorded, and
//! tells what the workers waited for. The law is the universal scalability law, fitted to the rates; the growth of CPU
//! time and of instructions by packet, which does not know the clock, is its check. So many runs of one worker each at
//! the same time share nothing but the machine: by how much they cost more than one alone, no program could be better.

use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

use weir_lab::report::{Chart, Look as ChartLook, Part, Series, Table as PageTable};
use weir_lab::statistics::{Interval, Scaling, mean_and_deviation, median, median_interval};

use super::process::{Scratch, Taken, take, take_at_once};
use super::rounds::{Bench, ENDS};
use super::rows::Row;
use super::table::{Look, Table};
use crate::progress::Steps;

/// Numbers of workers that the law is asked for.
const ASKED: [f64; 5] = [4.0, 8.0, 16.0, 32.0, 64.0];
/// Part of their time that workers may be without a processor before that is told.
const BUSY: f64 = 0.1;
/// Most numbers of workers that are measured.
const MAX_NUMBERS: usize = 64;

/// Runs with one number of workers.
#[derive(Debug)]
struct Point {
    workers: u16,
    together: Runs,
    /// Runs of one worker each, so many at the same time; none where there are fewer cores.
    apart: Runs,
    waits: Option<Waits>,
}

/// Runs without packets, and runs.
#[derive(Debug, Default)]
struct Runs {
    start: Vec<Taken>,
    whole: Vec<Taken>,
}

/// What the workers of a run waited for.
#[derive(Clone, PartialEq, Debug)]
pub struct Waits {
    /// Part of the workers' time in which they waited.
    pub share: f64,
    /// Part of it in which they were ready to run, but others had the processors.
    pub ready: f64,
    /// Functions that waited longest, each with its part of the workers' time.
    pub functions: Vec<(String, f64)>,
}

/// Measurement of several numbers of workers.
#[derive(Debug)]
pub struct ByWorkers {
    row: &'static Row,
    packets: u64,
    points: Vec<Point>,
}

/// Parses `1..8`, `1..=8` or `4`.
pub fn parse_workers(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |word: &str| {
        word.trim_start_matches('=').parse::<u16>().ok().filter(|number| (1..=256).contains(number))
    };
    match number(first).zip(number(last)) {
        Some((first, last)) if first <= last && usize::from(last - first) < MAX_NUMBERS => Ok(first..=last),
        _ => Err(format!("write a range of at most {MAX_NUMBERS} numbers from 1 to 256, as in 1..8")),
    }
}

impl ByWorkers {
    /// Measures the first row of a benchmark with the first program of it.
    pub fn measure(bench: &Bench<'_>, workers: RangeInclusive<u16>) -> Result<Self, String> {
        let (Some(row), Some(program)) = (bench.rows.first().copied(), bench.programs.first()) else {
            return Err("There is no row to measure.".to_owned());
        };
        let scratch = Scratch::new()?;
        let nothing = [bench.prepare(&scratch)?];
        let (packets, _) = bench.size(program, &scratch)?;
        let command = |workers: u16, captures: &[_], scratch: &Scratch| -> Result<Command, String> {
            let mut command = bench.command(program, row, captures, scratch)?;
            command.arg("-t").arg(workers.to_string());
            Ok(command)
        };
        let cores = cores();
        let is_within = |workers: u16| (2..=cores).contains(&usize::from(workers));
        let rooms = workers.clone().filter(|workers| is_within(*workers)).max().unwrap_or_default();
        let rooms: Vec<Scratch> =
            (0..rooms).map(|number| scratch.room(&number.to_string())).collect::<Result<_, _>>()?;
        for room in &rooms {
            bench.prepare(room)?;
        }
        let apart = |workers: u16, captures: &[_]| -> Result<Vec<Taken>, String> {
            let rooms = rooms.get(..usize::from(workers)).unwrap_or_default();
            let commands: Vec<Command> =
                rooms.iter().map(|room| command(1, captures, room)).collect::<Result<_, _>>()?;
            take_at_once(commands, rooms, &ENDS)
        };
        let mut points: Vec<Point> = workers
            .map(|workers| Point { workers, together: Runs::default(), apart: Runs::default(), waits: None })
            .collect();
        let sides = [nothing.as_slice(), bench.captures];
        let steps = Steps::new(points.len() * (2 * usize::from(bench.runs) + 3));
        for round in 0..=bench.runs {
            for point in &mut points {
                let title = format!("{} workers", point.workers);
                let [start, whole] = sides.map(|captures| {
                    steps.next(&title);
                    take(&mut command(point.workers, captures, &scratch)?, scratch.path(), &ENDS)
                });
                let together = Runs { start: vec![start?], whole: vec![whole?] };
                let mut beside = Runs::default();
                if is_within(point.workers) {
                    let [start, whole] = sides.map(|captures| apart(point.workers, captures));
                    beside = Runs { start: start?, whole: whole? };
                }
                if round > 0 {
                    point.together.add(together);
                    point.apart.add(beside);
                }
            }
        }
        for point in &mut points {
            steps.next(&format!("what {} workers wait for", point.workers));
            point.waits = recorded(command(point.workers, bench.captures, &scratch)?, scratch.path())?;
        }
        Ok(Self { row, packets, points })
    }

    /// Returns the law, where it can be fitted.
    fn law(&self) -> Option<Scaling> {
        let points: Vec<(f64, f64)> =
            self.points.iter().map(|point| (f64::from(point.workers), point.rate(self.packets).0)).collect();
        Scaling::fit(&points)
    }

    /// Returns the table and what is to be said of it.
    pub fn text(&self, look: Look) -> String {
        let has_counts = self.points.iter().all(|point| point.instructions().is_some());
        let has_apart = self.points.iter().any(|point| point.apart_cost(self.packets).is_some());
        let mut head = vec!["workers", "Mpackets/s", "95 %", "speed-up", "CPU ns/packet"];
        head.extend(has_apart.then_some("runs apart"));
        head.extend(has_counts.then_some("instructions/packet"));
        head.extend(["waiting", "ready"]);
        let mut table = Table::new(head.into_iter().map(Into::into).collect());
        let one =
            self.points.first().map_or(0.0, |point| point.rate(self.packets).0 / f64::from(point.workers));
        for point in &self.points {
            let (rate, interval) = point.rate(self.packets);
            let interval = interval.map_or_else(String::new, |interval| {
                format!("{:.2} to {:.2}", interval.low / 1e6, interval.high / 1e6)
            });
            let mut cells = vec![
                point.workers.to_string(),
                format!("{:.2}", rate / 1e6),
                interval,
                format!("{:.2}", rate / one),
                format!("{:.0}", point.cost(self.packets)),
            ];
            if has_apart {
                let cost = point.apart_cost(self.packets);
                cells.push(cost.map_or_else(String::new, |cost| format!("{cost:.0}")));
            }
            if let Some(count) = point.instructions().filter(|_| has_counts) {
                cells.push(format!("{:.0}", count / self.packets as f64));
            }
            let percent = |part: fn(&Waits) -> f64| {
                point.waits.as_ref().map_or_else(String::new, |waits| format!("{:.0} %", part(waits) * 100.0))
            };
            cells.extend([percent(|waits| waits.share), percent(|waits| waits.ready)]);
            table.line(cells.into_iter().map(Into::into).collect());
        }
        let mut text = format!("{}, by number of workers.\n\n{}", self.row.title, table.text(look));
        for sentence in self.sentences() {
            text += &format!("\n{sentence}\n");
        }
        text
    }

    /// Returns what the figures mean, in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for point in &self.points {
            let Some(waits) = point.waits.as_ref().filter(|waits| !waits.functions.is_empty()) else {
                continue;
            };
            let longest: Vec<String> = waits
                .functions
                .iter()
                .map(|(name, share)| format!("{name} ({:.1} %)", share * 100.0))
                .collect();
            sentences.push(format!(
                "With {} the workers waited for {:.0} % of their time, longest in {}.",
                workers(point.workers),
                waits.share * 100.0,
                longest.join(", ")
            ));
        }
        if self.points.iter().filter_map(|point| point.waits.as_ref()).any(|waits| waits.ready > BUSY) {
            sentences.push(
                "Workers were ready to run, but others had the processors: the rates are theirs too. Measure on a machine \
                 that does nothing else, with no more workers than cores."
                    .to_owned(),
            );
        }
        let cores = cores();
        if self.points.iter().any(|point| usize::from(point.workers) > cores) {
            sentences.push(format!(
                "This machine has {cores} cores: more workers than those share them, which the law takes for waiting."
            ));
        }
        if let Some(law) = self.law() {
            sentences.extend(self.of_law(&law, cores));
        }
        sentences
    }

    fn of_law(&self, law: &Scaling, cores: usize) -> Vec<String> {
        let asked: Vec<String> = ASKED
            .iter()
            .map(|workers| format!("{workers:.0}: {:.1}", law.throughput(*workers) / law.one))
            .collect();
        let mut sentences = vec![format!(
            "Fitted law of scaling: of the work {:.1} % is done by one worker at a time, and {:.3} % is added by each for each \
             other one; so many cores would do so many times the work of one: {}.",
            law.contention * 100.0,
            law.coherence * 100.0,
            asked.join(", ")
        )];
        if let Some(best) = law.best() {
            sentences.push(format!("More than {best:.0} workers would do less."));
        }
        let within = |point: &&Point| usize::from(point.workers) <= cores;
        if let Some((first, last)) = self.points.first().zip(self.points.iter().rfind(within))
            && first.workers < last.workers
        {
            let growth = last.cost(self.packets) / first.cost(self.packets) - 1.0;
            let counted = first.instructions().zip(last.instructions()).map_or_else(
                || "instructions cannot be counted here".to_owned(),
                |(first, last)| format!("that of instructions by {:.1} %", (last / first - 1.0) * 100.0),
            );
            sentences.push(format!(
                "As a check: from {} to {} workers the CPU time of a packet grows by {:.1} % ({counted}); waiting and the \
                 clock are not in these.",
                first.workers,
                last.workers,
                growth * 100.0
            ));
            if let Some(apart) = last.apart_cost(self.packets) {
                let growth = (apart / first.cost(self.packets) - 1.0) * 100.0;
                let meaning = if growth < 1.0 {
                    "take no more CPU time for a packet than one run alone: that growth is the program's own"
                        .to_owned()
                } else {
                    format!(
                        "take {growth:.1} % more CPU time for a packet than one run alone: so much of that growth is its \
                         caches, memory and cores"
                    )
                };
                sentences.push(format!(
                    "{} runs of one worker each at the same time, which share nothing but the machine, {meaning}.",
                    last.workers
                ));
            }
        }
        sentences
    }

    /// Returns the parts of a page.
    pub fn parts(&self) -> Vec<Part> {
        let measured = |point: &Point| (f64::from(point.workers), point.rate(self.packets).0 / 1e6);
        let errors = |point: &Point| {
            point.rate(self.packets).1.map_or(0.0, |interval| (interval.high - interval.low) / 2e6)
        };
        let mut series = vec![Series {
            name: "measured".to_owned(),
            points: self.points.iter().map(measured).collect(),
            errors: self.points.iter().map(errors).collect(),
        }];
        if let Some(law) = self.law() {
            let law_at =
                |point: &Point| (f64::from(point.workers), law.throughput(f64::from(point.workers)) / 1e6);
            let points = self.points.iter().map(law_at).collect();
            series.push(Series { name: "fitted law".to_owned(), points, errors: Vec::new() });
        }
        let chart = |title: &str, upward: &str, series| {
            Part::Chart(Chart {
                title: title.to_owned(),
                look: ChartLook::Lines,
                across: "workers".to_owned(),
                upward: upward.to_owned(),
                series,
                ..Chart::default()
            })
        };
        let cost = |point: &Point| (f64::from(point.workers), point.cost(self.packets));
        let mut costs = vec![Series {
            name: "CPU time".to_owned(),
            points: self.points.iter().map(cost).collect(),
            ..Series::default()
        }];
        let apart = |point: &Point| Some((f64::from(point.workers), point.apart_cost(self.packets)?));
        let apart: Vec<_> = self.points.iter().filter_map(apart).collect();
        if !apart.is_empty() {
            costs.push(Series {
                name: "runs of one worker, so many at the same time".to_owned(),
                points: apart,
                ..Series::default()
            });
        }
        vec![
            chart("Packets by number of workers", "packets [millions/s]", series),
            chart("Cost of a packet by number of workers", "CPU time [ns/packet]", costs),
            Part::Table(self.waits()),
        ]
    }

    fn waits(&self) -> PageTable {
        let rows = self.points.iter().flat_map(|point| {
            let waits = point.waits.iter().flat_map(|waits| &waits.functions);
            waits.map(move |(name, share)| {
                vec![f64::from(point.workers).into(), name.as_str().into(), (share * 100.0).into()]
            })
        });
        PageTable {
            title: "What workers wait for".to_owned(),
            note: "Parts of the time of all workers, from one recorded run each.".to_owned(),
            columns: vec![
                ("workers".to_owned(), "number".to_owned()),
                ("function".to_owned(), String::new()),
                ("part of their time".to_owned(), "percent".to_owned()),
            ],
            rows: rows.collect(),
        }
    }
}

impl Point {
    /// Packets in a second by the clock, with the interval of 95 %.
    fn rate(&self, packets: u64) -> (f64, Option<Interval>) {
        let start = median(self.together.start.iter().map(|taken| taken.elapsed).collect());
        let rates: Vec<f64> = self
            .together
            .whole
            .iter()
            .map(|taken| packets as f64 / (taken.elapsed - start).max(1e-9))
            .collect();
        (median(rates.clone()), median_interval(&rates))
    }

    /// Nanoseconds of CPU time for a packet.
    fn cost(&self, packets: u64) -> f64 {
        self.together.cost(packets)
    }

    /// Nanoseconds of CPU time for a packet of runs that share nothing but the machine.
    fn apart_cost(&self, packets: u64) -> Option<f64> {
        (!self.apart.whole.is_empty()).then(|| self.apart.cost(packets))
    }

    /// Instructions of a run without its start.
    fn instructions(&self) -> Option<f64> {
        let counted = |runs: &[Taken]| {
            let counts: Option<Vec<f64>> =
                runs.iter().map(|taken| Some(taken.counts?.instructions)).collect();
            Some(median(counts?))
        };
        Some(counted(&self.together.whole)? - counted(&self.together.start)?)
    }
}

impl Runs {
    fn add(&mut self, others: Self) {
        self.start.extend(others.start);
        self.whole.extend(others.whole);
    }

    /// Nanoseconds of CPU time for a packet.
    fn cost(&self, packets: u64) -> f64 {
        let cpu =
            |runs: &[Taken]| mean_and_deviation(&runs.iter().map(|taken| taken.cpu).collect::<Vec<_>>()).0;
        (cpu(&self.whole) - cpu(&self.start)) / packets.max(1) as f64 * 1e9
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn workers(count: u16) -> String {
    if count == 1 { "1 worker".to_owned() } else { format!("{count} workers") }
}

/// Records a run; none where perf events are forbidden.
#[cfg(target_os = "linux")]
fn recorded(mut command: Command, folder: &Path) -> Result<Option<Waits>, String> {
    use std::process::Stdio;
    use std::time::Duration;

    use weir_lab::record::{FREQUENCY, perf};
    use weir_lab::symbols::Symboliser;

    let Ok(mut recorder) = perf::Recorder::open(perf::Whom::Children, FREQUENCY) else { return Ok(None) };
    let cannot =
        |error: std::io::Error| format!("A run cannot be recorded in {}: {error}.", folder.display());
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(cannot)?;
    while child.try_wait().map_err(cannot)?.is_none() {
        recorder.read();
        std::thread::park_timeout(Duration::from_millis(20));
    }
    let mut profile = recorder.finish("");
    Symboliser::new().symbolise(&mut profile);
    Ok(Some(waits(&profile)))
}

/// Nothing is recorded elsewhere.
#[cfg(not(target_os = "linux"))]
fn recorded(_command: Command, _folder: &Path) -> Result<Option<Waits>, String> {
    Ok(None)
}

/// Returns what the workers of a recorded run waited for. A single worker is the main thread.
#[cfg(target_os = "linux")]
fn waits(profile: &weir_lab::profile::Profile) -> Waits {
    use std::collections::BTreeMap;

    use weir_lab::summary::{is_allocator, without_arguments};

    /// Most functions that are told.
    const MOST: usize = 3;
    /// Least part of the workers' time that is told.
    const LEAST: f64 = 0.001;
    let is_named = |thread: &weir_lab::profile::Thread| thread.name.starts_with("W#");
    let has_several = profile.threads.iter().any(is_named);
    let is_worker = |thread: &weir_lab::profile::Thread| {
        if has_several { is_named(thread) } else { thread.id == thread.process }
    };
    let (cpu, wait) =
        (profile.measure("cpu").unwrap_or_default(), profile.measure("wait").unwrap_or_default());
    let ready = profile.measure("ready").unwrap_or_default();
    let (mut all, mut waited, mut was_ready) = (0, 0, 0);
    let mut functions: BTreeMap<String, i64> = BTreeMap::new();
    for sample in &profile.samples {
        let thread = sample.thread.and_then(|thread| profile.threads.get(thread as usize));
        if !thread.is_some_and(is_worker) {
            continue;
        }
        all += sample.value(cpu) + sample.value(wait) + sample.value(ready);
        was_ready += sample.value(ready);
        waited += sample.value(wait);
        let names = profile.names(sample.stack);
        let is_own =
            |name: &&&str| name.trim_start_matches(['<', '&']).starts_with("weir") && !is_allocator(name);
        let own = names.iter().find(is_own).or(names.first());
        if let Some(name) = own.filter(|_| sample.value(wait) > 0) {
            *functions.entry(without_arguments(name)).or_default() += sample.value(wait);
        }
    }
    let share = |time: i64| time as f64 / all.max(1) as f64;
    let mut functions: Vec<(String, f64)> =
        functions.into_iter().map(|(name, time)| (name, share(time))).collect();
    functions.retain(|(_, share)| *share >= LEAST);
    functions.sort_by(|a, b| b.1.total_cmp(&a.1));
    functions.truncate(MOST);
    Waits { share: share(waited), ready: share(was_ready), functions }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_workers() {
        let cases = [
            ("1..8", Some(1..=8)),
            ("2..=4", Some(2..=4)),
            ("3", Some(3..=3)),
            ("0..2", None),
            ("4..1", None),
            ("1..256", None),
            ("a", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_workers(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn figures_of_runs() {
        let run = |elapsed, cpu| Taken { elapsed, cpu, ..Taken::default() };
        let point = |workers, elapsed| Point {
            workers,
            together: Runs { start: vec![run(0.1, 0.1); 3], whole: vec![run(elapsed + 0.1, 1.1); 3] },
            apart: if workers == 1 {
                Runs::default()
            } else {
                Runs { start: vec![run(0.1, 0.1); 2], whole: vec![run(1.2, 1.3); 2] }
            },
            waits: Some(Waits {
                share: 0.25,
                ready: 0.0,
                functions: vec![("weir_engine::wait".to_owned(), 0.2)],
            }),
        };
        let measured = ByWorkers {
            row: &super::super::rows::ROWS[1],
            packets: 1_000_000,
            points: vec![point(1, 1.0), point(2, 0.625)],
        };
        let (rate, interval) = measured.points[0].rate(measured.packets);
        assert!((rate - 1e6).abs() < 1.0 && interval.is_some());
        assert!((measured.points[0].cost(measured.packets) - 1000.0).abs() < 1e-6);
        let law = measured.law().expect("a law");
        assert!((law.contention - 0.25).abs() < 1e-9, "{law:?}");
        let text = measured.text(Look::Plain);
        for part in
            ["1.60", "1000", "1200", "25 %", "weir_engine::wait (20.0 %)", "25.0 % is done by one worker"]
        {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert_eq!(measured.parts().len(), 3);
    }
}
