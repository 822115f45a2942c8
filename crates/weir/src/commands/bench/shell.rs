//! `--shell`: any commands beside each other, as a shell runs them, in turns.

use std::process::{Command, Stdio};

use weir_lab::report::{Cell as PageCell, Chart, Look as ChartLook, Part, Series, Table as PageTable};
use weir_lab::statistics::{Interval, mean_and_deviation, median, median_interval};

use super::export::Timed;
use super::process::{Scratch, Taken, take};
use super::table::{Cell, Look, Table, Tone};
use crate::progress::Steps;

/// Commands that were measured.
#[derive(Debug)]
pub struct Shell {
    commands: Vec<String>,
    runs: Vec<Vec<Taken>>,
}

impl Shell {
    /// Runs each command once to warm up, then so many times.
    pub fn measure(commands: &[String], runs: u16) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let steps = Steps::new(commands.len() * (usize::from(runs) + 1));
        let mut found = vec![Vec::new(); commands.len()];
        for round in 0..=runs {
            let mut turn: Vec<_> = commands.iter().zip(&mut found).collect();
            if round % 2 == 1 {
                turn.reverse();
            }
            for (line, runs) in turn {
                steps.next(line);
                let mut command = Command::new("/bin/sh");
                command.args(["-c", line]).stdout(Stdio::null());
                let taken = take(&mut command, scratch.path(), &[0])?;
                runs.extend((round > 0).then_some(taken));
            }
        }
        Ok(Self { commands: commands.to_vec(), runs: found })
    }

    /// Returns the commands with their runs.
    pub fn timed(&self) -> Vec<Timed<'_>> {
        let all = self.commands.iter().zip(&self.runs);
        all.map(|(command, runs)| Timed { command: command.clone(), runs }).collect()
    }

    /// Time of a command as a part of the first one's in the same round.
    fn ratio(&self, at: usize) -> Option<(f64, Option<Interval>)> {
        let (own, first) = (self.runs.get(at)?, self.runs.first().filter(|_| at > 0)?);
        let ratios: Vec<f64> =
            own.iter().zip(first).map(|(own, first)| own.elapsed / first.elapsed).collect();
        Some((median(ratios.clone()), median_interval(&ratios)))
    }

    /// Returns the table.
    pub fn text(&self, look: Look) -> String {
        let head = ["", "mean s", "σ", "median s", "CPU s", "memory", "ratio"];
        let mut table = Table::new(head.into_iter().map(Into::into).collect());
        for (at, (command, runs)) in self.commands.iter().zip(&self.runs).enumerate() {
            let times = elapsed(runs);
            let (mean, deviation) = mean_and_deviation(&times);
            let cpu = mean_and_deviation(&runs.iter().map(|run| run.cpu).collect::<Vec<_>>()).0;
            let memory = runs.iter().map(|run| run.memory).fold(0.0, f64::max);
            table.line(vec![
                command.clone().into(),
                format!("{mean:.4}").into(),
                format!("{deviation:.4}").into(),
                format!("{:.4}", median(times)).into(),
                format!("{cpu:.4}").into(),
                format!("{:.0} MB", memory / 1e6).into(),
                self.ratio(at).map_or_else(|| "".into(), |(ratio, interval)| cell(ratio, interval)),
            ]);
        }
        let runs = self.runs.first().map_or(0, Vec::len);
        let opening =
            if runs == 1 { "One run of each".to_owned() } else { format!("{runs} runs of each, in turns") };
        format!(
            "{opening}, by the clock.\n\n{}\nRatios are to the first command; in brackets is the interval that holds the \
             true one with a confidence of 95 % (bootstrap).\n",
            table.text(look)
        )
    }

    /// Returns the parts of a page.
    pub fn parts(&self) -> Vec<Part> {
        let spread = |runs: &Vec<Taken>| mean_and_deviation(&elapsed(runs));
        let rows = self.commands.iter().zip(&self.runs).enumerate().map(|(at, (command, runs))| {
            let (mean, deviation) = spread(runs);
            let ratio = self.ratio(at);
            let end = |end: fn(Interval) -> f64| {
                ratio
                    .and_then(|(_, interval)| interval)
                    .map_or(PageCell::Empty, |interval| PageCell::Number(end(interval)))
            };
            vec![
                command.as_str().into(),
                mean.into(),
                deviation.into(),
                ratio.map_or(PageCell::Empty, |(ratio, _)| PageCell::Number(ratio)),
                end(|interval| interval.low),
                end(|interval| interval.high),
            ]
        });
        let column = |title: &str, unit: &str| (title.to_owned(), unit.to_owned());
        let table = PageTable {
            title: "Commands".to_owned(),
            note: "Seconds by the clock; ratios to the first command, with the interval of 95 %.".to_owned(),
            columns: vec![
                column("command", ""),
                column("mean [s]", "number"),
                column("σ [s]", "number"),
                column("ratio", "number"),
                column("at least", "number"),
                column("at most", "number"),
            ],
            rows: rows.collect(),
        };
        let points = (0..).zip(&self.runs).map(|(at, runs)| (f64::from(at), spread(runs).0)).collect();
        let chart = Chart {
            title: "Time by command".to_owned(),
            note: "The lines are one standard deviation each way.".to_owned(),
            look: ChartLook::Bars,
            across: "command".to_owned(),
            upward: "time [s]".to_owned(),
            words: self.commands.clone(),
            series: vec![Series {
                name: "mean".to_owned(),
                points,
                errors: self.runs.iter().map(|runs| spread(runs).1).collect(),
            }],
        };
        vec![Part::Table(table), Part::Chart(chart)]
    }
}

fn elapsed(runs: &[Taken]) -> Vec<f64> {
    runs.iter().map(|run| run.elapsed).collect()
}

fn cell(ratio: f64, interval: Option<Interval>) -> Cell {
    let Some(Interval { low, high }) = interval else { return format!("{ratio:.3}").into() };
    let tone = match () {
        () if high < 1.0 => Tone::Good,
        () if low > 1.0 => Tone::Bad,
        () => Tone::Usual,
    };
    Cell::new(format!("{ratio:.3} [{low:.3}, {high:.3}]"), tone)
}
