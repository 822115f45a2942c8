//! Settings of the stream engine.

/// Treatment of the byte that the urgent pointer marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UrgentPolicy {
    /// It is no part of the stream, as most sockets have it.
    #[default]
    OutOfBand,
    /// It is a byte as any other.
    Inline,
    /// The packet is dropped.
    Drop,
    /// The packet's data counts as missing.
    Gap,
}

/// Settings of the stream engine; one for all sessions of a worker.
///
/// It has a field for each setting of `stream`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamSettings {
    /// Most bytes of sessions, zero for no limit.
    pub memcap: u64,
    /// Most bytes of reassembly, zero for no limit. What lies beyond the depth may take as many as are left of them, and
    /// is not counted otherwise.
    pub reassembly_memcap: u64,
    /// Bytes of each direction that are reassembled, zero for no limit.
    pub depth: u64,
    /// Whether sessions are picked up after their handshake.
    pub midstream: bool,
    /// Whether sessions are followed of which only one side is seen.
    pub async_oneside: bool,
    /// Whether a hole is given up, and the end of one side told of, as soon as it was acknowledged, though more may
    /// yet come.
    pub eager: bool,
    /// Whether the sink gets such holes and ends where that is not so.
    pub tells_early: bool,
    /// Whether the sink is told of what lies beyond the depth ([`Recipients::ZeekBeyondDepth`](weir_base::Recipients::ZeekBeyondDepth)), as long as a protocol
    /// parser wants the direction and nothing before is retained. Not where packets can be dropped.
    pub tells_beyond: bool,
    /// Whether packets can be dropped, so that bytes are handed out as they come.
    pub inline: bool,
    /// Whether packets that do not fit their session are taken all the same: whatever they acknowledge, wherever they
    /// lie in the window, and whenever they say that they were sent.
    pub lenient: bool,
    /// Whether packets that do not fit their session are dropped when inline.
    pub drop_invalid: bool,
    /// Whether a session is bypassed when nobody wants more of either direction.
    pub bypass: bool,
    /// Most different SYNs remembered of a session.
    pub max_syn_queued: u8,
    /// Most different SYN/ACKs remembered of a session.
    pub max_synack_queued: u8,
    /// Bytes to the server that are inspected at once.
    pub chunk_to_server: u32,
    /// Bytes to the client that are inspected at once.
    pub chunk_to_client: u32,
    /// Whether the stream is kept for inspection beside the protocol parser.
    pub raw: bool,
    /// Whether timestamps may be one behind whatever the host's system, as Linux has it.
    pub liberal_timestamps: bool,
    /// Treatment of urgent data.
    pub urgent: UrgentPolicy,
    /// Treatment of urgent data past the number of bytes that are tracked.
    pub urgent_limit: UrgentPolicy,
    /// Most regions of a direction that lie far apart.
    pub max_regions: u8,
    /// Whether bytes that overlap are compared.
    pub check_overlap: bool,
    /// Whether as much stays of what everybody is done with as the other side's window had room for: what comes
    /// again lies there.
    pub keeps_window: bool,
}

impl StreamSettings {
    /// Bytes that segments may take still, where all of them take `used`.
    pub(crate) const fn free_memory(&self, used: u64) -> u64 {
        match self.reassembly_memcap {
            0 => u64::MAX,
            memcap => memcap.saturating_sub(used),
        }
    }
}

impl Default for StreamSettings {
    fn default() -> Self {
        Self {
            memcap: 64 << 20,
            reassembly_memcap: 256 << 20,
            depth: 1 << 20,
            midstream: false,
            async_oneside: false,
            eager: false,
            lenient: false,
            tells_early: false,
            tells_beyond: false,
            inline: false,
            drop_invalid: true,
            bypass: false,
            max_syn_queued: 10,
            max_synack_queued: 5,
            chunk_to_server: 2560,
            chunk_to_client: 2560,
            raw: true,
            liberal_timestamps: true,
            urgent: UrgentPolicy::OutOfBand,
            urgent_limit: UrgentPolicy::Drop,
            max_regions: 8,
            check_overlap: true,
            keeps_window: false,
        }
    }
}
