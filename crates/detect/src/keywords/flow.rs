//! `flow`, and checks on how long, how large and how far a flow is.

use weir_base::{Direction, PerDirection};
use weir_flow::{FlowCore, FlowFlags};
use weir_rules::value::{IntegerMatch, Unsigned, comma_list};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use super::header_integer::{comparison, push_flow};
use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::{Cost, FlowRequirement, PacketCheck, Subjects};
use crate::model::view::PacketView;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "flow",
        [
            "flow:<to_server|to_client|from_client|from_server>, <established|not_established|stateless>, \
             <only_stream|no_stream>, <no_frag|only_frag>;",
            "Which way the packet travels, whether its flow is established, and whether the stream, single packets \
             or fragments are meant.",
            "flow:established,to_server;",
        ],
        flow,
    ),
    Keyword::new(
        "flow.age",
        ["flow.age:<comparison>;", "Seconds since the flow's first packet.", "flow.age:>3600;"],
        |option, rule| {
            let wanted = comparison::<u32>(option, &[])?;
            push_flow(rule, wanted, |view| u32::try_from(view.facts.flow?.age_seconds()).ok());
            Ok(())
        },
    ),
    Keyword::new(
        "flow.pkts",
        [
            "flow.pkts:<toserver|toclient|either|both>,<comparison>;",
            "How many packets the flow has so far.",
            "flow.pkts:toclient,>10;",
        ],
        |option, rule| flow_count::<u32>(option, rule, |flow| flow.packets),
    ),
    Keyword::new(
        "flow.pkts_toserver",
        ["flow.pkts_toserver:<comparison>;", "Packets to the server so far.", "flow.pkts_toserver:>10;"],
        |option, rule| {
            let wanted = comparison::<u32>(option, &[])?;
            push_flow(rule, wanted, |view| u32::try_from(view.facts.flow?.packets.to_server).ok());
            Ok(())
        },
    ),
    Keyword::new(
        "flow.pkts_toclient",
        ["flow.pkts_toclient:<comparison>;", "Packets to the client so far.", "flow.pkts_toclient:>10;"],
        |option, rule| {
            let wanted = comparison::<u32>(option, &[])?;
            push_flow(rule, wanted, |view| u32::try_from(view.facts.flow?.packets.to_client).ok());
            Ok(())
        },
    ),
    Keyword::new(
        "flow.bytes",
        [
            "flow.bytes:<toserver|toclient|either|both>,<comparison>;",
            "How many bytes the flow has so far.",
            "flow.bytes:toserver,<2000;",
        ],
        |option, rule| flow_count::<u64>(option, rule, |flow| flow.bytes),
    ),
    Keyword::new(
        "flow.bytes_toserver",
        ["flow.bytes_toserver:<comparison>;", "Bytes to the server so far.", "flow.bytes_toserver:>10kb;"],
        |option, rule| {
            let wanted = comparison::<u64>(option, &[])?;
            push_flow(rule, wanted, |view| Some(view.facts.flow?.bytes.to_server));
            Ok(())
        },
    ),
    Keyword::new(
        "flow.bytes_toclient",
        ["flow.bytes_toclient:<comparison>;", "Bytes to the client so far.", "flow.bytes_toclient:>10kb;"],
        |option, rule| {
            let wanted = comparison::<u64>(option, &[])?;
            push_flow(rule, wanted, |view| Some(view.facts.flow?.bytes.to_client));
            Ok(())
        },
    ),
    Keyword::new(
        "flow.elephant",
        [
            "flow.elephant:<toserver|toclient|either|both>;",
            "The flow carries much data in short time.",
            "flow.elephant:either;",
        ],
        |option, rule| {
            let text = option.argument(false, Quotes::Optional)?.text;
            let sides = parse_sides(&text)?;
            rule.push_packet_check(Elephant(sides));
            Ok(())
        },
    ),
    Keyword::new(
        "stream_size",
        [
            "stream_size:<client|server|both|either>,<operator>,<bytes>;",
            "How many bytes the sides have sent by their sequence numbers. Operators are < > = != <= >=.",
            "stream_size:server,<,5;",
        ],
        stream_size,
    ),
];

/// Most words of a `flow`.
const MAX_FLOW_WORDS: usize = 3;

fn flow(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    // One that gave no more than a direction may be followed by another.
    let before = rule.head.flow;
    if before.given && (before.fragment.is_some() || before.established.is_some() || before.stateless) {
        return Err(option.name.error("A signature may have only one flow option."));
    }
    let mut wanted = FlowRequirement { given: true, ..FlowRequirement::default() };
    let items = comma_list(&text);
    if items.len() > MAX_FLOW_WORDS {
        return Err(text
            .error(format!("parse error, ret -1, string {text}"))
            .with_help(format!("`flow` takes at most {MAX_FLOW_WORDS} words")));
    }
    for item in items {
        let word = item.to_ascii_lowercase();
        let fresh = match word.as_str() {
            "to_server" | "from_client" => wanted.direction.replace(Direction::ToServer).is_none(),
            "to_client" | "from_server" => wanted.direction.replace(Direction::ToClient).is_none(),
            "established" => !wanted.stateless && wanted.established.replace(true).is_none(),
            "not_established" => wanted.established.replace(false).is_none(),
            "stateless" => {
                wanted.established != Some(true) && !std::mem::replace(&mut wanted.stateless, true)
            }
            "only_stream" => wanted.stream.replace(true).is_none(),
            "no_stream" => wanted.stream.replace(false).is_none(),
            "no_frag" => wanted.fragment.replace(false).is_none(),
            "only_frag" => wanted.fragment.replace(true).is_none(),
            _ => {
                return Err(item.error(format!("invalid flow option \"{item}\"")).with_help(
                    "it knows to_server, to_client, established, not_established, stateless, only_stream, \
                     no_stream, no_frag, only_frag",
                ));
            }
        };
        if !fresh {
            return Err(item.error(format!("`{item}` contradicts or repeats what `flow` already says.")));
        }
    }
    match wanted.stream {
        Some(true) => rule.demands.subjects.insert(Subjects::STREAM),
        Some(false) => rule.demands.subjects.insert(Subjects::PACKET),
        None => {}
    }
    if let (Some(before), Some(direction)) = (before.direction, wanted.direction)
        && before != direction
    {
        let (flow, hook) = match direction {
            Direction::ToServer => ("to_server", "to_client"),
            Direction::ToClient => ("to_client", "to_server"),
        };
        return Err(option.error(format!("rule {} has flow {flow} but a hook {hook}", rule.given.id)));
    }
    wanted.direction = wanted.direction.or(before.direction);
    wanted.stream = wanted.stream.or(before.stream);
    rule.head.flow = wanted;
    Ok(())
}

/// Directions that count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sides {
    ToServer,
    ToClient,
    Either,
    Both,
}

impl Sides {
    fn hold(self, values: PerDirection<bool>) -> bool {
        match self {
            Self::ToServer => values.to_server,
            Self::ToClient => values.to_client,
            Self::Either => values.to_server || values.to_client,
            Self::Both => values.to_server && values.to_client,
        }
    }
}

fn parse_sides(text: &Spanned) -> Result<Sides, SyntaxError> {
    Ok(match text.to_ascii_lowercase().as_str() {
        "toserver" | "to_server" => Sides::ToServer,
        "toclient" | "to_client" => Sides::ToClient,
        "either" => Sides::Either,
        "both" => Sides::Both,
        _ => return Err(text.error(format!("`{text}` is no direction: toserver, toclient, either or both."))),
    })
}

/// `flow.pkts`, `flow.bytes`
struct FlowCount<T> {
    sides: Sides,
    comparison: IntegerMatch<T>,
    read: fn(&FlowCore) -> PerDirection<u64>,
}

impl<T: Unsigned + Send + Sync> PacketCheck for FlowCount<T> {
    fn cost(&self) -> Cost {
        Cost::Flow
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        let Some(flow) = view.facts.flow else { return false };
        let counts = (self.read)(flow);
        // A count beyond the type's range is at least its end.
        let fits = |count: u64| self.comparison.matches(T::from_u64(count).unwrap_or(T::MAX));
        self.sides.hold(PerDirection { to_server: fits(counts.to_server), to_client: fits(counts.to_client) })
    }
}

fn flow_count<T: Unsigned + Send + Sync + 'static>(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    read: fn(&FlowCore) -> PerDirection<u64>,
) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let [sides, wanted] = items.as_slice() else {
        return Err(text.error(format!(
            "`{}` takes a direction and a comparison, as in `{}:toclient,>10`.",
            option.name, option.name
        )));
    };
    let sides = parse_sides(sides)?;
    let comparison = IntegerMatch::parse(wanted).map_err(|error| wanted.locate(error))?;
    rule.push_packet_check(FlowCount::<T> { sides, comparison, read });
    Ok(())
}

/// `flow.elephant`
struct Elephant(Sides);

impl PacketCheck for Elephant {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        view.facts.flow.is_some_and(|flow| {
            self.0.hold(PerDirection {
                to_server: flow.flags.contains(FlowFlags::ELEPHANT_TO_SERVER),
                to_client: flow.flags.contains(FlowFlags::ELEPHANT_TO_CLIENT),
            })
        })
    }
}

/// `stream_size`
struct StreamSize {
    sides: Sides,
    comparison: IntegerMatch<u64>,
}

impl PacketCheck for StreamSize {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        let (client, server) = view.facts.stream_sizes;
        view.facts.flow.is_some_and(FlowCore::is_tcp)
            && self.sides.hold(PerDirection {
                to_server: self.comparison.matches(client),
                to_client: self.comparison.matches(server),
            })
    }

    fn observed(&self, view: &PacketView<'_>) -> Option<String> {
        let (client, server) = view.facts.stream_sizes;
        Some(format!("the client has sent {client} bytes, the server {server}"))
    }
}

fn stream_size(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let [side, operator, bytes] = items.as_slice() else {
        return Err(text
            .error("`stream_size` takes a side, an operator and a number of bytes.")
            .with_help("write `stream_size:server,<,5;`"));
    };
    rule.demands.subjects.insert(Subjects::PACKET_TOO);
    let sides = match side.as_str() {
        "client" => Sides::ToServer,
        "server" => Sides::ToClient,
        "either" => Sides::Either,
        "both" => Sides::Both,
        _ => return Err(side.error(format!("`{side}` is no side: client, server, either or both."))),
    };
    let decimal = bytes.bytes().all(|byte| byte.is_ascii_digit());
    let Some(number) = bytes.parse::<u32>().ok().filter(|_| decimal).map(u64::from) else {
        return Err(bytes.error(format!("`{bytes}` is no number of bytes.")));
    };
    let comparison = match operator.as_str() {
        "<" => IntegerMatch::Less(number),
        ">" => IntegerMatch::Greater(number),
        "=" => IntegerMatch::Equal(number),
        "!=" | "!" => IntegerMatch::NotEqual(number),
        "<=" => IntegerMatch::LessOrEqual(number),
        ">=" => IntegerMatch::GreaterOrEqual(number),
        _ => return Err(operator.error(format!("`{operator}` is no operator: < > = != <= >=."))),
    };
    rule.push_packet_check(StreamSize { sides, comparison });
    Ok(())
}
