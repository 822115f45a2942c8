//! Policies of hosts for overlapping segments.
//!
//! Hosts differ in where a new segment may replace bytes they hold already. The rules are those
//! of "Target-Based TCP Stream Reassembly" (Novak and Sturges, 2007), by where the new segment
//! begins and ends against the old one.

/// The way of a receiving host with overlapping segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum OverlapPolicy {
    /// FreeBSD, NetBSD, OpenBSD, and hosts not known otherwise.
    #[default]
    Bsd,
    /// HP JetDirect and the like; as BSD for streams.
    BsdRight,
    /// Linux 2.2 and earlier.
    OldLinux,
    /// Linux.
    Linux,
    /// Solaris.
    Solaris,
    /// HP-UX 10.
    Hpux10,
    /// HP-UX 11.
    Hpux11,
    /// IRIX.
    Irix,
    /// macOS.
    MacOs,
    /// Windows up to XP.
    Windows,
    /// Windows Vista and later.
    Vista,
    /// Windows Server 2003.
    Windows2k3,
    /// The first bytes always.
    First,
    /// The last bytes always.
    Last,
}

/// Names of `host-os-policy`, and those two that only tests of rules use.
const NAMES: &[(&str, OverlapPolicy)] = &[
    ("bsd", OverlapPolicy::Bsd),
    ("bsd-right", OverlapPolicy::BsdRight),
    ("old-linux", OverlapPolicy::OldLinux),
    ("linux", OverlapPolicy::Linux),
    ("solaris", OverlapPolicy::Solaris),
    ("hpux10", OverlapPolicy::Hpux10),
    ("hpux11", OverlapPolicy::Hpux11),
    ("irix", OverlapPolicy::Irix),
    ("macos", OverlapPolicy::MacOs),
    ("windows", OverlapPolicy::Windows),
    ("vista", OverlapPolicy::Vista),
    ("windows2k3", OverlapPolicy::Windows2k3),
    ("first", OverlapPolicy::First),
    ("last", OverlapPolicy::Last),
];

/// Bytes by which a new segment has to end behind an old one to replace its bytes, by where it begins against it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Margins {
    before: i64,
    same: i64,
    after: i64,
}

/// Margin of those that replace whatever they overlap.
const ALWAYS: i64 = i64::MIN;

/// Margin of those that replace nothing.
const NEVER: i64 = i64::MAX;

impl Margins {
    /// Whether the segment `new` reaches the margin against `old`; both are first offset and end.
    #[inline]
    pub(crate) const fn reached(self, new: (u64, u64), old: (u64, u64)) -> bool {
        let margin = if new.0 < old.0 {
            self.before
        } else if new.0 == old.0 {
            self.same
        } else {
            self.after
        };
        new.1.wrapping_sub(old.1).cast_signed() >= margin
    }
}

impl OverlapPolicy {
    /// The policy of a `host-os-policy` name; case and `_` for `-` do not matter.
    pub fn by_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        NAMES.iter().find(|(n, _)| *n == name).map(|&(_, policy)| policy)
    }

    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|&&(_, policy)| policy == self).map_or("bsd", |&(name, _)| name)
    }

    /// Whether the bytes of the segment `new` replace those of `old` where they overlap; both are
    /// first offset and end.
    pub const fn replaces(self, new: (u64, u64), old: (u64, u64)) -> bool {
        self.margins().reached(new, old)
    }

    /// The policy as a table.
    pub(crate) const fn margins(self) -> Margins {
        let (before, same, after) = match self {
            Self::First | Self::Vista => (NEVER, NEVER, NEVER),
            Self::Last => (ALWAYS, ALWAYS, ALWAYS),
            Self::Solaris | Self::Hpux11 => (0, 0, 1),
            Self::OldLinux => (ALWAYS, 0, NEVER),
            Self::Linux => (ALWAYS, 1, NEVER),
            _ => (ALWAYS, NEVER, NEVER),
        };
        Margins { before, same, after }
    }

    /// Whether a RST is taken anywhere in the window, rather than at the next sequence number.
    pub(crate) const fn reset_in_window(self) -> bool {
        matches!(self, Self::OldLinux | Self::Linux | Self::Solaris)
    }

    /// Whether a last ACK of the handshake with a wrong acknowledgement is ignored, rather than
    /// answered by a RST.
    pub(crate) const fn ignores_stray_ack(self) -> bool {
        matches!(self, Self::OldLinux | Self::Linux | Self::Solaris)
    }
}

#[cfg(test)]
mod tests {
    use super::OverlapPolicy::{self, *};

    #[test]
    fn names_lead_back() {
        for &(name, policy) in super::NAMES {
            assert_eq!(OverlapPolicy::by_name(name), Some(policy));
            assert_eq!(policy.name(), name);
        }
        assert_eq!(OverlapPolicy::by_name("OLD_LINUX"), Some(OldLinux));
        assert_eq!(OverlapPolicy::by_name("plan9"), None);
    }

    #[test]
    fn who_wins() {
        let old = (10, 20);
        // begins before / at / after, ends before / at / after the old segment's end
        let cases: [((u64, u64), &[OverlapPolicy]); 7] = [
            ((5, 15), &[Bsd, Linux, OldLinux, Windows, MacOs, Irix, Hpux10, Windows2k3, Last]),
            (
                (5, 25),
                &[Bsd, Linux, OldLinux, Solaris, Hpux11, Windows, MacOs, Irix, Hpux10, Windows2k3, Last],
            ),
            ((10, 15), &[Last]),
            ((10, 20), &[Last, OldLinux, Solaris, Hpux11]),
            ((10, 25), &[Last, OldLinux, Solaris, Hpux11, Linux]),
            ((15, 20), &[Last]),
            ((15, 25), &[Last, Solaris, Hpux11]),
        ];
        let all = [
            Bsd, OldLinux, Linux, Solaris, Hpux10, Hpux11, Irix, MacOs, Windows, Vista, Windows2k3, First,
            Last,
        ];
        for (new, winners) in cases {
            for policy in all {
                assert_eq!(policy.replaces(new, old), winners.contains(&policy), "{policy:?} {new:?}");
            }
        }
    }
}
