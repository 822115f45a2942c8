//! Names that rules share (flowbits, flow integers, variables), numbered once for rulesets that follow one another and
//! those of tenants.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
#[derive(Debug, Default)]
struct Names {
    ids: HashMap<(NameKind, String), NameId>,
    /// Shared with the lists that were made of them, until there are further ones.
    list: Arc<Vec<(NameKind, String)>>,
}

/// The table of names. Locked while rules are compiled, never on the packet path, where it is only
/// read through [`NameList`].
#[derive(Debug, Default)]
pub struct NameTable {
    names: Arc<Mutex<Names>>,
    shared_bits: Arc<SharedBits>,
}

impl NameTable {
    /// The number of a name, given it when first asked.
    pub fn id(&self, kind: NameKind, name: &str) -> NameId {
        let mut names = self.names();
        if let Some(&id) = names.ids.get(&(kind, name.to_owned())) {
            return id;
        }
        let id = NameId(names.list.len() as u32);
        names.ids.insert((kind, name.to_owned()), id);
        Arc::make_mut(&mut names.list).push((kind, name.to_owned()));
        id
    }

    /// A table of the same names, whose bits of addresses are its own: rules of one tenant do not see those of another.
    pub fn of_another_tenant(&self) -> Self {
        Self { names: Arc::clone(&self.names), shared_bits: Arc::default() }
    }

    fn names(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bits of addresses, which rules on different flows share.
    pub fn shared_bits(&self) -> Arc<SharedBits> {
        Arc::clone(&self.shared_bits)
    }

    /// All names by number, for records.
    pub fn list(&self) -> NameList {
        NameList { names: Arc::clone(&self.names().list) }
    }
}

/// Names by number.
#[derive(Clone, Debug, Default)]
pub struct NameList {
    names: Arc<Vec<(NameKind, String)>>,
}

impl NameList {
    /// All names, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (NameId, NameKind, &str)> {
        (0..).map(NameId).zip(&*self.names).map(|(id, (kind, name))| (id, *kind, name.as_str()))
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
