//! `rules_analysis.txt` and `rules_fast_pattern.txt`: the reports for people.

use std::fmt::Write;

use weir_base::Direction;

use super::content::{ContentView, pattern};
use super::names;
use super::rule::buffer_name;
use super::subject::{Subject, keyword_name};
use crate::model::buffer::content::FastPattern;
use crate::model::buffer::{Check, Number};
use crate::model::signature::{Kind, PrefilterPlace, Signature, Subjects, Target};

/// Facts of the engine around the rules, for reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineFacts {
    /// Files are stored (the output `file-store`).
    pub stores_files: bool,
}

const LINE: &str = "-------------------------------------------------------------------";

/// The head of a report written at `date`.
pub fn head(date: &str) -> String {
    format!("{LINE}\nDate: {date}\n{LINE}\n")
}

/// Counts of a rule's checks, as the report has them.
#[derive(Default)]
struct Counts {
    contents: usize,
    buffer_contents: usize,
    regexes: usize,
    buffer_regexes: usize,
}

/// A kind of rules in words.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::IpOnly => "ip only",
        Kind::LikeIpOnly => "like ip only",
        Kind::ProtocolOnly => "PD only",
        Kind::DecoderEvent => "DE only",
        Kind::Packet => "packet inspecting",
        Kind::PacketStream => "packet and stream inspecting",
        Kind::Stream => "stream inspecting",
        Kind::Application => "app-layer inspecting",
        Kind::Transaction | Kind::Frame => "App-layer TX inspecting",
    }
}

/// Describes what a rule looks at, and what is wrong with it.
pub fn analysis(signature: &Signature, facts: EngineFacts) -> String {
    let subject = Subject::new(signature);
    let mut text = format!("== Sid: {} ==\n{}\n", signature.info.sid, signature.info.text);
    let _ = writeln!(text, "    Rule is {}.", kind(signature.kind));
    let has_payload = !signature.checks.payload.is_empty();
    if has_payload && signature.checks.payload_in.contains(Subjects::PACKET) {
        text.push_str("    Rule matches on packets.\n");
    }
    if has_payload && signature.checks.payload_in.contains(Subjects::STREAM) {
        text.push_str("    Rule matches on reassembled stream.\n");
    }
    for buffer in &signature.checks.buffers {
        let _ = writeln!(text, "    Rule matches on {} buffer.", names::buffer(buffer.name));
    }
    let protocol = names::rule_protocol(&subject);
    if protocol != "unknown" {
        let _ = writeln!(text, "    App layer protocol is {protocol}.");
    }
    let counts = count(signature);
    let _ = writeln!(
        text,
        "    Rule contains {} content options, {} http content options, {} pcre options, and {} pcre options with \
         http modifiers.",
        counts.contents, counts.buffer_contents, counts.regexes, counts.buffer_regexes
    );
    if let Some(literal) = subject.literal()
        && let Some(content) = subject.content(&literal)
    {
        let bytes = pattern(content.prefilter_bytes());
        let _ =
            writeln!(text, "    Fast Pattern \"{bytes}\" on \"{}\" buffer.", buffer_name(&subject, &literal));
    } else if let Some(option) = subject.prefilter_option() {
        let _ = writeln!(text, "    Prefilter on: {}.", keyword_name(option));
    } else {
        text.push_str("    No content to use as fast pattern.\n");
    }
    let warnings = warnings(&subject, facts);
    for warning in &warnings {
        let _ = writeln!(text, "    Warning: {warning}");
    }
    if warnings.is_empty() {
        text.push_str("    No warnings for this rule.\n");
    }
    text.push('\n');
    text
}

fn count(signature: &Signature) -> Counts {
    let mut counts = Counts::default();
    for check in &signature.checks.payload {
        match check {
            Check::Content(_) => counts.contents += 1,
            Check::Regex(_) => counts.regexes += 1,
            _ => {}
        }
    }
    for check in signature.checks.buffers.iter().flat_map(|buffer| &buffer.checks) {
        match check {
            Check::Content(_) => counts.buffer_contents += 1,
            Check::Regex(_) => counts.buffer_regexes += 1,
            _ => {}
        }
    }
    counts
}

fn warnings(subject: &Subject<'_>, facts: EngineFacts) -> Vec<String> {
    let signature = subject.signature;
    let mut found = Vec::new();
    let has = |name: &str| subject.options().iter().any(|option| option.name == name);
    if has("filestore") && !facts.stores_files {
        found.push("Rule requires file-store but the output file-store is not enabled.".to_owned());
    }
    let counts = count(signature);
    let contents = counts.contents + counts.buffer_contents;
    if contents == 0 && counts.regexes + counts.buffer_regexes > 0 {
        found.push(
            "Rule uses pcre without a content option present. -Consider adding a content to improve \
             performance of this rule."
                .to_owned(),
        );
    }
    let tcp = signature.head.protocols.has(6) && !signature.head.protocols.all_numbers();
    if tcp && !signature.head.flow.given && contents + counts.regexes + counts.buffer_regexes > 0 {
        found.push(
            "TCP rule without a flow or flags option. -Consider adding flow or flags to improve performance of this \
             rule."
                .to_owned(),
        );
    }
    if counts.contents > 0 && signature.head.app_protocols.iter().any(|protocol| protocol.is_named("http")) {
        found.push(
            "Rule app layer protocol is http, but content options do not have http_* modifiers. -Consider adding \
             http content modifiers."
                .to_owned(),
        );
    }
    let directions = signature.directions();
    if directions[Direction::ToServer]
        && directions[Direction::ToClient]
        && signature.checks.has_transaction_buffers()
        && !signature.head.is_transactional()
    {
        found.push(
            "Rule is inspecting both the request and the response. -Consider adding a direction to `flow`."
                .to_owned(),
        );
    }
    found
}

/// The literal that the prefilter looks for; nothing for a rule without one.
pub fn fast_pattern(signature: &Signature) -> String {
    let subject = Subject::new(signature);
    let mut text = format!("== Sid: {} ==\n{}\n", signature.info.sid, signature.info.text);
    text.push_str("    Fast Pattern analysis:\n");
    if let Some(option) = subject.prefilter_option() {
        let _ = writeln!(text, "        Prefilter on: {}\n", keyword_name(option));
        return text;
    }
    let literal = subject.literal();
    let view = literal
        .as_ref()
        .and_then(|l| Some((l, ContentView::at(subject.checks(&l.place), l.position, Some(l.position))?)));
    let Some((literal, view)) = view else {
        text.push_str("        No content present\n\n");
        return text;
    };
    let content = view.content;
    let matcher = match literal.place {
        PrefilterPlace::Payload => "content".to_owned(),
        PrefilterPlace::Buffer(index) => {
            let transforms = signature.checks.buffers.get(index).map_or(0, |buffer| buffer.transforms.len());
            let packet =
                signature.checks.buffers.get(index).is_some_and(|b| matches!(b.target, Target::Packet(_)));
            let name = buffer_name(&subject, literal);
            match (packet, transforms) {
                (true, _) => format!("{name} (packet)"),
                (false, 0) => name.into_owned(),
                (false, _) => format!("{name} (with transforms)"),
            }
        }
    };
    let _ = writeln!(text, "        Fast pattern matcher: {matcher}");
    let flags = [
        (content.offset.is_some_and(|offset| offset != Number::Value(0)), " Offset"),
        (content.depth.is_some(), " Depth"),
        (content.within.is_some(), " Within"),
        (content.distance.is_some(), " Distance"),
        (content.nocase, " Nocase"),
        (content.negated, " Negated"),
    ];
    let set: String = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| *flag).collect();
    let _ = writeln!(text, "        Flags:{}", if set.is_empty() { " None" } else { &set });
    let yes = |set: bool| if set { "yes" } else { "no" };
    let _ = writeln!(text, "        Fast pattern set: {}", yes(content.fast_pattern.is_some()));
    let only = content.fast_pattern == Some(FastPattern::Only);
    let _ = writeln!(text, "        Fast pattern only set: {}", yes(only));
    match content.fast_pattern {
        Some(FastPattern::Chop { offset, length }) => {
            let _ = writeln!(text, "        Fast pattern chop set: yes");
            let _ = writeln!(text, "        Fast pattern offset, length: {offset}, {length}");
        }
        _ => {
            let _ = writeln!(text, "        Fast pattern chop set: no");
        }
    }
    let _ = writeln!(text, "        Original content: {}", pattern(&content.bytes));
    let _ = writeln!(text, "        Final content: {}\n", pattern(content.prefilter_bytes()));
    text
}
