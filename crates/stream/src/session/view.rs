//! A session as `stream_tcp` records show it.

use weir_base::Direction;

use super::{SessionFlags, TcpSession};
use crate::half::{Half, HalfFlags};
use crate::state::TcpState;

/// One side of a session. "It" is the side whose bytes these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideView {
    /// Its initial sequence number.
    pub isn: u32,
    /// After the last byte that it sent.
    pub next_seq: u32,
    /// Highest acknowledgement by the other side.
    pub last_ack: u32,
    /// End of the window it may fill.
    pub next_win: u32,
    /// Where the bytes that are kept begin and end; none where nobody wants them.
    pub kept: Option<(u32, u32)>,
    /// The window that the other side offers.
    pub window: u32,
    /// The scale of that.
    pub scale: u8,
    /// Segments that are kept.
    pub segments: usize,
    /// Bytes that are kept.
    pub buffered: u64,
    flags: HalfFlags,
    timestamp: bool,
    gap: bool,
}

impl SideView {
    fn of(half: &Half, timestamp: bool) -> Self {
        let number = |offset: u64| half.isn.plus(1).plus(offset as u32).0;
        let wanted = half.app_wanted() || half.raw_wanted();
        Self {
            isn: half.isn.0,
            next_seq: half.next_seq.0,
            last_ack: half.last_ack.0,
            next_win: half.next_win.0,
            kept: wanted.then(|| (number(half.segments.base()), number(half.segments.end()))),
            window: half.window,
            scale: half.window_scale,
            segments: half.segments.count(),
            buffered: half.segments.stored(),
            flags: half.flags,
            timestamp,
            gap: half.gaps().0 > 0,
        }
    }

    /// Returns the side's flags, in the words of records.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        [
            (self.gap, "has_gap"),
            (self.kept.is_none(), "noreassembly"),
            (self.flags.contains(HalfFlags::KEEPALIVE), "keepalive"),
            (self.flags.contains(HalfFlags::DEPTH_REACHED), "depth_reached"),
            (self.flags.contains(HalfFlags::RAW_TRIGGER), "trigger_raw"),
            (self.timestamp, "timestamp"),
            (self.flags.contains(HalfFlags::ZERO_TIMESTAMP), "zero_timestamp"),
            (self.flags.contains(HalfFlags::RAW_OFF), "disable_raw"),
            (self.flags.contains(HalfFlags::RESET), "rst_recv"),
        ]
        .into_iter()
        .filter_map(|(holds, word)| holds.then_some(word))
    }
}

impl TcpSession {
    /// Sequence number of the next byte of the side that sends in `direction`; past its FIN once that is acknowledged.
    pub fn next_seq(&self, direction: Direction) -> u32 {
        let half = &self.halves[direction];
        half.next_seq.later(half.last_ack).0
    }

    /// The side that sends in `direction`.
    pub fn side(&self, direction: Direction) -> SideView {
        SideView::of(&self.halves[direction], self.flags.contains(SessionFlags::TIMESTAMP))
    }

    /// The state before the current one.
    pub const fn previous_state(&self) -> TcpState {
        self.previous
    }

    /// Returns the session's flags, in the words of records.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        let has = |flag| self.flags.contains(flag);
        let both = |flag: HalfFlags| {
            self.halves.to_server.flags.contains(flag) && self.halves.to_client.flags.contains(flag)
        };
        let reset = |half: &Half| half.flags.contains(HalfFlags::RESET);
        let by_reset = reset(&self.halves.to_server) || reset(&self.halves.to_client);
        [
            (has(SessionFlags::MIDSTREAM), "midstream"),
            (has(SessionFlags::MIDSTREAM_ESTABLISHED), "midstream_established"),
            (has(SessionFlags::MIDSTREAM_SYNACK), "midstream_synack"),
            (has(SessionFlags::TIMESTAMP), "timestamp"),
            (has(SessionFlags::CLIENT_SCALE), "server_wscale"),
            (by_reset && self.state == TcpState::Closed, "closed_by_rst"),
            (has(SessionFlags::FOUR_WAY), "4whs"),
            (has(SessionFlags::EVASION), "detect_evasion_attempt"),
            (has(SessionFlags::CLIENT_SACK), "client_sackok"),
            (has(SessionFlags::SACK), "sackok"),
            (has(SessionFlags::CONFIRMED), "3whs_confirmed"),
            (both(HalfFlags::APP_OFF), "app_layer_disabled"),
            (has(SessionFlags::BYPASS_TOLD), "bypass"),
            (has(SessionFlags::FAST_OPEN), "tcp_fast_open"),
            (has(SessionFlags::FAST_OPEN_IGNORED), "tfo_data_ignored"),
        ]
        .into_iter()
        .filter_map(|(holds, word)| holds.then_some(word))
    }
}
