//! Consistency of a rule's parts, without which it can never match: contents that fit the payload's size, that
//! survive the transforms before them, and buffers that lie in the directions the rule speaks of.

use weir_applayer::{Access, Transport};
use weir_base::Direction;
use weir_rules::{Rule, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::model::buffer::{Check, Content, Longest, Number, Reach};
use crate::model::hook::{Hook, StateHook};
use crate::model::script::ScriptPlace;
use crate::model::signature::{Absent, BufferMatch, LinkProtocol, Subjects, Target};

/// Buffers of which every letter is small.
const LOWERCASE_BUFFERS: &[(&str, &str)] = &[("http.host", "hostname")];

/// Refuses contents and buffers that can never match.
pub(super) fn check(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let place = &rule.protocol.name;
    if let Some(limit) = builder.demands.payload_limit
        && let Some(needed) = exceeding(&builder.checks.payload, limit)
    {
        return Err(place.error(format!(
            "signature can't match as required content length {needed} exceeds dsize value {limit}"
        )));
    }
    for (index, buffer) in builder.checks.buffers.iter().enumerate() {
        let asked = builder.checks.scripts.iter().any(|script| script.place == ScriptPlace::Buffer(index));
        let problem = nothing_said(buffer)
            .filter(|_| !asked)
            .or_else(|| absent_with_others(buffer))
            .or_else(|| too_long(buffer))
            .or_else(|| transforms_break(buffer))
            .or_else(|| needless_case(builder.info.sid, buffer))
            .or_else(|| spaces_of_method(buffer))
            .or_else(|| headers_of_both(builder, buffer));
        if let Some(message) = problem {
            return Err(place.error(message));
        }
    }
    Ok(())
}

/// Refuses a rule on frames that looks at something else as well, or at packets that carry none.
pub(super) fn frames(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let is_frame = |b: &&BufferMatch| matches!(b.target, Target::Frame(_));
    let Some(frame) = builder.checks.buffers.iter().find(is_frame) else { return Ok(()) };
    let place = &rule.protocol.name;
    if place.eq_ignore_ascii_case("tcp-pkt") {
        return Err(place.error("Frames lie in the stream: they are no part of single packets."));
    }
    let of_packets = |b: &BufferMatch| matches!(b.target, Target::Packet(_));
    let mut others = builder.checks.buffers.iter().filter(|b| !is_frame(b)).peekable();
    let mixed = if !builder.checks.payload.is_empty() {
        Some("can't mix pure content and frame inspection")
    } else if others.peek().is_some_and(|b| of_packets(b)) {
        Some("can't mix pkt buffer and frame inspection")
    } else {
        let events = builder.demands.subjects.contains(Subjects::TRANSACTION_EVENT);
        (events || others.peek().is_some()).then_some("can't mix app-layer buffer and frame inspection")
    };
    if let Some(message) = mixed {
        return Err(place.error(message).with_help("a rule that looks at frames can look only at frames"));
    }
    let Target::Frame(rows) = &frame.target else { return Ok(()) };
    let packets = &builder.head.protocols;
    let over = |number| packets.link == LinkProtocol::None && packets.has(number);
    let carried = |transport: &Transport| over(if *transport == Transport::Tcp { 6 } else { 17 });
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

fn written(number: Option<Reach>) -> i64 {
    match number {
        Some(Number::Value(value)) => value.into(),
        _ => 0,
    }
}

/// Returns how many bytes the contents need that follow from one another, where these are more than the `limit`
/// that the buffer can have.
fn exceeding(checks: &[Check], limit: u64) -> Option<i64> {
    let (length, offset) = required_size(checks, limit);
    [length, length + offset].into_iter().find(|needed| *needed > limit as i64)
}

/// Returns how many bytes the buffer must have at least for the contents that follow from one another, and how far
/// from its start they begin; `limit` is how many it can have.
fn required_size(checks: &[Check], limit: u64) -> (i64, i64) {
    let (mut total, mut farthest) = (0i64, 0i64);
    for (index, content) in contents(checks).enumerate() {
        if index > 0 && !content.is_relative() {
            continue;
        }
        if index > 0 && content.negated {
            // What must be absent somewhere past the payload's end says nothing.
            let reach = total + written(content.distance) + written(content.within);
            if reach > limit as i64 {
                return (reach, 0);
            }
            continue;
        }
        total += content.bytes.len() as i64 + written(content.distance);
        farthest = farthest.max(written(content.offset));
    }
    (total, farthest)
}

/// A buffer that is named, and that nothing is said of.
fn nothing_said(buffer: &BufferMatch) -> Option<String> {
    let empty = buffer.checks.is_empty() && buffer.value.is_none() && buffer.absent.is_none();
    empty.then(|| format!("no matches in sticky buffer {}", buffer.name))
}

/// A buffer that must not be there and is looked at, or that may be absent and is not looked at otherwise.
fn absent_with_others(buffer: &BufferMatch) -> Option<String> {
    let absent = buffer.absent?;
    if contents(&buffer.checks).any(|content| content.fast_pattern.is_some()) {
        return Some("signature can't have absent and fast_pattern on the same buffer".into());
    }
    Some(match (absent, buffer.checks.is_empty()) {
        (Absent::Only, false) => {
            "signature can't have a buffer tested absent and tested with other keywords such as content"
                .into()
        }
        (Absent::OrElse, true) => {
            "signature with absent: or_else expects other keywords to test on such as content".into()
        }
        _ => return None,
    })
}

/// Contents that do not fit the size that the buffer must have.
fn too_long(buffer: &BufferMatch) -> Option<String> {
    let mut sizes = buffer.checks.iter().filter_map(|check| match check {
        Check::Whole(check) => check.longest(),
        _ => None,
    });
    match sizes.next()? {
        Longest::Buffer { least, most } => {
            let needed = exceeding(&buffer.checks, most)?;
            let sized = match least {
                Some(least) => format!("range: {least}-{most}"),
                None => format!("value: {most}"),
            };
            Some(format!("signature can't match as required content length {needed} exceeds bsize {sized}"))
        }
        Longest::Content(most) => {
            let long = contents(&buffer.checks).find(|content| content.bytes.len() as u64 > most)?;
            Some(format!("depth or urilen {most} smaller than content len {}", long.bytes.len()))
        }
    }
}

/// A content that can never stand in what the transforms of its buffer make.
fn transforms_break(buffer: &BufferMatch) -> Option<String> {
    buffer.transforms.iter().find_map(|transform| {
        let possible = transform.possible?;
        let mut wanted = contents(&buffer.checks).filter(|content| !content.negated);
        let content = wanted.find(|content| !possible(&content.bytes))?;
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

/// A content that begins or ends with a space or tab, which no method does.
fn spaces_of_method(buffer: &BufferMatch) -> Option<String> {
    let plain = buffer.name == "http.method" && buffer.transforms.is_empty();
    let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    let mut contents = contents(&buffer.checks).filter(|_| plain);
    contents.find_map(|content| match &content.bytes[..] {
        bytes if blank(bytes.last()) => Some("http.method pattern with trailing space or tab".into()),
        bytes if blank(bytes.first()) => Some("http.method pattern with leading space or tab".into()),
        _ => None,
    })
}

/// Headers as they were sent are a request's or a response's: the rule must say whose, unless it only hands them to a
/// script.
fn headers_of_both(builder: &RuleBuilder<'_>, buffer: &BufferMatch) -> Option<String> {
    let state = builder.head.hook.and_then(Hook::state);
    let is_looked_at = buffer.name == "http.header.raw" && !buffer.checks.is_empty();
    let open = is_looked_at && state.is_none() && builder.head.flow.direction.is_none();
    open.then(|| {
        "http.header.raw without a flow direction: use flow:to_server to look at the request's headers or \
         flow:to_client to look at the response's"
            .into()
    })
}

/// Refuses a rule that looks at single packets and at nothing but the stream.
pub(super) fn packet_with_stream(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let packets = &builder.head.protocols;
    let of_packet = packets.packet_only
        || builder.demands.subjects.contains(Subjects::PACKET)
        || builder.checks.buffers.iter().any(|buffer| matches!(buffer.target, Target::Packet(_)));
    if of_packet && (packets.stream_only || builder.head.flow.stream == Some(true)) {
        return Err(rule.protocol.name.error(
            "can't mix packet keywords with tcp-stream or flow:only_stream.  Invalidating signature.",
        ));
    }
    Ok(())
}

/// Refuses a check on a single packet's header beside fields of transactions, which no one packet
/// carries.
pub(super) fn packet_with_state(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let field = builder.checks.buffers.iter().find(|buffer| !matches!(buffer.target, Target::Packet(_)));
    match field {
        Some(field) if builder.demands.subjects.contains(Subjects::PACKET) => Err(rule
            .protocol
            .name
            .error(
                "Signature combines packet specific matches (like dsize, flags, ttl) with stream / state matching \
                 by matching on app layer proto (like using http_* keywords).",
            )
            .with_help(format!("`{}` is no part of a single packet", field.name))),
        _ => Ok(()),
    }
}

/// Refuses fields of transactions in a hook of packets, where no transaction is looked at.
pub(super) fn hook_with_fields(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let (Some(hook), Some(word)) = (builder.head.hook, &rule.protocol.hook) else { return Ok(()) };
    if builder.checks.buffers.iter().any(|buffer| matches!(buffer.target, Target::Frame(_))) {
        return Err(word.error("Frames are looked at when they are there, not in a hook."));
    }
    let hook = match hook {
        Hook::Packet(hook) => hook,
        Hook::State(state) => return hook_with_others(word, state, builder),
    };
    let field = builder.checks.buffers.iter().find(|buffer| matches!(buffer.target, Target::Transaction(_)));
    match field {
        Some(field) => Err(word
            .error(format!(
                "`{}` is no part of a packet: it cannot be looked at in `{}`.",
                field.name,
                hook.name()
            ))
            .with_help(
                "name a state of the protocol in the rule's protocol field, as in `http1:request_line`",
            )),
        None => Ok(()),
    }
}

/// Refuses sticky buffers in a hook that are filled in another state than the hook's.
fn hook_with_others(word: &Spanned, state: StateHook, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let elsewhere = builder.checks.buffers.iter().filter(|buffer| buffer.value.is_none()).find(|buffer| {
        let Target::Transaction(rows) = &buffer.target else { return false };
        let mut here = rows.iter().filter(|row| row.field.direction.covers(state.direction)).peekable();
        here.peek().is_some() && here.all(|row| row.field.ready_at != state.progress)
    });
    match elsewhere {
        Some(buffer) => Err(word
            .error(format!("`{}` is filled in another state than that of the hook.", buffer.name))
            .with_help("name the state in which it is filled, or leave the hook out")),
        None => Ok(()),
    }
}

/// Refuses a rule of HTTP/2 alone that looks at names of files, which HTTP/2 has none of.
pub(super) fn file_names(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let named = |buffer: &BufferMatch| match &buffer.target {
        Target::Transaction(rows) => {
            rows.iter().any(|row| matches!(row.field.access.value(), Access::FileName))
        }
        Target::Packet(_) | Target::Frame(_) => false,
    };
    if rule.protocol.name.eq_ignore_ascii_case("http2") && builder.checks.buffers.iter().any(named) {
        return Err(rule.protocol.name.error("protocol HTTP2 doesn't support file name matching"));
    }
    Ok(())
}

/// Makes the rule's direction agree with its buffers and drops the rows of the other direction.
pub(super) fn settle_direction(rule: &Rule, builder: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    if builder.head.is_transactional() {
        return both_directions(rule, builder);
    }
    if builder.head.flow.direction.is_none() {
        let only_server = builder.checks.buffers.iter().find(|b| !covers(b, Direction::ToClient));
        let only_client = builder.checks.buffers.iter().find(|b| !covers(b, Direction::ToServer));
        match (only_server, only_client) {
            (Some(request), Some(response)) => {
                let message = format!(
                    "rule {} mixes keywords with conflicting directions, a transactional rule with => should be \
                     used",
                    builder.info.sid
                );
                return Err(rule.protocol.name.error(message).with_help(format!(
                    "`{}` is sent by the client, `{}` by the server: write two rules that share a flowbit, or use \
                     `=>` as the direction",
                    request.name, response.name
                )));
            }
            (Some(_), None) => builder.head.flow.direction = Some(Direction::ToServer),
            (None, Some(_)) => builder.head.flow.direction = Some(Direction::ToClient),
            (None, None) => {}
        }
    }
    let Some(direction) = builder.head.flow.direction else { return Ok(()) };
    if let Some(buffer) = builder.checks.buffers.iter().find(|b| !covers(b, direction)) {
        let name = buffer.name;
        let way = if direction == Direction::ToServer { "to_server" } else { "to_client" };
        return Err(rule
            .protocol
            .name
            .error(format!("rule {} mixes keywords with conflicting directions", builder.info.sid))
            .with_help(format!(
                "`{name}` is never filled in the direction that the rule asks for (flow:{way})"
            )));
    }
    for buffer in &mut builder.checks.buffers {
        if let Target::Transaction(rows) = &mut buffer.target {
            rows.retain(|row| row.field.direction.covers(direction));
        }
    }
    Ok(())
}

/// Whether a buffer can be filled in `direction`.
fn covers(buffer: &BufferMatch, direction: Direction) -> bool {
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
fn both_directions(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let fail = |what: &str| Err(rule.protocol.name.error(format!("rule {} {what}", builder.info.sid)));
    if builder.head.flow.direction.is_some() {
        return fail("means to use both directions, cannot specify a flow direction");
    }
    let only = |direction: Direction| {
        builder.checks.buffers.iter().any(|b| covers(b, direction) && !covers(b, direction.opposite()))
    };
    if !(only(Direction::ToServer) && only(Direction::ToClient)) {
        return fail("should use both directions, but does not");
    }
    let both = |b: &&BufferMatch| covers(b, Direction::ToServer) && covers(b, Direction::ToClient);
    match builder.checks.buffers.iter().find(both) {
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
        let cases: [(Vec<Check>, u64, (i64, i64)); 6] = [
            (
                vec![content("boom", |_| ()), content("loom", |c| c.distance = Some(Number::Value(10)))],
                10,
                (18, 0),
            ),
            (
                vec![content("boom", |_| ()), content("loom", |c| c.distance = Some(Number::Value(-10)))],
                10,
                (-2, 0),
            ),
            (vec![content("boom", |_| ()), content("elsewhere", |_| ())], 10, (4, 0)),
            (vec![content("boom", |c| c.offset = Some(Number::Value(20)))], 10, (4, 20)),
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
                (17, 0),
            ),
            (Vec::new(), 1, (0, 0)),
        ];
        for (index, (checks, limit, expected)) in cases.into_iter().enumerate() {
            assert_eq!(required_size(&checks, limit), expected, "case {index}");
        }
    }
}
