//! What the parts of a rule must have to do with each other so that it can ever match: contents that
//! fit the payload's size, that survive the transforms before them, and buffers that lie in the
//! directions the rule speaks of.

use weir_applayer::Transport;
use weir_base::Direction;
use weir_rules::{Rule, SyntaxError};

use crate::builder::RuleBuilder;
use crate::model::buffer::{Check, Content, Number};
use crate::model::script::ScriptPlace;
use crate::model::signature::{BufferMatch, Target};

/// Buffers of which every letter is small.
const LOWERCASE_BUFFERS: &[(&str, &str)] = &[("http.host", "hostname")];

/// Refuses what can never match.
pub(crate) fn check(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let place = &rule.protocol.name;
    if let Some(limit) = builder.payload_limit {
        let needed = required_size(&builder.payload, limit);
        if needed > limit as i64 {
            return Err(place.error(format!(
                "signature can't match as required content length {needed} exceeds dsize value {limit}"
            )));
        }
    }
    for (index, buffer) in builder.buffers.iter().enumerate() {
        let asked = builder.scripts.iter().any(|script| script.place == ScriptPlace::Buffer(index));
        let problem = nothing_said(buffer)
            .filter(|_| !asked)
            .or_else(|| too_long(buffer))
            .or_else(|| transforms_break(buffer))
            .or_else(|| needless_case(builder.info.sid, buffer));
        if let Some(message) = problem {
            return Err(place.error(message));
        }
    }
    Ok(())
}

/// Refuses a rule on frames that looks at something else as well, or at packets that carry none.
pub(crate) fn frames(
    rule: &Rule,
    builder: &RuleBuilder<'_>,
    tcp: bool,
    udp: bool,
) -> Result<(), SyntaxError> {
    let is_frame = |b: &&BufferMatch| matches!(b.target, Target::Frame(_));
    let Some(frame) = builder.buffers.iter().find(is_frame) else { return Ok(()) };
    let place = &rule.protocol.name;
    if place.eq_ignore_ascii_case("tcp-pkt") {
        return Err(place.error("Frames lie in the stream: they are no part of single packets."));
    }
    let other = builder.buffers.iter().any(|b| !is_frame(&b));
    if other || !builder.payload.is_empty() || builder.transaction_event {
        return Err(place.error("A rule that looks at frames can look only at frames."));
    }
    let Target::Frame(rows) = &frame.target else { return Ok(()) };
    let carried = |transport: &Transport| match transport {
        Transport::Tcp => tcp,
        Transport::Udp => udp,
    };
    match rows.iter().find(|row| !row.protocol.transports.iter().any(carried)) {
        Some(row) => {
            let over = if row.protocol.transports.contains(&Transport::Tcp) { "TCP" } else { "UDP" };
            Err(place.error(format!("The frames of {} are sent over {over}.", row.protocol.name)))
        }
        None => Ok(()),
    }
}

fn contents(checks: &[Check]) -> impl Iterator<Item = &Content> + Clone {
    checks.iter().filter_map(|check| match check {
        Check::Content(content) => Some(&**content),
        _ => None,
    })
}

fn written(number: Option<Number>) -> i64 {
    match number {
        Some(Number::Value(value)) => value,
        _ => 0,
    }
}

/// How many bytes the payload must have at least for the contents that follow from one another;
/// `limit` is how many it can have.
fn required_size(checks: &[Check], limit: u64) -> i64 {
    let (mut total, mut farthest) = (0i64, 0i64);
    for (index, content) in contents(checks).enumerate() {
        if index > 0 && !content.is_relative() {
            continue;
        }
        if index > 0 && content.negated {
            // What must be absent somewhere past the payload's end says nothing.
            let reach = total + written(content.distance) + written(content.within);
            if reach > limit as i64 {
                return reach;
            }
            continue;
        }
        total += content.bytes.len() as i64 + written(content.distance);
        farthest = farthest.max(written(content.offset));
    }
    total + farthest
}

/// A buffer that is named, and that nothing is said of.
fn nothing_said(buffer: &BufferMatch) -> Option<String> {
    let empty = buffer.checks.is_empty() && buffer.value.is_none() && buffer.absent.is_none();
    empty.then(|| format!("no matches in sticky buffer {}", buffer.name))
}

/// Contents that do not fit the size that the buffer must have.
fn too_long(buffer: &BufferMatch) -> Option<String> {
    let limit = buffer.checks.iter().filter_map(|check| match check {
        Check::Whole(check) => check.longest(),
        _ => None,
    });
    let limit = limit.min().filter(|_| buffer.transforms.is_empty())?;
    let needed = required_size(&buffer.checks, limit);
    (needed > limit as i64).then(|| {
        format!("signature can't match as required content length {needed} exceeds bsize value {limit}")
    })
}

/// A content that can never stand in what the transforms of its buffer make.
fn transforms_break(buffer: &BufferMatch) -> Option<String> {
    buffer.transforms.iter().find_map(|transform| {
        let possible = transform.possible?;
        let content = contents(&buffer.checks).find(|content| !possible(&content.bytes))?;
        let shown = String::from_utf8_lossy(&content.bytes);
        Some(format!("content string \"{shown}\" incompatible with {} transform", transform.name))
    })
}

/// A content that leaves open, or has large, letters that are small in its buffer.
fn needless_case(sid: u32, buffer: &BufferMatch) -> Option<String> {
    let (name, what) = LOWERCASE_BUFFERS.iter().find(|(name, _)| *name == buffer.name)?;
    let mut contents = contents(&buffer.checks).filter(|_| buffer.transforms.is_empty());
    if contents.clone().any(|content| content.nocase) {
        return Some(format!(
            "rule {sid}: {name} keyword specified along with \"nocase\". The {what} buffer is normalized to \
             lowercase, specifying nocase is redundant."
        ));
    }
    contents.any(|content| content.bytes.iter().any(u8::is_ascii_uppercase)).then(|| {
        format!(
            "rule {sid}: A pattern with uppercase characters detected for {name}. The {what} buffer is \
             normalized to lowercase, please specify a lowercase pattern."
        )
    })
}

/// Whether a buffer can be filled in `direction`.
pub(crate) fn covers(buffer: &BufferMatch, direction: Direction) -> bool {
    match &buffer.target {
        Target::Transaction(rows) => {
            buffer.direction.is_none_or(|only| only == direction)
                && rows.iter().any(|row| row.field.direction.covers(direction))
        }
        Target::Packet(_) | Target::Frame(_) => true,
    }
}

/// Refuses a rule on both directions of a transaction (`=>`) that does not look at both, or does not
/// say at which.
pub(crate) fn both_directions(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let fail = |what: &str| Err(rule.protocol.name.error(format!("rule {} {what}", builder.info.sid)));
    if builder.flow.direction.is_some() {
        return fail("means to use both directions, cannot specify a flow direction");
    }
    let only = |direction: Direction| {
        builder.buffers.iter().any(|b| covers(b, direction) && !covers(b, direction.opposite()))
    };
    if !(only(Direction::ToServer) && only(Direction::ToClient)) {
        return fail("should use both directions, but does not");
    }
    let both = |b: &&BufferMatch| covers(b, Direction::ToServer) && covers(b, Direction::ToClient);
    match builder.buffers.iter().find(both) {
        Some(_) => fail("means to use both directions, cannot have keywords ambiguous about directions"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str, edit: fn(&mut Content)) -> Check {
        let mut content = Content::new(text.as_bytes().to_vec(), false);
        edit(&mut content);
        Check::Content(Box::new(content))
    }

    #[test]
    fn sizes_that_chains_of_contents_need() {
        let cases: [(Vec<Check>, u64, i64); 6] = [
            (
                vec![content("boom", |_| ()), content("loom", |c| c.distance = Some(Number::Value(10)))],
                10,
                18,
            ),
            (
                vec![content("boom", |_| ()), content("loom", |c| c.distance = Some(Number::Value(-10)))],
                10,
                -2,
            ),
            (vec![content("boom", |_| ()), content("elsewhere", |_| ())], 10, 4),
            (vec![content("boom", |c| c.offset = Some(Number::Value(20)))], 10, 24),
            (
                vec![
                    content("abcdef", |_| ()),
                    content("c", |c| {
                        c.negated = true;
                        c.distance = Some(Number::Value(1));
                        c.within = Some(Number::Value(10));
                    }),
                ],
                16,
                17,
            ),
            (Vec::new(), 1, 0),
        ];
        for (index, (checks, limit, expected)) in cases.into_iter().enumerate() {
            assert_eq!(required_size(&checks, limit), expected, "case {index}");
        }
    }
}
