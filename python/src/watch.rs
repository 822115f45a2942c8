//! Work that Python waits for: without its lock, and so that Ctrl-C ends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::error;

/// How often signals are looked for.
pub const LOOK: Duration = Duration::from_millis(50);

/// What a thread that works sends.
enum Message<T, M> {
    Told(M),
    Done(T),
}

/// Tells of progress, from any thread of the work.
pub struct Teller<T, M>(Sender<Message<T, M>>);

impl<T, M> Teller<T, M> {
    /// Tells.
    pub fn tell(&self, what: M) {
        // Nobody listens any more once Python was interrupted.
        let _ = self.0.send(Message::Told(what));
    }
}

/// Does work on a thread of its own. A signal, or an exception of `told`, sets `stop` and is returned when the work has ended.
pub fn work<T: Send + 'static, M: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    mut told: impl FnMut(M) -> PyResult<()>,
    work: impl FnOnce(&Teller<T, M>) -> T + Send + 'static,
) -> PyResult<T> {
    let mut receiver = begin(work);
    let mut interrupted = None;
    loop {
        let said = match py.detach(|| receiver.next()) {
            Ok(Message::Done(done)) => return interrupted.map_or(Ok(done), Err),
            Ok(Message::Told(what)) if interrupted.is_none() => told(what),
            Ok(Message::Told(_)) => Ok(()),
            Err(RecvTimeoutError::Timeout) => py.check_signals(),
            Err(RecvTimeoutError::Disconnected) => return Err(failed()),
        };
        if let Err(error) = said {
            stop.store(true, Ordering::Relaxed);
            interrupted.get_or_insert(error);
        }
    }
}

/// Does work that changes nothing on a thread of its own. At a signal nobody waits for it any longer.
pub fn look<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let mut receiver = begin::<T, ()>(|_| work());
    loop {
        match py.detach(|| receiver.next()) {
            Ok(Message::Done(done)) => return Ok(done),
            Ok(Message::Told(())) => {}
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(failed()),
        }
    }
}

/// What a thread that works has to say.
struct Said<T, M>(Receiver<Message<T, M>>);

impl<T, M> Said<T, M> {
    fn next(&mut self) -> Result<Message<T, M>, RecvTimeoutError> {
        self.0.recv_timeout(LOOK)
    }
}

fn begin<T: Send + 'static, M: Send + 'static>(
    work: impl FnOnce(&Teller<T, M>) -> T + Send + 'static,
) -> Said<T, M> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let teller = Teller(sender);
        let done = work(&teller);
        let _ = teller.0.send(Message::Done(done));
    });
    Said(receiver)
}

/// The thread is gone without an answer.
fn failed() -> PyErr {
    error("The work ended before its time: this is a fault of Weir.")
}
