//! `xbits` with `track tx`: bits of one transaction, which rules on its later states look for.

use weir_rules::{RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::keywords::bit_command::{BitChange, BitCommand};
use crate::model::post::{PostAction, PostView};
use crate::model::signature::{Cost, PacketCheck};
use crate::model::view::PacketView;
use crate::state::NameId;
use crate::state::names::NameKind;

struct BitCheck {
    bit: NameId,
    set: bool,
}

impl PacketCheck for BitCheck {
    fn cost(&self) -> Cost {
        Cost::Flow
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        // Outside of transactions nothing can be said of their bits.
        let Some((id, state)) = view.transaction.zip(view.state) else { return false };
        state.transaction_state(id).is_some_and(|transaction| transaction.has_bit(self.bit)) == self.set
    }
}

struct ChangesBit {
    bit: NameId,
    change: BitChange,
}

impl PostAction for ChangesBit {
    fn apply(&self, view: &mut PostView<'_>) {
        let Some((id, state)) = view.transaction.zip(view.state.as_deref_mut()) else { return };
        let transaction = state.transaction(id);
        if self.change.clears(|| transaction.has_bit(self.bit)) {
            transaction.clear_bit(self.bit);
        } else {
            let room = transaction.set_bit(self.bit);
            view.note(room);
        }
    }
}

/// Adds the option to the rule.
pub(super) fn install(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    command: &Spanned,
    name: &Spanned,
) -> Result<(), SyntaxError> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(name.error(format!("`{name}` is no name for a bit.")));
    }
    rule.demands.needs_transaction.get_or_insert(option.span);
    let bit = rule.name(NameKind::TransactionBit, name);
    let change = match BitCommand::parse(command, &option.name, "")? {
        BitCommand::Ask { set } => {
            rule.effects.state_use.others.1 = true;
            rule.push_packet_check(BitCheck { bit, set });
            return Ok(());
        }
        BitCommand::Change(change) => change,
    };
    rule.effects.state_use.others.0 = true;
    rule.push_post(ChangesBit { bit, change });
    Ok(())
}
