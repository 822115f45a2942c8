//! Scripts in Zeek's language beside a run: they are read before it begins, and get its events.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use weir_capture::PacketFilter;
use weir_engine::Requests;
use weir_output::outlet::MessageTaker;
use weir_script::command::Options;
use weir_script::frameworks::files::Knowledge;
use weir_script::traffic::{Demand, Hooks, Lane};
use weir_zeek::{EventSettings, Pace};

/// What scripts are told of files and streams.
pub const KNOWLEDGE: Knowledge = Knowledge {
    recognise: weir_zeek::recognise_type,
    readers: weir_engine::FILE_READERS,
    streams: weir_engine::STREAM_READERS,
};

/// Compiles a filter as it is on Ethernet; what is wrong with it.
fn check_filter(expression: &str) -> Result<(), String> {
    PacketFilter::check_on_ethernet(expression).map_err(|error| error.to_string())
}

/// Scripts that were read and wait for events.
pub struct ScriptLane {
    lane: Lane,
    demand: Demand,
    has_stopped: Arc<AtomicBool>,
}

impl ScriptLane {
    /// Reads scripts and runs `zeek_init`.
    ///
    /// # Errors
    ///
    /// The exit code where nothing is to be run.
    pub fn start(options: Options, requests: &Requests) -> Result<Self, i32> {
        let has_stopped = Arc::new(AtomicBool::new(false));
        let (stop, stopped) = (Arc::clone(&requests.stop), Arc::clone(&has_stopped));
        let asked = Arc::clone(&requests.stop);
        let hooks = Hooks {
            stop: Box::new(move || {
                stopped.store(true, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            }),
            exit: Box::new(|code| std::process::exit(code)),
            is_over: Box::new(move || asked.load(Ordering::Relaxed)),
            knowledge: KNOWLEDGE,
            check_filter,
        };
        let (lane, demand) = Lane::start(options, hooks)?;
        Ok(Self { lane, demand, has_stopped })
    }

    /// Returns what the scripts ask for.
    pub const fn demand(&self) -> &Demand {
        &self.demand
    }

    /// Returns the events that they ask for.
    pub fn events(&self) -> EventSettings {
        EventSettings {
            functions: self.demand.functions.clone(),
            loaded: self.demand.loaded.union(&self.demand.registered).cloned().collect(),
            logs: self.demand.logs.clone(),
            rows: self.demand.rows.clone(),
            taker: MessageTaker(self.lane.taker().into()),
            settings: self.demand.protocols.clone(),
            payload: self.demand.payload,
            packets: self.demand.packets,
            files: self.demand.files,
            pace: if self.demand.waits { Pace::EachPacket } else { Pace::EachSecond },
        }
    }

    /// Returns the scripts whose logs are written, where not all logs are.
    pub fn logged(&self) -> Option<HashSet<String>> {
        self.demand.is_limited.then(|| self.demand.loaded.clone())
    }

    /// Returns whether the scripts ended the run.
    pub fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }

    /// Runs `zeek_done`, when the run is over; the exit code.
    pub fn finish(self) -> i32 {
        self.lane.finish()
    }
}
