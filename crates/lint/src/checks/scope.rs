//! Scope of a rule: the traffic that it is evaluated on.

use weir_base::Direction;
use weir_detect::buffer::Check;
use weir_detect::builder::List;
use weir_detect::signature::Target;

use crate::finding::Finding;
use crate::lints;
use crate::subject::Subject;

/// Options that say as much as `flow` about which packets are meant.
const LIKE_FLOW: &[&str] = &["flags", "tcp.flags", "stream_size", "flow.age", "dsize", "seq", "ack"];

fn speaks_http(subject: &Subject<'_>) -> bool {
    subject.compiled.signature.head.app_protocols.iter().any(|protocol| protocol.is_named("http"))
}

/// A buffer of HTTP that both sides fill, where no direction is given.
pub(super) fn both_directions(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let signature = &subject.compiled.signature;
    let directions = signature.directions();
    let both = directions[Direction::ToServer] && directions[Direction::ToClient];
    if !both || signature.head.is_transactional() || !speaks_http(subject) {
        return;
    }
    let fills_both = |target: &Target| match target {
        Target::Transaction(rows) => Direction::BOTH
            .into_iter()
            .all(|direction| rows.iter().any(|row| row.field.direction.covers(direction))),
        _ => false,
    };
    let found = signature.checks.buffers.iter().position(|buffer| fills_both(&buffer.target));
    let Some(index) = found.filter(|_| signature.checks.buffers.iter().all(|b| fills_both(&b.target))) else {
        return;
    };
    let name = signature.checks.buffers.get(index).map_or("", |buffer| buffer.name);
    let option = subject.compiled.places.buffers.get(index).and_then(|at| subject.rule.options.get(*at));
    let span = option.map_or(subject.rule.protocol.name.span(), |option| option.span);
    let message = format!("Requests and responses have `{name}`, and the rule does not say which is meant.");
    findings.push(
        Finding::at(&lints::BOTH_DIRECTIONS_HTTP, subject.rule, span, message)
            .help("add `flow:to_server;` or `flow:to_client;`"),
    );
}

/// A content of the payload in a rule on HTTP.
pub(super) fn raw_content(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    if !speaks_http(subject) {
        return;
    }
    let payload = subject.checks(List::Payload);
    let Some(index) = payload.iter().position(|check| matches!(check, Check::Content(_))) else { return };
    let message = "In a rule on HTTP this content is looked for in the raw bytes of the stream.";
    findings.push(
        Finding::at(&lints::RAW_CONTENT_IN_HTTP, subject.rule, subject.span(List::Payload, index), message)
            .help("put it into a buffer, as `http.uri`, `http.header` or `http.response_body`"),
    );
}

/// Contents alone, from any port to any port.
pub(super) fn any_port(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let signature = &subject.compiled.signature;
    let anywhere = signature.head.source.ports.is_any() && signature.head.destination.ports.is_any();
    let contents = subject.checks(List::Payload).iter().any(|check| matches!(check, Check::Content(_)));
    let narrowed = !signature.head.app_protocols.is_empty()
        || !signature.checks.buffers.is_empty()
        || !signature.checks.packet.is_empty();
    let transport = signature.head.protocols.has(6) || signature.head.protocols.has(17);
    if !anywhere || !contents || narrowed || !transport {
        return;
    }
    let span = subject.rule.source_ports.span();
    let message = "The rule's contents are looked for on every port.";
    findings.push(
        Finding::at(&lints::PORT_ANY_CONTENT_ONLY, subject.rule, span, message)
            .help("name the application protocol (`alert http …`), a port, or a flowbit that is set before"),
    );
}

/// Contents of TCP without `flow`.
pub(super) fn without_flow(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let signature = &subject.compiled.signature;
    let tcp = signature.head.protocols.has(6) && !signature.head.protocols.has(17);
    let bytes = !signature.checks.payload.is_empty();
    let narrowed = subject.rule.options.iter().any(|option| LIKE_FLOW.contains(&option.name.as_str()));
    if !tcp || !bytes || signature.head.flow.given || narrowed {
        return;
    }
    let span = subject.rule.protocol.name.span();
    let message = "The rule looks at the bytes of TCP and does not say in which direction or state.";
    findings.push(
        Finding::at(&lints::CONTENT_WITHOUT_FLOW, subject.rule, span, message)
            .help("add `flow:established,to_server;` or `flow:established,to_client;`"),
    );
}
