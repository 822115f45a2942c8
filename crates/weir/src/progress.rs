//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use weir_engine::Position;

/// Progress of a file of known length.
const KNOWN_LENGTH: &str = "{msg:20!} {wide_bar} {percent:>3}%  {binary_bytes_per_sec}  {eta}";
/// Progress of a pipe or a compressed file.
const UNKNOWN_LENGTH: &str = "{msg:20!} {spinner} {binary_bytes} read  {binary_bytes_per_sec}  {elapsed}";

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

    /// Moves the bar.
    pub fn show(&mut self, position: &Position<'_>) {
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
    fn only_what_has_a_length_has_a_share() {
        let mut progress = Progress { bar: Some(ProgressBar::hidden()) };
        for size in [None, Some(1 << 21), None] {
            progress.show(&Position { name: "-", bytes: 1 << 20, size });
            let bar = progress.bar.as_ref().expect("a bar");
            assert_eq!((bar.position(), bar.length()), (1 << 20, size));
            assert_eq!(template(size).contains("{percent"), size.is_some());
            assert!(size.is_some() || template(size).contains("{binary_bytes} read"));
        }
    }
}
