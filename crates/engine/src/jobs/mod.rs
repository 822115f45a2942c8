//! Captures that clients of the control socket hand in (`--unix-socket`), read one after the other.
//!
//! The first thread of the program serves clients. Each capture is a run of its own on another thread, with the rules
//! that are in force when it begins and logs in a folder of its own; nothing but datasets outlives it. A capture that
//! cannot be read ends its own run, and no other.
//!
//! Limit: [`MAX_WAITING`] captures wait.

pub mod follow;
pub(crate) mod questions;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Instant, UNIX_EPOCH};

use crossbeam_channel::Sender;
use weir_base::Duration;

use self::follow::Follow;
use self::questions::Question;
use crate::control::Control;
use crate::control::commands::{self, Context, Run};
use crate::progress::Progress;
use crate::reading;
use crate::reload::Reloads;
use crate::requests::Requests;
use crate::run::{Engine, EngineError, Holding, Inputs, ReadFiles};

/// Most captures that wait.
const MAX_WAITING: usize = 1 << 16;

/// Longest wait for clients, where nothing is read, and where something is.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOK_SOON: Duration = Duration::from_millis(5);

/// Module of log lines.
const MODULE: &str = "unix-manager";

/// A capture, or a folder of them, and the folder for its logs.
#[derive(Debug)]
pub(crate) struct Job {
    /// The capture, as it was handed in.
    pub(crate) name: String,
    pub(crate) log_folder: PathBuf,
    pub(crate) files: ReadFiles,
    pub(crate) follow: Option<Follow>,
    /// The tenant that it is of as a whole.
    pub(crate) tenant: Option<u32>,
}

/// A job that is being done.
struct Running {
    name: String,
    requests: Requests,
    ask: Sender<Question>,
    thread: JoinHandle<()>,
}

/// The jobs that wait, and the one that is being done.
#[derive(Default)]
pub(crate) struct Jobs {
    waiting: VecDeque<Job>,
    running: Option<Running>,
    /// Last change of the file that was read last, in milliseconds since 1970; zero before the first one.
    last_change: Arc<AtomicU64>,
}

impl Jobs {
    /// Takes a job; the error is a sentence.
    pub(crate) fn add(&mut self, job: Job) -> Result<(), String> {
        if self.waiting.len() >= MAX_WAITING {
            return Err(format!("{MAX_WAITING} captures wait already"));
        }
        self.waiting.push_back(job);
        Ok(())
    }

    /// Names of those that wait, in order.
    pub(crate) fn waiting(&self) -> impl ExactSizeIterator<Item = &str> {
        self.waiting.iter().map(|job| job.name.as_str())
    }

    /// Name of the one that is being done.
    pub(crate) fn current(&self) -> Option<&str> {
        self.running.as_ref().map(|running| running.name.as_str())
    }

    /// Last change of the file that was read last, in milliseconds since 1970.
    pub(crate) fn last_change(&self) -> u64 {
        self.last_change.load(Ordering::Relaxed)
    }

    /// Ends the one that is being done.
    pub(crate) fn interrupt(&self) {
        if let Some(running) = &self.running {
            running.requests.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Has it open its logs anew.
    pub(crate) fn reopen(&self) {
        if let Some(running) = &self.running {
            running.requests.reopen.store(true, Ordering::Relaxed);
        }
    }

    /// The way to ask the one that is being done.
    pub(crate) fn ask(&self) -> Option<&Sender<Question>> {
        self.running.as_ref().map(|running| &running.ask)
    }

    fn is_idle(&self) -> bool {
        self.running.is_none() && self.waiting.is_empty()
    }

    /// Goes on to the next job where the one before has ended.
    fn progress(&mut self, engine: &Engine) {
        if self.running.as_ref().is_some_and(|running| running.thread.is_finished()) {
            self.await_end(engine);
        }
        if self.running.is_none()
            && let Some(job) = self.waiting.pop_front()
        {
            engine.log.notice(MODULE, &format!("Starting run for '{}'", job.name));
            match self.start(engine, job) {
                Ok(running) => self.running = Some(running),
                Err(error) => engine.log.error(MODULE, &error.to_string()),
            }
        }
    }

    fn start(&self, engine: &Engine, job: Job) -> Result<Running, EngineError> {
        let mut run = engine.beside(&job.log_folder)?;
        let (ask, questions) = questions::way();
        run.questions = Some(questions);
        run.choose_tenant(job.tenant)?;
        let requests = run.requests.clone();
        let files = Inputs::files(vec![PathBuf::from(&job.name)]);
        let inputs = Inputs { files: job.files, follow: job.follow, ..files };
        let last_change = Arc::clone(&self.last_change);
        let work = move || {
            let outcome = run.run_once(&inputs, &mut |step| {
                if let Progress::Done(file) = step
                    && let Some(change) = last_change_of(file)
                {
                    last_change.store(change, Ordering::Relaxed);
                }
            });
            match outcome {
                // Told while it was read.
                Ok(_) | Err(EngineError::Input(_)) => {}
                Err(error) => run.log.error(MODULE, &error.to_string()),
            }
        };
        let thread = std::thread::Builder::new().name("job".to_owned()).spawn(work);
        Ok(Running { name: job.name, requests, ask, thread: thread.map_err(EngineError::Thread)? })
    }

    /// Waits for the end of the job, and forgets what rules kept of its traffic.
    fn await_end(&mut self, engine: &Engine) {
        let Some(running) = self.running.take() else { return };
        if running.thread.join().is_err() {
            let what = "failed, and its logs are not complete. This is a defect: please report it.";
            engine.log.error(MODULE, &format!("The run for {} {what}", running.name));
        }
        engine.parts.rulesets().for_each(|ruleset| ruleset.forget_traffic());
    }
}

/// Last change of a file in milliseconds since 1970.
fn last_change_of(file: &Path) -> Option<u64> {
    let changed = std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok()?;
    u64::try_from(changed.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

impl Engine {
    /// Reads a capture that is a tenant's as a whole, if one is named.
    fn choose_tenant(&mut self, id: Option<u32>) -> Result<(), EngineError> {
        let Some(tenants) = &self.parts.tenants else { return Ok(()) };
        if let Some(id) = id.filter(|id| tenants.tenant(*id).is_none()) {
            return Err(EngineError::Tenants(format!("A capture is not read: its tenant {id} is gone.")));
        }
        self.parts.tenants = Some(Arc::new(tenants.for_capture(id)));
        Ok(())
    }

    /// Does what clients of the control socket ask for until it is to stop: reads captures, above all. `progress` is
    /// called now and then.
    pub fn serve(mut self, progress: &mut dyn FnMut(&Progress<'_>)) -> Result<(), EngineError> {
        let mut control = Control::required(&self.settings, &self.log)?;
        let sockets = vec![control.path()];
        self.give_rights_away(&Holding { sockets, ..Holding::default() })?;
        let (started, requests, log) = (Instant::now(), self.requests.clone(), Arc::clone(&self.log));
        let (mut jobs, mut reloads) = (Jobs::default(), Reloads::new(Vec::new()));
        let mut reloading = false;
        while !requests.stops() {
            progress(&Progress::Serving);
            let busy = !jobs.is_idle() || reloads.is_under_way();
            control.serve(if busy { LOOK_SOON } else { LOOK_EVERY }, &mut |request| {
                let (engine, reloads, run) = (&mut self, &mut reloads, Run::Jobs(&mut jobs));
                commands::answer(request, &mut Context { engine, reloads, started, run })
            });
            reading::heed(&requests, &log, &|| jobs.reopen());
            if requests.take_reload() {
                reloading = true;
                progress(&Progress::Reloading);
                reloads.ask(&self);
            }
            reloads.progress(&mut self, &mut None, Duration::ZERO);
            if reloading && !reloads.is_under_way() {
                reloading = false;
                progress(&Progress::Reloaded);
            }
            jobs.progress(&self);
        }
        log.notice("suricata", "Signal Received.  Stopping engine.");
        progress(&Progress::Stopping);
        jobs.interrupt();
        jobs.await_end(&self);
        for sentence in self.parts.rulesets().flat_map(|ruleset| ruleset.datasets.save()) {
            log.error("datasets", &sentence);
        }
        self.parts.rulesets().for_each(|ruleset| std::mem::forget(Arc::clone(ruleset)));
        Ok(())
    }
}
