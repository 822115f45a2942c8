//! Messages on their way into a transaction's files.

use weir_applayer::TxMeta;
use weir_applayer::body::BodyLimits;
use weir_applayer::file::{File, FileSettings, FileState};
use weir_base::{Direction, Timestamp};

use super::anomaly::Oddity;
use super::transaction::MAX_FILES;
use crate::mime::{Flaw, Sink};

/// Takes what a message holds.
pub(super) struct Attachments<'a> {
    pub meta: &'a mut TxMeta,
    pub files: &'a FileSettings,
    pub limits: BodyLimits,
    /// Id of the flow's next file.
    pub next_file: &'a mut u64,
    /// When what is taken was captured.
    pub time: Timestamp,
}

impl Attachments<'_> {
    /// The file that is open.
    fn current(&mut self) -> Option<&mut File> {
        self.meta.files.last_mut().filter(|file| file.state == FileState::Open)
    }
}

impl Sink for Attachments<'_> {
    fn open(&mut self, name: &[u8]) {
        if !self.files.enabled || self.meta.files.len() >= MAX_FILES {
            return;
        }
        let settings = FileSettings { magic: false, inspect: self.limits, ..*self.files };
        let file = File::open(*self.next_file, name.to_vec(), Direction::ToServer, self.time, &settings);
        *self.next_file += 1;
        self.meta.files.push(file);
        self.meta.updated[Direction::ToServer] = true;
    }

    fn data(&mut self, bytes: &[u8]) {
        let time = self.time;
        if let Some(file) = self.current() {
            file.append(bytes, time);
        }
    }

    fn close(&mut self, whole: bool) {
        let state = if whole { FileState::Closed } else { FileState::Truncated };
        if let Some(file) = self.current() {
            file.close(state);
        }
        self.meta.updated[Direction::ToServer] = true;
    }

    fn flaw(&mut self, flaw: Flaw) {
        self.meta.anomaly_once(Oddity::from(flaw).into());
    }
}
