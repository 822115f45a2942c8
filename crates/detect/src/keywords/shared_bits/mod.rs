//! `xbits` and `hostbits`: bits of addresses that rules on different flows share.

mod transaction;

use std::sync::Arc;

use weir_base::Duration;
use weir_packet::Packet;
use weir_rules::value::{comma_list, key_value};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use super::bit_command::{BitChange, BitCommand};
use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::post::{PostAction, PostView};
use crate::model::signature::{Cost, PacketCheck, Subjects};
use crate::model::view::PacketView;
use crate::state::NameId;
use crate::state::names::NameKind;
use crate::state::shared_bits::{Owner, SharedBits};

/// Time that a bit lasts where the rule does not say.
const XBITS_SPAN: Duration = Duration::from_secs(30);

/// Time that a bit of `hostbits` lasts.
const HOSTBITS_SPAN: Duration = Duration::from_secs(300);

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "xbits",
        [
            "xbits:<set|unset|toggle|isset|isnotset>,<name>,track <ip_src|ip_dst|ip_pair|tx>[,expire <seconds>]; \
             xbits:noalert;",
            "Like `flowbits`, but the bit belongs to an address, to a pair of them, or to a transaction.",
            "xbits:isset,badssh,track ip_src;",
        ],
        xbits,
    ),
    Keyword::new(
        "hostbits",
        [
            "hostbits:<set|unset|toggle|isset|isnotset>,<name>[,<src|dst>];",
            "Like `flowbits`, but the bit belongs to an address.",
            "hostbits:isset,scanner,src;",
        ],
        hostbits,
    ),
];

/// Owner of the bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Track {
    Source,
    Destination,
    Pair,
}

impl Track {
    fn owner(self, packet: &Packet<'_>) -> Option<Owner> {
        let (source, destination) = (packet.source()?, packet.destination()?);
        Some(match self {
            Self::Source => Owner::Address(source),
            Self::Destination => Owner::Address(destination),
            Self::Pair => Owner::Pair(source.min(destination), source.max(destination)),
        })
    }
}

/// A bit, and where it is kept.
struct Bit {
    name: NameId,
    track: Track,
    table: Arc<SharedBits>,
}

struct BitCheck {
    bit: Bit,
    set: bool,
}

impl PacketCheck for BitCheck {
    fn cost(&self) -> Cost {
        Cost::Shared
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        let Some(owner) = self.bit.track.owner(view.facts.packet) else { return false };
        self.bit.table.is_set(self.bit.name, owner, view.facts.packet.time) == self.set
    }
}

struct ChangesBit {
    bit: Bit,
    change: BitChange,
    span: Duration,
}

impl PostAction for ChangesBit {
    fn apply(&self, view: &mut PostView<'_>) {
        let Bit { name, track, table } = &self.bit;
        let Some(owner) = track.owner(view.facts.packet) else { return };
        let now = view.facts.packet.time;
        if self.change.clears(|| table.is_set(*name, owner, now)) {
            table.clear(*name, owner);
        } else {
            let room = table.set(*name, owner, now, self.span);
            view.note(room);
        }
    }
}

fn xbits(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let (command, name, rest) = match items.as_slice() {
        [word] if word == "noalert" => {
            rule.effects.no_alert = true;
            return Ok(());
        }
        [command, name, rest @ ..] => (command, name, rest),
        _ => return Err(incomplete(&text)),
    };
    let (mut tracked, mut span) = (None, XBITS_SPAN);
    for item in rest {
        let (key, value) = key_value(item);
        match (key.as_str(), value.as_str()) {
            ("track", "ip_src") => tracked = Some(Track::Source),
            ("track", "ip_dst") => tracked = Some(Track::Destination),
            ("track", "ip_pair") => tracked = Some(Track::Pair),
            ("track", "tx") if rest.len() == 1 => return transaction::install(option, rule, command, name),
            ("expire", _) => span = seconds(&value)?,
            _ => {
                return Err(item.error(format!("`xbits` does not know `{item}`.")).with_help(
                    "it knows `track ip_src`, `track ip_dst`, `track ip_pair`, `track tx` and `expire`",
                ));
            }
        }
    }
    let track = tracked.ok_or_else(|| incomplete(&text))?;
    install(option, rule, command, name, track, span)
}

fn incomplete(text: &Spanned) -> SyntaxError {
    text.error("`xbits` takes a command, a name and whose bit it is.")
        .with_help("write `xbits:set,name,track ip_src;`")
}

fn hostbits(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    if items.as_slice() == ["noalert"] {
        rule.effects.no_alert = true;
        return Ok(());
    }
    let [command, name, rest @ ..] = items.as_slice() else {
        return Err(text
            .error("`hostbits` takes a command and a name.")
            .with_help("write `hostbits:set,name;` or `hostbits:isset,name,src;`"));
    };
    let track = match rest.first().map(Spanned::as_str) {
        None | Some("src") => Track::Source,
        Some("dst") => Track::Destination,
        Some(other) => return Err(text.error(format!("`{other}` is no address: src or dst."))),
    };
    if let Some(more) = rest.get(1) {
        return Err(more
            .error(format!("\"{text}\" is not a valid setting for hostbits."))
            .with_help("a bit with a time of its own is one of `xbits`, as in `track ip_src,expire 60`"));
    }
    install(option, rule, command, name, track, HOSTBITS_SPAN)
}

fn seconds(text: &Spanned) -> Result<Duration, SyntaxError> {
    match text.parse::<u32>() {
        Ok(0) | Err(_) => Err(text.error(format!("`{text}` is no number of seconds greater than zero."))),
        Ok(seconds) => Ok(Duration::from_secs(seconds.into())),
    }
}

fn install(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    command: &Spanned,
    name: &Spanned,
    track: Track,
    span: Duration,
) -> Result<(), SyntaxError> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(name.error(format!("`{name}` is no name for a bit.")));
    }
    let kind = if track == Track::Pair { NameKind::ExtendedBit } else { NameKind::HostBit };
    // All packets between two addresses are one worker's.
    rule.checks.shares |= track != Track::Pair;
    rule.demands.table = true;
    let bit = Bit { name: rule.name(kind, name), track, table: rule.environment.names.shared_bits() };
    let change = match BitCommand::parse(command, &option.name, "")? {
        BitCommand::Ask { set } => {
            rule.effects.state_use.others.1 = true;
            rule.push_packet_check(BitCheck { bit, set });
            return Ok(());
        }
        BitCommand::Change(change) => change,
    };
    rule.effects.state_use.others.0 = true;
    if change != BitChange::Set {
        rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
    }
    rule.push_post(ChangesBit { bit, change, span });
    Ok(())
}
