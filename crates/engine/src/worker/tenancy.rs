//! The rules of tenants in a worker: a flow keeps those of the tenant that it began with.
//!
//! The rules at work lie in the worker's own place, so that a run without tenants has nothing to look up; those of other
//! tenants wait in a place each, and are exchanged for them when a packet of another tenant comes.

use std::sync::Arc;

use weir_base::Turn;
use weir_detect::{Inspector, InspectorSettings};
use weir_flow::table::FlowIndex;
use weir_packet::Packet;

use super::{Rest, Worker};
use crate::session::Session;
use crate::tenants::{Choice, Slot, Tenants};

/// The rules of all tenants.
pub(crate) struct Tenancy {
    choice: Arc<Choice>,
    /// By slot; none where there is no tenant.
    seats: Vec<Option<Seat>>,
    /// The one whose rules are at work.
    current: Slot,
}

/// A tenant's place.
pub(crate) struct Seat {
    id: u32,
    /// Its rules, unless they are at work.
    waiting: Option<Box<Inspector>>,
}

/// Changes of tenants, for a worker.
pub(crate) struct TenantParts {
    pub(crate) choice: Arc<Choice>,
    /// Other rules by slot; none for a tenant that is gone.
    pub(crate) seats: Vec<(Slot, Option<Seat>)>,
}

impl Seat {
    /// A tenant with its rules.
    pub(crate) fn new(id: u32, inspector: Inspector) -> Self {
        Self { id, waiting: Some(Box::new(inspector)) }
    }
}

impl TenantParts {
    /// Rules of tenants that change, with whose they are.
    pub(super) fn inspectors_mut(&mut self) -> impl Iterator<Item = (u32, &mut Inspector)> {
        let seats = self.seats.iter_mut().filter_map(|(_, seat)| seat.as_mut());
        seats.filter_map(|seat| Some((seat.id, seat.waiting.as_deref_mut()?)))
    }
}

impl Tenancy {
    /// The rules of these tenants, for a worker with this turn.
    pub(super) fn new(tenants: &Tenants, settings: InspectorSettings, turn: &Turn) -> Box<Self> {
        // Those of no tenant are at work.
        let none = Seat { id: 0, waiting: None };
        let seat = |tenant: &Option<Arc<crate::tenants::Tenant>>| {
            let tenant = tenant.as_deref()?;
            let inspector = Inspector::new(Arc::clone(&tenant.ruleset), settings, turn.clone());
            Some(Seat::new(tenant.id, inspector))
        };
        let seats = std::iter::once(Some(none)).chain(tenants.slots().iter().map(seat)).collect();
        Box::new(Self { choice: Arc::new(tenants.choice()), seats, current: Slot::NONE })
    }

    /// Returns the slot itself where there is a tenant, else that of none.
    fn settled(&self, slot: Slot) -> Slot {
        if self.seat(slot).is_some() { slot } else { Slot::NONE }
    }

    fn seat(&self, slot: Slot) -> Option<&Seat> {
        self.seats.get(slot.index())?.as_ref()
    }

    fn seat_mut(&mut self, slot: Slot) -> Option<&mut Seat> {
        self.seats.get_mut(slot.index())?.as_mut()
    }

    /// The tenant whose rules are at work; 0 is none.
    pub(super) fn current_id(&self) -> u32 {
        self.seat(self.current).map_or(0, |seat| seat.id)
    }

    /// The rules that are not at work, with their tenants.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (u32, &Inspector)> {
        let seats = self.seats.iter().flatten();
        seats.filter_map(|seat| Some((seat.id, seat.waiting.as_deref()?)))
    }

    /// As [`Self::waiting`], to be changed.
    pub(super) fn waiting_mut(&mut self) -> impl Iterator<Item = &mut Inspector> {
        self.seats.iter_mut().flatten().filter_map(|seat| seat.waiting.as_deref_mut())
    }

    /// Has the rules of a tenant take the place of those `at_work`.
    fn call(&mut self, slot: Slot, at_work: &mut Box<Inspector>) {
        if slot == self.current {
            return;
        }
        let Some(mut next) = self.seat_mut(slot).and_then(|seat| seat.waiting.take()) else { return };
        at_work.hand_counters_to(&mut next);
        let before = std::mem::replace(at_work, next);
        if let Some(seat) = self.seat_mut(self.current) {
            seat.waiting = Some(before);
        }
        self.current = slot;
    }
}

impl Worker {
    /// Chooses the tenant of a flow that begins with this packet.
    #[inline]
    pub(super) fn choose_tenant(&mut self, index: FlowIndex, packet: &Packet<'_>, root: Option<&Packet<'_>>) {
        if let Some(slot) = self.rest.tenant_of(packet, root)
            && let Some(flow) = self.flows.flow_mut(index)
        {
            flow.session.tenant = slot;
        }
    }
}

impl Rest {
    /// The tenant of a packet that has no flow; none where there are no tenants at all.
    #[inline]
    fn tenant_of(&self, packet: &Packet<'_>, root: Option<&Packet<'_>>) -> Option<Slot> {
        let tenancy = self.tenancy.as_deref()?;
        Some(tenancy.settled(tenancy.choice.of_packet(packet, root, &self.recorder.interfaces)))
    }

    /// Has the rules of a flow's tenant look at what comes next.
    #[inline]
    pub(super) fn enter(&mut self, session: &mut Session) {
        if let Some(tenancy) = self.tenancy.as_deref() {
            if tenancy.seat(session.tenant).is_none() {
                session.leave_tenant();
            }
            self.call(session.tenant);
        }
    }

    /// Has the rules of the tenant of a packet without a flow look at what comes next.
    #[inline]
    pub(super) fn enter_alone(&mut self, packet: &Packet<'_>, root: Option<&Packet<'_>>) {
        if let Some(slot) = self.tenant_of(packet, root) {
            self.call(slot);
        }
    }

    fn call(&mut self, slot: Slot) {
        if let Some(tenancy) = self.tenancy.as_deref_mut() {
            tenancy.call(slot, &mut self.inspector);
            self.recorder.tenant = tenancy.seat(tenancy.current).map_or(0, |seat| seat.id);
        }
    }

    /// Exchanges rules of tenants, and leaves those of none at work; afterwards `parts` are those before.
    pub(super) fn exchange_tenants(&mut self, parts: Option<&mut TenantParts>) {
        self.call(Slot::NONE);
        let (Some(tenancy), Some(parts)) = (self.tenancy.as_deref_mut(), parts) else { return };
        std::mem::swap(&mut tenancy.choice, &mut parts.choice);
        for (slot, seat) in &mut parts.seats {
            if tenancy.seats.len() <= slot.index() {
                tenancy.seats.resize_with(slot.index() + 1, || None);
            }
            if let Some(place) = tenancy.seats.get_mut(slot.index()) {
                std::mem::swap(place, seat);
            }
        }
    }
}
