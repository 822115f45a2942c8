//! Rules on transactions, grouped by protocol and direction.

use std::collections::HashMap;
use std::sync::Arc;

use weir_applayer::{Access, Field};
use weir_base::{Direction, PerDirection};
use weir_mpm::{BuildError, Literal, MultiMatcher};

use super::literal_of;
use super::matchers::{Matchers, build_each};
use crate::model::signature::{FieldRow, Kind, Signature, SignatureIndex, Target};
use crate::model::transform::Transform;

/// A field scanned for the literals of all rules that chose it.
#[derive(Debug)]
pub struct FieldPrefilter {
    /// The field.
    pub row: FieldRow,
    /// Transforms that are applied to its bytes first.
    pub transforms: Vec<Transform>,
    /// The literals.
    pub matcher: MultiMatcher,
}

/// Rules on the transactions of one protocol and direction.
#[derive(Debug, Default)]
pub struct TransactionGroup {
    /// Fields to scan, the earliest ready first.
    pub prefilters: Vec<FieldPrefilter>,
    /// Rules that no literal narrows.
    pub always: Vec<SignatureIndex>,
    /// Growing bodies that some rule looks at.
    pub bodies: Vec<&'static Field>,
    /// Some rule looks at the content of files.
    pub files: bool,
    /// Whether there is any rule at all.
    pub any: bool,
}

type PrefilterKey = (&'static str, Direction, *const Field, Vec<Arc<str>>);

pub(super) fn transaction_groups(
    signatures: &[Signature],
    matchers: Matchers<'_>,
) -> Result<HashMap<&'static str, PerDirection<TransactionGroup>>, BuildError> {
    let mut groups: HashMap<&'static str, PerDirection<TransactionGroup>> = HashMap::new();
    let mut literals: HashMap<PrefilterKey, (FieldRow, Vec<Transform>, Vec<Literal>)> = HashMap::new();
    let mut order: Vec<PrefilterKey> = Vec::new();
    for signature in signatures.iter().filter(|s| s.kind == Kind::Transaction) {
        note_bodies(signature, &mut groups);
        // The firewall looks at its rules itself; only where bodies stand is noted here.
        if signature.head.firewall.is_some() {
            continue;
        }
        let chosen = signature.prefilter_buffer();
        match (chosen, literal_of(signature)) {
            (Some(buffer), Some(literal)) => {
                let Target::Transaction(rows) = &buffer.target else { continue };
                for row in rows {
                    for direction in directions(signature, row) {
                        let transforms = buffer.transforms.iter().map(|t| Arc::clone(&t.name)).collect();
                        let key = (row.protocol.name, direction, std::ptr::from_ref(row.field), transforms);
                        let slot = literals.entry(key.clone()).or_insert_with(|| {
                            order.push(key);
                            (*row, buffer.transforms.clone(), Vec::new())
                        });
                        slot.2.push(literal.clone());
                    }
                }
            }
            // A literal in the payload narrows it in the packet's group.
            (None, Some(_)) => {}
            _ => {
                for (protocol, direction) in places(signature) {
                    groups.entry(protocol).or_default()[direction].always.push(signature.index);
                }
            }
        }
    }
    let part = |key: PrefilterKey| literals.remove(&key).map(|part| ((key.0, key.1), part));
    let parts = order.into_iter().filter_map(part).collect();
    let built = build_each(parts, |(place, (row, transforms, literals))| {
        let built = matchers.build(literals);
        built.map(|matcher| (place, matcher.map(|matcher| FieldPrefilter { row, transforms, matcher })))
    });
    for built in built {
        let ((protocol, direction), prefilter) = built?;
        groups.entry(protocol).or_default()[direction].prefilters.extend(prefilter);
    }
    for group in groups.values_mut() {
        for direction in Direction::BOTH {
            group[direction].prefilters.sort_by_key(|p| p.row.field.ready_at);
        }
    }
    Ok(groups)
}

fn directions(signature: &Signature, row: &FieldRow) -> impl Iterator<Item = Direction> {
    let allowed = signature.directions();
    let field = row.field.direction;
    Direction::BOTH.into_iter().filter(move |d| allowed[*d] && field.covers(*d))
}

/// Protocols and directions in which a signature that nothing narrows is looked at: where its first
/// buffer is.
fn places(signature: &Signature) -> Vec<(&'static str, Direction)> {
    let mut places = Vec::new();
    if let Some(hook) = signature.head.state_hook() {
        places.extend(signature.head.app_protocols.iter().map(|protocol| (protocol.name, hook.direction)));
    }
    for buffer in &signature.checks.buffers {
        let Target::Transaction(rows) = &buffer.target else { continue };
        for row in rows {
            for direction in directions(signature, row) {
                if !places.contains(&(row.protocol.name, direction)) {
                    places.push((row.protocol.name, direction));
                }
            }
        }
    }
    places
}

fn note_bodies(signature: &Signature, groups: &mut HashMap<&'static str, PerDirection<TransactionGroup>>) {
    for buffer in &signature.checks.buffers {
        let Target::Transaction(rows) = &buffer.target else { continue };
        for row in rows {
            for direction in directions(signature, row) {
                let group = &mut groups.entry(row.protocol.name).or_default()[direction];
                group.any = true;
                let access = row.field.access;
                group.files |= matches!(access, Access::FileData | Access::BodyAndFiles(_));
                if matches!(access, Access::Body(_) | Access::BodyAndFiles(_))
                    && !group.bodies.iter().any(|f| std::ptr::eq(*f, row.field))
                {
                    group.bodies.push(row.field);
                }
            }
        }
    }
}
