//! Hosts that do something too often: they are counted over all connections, and noticed once in an epoch.

use std::collections::HashMap;
use std::net::IpAddr;

use ahash::RandomState;
use weir_applayer::zeek::ZeekHabit;
use weir_base::Timestamp;

use crate::notice::Notice;
use crate::rows::Rows;

/// Most hosts that are counted of a habit in an epoch; those beyond are not looked at.
const MAX_HOSTS: usize = 1 << 16;

/// Servers that a notice names.
const MAX_SAMPLES: usize = 5;

/// Count of a host in an epoch.
#[derive(Debug, Default)]
struct Count {
    times: u64,
    /// To whom, the first times.
    servers: Vec<IpAddr>,
}

/// The hosts of an epoch.
#[derive(Debug)]
struct Epoch {
    number: u64,
    hosts: HashMap<IpAddr, Count, RandomState>,
}

impl Default for Epoch {
    fn default() -> Self {
        Self { number: 0, hosts: HashMap::with_hasher(weir_base::keyed_hash()) }
    }
}

/// All habits that somebody had, each with its current epoch.
#[derive(Debug, Default)]
pub(crate) struct Habits {
    /// Epochs of each habit, by its notice.
    epochs: Vec<(&'static str, Epoch)>,
    /// Counts of hosts that there was no room for.
    pub(crate) left_out: u64,
}

/// A host did it too often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Crossed {
    pub(crate) times: u64,
    /// Some of those that it did it to.
    pub(crate) servers: Vec<IpAddr>,
}

impl Habits {
    /// Notes that `client` did it to `server`, `since` after the capture's begin; whether it was once too often.
    pub(crate) fn note(
        &mut self,
        habit: &'static ZeekHabit,
        (client, server): (IpAddr, IpAddr),
        since: weir_base::Duration,
    ) -> Option<Crossed> {
        let known = self.epochs.iter().position(|(note, _)| *note == habit.note);
        let place = known.unwrap_or_else(|| {
            self.epochs.push((habit.note, Epoch::default()));
            self.epochs.len() - 1
        });
        let (_, epoch) = self.epochs.get_mut(place)?;
        let number = (since.as_nanos() / habit.epoch.as_nanos().max(1)) as u64;
        if epoch.number != number {
            epoch.number = number;
            epoch.hosts.clear();
        }
        if epoch.hosts.len() >= MAX_HOSTS && !epoch.hosts.contains_key(&client) {
            self.left_out += 1;
            return None;
        }
        let count = epoch.hosts.entry(client).or_default();
        count.times += 1;
        if count.servers.len() < MAX_SAMPLES {
            count.servers.push(server);
        }
        (count.times == habit.limit).then(|| Crossed { times: count.times, servers: count.servers.clone() })
    }
}

impl Rows<'_> {
    /// A notice of a host that did it too often.
    pub(crate) fn habit(&mut self, ts: Timestamp, habit: &ZeekHabit, host: IpAddr, crossed: &Crossed) {
        let message = (habit.message)(host, crossed.times);
        let servers: Vec<String> = crossed.servers.iter().map(IpAddr::to_string).collect();
        let sampled = format!("Sampled servers:  {}", servers.join(", "));
        let notice = Notice::new(habit.note, &message);
        let suppress_for = notice.suppress_for;
        let notice = Notice { sub: Some(&sampled), source: Some(host), ..notice.once(host, suppress_for) };
        self.notice(None, ts, notice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_base::Duration;

    static KNOCKS: ZeekHabit = ZeekHabit {
        note: "A::Knocks",
        epoch: Duration::from_secs(60),
        limit: 3,
        message: |host, times| format!("{host} knocked {times} times"),
    };

    #[test]
    fn once_too_often_in_an_epoch() {
        let host = |last: u8| IpAddr::from([10, 0, 0, last]);
        let mut habits = Habits::default();
        let crossed = |last: [u8; 3]| Some(Crossed { times: 3, servers: last.map(host).to_vec() });
        for (second, client, server, expected) in [
            (0, 1, 11, None),
            (1, 1, 12, None),
            (2, 2, 11, None),
            (3, 1, 12, crossed([11, 12, 12])),
            (4, 1, 13, None),
            (61, 1, 11, None),
            (62, 2, 11, None),
            (63, 2, 11, None),
            (64, 1, 14, None),
            (119, 1, 15, crossed([11, 14, 15])),
        ] {
            let found = habits.note(&KNOCKS, (host(client), host(server)), Duration::from_secs(second));
            assert_eq!(found, expected, "{second}");
        }
    }
}
