//! The configuration of SMB: `app-layer.protocols.smb`.

use weir_applayer::Options;

/// The configuration, read once. Of sizes and numbers of chunks that wait, zero is no limit.
///
/// It has a field for each setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// `stream-depth`: bytes of each side that are followed; zero for all, as it is unless it is set.
    pub(super) stream_depth: u64,
    /// `max-read-size`
    pub(super) max_read_size: u64,
    /// `max-write-size`
    pub(super) max_write_size: u64,
    /// `max-read-queue-size`
    pub(super) max_read_queue_size: u64,
    /// `max-read-queue-cnt`
    pub(super) max_read_queue_count: u64,
    /// `max-write-queue-size`
    pub(super) max_write_queue_size: u64,
    /// `max-write-queue-cnt`
    pub(super) max_write_queue_count: u64,
    /// `max-tx`
    pub(super) max_transactions: usize,
    /// `max-guid-cache-size`: files that are open.
    pub(super) max_opened: usize,
    /// `max-rec-offset-cache-size`: reads that are not answered.
    pub(super) max_reads: usize,
    /// `max-tree-cache-size`: shares that are connected.
    pub(super) max_trees: usize,
    /// `max-dcerpc-frag-cache-size`: pipes with calls.
    pub(super) max_pipes: usize,
    /// `max-session-cache-size`: calls of pipes that are not answered.
    pub(super) max_sessions: usize,
}

impl Settings {
    /// Reads the configuration.
    pub(super) fn read(options: &dyn Options) -> Self {
        let count = |path, default| usize::try_from(options.size(path, default)).unwrap_or(usize::MAX).max(1);
        Self {
            stream_depth: options.size("stream-depth", 0),
            max_read_size: options.size("max-read-size", 16 << 20),
            max_write_size: options.size("max-write-size", 16 << 20),
            max_read_queue_size: options.size("max-read-queue-size", 64 << 20),
            max_read_queue_count: options.size("max-read-queue-cnt", 64),
            max_write_queue_size: options.size("max-write-queue-size", 64 << 20),
            max_write_queue_count: options.size("max-write-queue-cnt", 64),
            max_transactions: count("max-tx", 1024),
            max_opened: count("max-guid-cache-size", 1024),
            max_reads: count("max-rec-offset-cache-size", 128),
            max_trees: count("max-tree-cache-size", 512),
            max_pipes: count("max-dcerpc-frag-cache-size", 128),
            max_sessions: count("max-session-cache-size", 512),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Settings as Texts;

    #[test]
    fn settings_by_text() {
        let read = |texts: &[(&'static str, &'static str)]| Settings::read(&Texts(texts));
        assert_eq!(read(&[]).stream_depth, 0);
        assert_eq!(read(&[("stream-depth", "2mb")]).stream_depth, 2 << 20);
        let settings = read(&[("max-read-size", "1mb"), ("max-write-queue-cnt", "3"), ("max-tx", "0")]);
        assert_eq!(
            (settings.max_read_size, settings.max_write_size, settings.max_write_queue_count),
            (1 << 20, 16 << 20, 3)
        );
        assert_eq!(settings.max_transactions, 1);
    }
}
