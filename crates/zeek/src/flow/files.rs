//! What loggers report of files: rows, and what scripts that follow files are told.

use weir_applayer::File;
use weir_applayer::extraction::Extract;
use weir_applayer::file::FileState;
use weir_applayer::zeek::{FileFate, FilePart, HandlePart, WholeFile};
use weir_base::Direction;

use super::{FlowSink, source_name};
use crate::connection::Connection;
use crate::events;
use crate::files::extract::Extracted;
use crate::files::told::Told;
use crate::files::{self, Summary};
use crate::identifier;

impl FlowSink<'_, '_> {
    /// The fuid of a file, as far as it is known.
    pub(super) fn entity(&mut self, file: &File, fate: FileFate, handle: &[HandlePart]) -> String {
        let source = source_name(self.service);
        let is_orig = file.direction == Direction::ToServer;
        let fuid = identifier::of_handle(&source.0, handle, &self.about, is_orig);
        if !self.rows.plan.follows_files_of(self.service) {
            file.stop_extracting();
            return fuid.unwrap_or_default();
        }
        let tells = self.rows.plan.tells_files();
        let pieces = if tells { file.take_extract() } else { None };
        if let (true, None, Some(fuid)) = (tells, &pieces, &fuid) {
            // All of it was told.
            return fuid.clone();
        }
        let before = (self.files.named(), self.files.open());
        let fuid = self.files.file((&source.0, fuid), (file, fate), &self.about, self.rows);
        if let Some(pieces) = pieces {
            self.tell(Told::of(file, &fuid, &source.0), file, (&pieces, 0), fate);
        }
        let tally = &mut self.connections.table.tally;
        tally.counts.files += self.files.named() - before.0;
        tally.levels.files = (tally.levels.files + self.files.open()).saturating_sub(before.1);
        fuid
    }

    /// Puts a part of a file together with others.
    pub(super) fn part(&mut self, url: &[u8], file: &File, fate: FileFate) -> FilePart {
        let source = source_name(self.service);
        if !self.rows.plan.follows_files_of(self.service) {
            file.stop_extracting();
            return FilePart::default();
        }
        if self.rows.plan.tells_files()
            && let Some(pieces) = file.take_extract()
        {
            let fuid = identifier::of_parts(&source.0, &self.about, file, url);
            let base = file.start.unwrap_or_default();
            self.tell(Told::of(file, &fuid, &source.0), file, (&pieces, base), FileFate::Open);
            if file.state != FileState::Open {
                file.stop_extracting();
            }
        }
        self.connections.across.part(&self.about, &source.0, url, (file, fate), self.rows)
    }

    /// The fuid of a file that is known in full.
    pub(super) fn whole_id(&mut self, file: &WholeFile<'_>) -> String {
        let next = self.files.next_fuid(self.about.uid);
        let handle = file.handle();
        let id = handle.and_then(|handle| {
            identifier::of_handle(file.source.as_bytes(), &handle, &self.about, file.is_orig)
        });
        id.unwrap_or(next)
    }

    /// A row of a file that is known in full; its fuid.
    pub(super) fn entire(&mut self, file: &WholeFile<'_>) -> String {
        let fuid = self.whole_id(file);
        let extracted = Extracted::whole(file.bytes, file.time, file.source.as_bytes(), &fuid, self.rows);
        self.tell_whole(file, &fuid);
        let summary = Summary {
            ts: file.time,
            source: file.source.as_bytes(),
            depth: file.depth,
            analyzers: file.analyzers.iter().copied().collect(),
            mime_type: Some(file.mime_type),
            filename: &[],
            last: file.time,
            is_orig: file.is_orig,
            seen: file.bytes.len() as u64,
            total: None,
            missing: 0,
            timed_out: false,
            digests: files::digests(file.bytes, file.analyzers),
            executable: None,
            extracted,
        };
        files::write(&fuid, &summary, &self.about, self.rows);
        fuid
    }

    /// Tells scripts of a file that is known in full.
    pub(super) fn tell_whole(&mut self, file: &WholeFile<'_>, fuid: &str) {
        if !self.rows.plan.tells_files() {
            return;
        }
        let told = Told {
            fuid,
            source: file.source.as_bytes(),
            is_orig: file.is_orig,
            name: &[],
            depth: file.depth,
            total: None,
            mime_type: Some(file.mime_type),
            is_in_parts: false,
        };
        let known = self.connections.table.get(self.connection).map(Connection::observed);
        let state = known.unwrap_or_else(|| events::known(&self.about));
        told.whole(file.bytes, file.time, &state, self.rows);
    }

    /// Tells scripts what came of a file.
    fn tell(&mut self, told: Told<'_>, file: &File, pieces: (&Extract, u64), fate: FileFate) {
        let known = self.connections.table.get(self.connection).map(Connection::observed);
        let state = known.unwrap_or_else(|| events::known(&self.about));
        told.pieces(pieces, &state, self.rows);
        if fate == FileFate::Over {
            told.end(file.length(), Some(file.last_seen), &state, self.rows);
            file.stop_extracting();
        }
    }
}
