//! Names that rules share (flowbits, flow integers, variables), numbered once per ruleset.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::shared_bits::SharedBits;

/// Number that the ruleset gave a flowbit, flowint or variable name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// Kinds of names; each has its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameKind {
    /// `flowbits`
    FlowBit,
    /// `flowint`
    FlowInteger,
    /// `flowvar` and captures into flow variables.
    FlowVariable,
    /// `pktvar` and captures into packet variables.
    PacketVariable,
    /// Captures that only the rule's own alert shows (`alert:`).
    AlertVariable,
    /// `hostbits`
    HostBit,
    /// `xbits`
    ExtendedBit,
    /// `xbits` with `track tx`
    TransactionBit,
    /// Buffers whose `entropy` records show.
    Entropy,
}

/// Numbers by name, and names by number.
type Names = (HashMap<(NameKind, String), NameId>, Vec<(NameKind, String)>);

/// The table of names. Locked while rules are compiled, never on the packet path, where it is only
/// read through [`NameList`].
#[derive(Debug, Default)]
pub struct NameTable {
    inner: Mutex<Names>,
    shared_bits: Arc<SharedBits>,
}

impl NameTable {
    /// The number of a name, given it when first asked.
    pub fn id(&self, kind: NameKind, name: &str) -> NameId {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = inner.0.get(&(kind, name.to_owned())) {
            return id;
        }
        let id = NameId(inner.1.len() as u32);
        inner.0.insert((kind, name.to_owned()), id);
        inner.1.push((kind, name.to_owned()));
        id
    }

    /// The bits of addresses, which rules on different flows share.
    pub fn shared_bits(&self) -> Arc<SharedBits> {
        Arc::clone(&self.shared_bits)
    }

    /// All names by number, for records.
    pub fn list(&self) -> NameList {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        NameList { names: inner.1.clone() }
    }
}

/// Names by number.
#[derive(Clone, Debug, Default)]
pub struct NameList {
    names: Vec<(NameKind, String)>,
}

impl NameList {
    /// All names, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (NameId, NameKind, &str)> {
        (0..).map(NameId).zip(&self.names).map(|(id, (kind, name))| (id, *kind, name.as_str()))
    }

    /// Returns the kind of the name with this number.
    pub fn kind(&self, id: NameId) -> Option<NameKind> {
        self.names.get(id.0 as usize).map(|(kind, _)| *kind)
    }

    /// The name with this number.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id.0 as usize).map_or("", |(_, name)| name)
    }
}
