//! Memories whose bounds can be changed while a run goes on.

use crate::settings::EngineSettings;
use crate::stats::Totals;

/// A memory with a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// TCP sessions.
    Stream,
    /// Bytes of TCP that wait.
    Reassembly,
    /// Flows.
    Flow,
    /// Fragments.
    Defrag,
}

/// The bound of a memory of all workers together; zero is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound {
    pub(crate) memory: Memory,
    pub(crate) bytes: u64,
}

impl Memory {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Stream, Self::Reassembly, Self::Flow, Self::Defrag];

    /// Returns the counter of what is in use.
    pub(crate) const fn counter(self) -> &'static str {
        match self {
            Self::Stream => "tcp.memuse",
            Self::Reassembly => "tcp.reassembly_memuse",
            Self::Flow => "flow.memuse",
            Self::Defrag => "defrag.memuse",
        }
    }

    /// Returns its name, as the configuration has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Reassembly => "stream-reassembly",
            Self::Flow => "flow",
            Self::Defrag => "defrag",
        }
    }

    /// Whether it may be without bound.
    pub(crate) fn may_be_unlimited(self) -> bool {
        self != Self::Defrag
    }

    /// Returns what is in use of it.
    pub(crate) fn used(self, totals: &Totals) -> u64 {
        totals.value(self.counter())
    }
}

impl Bound {
    /// Returns the bound that settings have for a memory.
    pub(crate) fn of(memory: Memory, settings: &EngineSettings) -> Self {
        let bytes = match memory {
            Memory::Stream => settings.stream.memcap,
            Memory::Reassembly => settings.stream.reassembly_memcap,
            Memory::Flow => settings.flow.memcap,
            Memory::Defrag => settings.defrag.memcap as u64,
        };
        Self { memory, bytes }
    }

    /// Puts it into settings.
    pub(crate) fn set(self, settings: &mut EngineSettings) {
        let EngineSettings { stream, unread_stream, flow, defrag, .. } = settings;
        let streams = [Some(stream), unread_stream.as_deref_mut()].into_iter().flatten();
        match self.memory {
            Memory::Stream => streams.for_each(|stream| stream.memcap = self.bytes),
            Memory::Reassembly => streams.for_each(|stream| stream.reassembly_memcap = self.bytes),
            Memory::Flow => flow.memcap = self.bytes,
            Memory::Defrag => defrag.memcap = usize::try_from(self.bytes).unwrap_or(usize::MAX),
        }
    }

    /// Returns the share of one of so many workers.
    pub(crate) const fn share_of(self, workers: usize) -> Self {
        Self { memory: self.memory, bytes: self.bytes.div_ceil(workers as u64) }
    }
}

#[cfg(test)]
mod tests {
    use weir_config::Settings;

    use super::*;
    use crate::settings::RunOptions;

    #[test]
    fn bounds_are_put_into_settings() {
        let settings = Settings::built_in(&[] as &[&str]).expect("settings");
        let mut typed = EngineSettings::from_settings(&settings, &RunOptions::default()).expect("settings");
        for (memory, bytes) in Memory::ALL.into_iter().zip([1000, 2000, 3001, 4000]) {
            let bound = Bound { memory, bytes };
            bound.set(&mut typed);
            assert_eq!(Bound::of(memory, &typed), bound);
            let share = Bound::of(memory, &typed.share_of(2));
            assert_eq!(share, bound.share_of(2), "{memory:?}");
        }
    }
}
