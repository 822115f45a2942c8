//! Selective acknowledgements of one direction (RFC 2018).
//!
//! Kept to compute how far past the last acknowledgement the sender may go: what is acknowledged
//! selectively does not fill the window. At most [`MAX_BLOCKS`] blocks are kept.

use crate::sequence::Seq;

/// Most blocks kept; further ones are ignored.
const MAX_BLOCKS: usize = 16;

/// Blocks in no particular order, none overlapping another.
#[derive(Debug, Default)]
pub(crate) struct SackBlocks {
    blocks: Vec<(Seq, Seq)>,
}

impl SackBlocks {
    /// Adds a block of a packet; those outside `last_ack..limit` are ignored.
    pub(crate) fn add(&mut self, left: Seq, right: Seq, last_ack: Seq, limit: Seq) {
        if !right.after(left) || right.up_to(last_ack) || right.after(limit) {
            return;
        }
        let mut merged = (left.later(last_ack), right);
        self.blocks.retain(|&(from, to)| {
            let apart = to.before(merged.0) || from.after(merged.1);
            if !apart {
                merged = (if from.before(merged.0) { from } else { merged.0 }, to.later(merged.1));
            }
            apart
        });
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.push(merged);
        }
    }

    /// Forgets what is acknowledged.
    pub(crate) fn prune(&mut self, last_ack: Seq) {
        self.blocks.retain_mut(|(from, to)| {
            *from = from.later(last_ack);
            to.after(*from)
        });
    }

    /// Bytes that are acknowledged selectively.
    pub(crate) fn size(&self) -> u32 {
        self.blocks.iter().map(|(from, to)| to.distance(*from).max(0) as u32).fold(0, u32::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_merge_and_go() {
        let mut sack = SackBlocks::default();
        for (left, right) in [(10, 20), (30, 40), (15, 32), (5, 5), (90, 200)] {
            sack.add(Seq(left), Seq(right), Seq(0), Seq(100));
        }
        assert_eq!(sack.size(), 30);
        sack.prune(Seq(25));
        assert_eq!(sack.size(), 15);
        sack.prune(Seq(50));
        assert_eq!(sack.size(), 0);
    }

    #[test]
    fn blocks_are_bounded() {
        let mut sack = SackBlocks::default();
        for block in 0..100 {
            sack.add(Seq(block * 10), Seq(block * 10 + 5), Seq(0), Seq(10_000));
        }
        assert_eq!(sack.size(), 16 * 5);
    }
}
