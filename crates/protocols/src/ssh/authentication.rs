//! Authentication of a client, inferred from the lengths of its server's encrypted packets, as Zeek does.
//!
//! The first packet accepts the service of authentication: 24 bytes before encryption, 17 of content padded
//! to blocks of 8. The next one mostly refuses the method "none", in a length that depends on the methods
//! the server offers; packets of that length are refusals from then on. A packet 16 bytes shorter than the
//! first is a success: 8 bytes before encryption, 1 of content.
//!
//! Limit: [`MAX_PACKETS`], after which no more is expected of a conversation.

use std::num::NonZeroU32;

/// Most packets that are looked at.
const MAX_PACKETS: u32 = 4096;

/// Bytes that the packet of success is shorter than the one that accepts the service.
const SHORTER: u32 = 16;

/// Authentication of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Authentication {
    /// Attempts that were counted.
    pub attempts: u64,
    /// Result of the last of them.
    pub success: Option<bool>,
    accepted: Option<NonZeroU32>,
    refused: Option<NonZeroU32>,
    packets: u32,
}

impl Authentication {
    /// Takes the length of what the server sent encrypted in one segment.
    pub fn packet(&mut self, length: u32) {
        let Some(known) = NonZeroU32::new(length).filter(|_| !self.is_decided()) else { return };
        self.packets += 1;
        let Some(accepted) = self.accepted else {
            self.accepted = Some(known);
            return;
        };
        if self.refused == Some(known) {
            self.attempt(false);
        } else if length.checked_add(SHORTER) == Some(accepted.get()) {
            self.attempt(true);
        } else if self.refused.is_none() {
            self.refused = Some(known);
        }
    }

    fn attempt(&mut self, success: bool) {
        self.attempts += 1;
        self.success = Some(success);
    }

    /// Whether nothing more will be learnt.
    pub fn is_decided(&self) -> bool {
        self.success == Some(true) || self.packets >= MAX_PACKETS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        type Case<'a> = (&'a [u32], u64, Option<bool>);
        let cases: &[Case<'_>] = &[
            (&[], 0, None),
            (&[40, 80], 0, None),
            (&[40, 24], 1, Some(true)),
            (&[40, 80, 80], 1, Some(false)),
            (&[40, 80, 80, 24], 2, Some(true)),
            (&[40, 80, 1000, 24], 1, Some(true)),
            (&[40, 80, 24, 80, 24], 1, Some(true)),
            (&[0, 40, 0, 24], 1, Some(true)),
        ];
        for (lengths, attempts, success) in cases {
            let mut authentication = Authentication::default();
            lengths.iter().for_each(|length| authentication.packet(*length));
            assert_eq!(
                (authentication.attempts, authentication.success),
                (*attempts, *success),
                "{lengths:?}"
            );
        }
    }

    #[test]
    fn no_more_is_expected_after_many() {
        let mut authentication = Authentication::default();
        for length in 0..=MAX_PACKETS + 1 {
            authentication.packet(1000 + length);
        }
        assert!(authentication.is_decided() && authentication.success.is_none());
    }
}
