//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use weir_engine::{LivePosition, Position, Progress as Step, WorkerPosition};

/// Progress of a file of known length.
const KNOWN_LENGTH: &str = "{msg:20!} {wide_bar} {percent:>3}%  {binary_bytes_per_sec}  {eta}";
/// Progress of a pipe or a compressed file.
const UNKNOWN_LENGTH: &str = "{msg:20!} {spinner} {binary_bytes} read  {binary_bytes_per_sec}  {elapsed}";

/// Listening on interfaces.
const LISTENING: &str = "{wide_msg}";

/// Packets and bits a second, open flows, alerts, and packets lost, of all workers and of each.
pub fn live_line(position: &LivePosition<'_>) -> String {
    let all = |of: &[WorkerPosition], value: fn(&WorkerPosition) -> u64| of.iter().map(value).sum::<u64>();
    let seconds = position.since.as_secs_f64();
    let rate = |value: fn(&WorkerPosition) -> u64| {
        let more = all(position.workers, value).saturating_sub(all(position.before, value));
        if seconds > 0.0 { more as f64 / seconds } else { 0.0 }
    };
    let lost = all(position.workers, |worker| worker.dropped);
    let each: Vec<String> = position.workers.iter().map(|worker| worker.dropped.to_string()).collect();
    let by_worker = if lost > 0 && each.len() > 1 { format!(" ({})", each.join(" ")) } else { String::new() };
    format!(
        "{:.0} packets/s  {:.1} Mbit/s  {} flows  {} alerts  {lost} lost{by_worker}",
        rate(|worker| worker.packets),
        rate(|worker| worker.bytes) * 8.0 / 1e6,
        all(position.workers, |worker| worker.flows),
        all(position.workers, |worker| worker.alerts),
    )
}

/// The look of a bar for a source of so many bytes. Nobody knows how far a pipe or a compressed file is: only how much
/// came.
fn template(size: Option<u64>) -> &'static str {
    if size.is_some() { KNOWN_LENGTH } else { UNKNOWN_LENGTH }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A bar on standard error, or nothing.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar where `wanted`.
    pub fn new(wanted: bool) -> Self {
        let bar = wanted.then(|| {
            let bar = ProgressBar::no_length();
            bar.set_style(style(template(None)));
            bar
        });
        Self { bar }
    }

    /// Shows how a run gets on.
    pub fn show(&mut self, step: &Step<'_>) {
        match step {
            Step::Read(position) => self.move_bar(position),
            Step::Done(_) | Step::Serving | Step::Reloading | Step::Reloaded | Step::Stopping => {}
            Step::Live(position) => self.tell(position),
        }
    }

    /// Replaces the line about listening.
    fn tell(&mut self, position: &LivePosition<'_>) {
        let Some(bar) = &self.bar else { return };
        bar.set_style(style(LISTENING));
        bar.set_message(live_line(position));
        bar.tick();
    }

    /// Moves the bar.
    fn move_bar(&mut self, position: &Position<'_>) {
        let Some(bar) = &self.bar else { return };
        bar.set_message(position.name.to_owned());
        if bar.length() != position.size {
            bar.set_style(style(template(position.size)));
            match position.size {
                Some(size) => bar.set_length(size),
                None => bar.unset_length(),
            }
        }
        bar.set_position(position.bytes);
    }

    /// Takes the bar away.
    pub fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// A bar of steps that are much alike, on standard error where that is a terminal.
pub struct Steps {
    bar: ProgressBar,
}

impl Steps {
    /// For so many steps.
    pub fn new(count: usize) -> Self {
        let bar = ProgressBar::new(count as u64);
        bar.set_style(style("{msg:40!} {wide_bar} {pos:>4} of {len}  {eta}"));
        Self { bar }
    }

    /// The step that begins.
    pub fn next(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.inc(1);
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_listening_gets_on() {
        let worker = |packets, dropped| WorkerPosition {
            packets,
            bytes: packets * 1000,
            flows: 2,
            alerts: 1,
            dropped,
        };
        let (before, since) = ([worker(100, 0), worker(200, 0)], std::time::Duration::from_secs(2));
        for (workers, expected) in [
            ([worker(300, 0), worker(600, 0)], "300 packets/s  2.4 Mbit/s  4 flows  2 alerts  0 lost"),
            ([worker(100, 5), worker(200, 2)], "0 packets/s  0.0 Mbit/s  4 flows  2 alerts  7 lost (5 2)"),
        ] {
            let position = LivePosition { workers: &workers, before: &before, since };
            assert_eq!(live_line(&position), expected);
        }
        let first = LivePosition { workers: &[worker(9, 9)], before: &[], since: std::time::Duration::ZERO };
        assert!(live_line(&first).ends_with("9 lost"));
    }

    #[test]
    fn only_what_has_a_length_has_a_share() {
        let mut progress = Progress { bar: Some(ProgressBar::hidden()) };
        for size in [None, Some(1 << 21), None] {
            progress.show(&Step::Read(Position { name: "-", bytes: 1 << 20, size }));
            let bar = progress.bar.as_ref().expect("a bar");
            assert_eq!((bar.position(), bar.length()), (1 << 20, size));
            assert_eq!(template(size).contains("{percent"), size.is_some());
            assert!(size.is_some() || template(size).contains("{binary_bytes} read"));
        }
    }
}
