//! Messages as they were sent, which transactions keep for the events of scripts until these took them.

use std::cell::RefCell;

use weir_base::{Direction, Timestamp};

/// Most messages of a transaction that wait; scripts take them with each packet. Those beyond have no events, and are counted.
pub const MAX_HEARD: usize = 1024;

/// Most bytes of a transaction's messages that wait.
pub const MAX_HEARD_BYTES: usize = 1 << 20;

/// A message as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeardMessage {
    /// Who sent it.
    pub direction: Direction,
    /// When its last byte was captured.
    pub time: Timestamp,
    /// Its kind, by a number of the protocol's own.
    pub kind: u8,
    /// The bytes.
    pub bytes: Box<[u8]>,
}

#[derive(Debug, Default)]
struct Waiting {
    messages: Vec<HeardMessage>,
    bytes: usize,
    /// Messages for which there was no room.
    left_out: u64,
}

/// The messages of a transaction that scripts have not taken. Where no script handles events nothing is kept.
#[derive(Debug, Default)]
pub struct Heard(Option<Box<RefCell<Waiting>>>);

impl Heard {
    /// Keeps a message, where scripts want it.
    #[inline]
    pub fn note(&mut self, wanted: bool, direction: Direction, time: Timestamp, kind: u8, bytes: &[u8]) {
        if wanted {
            self.keep(direction, time, kind, bytes);
        }
    }

    #[cold]
    fn keep(&mut self, direction: Direction, time: Timestamp, kind: u8, bytes: &[u8]) {
        let waiting = self.0.get_or_insert_default().get_mut();
        let total = waiting.bytes.saturating_add(bytes.len());
        if waiting.messages.len() < MAX_HEARD && total <= MAX_HEARD_BYTES {
            waiting.bytes = total;
            waiting.messages.push(HeardMessage { direction, time, kind, bytes: bytes.into() });
        } else {
            waiting.left_out += 1;
        }
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        let waiting = self.0.as_ref().and_then(|waiting| waiting.try_borrow().ok());
        waiting.is_none_or(|waiting| waiting.messages.is_empty())
    }

    /// Returns the number of messages for which there was no room since the last time.
    pub fn take_left_out(&self) -> u64 {
        let waiting = self.0.as_ref().and_then(|waiting| waiting.try_borrow_mut().ok());
        waiting.map_or(0, |mut waiting| std::mem::take(&mut waiting.left_out))
    }

    /// Takes the messages that came since the last time.
    pub fn take(&self) -> Vec<HeardMessage> {
        let taken = self.0.as_ref().and_then(|waiting| waiting.try_borrow_mut().ok());
        let take = |waiting: &mut Waiting| {
            waiting.bytes = 0;
            std::mem::take(&mut waiting.messages)
        };
        taken.map(|mut waiting| take(&mut waiting)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_no_more_than_its_limits() {
        let note = |heard: &mut Heard, wanted, bytes: &[u8]| {
            heard.note(wanted, Direction::ToServer, Timestamp(7), 1, bytes);
        };
        let mut heard = Heard::default();
        note(&mut heard, false, b"unwanted");
        assert!(heard.take().is_empty() && heard.0.is_none());
        note(&mut heard, true, b"one");
        assert_eq!(heard.take().iter().map(|message| &message.bytes[..]).collect::<Vec<_>>(), [b"one"]);
        assert!(heard.take().is_empty());
        (0..MAX_HEARD + 2).for_each(|_| note(&mut heard, true, b""));
        assert_eq!((heard.take().len(), heard.take_left_out(), heard.take_left_out()), (MAX_HEARD, 2, 0));
        let half = vec![0; MAX_HEARD_BYTES / 2];
        (0..3).for_each(|_| note(&mut heard, true, &half));
        assert!(!heard.is_empty());
        assert_eq!((heard.take().len(), heard.take_left_out(), heard.is_empty()), (2, 1, true));
    }
}
