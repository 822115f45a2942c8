//! The queue of events, timers, and the order of a run without packets.

use std::cmp::Ordering;
use std::rc::Rc;

use super::{Engine, Fault, Outcome};
use crate::values::{FunctionValue, Value};

/// Most events that wait.
const MOST_QUEUED: usize = 1 << 22;

/// An event that waits.
#[derive(Debug)]
pub struct Queued {
    /// The event, by its number.
    pub event: u32,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// When it was raised, or is due.
    pub at: f64,
    /// Metadata that scripts gave.
    pub metadata: Value,
    /// The time of packets for its handlers, where it is of an earlier packet than the one at hand.
    pub moment: Option<f64>,
}

/// An event for later.
#[derive(Debug)]
pub struct Timer {
    /// When.
    pub at: f64,
    /// The order among equal times.
    pub order: u64,
    /// The event.
    pub event: u32,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

/// The greatest is the one that is due first, for heaps.
impl Ord for Timer {
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.total_cmp(&self.at).then(other.order.cmp(&self.order))
    }
}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Timer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timer {}

impl Engine {
    /// Returns the time of packets, or that of the clock where there are none.
    pub fn now(&self) -> f64 {
        self.network_time
    }

    /// Queues an event. Events without handlers are dropped.
    pub fn raise(&mut self, event: u32, arguments: Vec<Value>) {
        if !self.is_heard(event) || self.queue.len() >= MOST_QUEUED {
            return;
        }
        let at = self.network_time;
        self.queue.push_back(Queued { event, arguments, at, metadata: Value::Unset, moment: None });
    }

    /// Has the event that was queued last be handled at the time of an earlier packet.
    pub fn date_last(&mut self, moment: f64) {
        if let Some(queued) = self.queue.back_mut() {
            queued.moment = Some(moment);
            queued.at = moment;
        }
    }

    /// Queues an event by its name; false where nothing handles it.
    pub fn raise_named(&mut self, name: &str, arguments: Vec<Value>) -> bool {
        let Some(number) = self.program.function_named(name) else { return false };
        self.raise(number, arguments);
        self.is_heard(number)
    }

    /// Raises an event after a delay, or at a time.
    pub fn schedule(&mut self, delay: &Value, event: u32, arguments: Vec<Value>) {
        let at = match delay {
            Value::Time(at) => *at,
            other => self.network_time + other.double(),
        };
        if self.is_done {
            return;
        }
        self.timer_order += 1;
        let timer = Timer { at, order: self.timer_order, event, arguments };
        self.timers.push(timer);
    }

    /// Handles events until none waits, or as many rounds of events that raise others as there are for a moment of time.
    /// Triggers are looked at behind each event that was handled.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn drain(&mut self) -> Outcome<()> {
        let mut rounds = self.rounds;
        loop {
            let mut left = if rounds.is_some() { self.queue.len() } else { usize::MAX };
            while left > 0
                && let Some(queued) = self.queue.pop_front()
            {
                left -= 1;
                let clock = self.network_time;
                self.network_time = queued.moment.unwrap_or(clock);
                self.event_time = queued.at;
                let result = self.handle(queued.event, &queued.arguments);
                if queued.moment.is_some() {
                    self.network_time = clock;
                }
                self.event_time = self.network_time;
                result?;
            }
            self.try_triggers()?;
            rounds = rounds.map(|rounds| rounds.saturating_sub(1));
            if self.queue.is_empty() || rounds == Some(0) {
                return Ok(());
            }
        }
    }

    /// Sets the clock, does what is due, and handles the events of it.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn advance(&mut self, now: f64) -> Outcome<()> {
        self.reach(now)?;
        self.drain()
    }

    /// Sets the clock, and does what is due. Events that were scheduled wait, so that their handlers see what the packet of that
    /// time does.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn reach(&mut self, now: f64) -> Outcome<()> {
        if now > self.network_time && self.has_time() {
            self.network_time = now;
        }
        while self.timers.peek().is_some_and(|timer| timer.at <= self.network_time) {
            let Some(timer) = self.timers.pop() else { break };
            self.queue.push_back(Queued {
                event: timer.event,
                arguments: timer.arguments,
                at: timer.at,
                metadata: Value::Unset,
                moment: None,
            });
        }
        self.time_out_triggers()?;
        self.expire_entries()?;
        crate::frameworks::files::expire(self)?;
        crate::frameworks::advance(self);
        Ok(())
    }

    /// Returns when something is due next.
    fn next_due(&self) -> Option<f64> {
        let timer = self.timers.peek().map(|timer| timer.at);
        let trigger = self.next_timeout();
        [timer, trigger, self.next_expiry_due()].into_iter().flatten().reduce(f64::min)
    }

    /// Waits by the clock for what is due, until scripts ask for the end.
    fn wait_for_end(&mut self, keeps_running: bool) -> Outcome<()> {
        while !self.is_terminating && keeps_running {
            let now = crate::clock::now();
            self.advance(now)?;
            if self.is_terminating {
                break;
            }
            let due = if self.queue.is_empty() { self.next_due().unwrap_or(now + 0.1) } else { now };
            let pause = (due - crate::clock::now()).clamp(0.000_1, 0.05);
            crate::clock::sleep(pause);
            self.read_inputs()?;
        }
        Ok(())
    }

    /// Runs all: `zeek_init`, what follows from it, and `zeek_done`.
    ///
    /// # Errors
    ///
    /// Where scripts end the program early; what is open is closed all the same by [`Engine::close`].
    pub fn run_without_packets(&mut self) -> Outcome<()> {
        let keeps_running = self.global("exit_only_after_terminate").is_some_and(|value| value.is_true())
            || self.frameworks.keeps_running();
        // The first of the two is that of `zeek_init`.
        self.rounds = keeps_running.then_some(1);
        self.begin()?;
        self.rounds = keeps_running.then_some(2);
        self.wait_for_end(keeps_running)?;
        self.end()
    }

    /// Returns whether time goes on: scripts may want to set it alone.
    fn has_time(&self) -> bool {
        self.has_packets || self.global("allow_network_time_forward").is_none_or(|value| value.is_true())
    }

    /// Returns whether errors of `zeek_init` end the program, which is said then.
    ///
    /// # Errors
    ///
    /// Where they do.
    fn check_start(&mut self) -> Outcome<()> {
        if self.run_time_errors == 0 || std::env::var_os("ZEEK_ALLOW_INIT_ERRORS").is_some() {
            return Ok(());
        }
        self.report("fatal error", "", "errors occurred while initializing");
        self.exit_code = Some(1);
        Err(Fault::Exit)
    }

    /// Runs `zeek_init`.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn begin(&mut self) -> Outcome<()> {
        self.is_running = true;
        if !self.has_packets && self.has_time() {
            self.network_time = crate::clock::now();
        }
        self.event_time = self.network_time;
        crate::frameworks::begin(self);
        // What the top level has raised waits until the program is ready.
        let waiting = std::mem::take(&mut self.queue);
        self.tell_handled_events();
        if let Some(number) = self.program.function_named("zeek_init") {
            self.handle(number, &[])?;
        }
        self.is_initialised = true;
        let loaded = self.loaded.clone();
        if let Some(number) = self.program.function_named("zeek_script_loaded") {
            for (path, level) in loaded {
                self.handle(number, &[Value::string(path), Value::Count(level as u64)])?;
            }
        }
        if let Some(number) = self.program.function_named("event_queue_flush_point") {
            self.handle(number, &[])?;
        }
        let raised = std::mem::replace(&mut self.queue, waiting);
        self.queue.extend(raised);
        self.drain()?;
        if self.rounds.is_some() {
            self.read_inputs()?;
        } else {
            self.poll_frameworks()?;
        }
        self.check_start()
    }

    /// Tells scripts once that the run is about to end.
    pub fn tell_net_done(&mut self) {
        if !std::mem::replace(&mut self.is_net_done, true) {
            self.raise_named("net_done", vec![Value::Time(self.network_time)]);
        }
    }

    /// Ends a run: what was to come later comes now, then `zeek_done`.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn end(&mut self) -> Outcome<()> {
        self.rounds = None;
        self.drain()?;
        self.tell_net_done();
        self.drain()?;
        crate::frameworks::files::finish(self)?;
        // All timers expire, those of delayed records at once.
        crate::frameworks::log::flush_delayed(self);
        while let Some(timer) = self.timers.pop() {
            self.queue.push_back(Queued {
                event: timer.event,
                arguments: timer.arguments,
                at: timer.at,
                metadata: Value::Unset,
                moment: None,
            });
            if self.timers.is_empty() {
                self.is_done = true;
                self.drain()?;
            }
        }
        self.is_done = true;
        self.poll_frameworks()?;
        self.drain()?;
        if let Some(number) = self.program.function_named("zeek_done") {
            self.handle(number, &[])?;
        }
        self.drain()
    }

    /// Asks for the end; events that are queued already are handled.
    pub fn terminate(&mut self) {
        self.is_terminating = true;
    }

    /// Lets frameworks do what they do between events.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn poll_frameworks(&mut self) -> Outcome<()> {
        self.read_inputs()?;
        self.drain()
    }

    /// Takes in what inputs and files that scripts name have new.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn read_inputs(&mut self) -> Outcome<()> {
        crate::frameworks::poll(self);
        crate::frameworks::files::read_sources(self)
    }

    /// Runs the statements of the top level.
    ///
    /// # Errors
    ///
    /// Where one ends by an error, which was reported.
    pub fn run_top_level(&mut self) -> Outcome<()> {
        let statements = std::mem::take(&mut self.top_statements);
        if statements.is_empty() {
            return Ok(());
        }
        let registers = self.top.registers;
        let code = crate::compile::statements(&mut self.program, &statements, registers);
        match self.run_code(&Rc::new(code)) {
            Ok(_) => Ok(()),
            Err(Fault::Exit) => Err(Fault::Exit),
            Err(fault) => {
                self.report("fatal error", "", "failed to execute script statements at top-level scope");
                Err(fault)
            }
        }
    }

    /// Returns a function's value by its name.
    pub fn function(&self, name: &str) -> Option<Rc<FunctionValue>> {
        let number = self.program.function_named(name)?;
        Some(Rc::new(FunctionValue { function: number, captures: Vec::new().into() }))
    }

    /// Sets a variable, and what hangs on it.
    pub(super) fn set_global(&mut self, number: u32, value: Value) {
        let Some(global) = self.program.globals.get_mut(number as usize) else { return };
        self.triggers.global_changed(number);
        if let (Some(function), Value::Function(new)) = (global.function, &value) {
            let new = new.clone();
            if let Some(known) = self.program.functions.get_mut(function as usize)
                && known.flavor == crate::types::Flavor::Function
                && new.function != function
            {
                known.replaced = Some(new);
            }
        }
        let attributes = global.attributes.clone();
        global.value = value.clone();
        if let (Some(attributes), Value::Table(table)) = (attributes, &value)
            && table.attributes().is_none()
        {
            table.set_attributes(Some(attributes));
            self.watch(table);
        }
    }
}
