//! Reports of a recording, as a tree for people and as JSON for programs.

use std::fmt::Write;

use weir_base::{Direction, JsonWriter};

use super::attempt::{Attempt, Conclusion, Excerpt, Outcome, Step};
use super::recording::Recording;

/// Most places listed where attempts ended.
const MAX_ENDS: usize = 12;

/// The matches and the `closest` misses, as a tree.
pub fn write_text(recording: &Recording, matches: usize, closest: usize, out: &mut String) {
    for subject in recording.subjects() {
        let _ = writeln!(out, "rule {}: {}", subject.sid, subject.message);
        let _ = writeln!(out, "  {}", subject.text);
    }
    let (attempts, matched) = (recording.attempts, recording.matched);
    let _ = writeln!(out, "looked at {attempts} times, matched {matched} times");
    let mut ends: Vec<(&String, &u64)> = recording.ended_at.iter().collect();
    ends.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (step, count) in ends.iter().take(MAX_ENDS) {
        let _ = writeln!(out, "  {count:>8} ended at {step}");
    }
    for attempt in recording.matches(matches).into_iter().chain(recording.closest(closest)) {
        out.push('\n');
        attempt_text(attempt, out);
    }
}

fn attempt_text(attempt: &Attempt, out: &mut String) {
    let conclusion = match &attempt.conclusion {
        Conclusion::Fired => "FIRED".to_owned(),
        Conclusion::HeldBack(reason) => format!("MATCHED, no alert: held back {reason}"),
        Conclusion::Missed => "missed".to_owned(),
        Conclusion::Waits => "never complete".to_owned(),
    };
    match attempt.packet {
        0 => out.push_str("end of a flow"),
        number => {
            let _ = write!(out, "packet {number}");
        }
    }
    let _ = write!(out, ", {}", attempt.ends);
    if let Some(flow) = attempt.flow {
        let _ = write!(out, ", flow {flow}");
    }
    if let Some(transaction) = attempt.transaction {
        let _ = write!(out, ", transaction {transaction}");
    }
    let _ = writeln!(out, ": {conclusion}");
    for step in &attempt.steps {
        step_text(step, 1, out);
    }
}

fn step_text(step: &Step, depth: usize, out: &mut String) {
    let mark = match step.outcome {
        Outcome::Passed => "ok ",
        Outcome::Failed => "NO ",
        Outcome::Waiting => "…  ",
    };
    let indent = "  ".repeat(depth);
    let _ = write!(out, "{indent}{mark}{}", step.name);
    if !step.found.is_empty() {
        let _ = write!(out, " — {}", step.found);
    }
    out.push('\n');
    let shown = step.bytes.as_ref().filter(|bytes| bytes.length > 0 && step.steps.is_empty());
    if let Some(bytes) = shown {
        let _ = writeln!(out, "{indent}     at {}: {}", bytes.offset, bytes.text());
    }
    for inside in &step.steps {
        step_text(inside, depth + 1, out);
    }
}

/// Writes the recording as one JSON object.
pub fn write_json(recording: &Recording, matches: usize, closest: usize, out: &mut Vec<u8>) {
    let mut json = JsonWriter::new(out);
    json.open_object();
    json.array("rules");
    for subject in recording.subjects() {
        json.open_object();
        json.unsigned("sid", subject.sid);
        json.string("msg", &subject.message);
        json.string("rule", &subject.text);
        json.close_object();
    }
    json.close_array();
    json.unsigned("attempts", recording.attempts);
    json.unsigned("matched", recording.matched);
    json.object("ended_at");
    for (step, count) in &recording.ended_at {
        json.unsigned(step, *count);
    }
    json.close_object();
    json.array("explained");
    for attempt in recording.matches(matches).into_iter().chain(recording.closest(closest)) {
        attempt_json(attempt, &mut json);
    }
    json.close_array();
    json.close_object();
}

fn attempt_json(attempt: &Attempt, json: &mut JsonWriter<'_>) {
    json.open_object();
    json.unsigned("packet", attempt.packet);
    json.text("timestamp", |out| out.extend_from_slice(attempt.time.iso8601().as_bytes()));
    json.string("ends", &attempt.ends);
    let way = if attempt.direction == Direction::ToServer { "to_server" } else { "to_client" };
    json.string("direction", way);
    if let Some(flow) = attempt.flow {
        json.unsigned("flow_id", flow);
    }
    if let Some(transaction) = attempt.transaction {
        json.unsigned("tx_id", transaction);
    }
    json.string("outcome", attempt.conclusion.name());
    if let Conclusion::HeldBack(reason) = &attempt.conclusion {
        json.string("held_back", reason);
    }
    json.unsigned("passed", attempt.passed() as u64);
    steps_json(&attempt.steps, json);
    json.close_object();
}

fn steps_json(steps: &[Step], json: &mut JsonWriter<'_>) {
    json.array("steps");
    for step in steps {
        json.open_object();
        json.string("step", &step.name);
        json.string("outcome", step.outcome.name());
        if !step.found.is_empty() {
            json.string("found", &step.found);
        }
        if let Some(bytes) = &step.bytes {
            excerpt_json(bytes, json);
        }
        if !step.steps.is_empty() {
            steps_json(&step.steps, json);
        }
        json.close_object();
    }
    json.close_array();
}

fn excerpt_json(bytes: &Excerpt, json: &mut JsonWriter<'_>) {
    json.object("bytes");
    json.unsigned("offset", bytes.offset as u64);
    json.unsigned("length", bytes.length as u64);
    json.string("text", bytes.text());
    json.hex("hex", &bytes.bytes);
    json.close_object();
}
