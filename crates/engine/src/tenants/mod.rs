//! Tenants (`multi-detect`): traffic that is looked at by rules of its own.
//!
//! Each tenant has a ruleset with tables of its own, of rates, tags and bits of addresses; what rules leave in a flow is
//! the flow's, and a flow has one tenant as long as it lasts. Compiled rules, the names in them and the matchers of
//! literals are shared. Datasets are shared where the main configuration or one and the same file says so.
//!
//! Limit: [`MAX_SLOTS`] registrations in a run.

mod choice;
mod load;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use weir_base::Timestamp;
use weir_config::{MultiDetectSettings, TenantSelector, TenantTraffic};
use weir_detect::Ruleset;
use weir_output::record::DetectEngine;

pub(crate) use self::choice::Choice;
pub(crate) use self::load::TenantLoader;
use crate::load::{Common, RuleReport};

/// Module of log lines.
pub(crate) const MODULE: &str = "multi-detect";

/// Most registrations of tenants in a run.
pub(crate) const MAX_SLOTS: usize = u16::MAX as usize;

/// A tenant's place among those of a run. It is never another one's: a flow whose tenant is gone notices.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Slot(u16);

impl Slot {
    /// The place of packets without a tenant.
    pub(crate) const NONE: Self = Self(0);

    /// Its number.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The slot of the tenant at this place of [`Tenants::slots`].
    fn at(place: usize) -> Self {
        Self(u16::try_from(place + 1).unwrap_or_default())
    }
}

/// A tenant and its rules.
pub(crate) struct Tenant {
    pub(crate) id: u32,
    /// The file of its settings.
    pub(crate) file: PathBuf,
    pub(crate) ruleset: Arc<Ruleset>,
    pub(crate) report: RuleReport,
    pub(crate) loaded_at: Timestamp,
}

impl Tenant {
    /// Its rules, for records of the counters.
    pub(crate) fn detect_engine(&self) -> DetectEngine {
        self.report.detect_engine(self.id, self.loaded_at)
    }
}

/// The tenants of a run, and the traffic that is theirs.
#[derive(Clone)]
pub(crate) struct Tenants {
    pub(crate) selector: TenantSelector,
    mappings: BTreeMap<TenantTraffic, u32>,
    /// The tenant of captures, where these say whose they are.
    of_captures: Option<u32>,
    /// By slot, from the first one behind that of none.
    slots: Vec<Option<Arc<Tenant>>>,
    /// Shared by all of them.
    pub(crate) common: Common,
}

impl Tenants {
    /// No tenants yet.
    pub(crate) fn new(settings: &MultiDetectSettings) -> Self {
        Self {
            selector: settings.selector,
            mappings: settings.mappings.clone(),
            of_captures: settings.of_captures,
            slots: Vec::new(),
            common: Common::default(),
        }
    }

    /// All that there are, in order of their registration.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Tenant>> {
        self.slots.iter().flatten()
    }

    /// Tenants by slot, from the first one behind that of none.
    pub(crate) fn slots(&self) -> &[Option<Arc<Tenant>>] {
        &self.slots
    }

    /// The tenant with this number.
    pub(crate) fn tenant(&self, id: u32) -> Option<&Arc<Tenant>> {
        self.all().find(|tenant| tenant.id == id)
    }

    /// The slot of the tenant with this number, or that of none.
    fn slot(&self, id: u32) -> Slot {
        let place =
            self.slots.iter().position(|tenant| tenant.as_ref().is_some_and(|tenant| tenant.id == id));
        place.map_or(Slot::NONE, Slot::at)
    }

    /// Adds a tenant, or gives one other rules; the error is a sentence.
    pub(crate) fn put(&mut self, tenant: Tenant) -> Result<(), String> {
        let tenant = Some(Arc::new(tenant));
        let id = tenant.as_ref().map_or(0, |tenant| tenant.id);
        let same = |known: &&mut Option<Arc<Tenant>>| known.as_ref().is_some_and(|known| known.id == id);
        let has_room = self.slots.len() < MAX_SLOTS;
        match self.slots.iter_mut().find(same) {
            Some(known) => *known = tenant,
            None if has_room => self.slots.push(tenant),
            None => return Err(format!("{MAX_SLOTS} tenants were registered in this run: start a new one")),
        }
        Ok(())
    }

    /// Removes a tenant.
    pub(crate) fn remove(&mut self, id: u32) {
        let gone = |tenant: &&mut Option<Arc<Tenant>>| tenant.as_ref().is_some_and(|tenant| tenant.id == id);
        if let Some(tenant) = self.slots.iter_mut().find(gone) {
            *tenant = None;
        }
    }

    /// The tenant that traffic is mapped to.
    pub(crate) fn mapped(&self, traffic: &TenantTraffic) -> Option<u32> {
        self.mappings.get(traffic).copied()
    }

    /// Maps traffic to a tenant, or to none.
    pub(crate) fn map(&mut self, traffic: TenantTraffic, id: Option<u32>) {
        match id {
            Some(id) => self.mappings.insert(traffic, id),
            None => self.mappings.remove(&traffic),
        };
    }

    /// These tenants for a capture that is one's as a whole.
    pub(crate) fn for_capture(&self, id: Option<u32>) -> Self {
        Self { of_captures: id.or(self.of_captures), ..self.clone() }
    }

    /// The way in which packets find their tenant.
    pub(crate) fn choice(&self) -> Choice {
        match self.selector {
            TenantSelector::Direct => Choice::All(self.of_captures.map_or(Slot::NONE, |id| self.slot(id))),
            TenantSelector::Vlan | TenantSelector::Device => {
                Choice::of(self.selector, self.mappings.iter().map(|(traffic, id)| (traffic, self.slot(*id))))
            }
        }
    }

    /// Slots whose rules are others than they were among `former` tenants.
    pub(crate) fn changed<'a>(
        &'a self,
        former: &'a Self,
    ) -> impl Iterator<Item = (Slot, Option<&'a Arc<Tenant>>)> + 'a {
        let own = self.slots.iter().map(Option::as_ref).enumerate();
        own.filter(|(place, tenant)| {
            let before = former.slots.get(*place).and_then(Option::as_ref);
            match (before, tenant) {
                (Some(before), Some(tenant)) => !Arc::ptr_eq(&before.ruleset, &tenant.ruleset),
                (before, tenant) => before.is_some() != tenant.is_some(),
            }
        })
        .map(|(place, tenant)| (Slot::at(place), tenant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(id: u32) -> Tenant {
        let (file, ruleset) = (PathBuf::from("t.yaml"), Arc::default());
        Tenant { id, file, ruleset, report: RuleReport::default(), loaded_at: Timestamp::default() }
    }

    fn tenants(ids: &[u32]) -> Tenants {
        let mut all = Tenants {
            selector: TenantSelector::Direct,
            mappings: BTreeMap::new(),
            of_captures: None,
            slots: Vec::new(),
            common: Common::default(),
        };
        ids.iter().for_each(|id| all.put(tenant(*id)).expect("a slot"));
        all
    }

    #[test]
    fn a_slot_is_never_anothers() {
        let first = tenants(&[7, 3]);
        let mut then = first.clone();
        then.remove(7);
        assert_eq!((then.slot(7), then.slot(3)), (Slot::NONE, Slot(2)));
        then.put(tenant(7)).expect("a slot");
        assert_eq!(then.slot(7), Slot(3));
        let reloaded = then.clone();
        then.put(tenant(3)).expect("its slot");
        assert_eq!(then.slot(3), Slot(2));
        let changed = |after: &Tenants, before: &Tenants| -> Vec<(u16, bool)> {
            after.changed(before).map(|(slot, tenant)| (slot.0, tenant.is_some())).collect()
        };
        assert_eq!(changed(&then, &first), [(1, false), (2, true), (3, true)]);
        assert_eq!(changed(&then, &reloaded), [(2, true)]);
        assert_eq!(changed(&then, &then), []);
    }

    #[test]
    fn slots_end() {
        let mut all = tenants(&[1]);
        all.slots.resize_with(MAX_SLOTS, || None);
        assert!(all.put(tenant(2)).is_err_and(|sentence| sentence.contains("65535 tenants")));
        assert!(all.put(tenant(1)).is_ok());
        assert_eq!(Slot::at(MAX_SLOTS - 1), Slot(u16::MAX));
    }

    #[test]
    fn a_capture_is_that_of_the_tenant_named_with_it() {
        let all = tenants(&[5, 6]);
        for (id, expected) in [(None, Slot::NONE), (Some(6), Slot(2)), (Some(9), Slot::NONE)] {
            assert_eq!(all.for_capture(id).choice(), Choice::All(expected), "{id:?}");
        }
    }
}
