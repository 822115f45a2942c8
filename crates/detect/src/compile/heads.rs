//! Heads that rules share: of tens of thousands of rules most have one of a few hundred heads.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ahash::RandomState;
use weir_base::keyed_hash;

use crate::model::signature::{Head, Side};

/// Heads of the rules so far.
pub(super) struct Heads(HashSet<ByValue, RandomState>);

impl Default for Heads {
    fn default() -> Self {
        Self(HashSet::with_hasher(keyed_hash()))
    }
}

/// A head that is told apart by what it says. Its sets of addresses and ports are told apart by their places, since the
/// resolver gives equal sets out once.
struct ByValue(Arc<Head>);

impl Heads {
    /// Returns the head of an earlier rule that says the same, else this one. Decisions of the firewall are never shared.
    pub(super) fn shared(&mut self, head: &Arc<Head>) -> Arc<Head> {
        if head.firewall.is_some() {
            return Arc::clone(head);
        }
        let head = ByValue(Arc::clone(head));
        if let Some(known) = self.0.get(&head) {
            return Arc::clone(&known.0);
        }
        let shared = Arc::clone(&head.0);
        self.0.insert(head);
        shared
    }
}

fn place(side: &Side) -> [usize; 2] {
    [Arc::as_ptr(&side.addresses).addr(), Arc::as_ptr(&side.ports).addr()]
}

impl Hash for ByValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Head { action, protocols, app_protocols, source, destination, flow, .. } = self.0.as_ref();
        (action, protocols, flow, place(source), place(destination)).hash(state);
        app_protocols.iter().for_each(|protocol| protocol.name.hash(state));
    }
}

impl PartialEq for ByValue {
    fn eq(&self, other: &Self) -> bool {
        let Head {
            action,
            scope,
            hook,
            firewall,
            protocols,
            app_protocols,
            source,
            destination,
            direction,
            flow,
        } = self.0.as_ref();
        let other = other.0.as_ref();
        let has_protocols = |others: &[&'static weir_applayer::Protocol]| {
            app_protocols.iter().map(|protocol| protocol.name).eq(others.iter().map(|other| other.name))
        };
        firewall.is_none()
            && other.firewall.is_none()
            && (action, scope, hook, direction)
                == (&other.action, &other.scope, &other.hook, &other.direction)
            && (protocols, flow) == (&other.protocols, &other.flow)
            && place(source) == place(&other.source)
            && place(destination) == place(&other.destination)
            && has_protocols(&other.app_protocols)
    }
}

impl Eq for ByValue {}

#[cfg(test)]
mod tests {
    use weir_rules::{Resolver, RuleReader, VariableMap};

    use super::super::{Environment, compile};
    use super::*;
    use crate::model::fields::FieldCatalogue;

    #[test]
    fn equal_heads_are_one() {
        let environment = Environment::bare(FieldCatalogue::new(&[]));
        let variables = VariableMap::default();
        let mut resolver = Resolver::new(&variables);
        let mut heads = Heads::default();
        let mut head = |rule: &str| {
            let rule = RuleReader::new(rule.as_bytes(), "a.rules").next().expect("a rule");
            let compiled = compile(&rule, &environment, &mut resolver).expect("a rule that compiles");
            heads.shared(&compiled.signature.head)
        };
        let first = head("alert tcp 10.0.0.1 any -> any 80 (sid:1;)");
        assert!(Arc::ptr_eq(&first, &head("alert tcp 10.0.0.1 any -> any 80 (sid:2;)")));
        for other in [
            "drop tcp 10.0.0.1 any -> any 80 (sid:3;)",
            "alert udp 10.0.0.1 any -> any 80 (sid:3;)",
            "alert tcp 10.0.0.2 any -> any 80 (sid:3;)",
            "alert tcp 10.0.0.1 any -> any 81 (sid:3;)",
            "alert tcp 10.0.0.1 any <> any 80 (sid:3;)",
            "alert tcp 10.0.0.1 any -> any 80 (flow:established; sid:3;)",
        ] {
            let shared = head(other);
            assert!(!Arc::ptr_eq(&first, &shared), "{other}");
            assert!(Arc::ptr_eq(&shared, &head(other)), "{other}");
        }
    }
}
