//! Delays: a record waits between the hook of all streams and the filters, until nobody holds it or its time is over.

use std::rc::Rc;

use super::write_to_filters;
use crate::values::{FunctionValue, Opaque, OpaqueValue, RecordValue, Value};
use crate::vm::Engine;

/// Most records that are being written within one another.
const NESTED: usize = 64;

/// A record that is being written: its hook, or what follows a delay, runs.
#[derive(Clone, Debug)]
pub struct Active {
    stream: i64,
    record: Rc<RecordValue>,
    token: u64,
    references: i64,
    callbacks: Vec<Rc<FunctionValue>>,
}

impl Active {
    /// Returns a record that nobody holds.
    pub fn new(stream: i64, record: Rc<RecordValue>) -> Self {
        Self { stream, record, token: 0, references: 0, callbacks: Vec::new() }
    }
}

/// A record that waits.
#[derive(Debug)]
pub struct Delayed {
    active: Active,
    is_wanted: bool,
    until: f64,
}

impl Delayed {
    /// Returns a record behind its hook.
    pub fn new(active: Active, is_wanted: bool) -> Self {
        Self { active, is_wanted, until: 0.0 }
    }
}

/// Runs something within which a record can be delayed; returns its result and the record's state.
pub fn within<R>(
    engine: &mut Engine,
    active: Active,
    run: impl FnOnce(&mut Engine) -> R,
) -> Option<(R, Active)> {
    if engine.frameworks.log.active.len() >= NESTED {
        engine.report("error", "", "records are logged within one another too deeply");
        return None;
    }
    engine.frameworks.log.active.push(active);
    let result = run(engine);
    let active = engine.frameworks.log.active.pop()?;
    Some((result, active))
}

/// Decides what becomes of a record: it waits, or goes to the filters.
pub fn settle(engine: &mut Engine, mut delayed: Delayed) {
    loop {
        if delayed.active.references > 0 {
            enqueue(engine, delayed);
            return;
        }
        if delayed.active.callbacks.is_empty() {
            let Active { stream, record, .. } = &delayed.active;
            write_to_filters(engine, *stream, record, delayed.is_wanted);
            return;
        }
        match after_delay(engine, delayed) {
            Some(next) => delayed = next,
            None => return,
        }
    }
}

/// Calls what waits for the end of a delay; none where it discards the record.
fn after_delay(engine: &mut Engine, delayed: Delayed) -> Option<Delayed> {
    let Delayed { mut active, is_wanted, .. } = delayed;
    let callbacks = std::mem::take(&mut active.callbacks);
    active.references = 0;
    active.token = 0;
    let id = engine.frameworks.log.stream(active.stream)?.id.clone();
    let record = Value::Record(active.record.clone());
    let (is_kept, active) = within(engine, active, |engine| {
        let mut is_kept = true;
        for callback in callbacks {
            let result = engine.call(&callback, &[record.clone(), id.clone()]);
            is_kept &= !matches!(result, Ok(Value::Bool(false)));
        }
        is_kept
    })?;
    is_kept.then(|| Delayed::new(active, is_wanted))
}

fn enqueue(engine: &mut Engine, mut delayed: Delayed) {
    let now = engine.now();
    let Some(stream) = engine.frameworks.log.stream_mut(delayed.active.stream) else { return };
    let id = delayed.active.stream;
    delayed.until = now + stream.max_delay;
    stream.queue.push_back(delayed);
    // The oldest makes room.
    while let Some(stream) = engine.frameworks.log.stream_mut(id)
        && stream.queue.len() > stream.max_queue.max(1)
    {
        let Some(oldest) = stream.queue.pop_front() else { break };
        complete(engine, oldest);
    }
}

fn complete(engine: &mut Engine, mut delayed: Delayed) {
    delayed.active.references = 0;
    settle(engine, delayed);
}

/// Ends delays whose time is over.
pub fn expire(engine: &mut Engine) {
    let now = engine.now();
    let ids: Vec<i64> = engine
        .frameworks
        .log
        .streams
        .iter()
        .filter(|stream| !stream.queue.is_empty())
        .map(|stream| stream.id.int())
        .collect();
    for id in ids {
        while let Some(stream) = engine.frameworks.log.stream_mut(id)
            && stream.queue.front().is_some_and(|delayed| delayed.until <= now)
        {
            let Some(delayed) = stream.queue.pop_front() else { break };
            complete(engine, delayed);
        }
    }
}

/// Ends all delays of a stream.
pub fn flush(engine: &mut Engine, id: i64) {
    let waiting = engine.frameworks.log.stream(id).map_or(0, |stream| stream.queue.len());
    // What is delayed again meanwhile is written once more, not for ever.
    for _ in 0..waiting.saturating_mul(2) {
        let Some(delayed) = engine.frameworks.log.stream_mut(id).and_then(|stream| stream.queue.pop_front())
        else {
            return;
        };
        complete(engine, delayed);
    }
}

/// Returns how many records of a stream wait; none where there is no such stream.
pub fn queued(engine: &Engine, id: i64) -> Option<usize> {
    engine.frameworks.log.stream(id).map(|stream| stream.queue.len())
}

fn token(number: u64) -> Value {
    Value::Opaque(Rc::new(OpaqueValue::new(Opaque::Handle("LogDelayToken", number))))
}

/// `Log::delay`
pub fn delay(engine: &mut Engine, id: i64, record: &Value, callback: Option<Rc<FunctionValue>>) -> Value {
    let manager = &mut engine.frameworks.log;
    let next = manager.tokens + 1;
    let Some(active) = manager.active.last_mut() else {
        engine.report("error", "", "invalid Log::delay() call: outside of Log::log_stream_policy() hook");
        return token(0);
    };
    let is_meant =
        active.stream == id && matches!(record, Value::Record(given) if Rc::ptr_eq(given, &active.record));
    if !is_meant {
        engine.report("error", "", "invalid Log::delay() call: argument mismatch with active Log::write()");
        return token(0);
    }
    if active.token == 0 {
        active.token = next;
        manager.tokens = next;
    }
    active.references += 1;
    active.callbacks.extend(callback);
    token(active.token)
}

/// `Log::delay_finish`
pub fn finish(engine: &mut Engine, id: i64, record: &Value, given: &Value) -> bool {
    let number = match given {
        Value::Opaque(opaque) => match &*opaque.inner.borrow() {
            Opaque::Handle("LogDelayToken", number) => *number,
            _ => 0,
        },
        _ => 0,
    };
    let Value::Record(record) = record else { return false };
    let fault = |active: &Active| {
        if !Rc::ptr_eq(record, &active.record) {
            let addresses = (Rc::as_ptr(record), Rc::as_ptr(&active.record));
            return Some(format!("record mismatch token={number} {:p} and {:p}", addresses.0, addresses.1));
        }
        (active.references <= 0).then(|| format!("delay reference underflow for token={number}"))
    };
    let manager = &mut engine.frameworks.log;
    if let Some(active) = manager.active.iter_mut().find(|active| number > 0 && active.token == number) {
        let fault = fault(active);
        if fault.is_none() {
            active.references -= 1;
        }
        return report(engine, fault);
    }
    let found = manager.stream_mut(id).and_then(|stream| {
        let place = stream.queue.iter().position(|delayed| number > 0 && delayed.active.token == number)?;
        Some((place, stream))
    });
    let Some((place, stream)) = found else {
        engine.report("error", "", "invalid Log::delay_finish() call: invalid token provided");
        return false;
    };
    let Some(delayed) = stream.queue.get_mut(place) else { return false };
    if let Some(fault) = fault(&delayed.active) {
        return report(engine, Some(fault));
    }
    delayed.active.references -= 1;
    if delayed.active.references == 0
        && let Some(delayed) = stream.queue.remove(place)
    {
        complete(engine, delayed);
    }
    true
}

fn report(engine: &mut Engine, fault: Option<String>) -> bool {
    match fault {
        Some(text) => {
            engine.report("error", "", &text);
            false
        }
        None => true,
    }
}
