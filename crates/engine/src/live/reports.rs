//! Reports of how the threads get on, made of what all of them answer.

use std::time::Instant;

use crossbeam_channel::Receiver;
use weir_base::Duration;

use super::Listeners;
use crate::progress::{LivePosition, Progress, WorkerPosition};

/// Time between two reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// Reports of how the threads get on.
pub(super) struct Reports {
    due: Instant,
    asked: Option<Receiver<(usize, WorkerPosition)>>,
    answers: Vec<(usize, WorkerPosition)>,
    /// The last report, and when it was made.
    before: Option<(Instant, Vec<WorkerPosition>)>,
}

impl Default for Reports {
    fn default() -> Self {
        Self { due: Instant::now(), asked: None, answers: Vec::new(), before: None }
    }
}

impl Reports {
    /// Makes a report if one is due and all threads have answered.
    pub(super) fn make(&mut self, listeners: &Listeners, progress: &mut dyn FnMut(&Progress<'_>)) {
        let now = Instant::now();
        if let Some(answers) = &self.asked {
            self.answers.extend(answers.try_iter());
            if self.answers.len() == listeners.listeners.len() {
                self.asked = None;
                self.answers.sort_by_key(|(number, _)| *number);
                let workers: Vec<WorkerPosition> = self.answers.drain(..).map(|(_, own)| own).collect();
                let (since, before) = match &self.before {
                    Some((since, before)) => (now - *since, before.as_slice()),
                    None => (Duration::ZERO, &[] as &[_]),
                };
                progress(&Progress::Live(LivePosition { workers: &workers, before, since }));
                self.before = Some((now, workers));
            }
        } else if self.due <= now {
            self.due = now + REPORT_EVERY;
            self.asked = Some(listeners.ask_for_positions());
        }
    }
}
