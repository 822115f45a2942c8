//! Policies for fragments that overlap. Hosts differ, and attackers use it: the policy is that
//! of the destination (Novak, "Target-Based Fragmentation Reassembly", 2005).

/// Behaviour of a host on fragments that overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum OverlapPolicy {
    /// The earlier fragment counts, unless it starts after the later one.
    #[default]
    Bsd,
    /// The later fragment counts, unless it starts before the earlier one.
    BsdRight,
    /// The earlier fragment counts only if it starts before the later one.
    Linux,
    /// The earlier fragment counts.
    First,
    /// The later fragment counts.
    Last,
    /// The earlier fragment counts, unless the later starts before it and ends with or after it.
    Solaris,
    /// The earlier fragment counts, unless the later starts before it and ends after it.
    Windows,
}

/// First byte and the one after the last, counted from the start of the original payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Extent {
    /// Returns the number of bytes.
    pub const fn length(self) -> u32 {
        self.end.saturating_sub(self.start)
    }
}

impl OverlapPolicy {
    /// Every policy.
    pub const ALL: [Self; 7] =
        [Self::Bsd, Self::BsdRight, Self::Linux, Self::First, Self::Last, Self::Solaris, Self::Windows];

    /// The policy of an operating system as `host-os-policy` names it.
    pub fn of_system(name: &str) -> Option<Self> {
        let policy = match name.to_ascii_lowercase().as_str() {
            "bsd" | "hpux10" | "irix" => Self::Bsd,
            "bsd-right" | "bsd_right" => Self::BsdRight,
            "linux" | "old-linux" | "old_linux" => Self::Linux,
            "first" | "hpux11" | "macos" => Self::First,
            "last" => Self::Last,
            "solaris" | "old-solaris" | "old_solaris" => Self::Solaris,
            "windows" | "vista" | "windows2k3" => Self::Windows,
            _ => return None,
        };
        Some(policy)
    }

    /// Whether the bytes that both have are taken from the later fragment.
    pub fn later_counts(self, earlier: Extent, later: Extent) -> bool {
        match self {
            Self::Bsd => later.start < earlier.start,
            Self::BsdRight => later.start >= earlier.start,
            Self::Linux => later.start <= earlier.start,
            Self::First => false,
            Self::Last => true,
            Self::Solaris => later.start < earlier.start && later.end >= earlier.end,
            Self::Windows => later.start < earlier.start && later.end > earlier.end,
        }
    }
}
