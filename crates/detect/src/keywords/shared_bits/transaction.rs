//! `xbits` with `track tx`: bits of one transaction, which rules on its later states look for.

use weir_rules::{RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::model::hook::Hook;
use crate::model::post::{PostAction, PostView};
use crate::model::signature::{Cost, PacketCheck};
use crate::model::view::PacketView;
use crate::state::NameId;
use crate::state::names::NameKind;

/// `isset`
struct IsSet(NameId);

impl PacketCheck for IsSet {
    fn cost(&self) -> Cost {
        Cost::Flow
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        // Outside of transactions nothing can be said of their bits.
        let Some((id, state)) = view.transaction.zip(view.state) else { return false };
        state.transaction_state(id).is_some_and(|transaction| transaction.has_bit(self.0))
    }
}

/// `set`
struct SetBit(NameId);

impl PostAction for SetBit {
    fn apply(&self, view: &mut PostView<'_>) {
        let Some((id, state)) = view.transaction.zip(view.state.as_deref_mut()) else { return };
        let room = state.transaction(id).set_bit(self.0);
        view.note(room);
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
    match command.as_str() {
        "isset" if !matches!(rule.head.hook, Some(Hook::State(_))) => {
            return Err(option
                .error("tx xbits require an explicit rule hook")
                .with_help("name a state in the protocol field, as in `http1:request_line`"));
        }
        "isset" => {
            rule.effects.state_use.others.1 = true;
            rule.push_packet_check(IsSet(bit));
        }
        "set" => {
            rule.effects.state_use.others.0 = true;
            rule.push_post(SetBit(bit));
        }
        _ => return Err(command.error("tx xbits only support set and isset")),
    }
    Ok(())
}
