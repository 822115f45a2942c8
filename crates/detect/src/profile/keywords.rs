//! The cost of each keyword, by the buffer that it looks at.

use weir_base::profile::Cost;

/// Most keywords and buffers; there are fewer.
const MAX_ROWS: usize = 4096;

/// Name of the place of checks on headers and flows.
pub const PACKET_CHECKS: &str = "packet";

/// Cost of a keyword in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct KeywordCost {
    /// Name of the buffer.
    pub buffer: &'static str,
    /// Name of the keyword.
    pub keyword: &'static str,
    /// Checks.
    pub cost: Cost,
}

/// Costs of keywords.
#[derive(Clone, Debug, Default)]
pub struct KeywordCosts(Vec<KeywordCost>);

impl KeywordCosts {
    fn row(&mut self, buffer: &'static str, keyword: &'static str) -> Option<&mut Cost> {
        // Most are found by address.
        let found = self.0.iter().position(|row| row.keyword == keyword && row.buffer == buffer);
        let place = match found {
            Some(place) => place,
            None if self.0.len() < MAX_ROWS => {
                self.0.push(KeywordCost { buffer, keyword, cost: Cost::default() });
                self.0.len() - 1
            }
            None => return None,
        };
        self.0.get_mut(place).map(|row| &mut row.cost)
    }

    /// Adds a check.
    pub(crate) fn add(&mut self, buffer: &'static str, keyword: &'static str, ticks: u64, is_match: bool) {
        if let Some(cost) = self.row(buffer, keyword) {
            cost.add(ticks, is_match);
        }
    }

    /// Adds the checks of another worker.
    pub fn merge(&mut self, other: &Self) {
        for row in &other.0 {
            if let Some(cost) = self.row(row.buffer, row.keyword) {
                cost.merge(&row.cost);
            }
        }
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[KeywordCost] {
        &self.0
    }
}
