//! Ends of lines, and the lines around chunks.

use weir_applayer::ParseContext;
use weir_base::Direction;

use super::super::as_zeek;
use super::super::length::{ChunkSize, chunk_size};
use super::super::octets::{chomp, tail};
use super::super::request::RequestState;
use super::super::response::ResponseState;
use super::{HttpParser, Turn};

impl HttpParser {
    /// Position of the line's last byte, searched for only where it was not searched before: its line feed or, for Zeek
    /// and where its reading may fork, a carriage return that stands alone.
    pub(in crate::http1) fn line_end(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
    ) -> Option<usize> {
        let returns = self.as_zeek || cx.may_fork();
        let side = self.side(direction);
        let start = std::mem::take(&mut side.scanned).min(rest.len());
        let found = if returns {
            as_zeek::line_end(rest, start)
        } else {
            memchr::memchr(b'\n', tail(rest, start)).map(|position| start + position)
        };
        if found.is_none() {
            // A line feed may belong to a return that is the last byte so far.
            side.scanned = rest.len() - usize::from(returns && rest.last() == Some(&b'\r'));
        }
        found
    }

    /// Reads a chunk's size line; none where the session forks.
    pub(in crate::http1) fn size_of_chunk(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        line: &[u8],
    ) -> Option<ChunkSize> {
        let size = chunk_size(line);
        let is_lone = line.ends_with(b"\r");
        let line = chomp(line);
        let (length, bad) = as_zeek::chunk_size(line);
        if !self.as_zeek {
            let alike =
                !bad && !is_lone && matches!(size, ChunkSize::Bytes { length: own, .. } if own == length);
            return (alike || !cx.may_fork()).then_some(size);
        }
        if bad && let Some(transaction) = self.transaction(direction) {
            transaction.message_mut(direction).bad_chunk.get_or_insert_with(|| line.to_vec());
        }
        Some(ChunkSize::Bytes { length, extended: line.contains(&b';') })
    }

    /// Passes over what stands between a chunk and the line of the next one.
    pub(in crate::http1) fn end_chunk(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
    ) -> Turn {
        let found = self.line_end(cx, direction, rest);
        if cx.may_fork() && found.is_some_and(|end| rest.get(end) == Some(&b'\r')) {
            return Turn::Fork;
        }
        let side = self.side(direction);
        let seen = std::mem::take(&mut side.scanned);
        let closed = side.closed;
        let length = match found {
            Some(end) => end + 1,
            None if closed => rest.len(),
            None => seen,
        };
        if let Some(transaction) = self.transaction(direction) {
            transaction.message_mut(direction).message_length += length as u64;
        }
        if found.is_none() && !closed {
            return Turn::Wait(length);
        }
        match direction {
            Direction::ToServer => self.request_state = RequestState::ChunkLength,
            Direction::ToClient => self.response_state = ResponseState::ChunkLength,
        }
        Turn::Next(length)
    }
}
