//! What each group of rules leaves to look at.

use weir_base::Direction;

/// Most groups that are told apart; there are fewer.
const MAX_ROWS: usize = 1024;

/// Name of a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GroupName {
    /// Class of packets, or protocol.
    pub of: &'static str,
    /// Direction of its packets.
    pub direction: Direction,
}

/// Counts of one group.
#[derive(Clone, Copy, Debug)]
pub struct GroupCost {
    /// Name.
    pub name: GroupName,
    /// Times that it was looked up.
    pub checks: u64,
    /// Times that rules without a literal were among those to look at.
    pub without_literal: u64,
    /// Those of them where the packet begins a connection.
    pub without_literal_syn: u64,
    /// Rules whose literal was found.
    pub found: u64,
    /// Most of one time.
    pub found_max: u64,
    /// Rules to look at.
    pub candidates: u64,
    /// Most of one time.
    pub candidates_max: u64,
    /// Searches for literals.
    pub searches: u64,
}

/// What came of looking a group up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookedUp {
    pub(crate) found: usize,
    pub(crate) candidates: usize,
    pub(crate) searches: u64,
    pub(crate) is_syn: bool,
}

/// Counts of groups.
#[derive(Clone, Debug, Default)]
pub struct GroupCosts(Vec<GroupCost>);

impl GroupCosts {
    fn row(&mut self, name: GroupName) -> Option<&mut GroupCost> {
        let place = match self.0.iter().position(|row| row.name == name) {
            Some(place) => place,
            None if self.0.len() < MAX_ROWS => {
                self.0.push(GroupCost::new(name));
                self.0.len() - 1
            }
            None => return None,
        };
        self.0.get_mut(place)
    }

    /// Adds a look.
    pub(crate) fn add(&mut self, name: GroupName, looked_up: LookedUp) {
        if let Some(row) = self.row(name) {
            let LookedUp { found, candidates, searches, is_syn } = looked_up;
            let (found, candidates) = (found as u64, candidates as u64);
            let more = candidates > found;
            row.checks += 1;
            row.without_literal += u64::from(more && !is_syn);
            row.without_literal_syn += u64::from(more && is_syn);
            row.found += found;
            row.found_max = row.found_max.max(found);
            row.candidates += candidates;
            row.candidates_max = row.candidates_max.max(candidates);
            row.searches += searches;
        }
    }

    /// Adds the looks of another worker.
    pub fn merge(&mut self, other: &Self) {
        for row in &other.0 {
            if let Some(own) = self.row(row.name) {
                own.checks += row.checks;
                own.without_literal += row.without_literal;
                own.without_literal_syn += row.without_literal_syn;
                own.found += row.found;
                own.found_max = own.found_max.max(row.found_max);
                own.candidates += row.candidates;
                own.candidates_max = own.candidates_max.max(row.candidates_max);
                own.searches += row.searches;
            }
        }
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[GroupCost] {
        &self.0
    }
}

impl GroupCost {
    const fn new(name: GroupName) -> Self {
        Self {
            name,
            checks: 0,
            without_literal: 0,
            without_literal_syn: 0,
            found: 0,
            found_max: 0,
            candidates: 0,
            candidates_max: 0,
            searches: 0,
        }
    }
}
