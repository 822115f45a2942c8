//! Filters of packets: those that scripts compile in the language of tcpdump, and addresses and networks whose packets are
//! dropped. What `zeek_init` leaves installed is the filter of the capture; later changes are kept and change nothing, as
//! packets do not wait for scripts.
//!
//! Limits: filters of one kind ([`MOST`]).

use std::collections::BTreeMap;

use crate::builtins::{Builtin, argument, count, double, row, text};
use crate::values::Value;
use crate::vm::Engine;

/// Most filters that are kept.
const MOST: usize = 1024;

/// Compiles an expression; what is wrong with it.
pub type Check = fn(&str) -> Result<(), String>;

/// A filter that drops the packets of an address or network, unless they have one of some flags of TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Dropped {
    /// `src` or `dst`.
    end: &'static str,
    /// `host` or `net`, and which.
    what: String,
    is_v6: bool,
    flags: u64,
}

impl Dropped {
    /// Returns what passes, in the language of tcpdump.
    fn passing(&self) -> String {
        let Self { end, what, flags, .. } = self;
        // Flags stand in the byte 13 of the header.
        match (*flags & 0xff, self.is_v6) {
            (0, _) => format!("not {end} {what}"),
            (flags, false) => format!("not ({end} {what} and not (tcp[13] & {flags} != 0))"),
            (flags, true) => format!("not ({end} {what} and not (ip6[6] == 6 and ip6[53] & {flags} != 0))"),
        }
    }
}

/// The filters.
#[derive(Default)]
pub struct Filters {
    /// Compiles expressions, where the program can.
    pub check: Option<Check>,
    /// Expressions by the numbers of their ids.
    compiled: BTreeMap<i64, String>,
    installed: Option<String>,
    /// The last fault.
    error: Option<String>,
    dropped: Vec<Dropped>,
}

impl Filters {
    /// Returns the filter that all of them are together, where there is any.
    pub fn expression(&self) -> Option<String> {
        let installed = self.installed.iter().filter(|text| !text.trim().is_empty());
        let parts: Vec<String> = installed
            .map(|text| format!("({text})"))
            .chain(self.dropped.iter().map(Dropped::passing))
            .collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }

    fn compile(&mut self, id: i64, expression: &str) -> bool {
        self.error = self.check.and_then(|check| check(expression).err());
        let is_kept = self.compiled.len() < MOST || self.compiled.contains_key(&id);
        if self.error.is_none() && is_kept {
            self.compiled.insert(id, expression.to_owned());
        }
        self.error.is_none() && is_kept
    }

    fn install(&mut self, id: i64) -> bool {
        let Some(expression) = self.compiled.get(&id) else { return false };
        self.installed = Some(expression.clone());
        true
    }

    fn drop_packets(&mut self, filter: Dropped) -> bool {
        self.dropped.retain(|known| (known.end, &known.what) != (filter.end, &filter.what));
        let has_room = self.dropped.len() < MOST;
        if has_room {
            self.dropped.push(filter);
        }
        has_room
    }

    fn pass_packets(&mut self, end: &str, what: &str) -> bool {
        let before = self.dropped.len();
        self.dropped.retain(|known| known.end != end || known.what != what);
        self.dropped.len() < before
    }
}

/// Returns what a filter is about, in the language of tcpdump, and whether that is of IPv6.
fn what(engine: &Engine, value: &Value) -> (String, bool) {
    let name =
        String::from_utf8_lossy(&crate::values::text_of(value, engine.types())).replace(['[', ']'], "");
    let is_v6 = name.contains(':');
    (format!("{} {name}", if name.contains('/') { "net" } else { "host" }), is_v6)
}

fn install(engine: &mut Engine, a: &[Value], end: &'static str) -> Value {
    let (what, is_v6) = what(engine, &argument(a, 0));
    // What is dropped by chance only passes.
    let is_certain = double(a, 2) >= 1.0;
    let filter = Dropped { end, what, is_v6, flags: count(a, 1) };
    Value::Bool(!is_certain || engine.frameworks.filters.drop_packets(filter))
}

fn uninstall(engine: &mut Engine, a: &[Value], end: &str) -> Value {
    let (what, _) = what(engine, &argument(a, 0));
    Value::Bool(engine.frameworks.filters.pass_packets(end, &what))
}

/// Functions about filters; their declarations are in the prelude.
pub const ROWS: &[Builtin] = &[
    row("Pcap::precompile_pcap_filter", "", |e, a| {
        Ok(Value::Bool(e.frameworks.filters.compile(argument(a, 0).int(), &text(a, 1))))
    }),
    row("Pcap::install_pcap_filter", "", |e, a| {
        Ok(Value::Bool(e.frameworks.filters.install(argument(a, 0).int())))
    }),
    row("Pcap::get_filter_state", "", |e, a| {
        let is_known = e.frameworks.filters.compiled.contains_key(&argument(a, 0).int());
        let state = if is_known || e.frameworks.filters.check.is_none() { "Pcap::ok" } else { "Pcap::fatal" };
        Ok(e.program.enum_named(state).unwrap_or_default())
    }),
    row("Pcap::get_filter_state_string", "", |e, a| {
        let is_known = e.frameworks.filters.compiled.contains_key(&argument(a, 0).int());
        Ok(Value::string(match &e.frameworks.filters.error {
            Some(error) if !is_known => error,
            _ => "ok",
        }))
    }),
    row("Pcap::error", "", |e, _| {
        Ok(Value::string(e.frameworks.filters.error.as_deref().unwrap_or("no error")))
    }),
    row("install_src_addr_filter", "", |e, a| Ok(install(e, a, "src"))),
    row("install_src_net_filter", "", |e, a| Ok(install(e, a, "src"))),
    row("install_dst_addr_filter", "", |e, a| Ok(install(e, a, "dst"))),
    row("install_dst_net_filter", "", |e, a| Ok(install(e, a, "dst"))),
    row("uninstall_src_addr_filter", "", |e, a| Ok(uninstall(e, a, "src"))),
    row("uninstall_src_net_filter", "", |e, a| Ok(uninstall(e, a, "src"))),
    row("uninstall_dst_addr_filter", "", |e, a| Ok(uninstall(e, a, "dst"))),
    row("uninstall_dst_net_filter", "", |e, a| Ok(uninstall(e, a, "dst"))),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_put_together() {
        let mut filters = Filters::default();
        assert_eq!(filters.expression(), None);
        let of = |end, what: &str, is_v6, flags| Dropped { end, what: what.to_owned(), is_v6, flags };
        assert!(filters.drop_packets(of("src", "host 10.0.0.1", false, 2)));
        assert!(filters.drop_packets(of("src", "host 10.0.0.1", false, 0)));
        assert!(filters.drop_packets(of("dst", "net 2001:db8::/32", true, 2)));
        assert!(filters.compile(1, "tcp or udp") && filters.install(1) && !filters.install(2));
        assert_eq!(
            filters.expression().as_deref(),
            Some(
                "(tcp or udp) and not src host 10.0.0.1 and \
                 not (dst net 2001:db8::/32 and not (ip6[6] == 6 and ip6[53] & 2 != 0))"
            )
        );
        assert!(
            filters.pass_packets("src", "host 10.0.0.1") && !filters.pass_packets("src", "host 10.0.0.1")
        );
        filters.check = Some(|text| Err(format!("{text}: syntax error")));
        assert!(!filters.compile(3, "kaputt"));
        assert_eq!(filters.error.as_deref(), Some("kaputt: syntax error"));
    }
}
