//! The keys already found in the scan under way.

/// A stamp for each key, so that a new scan need not clear what the last one left.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    stamps: Vec<u32>,
    scan: u32,
}

impl Stamps {
    /// Starts a scan over `keys` keys, none of them seen.
    #[inline]
    pub(crate) fn begin(&mut self, keys: usize) -> Seen<'_> {
        if self.scan == u32::MAX {
            self.stamps.fill(0);
            self.scan = 0;
        }
        self.scan += 1;
        if self.stamps.len() < keys {
            self.stamps.resize(keys, 0);
        }
        Seen { stamps: &mut self.stamps, scan: self.scan }
    }
}

/// The keys seen in one scan.
pub(crate) struct Seen<'s> {
    stamps: &'s mut [u32],
    scan: u32,
}

impl Seen<'_> {
    #[inline(always)]
    pub(crate) fn contains(&self, key: u32) -> bool {
        self.stamps[key as usize] == self.scan
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, key: u32) {
        self.stamps[key as usize] = self.scan;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_sees_only_its_own() {
        let mut stamps = Stamps { stamps: Vec::new(), scan: u32::MAX - 1 };
        let mut first = stamps.begin(3);
        first.insert(2);
        assert_eq!([0, 1, 2].map(|key| first.contains(key)), [false, false, true]);
        let mut second = stamps.begin(2);
        assert!(!second.contains(2));
        second.insert(1);
        assert!(second.contains(1) && !stamps.begin(2).contains(1));
    }
}
