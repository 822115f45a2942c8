//! Counters by protocol, with the names users graph: `app_layer.flow.<proto>`,
//! `app_layer.tx.<proto>`, `app_layer.error.<proto>.{gap,alloc,parser,internal}`. A protocol that is
//! enabled on both transports is counted as `<proto>_tcp` and `<proto>_udp`.

use std::sync::Arc;

use weir_base::{CounterVisitor, Counters};

use crate::protocol::{NO_EVE_NAME, Protocol, Transport};
use crate::registry::{ProtocolId, Registry};

/// Counts of one protocol on one transport.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct FlowCounters {
    /// Flows that speak it.
    pub flows: u64,
    /// Transactions.
    pub transactions: u64,
    /// Flows whose parser was closed at a gap.
    pub gap_errors: u64,
    /// Flows whose memory ran out.
    pub alloc_errors: u64,
    /// Flows whose bytes made no sense to the parser.
    pub parser_errors: u64,
    /// Flows given up because a limit of the engine was reached.
    pub internal_errors: u64,
}

/// Counters with names: those of one protocol and transport.
#[derive(Debug)]
struct Row {
    name: String,
    index: usize,
    transport: Transport,
}

/// The protocol counters of one worker.
#[derive(Clone, Debug)]
pub struct AppLayerCounters {
    rows: Arc<[Row]>,
    flows: Vec<FlowCounters>,
    /// TCP flows in which nothing was recognised.
    pub failed_tcp: u64,
    /// UDP flows in which nothing was recognised.
    pub failed_udp: u64,
    /// Frames left out because too many of their direction were open.
    pub frames_refused: u64,
    /// Records of transactions and their anomalies that were left out because flows had very many for their bytes.
    pub records_left_out: u64,
}

/// Where a protocol's counters on a transport stand.
fn position(id: ProtocolId, transport: Transport) -> usize {
    usize::from(id.0) * 2 + usize::from(transport == Transport::Udp)
}

impl AppLayerCounters {
    /// All zero, for the protocols of `registry`.
    pub fn new(registry: &Registry) -> Self {
        let mut rows = Vec::new();
        // Counters are of what records name.
        let named = |protocol: &Protocol| protocol.eve_name != NO_EVE_NAME;
        for (index, entry) in registry.entries().iter().enumerate().filter(|(_, entry)| named(entry.protocol))
        {
            let id = ProtocolId(index as u16);
            let both = entry.tcp.is_told() && entry.udp.is_told();
            for (transport, suffix) in [(Transport::Tcp, "_tcp"), (Transport::Udp, "_udp")] {
                if entry.enabled(transport).is_told() {
                    let suffix = if both { suffix } else { "" };
                    let name = format!("{}{suffix}", entry.protocol.eve_name);
                    rows.push(Row { name, index: position(id, transport), transport });
                }
            }
        }
        let flows = vec![FlowCounters::default(); registry.entries().len() * 2];
        Self {
            rows: rows.into(),
            flows,
            failed_tcp: 0,
            failed_udp: 0,
            frames_refused: 0,
            records_left_out: 0,
        }
    }

    /// The counters of a protocol on a transport.
    pub fn of(&mut self, id: ProtocolId, transport: Transport) -> Option<&mut FlowCounters> {
        self.flows.get_mut(position(id, transport))
    }

    /// Adds another worker's counts, made for the same registry.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.flows.iter_mut().zip(&other.flows) {
            mine.flows += theirs.flows;
            mine.transactions += theirs.transactions;
            mine.gap_errors += theirs.gap_errors;
            mine.alloc_errors += theirs.alloc_errors;
            mine.parser_errors += theirs.parser_errors;
            mine.internal_errors += theirs.internal_errors;
        }
        self.failed_tcp += other.failed_tcp;
        self.failed_udp += other.failed_udp;
        self.frames_refused += other.frames_refused;
        self.records_left_out += other.records_left_out;
    }

    fn rows(&self) -> impl Iterator<Item = (&Row, FlowCounters)> {
        self.rows.iter().map(|row| (row, self.flows.get(row.index).copied().unwrap_or_default()))
    }
}

impl Counters for AppLayerCounters {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        for (row, counts) in self.rows() {
            visitor.counter(&format!("app_layer.flow.{}", row.name), counts.flows);
        }
        visitor.counter("app_layer.flow.failed_tcp", self.failed_tcp);
        visitor.counter("app_layer.flow.failed_udp", self.failed_udp);
        for (row, counts) in self.rows() {
            visitor.counter(&format!("app_layer.tx.{}", row.name), counts.transactions);
        }
        for (row, counts) in self.rows() {
            let name = &row.name;
            // A datagram flow has no gaps.
            if row.transport == Transport::Tcp {
                visitor.counter(&format!("app_layer.error.{name}.gap"), counts.gap_errors);
            }
            visitor.counter(&format!("app_layer.error.{name}.alloc"), counts.alloc_errors);
            visitor.counter(&format!("app_layer.error.{name}.parser"), counts.parser_errors);
            visitor.counter(&format!("app_layer.error.{name}.internal"), counts.internal_errors);
        }
        visitor.counter("app_layer.frames_refused", self.frames_refused);
        visitor.counter("app_layer.records_left_out", self.records_left_out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    #[test]
    fn names() {
        let registry = toy::registry();
        let mut counters = AppLayerCounters::new(&registry);
        let binary = registry.id_of(&toy::BINARY).unwrap();
        counters.of(binary, Transport::Udp).unwrap().flows = 3;
        let mut sum = counters.clone();
        sum.add(&counters);
        let mut listed = Vec::new();
        sum.visit(&mut |name: &str, value: u64| listed.push((name.to_owned(), value)));
        let value = |name: &str| listed.iter().find(|(listed, _)| listed == name).map(|&(_, value)| value);
        assert_eq!(value("app_layer.flow.line"), Some(0));
        assert_eq!(value("app_layer.flow.bin_udp"), Some(6));
        assert_eq!(value("app_layer.error.bin_tcp.gap"), Some(0));
        assert_eq!(value("app_layer.error.bin_udp.gap"), None);
        assert_eq!(value("app_layer.flow.failed_tcp"), Some(0));
        assert_eq!(value("app_layer.flow.failed"), None, "no counter of a protocol that records do not name");
    }
}
