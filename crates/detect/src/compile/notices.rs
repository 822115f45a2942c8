//! The signatures that stand for the policies of the firewall.

use weir_rules::{Resolver, parse_rule};

use super::{Decide, Environment, compile_rule};
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

const NOTICE_OF_PACKETS: FirewallRule =
    FirewallRule { table: Table::PacketFilter, ruling: Ruling::Open, pass: None };
const NOTICE_OF_STATES: FirewallRule =
    FirewallRule { table: Table::AppFilter, ruling: Ruling::Open, pass: None };

/// The signatures that alerts of policies bear, first that of packets, then that of states. No
/// packet is ever looked at for them.
pub(super) fn notices(environment: &Environment, resolver: &mut Resolver<'_>) -> Vec<Signature> {
    let signature = |(table, text): &(Table, &str)| {
        let (rule, _) = parse_rule(text, "built-in", 0).ok()?;
        let notice: Decide = match table {
            Table::PacketFilter => |_, _| Ok(Some(NOTICE_OF_PACKETS)),
            _ => |_, _| Ok(Some(NOTICE_OF_STATES)),
        };
        compile_rule(&rule, environment, resolver, notice).ok().map(|compiled| compiled.signature)
    };
    NOTICES.iter().filter_map(signature).collect()
}
