//! Compiled rules that the rulesets of tenants have in common.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use weir_rules::{Resolver, Rule, RuleHash, SyntaxError};

use super::signature::{CompiledRule, Conditions, Head, Kind, Reuse, Side, Signature};

/// Compiled rules of all tenants: those share them that have the same rule of the same file. Where names in its head mean
/// the same to both, they share the head as well. Locked while rules are loaded, never on the packet path.
#[derive(Default)]
pub struct RulePool(Mutex<Pooled>);

type Pooled = HashMap<Arc<str>, Entry, RuleHash>;

/// A rule, as it was compiled last.
struct Entry {
    conditions: Conditions,
    kind: Kind,
    head: Weak<Head>,
    compiled: Weak<CompiledRule>,
}

impl RulePool {
    fn rules(&self) -> MutexGuard<'_, Pooled> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what a rule of the same text and file was compiled to, with a head in which names mean what `resolver` says.
    pub(crate) fn find(
        &self,
        conditions: Conditions,
        rule: &Rule,
        resolver: &mut Resolver<'_>,
    ) -> Option<Signature> {
        let mut rules = self.rules();
        let entry = rules.get_mut(&**rule.text()).filter(|entry| entry.conditions.rest == conditions.rest)?;
        let (mut head, compiled) = (entry.head.upgrade()?, entry.compiled.upgrade()?);
        if *compiled.info.file != **rule.file() {
            return None;
        }
        if entry.conditions.variables != conditions.variables {
            head = Arc::new(resolved(&head, rule, resolver).ok()?);
            let kind = entry.kind.with_addresses(rule, resolver);
            (entry.conditions, entry.kind, entry.head) = (conditions, kind, Arc::downgrade(&head));
        }
        Some(Signature::new(entry.kind, head, compiled, rule.line()))
    }

    /// Takes note of a rule, if other tenants may have it.
    pub(crate) fn add(&self, conditions: Conditions, rule: &Signature) {
        if rule.reuse == Reuse::Tenants {
            let (head, compiled) = (Arc::downgrade(&rule.head), Arc::downgrade(rule.compiled()));
            let entry = Entry { conditions, kind: rule.kind, head, compiled };
            self.rules().insert(Arc::clone(&rule.info.text), entry);
        }
    }

    /// Forgets rules that no ruleset has any more.
    pub fn forget_gone(&self) {
        self.rules().retain(|_, entry| entry.compiled.strong_count() > 0);
    }
}

impl std::fmt::Debug for RulePool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RulePool").field("rules", &self.rules().len()).finish()
    }
}

/// A head as it is where names mean what `resolver` says. Rules of a firewall are not pooled.
fn resolved(head: &Head, rule: &Rule, resolver: &mut Resolver<'_>) -> Result<Head, SyntaxError> {
    Ok(Head {
        action: head.action,
        scope: head.scope,
        hook: head.hook,
        firewall: None,
        protocols: head.protocols,
        app_protocols: head.app_protocols.clone(),
        source: Side::resolved(&rule.source, &rule.source_ports, resolver)?,
        destination: Side::resolved(&rule.destination, &rule.destination_ports, resolver)?,
        direction: head.direction,
        flow: head.flow,
    })
}

impl Kind {
    /// The kind of a rule where names in its head mean what `resolver` says: the index by addresses holds no negated ones.
    pub(crate) fn with_addresses(self, rule: &Rule, resolver: &Resolver<'_>) -> Self {
        match self {
            Kind::IpOnly | Kind::LikeIpOnly => {
                let negated = resolver.negates(&rule.source) || resolver.negates(&rule.destination);
                if negated { Kind::LikeIpOnly } else { Kind::IpOnly }
            }
            kind => kind,
        }
    }
}
