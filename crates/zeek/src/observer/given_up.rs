//! Rows that were written early, and messages that scripts do not hear of, for want of room.

use weir_base::{CounterVisitor, Counters};

/// Counts of what a limit was reached for: `memcap`, or that of messages that wait for scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GivenUp {
    /// Connections that were ended.
    pub connections: u64,
    /// Times that rows were written which waited of a flow.
    pub rows: u64,
    /// Messages that have no events of scripts, as too many came at once.
    pub messages: u64,
}

impl GivenUp {
    /// Together with that of another worker.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self {
            connections: self.connections + other.connections,
            rows: self.rows + other.rows,
            messages: self.messages + other.messages,
        }
    }

    /// Sentence to warn with where memory was reached; none where it was not.
    pub fn sentence(self) -> Option<String> {
        (self.connections + self.rows > 0).then(|| {
            format!(
                "The memcap of Zeek's logs was reached: {} connections have their rows from before their ends, and {} \
                 times rows were written that waited for more.",
                self.connections, self.rows
            )
        })
    }
}

impl Counters for GivenUp {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        // Only where there are any: records of counters are the same with Zeek's logs and without.
        if self.connections + self.rows > 0 {
            visitor.counter("zeek.connections_ended_early", self.connections);
            visitor.counter("zeek.rows_written_early", self.rows);
        }
        if self.messages > 0 {
            visitor.counter("zeek.messages_without_events", self.messages);
        }
    }
}
