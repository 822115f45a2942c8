//! TCP's sequence space, counted on past 32 bits.

/// A jump so wide that it is more likely broken than true.
pub(super) const TOO_LARGE_JUMP: i32 = 1_048_576;

/// Returns the distance from `b` to `a`, negative where `a` is behind (RFC 9293, 3.4).
pub(super) const fn distance(a: u32, b: u32) -> i32 {
    a.wrapping_sub(b).cast_signed()
}

/// A sequence number that only moves by being told, and how often it passed zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) value: u32,
    wraps: u32,
}

impl Position {
    /// Begins at `value`.
    pub(super) const fn at(value: u32) -> Self {
        Self { value, wraps: 0 }
    }

    /// The number that is so much without wrapping.
    pub(super) const fn of_full(full: u64) -> Self {
        Self { value: full as u32, wraps: (full >> 32) as u32 }
    }

    /// Moves to `value`, ahead or back.
    pub(super) const fn advance(&mut self, value: u32) {
        if distance(value, self.value) > 0 && value < self.value {
            self.wraps = self.wraps.saturating_add(1);
        }
        self.value = value;
    }

    /// The number without wrapping.
    pub(super) const fn full(self) -> u64 {
        (self.wraps as u64) << 32 | self.value as u64
    }

    /// `value` counted from `start`, where it lies here or ahead, and nothing passed zero; none otherwise.
    #[inline]
    pub(super) const fn near(self, value: u32, start: u32) -> Option<u64> {
        let ahead = self.wraps == 0 && value >= self.value && distance(value, self.value) >= 0;
        let from_start = distance(value, start);
        if ahead && from_start >= 0 { Some(from_start as u64) } else { None }
    }

    /// `value`, which is near this position, counted from `start`; none where it lies before it.
    pub(super) const fn relative(self, value: u32, start: u32) -> Option<u64> {
        let mut wraps = self.wraps;
        let delta = distance(value, self.value);
        if delta < 0 {
            if wraps > 0 && value > self.value {
                wraps -= 1;
            }
        } else if delta > 0 && value < self.value {
            wraps += 1;
        }
        if wraps == 0 {
            let from_start = distance(value, start);
            return if from_start < 0 { None } else { Some(from_start as u64) };
        }
        Some(((wraps as u64) << 32 | value as u64).saturating_sub(start as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_past_the_wrap() {
        let mut position = Position::at(u32::MAX - 9);
        assert_eq!(position.relative(u32::MAX - 8, u32::MAX - 9), Some(1));
        assert_eq!(position.relative(u32::MAX - 10, u32::MAX - 9), None, "before the start");
        position.advance(10);
        assert_eq!(position.full(), (1 << 32) + 10);
        assert_eq!(position.relative(20, u32::MAX - 9), Some(30));
        assert_eq!(position.relative(u32::MAX, u32::MAX - 9), Some(9), "an old segment");
    }
}
