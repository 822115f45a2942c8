//! `tag`: packets that come after a match are recorded too.

use std::sync::Arc;

use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::post::{PostAction, PostView};
use crate::state::tag::{Extent, HostTags, Tag, add};

/// Number of packets where the rule does not say, and the most that it can ask for.
const DEFAULT_PACKETS: u32 = 256;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "tag",
    [
        "tag:<session|host>[,<count>,<packets|seconds|bytes>[,<src|dst>]];",
        "Packets of the flow or of a host are recorded after the rule matched.",
        "tag:session,10,packets;",
    ],
    compile,
)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Session,
    Source,
    Destination,
}

struct SetTag {
    place: Place,
    extent: Extent,
    sid: u32,
    hosts: Arc<HostTags>,
}

impl PostAction for SetTag {
    fn apply(&self, view: &mut PostView<'_>) {
        let tag = Tag::new(self.sid, self.extent, view.facts.packet.time);
        let host = match self.place {
            Place::Session => {
                let room = view.state.as_deref_mut().is_none_or(|state| add(state.tags_mut(), tag));
                return view.note(room);
            }
            Place::Source => view.facts.packet.source(),
            Place::Destination => view.facts.packet.destination(),
        };
        if let Some(host) = host {
            view.note(self.hosts.add(host, tag));
        }
    }
}

fn compile(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let words: Vec<&str> = items.iter().map(|item| item.as_str()).collect();
    let wrong = || {
        text.error(format!("`{text}` is no tag."))
            .with_help("write `tag:session,10,packets;` or `tag:host,60,seconds,src;`")
    };
    let (kind, extent, end) = match words.as_slice() {
        [kind] => (*kind, Extent::Packets(DEFAULT_PACKETS), None),
        [kind, count, metric, rest @ ..] if rest.len() < 2 => {
            let count = count.parse::<u32>().map_err(|_| wrong())?;
            let extent = match *metric {
                "packets" => Extent::Packets(count.min(DEFAULT_PACKETS)),
                "seconds" => Extent::Seconds(count),
                "bytes" => Extent::Bytes(count),
                _ => return Err(wrong()),
            };
            (*kind, extent, rest.first().copied())
        }
        _ => return Err(wrong()),
    };
    let place = match (kind, end) {
        ("session", None | Some("src" | "dst")) => Place::Session,
        ("host", Some("src")) => Place::Source,
        ("host", None | Some("dst")) => Place::Destination,
        _ => return Err(wrong()),
    };
    // The signature id may stand behind the tag.
    let sid = rule.given.id;
    let hosts = Arc::clone(&rule.environment.host_tags);
    if place != Place::Session {
        hosts.expect();
        rule.checks.shares = true;
        rule.demands.table = true;
    }
    rule.push_post(SetTag { place, extent, sid, hosts });
    Ok(())
}
