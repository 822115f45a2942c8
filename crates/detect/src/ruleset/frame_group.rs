//! Rules on frames, grouped by protocol, direction and kind.

use std::collections::HashMap;

use weir_applayer::{FrameKind, FrameWants, Protocol};
use weir_base::{Direction, PerDirection};
use weir_mpm::{BuildError, Literal, MultiMatcher};

use super::literal_of;
use super::matchers::Matchers;
use crate::model::signature::{FrameRow, Kind, Signature, SignatureIndex};
use crate::model::transform::Transform;

/// Frames of one kind, scanned for the literals of all rules that chose them.
#[derive(Debug)]
pub struct FramePrefilter {
    /// The kind.
    pub kind: FrameKind,
    /// Transforms that are applied to the bytes first.
    pub transforms: Vec<Transform>,
    /// The literals.
    pub matcher: MultiMatcher,
}

/// Rules on the frames of one protocol and direction.
#[derive(Debug, Default)]
pub struct FrameGroup {
    /// Literals.
    pub prefilters: Vec<FramePrefilter>,
    /// Rules that no literal narrows, with the kinds of frames they look at.
    pub always: Vec<(FrameKind, SignatureIndex)>,
}

/// All rules on frames.
#[derive(Debug, Default)]
pub struct FrameGroups {
    groups: HashMap<&'static str, PerDirection<FrameGroup>>,
    wants: FrameWants,
}

/// The literals of a kind under the same transforms.
struct Literals<'s> {
    row: FrameRow,
    direction: Direction,
    transforms: &'s [Transform],
    literals: Vec<Literal>,
}

fn add_literal<'s>(
    all: &mut Vec<Literals<'s>>,
    row: FrameRow,
    direction: Direction,
    transforms: &'s [Transform],
    literal: &Literal,
) {
    let found = all.iter_mut().find(|known| {
        (known.row.protocol.name, known.row.kind, known.direction) == (row.protocol.name, row.kind, direction)
            && known.transforms == transforms
    });
    match found {
        Some(found) => found.literals.push(literal.clone()),
        None => all.push(Literals { row, direction, transforms, literals: vec![literal.clone()] }),
    }
}

impl FrameGroups {
    /// Groups those of `signatures` that look at frames.
    pub(crate) fn new(signatures: &[Signature], matchers: Matchers<'_>) -> Result<Self, BuildError> {
        let mut groups = Self::default();
        let mut all: Vec<Literals<'_>> = Vec::new();
        for signature in signatures.iter().filter(|s| s.kind == Kind::Frame) {
            for row in signature.checks.frame_buffers().flat_map(|(_, rows, _)| rows) {
                groups.wants.add(row.protocol, row.kind);
            }
            groups.sort_in(signature, &mut all);
        }
        for Literals { row, direction, transforms, literals } in all {
            let Some(matcher) = matchers.build(literals)? else { continue };
            let prefilter = FramePrefilter { kind: row.kind, transforms: transforms.to_vec(), matcher };
            groups.groups.entry(row.protocol.name).or_default()[direction].prefilters.push(prefilter);
        }
        Ok(groups)
    }

    /// Adds a signature to the literals, or to those that are always looked at: a rule on several kinds
    /// of frames matches in each of them by itself, of which a literal narrows but one.
    fn sort_in<'s>(&mut self, signature: &'s Signature, all: &mut Vec<Literals<'s>>) {
        let one_kind = signature.checks.buffers.windows(2).all(|pair| match pair {
            [one, other] => one.name == other.name,
            _ => true,
        });
        let chosen = signature.prefilter_buffer();
        let literal = literal_of(signature).filter(|_| one_kind).zip(chosen);
        let directions = signature.directions();
        for direction in Direction::BOTH.into_iter().filter(|d| directions[*d]) {
            for &row in signature.checks.frame_buffers().flat_map(|(_, rows, _)| rows) {
                match &literal {
                    Some((literal, buffer)) => {
                        add_literal(all, row, direction, &buffer.transforms, literal);
                    }
                    None => {
                        let group = &mut self.groups.entry(row.protocol.name).or_default()[direction];
                        if !group.always.contains(&(row.kind, signature.index)) {
                            group.always.push((row.kind, signature.index));
                        }
                    }
                }
            }
        }
    }

    /// The rules on frames of a protocol and direction.
    pub fn of(&self, protocol: &Protocol, direction: Direction) -> Option<&FrameGroup> {
        self.groups.get(protocol.name).map(|group| &group[direction])
    }

    /// The frames that rules look at.
    pub fn wants(&self) -> &FrameWants {
        &self.wants
    }

    /// All matchers.
    pub(crate) fn matchers(&self) -> impl Iterator<Item = &MultiMatcher> {
        let groups = self.groups.values().flat_map(|group| [&group.to_server, &group.to_client]);
        groups.flat_map(|group| group.prefilters.iter().map(|prefilter| &prefilter.matcher))
    }
}
