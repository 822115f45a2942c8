//! States of a connection (RFC 9293, 3.3.2), as seen between its ends.

/// Where the connection is. A FIN of the server leads to `FinWait1`, one of the client to
/// `CloseWait`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default, PartialOrd, Ord)]
#[repr(u8)]
pub enum TcpState {
    /// Nothing that begins a connection was seen.
    #[default]
    None,
    /// A SYN.
    SynSent,
    /// A SYN/ACK.
    SynRecv,
    /// The handshake is complete.
    Established,
    /// The server is done.
    FinWait1,
    /// … and the client acknowledged that.
    FinWait2,
    /// Both are done and acknowledged.
    TimeWait,
    /// The client is done, then the server.
    LastAck,
    /// The client is done.
    CloseWait,
    /// Both are done at once.
    Closing,
    /// Over.
    Closed,
}

impl TcpState {
    /// All states.
    pub const ALL: [Self; 11] = [
        Self::None,
        Self::SynSent,
        Self::SynRecv,
        Self::Established,
        Self::FinWait1,
        Self::FinWait2,
        Self::TimeWait,
        Self::LastAck,
        Self::CloseWait,
        Self::Closing,
        Self::Closed,
    ];

    /// The value of `tcp.state` in EVE records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SynSent => "syn_sent",
            Self::SynRecv => "syn_recv",
            Self::Established => "established",
            Self::FinWait1 => "fin_wait1",
            Self::FinWait2 => "fin_wait2",
            Self::TimeWait => "time_wait",
            Self::LastAck => "last_ack",
            Self::CloseWait => "close_wait",
            Self::Closing => "closing",
            Self::Closed => "closed",
        }
    }

    /// The coarse state, that flow timeouts go by.
    pub const fn phase(self) -> Phase {
        match self {
            Self::None | Self::SynSent | Self::SynRecv => Phase::New,
            Self::LastAck | Self::TimeWait | Self::Closed => Phase::Closed,
            _ => Phase::Established,
        }
    }
}

/// The coarse state of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Before the handshake is complete.
    New,
    /// Data may flow.
    Established,
    /// Over.
    Closed,
}
