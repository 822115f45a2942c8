//! Choice of the literal of a rule that the prefilter looks for.

use weir_applayer::Access;
use weir_base::Direction;

use crate::model::buffer::Check;
use crate::model::signature::{BufferMatch, CompiledRule, Head, Prefilter, PrefilterPlace, Target};

/// Rank of a literal: its author chose it, the client sends it, it is in a buffer, its length, its strength.
type Rank = (bool, bool, bool, usize, usize);

/// The literal that the prefilter looks for: the one the author chose, else the longest of a
/// transaction's buffer, else the longest of the payload. A negated literal cannot serve.
pub(super) fn choose_prefilter(head: &Head, signature: &CompiledRule) -> Option<Prefilter> {
    let mut best: Option<(Rank, Prefilter)> = None;
    let mut offer = |place: PrefilterPlace, checks: &[Check]| {
        // Of the two sides of a transaction, what the client sends comes first.
        let first_side = !head.is_transactional() || looks_to_server(signature, &place);
        for (index, check) in checks.iter().enumerate() {
            let Check::Content(content) = check else { continue };
            if content.negated {
                continue;
            }
            let chosen = content.fast_pattern.is_some();
            let in_buffer = place != PrefilterPlace::Payload;
            let bytes = content.prefilter_bytes();
            let rank = (chosen, first_side, in_buffer, bytes.len(), strength(bytes));
            if best.as_ref().is_none_or(|(found, _)| rank > *found) {
                best = Some((rank, Prefilter { place: place.clone(), content: index }));
            }
        }
    };
    for (index, buffer) in signature.checks.buffers.iter().enumerate() {
        // `absent:or_else` holds where there is nothing to scan.
        if !matches!(buffer.target, Target::Packet(_)) && buffer.absent.is_none() && is_scannable(buffer) {
            offer(PrefilterPlace::Buffer(index), &buffer.checks);
        }
    }
    offer(PrefilterPlace::Payload, &signature.checks.payload);
    best.map(|(_, prefilter)| prefilter)
}

/// Whether what is looked at in `place` is sent by the client.
fn looks_to_server(signature: &CompiledRule, place: &PrefilterPlace) -> bool {
    let PrefilterPlace::Buffer(index) = place else { return true };
    signature.checks.buffers.get(*index).is_some_and(|buffer| match &buffer.target {
        Target::Packet(_) | Target::Frame(_) => true,
        Target::Transaction(rows) => {
            buffer.direction.is_none_or(|only| only == Direction::ToServer)
                && rows.iter().any(|row| row.field.direction.covers(Direction::ToServer))
        }
    })
}

fn is_scannable(buffer: &BufferMatch) -> bool {
    let Target::Transaction(rows) = &buffer.target else { return true };
    rows.iter().all(|row| {
        !matches!(row.field.access, Access::Integer { .. } | Access::Flags { .. } | Access::Check(_))
    })
}

/// Returns how selective a literal is among those of its length: repeated bytes count for little.
fn strength(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    let mut score = 0;
    for &byte in bytes {
        let fresh = seen.get_mut(usize::from(byte)).is_some_and(|s| !std::mem::replace(s, true));
        score += match (fresh, byte) {
            (true, b'a'..=b'z' | b'A'..=b'Z') => 3,
            (true, 0x20..=0x7e) => 4,
            (true, 0 | 1 | 0xff) => 4,
            (true, _) => 6,
            (false, _) => 1,
        };
    }
    score
}
