//! Sending in disorder: any cut of the bytes into segments, late ones, repeated ones, and only some
//! of the acknowledgements. What the receiver's application reads stays the same.

use weir_base::Direction;

use crate::{Conversation, Random, tcp_flags};

/// Segmentation and reordering of what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disorder {
    /// Most payload bytes of a segment.
    pub segment_size: usize,
    /// A segment is late by fewer places than this.
    pub window: usize,
    /// Segments out of a hundred that are sent again, some with the bytes before them too.
    pub repeated: u64,
    /// Segments out of a hundred that are acknowledged by themselves. The last one always is.
    pub acknowledged: u64,
}

/// A piece of what is sent: where it begins and ends.
type Span = (usize, usize);

impl Disorder {
    /// The pieces of `length` bytes in the order in which they are sent.
    fn spans(&self, length: usize, random: &mut Random) -> Vec<Span> {
        let mut cuts = vec![0];
        while let Some(&from) = cuts.last()
            && from < length
        {
            let size = 1 + random.below(self.segment_size as u64) as usize;
            cuts.push((from + size).min(length));
        }
        let mut spans: Vec<Span> = Vec::new();
        for pair in cuts.windows(2) {
            spans.push((pair[0], pair[1]));
            if random.below(100) < self.repeated {
                let before = random.below(self.segment_size as u64) as usize;
                spans.push((pair[0].saturating_sub(before), pair[1]));
            }
        }
        for part in spans.chunks_mut(self.window) {
            for index in (1..part.len()).rev() {
                part.swap(index, random.below(index as u64 + 1) as usize);
            }
        }
        spans
    }
}

impl Conversation {
    /// One side sends data in disorder, the other acknowledges what it has without a hole.
    pub fn sends_in_disorder(
        mut self,
        direction: Direction,
        data: &[u8],
        disorder: &Disorder,
        random: &mut Random,
    ) -> Self {
        let first = self.next_seq(direction);
        let mut received = vec![false; data.len()];
        let mut whole = 0;
        for (from, to) in disorder.spans(data.len(), random) {
            self = self
                .continue_at(direction, first.wrapping_add(from as u32))
                .segment(direction, tcp_flags::PSH | tcp_flags::ACK, &data[from..to])
                .continue_at(direction, first.wrapping_add(whole as u32));
            received[from..to].fill(true);
            while received.get(whole) == Some(&true) {
                whole += 1;
            }
            self = self.continue_at(direction, first.wrapping_add(whole as u32));
            if whole == data.len() || random.below(100) < disorder.acknowledged {
                self = self.segment(direction.opposite(), tcp_flags::ACK, b"");
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_sent() {
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let disorder = Disorder { segment_size: 7, window: 4, repeated: 30, acknowledged: 50 };
            let mut seen = [0u8; 100];
            for (from, to) in disorder.spans(seen.len(), &mut random) {
                assert!(from < to && to - from < 2 * disorder.segment_size);
                seen[from..to].fill(1);
            }
            assert_eq!(seen, [1; 100]);
        }
    }

    #[test]
    fn the_end_is_acknowledged() {
        let disorder = Disorder { segment_size: 3, window: 5, repeated: 50, acknowledged: 0 };
        let segments = Conversation::new("10.0.0.1:1", "10.0.0.2:2")
            .sends_in_disorder(Direction::ToServer, &[0; 40], &disorder, &mut Random::new(1))
            .client_sends(b"end")
            .segments();
        let acknowledgement = segments.iter().rev().nth(1).map(|segment| segment.direction);
        assert_eq!(acknowledgement, Some(Direction::ToServer));
        assert_eq!(segments[segments.len() - 2].seq, 1040);
    }
}
