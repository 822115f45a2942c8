//! From runs to figures.

use std::path::Path;

use weir_lab::statistics::{Interval, median_interval};

use super::process::Taken;
use super::rounds::{Bench, Measured, Runs};
use super::rows::LOADING;
use super::spread::Spread;

/// Less CPU time than this says little, in seconds.
const SHORT: f64 = 0.05;

/// Figure of one program for one row.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// The row's name.
    pub row: &'static str,
    /// Title of the row in tables.
    pub title: &'static str,
    /// Number of the program.
    pub program: usize,
    /// CPU seconds, without those of start-up.
    pub cpu: Spread,
    /// Figure in units.
    pub units: Option<f64>,
    /// Seconds by the clock, without those of start-up.
    pub elapsed: f64,
    /// CPU seconds of start-up.
    pub start: f64,
    /// Most resident memory, in bytes.
    pub memory: f64,
    /// Packets for one CPU second; none for rows that read none.
    pub packet_rate: Option<f64>,
    /// Bits for one CPU second.
    pub bit_rate: Option<f64>,
    /// Instructions, without those of start-up.
    pub instructions: Option<f64>,
    /// Cycles, without those of start-up.
    pub cycles: Option<f64>,
    /// CPU time as a part of the first program's in the same round; none for the first.
    pub ratio: Option<Spread>,
    /// Interval that holds the true ratio with a confidence of 95 %, by bootstrap; none of a single run.
    pub ratio_interval: Option<Interval>,
    /// Most units that it may take.
    pub limit: Option<f64>,
}

impl Figure {
    /// Whether it takes more than it may.
    pub fn is_over_limit(&self) -> bool {
        self.units.zip(self.limit).is_some_and(|(units, limit)| units > limit)
    }
}

/// All figures, and what they are about.
#[derive(Debug)]
pub struct Figures {
    /// By row, each with all programs.
    pub figures: Vec<Figure>,
    /// The programs' names.
    pub programs: Vec<String>,
    /// The captures' names, without their folders.
    pub captures: Vec<String>,
    /// The unit's name and its CPU seconds.
    pub unit: Option<(String, Spread)>,
    /// Packets in the captures.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Runs that counted.
    pub runs: u16,
}

impl Figures {
    /// From what was measured, with the limits of rows.
    pub fn new(bench: &Bench<'_>, measured: &Measured, limits: &[(String, f64)]) -> Self {
        let unit = bench.unit.map(|unit| {
            let cpu = Spread::of(measured.unit.iter().map(|taken| taken.cpu));
            (unit.name.clone(), cpu)
        });
        let mut figures = Vec::new();
        for (row, programs) in bench.rows.iter().zip(&measured.rows) {
            let net: Vec<Vec<f64>> = programs.iter().map(net_cpu).collect();
            figures.extend(programs.iter().enumerate().map(|(program, runs)| {
                let mut figure = figure(row.name, row.title, program, &net, &runs.whole);
                let start = |part: fn(&Taken) -> f64| median(&runs.start, part);
                figure.start = start(|taken| taken.cpu);
                figure.elapsed -= start(|taken| taken.elapsed);
                let less = |whole: Option<f64>, at_start: Option<f64>| Some(whole? - at_start?);
                figure.instructions = less(figure.instructions, instructions(&runs.start));
                figure.cycles = less(figure.cycles, cycles(&runs.start));
                if figure.cpu.middle > 0.0 {
                    figure.packet_rate = Some(measured.packets as f64 / figure.cpu.middle);
                    figure.bit_rate = Some(measured.bytes as f64 * 8.0 / figure.cpu.middle);
                }
                figure
            }));
            if row.loads() {
                let net: Vec<Vec<f64>> =
                    programs.iter().map(|runs| runs.start.iter().map(|taken| taken.cpu).collect()).collect();
                let loading = |(program, runs): (usize, &Runs)| {
                    figure(LOADING, "loading the rules", program, &net, &runs.start)
                };
                figures.extend(programs.iter().enumerate().map(loading));
            }
        }
        for figure in &mut figures {
            figure.units = unit.as_ref().map(|(_, unit)| figure.cpu.middle / unit.middle);
            figure.limit = limits.iter().find(|(row, _)| row == figure.row).map(|(_, limit)| *limit);
        }
        Self {
            figures,
            programs: bench.programs.iter().map(|program| program.name.clone()).collect(),
            captures: bench.captures.iter().map(|path| file_name(path)).collect(),
            unit,
            packets: measured.packets,
            bytes: measured.bytes,
            runs: bench.runs,
        }
    }

    /// Returns the figures of this program that are over their limit.
    pub fn over_limit(&self) -> Vec<&Figure> {
        self.figures.iter().filter(|figure| figure.program == 0 && figure.is_over_limit()).collect()
    }

    /// Whether the captures are too short to tell much.
    pub fn is_short(&self) -> bool {
        self.figures.iter().any(|figure| figure.packet_rate.is_some() && figure.cpu.middle < SHORT)
    }

    /// Whether the processor's counters were to be had.
    pub fn has_counts(&self) -> bool {
        self.figures.iter().all(|figure| figure.instructions.is_some())
    }
}

/// A figure of these runs, with nothing taken off but from `net`, the CPU seconds by program.
fn figure(
    row: &'static str,
    title: &'static str,
    program: usize,
    net: &[Vec<f64>],
    runs: &[Taken],
) -> Figure {
    let own = net.get(program).map(Vec::as_slice).unwrap_or_default();
    let first = net.first().filter(|_| program > 0);
    let ratios: Option<Vec<f64>> =
        first.map(|first| own.iter().zip(first).map(|(own, first)| own / first).collect());
    Figure {
        row,
        title,
        program,
        cpu: Spread::of(own.iter().copied()),
        units: None,
        elapsed: median(runs, |taken| taken.elapsed),
        start: 0.0,
        memory: runs.iter().map(|taken| taken.memory).fold(0.0, f64::max),
        packet_rate: None,
        bit_rate: None,
        instructions: instructions(runs),
        cycles: cycles(runs),
        ratio: ratios.as_ref().map(|ratios| Spread::of(ratios.iter().copied())),
        ratio_interval: ratios.as_ref().and_then(|ratios| median_interval(ratios)),
        limit: None,
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// CPU seconds of each run, without those of start-up.
fn net_cpu(runs: &Runs) -> Vec<f64> {
    let start = median(&runs.start, |taken| taken.cpu);
    runs.whole.iter().map(|taken| taken.cpu - start).collect()
}

fn median(runs: &[Taken], part: impl Fn(&Taken) -> f64) -> f64 {
    Spread::of(runs.iter().map(part)).middle
}

fn instructions(runs: &[Taken]) -> Option<f64> {
    let counts: Option<Vec<f64>> = runs.iter().map(|taken| Some(taken.counts?.instructions)).collect();
    Some(Spread::of(counts?).middle)
}

fn cycles(runs: &[Taken]) -> Option<f64> {
    let counts: Option<Vec<f64>> = runs.iter().map(|taken| Some(taken.counts?.cycles)).collect();
    Some(Spread::of(counts?).middle)
}
