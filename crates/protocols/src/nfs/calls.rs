//! Calls of a connection that wait for a reply, and names by handle.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::ask::MAX_HANDLE;

/// Most calls of a connection that wait for a reply; the oldest one goes.
pub const MAX_CALLS: usize = 1024;

/// Most handles of a connection whose names are known; the oldest one goes.
pub const MAX_NAMES: usize = 1024;

/// A part of a file that a compound asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// The file; several parts may be of one.
    pub handle: Arc<[u8]>,
    /// Where the part begins.
    pub offset: u64,
}

/// A call that waits for its reply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Call {
    /// The version of NFS.
    pub version: u32,
    /// The procedure.
    pub procedure: u32,
    /// The results are wrapped up for their integrity.
    pub is_wrapped: bool,
    /// The file that it is about.
    pub handle: Vec<u8>,
    /// Name of its object.
    pub name: Vec<u8>,
    /// Where the part of a file begins that is asked for.
    pub offset: u64,
    /// Parts of files that a compound asks for, in order.
    pub reads: Vec<Read>,
    /// The transaction that it belongs to.
    pub transaction: Option<u64>,
}

/// The calls that wait.
#[derive(Debug, Default)]
pub struct Calls {
    waiting: HashMap<u32, (u64, Call)>,
    /// Their numbers in the order in which they came; some are answered.
    order: VecDeque<(u32, u64)>,
    count: u64,
}

impl Calls {
    /// Bytes that they take, without those of names.
    pub fn memory(&self) -> usize {
        self.waiting.len() * size_of::<(u32, (u64, Call))>() + self.order.capacity() * size_of::<(u32, u64)>()
    }

    /// Adds a call.
    pub fn add(&mut self, xid: u32, call: Call) {
        self.count += 1;
        self.waiting.insert(xid, (self.count, call));
        self.order.push_back((xid, self.count));
        while self.order.len() > MAX_CALLS {
            let Some((xid, count)) = self.order.pop_front() else { break };
            if self.waiting.get(&xid).is_some_and(|(known, _)| *known == count) {
                self.waiting.remove(&xid);
            }
        }
    }

    /// The call with this number.
    pub fn get(&self, xid: u32) -> Option<&Call> {
        self.waiting.get(&xid).map(|(_, call)| call)
    }

    /// Takes the call with this number.
    pub fn take(&mut self, xid: u32) -> Option<Call> {
        self.waiting.remove(&xid).map(|(_, call)| call)
    }
}

/// Names by handle.
#[derive(Debug, Default)]
pub struct Names {
    known: HashMap<Vec<u8>, Vec<u8>>,
    order: VecDeque<Vec<u8>>,
    /// Bytes of names.
    size: usize,
}

impl Names {
    /// Learns what a handle was given for.
    pub fn learn(&mut self, handle: &[u8], name: &[u8]) {
        if handle.is_empty() || handle.len() > MAX_HANDLE {
            return;
        }
        self.size += name.len();
        if let Some(before) = self.known.insert(handle.to_vec(), name.to_vec()) {
            self.size -= before.len();
            return;
        }
        self.order.push_back(handle.to_vec());
        if self.order.len() > MAX_NAMES
            && let Some(oldest) = self.order.pop_front()
        {
            self.size -= self.known.remove(&oldest).map_or(0, |name| name.len());
        }
    }

    /// Bytes that they take; a handle is counted as the longest one is.
    pub fn memory(&self) -> usize {
        self.size + self.order.len() * (3 * size_of::<Vec<u8>>() + 2 * MAX_HANDLE)
    }

    /// Returns the name that a handle was given for; empty where that is not known.
    pub fn of(&self, handle: &[u8]) -> &[u8] {
        self.known.get(handle).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_calls_go() {
        let mut calls = Calls::default();
        for xid in 0..MAX_CALLS as u32 + 2 {
            calls.add(xid, Call::default());
        }
        assert_eq!([0, 1, 2].map(|xid| calls.get(xid).is_some()), [false, false, true]);
        calls.take(2);
        calls.add(2, Call { procedure: 7, ..Call::default() });
        calls.add(9999, Call::default());
        assert_eq!(calls.get(2).map(|call| call.procedure), Some(7), "the one that came later stays");
        assert!(calls.waiting.len() <= MAX_CALLS && calls.order.len() <= MAX_CALLS);
    }

    #[test]
    fn the_oldest_names_go() {
        let mut names = Names::default();
        for number in 0..MAX_NAMES as u32 + 1 {
            names.learn(&number.to_be_bytes(), b"a");
            names.learn(&number.to_be_bytes(), b"b");
        }
        assert_eq!((names.of(&[0; 4]), names.of(&[0, 0, 0, 1])), (&b""[..], &b"b"[..]));
        assert!(names.known.len() <= MAX_NAMES && names.order.len() <= MAX_NAMES);
    }
}
