//! Counters of the flow table, by the names users graph.

weir_base::counters! {
    /// Counters of one flow table.
    pub struct FlowCounters {
        /// Flows not made because memory was short and no flow could be ended.
        memcap => "flow.memcap",
        /// Flows now in the table.
        active => "flow.active",
        /// Flows made.
        total => "flow.total",
        /// TCP flows made.
        tcp => "flow.tcp",
        /// UDP flows made.
        udp => "flow.udp",
        /// ICMPv4 flows made.
        icmpv4 => "flow.icmpv4",
        /// ICMPv6 flows made.
        icmpv6 => "flow.icmpv6",
        /// Flows ended because their 5-tuple was used again.
        tcp_reuse => "flow.tcp_reuse",
        /// Flows found to be elephants.
        elephant => "flow.elephant",
        /// Flows ended early to make room.
        get_used => "flow.get_used",
        /// Flows looked at to make room.
        get_used_eval => "flow.get_used_eval",
        /// Of those, how many were not taken.
        get_used_eval_reject => "flow.get_used_eval_reject",
        /// Times no flow could be ended.
        get_used_failed => "flow.get_used_failed",
        /// Flows that a packet found timed out.
        wrk_flows_evicted => "flow.wrk.flows_evicted",
        /// Flows that ended with reassembly or parsing still to do.
        wrk_flows_evicted_needs_work => "flow.wrk.flows_evicted_needs_work",
        /// Packets made up to finish such flows.
        wrk_flows_evicted_packet_inject => "flow.wrk.flows_evicted_pkt_inject",
        /// Flows that ended in state new.
        end_state_new => "flow.end.state.new",
        /// Flows that ended in state established.
        end_state_established => "flow.end.state.established",
        /// Flows that ended in state closed.
        end_state_closed => "flow.end.state.closed",
        /// Flows that ended bypassed by the engine.
        end_state_local_bypassed => "flow.end.state.local_bypassed",
        /// Flows that ended bypassed by the capture.
        end_state_capture_bypassed => "flow.end.state.capture_bypassed",
        /// Timer entries looked at.
        mgr_flows_checked => "flow.mgr.flows_checked",
        /// Of those, flows with time left.
        mgr_flows_notimeout => "flow.mgr.flows_notimeout",
        /// Of those, flows whose time was over.
        mgr_flows_timeout => "flow.mgr.flows_timeout",
        /// Flows ended by time.
        mgr_flows_evicted => "flow.mgr.flows_evicted",
        /// Times emergency mode began.
        emergency_entered => "flow.emerg_mode_entered",
        /// Times emergency mode ended.
        emergency_over => "flow.emerg_mode_over",
        /// Flows recycled, whatever the reason.
        recycled => "flow.recycler.recycled",
        /// Bytes of flows and table now.
        memuse => "flow.memuse",
    }
}
