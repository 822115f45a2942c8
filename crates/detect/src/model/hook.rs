//! Rule hooks: where in the way of a packet a rule is looked at, as its protocol field says
//! (`tcp:flow_start`, `http1:request_line`, `tls:<client_hello_done`).
//!
//! A rule without a hook is looked at wherever its options can match.

use weir_applayer::{Progress, Protocol};
use weir_base::Direction;
use weir_rules::{Spanned, SyntaxError};

use crate::model::signature::PacketCheck;
use crate::model::view::PacketView;

/// The keyword that compares the state of a transaction.
pub const STATE_KEYWORD: &str = "app-layer-state";

/// Hooks of packets, whatever their protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum PacketHook {
    /// Before the packet's flow is looked up.
    PreFlow,
    /// Before the packet reaches the TCP tracker.
    PreStream,
    /// The first packet of its flow in either direction.
    FlowStart,
    /// Every packet.
    All,
}

impl PacketHook {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::PreFlow, Self::PreStream, Self::FlowStart, Self::All];

    /// The name in rules.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreFlow => "pre_flow",
            Self::PreStream => "pre_stream",
            Self::FlowStart => "flow_start",
            Self::All => "all",
        }
    }
}

/// A state of a protocol's transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateHook {
    /// The direction whose state is meant.
    pub direction: Direction,
    /// The state.
    pub progress: Progress,
    /// `<`: the states before it are accepted too.
    pub with_earlier: bool,
}

impl StateHook {
    /// The state's name in a protocol.
    pub fn name(self, protocol: &Protocol) -> &'static str {
        protocol.states[self.direction].get(usize::from(self.progress.0)).copied().unwrap_or_default()
    }
}

/// Where a rule is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hook {
    /// A packet.
    Packet(PacketHook),
    /// A transaction.
    State(StateHook),
}

impl Hook {
    /// The state, of a hook of transactions.
    #[inline]
    pub const fn state(self) -> Option<StateHook> {
        match self {
            Self::State(state) => Some(state),
            Self::Packet(_) => None,
        }
    }
}

/// The hook of packets that `word` names; an error lists them.
pub fn packet_hook(protocol: &str, word: &Spanned) -> Result<PacketHook, SyntaxError> {
    let names = PacketHook::ALL.map(PacketHook::name);
    let found = PacketHook::ALL.into_iter().find(|hook| hook.name() == word.as_str());
    found.ok_or_else(|| unknown(word, protocol, &names))
}

/// The state that `word` names, and those of `protocols` that have it; an error lists the states.
pub fn state_hook(
    protocols: &[&'static Protocol],
    word: &Spanned,
) -> Result<(StateHook, Vec<&'static Protocol>), SyntaxError> {
    let with_earlier = word.starts_with('<');
    let name = word.as_str().strip_prefix('<').unwrap_or(word);
    let mut found: Option<StateHook> = None;
    let mut bearers = Vec::new();
    for protocol in protocols {
        let Some((direction, progress)) = state_named(protocol, name) else { continue };
        let hook = StateHook { direction, progress, with_earlier };
        if *found.get_or_insert(hook) == hook {
            bearers.push(*protocol);
        }
    }
    match found {
        Some(hook) => Ok((hook, bearers)),
        None => {
            let both = |protocol: &&'static Protocol| [protocol.states.to_server, protocol.states.to_client];
            let mut names: Vec<&str> = protocols.iter().flat_map(both).flatten().copied().collect();
            names.dedup();
            let protocol = protocols.first().map_or("", |protocol| protocol.name);
            Err(unknown(word, protocol, &names))
        }
    }
}

/// The state of a protocol by its name. Every protocol has `request_started`, `request_complete`,
/// `response_started` and `response_complete`, whatever it calls its first and last states itself.
pub fn state_named(protocol: &Protocol, name: &str) -> Option<(Direction, Progress)> {
    for direction in Direction::BOTH {
        if let Some(index) = protocol.states[direction].iter().position(|state| *state == name) {
            return Some((direction, Progress(index as u8)));
        }
    }
    let (direction, last) = match name {
        "request_started" => (Direction::ToServer, false),
        "request_complete" => (Direction::ToServer, true),
        "response_started" => (Direction::ToClient, false),
        "response_complete" => (Direction::ToClient, true),
        _ => return None,
    };
    Some((direction, if last { protocol.complete(direction) } else { Progress::default() }))
}

fn unknown(word: &Spanned, protocol: &str, names: &[&str]) -> SyntaxError {
    word.error(format!("protocol \"{protocol}\" does not support hook \"{word}\""))
        .with_help(format!("its hooks are {}", names.join(", ")))
}

/// `flow_start`: the packet is the first of its flow in its direction.
pub(crate) struct FlowStart;

impl PacketCheck for FlowStart {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        !view.facts.packet.is_pseudo()
            && view.facts.flow.is_some_and(|flow| flow.packets[view.facts.direction] == 1)
    }
}

#[cfg(test)]
mod tests {
    use weir_rules::parse_rule;

    use super::*;
    use crate::keywords::tests::HTTP;

    fn word(hook: &str) -> Spanned {
        let text = format!("alert http1:{hook} any any -> any any (sid:1;)");
        parse_rule(&text, "a.rules", 1).unwrap().0.protocol.hook.unwrap()
    }

    #[test]
    fn hooks_by_name() {
        for hook in PacketHook::ALL {
            assert_eq!(packet_hook("tcp", &word(hook.name())).unwrap(), hook);
        }
        for (name, direction, progress, with_earlier) in [
            ("started", Direction::ToServer, 0, false),
            ("answered", Direction::ToClient, 1, false),
            ("request_started", Direction::ToServer, 0, false),
            ("<response_complete", Direction::ToClient, 2, true),
        ] {
            let (hook, bearers) = state_hook(&[&HTTP], &word(name)).unwrap();
            let expected = StateHook { direction, progress: Progress(progress), with_earlier };
            assert_eq!((hook, bearers.len()), (expected, 1), "{name}");
        }
    }

    #[test]
    fn errors_name_the_hooks_there_are() {
        let error = packet_hook("tcp", &word("start")).unwrap_err();
        assert_eq!(error.message, "protocol \"tcp\" does not support hook \"start\"");
        assert_eq!(error.help.as_deref(), Some("its hooks are pre_flow, pre_stream, flow_start, all"));
        let error = state_hook(&[&HTTP], &word("client_hello")).unwrap_err();
        assert_eq!(error.message, "protocol \"http1\" does not support hook \"client_hello\"");
        assert_eq!(
            error.help.as_deref(),
            Some("its hooks are started, complete, waiting, answered, answer_complete")
        );
    }
}
