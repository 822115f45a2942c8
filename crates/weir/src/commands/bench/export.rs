//! Runs in the JSON of hyperfine (`--export-json` there), for the scripts that plot and compare it.

use serde_json::{Value, json};
use weir_lab::statistics::{mean_and_deviation, median};

use super::process::Taken;

/// Runs of a command.
#[derive(Debug)]
pub struct Timed<'a> {
    /// Command line, or what stands for it.
    pub command: String,
    /// Its runs, all of which ended well.
    pub runs: &'a [Taken],
}

/// Returns the runs of commands; times are seconds by the clock.
pub fn hyperfine(commands: &[Timed<'_>]) -> Value {
    json!({ "results": commands.iter().map(result).collect::<Vec<_>>() })
}

fn result(timed: &Timed<'_>) -> Value {
    let all = |part: fn(&Taken) -> f64| timed.runs.iter().map(part).collect::<Vec<f64>>();
    let times = all(|run| run.elapsed);
    let (mean, deviation) = mean_and_deviation(&times);
    json!({
        "command": timed.command,
        "mean": mean,
        "stddev": (times.len() > 1).then_some(deviation),
        "median": median(times.clone()),
        "user": mean_and_deviation(&all(|run| run.user)).0,
        "system": mean_and_deviation(&all(|run| run.system)).0,
        "min": times.iter().copied().fold(f64::INFINITY, f64::min),
        "max": times.iter().copied().fold(0.0, f64::max),
        "times": times,
        "memory_usage_byte": all(|run| run.memory).iter().map(|bytes| *bytes as u64).collect::<Vec<u64>>(),
        "exit_codes": vec![0; timed.runs.len()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_that_readers_know() {
        let run = |elapsed| Taken { elapsed, user: 0.5, system: 0.25, memory: 2e6, ..Taken::default() };
        let runs = [run(1.0), run(3.0)];
        let found = hyperfine(&[
            Timed { command: "a".to_owned(), runs: &runs },
            Timed { command: "b".to_owned(), runs: &runs[..1] },
        ]);
        let first = &found["results"][0];
        assert_eq!((first["mean"].as_f64(), first["median"].as_f64()), (Some(2.0), Some(2.0)));
        assert_eq!(first["stddev"].as_f64(), Some(std::f64::consts::SQRT_2));
        assert_eq!((first["min"].as_f64(), first["max"].as_f64()), (Some(1.0), Some(3.0)));
        assert_eq!((first["user"].as_f64(), first["system"].as_f64()), (Some(0.5), Some(0.25)));
        assert_eq!(first["times"].as_array().map(Vec::len), Some(2));
        assert!(found["results"][1]["stddev"].is_null());
    }
}
