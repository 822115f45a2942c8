//! The same views in a terminal, for people on a sensor who came over ssh.
//!
//! What is shown is a [`State`], which [`update`] changes and [`draw::draw`] draws; neither asks nor waits. Questions are asked
//! by the functions of the pages, each in a task of its own, which ends where its answer is not wanted any more.

mod alerts;
mod bytes;
mod common;
mod connection;
mod device;
mod document;
mod draw;
mod help;
mod keys;
mod overview;
mod packets;
mod question;
mod record;
mod records;
mod said;
mod save;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod text;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::runtime::Runtime;
use tokio::task::AbortHandle;

use self::device::Device;
use self::state::{Event, State, update};
use crate::pages::about;
use crate::shared::{Opened, Settings, Shared};

/// Time between two looks of something that turns.
const TICK: Duration = Duration::from_millis(250);

/// Shows records in this program's terminal until somebody quits; the errors are sentences.
pub fn show(settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| format!("Threads cannot be started: {error}."))?;
    let opened = runtime.block_on(Opened::open(settings))?;
    opened.remarks.iter().for_each(|sentence| eprintln!("weir: {sentence}"));
    let failed = |error: std::io::Error| format!("The terminal cannot be used: {error}.");
    let (events, heard) = channel();
    let mut device = Device::open(&events).map_err(failed)?;
    let size = device.terminal.size().map_err(failed)?;
    let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let state = State::new(about::of(&opened.shared), (size.width, size.height), colours);
    let asking = Asking { runtime: &runtime, shared: opened.shared.clone(), events, running: HashMap::new() };
    let done = run(state, &mut device.terminal, asking, &heard);
    drop(device);
    // A question that is being computed is not waited for.
    runtime.shutdown_background();
    done.map_err(|error| format!("The terminal cannot be written to: {error}."))
}

/// Questions that are being computed.
struct Asking<'r> {
    runtime: &'r Runtime,
    shared: Arc<Shared>,
    events: Sender<Event>,
    running: HashMap<u64, AbortHandle>,
}

impl Asking<'_> {
    /// Asks what is wanted, and ends what is not.
    fn follow(&mut self, state: &State) {
        let wanted = state.wanted();
        self.running.retain(|number, task| {
            let keep = wanted.iter().any(|(wanted, _)| wanted == number);
            if !keep {
                task.abort();
            }
            keep
        });
        for (number, question) in wanted {
            self.running.entry(number).or_insert_with(|| {
                let (question, shared, events) = (question.clone(), self.shared.clone(), self.events.clone());
                let task = async move {
                    // Nobody hears it where the program ends.
                    let _ = events.send(Event::Answer(number, question.answer(shared).await));
                };
                self.runtime.spawn(task).abort_handle()
            });
        }
    }
}

/// Draws, and takes what happens, until the program ends.
fn run<B: Backend>(
    mut state: State,
    terminal: &mut Terminal<B>,
    mut asking: Asking<'_>,
    heard: &Receiver<Event>,
) -> Result<(), B::Error> {
    while !state.over {
        asking.follow(&state);
        terminal.draw(|frame| draw::draw(&state, frame))?;
        let event = if asking.running.is_empty() {
            heard.recv().unwrap_or(Event::Stop)
        } else {
            match heard.recv_timeout(TICK) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => Event::Tick,
                Err(RecvTimeoutError::Disconnected) => Event::Stop,
            }
        };
        state = update(state, event);
        // All that happened meanwhile is drawn at once.
        while let Ok(event) = heard.try_recv() {
            state = update(state, event);
        }
    }
    Ok(())
}
