//! The signatures that stand for the policies of the firewall.

use weir_rules::{Resolver, parse_rule};

use super::{Environment, compile};
use crate::model::firewall::{FirewallRule, Ruling, Table};
use crate::model::signature::Signature;

/// Rules that stand in alerts of policies: of packets, and of states.
const NOTICES: [(Table, &str); 2] = [
    (
        Table::PacketFilter,
        "alert ip any any -> any any (msg:\"SURICATA FW default packet policy\"; sid:2201000; rev:1;)",
    ),
    (
        Table::AppFilter,
        "alert ip any any -> any any (msg:\"SURICATA FW default app policy\"; sid:2201001; rev:1;)",
    ),
];

/// The signatures that alerts of policies bear, first that of packets, then that of states. No
/// packet is ever looked at for them.
pub(super) fn notices(environment: &Environment, resolver: &mut Resolver<'_>) -> Vec<Signature> {
    let mut signature = |(table, text): &(Table, &str)| {
        let (rule, _) = parse_rule(text, "built-in", 0).ok()?;
        let mut signature = compile(&rule, environment, resolver).ok()?.signature;
        let pass = None;
        signature.head.firewall = Some(Box::new(FirewallRule { table: *table, ruling: Ruling::Open, pass }));
        Some(signature)
    };
    NOTICES.iter().filter_map(&mut signature).collect()
}
