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
