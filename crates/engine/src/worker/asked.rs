//! Requests to a worker while it is at work.

use std::sync::Arc;

use weir_base::PerDirection;
use weir_flow::FlowId;
use weir_zeek::{GivenUp, Observer};

use super::Worker;
use crate::memories::{Bound, Memory};
use crate::stats::{AbsentCounters, Totals};

/// Counts of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FlowCounts {
    pub(crate) packets: PerDirection<u64>,
    pub(crate) bytes: PerDirection<u64>,
    /// Seconds from its first packet to the latest.
    pub(crate) age: u64,
}

impl Worker {
    /// Returns the counts of the flow of an id, if it is open.
    pub(crate) fn counts_of(&self, id: FlowId) -> Option<FlowCounts> {
        let core = &self.flows.by_id(id)?.core;
        Some(FlowCounts { packets: core.packets, bytes: core.bytes, age: core.age_seconds() })
    }

    /// Returns what Zeek's logs wrote early, as there was no memory for more.
    pub fn zeek_given_up(&self) -> GivenUp {
        self.rest.recorder.zeek.as_ref().map(Observer::given_up).unwrap_or_default()
    }

    /// All counters.
    pub fn totals(&self) -> Totals {
        let rest = &self.rest;
        let mut totals = Totals::default();
        totals.add(self.decoder.counters());
        totals.add(&self.defrag);
        totals.add(self.flows.counters());
        totals.add(&rest.stream.counters);
        if rest.settings.stats.stream_events {
            totals.add(&rest.stream.events);
        }
        totals.add(&rest.bypassed);
        totals.add(&rest.recorder.mac_counters());
        totals.add(&AbsentCounters);
        if let Some(counters) = self.handing_counters() {
            totals.add(counters);
        }
        if let Some(store) = &rest.file_store {
            totals.add(&store.counters);
        }
        if let Some(log) = &rest.packet_log {
            totals.add(log.counters());
        }
        totals.add(&self.zeek_given_up());
        totals.add(&rest.inspector.counters);
        totals.add(&rest.app);
        if rest.settings.stats.exception_policy_global {
            totals.add(&rest.exceptions);
        }
        if rest.settings.inline {
            totals.add(&rest.verdicts.counters);
        }
        if rest.firewalled {
            totals.add(&rest.verdicts.firewall);
        }
        totals
    }

    /// Holds to another bound from now on.
    pub(crate) fn set_bound(&mut self, bound: Bound) {
        bound.set(Arc::make_mut(&mut self.rest.settings));
        match bound.memory {
            Memory::Stream | Memory::Reassembly => {}
            Memory::Flow => self.flows.set_memcap(bound.bytes),
            Memory::Defrag => {
                self.defrag.set_memcap(usize::try_from(bound.bytes).unwrap_or(usize::MAX));
            }
        }
        if let Some(tunnels) = &mut self.tunnels {
            tunnels.set_bound(bound);
        }
    }
}
