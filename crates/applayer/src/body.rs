//! A body that arrives in pieces and is inspected as it grows.

/// Limits on the bytes kept of a body and on its cut into inspections (configuration: `…-body-limit`,
/// `…-body-minimal-inspect-size`, `…-body-inspect-window`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// Bytes kept for inspection; 0 for no limit but the stream's depth.
    pub limit: u64,
    /// Bytes that must be there before the first inspection, unless the body ends earlier.
    pub minimal_inspect: u64,
    /// Bytes that each later inspection reaches back into those inspected before.
    pub window: u64,
}

/// The bytes of a body from `offset` on.
///
/// Bytes that every reader has moved past are dropped by [`Body::forget`], so memory stays within the
/// inspection window plus one push.
#[derive(Debug, Clone)]
pub struct Body {
    limits: BodyLimits,
    bytes: Vec<u8>,
    /// Position of `bytes[0]` in the body.
    offset: u64,
    /// Bytes of the whole body so far, kept or not.
    total: u64,
    /// The body ended, or its limit is reached: what is there is all there will be.
    complete: bool,
}

impl Body {
    /// An empty body.
    pub fn new(limits: BodyLimits) -> Self {
        Self { limits, bytes: Vec::new(), offset: 0, total: 0, complete: false }
    }

    /// The limits it was made with.
    pub fn limits(&self) -> BodyLimits {
        self.limits
    }

    /// Appends bytes, keeping those within the limit.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = match self.limits.limit {
            0 => bytes.len() as u64,
            limit => limit.saturating_sub(self.total),
        };
        let kept = bytes.get(..room.min(bytes.len() as u64) as usize).unwrap_or(bytes);
        if !self.complete {
            self.bytes.extend_from_slice(kept);
        }
        self.total += bytes.len() as u64;
        if kept.len() < bytes.len() {
            self.complete = true;
        }
    }

    /// Counts bytes that nobody wants to see.
    pub const fn pass(&mut self, length: u64) {
        self.total += length;
    }

    /// No more bytes will come.
    pub fn finish(&mut self) {
        self.complete = true;
    }

    /// Whether what is there is all there will be.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Length of the whole body so far, kept or not.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// End of what can be inspected.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// The kept bytes and the position of the first of them.
    pub fn bytes(&self) -> (u64, &[u8]) {
        (self.offset, &self.bytes)
    }

    /// Bytes of memory that it takes beside itself.
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    /// Returns the bytes not inspected yet, given that all before `inspected` were, and the position of
    /// the first of them; none where nothing new is there or it is too little yet.
    pub fn pending(&self, inspected: u64) -> Option<(u64, &[u8])> {
        let end = self.end();
        if end <= inspected && !(self.complete && inspected == 0 && self.total == 0) {
            return None;
        }
        if !self.complete && end - inspected < self.limits.minimal_inspect {
            return None;
        }
        let start = inspected.saturating_sub(self.limits.window).max(self.offset);
        let slice = self.bytes.get((start - self.offset) as usize..)?;
        Some((start, slice))
    }

    /// Drops what lies more than a window before `inspected`.
    pub fn forget(&mut self, inspected: u64) {
        let keep_from = inspected.saturating_sub(self.limits.window);
        let drop = keep_from.saturating_sub(self.offset).min(self.bytes.len() as u64) as usize;
        // Moving the tail costs its length: only worth it when as much is dropped.
        if drop > self.bytes.len() / 2 {
            self.bytes.drain(..drop);
            self.offset += drop as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: BodyLimits = BodyLimits { limit: 10, minimal_inspect: 4, window: 2 };

    #[test]
    fn inspected_in_windows_up_to_the_limit() {
        let mut body = Body::new(LIMITS);
        body.push(b"abc");
        assert_eq!(body.pending(0), None, "below the minimal size");
        body.push(b"de");
        assert_eq!(body.pending(0), Some((0, &b"abcde"[..])));
        assert_eq!(body.pending(5), None);
        body.push(b"fghijkl");
        assert!(body.is_complete(), "the limit ends what can be inspected");
        assert_eq!(body.pending(5), Some((3, &b"defghij"[..])));
        assert_eq!(body.total(), 12);
        body.forget(10);
        assert_eq!(body.bytes(), (8, &b"ij"[..]));
        body.pass(5);
        assert_eq!((body.total(), body.end()), (17, 10));
    }
}
