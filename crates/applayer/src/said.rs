//! The transaction of protocols that are reported message by message, a message each.

use std::any::Any;

use weir_base::{Direction, Timestamp};

use crate::transaction::{Transaction, TxMeta};

/// A message that one side said, read whole.
#[derive(Debug)]
pub struct Said<M> {
    /// Facts that every transaction has.
    pub meta: TxMeta,
    /// When it was said.
    pub time: Timestamp,
    /// Content of the message.
    pub message: M,
}

impl<M> Said<M> {
    /// Makes a transaction of what was said in this direction.
    pub fn new(direction: Direction, time: Timestamp, message: M) -> Self {
        let mut meta = TxMeta::of_message(direction);
        meta.seen(direction, time);
        Self { meta, time, message }
    }
}

impl<M: Clone> Said<M> {
    /// Forks the message for Zeek's logs alone, which another parser feeds from here on.
    pub fn fork(&mut self) -> Self {
        Self { meta: self.meta.fork(), time: self.time, message: self.message.clone() }
    }
}

impl<M: Send + 'static> Transaction for Said<M> {
    fn meta(&self) -> &TxMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut TxMeta {
        &mut self.meta
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::{Progress, downcast};

    #[test]
    fn messages_of_protocols_are_told_apart() {
        let said = Said::new(Direction::ToClient, Timestamp(7), "hello");
        let transaction: &dyn Transaction = &said;
        assert_eq!(downcast::<Said<&str>>(transaction).map(|said| said.message), Some("hello"));
        assert!(downcast::<Said<u8>>(transaction).is_none());
    }

    #[test]
    fn it_is_complete_when_it_was_said() {
        let mut said = Said::new(Direction::ToClient, Timestamp(7), b'a');
        for said in [said.fork(), said] {
            let meta = &said.meta;
            assert_eq!((said.time, said.message, meta.only), (Timestamp(7), b'a', Some(Direction::ToClient)));
            assert_eq!((meta.progress.to_server, meta.progress.to_client), (Progress(1), Progress(1)));
            assert_eq!(meta.last_seen.to_client, Timestamp(7));
            assert_eq!(meta.last_seen.to_server, Timestamp::default());
        }
    }
}
