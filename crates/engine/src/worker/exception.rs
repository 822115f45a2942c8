//! Exception policies, which apply where a limit is reached or traffic cannot be understood,
//! and how often each was applied.

use std::collections::BTreeMap;

use smallvec::SmallVec;
use weir_base::{CounterVisitor, Counters};
use weir_config::{ExceptionPolicies, ExceptionPolicy};
use weir_flow::{Flow, FlowFlags};
use weir_rules::Action;
use weir_stream::StreamException;

use super::Rest;
use super::verdict::{DropReason, PacketVerdict};
use crate::session::Session;

/// Where a policy is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Target {
    /// No memory for a fragment.
    DefragMemcap,
    /// No memory for a session.
    StreamMemcap,
    /// No memory for a segment.
    ReassemblyMemcap,
    /// No memory for a flow.
    FlowMemcap,
    /// A connection whose beginning was not seen.
    Midstream,
    /// A parser that gave up.
    AppLayerError,
}

impl Target {
    const ALL: [Self; 6] = [
        Self::DefragMemcap,
        Self::StreamMemcap,
        Self::ReassemblyMemcap,
        Self::FlowMemcap,
        Self::Midstream,
        Self::AppLayerError,
    ];

    /// The word of flow records.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::DefragMemcap => "defrag_memcap",
            Self::StreamMemcap => "stream_memcap",
            Self::ReassemblyMemcap => "stream_reassembly_memcap",
            Self::FlowMemcap => "flow_memcap",
            Self::Midstream => "stream_midstream",
            Self::AppLayerError => "app_layer_error",
        }
    }

    /// Returns the part of its counters' names after `exception_policy.`.
    const fn counter(self) -> &'static str {
        match self {
            Self::DefragMemcap => "defrag.memcap",
            Self::StreamMemcap => "tcp.ssn_memcap",
            Self::ReassemblyMemcap => "tcp.reassembly",
            Self::FlowMemcap => "flow.memcap",
            Self::Midstream => "tcp.midstream",
            Self::AppLayerError => "app_layer.error",
        }
    }

    const fn drop_reason(self) -> DropReason {
        match self {
            Self::DefragMemcap => DropReason::DefragMemcap,
            Self::StreamMemcap => DropReason::StreamMemcap,
            Self::ReassemblyMemcap => DropReason::StreamReassembly,
            Self::FlowMemcap => DropReason::FlowMemcap,
            Self::Midstream => DropReason::Midstream,
            Self::AppLayerError => DropReason::ParserError,
        }
    }

    const fn policy(self, policies: &ExceptionPolicies) -> ExceptionPolicy {
        match self {
            Self::DefragMemcap => policies.defrag_memcap,
            Self::StreamMemcap => policies.stream_memcap,
            Self::ReassemblyMemcap => policies.reassembly_memcap,
            Self::FlowMemcap => policies.flow_memcap,
            Self::Midstream => policies.midstream,
            Self::AppLayerError => policies.app_layer_error,
        }
    }
}

/// Targets whose policies were applied to a flow: without memory of its own, for they are applied where memory is short.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Targets(u8);

impl Targets {
    const fn insert(&mut self, target: Target) {
        self.0 |= 1 << target as u8;
    }

    const fn has(self, target: Target) -> bool {
        self.0 & 1 << target as u8 != 0
    }

    /// The names of the targets and of their policies, as flow records have them.
    pub(crate) fn names(self, policies: &ExceptionPolicies) -> SmallVec<[(&'static str, &'static str); 6]> {
        let applied = Target::ALL.into_iter().filter(|target| self.has(*target));
        applied.map(|target| (target.name(), word(target.policy(policies)))).collect()
    }
}

impl From<StreamException> for Target {
    fn from(exception: StreamException) -> Self {
        match exception {
            StreamException::Midstream => Self::Midstream,
            StreamException::SessionMemcap => Self::StreamMemcap,
            StreamException::ReassemblyMemcap => Self::ReassemblyMemcap,
        }
    }
}

/// The policy as records and counters spell it.
const fn word(policy: ExceptionPolicy) -> &'static str {
    match policy {
        ExceptionPolicy::Auto | ExceptionPolicy::Ignore => "ignore",
        ExceptionPolicy::DropPacket => "drop_packet",
        ExceptionPolicy::DropFlow => "drop_flow",
        ExceptionPolicy::Reject => "reject",
        ExceptionPolicy::RejectBoth => "reject_both",
        ExceptionPolicy::Bypass => "bypass",
        ExceptionPolicy::PassPacket => "pass_packet",
        ExceptionPolicy::PassFlow => "pass_flow",
    }
}

/// Counts of applied policies. Only targets whose policy does something are counted.
#[derive(Debug)]
pub(crate) struct ExceptionCounters {
    /// By the order of [`Target::ALL`]: the policy of the target, how often it was applied.
    applied: [(ExceptionPolicy, u64); 6],
    /// Packets can be dropped.
    inline: bool,
    /// Errors of parsers by protocol, where they are counted so.
    by_protocol: Option<BTreeMap<&'static str, u64>>,
}

/// Policies that are counted, and whether only inline.
const COUNTED: [(ExceptionPolicy, bool); 7] = [
    (ExceptionPolicy::PassPacket, false),
    (ExceptionPolicy::PassFlow, false),
    (ExceptionPolicy::Bypass, false),
    (ExceptionPolicy::DropPacket, true),
    (ExceptionPolicy::DropFlow, true),
    (ExceptionPolicy::Reject, false),
    (ExceptionPolicy::RejectBoth, false),
];

impl ExceptionCounters {
    pub(crate) fn new(policies: &ExceptionPolicies, inline: bool, by_protocol: bool) -> Self {
        let applied = Target::ALL.map(|target| (target.policy(policies), 0));
        Self { applied, inline, by_protocol: by_protocol.then(BTreeMap::new) }
    }

    /// Counts an error of a protocol's parser.
    fn count_error(&mut self, protocol: &'static str) {
        if let Some(counts) = &mut self.by_protocol {
            *counts.entry(protocol).or_default() += 1;
        }
    }

    fn count(&mut self, target: Target) {
        if let Some((_, count)) = self.applied.get_mut(target as usize) {
            *count += 1;
        }
    }
}

impl Counters for ExceptionCounters {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        for (target, (policy, count)) in Target::ALL.iter().zip(&self.applied) {
            if matches!(policy, ExceptionPolicy::Ignore | ExceptionPolicy::Auto) {
                continue;
            }
            for (counted, inline_only) in COUNTED {
                if inline_only && !self.inline {
                    continue;
                }
                let name = format!("exception_policy.{}.{}", target.counter(), word(counted));
                visitor.counter(&name, if counted == *policy { *count } else { 0 });
            }
            if let (Target::AppLayerError, Some(counts)) = (target, &self.by_protocol) {
                for (protocol, count) in counts {
                    let name = format!("app_layer.error.{protocol}.exception_policy.{}", word(*policy));
                    visitor.counter(&name, *count);
                }
            }
        }
    }
}

impl Rest {
    /// Applies the policy of `target` to the packet at hand, and to its flow.
    pub(crate) fn exception(
        &mut self,
        target: Target,
        flow: Option<&mut Flow<Session>>,
        verdict: &mut PacketVerdict,
    ) {
        let policy = target.policy(&self.settings.policies);
        self.exceptions.count(target);
        match policy {
            ExceptionPolicy::DropPacket
            | ExceptionPolicy::DropFlow
            | ExceptionPolicy::Reject
            | ExceptionPolicy::RejectBoth
                if self.settings.inline =>
            {
                verdict.drop(target.drop_reason());
                verdict.leave_alone();
            }
            ExceptionPolicy::Ignore | ExceptionPolicy::Auto => {}
            _ => verdict.leave_alone(),
        }
        match policy {
            ExceptionPolicy::Reject => verdict.reject(Action::Reject),
            ExceptionPolicy::RejectBoth => verdict.reject(Action::RejectBoth),
            _ => {}
        }
        let Some(flow) = flow else { return };
        if target == Target::AppLayerError
            && let Some(protocol) = flow.session.app.as_deref().and_then(|app| app.protocol())
        {
            self.exceptions.count_error(protocol.name);
        }
        let flags = &mut flow.core.flags;
        match policy {
            ExceptionPolicy::DropFlow | ExceptionPolicy::Reject | ExceptionPolicy::RejectBoth
                if self.settings.inline =>
            {
                flags.insert(FlowFlags::ACTION_DROP | FlowFlags::EXCEPTION_DROP);
            }
            ExceptionPolicy::PassFlow => flags.insert(FlowFlags::ACTION_PASS),
            ExceptionPolicy::Bypass => flags.insert(FlowFlags::LOCAL_BYPASS | FlowFlags::ACTION_PASS),
            _ => {}
        }
        flow.session.exceptions.insert(target);
    }
}

#[cfg(test)]
mod tests {
    use weir_config::Settings;

    use super::*;

    fn counted(overrides: &[&str], inline: bool, target: Target) -> Vec<(String, u64)> {
        struct Seen(Vec<(String, u64)>);
        impl CounterVisitor for Seen {
            fn counter(&mut self, name: &str, value: u64) {
                self.0.push((name.to_owned(), value));
            }
        }
        let settings = Settings::from_text(b"", "test", overrides).unwrap();
        let policies = ExceptionPolicies::from_settings(&settings, inline).unwrap();
        let mut counters = ExceptionCounters::new(&policies, inline, true);
        counters.count(target);
        if target == Target::AppLayerError {
            counters.count_error("tls");
        }
        let mut seen = Seen(Vec::new());
        counters.visit(&mut seen);
        seen.0
    }

    #[test]
    fn counters_of_policies_that_do_something() {
        assert!(counted(&[], false, Target::Midstream).is_empty());
        let inline = counted(&[], true, Target::Midstream);
        assert!(inline.contains(&("exception_policy.tcp.midstream.drop_flow".to_owned(), 1)));
        assert!(inline.contains(&("exception_policy.flow.memcap.drop_packet".to_owned(), 0)));
        let error = counted(&["app-layer.error-policy=bypass"], false, Target::AppLayerError);
        assert!(error.contains(&("app_layer.error.tls.exception_policy.bypass".to_owned(), 1)));
        let passive = counted(&["stream.midstream-policy=pass-flow"], false, Target::Midstream);
        assert_eq!(
            passive,
            [
                ("exception_policy.tcp.midstream.pass_packet".to_owned(), 0),
                ("exception_policy.tcp.midstream.pass_flow".to_owned(), 1),
                ("exception_policy.tcp.midstream.bypass".to_owned(), 0),
                ("exception_policy.tcp.midstream.reject".to_owned(), 0),
                ("exception_policy.tcp.midstream.reject_both".to_owned(), 0),
            ]
        );
    }
}
