//! Decisions of rules of the firewall.

use weir_rules::{Action, ActionScope, Rule, SyntaxError};

use super::Table;
use crate::model::hook::{Hook, PacketHook};

/// A decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// It goes on: this packet, the flow, as far as this hook, or the transaction.
    Accept(ActionScope),
    /// It is dropped.
    Drop {
        /// All that follows of the flow too.
        flow: bool,
        /// The sender, the receiver or both are notified.
        reject: Option<Action>,
    },
    /// The rule decides nothing (`config`).
    Open,
}

impl Ruling {
    /// Whether something is dropped.
    pub const fn drops(self) -> bool {
        matches!(self, Self::Drop { .. })
    }

    /// The action that records show.
    pub const fn action(self) -> Action {
        match self {
            Self::Accept(_) => Action::Accept,
            Self::Drop { reject: Some(action), .. } => action,
            Self::Drop { reject: None, .. } => Action::Drop,
            Self::Open => Action::Config,
        }
    }
}

/// Returns the decision of an action with its scope in a table; where it cannot, the scopes that it can have.
pub fn ruling(table: Table, action: Action, scope: ActionScope) -> Result<Ruling, &'static [ActionScope]> {
    use ActionScope::{Flow, Hook, Packet, Transaction};
    let scopes: &[ActionScope] = match (action, table) {
        (Action::Accept, Table::PreFlow) => &[Packet, Hook],
        (Action::Accept, Table::AppFilter) => &[Flow, Hook, Transaction],
        (Action::Accept, _) => &[Packet, Flow, Hook],
        (Action::Drop | Action::Reject | Action::RejectSrc | Action::RejectDst | Action::RejectBoth, _) => {
            if table == Table::PreFlow {
                &[Packet]
            } else {
                &[Packet, Flow]
            }
        }
        (Action::Config, _) => &[Packet, Flow, Transaction],
        (Action::Alert | Action::Pass, _) => &[],
    };
    if !scopes.contains(&scope) {
        return Err(scopes);
    }
    Ok(match action {
        Action::Accept => Ruling::Accept(scope),
        Action::Config => Ruling::Open,
        Action::Drop => Ruling::Drop { flow: scope == Flow, reject: None },
        _ => Ruling::Drop { flow: scope == Flow, reject: Some(action) },
    })
}

/// Part of a rule that only those of the firewall have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirewallRule {
    /// Its table.
    pub table: Table,
    /// Decision that it takes.
    pub ruling: Ruling,
    /// `pass` behind the first action: rules of detection are not to look.
    pub pass: Option<ActionScope>,
}

impl FirewallRule {
    /// Reads the actions of a rule that is looked at in `hook`.
    pub(crate) fn new(rule: &Rule, hook: Option<Hook>) -> Result<Self, SyntaxError> {
        let table = match hook {
            Some(Hook::Packet(PacketHook::PreFlow)) => Table::PreFlow,
            Some(Hook::Packet(PacketHook::PreStream)) => Table::PreStream,
            Some(Hook::Packet(PacketHook::FlowStart | PacketHook::All)) => Table::PacketFilter,
            Some(Hook::State(_)) => Table::AppFilter,
            None => {
                let name = &rule.protocol.name;
                return Err(name
                    .error("A rule of the firewall must say in which hook it is looked at.")
                    .with_help(format!(
                        "write it behind the protocol, as in `{name}:all` or `tls:client_hello_done`"
                    )));
            }
        };
        let first = &rule.action;
        let error = |span, message: String| SyntaxError::new(span, message);
        if matches!(first.action, Action::Alert | Action::Pass) {
            let message = format!("`{}` cannot be the first action of a rule of the firewall.", first.action);
            return Err(
                error(first.span, message).with_help("begin with accept or drop, as in `accept:hook,alert`")
            );
        }
        let Some(scope) = first.scope else {
            let message =
                format!("A rule of the firewall must say what its action `{}` applies to.", first.action);
            let help =
                format!("write `{0}:packet` or `{0}:flow`; `accept` can have hook and tx too", first.action);
            return Err(error(first.span, message).with_help(help));
        };
        let ruling = ruling(table, first.action, scope).map_err(|scopes| {
            let names: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
            let message =
                format!("`{}:{}` cannot be decided in {}.", first.action, scope.name(), table.name());
            error(first.span, message).with_help(format!("scopes there are {}", names.join(", ")))
        })?;
        let mut pass = None;
        for further in &rule.further_actions {
            match (further.action, further.scope) {
                (Action::Alert, None) => {}
                (Action::Pass, Some(scope @ (ActionScope::Packet | ActionScope::Flow))) => pass = Some(scope),
                _ => {
                    return Err(error(further.span, "This cannot be a further action.".to_owned())
                        .with_help("further actions are alert, pass:packet and pass:flow"));
                }
            }
        }
        Ok(Self { table, ruling, pass })
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::Progress;
    use weir_base::Direction;
    use weir_rules::parse_rule;

    use super::*;
    use crate::model::hook::StateHook;

    fn read(actions: &str, hook: Option<Hook>) -> Result<FirewallRule, SyntaxError> {
        let text = format!("{actions} tcp any any -> any any (sid:1;)");
        FirewallRule::new(&parse_rule(&text, "a.rules", 1).unwrap().0, hook)
    }

    const STATE: Hook =
        Hook::State(StateHook { direction: Direction::ToServer, progress: Progress(0), with_earlier: false });

    #[test]
    fn actions_and_their_scopes() {
        use ActionScope::{Flow, Hook as HookScope, Packet, Transaction};
        let all = Hook::Packet(PacketHook::All);
        let pre_flow = Hook::Packet(PacketHook::PreFlow);
        let drop = |flow, reject| Ruling::Drop { flow, reject };
        for (actions, hook, table, ruling, pass) in [
            ("accept:hook", all, Table::PacketFilter, Ruling::Accept(HookScope), None),
            ("accept:packet", all, Table::PacketFilter, Ruling::Accept(Packet), None),
            ("accept:flow,pass:flow,alert", STATE, Table::AppFilter, Ruling::Accept(Flow), Some(Flow)),
            ("accept:tx", STATE, Table::AppFilter, Ruling::Accept(Transaction), None),
            ("drop:flow", STATE, Table::AppFilter, drop(true, None), None),
            ("drop:packet", pre_flow, Table::PreFlow, drop(false, None), None),
            ("rejectboth:packet", all, Table::PacketFilter, drop(false, Some(Action::RejectBoth)), None),
            ("config:packet", pre_flow, Table::PreFlow, Ruling::Open, None),
        ] {
            let expected = FirewallRule { table, ruling, pass };
            assert_eq!(read(actions, Some(hook)), Ok(expected), "{actions}");
        }
    }

    #[test]
    fn what_cannot_be_a_rule_of_the_firewall() {
        let all = Some(Hook::Packet(PacketHook::All));
        for (actions, hook, message) in [
            ("accept:flow", None, "A rule of the firewall must say in which hook it is looked at."),
            ("alert", all, "`alert` cannot be the first action of a rule of the firewall."),
            ("pass:flow", all, "`pass` cannot be the first action of a rule of the firewall."),
            ("drop", all, "A rule of the firewall must say what its action `drop` applies to."),
            ("accept:tx", all, "`accept:tx` cannot be decided in packet:filter."),
            ("accept:packet", Some(STATE), "`accept:packet` cannot be decided in app:filter."),
            (
                "drop:flow",
                Some(Hook::Packet(PacketHook::PreFlow)),
                "`drop:flow` cannot be decided in packet:pre_flow.",
            ),
            ("accept:hook,drop:flow", all, "This cannot be a further action."),
        ] {
            assert_eq!(read(actions, hook).unwrap_err().message, message, "{actions}");
        }
    }
}
