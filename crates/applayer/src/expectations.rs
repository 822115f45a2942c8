//! Flows that another flow announced: the data connection that an FTP control connection agreed on.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use hashbrown::HashMap;
use weir_base::{Direction, Duration, Timestamp};

use crate::parser::Endpoints;

/// Most announced flows that wait at a time; the oldest goes first.
pub const MAX_EXPECTATIONS: usize = 16_384;

/// An announced flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The protocol's name.
    pub protocol: &'static str,
    /// Tag for the flow's parser.
    pub tag: Arc<[u8]>,
    /// Time until it is no longer waited for.
    pub patience: Duration,
}

/// The two ends of an announced flow; its client's port is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    client: IpAddr,
    server: IpAddr,
    port: u16,
}

impl Key {
    fn of(endpoints: &Endpoints) -> Self {
        Self { client: endpoints.client, server: endpoints.server, port: endpoints.server_port }
    }
}

/// The announced flows that have not come yet.
#[derive(Debug, Default)]
pub struct Expectations {
    by_key: HashMap<Key, (Expected, Timestamp, u64)>,
    /// Keys in the order announced, each with the number it was announced under: one that was
    /// taken or announced anew since is stale.
    order: VecDeque<(Key, u64)>,
    announced: u64,
    pushed_out: u64,
}

impl Expectations {
    /// Notes that the flow between `endpoints` announced another, which `opened_by` will open: its
    /// client is the side that sends in that direction.
    pub fn announce(
        &mut self,
        endpoints: &Endpoints,
        opened_by: Direction,
        port: u16,
        expected: Expected,
        time: Timestamp,
    ) {
        let (client, server) = match opened_by {
            Direction::ToServer => (endpoints.client, endpoints.server),
            Direction::ToClient => (endpoints.server, endpoints.client),
        };
        let key = Key { client, server, port };
        self.announced += 1;
        self.by_key.insert(key, (expected, time, self.announced));
        self.order.push_back((key, self.announced));
        while self.order.len() > MAX_EXPECTATIONS {
            let waiting = self.len();
            self.drop_oldest();
            self.pushed_out += (waiting - self.len()) as u64;
        }
    }

    /// Takes the announcement of the new flow between `endpoints`, if there is one.
    pub fn take(&mut self, endpoints: &Endpoints, now: Timestamp) -> Option<Expected> {
        if self.by_key.is_empty() {
            return None;
        }
        let (expected, since, _) = self.by_key.remove(&Key::of(endpoints))?;
        (now.since(since) <= expected.patience).then_some(expected)
    }

    /// As [`Self::take`], but the announcement stays: another connection may have been meant.
    pub fn find(&self, endpoints: &Endpoints, now: Timestamp) -> Option<&Expected> {
        let (expected, since, _) = self.by_key.get(&Key::of(endpoints))?;
        (now.since(*since) <= expected.patience).then_some(expected)
    }

    /// Returns the number of flows that are waited for.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Number of announced flows that were forgotten for newer ones, since there were too many.
    pub const fn pushed_out(&self) -> u64 {
        self.pushed_out
    }

    /// Whether none is waited for.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Forgets what was announced too long ago; to be called now and then.
    pub fn expire(&mut self, now: Timestamp) {
        while let Some((key, number)) = self.order.front() {
            match self.by_key.get(key) {
                Some((expected, since, current))
                    if current == number && now.since(*since) <= expected.patience =>
                {
                    return;
                }
                _ => self.drop_oldest(),
            }
        }
    }

    fn drop_oldest(&mut self) {
        if let Some((key, number)) = self.order.pop_front()
            && self.by_key.get(&key).is_some_and(|(_, _, current)| *current == number)
        {
            self.by_key.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Transport;
    use crate::toy;

    fn announced(tag: &[u8]) -> Expected {
        Expected { protocol: "ftp-data", tag: tag.into(), patience: Duration::from_secs(30) }
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::new(seconds, 0)
    }

    #[test]
    fn taken_once_by_the_flow_announced() {
        let control = toy::endpoints(Transport::Tcp, 1000, 21);
        let passive = toy::endpoints(Transport::Tcp, 1001, 3000);
        let active = Endpoints {
            client: control.server,
            server: control.client,
            ..toy::endpoints(Transport::Tcp, 20, 3000)
        };
        for (opened_by, comes, does_not) in
            [(Direction::ToServer, passive, active), (Direction::ToClient, active, passive)]
        {
            let mut expectations = Expectations::default();
            expectations.announce(&control, opened_by, 3000, announced(b"5"), at(1));
            assert_eq!(expectations.take(&does_not, at(2)), None);
            assert_eq!(expectations.find(&comes, at(2)), Some(&announced(b"5")));
            assert_eq!(expectations.find(&comes, at(60)), None);
            assert_eq!(expectations.take(&comes, at(2)), Some(announced(b"5")));
            assert_eq!(expectations.take(&comes, at(2)), None);
        }
    }

    #[test]
    fn forgotten_after_its_lifetime_and_bounded() {
        let control = toy::endpoints(Transport::Tcp, 1000, 21);
        let mut expectations = Expectations::default();
        for port in 0..=u16::MAX {
            expectations.announce(&control, Direction::ToServer, port, announced(b"5"), at(1));
        }
        assert_eq!((expectations.len(), expectations.order.len()), (MAX_EXPECTATIONS, MAX_EXPECTATIONS));
        assert_eq!(expectations.pushed_out(), 65_536 - MAX_EXPECTATIONS as u64);
        let first = toy::endpoints(Transport::Tcp, 1000, 0);
        let last = toy::endpoints(Transport::Tcp, 1000, u16::MAX);
        assert_eq!(expectations.take(&first, at(2)), None);
        assert_eq!(expectations.take(&last, at(2)), Some(announced(b"5")));
        expectations.expire(at(100));
        assert!(expectations.is_empty() && expectations.order.is_empty());
        assert_eq!(expectations.pushed_out(), 65_536 - MAX_EXPECTATIONS as u64, "time ended the others");
    }

    #[test]
    fn announced_anew_it_lives_on() {
        let control = toy::endpoints(Transport::Tcp, 1000, 21);
        let data = toy::endpoints(Transport::Tcp, 1001, 3000);
        let mut expectations = Expectations::default();
        expectations.announce(&control, Direction::ToServer, 3000, announced(b"5"), at(1));
        expectations.announce(&control, Direction::ToServer, 3000, announced(b"6"), at(25));
        expectations.expire(at(40));
        assert_eq!(expectations.take(&data, at(41)), Some(announced(b"6")));
    }
}
