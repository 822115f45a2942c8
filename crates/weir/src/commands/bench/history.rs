//! A line of JSON for each measurement, to keep.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::figures::{Figure, Figures};

/// Adds the figures to a file as one line.
pub fn add(path: &Path, figures: &Figures) -> io::Result<()> {
    let mut line = line(figures).to_string();
    line.push('\n');
    OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
}

fn line(figures: &Figures) -> Value {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let rows: Vec<Value> = figures.figures.iter().map(|figure| row(figure, &figures.programs)).collect();
    json!({
        "time": time,
        "version": env!("CARGO_PKG_VERSION"),
        "captures": figures.captures,
        "packets": figures.packets,
        "bytes": figures.bytes,
        "runs": figures.runs,
        "unit": figures.unit.as_ref().map(|(name, _)| name),
        "unit_cpu": figures.unit.as_ref().map(|(_, cpu)| cpu.middle),
        "figures": rows,
    })
}

/// Seconds are CPU seconds unless named otherwise, memory is in bytes.
fn row(figure: &Figure, programs: &[String]) -> Value {
    json!({
        "row": figure.row,
        "program": programs.get(figure.program),
        "cpu": figure.cpu.middle,
        "cpu_low": figure.cpu.low,
        "cpu_high": figure.cpu.high,
        "units": figure.units,
        "limit": figure.limit,
        "elapsed": figure.elapsed,
        "start": figure.start,
        "memory": figure.memory,
        "packets_per_second": figure.packet_rate,
        "bits_per_second": figure.bit_rate,
        "instructions": figure.instructions,
        "cycles": figure.cycles,
        "ratio": figure.ratio.map(|ratio| ratio.middle),
        "ratio_low": figure.ratio_interval.map(|interval| interval.low),
        "ratio_high": figure.ratio_interval.map(|interval| interval.high),
    })
}
