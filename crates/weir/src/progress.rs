//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use weir_engine::Position;

/// A bar on standard error, or nothing.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar where `wanted`.
    pub fn new(wanted: bool) -> Self {
        let bar = wanted.then(|| {
            let bar = ProgressBar::new(0);
            let template = "{msg:20!} {wide_bar} {percent:>3}%  {per_sec}  {eta}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
    }

    /// Moves the bar.
    pub fn show(&mut self, position: &Position<'_>) {
        let Some(bar) = &self.bar else { return };
        bar.set_message(position.name.to_owned());
        if let Some(size) = position.size {
            bar.set_length(size);
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
        if let Ok(style) = ProgressStyle::with_template("{msg:40!} {wide_bar} {pos:>4} of {len}  {eta}") {
            bar.set_style(style);
        }
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
