//! `flowbits`: names that rules set on a flow and that other rules look for.

use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use super::bit_command::{BitChange, BitCommand};
use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::firewall::Table;
use crate::model::post::{PostAction, PostView};
use crate::model::signature::{Cost, PacketCheck, Subjects};
use crate::model::view::PacketView;
use crate::state::NameId;
use crate::state::names::NameKind;

/// Most names of one option.
const MAX_NAMES: usize = 100;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "flowbits",
    [
        "flowbits:<set|unset|toggle|isset|isnotset>,<name>[|<name>…]; flowbits:noalert;",
        "Sets, clears or turns over a bit of the flow when the rule matches, or asks whether it is set.",
        "flowbits:isset,logged_in;",
    ],
    flowbits,
)];

/// `isset`, `isnotset`: one of the bits is enough.
struct BitCheck {
    bits: Vec<NameId>,
    set: bool,
}

impl PacketCheck for BitCheck {
    fn cost(&self) -> Cost {
        Cost::Flow
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        // Without a flow nothing can be said of its bits.
        view.state.is_some_and(|state| self.bits.iter().any(|bit| state.has_bit(*bit) == self.set))
    }

    fn observed(&self, view: &PacketView<'_>) -> Option<String> {
        let Some(state) = view.state else { return Some("there is no flow".to_owned()) };
        let set = self.bits.iter().any(|bit| state.has_bit(*bit));
        Some(if set { "the bit is set" } else { "the bit is not set" }.to_owned())
    }
}

struct ChangesBit {
    bit: NameId,
    change: BitChange,
}

impl PostAction for ChangesBit {
    fn apply(&self, view: &mut PostView<'_>) {
        let Some(state) = view.state.as_deref_mut() else { return };
        if self.change.clears(|| state.has_bit(self.bit)) {
            state.clear_bit(self.bit);
        } else {
            let room = state.set_bit(self.bit);
            view.note(room);
        }
    }
}

fn flowbits(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    match items.as_slice() {
        [word] if word == "noalert" => {
            rule.effects.no_alert = true;
            Ok(())
        }
        [command, names] => command_on_bits(rule, command, names),
        _ => Err(text
            .error(format!("\"{text}\" is not a valid setting for flowbits."))
            .with_help("write `flowbits:set,name;`, `flowbits:isset,name;` or `flowbits:noalert;`")),
    }
}

fn command_on_bits(
    rule: &mut RuleBuilder<'_>,
    command: &Spanned,
    names: &Spanned,
) -> Result<(), SyntaxError> {
    let table = rule.head.firewall.as_ref().map(|decides| decides.table);
    if table == Some(Table::PreFlow) {
        return Err(command.error("keyword \"flowbits\" doesn't support the hook \"pre_flow\""));
    }
    let bits = bits(rule, names)?;
    let change = match BitCommand::parse(command, "flowbits", ", and noalert")? {
        BitCommand::Ask { set } => {
            rule.effects.state_use.bits.1 = true;
            rule.push_packet_check(BitCheck { bits, set });
            return Ok(());
        }
        BitCommand::Change(change) => change,
    };
    let &[bit] = bits.as_slice() else {
        return Err(
            names.error(format!("`{command}` changes one bit; `|` goes with isset and isnotset only."))
        );
    };
    rule.effects.state_use.bits.0 = true;
    // To clear a bit once for each flow is not what is meant: only `set` goes with addresses alone.
    if change != BitChange::Set {
        rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
    }
    rule.push_post(ChangesBit { bit, change });
    Ok(())
}

fn bits(rule: &RuleBuilder<'_>, names: &Spanned) -> Result<Vec<NameId>, SyntaxError> {
    let mut bits = Vec::new();
    let several = names.contains('|');
    for name in names.split('|').map(str::trim).filter(|name| !several || !name.is_empty()) {
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(names.error("spaces not allowed in flowbit names"));
        }
        if bits.len() >= MAX_NAMES {
            return Err(names.error(format!("At most {MAX_NAMES} bits can be named.")));
        }
        bits.push(rule.name(NameKind::FlowBit, name));
    }
    if bits.is_empty() {
        return Err(names.error("No valid flowbits specified"));
    }
    Ok(bits)
}
