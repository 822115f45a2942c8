//! Triggers of `when`: conditions that are looked at again until they hold or time is over.

use std::rc::Rc;

use super::Engine;
use super::fiber::{Exit, Fault, Fiber, Outcome, Wait};
use crate::code::Target;
use crate::values::{FunctionValue, Value};

/// Most triggers that wait.
const MOST: usize = 1 << 16;

/// A trigger.
pub struct Trigger {
    number: u64,
    /// Condition, body and timeout with what they captured.
    function: Rc<FunctionValue>,
    /// When it times out.
    until: Option<f64>,
    /// The condition has called something that is not ready.
    waiting: Option<(Fiber, Wait)>,
    /// Nobody waits for its value where it returns none.
    returns: bool,
    is_over: bool,
    /// A handler that called a function that waits.
    is_handler: bool,
}

impl Engine {
    /// Adds a trigger; its condition is looked at once at once. Returns its number.
    pub(super) fn add_trigger(&mut self, function: u32, captures: Vec<Value>, returns: bool) -> Outcome<u64> {
        if self.triggers.len() >= MOST {
            return Err(self.fail("too many triggers of \"when\" wait"));
        }
        self.trigger_number += 1;
        let number = self.trigger_number;
        let function = Rc::new(FunctionValue { function, captures: captures.into() });
        let mut until = None;
        if let Some(delay) = self.entry_of(&function, 2) {
            let code = self.code_of(&function);
            if let Some(code) = code {
                let value = self.run_entry(&code, delay, &[], Some(function.clone()))?;
                until = Some(self.timeout_base() + value.double());
            }
        }
        let trigger =
            Trigger { number, function, until, waiting: None, returns, is_over: false, is_handler: false };
        self.triggers.push(trigger);
        if self.is_running && !returns {
            let place = self.triggers.len() - 1;
            self.try_trigger(place)?;
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
        self.trigger_number += 1;
        if let Wait::Trigger(wanted) = wait {
            self.trigger_waiters.insert(wanted, self.trigger_number);
        }
        let function = Rc::new(FunctionValue { function: u32::MAX, captures: Vec::new().into() });
        self.triggers.push(Trigger {
            number: self.trigger_number,
            function,
            until: None,
            waiting: Some((fiber, wait)),
            returns: false,
            is_over: false,
            is_handler: true,
        });
    }

    /// Looks at all triggers, and again at those that got what they waited for.
    pub(super) fn try_triggers(&mut self) -> Outcome<()> {
        loop {
            let mut place = 0;
            while place < self.triggers.len() {
                self.try_trigger(place)?;
                place += 1;
            }
            let Self { triggers, trigger_waiters, .. } = self;
            triggers.retain(|trigger| {
                if trigger.is_over {
                    trigger_waiters.remove(&trigger.number);
                }
                !trigger.is_over
            });
            let is_ready = |trigger: &Trigger| matches!(trigger.waiting, Some((_, Wait::Ready(_))));
            if !self.triggers.iter().any(is_ready) {
                return Ok(());
            }
        }
    }

    fn try_trigger(&mut self, place: usize) -> Outcome<()> {
        let Some(trigger) = self.triggers.get_mut(place) else { return Ok(()) };
        if trigger.is_over {
            return Ok(());
        }
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
                trigger.is_over = true;
                return Ok(());
            }
            None => None,
        };
        let (number, function) = (trigger.number, trigger.function.clone());
        let mut fiber = match fiber {
            Some(fiber) => fiber,
            None => {
                let Some(code) = self.code_of(&function) else { return Ok(()) };
                let mut fiber = Fiber::default();
                fiber.enter(code, &[], function.function, Some(function));
                fiber
            }
        };
        let result = self.run_counted(&mut fiber);
        self.settle(number, fiber, result)
    }

    /// Takes what running a trigger gave.
    fn settle(&mut self, number: u64, fiber: Fiber, result: Outcome<Exit>) -> Outcome<()> {
        let place = self.triggers.binary_search_by_key(&number, |trigger| trigger.number);
        let Some(trigger) = place.ok().and_then(|place| self.triggers.get_mut(place)) else { return Ok(()) };
        match result {
            Ok(Exit::NotYet) => {}
            Ok(Exit::Waiting(wait)) => {
                if let Wait::Trigger(wanted) = wait {
                    self.trigger_waiters.insert(wanted, number);
                }
                trigger.waiting = Some((fiber, wait));
            }
            Ok(Exit::Done(value)) => {
                trigger.is_over = true;
                if trigger.returns {
                    self.deliver(number, value);
                }
            }
            Ok(Exit::Broke) => trigger.is_over = true,
            Err(Fault::Exit) => return Err(Fault::Exit),
            Err(_) => {
                // Nobody gets a value from a condition or body that ended by an error.
                trigger.is_over = true;
            }
        }
        Ok(())
    }

    /// Gives the value of a trigger to what waits for it.
    fn deliver(&mut self, number: u64, value: Value) {
        let waiter = self.trigger_waiters.remove(&number);
        let place = waiter
            .and_then(|waiter| self.triggers.binary_search_by_key(&waiter, |trigger| trigger.number).ok());
        let waiting = place.and_then(|place| self.triggers.get_mut(place)?.waiting.as_mut());
        if let Some((_, wait)) = waiting
            && matches!(wait, Wait::Trigger(wanted) if *wanted == number)
        {
            *wait = Wait::Ready(value);
        }
    }

    /// Returns when the next trigger times out.
    pub(super) fn next_timeout(&self) -> Option<f64> {
        self.triggers
            .iter()
            .filter(|trigger| !trigger.is_over)
            .filter_map(|trigger| trigger.until)
            .reduce(f64::min)
    }

    /// Ends triggers whose time is over.
    pub(super) fn time_out_triggers(&mut self) -> Outcome<()> {
        let now = self.timeout_base();
        let mut place = 0;
        while let Some(trigger) = self.triggers.get_mut(place) {
            place += 1;
            if trigger.is_over || trigger.until.is_none_or(|until| until > now) {
                continue;
            }
            trigger.until = None;
            trigger.is_over = true;
            let (number, function, returns) = (trigger.number, trigger.function.clone(), trigger.returns);
            trigger.waiting = None;
            let (Some(entry), Some(code)) = (self.entry_of(&function, 1), self.code_of(&function)) else {
                continue;
            };
            match self.run_entry(&code, entry, &[], Some(function)) {
                Ok(value) if returns => self.deliver(number, value),
                Err(Fault::Exit) => return Err(Fault::Exit),
                _ => {}
            }
        }
        Ok(())
    }
}
