//! Aspects of the unit at hand that are measured, by thread.

use std::cell::Cell;

/// Something whose cost is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Aspect {
    /// Stages that a packet passes through.
    Layers = 1,
    /// Rules.
    Rules = 2,
    /// Keywords of rules.
    Keywords = 4,
    /// Searches for the literals of rules.
    Prefilters = 8,
    /// Groups that rules are looked up in.
    Groups = 16,
}

impl Aspect {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Layers, Self::Rules, Self::Keywords, Self::Prefilters, Self::Groups];
}

/// A set of aspects.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Aspects(u8);

impl Aspects {
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// Returns the set of one.
    pub const fn of(aspect: Aspect) -> Self {
        Self(aspect as u8)
    }

    /// Returns the set with another aspect.
    #[must_use]
    pub const fn with(self, aspect: Aspect) -> Self {
        Self(self.0 | aspect as u8)
    }

    /// Returns what both sets have.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns what either set has.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set has the aspect.
    pub const fn has(self, aspect: Aspect) -> bool {
        self.0 & aspect as u8 != 0
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

thread_local! {
    static MEASURED: Cell<u8> = const { Cell::new(0) };
}

/// Whether this is measured of the thread's unit at hand.
#[inline]
pub fn is_measured(aspect: Aspect) -> bool {
    MEASURED.get() & aspect as u8 != 0
}

/// Measures these of the unit that begins, until others are set.
pub(super) fn measure(aspects: Aspects) {
    MEASURED.set(aspects.0);
}
