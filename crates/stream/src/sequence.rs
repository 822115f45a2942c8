//! Sequence numbers: 32 bits that wrap, compared within half the circle (RFC 9293, 3.4).

/// A TCP sequence or acknowledgement number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Seq(pub u32);

impl Seq {
    /// Returns the distance from `other` to this; negative where this lies before.
    pub const fn distance(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0) as i32
    }

    /// Whether this lies before `other`.
    pub const fn before(self, other: Self) -> bool {
        self.distance(other) < 0
    }

    /// Whether this lies after `other`.
    pub const fn after(self, other: Self) -> bool {
        self.distance(other) > 0
    }

    /// Whether this is `other` or lies before it.
    pub const fn up_to(self, other: Self) -> bool {
        self.distance(other) <= 0
    }

    /// Whether this is `other` or lies after it.
    pub const fn from_on(self, other: Self) -> bool {
        self.distance(other) >= 0
    }

    /// This number plus `count`.
    #[must_use]
    pub const fn plus(self, count: u32) -> Self {
        Self(self.0.wrapping_add(count))
    }

    /// This number less `count`.
    #[must_use]
    pub const fn minus(self, count: u32) -> Self {
        Self(self.0.wrapping_sub(count))
    }

    /// The later of the two.
    #[must_use]
    pub const fn later(self, other: Self) -> Self {
        if other.after(self) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::Seq;

    #[test]
    fn comparisons_wrap() {
        let cases =
            [(1, 2, true), (2, 1, false), (u32::MAX, 0, true), (0, u32::MAX, false), (0x8000_0001, 1, true)];
        for (a, b, before) in cases {
            assert_eq!(Seq(a).before(Seq(b)), before, "{a:#x} before {b:#x}");
            assert_eq!(Seq(b).from_on(Seq(a).plus(1)), before);
        }
        assert_eq!(Seq(u32::MAX).plus(3), Seq(2));
        assert_eq!(Seq(1).later(Seq(u32::MAX)), Seq(1));
    }
}
