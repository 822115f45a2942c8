//! Forks for Zeek's logs, which read on where rules and EVE do otherwise: at gaps, ends and what is malformed.

use std::sync::Arc;

use weir_applayer::ParseContext;
use weir_base::Direction;

use super::super::request::RequestState;
use super::super::response::ResponseState;
use super::super::transaction::HttpTransaction;
use super::{HttpParser, Side};

impl Side {
    /// Forks the side for Zeek's logs alone, with these bytes behind those that wait.
    fn fork(&self, unread: &[u8]) -> Self {
        Self {
            pending: [&self.pending, unread].concat(),
            current: self.current,
            left: self.left,
            in_trailer: self.in_trailer,
            swallow: self.swallow,
            closed: self.closed,
            position: self.position,
            end: self.end,
            had_body: self.had_body,
            ..Self::default()
        }
    }
}

impl HttpParser {
    /// Gives Zeek's logs a parser of their own, which has read all but the `unread` bytes that came before the push at
    /// hand, and what follows the first `taken` bytes of that.
    pub(super) fn fork_at(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        unread: &[u8],
        taken: usize,
    ) {
        let parser = self.fork_behind(direction, unread);
        cx.fork(taken, parser);
    }

    pub(super) fn fork_behind(&mut self, direction: Direction, unread: &[u8]) -> Box<Self> {
        let of = |way: Direction| if way == direction { unread } else { &[] };
        let mut zeek = Self {
            transactions: self.transactions.fork(HttpTransaction::fork),
            request: self.request.fork(of(Direction::ToServer)),
            request_state: match self.request_state {
                // Zeek waits for whole lines before it begins.
                RequestState::Line => RequestState::Idle,
                state => state,
            },
            response: self.response.fork(of(Direction::ToClient)),
            response_state: self.response_state,
            flow: self.flow,
            persistence: self.persistence,
            as_zeek: true,
            ..Self::new(Arc::clone(&self.settings), Arc::clone(&self.ranges))
        };
        if self.is_end_assumed {
            zeek.request.closed = false;
        }
        self.forked = true;
        Box::new(zeek)
    }

    /// Forks at a gap, unless it lies within a body that goes on.
    pub(super) fn fork_at_gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) {
        if cx.may_fork() && (!self.is_within_body(direction, length) || self.is_in_chunk(direction)) {
            self.fork_at(cx, direction, &[], 0);
        }
    }

    /// Whether the data of a chunk is under way, of which rules and records pass over no gap.
    fn is_in_chunk(&self, direction: Direction) -> bool {
        match direction {
            Direction::ToServer => self.request_state == RequestState::ChunkData,
            Direction::ToClient => self.response_state == ResponseState::ChunkData,
        }
    }

    /// The end of the server's side ends the client's, but not to Zeek, where something is under way there.
    pub(super) fn fork_at_end(&mut self, cx: &mut ParseContext<'_>) {
        if !cx.may_fork() {
            return;
        }
        if matches!(self.request_state, RequestState::Idle | RequestState::Ignore) {
            self.is_end_assumed = true;
        } else {
            self.fork_at(cx, Direction::ToClient, &[], 0);
        }
    }

    /// The client goes on although the server's side is at its end.
    pub(super) fn fork_behind_end(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        if direction == Direction::ToServer && self.is_end_assumed && cx.may_fork() {
            self.fork_at(cx, direction, &[], 0);
        }
    }
}
