//! Rules that are loaded again while the threads listen.

use std::sync::atomic::Ordering;

use weir_base::Duration;

use super::Listeners;
use crate::progress::Progress;
use crate::reload::Reloads;
use crate::run::Engine;
use crate::statistics::Statistics;
use crate::watch::Watch;

/// Rules that are loaded again by themselves, or because a signal asks for that.
pub(super) struct Renewal {
    watch: Option<Watch>,
    /// It was told that rules are being loaded.
    is_told: bool,
}

impl Renewal {
    pub(super) fn new(engine: &Engine) -> Self {
        let watch = engine.options.watch.then(Watch::begin);
        Self { watch, is_told: false }
    }

    /// Begins what was asked for, and goes on with what was begun.
    pub(super) fn go_on(
        &mut self,
        (listeners, statistics): (&Listeners, &mut Statistics<'_>),
        engine: &mut Engine,
        reloads: &mut Reloads,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) {
        let has_changed = self.watch.as_mut().is_some_and(|watch| watch.has_changed(|| engine.sources()));
        if engine.requests.take_reload() || has_changed {
            self.is_told = true;
            progress(&Progress::Reloading);
            reloads.ask(engine);
        }
        if engine.repeats.is_some() && !reloads.is_under_way() {
            reloads.ask_for_recorded(engine, listeners.wanted.load(Ordering::Relaxed));
        }
        let outcome = reloads.progress(engine, &mut Some((listeners, statistics)), Duration::ZERO);
        if engine.repeats.is_some() && outcome.is_some_and(|outcome| outcome.is_err()) {
            // Threads wait for these rules.
            engine.requests.stop.store(true, Ordering::Relaxed);
        }
        if self.is_told && !reloads.is_under_way() {
            self.is_told = false;
            progress(&Progress::Reloaded);
        }
    }
}
