//! Events: what the decoder, the stream engine and protocol parsers found odd.

use std::sync::Arc;

use weir_applayer::{Access, Anomaly, Field, FlowEvent, Progress, Protocol, Transaction, TransactionCheck};
use weir_base::{Direction, nearest};
use weir_packet::DecodeEvent;
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::{FieldRow, PacketCheck, Subjects, ValueMatch};
use crate::model::view::PacketView;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "decode-event",
        [
            "decode-event:<event>;",
            "The decoder found this in the packet.",
            "decode-event:ipv4.opt_duplicate;",
        ],
        |option, rule| {
            let name = option.argument(false, Quotes::Optional)?.text;
            decode_event(rule, &name)
        },
    ),
    Keyword::new(
        "stream-event",
        [
            "stream-event:<event>;",
            "The stream engine found this in the packet.",
            "stream-event:reassembly_overlap_different_data;",
        ],
        |option, rule| {
            let name = option.argument(false, Quotes::Optional)?.text;
            stream_event(rule, &name)
        },
    ),
    Keyword::new(
        "engine-event",
        [
            "engine-event:decoder.<event>|stream.<event>;",
            "The decoder or the stream engine found this in the packet.",
            "engine-event:decoder.udp.len_invalid;",
        ],
        |option, rule| {
            let name = option.argument(false, Quotes::Optional)?.text;
            if name.starts_with("stream.") { stream_event(rule, &name) } else { decode_event(rule, &name) }
        },
    ),
    Keyword::new(
        "app-layer-event",
        [
            "app-layer-event:<protocol>.<event>|applayer_<event>;",
            "A protocol's parser found this in the transaction, or detection of the protocol found it in the flow.",
            "app-layer-event:http.request_header_invalid;",
        ],
        app_layer_event,
    ),
];

/// Number of TCP among the IP protocols.
const TCP: u8 = 6;

/// Number of UDP among the IP protocols.
const UDP: u8 = 17;

/// `decode-event`
struct DecoderEvent(DecodeEvent);

impl PacketCheck for DecoderEvent {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        view.facts.packet.events.contains(self.0)
    }

    fn observed(&self, view: &PacketView<'_>) -> Option<String> {
        let names: Vec<&str> = view.facts.packet.events.iter().map(|event| event.full_name()).collect();
        Some(format!(
            "the packet's events: {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        ))
    }

    fn event(&self) -> Option<&str> {
        Some(self.0.full_name())
    }
}

fn decode_event(rule: &mut RuleBuilder<'_>, name: &Spanned) -> Result<(), SyntaxError> {
    let Some(event) = DecodeEvent::by_name(name) else {
        let short = name.strip_prefix("decoder.").unwrap_or(name);
        return Err(name.error(format!("unknown decode event \"decoder.{short}\"")));
    };
    if event.is_retired() {
        rule.retire(
            name.error(format!("decode-event keyword no longer supports event \"{}\"", event.full_name())),
        );
    }
    rule.push_packet_check(DecoderEvent(event));
    Ok(())
}

/// `stream-event`: the name without `stream.` before it.
struct StreamEvent(Box<str>);

impl PacketCheck for StreamEvent {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        view.facts.stream_events.iter().any(|event| **event == *self.0)
    }

    fn observed(&self, view: &PacketView<'_>) -> Option<String> {
        let names = view.facts.stream_events;
        Some(format!(
            "the packet's events: {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        ))
    }

    fn event(&self) -> Option<&str> {
        Some(&self.0)
    }
}

/// Names of stream events that were shortened, and what they are called now.
const SHORTENED: &[(&str, &str)] = &[
    ("est_synack_resend_with_different_ack", "est_synack_resend_with_diff_ack"),
    ("3whs_synack_resend_with_different_ack", "3whs_synack_resend_with_diff_ack"),
];

/// The names are the stream engine's, which detection does not depend on: it is told them.
fn stream_event(rule: &mut RuleBuilder<'_>, name: &Spanned) -> Result<(), SyntaxError> {
    let written = name.strip_prefix("stream.").unwrap_or(name).to_ascii_lowercase();
    let now = SHORTENED.iter().find(|(before, _)| *before == written).map(|(_, now)| *now);
    let short = now.unwrap_or(&written);
    let known = &rule.environment.stream_events;
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let spelled = !short.is_empty() && short.bytes().all(letter);
    if !spelled || !known.is_empty() && !known.contains(&short) {
        return Err(name.error(format!("unknown decode event \"stream.{short}\"")));
    }
    rule.push_packet_check(StreamEvent(short.into()));
    Ok(())
}

/// `app-layer-event` without a protocol.
struct DetectionEvent(FlowEvent);

impl PacketCheck for DetectionEvent {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        view.facts.app_events.contains(&self.0)
    }
}

/// `app-layer-event` of a protocol.
struct HasAnomaly(Anomaly);

impl TransactionCheck for HasAnomaly {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        transaction.meta().anomalies.contains(&self.0)
    }
}

/// The row that stands for the anomalies of any protocol: they can be found at any time.
static ANOMALIES: Field = Field::both(
    "app-layer-event",
    Progress(0),
    Access::Check(|_| Err("Events are given by `app-layer-event`.".to_owned())),
)
.doc("What the parser found odd in the transaction.");

fn app_layer_event(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let name = option.argument(false, Quotes::Optional)?.text;
    if let Some(event) = FlowEvent::ALL.into_iter().find(|event| name == event.name()) {
        rule.push_packet_check(DetectionEvent(event));
        return Ok(());
    }
    let Some((protocol, event)) = name.split_once('.') else {
        return Err(name
            .error(format!("There is no event `{name}`."))
            .with_help("events of a protocol are written `protocol.event`"));
    };
    let protocols = rule.environment.fields.protocols_named(protocol);
    if !rule.head.protocols.has(TCP) && !rule.head.protocols.has(UDP) {
        return Err(option.name.error("Events of protocols are found in TCP and UDP only."));
    }
    if protocols.is_empty() {
        return Err(name.error(format!("The protocol `{protocol}` is not there.")));
    }
    let Some((protocol, anomaly)) = protocols.iter().find_map(|p| Some((*p, anomaly(p, event)?))) else {
        // Rule files list the events of many releases: a rule on one that is not there is left out.
        let mut error = name.error(format!(
            "app-layer-event keyword's protocol \"{protocol}\" doesn't have event \"{event}\""
        ));
        if let Some(close) = nearest(event, protocols.iter().flat_map(|p| p.anomalies).copied()) {
            error = error.with_help(format!("did you mean `{}`?", close.to_ascii_lowercase()));
        }
        rule.retire(error);
        return Ok(());
    };
    rule.demands.subjects.insert(Subjects::TRANSACTION_EVENT);
    // One that carries another protocol shares the list.
    let sharing = protocols.iter().filter(|other| other.anomalies == protocol.anomalies);
    let rows: Vec<FieldRow> = sharing.map(|&protocol| FieldRow { protocol, field: &ANOMALIES }).collect();
    rule.push_value(option, ANOMALIES.name, &rows, ValueMatch::Check(Arc::new(HasAnomaly(anomaly))))
}

/// Records have some protocols' events in capitals, rules have all of them as they like.
fn anomaly(protocol: &Protocol, event: &str) -> Option<Anomaly> {
    let alias = protocol.anomaly_aliases.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(event));
    let event = alias.map_or(event, |(_, name)| name);
    let position = protocol.anomalies.iter().position(|name| name.eq_ignore_ascii_case(event))?;
    u8::try_from(position).ok().map(Anomaly)
}
