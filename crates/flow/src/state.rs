//! States of a flow, and reasons of its end.

/// State of a flow, which selects its timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default, PartialOrd, Ord)]
#[repr(u8)]
pub enum FlowState {
    /// Seen in one direction only, or TCP before its handshake is complete.
    #[default]
    New,
    /// Both sides speak.
    Established,
    /// TCP ended by RST or both FINs.
    Closed,
    /// Inspected no more; packets are only counted.
    Bypassed,
}

impl FlowState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::New, Self::Established, Self::Closed, Self::Bypassed];

    /// The value of `flow.state` in EVE records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Established => "established",
            Self::Closed => "closed",
            Self::Bypassed => "bypassed",
        }
    }
}

/// Reasons that a flow is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum EndReason {
    /// No packet for as long as its state allows.
    Timeout,
    /// Memory was short.
    Forced,
    /// The capture ended.
    Shutdown,
    /// A new TCP connection took over the 5-tuple.
    TcpReuse,
}

impl EndReason {
    /// The value of `flow.reason` in EVE records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Forced => "forced",
            Self::Shutdown => "shutdown",
            Self::TcpReuse => "tcp_reuse",
        }
    }
}
