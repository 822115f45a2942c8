//! Triggers of `when`: conditions that are looked at again until they hold or time is over.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::Engine;
use super::fiber::{Exit, Fault, Fiber, Outcome, Wait};
use super::watches::{Noted, Watches};
use crate::code::Target;
use crate::types::TypeId;
use crate::values::{FunctionValue, Key, Value};

/// Most triggers that wait.
const MOST: usize = 1 << 16;

/// A trigger.
pub struct Trigger {
    /// Condition, body and timeout with what they captured.
    function: Rc<FunctionValue>,
    /// When it times out.
    until: Option<f64>,
    /// The condition has called something that is not ready.
    waiting: Option<(Fiber, Wait)>,
    /// What the condition has read.
    noted: Noted,
    /// Nobody waits for its value where it returns none.
    returns: bool,
    /// A handler that called a function that waits.
    is_handler: bool,
}

/// All triggers, by their numbers: the order in which they were made.
#[derive(Default)]
pub struct Triggers {
    all: BTreeMap<u64, Trigger>,
    last: u64,
    /// By the number of a trigger that of what waits for its value.
    waiters: HashMap<u64, u64>,
    /// When triggers time out, as bits of positive times, with their numbers.
    timeouts: BTreeSet<(u64, u64)>,
    watches: Watches,
    /// What the condition that runs has read.
    pub(super) noted: Noted,
}

impl Triggers {
    /// Takes in that a variable was set.
    pub(super) fn global_changed(&mut self, number: u32) {
        self.watches.global_changed(number);
    }

    fn add(&mut self, trigger: Trigger) -> u64 {
        self.last += 1;
        if let Some(until) = trigger.until {
            self.timeouts.insert((until.max(0.0).to_bits(), self.last));
        }
        self.all.insert(self.last, trigger);
        self.last
    }

    /// Forgets a trigger; returns the one that waits for its value.
    fn end(&mut self, number: u64) -> Option<u64> {
        let trigger = self.all.remove(&number)?;
        self.watches.forget(number, &trigger.noted);
        if let Some(until) = trigger.until {
            self.timeouts.remove(&(until.max(0.0).to_bits(), number));
        }
        self.waiters.remove(&number)
    }

    /// Whether a trigger that is due got what it waited for.
    fn has_ready(&self) -> bool {
        let is_ready = |trigger: &Trigger| matches!(trigger.waiting, Some((_, Wait::Ready(_))));
        self.watches.due().any(|number| self.all.get(&number).is_some_and(is_ready))
    }
}

impl Engine {
    /// Takes in that a variable was set.
    pub fn global_changed(&mut self, number: u32) {
        self.triggers.global_changed(number);
    }

    /// Notes what a condition reads by an index. Networks and patterns are found by other indices, too.
    pub(super) fn note_entry(&mut self, base: &Value, key: &Value) {
        let of_others = [&[TypeId::SUBNET][..], &[TypeId::PATTERN]];
        match base {
            Value::Table(table)
                if !self
                    .program
                    .types
                    .table_of(table.ty.get())
                    .is_none_or(|(keys, _)| of_others.contains(&&*keys)) =>
            {
                self.triggers.noted.entry(base, Key::hash_of(key));
            }
            other => self.triggers.noted.value(other),
        }
    }

    /// Adds a trigger; its condition is looked at once at once. Returns its number.
    pub(super) fn add_trigger(&mut self, function: u32, captures: Vec<Value>, returns: bool) -> Outcome<u64> {
        if self.triggers.all.len() >= MOST {
            return Err(self.fail("too many triggers of \"when\" wait"));
        }
        let function = Rc::new(FunctionValue { function, captures: captures.into() });
        let mut until = None;
        if let Some(delay) = self.entry_of(&function, 2) {
            let code = self.code_of(&function);
            if let Some(code) = code {
                let value = self.run_entry(&code, delay, &[], Some(function.clone()))?;
                until = Some(self.timeout_base() + value.double());
            }
        }
        let noted = Noted::default();
        let number =
            self.triggers.add(Trigger { function, until, waiting: None, noted, returns, is_handler: false });
        if self.is_running && !returns {
            self.try_trigger(number)?;
        } else {
            self.triggers.watches.wake(number);
        }
        Ok(number)
    }

    fn timeout_base(&self) -> f64 {
        if self.has_packets { self.network_time } else { crate::clock::now() }
    }

    fn code_of(&self, function: &FunctionValue) -> Option<Rc<crate::code::Code>> {
        self.program.functions.get(function.function as usize)?.bodies.first().map(|body| body.code.clone())
    }

    fn entry_of(&self, function: &FunctionValue, which: usize) -> Option<usize> {
        let code = self.code_of(function)?;
        let entry = *code.entries.get(which)?;
        (entry != Target::MAX).then_some(entry as usize)
    }

    /// Keeps a handler that waits.
    pub(super) fn suspend(&mut self, fiber: Fiber, wait: Wait) {
        let function = Rc::new(FunctionValue { function: u32::MAX, captures: Vec::new().into() });
        let number = self.triggers.add(Trigger {
            function,
            until: None,
            waiting: None,
            noted: Noted::default(),
            returns: false,
            is_handler: true,
        });
        self.wait(number, fiber, wait);
    }

    /// Has a trigger wait.
    fn wait(&mut self, number: u64, fiber: Fiber, wait: Wait) {
        match wait {
            Wait::Trigger(wanted) => drop(self.triggers.waiters.insert(wanted, number)),
            Wait::Ready(_) => self.triggers.watches.wake(number),
        }
        if let Some(trigger) = self.triggers.all.get_mut(&number) {
            trigger.waiting = Some((fiber, wait));
        }
    }

    /// Looks at the triggers of which something has changed, and again at those that got what they waited for.
    pub(super) fn try_triggers(&mut self) -> Outcome<()> {
        loop {
            let mut last = 0;
            while let Some(number) = self.triggers.watches.next_after(last) {
                last = number;
                self.try_trigger(number)?;
            }
            if !self.triggers.has_ready() {
                return Ok(());
            }
        }
    }

    fn try_trigger(&mut self, number: u64) -> Outcome<()> {
        let Some(trigger) = self.triggers.all.get_mut(&number) else { return Ok(()) };
        let fiber = match trigger.waiting.take() {
            Some((mut fiber, Wait::Ready(value))) => {
                let into = fiber.frames.last().map_or(0, |frame| frame.awaits);
                fiber.resume(into, value);
                Some(fiber)
            }
            Some(waiting) => {
                trigger.waiting = Some(waiting);
                return Ok(());
            }
            None if trigger.is_handler => {
                self.triggers.end(number);
                return Ok(());
            }
            None => None,
        };
        let function = trigger.function.clone();
        let before = std::mem::take(&mut trigger.noted);
        self.triggers.watches.forget(number, &before);
        // What was read before it waited counts as well.
        let noted = if fiber.is_some() { before } else { Noted::default() };
        let mut fiber = match fiber {
            Some(fiber) => fiber,
            None => {
                let Some(code) = self.code_of(&function) else { return Ok(()) };
                let mut fiber = Fiber::default();
                fiber.enter(code, &[], function.function, Some(function));
                fiber
            }
        };
        let outer = std::mem::replace(&mut self.triggers.noted, noted);
        let result = self.run_counted(&mut fiber);
        let noted = std::mem::replace(&mut self.triggers.noted, outer);
        self.settle(number, fiber, result, noted)
    }

    /// Takes what running a trigger gave.
    fn settle(&mut self, number: u64, fiber: Fiber, result: Outcome<Exit>, noted: Noted) -> Outcome<()> {
        let Some(trigger) = self.triggers.all.get_mut(&number) else { return Ok(()) };
        match result {
            Ok(Exit::NotYet) => {
                self.triggers.watches.register(number, &noted);
                trigger.noted = noted;
            }
            Ok(Exit::Waiting(wait)) => {
                trigger.noted = noted;
                self.wait(number, fiber, wait);
            }
            Ok(Exit::Done(value)) => {
                let returns = trigger.returns;
                if let Some(waiter) = self.triggers.end(number).filter(|_| returns) {
                    self.deliver(waiter, number, value);
                }
            }
            Err(Fault::Exit) => return Err(Fault::Exit),
            // Nobody gets a value from a condition or body that ended by an error.
            Ok(Exit::Broke) | Err(_) => drop(self.triggers.end(number)),
        }
        Ok(())
    }

    /// Gives the value of a trigger to what waits for it.
    fn deliver(&mut self, waiter: u64, number: u64, value: Value) {
        let waiting = self.triggers.all.get_mut(&waiter).and_then(|trigger| trigger.waiting.as_mut());
        if let Some((_, wait)) = waiting
            && matches!(wait, Wait::Trigger(wanted) if *wanted == number)
        {
            *wait = Wait::Ready(value);
            self.triggers.watches.wake(waiter);
        }
    }

    /// Returns when the next trigger times out.
    pub(super) fn next_timeout(&self) -> Option<f64> {
        self.triggers.timeouts.first().map(|(until, _)| f64::from_bits(*until))
    }

    /// Ends triggers whose time is over.
    pub(super) fn time_out_triggers(&mut self) -> Outcome<()> {
        let now = self.timeout_base().max(0.0).to_bits();
        let mut due: Vec<u64> =
            self.triggers.timeouts.range(..=(now, u64::MAX)).map(|(_, number)| *number).collect();
        due.sort_unstable();
        for number in due {
            let Some(trigger) = self.triggers.all.get(&number) else { continue };
            let (function, returns) = (trigger.function.clone(), trigger.returns);
            let waiter = self.triggers.end(number).filter(|_| returns);
            let (Some(entry), Some(code)) = (self.entry_of(&function, 1), self.code_of(&function)) else {
                continue;
            };
            match (self.run_entry(&code, entry, &[], Some(function)), waiter) {
                (Ok(value), Some(waiter)) => self.deliver(waiter, number, value),
                (Err(Fault::Exit), _) => return Err(Fault::Exit),
                _ => {}
            }
        }
        Ok(())
    }
}
