//! Rows that were written early, for want of memory.

use weir_base::{CounterVisitor, Counters};

/// Counts of what was written early, as `memcap` was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GivenUp {
    /// Connections that were ended.
    pub connections: u64,
    /// Times that rows were written which waited of a flow.
    pub rows: u64,
}

impl GivenUp {
    /// Together with that of another worker.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self { connections: self.connections + other.connections, rows: self.rows + other.rows }
    }

    /// Sentence to warn with; none where nothing was.
    pub fn sentence(self) -> Option<String> {
        (self != Self::default()).then(|| {
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
        if *self != Self::default() {
            visitor.counter("zeek.connections_ended_early", self.connections);
            visitor.counter("zeek.rows_written_early", self.rows);
        }
    }
}
