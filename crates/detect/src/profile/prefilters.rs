//! The cost of each search for the literals of rules.

/// Most searches that are told apart; there are fewer.
const MAX_ROWS: usize = 4096;

/// Cost of the searches in one field, or in payloads.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrefilterCost {
    /// Name of the field.
    pub name: &'static str,
    /// Number of searches.
    pub calls: u64,
    /// Ticks of all.
    pub ticks: u64,
    /// Ticks of the longest.
    pub max_ticks: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Most bytes of one.
    pub max_bytes: u64,
    /// Rules that they found, with repetitions.
    pub found: u64,
}

/// Costs of searches.
#[derive(Clone, Debug, Default)]
pub struct PrefilterCosts(Vec<PrefilterCost>);

impl PrefilterCosts {
    fn row(&mut self, name: &'static str) -> Option<&mut PrefilterCost> {
        let place = match self.0.iter().position(|row| row.name == name) {
            Some(place) => place,
            None if self.0.len() < MAX_ROWS => {
                self.0.push(PrefilterCost { name, ..PrefilterCost::default() });
                self.0.len() - 1
            }
            None => return None,
        };
        self.0.get_mut(place)
    }

    /// Adds a search that found so many rules.
    pub(crate) fn add(&mut self, name: &'static str, ticks: u64, bytes: usize, found: usize) {
        if let Some(row) = self.row(name) {
            row.calls += 1;
            row.ticks += ticks;
            row.max_ticks = row.max_ticks.max(ticks);
            row.bytes += bytes as u64;
            row.max_bytes = row.max_bytes.max(bytes as u64);
            row.found += found as u64;
        }
    }

    /// Adds the searches of another worker.
    pub fn merge(&mut self, other: &Self) {
        for row in &other.0 {
            if let Some(own) = self.row(row.name) {
                own.calls += row.calls;
                own.ticks += row.ticks;
                own.max_ticks = own.max_ticks.max(row.max_ticks);
                own.bytes += row.bytes;
                own.max_bytes = own.max_bytes.max(row.max_bytes);
                own.found += row.found;
            }
        }
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[PrefilterCost] {
        &self.0
    }
}
