//! Options of a rule by the checks that they made, for those who explain rules.

/// List of checks that options go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// The payload.
    Payload,
    /// The buffer with this position.
    Buffer(usize),
    /// Bytes that `base64_decode` decodes.
    Decoded,
}

/// Options by the checks that they made, by position among the rule's options: for those who explain rules.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The option of each check on packets and flows.
    pub packet: Vec<usize>,
    /// The option of each check of a list, with its position there.
    pub checks: Vec<(List, usize, usize)>,
    /// The option that first named each buffer.
    pub buffers: Vec<usize>,
}

impl Places {
    /// A content leaves the payload; gives its option.
    pub(crate) fn leave_payload(&mut self, position: usize) -> Option<usize> {
        let here = |(list, at, _): &(List, usize, usize)| *list == List::Payload && *at == position;
        let found = self.checks.iter().position(here).map(|index| self.checks.remove(index).2);
        for (list, at, _) in &mut self.checks {
            if *list == List::Payload && *at > position {
                *at -= 1;
            }
        }
        found
    }
}
