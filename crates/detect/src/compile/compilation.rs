//! From rules, one after the other, to a ruleset.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use weir_mpm::BuildError;
use weir_rules::{Action, Diagnostic, Resolver, Rule, RuleHash, RuleInfo, Span, SyntaxError};

use super::heads::Heads;
use super::notices::notices;
use super::{Compiled, Environment, Failure, Reason, compile, compile_firewall};
use crate::model::firewall::Policies;
use crate::model::signature::Signature;
use crate::ruleset::{Ruleset, Surroundings};

/// Outcome of loading rules.
#[derive(Debug)]
pub struct Loaded {
    /// The rules that can be used.
    pub ruleset: Ruleset,
    /// Those of detection that cannot.
    pub failures: Vec<Failure>,
    /// Those of the firewall that cannot.
    pub firewall_failures: Vec<Failure>,
    /// Warnings about those that can.
    pub warnings: Vec<Diagnostic>,
}

/// The order of actions (`action-order`), the first to be applied first.
pub type ActionOrder = [Action; 4];

/// The documented order.
pub const DEFAULT_ACTION_ORDER: ActionOrder = [Action::Pass, Action::Drop, Action::Reject, Action::Alert];

/// Rules compiled so far, and those that could not be. A rule need not be kept once it is added.
pub struct Compilation<'a, 'r> {
    environment: &'a Environment,
    resolver: &'a mut Resolver<'r>,
    firewall: RuleList,
    detection: RuleList,
    failures: Vec<Failure>,
    firewall_failures: Vec<Failure>,
}

impl<'a, 'r> Compilation<'a, 'r> {
    /// No rules yet.
    pub fn new(environment: &'a Environment, resolver: &'a mut Resolver<'r>) -> Self {
        let (firewall, detection) = (RuleList::default(), RuleList::default());
        Self {
            environment,
            resolver,
            firewall,
            detection,
            failures: Vec::new(),
            firewall_failures: Vec::new(),
        }
    }

    /// Adds a rule of detection.
    pub fn add(&mut self, rule: &Rule) {
        let environment = self.environment;
        let known = environment.known.as_ref().filter(|known| known.conditions == environment.conditions);
        let (conditions, pool) = (environment.conditions, environment.pool.as_deref());
        let mut again = known.and_then(|known| known.find(rule));
        if let (None, Some(pool)) = (&again, pool) {
            again = pool.find(conditions, rule, self.resolver);
        }
        let compiled = match again {
            Some(known) => Ok(Compiled::again(known)),
            None => compile(rule, environment, self.resolver).inspect(|compiled| {
                pool.into_iter().for_each(|pool| pool.add(conditions, &compiled.signature));
            }),
        };
        let added = compiled.and_then(|compiled| self.detection.add(rule, compiled));
        self.failures.extend(added.err());
    }

    /// Adds a rule of the firewall.
    pub fn add_firewall(&mut self, rule: &Rule) {
        let compiled = compile_firewall(rule, self.environment, self.resolver);
        let added = compiled.and_then(|compiled| self.firewall.add(rule, compiled));
        self.firewall_failures.extend(added.err());
    }

    /// Groups the rules; `policies` where there is to be a firewall. Its rules come first, in the order
    /// they are written.
    pub fn finish(self, policies: Option<&Policies>, order: &ActionOrder) -> Result<Loaded, BuildError> {
        let Self { environment, resolver, firewall, mut detection, failures, firewall_failures } = self;
        detection.sort(order);
        let mut signatures = firewall.signatures;
        match signatures.is_empty() {
            true => signatures = detection.signatures,
            false => signatures.append(&mut detection.signatures),
        }
        let notices = policies.map(|policies| (policies, notices(environment, resolver)));
        let ruleset = Ruleset::new(signatures, notices, surroundings(environment))?;
        let warnings = firewall.warnings.into_values().chain(detection.warnings.into_values());
        Ok(Loaded { ruleset, failures, firewall_failures, warnings: warnings.flatten().collect() })
    }
}

fn surroundings(environment: &Environment) -> Surroundings<'_> {
    Surroundings {
        names: &environment.names,
        thresholds: &environment.thresholds,
        predecessor: environment.predecessor.as_ref(),
        datasets: &environment.datasets,
        reputations: &environment.reputations,
        host_tags: &environment.host_tags,
        scripts: environment.scripts.as_ref().ok(),
        protocols: environment.fields.protocols(),
        matcher_cache: environment.matcher_cache.as_ref(),
        conditions: environment.conditions,
    }
}

/// Rules of one kind, in the order they are written.
#[derive(Default)]
struct RuleList {
    signatures: Vec<Signature>,
    /// Positions by group and number.
    known: HashMap<(u32, u32), usize, RuleHash>,
    /// By position.
    warnings: BTreeMap<usize, Vec<Diagnostic>>,
    heads: Heads,
}

impl RuleList {
    /// Adds a rule. Of two with the same number the higher revision stays, as rule managers expect.
    fn add(&mut self, rule: &Rule, mut compiled: Compiled) -> Result<(), Failure> {
        compiled.signature.head = self.heads.shared(&compiled.signature.head);
        let info = Arc::clone(&compiled.signature.info);
        let next = self.signatures.len();
        let position = *self.known.entry((info.gid, info.sid)).or_insert(next);
        match self.signatures.get_mut(position) {
            Some(earlier) if earlier.info.rev >= info.rev => Err(duplicate(rule, &info)),
            Some(earlier) => {
                *earlier = compiled.signature;
                let mut warnings = compiled.warnings;
                warnings.push(replaced(rule, &info));
                self.warnings.insert(position, warnings);
                Ok(())
            }
            None => {
                self.signatures.push(compiled.signature);
                self.warnings
                    .extend((!compiled.warnings.is_empty()).then_some((position, compiled.warnings)));
                Ok(())
            }
        }
    }

    /// Orders by action, then by shared state (what sets before what reads), then by priority, then as
    /// loaded.
    fn sort(&mut self, order: &ActionOrder) {
        let rank = |action: Action| -> u8 {
            let plain = match action {
                Action::RejectSrc | Action::RejectDst | Action::RejectBoth => Action::Reject,
                Action::Config | Action::Accept => Action::Pass,
                other => other,
            };
            (0..).zip(order).find(|(_, a)| **a == plain).map_or(u8::MAX, |(rank, _)| rank)
        };
        // One number, for tens of thousands are compared.
        self.signatures.sort_by_cached_key(|signature| {
            let [first, second, third] = signature.effects.state_use.rank();
            let state = u32::from_be_bytes([rank(signature.head.action), first, second, third]);
            u64::from(state) << 32 | u64::from(signature.info.priority)
        });
    }
}

fn replaced(rule: &Rule, info: &RuleInfo) -> Diagnostic {
    let message = format!(
        "Signature with newer revision, so the older sig {} replaced by this new signature",
        info.sid
    );
    rule.warning(SyntaxError::new(signature_id(rule), message))
}

/// Where the rule's number stands.
fn signature_id(rule: &Rule) -> Span {
    rule.option("sid").map_or(rule.protocol.name.span(), |option| option.span)
}

fn duplicate(rule: &Rule, info: &RuleInfo) -> Failure {
    let message = format!("Duplicate signature \"{}\"", rule.text());
    let error = SyntaxError::new(signature_id(rule), message).with_help(format!(
        "the signature id {} is in use by another rule: give the rule an id of its own, or a higher revision",
        info.sid
    ));
    Failure { reason: Reason::Duplicate, diagnostic: Box::new(rule.error(error)) }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use weir_rules::RuleReader;

    use super::*;
    use crate::model::fields::FieldCatalogue;
    use crate::model::pool::RulePool;
    use crate::model::signature::{Conditions, Kind, KnownRules};

    /// Rules of a file, compiled where those of `before` are known under other conditions or the same ones.
    fn load(file: &str, text: &str, known: Option<KnownRules>, conditions: u64) -> Ruleset {
        let conditions = Conditions { variables: 0, rest: conditions };
        let environment = Environment { known, conditions, ..Environment::bare(FieldCatalogue::new(&[])) };
        let none = weir_rules::VariableMap::default();
        let mut resolver = Resolver::new(&none);
        let mut compilation = Compilation::new(&environment, &mut resolver);
        RuleReader::new(text.as_bytes(), file).for_each(|rule| compilation.add(&rule));
        let loaded = compilation.finish(None, &DEFAULT_ACTION_ORDER).expect("rules are grouped");
        assert_eq!(loaded.failures.len(), 0, "{:?}", loaded.failures);
        loaded.ruleset
    }

    #[test]
    fn rules_that_have_not_changed_are_compiled_once() {
        const BEFORE: &str = "alert tcp any any -> any any (msg:\"a\"; content:\"abc\"; sid:1;)\n\
            alert tcp any any -> any any (msg:\"b\"; content:\"def\"; sid:2;)\n\
            alert ip any any -> any any (msg:\"c\"; ip.src; dataset:set,seen,type ip; sid:3;)\n";
        const AFTER: &str = "alert tcp any any -> any any (msg:\"new\"; content:\"ghi\"; priority:1; sid:4;)\n\
            alert tcp any any -> any any (msg:\"b\"; content:\"other\"; sid:2; rev:2;)\n\
            alert tcp any any -> any any (msg:\"a\"; content:\"abc\"; sid:1;)\n\
            alert ip any any -> any any (msg:\"c\"; ip.src; dataset:set,seen,type ip; sid:3;)\n";
        // The file of the rules after, their conditions, and which of them were known.
        for (file, conditions, expected) in
            [("a.rules", 7, &[1][..]), ("other.rules", 7, &[]), ("a.rules", 8, &[])]
        {
            let before = load("a.rules", BEFORE, None, 7);
            let after = load(file, AFTER, Some(before.known_rules()), conditions);
            let known = |signature: &&Signature| {
                let mut earlier = before.signatures().iter();
                earlier.any(|earlier| Arc::ptr_eq(earlier.compiled(), signature.compiled()))
            };
            let same: Vec<u32> =
                after.signatures().iter().filter(known).map(|known| known.info.sid).collect();
            assert_eq!(same, expected, "{file} {conditions}");
            let places: Vec<(u32, u32, u32)> =
                after.signatures().iter().map(|rule| (rule.info.sid, rule.index.0, rule.line)).collect();
            assert_eq!(places.len(), 4);
            assert!(places.contains(&(1, places.iter().position(|place| place.0 == 1).unwrap() as u32, 3)));
        }
    }

    /// Rules of a tenant for which a name means these addresses, and its conditions.
    fn of_tenant(pool: &Arc<RulePool>, addresses: &str) -> Ruleset {
        let variables = RuleHash::default().hash_one(addresses);
        let conditions = Conditions { variables, rest: 7 };
        let pool = Some(Arc::clone(pool));
        let environment = Environment { pool, conditions, ..Environment::bare(FieldCatalogue::new(&[])) };
        let mut names = weir_rules::VariableMap::default();
        names.addresses.insert("A".to_owned(), addresses.to_owned());
        let mut resolver = Resolver::new(&names);
        let mut compilation = Compilation::new(&environment, &mut resolver);
        let text = "alert tcp $A any -> any any (msg:\"a\"; content:\"abc\"; sid:1;)\n\
            alert ip $A any -> any any (msg:\"b\"; sid:2;)\n\
            alert ip $A any -> any any (msg:\"c\"; hostbits:set,bad,src; sid:3;)\n";
        RuleReader::new(text.as_bytes(), "a.rules").for_each(|rule| compilation.add(&rule));
        let loaded = compilation.finish(None, &DEFAULT_ACTION_ORDER).expect("rules are grouped");
        assert_eq!(loaded.failures.len(), 0, "{:?}", loaded.failures);
        loaded.ruleset
    }

    #[test]
    fn tenants_share_what_addresses_do_not_change() {
        let pool = Arc::default();
        let first = of_tenant(&pool, "10.0.0.1");
        for (addresses, sid, same_rule, same_head, kind) in [
            ("10.0.0.1", 1, true, true, None),
            ("10.0.0.1", 2, true, true, Some(Kind::IpOnly)),
            // It has a table of what hosts did.
            ("10.0.0.1", 3, false, false, None),
            ("!10.0.0.2", 1, true, false, None),
            ("!10.0.0.2", 2, true, false, Some(Kind::LikeIpOnly)),
            ("!10.0.0.2", 3, false, false, None),
        ] {
            let other = of_tenant(&pool, addresses);
            let rule = |ruleset: &Ruleset| {
                let rule = ruleset.signatures().iter().find(|rule| rule.info.sid == sid).expect("a rule");
                (Arc::clone(rule.compiled()), Arc::clone(&rule.head), rule.kind)
            };
            let (one, another) = (rule(&first), rule(&other));
            assert_eq!(Arc::ptr_eq(&one.0, &another.0), same_rule, "{addresses} {sid}");
            assert_eq!(Arc::ptr_eq(&one.1, &another.1), same_head, "{addresses} {sid}");
            assert!(kind.is_none_or(|kind| kind == another.2), "{addresses} {sid}");
        }
        drop(first);
        pool.forget_gone();
        assert_eq!(format!("{pool:?}"), "RulePool { rules: 0 }");
    }
}
