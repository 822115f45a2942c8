//! A line of `rules.json`: everything about one rule.

use std::borrow::Cow;

use weir_base::{Direction, JsonWriter};
use weir_rules::value::{IntegerMatch, comma_list};
use weir_rules::{Quotes, RuleOption};

use super::content::ContentView;
use super::dependencies::Dependencies;
use super::matches::{Notes, write_checks};
use super::subject::{Literal, Subject, keyword_name};
use super::{engines, names, options};
use crate::model::buffer::Check;
use crate::model::hook::Hook;
use crate::model::signature::{PrefilterPlace, Signature, Subjects, Target};

/// Said of `pcre` with the flag `B`.
const RAW_BYTES: &str = "'/B' (rawbytes) option is a no-op and is silently ignored";

/// Appends the rule as one JSON object, without an end of line.
pub fn write_rule(signature: &Signature, dependencies: &Dependencies, out: &mut Vec<u8>) {
    let subject = Subject::new(signature);
    let literal = subject.literal();
    let mut notes = Notes::new();
    let mut json = JsonWriter::new(out);
    json.open_object();
    write_identity(&mut json, &subject);
    write_list(&mut json, "requirements", &requirements(&subject));
    json.string("type", signature.kind.name());
    write_hook(&mut json, signature);
    write_dependencies(&mut json, signature, dependencies);
    write_list(&mut json, "flags", &flags(&subject, literal.as_ref()));
    engines::write_packet_engines(&mut json, &subject, literal.as_ref(), &mut notes);
    engines::write_frame_engines(&mut json, &subject, literal.as_ref(), &mut notes);
    if subject.is_transactional() {
        engines::write(&mut json, &subject, literal.as_ref(), &mut notes);
    }
    write_lists(&mut json, &subject, literal.as_ref(), &mut notes);
    write_prefilter(&mut json, &subject, literal.as_ref());
    notes.extend(subject.options().iter().filter(|option| has_raw_bytes(option)).map(|_| RAW_BYTES));
    if !notes.is_empty() {
        write_list(&mut json, "notes", &notes);
    }
    json.close_object();
}

fn write_identity(json: &mut JsonWriter<'_>, subject: &Subject<'_>) {
    let info = &subject.signature.info;
    json.string("raw", info.text.as_bytes());
    json.unsigned("id", info.sid);
    json.unsigned("gid", info.gid);
    json.unsigned("rev", info.rev);
    json.string("msg", info.msg.as_bytes());
    json.string("app_proto", names::rule_protocol(subject));
}

/// Where the rule says that it is looked at, and what it decides there as a rule of the firewall.
fn write_hook(json: &mut JsonWriter<'_>, signature: &Signature) {
    if let Some(hook) = signature.head.hook {
        let name = match hook {
            Hook::Packet(hook) => hook.name(),
            Hook::State(state) => {
                signature.head.app_protocols.first().map_or("", |protocol| state.name(protocol))
            }
        };
        json.string("hook", name);
    }
    if let Some(rule) = &signature.head.firewall {
        json.object("firewall");
        json.string("table", rule.table.name());
        json.string("action", signature.head.action.name());
        json.string("scope", signature.head.scope.map_or("", |scope| scope.name()));
        json.close_object();
    }
}

fn write_list(json: &mut JsonWriter<'_>, key: &str, words: &[&'static str]) {
    json.array(key);
    for word in words {
        json.push_string(word);
    }
    json.close_array();
}

fn write_dependencies(json: &mut JsonWriter<'_>, signature: &Signature, dependencies: &Dependencies) {
    let Some(upstream) = dependencies.upstream(signature.index) else { return };
    json.object("dependencies");
    json.object("flowbits");
    json.object("upstream");
    json.object("state_modifying_rules");
    json.array("sids");
    for sid in &upstream.sids {
        json.push_unsigned(*sid);
    }
    json.close_array();
    json.array("names");
    for name in &upstream.names {
        json.push_string(name);
    }
    json.close_array();
    for _ in 0..4 {
        json.close_object();
    }
}

/// Requirements on a packet for the rule to be looked at.
fn requirements(subject: &Subject<'_>) -> Vec<&'static str> {
    let signature = subject.signature;
    let packet = subject.packet_options();
    let named = |names: &[&str]| packet.iter().any(|option| names.contains(&keyword_name(option)));
    let sizes = packet.iter().find(|option| option.name == "dsize").map(|option| payload_needed(option));
    let has_payload = !signature.checks.payload.is_empty() && !subject.is_transactional();
    let flow = !signature.head.app_protocols.is_empty()
        || subject.is_transactional()
        || named(&["flow", "flowbits", "flowint", "app-layer-event"])
        || packet.iter().any(|option| option.name.starts_with("flow."));
    let tcp_flags = packet.iter().find(|o| keyword_name(o) == "tcp.flags").map(|o| flag_letters(o));
    let tcp_flags = tcp_flags.unwrap_or_default();
    let sources = sources(subject);
    let all = [
        (has_payload || sizes == Some(Some(true)), "payload"),
        (sizes == Some(Some(false)), "no_payload"),
        (flow, "flow"),
        (tcp_flags.contains(['S', 'R', 'F']), "tcp_flags_init_deinit"),
        (tcp_flags.contains(['U', 'E', 'C', '1', '2']), "tcp_flags_unusual"),
        (named(&["decode-event", "stream-event", "engine-event", "app-layer-event"]), "engine_event"),
        (sources == (true, false), "real_pkt"),
    ];
    all.into_iter().filter(|(holds, _)| *holds).map(|(_, name)| name).collect()
}

/// Whether `dsize` asks for a payload or for none, where it asks for one of them.
fn payload_needed(option: &RuleOption) -> Option<bool> {
    let text = option.argument(false, Quotes::Optional).ok()?.text;
    match IntegerMatch::<u16>::parse(&text).ok()? {
        IntegerMatch::Equal(size) => Some(size > 0),
        IntegerMatch::NotEqual(0) | IntegerMatch::Greater(_) | IntegerMatch::Between(..) => Some(true),
        IntegerMatch::GreaterOrEqual(size) => (size > 0).then_some(true),
        _ => None,
    }
}

/// The letters of `tcp.flags` before the comma.
fn flag_letters(option: &RuleOption) -> String {
    let Ok(argument) = option.argument(false, Quotes::Optional) else { return String::new() };
    let first = comma_list(&argument.text).into_iter().next();
    first.map(|letters| letters.to_ascii_uppercase()).unwrap_or_default()
}

/// Whether the rule asks for single packets, and whether for the stream.
fn sources(subject: &Subject<'_>) -> (bool, bool) {
    let signature = subject.signature;
    let (protocols, trace) = (&signature.head.protocols, &signature.trace);
    let packet = trace.subjects.contains(Subjects::PACKET) || protocols.packet_only;
    let stream = trace.subjects.contains(Subjects::STREAM) || protocols.stream_only;
    if packet || stream || signature.checks.payload.is_empty() || !protocols.has(6) {
        return (packet, stream);
    }
    let anchored = signature.checks.payload.iter().enumerate().any(|(position, check)| match check {
        Check::Content(content) => {
            let first = ContentView::at(&signature.checks.payload, position, None);
            content.offset.is_some()
                || content.depth.is_some()
                || first.is_some_and(|view| view.within_is_depth() || view.distance_is_offset())
        }
        _ => false,
    });
    let sized = subject.packet_options().iter().any(|option| option.name == "stream_size");
    (anchored || sized, true)
}

fn flags(subject: &Subject<'_>, literal: Option<&Literal>) -> Vec<&'static str> {
    let signature = subject.signature;
    let has = |name: &str| subject.options().iter().any(|option| keyword_name(option) == name);
    let directions = signature.directions();
    let (packet, stream) = sources(subject);
    let negated = literal.and_then(|literal| subject.content(literal)).is_some_and(|c| c.negated);
    let bits = |option: &&RuleOption| {
        keyword_name(option) == "flowbits"
            && options::flowbits(option).is_some_and(|(command, _)| command == "isset")
    };
    let all = [
        (signature.head.source.addresses.is_any(), "src_any"),
        (signature.head.destination.addresses.is_any(), "dst_any"),
        (signature.head.source.ports.is_any(), "sp_any"),
        (signature.head.destination.ports.is_any(), "dp_any"),
        (signature.effects.no_alert, "noalert"),
        (has("dsize"), "dsize"),
        (names::rule_protocol(subject) != "unknown", "applayer"),
        (packet, "need_packet"),
        (stream, "need_stream"),
        (negated, "negated_mpm"),
        (subject.packet_options().iter().any(bits), "need_flowvar"),
        (has("filestore"), "filestore"),
        (directions[Direction::ToServer], "toserver"),
        (directions[Direction::ToClient], "toclient"),
        (has("tls.store"), "tlsstore"),
        (has("bypass"), "bypass"),
        (literal.is_some() || subject.prefilter_option().is_some(), "prefilter"),
        (signature.info.target == weir_rules::Target::SrcIp, "src_is_target"),
        (signature.info.target == weir_rules::Target::DestIp, "dst_is_target"),
    ];
    all.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect()
}

/// Opens one of the objects of `lists`.
fn with_list(json: &mut JsonWriter<'_>, name: &str, write: impl FnOnce(&mut JsonWriter<'_>)) {
    json.object(name);
    json.array("matches");
    write(json);
    json.close_array();
    json.close_object();
}

fn write_lists(
    json: &mut JsonWriter<'_>,
    subject: &Subject<'_>,
    literal: Option<&Literal>,
    notes: &mut Notes,
) {
    let signature = subject.signature;
    json.object("lists");
    if !subject.packet_options().is_empty() {
        with_list(json, "packet", |json| options::write_packet(json, subject));
    }
    if !signature.checks.payload.is_empty() && !subject.is_transactional() {
        let mpm = subject.literal_in(literal, &PrefilterPlace::Payload);
        with_list(json, "payload", |json| write_checks(json, &signature.checks.payload, mpm, notes));
    }
    if let Some(decoded) = decoded_checks(signature) {
        with_list(json, "base64_data", |json| write_checks(json, decoded, None, notes));
    }
    if !signature.trace.post.is_empty() {
        with_list(json, "postmatch", |json| options::write_post(json, subject));
    }
    let rates = options::rates(subject);
    if !rates.is_empty() {
        with_list(json, "threshold", |json| {
            rates.iter().for_each(|option| options::write_option(json, option));
        });
    }
    json.close_object();
}

/// The checks on what `base64_decode` decodes.
fn decoded_checks(signature: &Signature) -> Option<&[Check]> {
    let lists = signature.checks.lists();
    lists.flatten().find_map(|check| match check {
        Check::Base64Decode(decode) if !decode.checks.is_empty() => Some(decode.checks.as_slice()),
        _ => None,
    })
}

fn write_prefilter(json: &mut JsonWriter<'_>, subject: &Subject<'_>, literal: Option<&Literal>) {
    if let Some(option) = subject.prefilter_option() {
        json.object("prefilter");
        json.string("buffer", "packet");
        json.string("name", keyword_name(option));
        json.close_object();
        return;
    }
    let Some(literal) = literal else { return };
    let Some(view) =
        ContentView::at(subject.checks(&literal.place), literal.position, Some(literal.position))
    else {
        return;
    };
    json.object("mpm");
    json.string("buffer", &*buffer_name(subject, literal));
    view.write(json);
    json.close_object();
}

/// The name of the list that a literal stands in.
pub(super) fn buffer_name<'a>(subject: &Subject<'_>, literal: &Literal) -> Cow<'a, str> {
    match literal.place {
        PrefilterPlace::Payload => "payload".into(),
        PrefilterPlace::Buffer(index) => match subject.signature.checks.buffers.get(index) {
            Some(buffer) if matches!(buffer.target, Target::Frame(_)) => engines::frame_name(buffer).into(),
            Some(buffer) => names::buffer(buffer.name).into(),
            None => "unknown".into(),
        },
    }
}

/// Whether the option is a regular expression with the flag `B`.
fn has_raw_bytes(option: &RuleOption) -> bool {
    let flags = option.value.as_ref().and_then(|value| value.rsplit_once('/')).map(|(_, flags)| flags);
    option.name == "pcre" && flags.is_some_and(|flags| flags.contains('B'))
}
