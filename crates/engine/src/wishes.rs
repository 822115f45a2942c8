//! Wishes of outputs and rules: what of streams and files is kept for them.

use std::sync::Arc;

use weir_applayer::file::{Bodies, FileSettings};
use weir_detect::signature::Signature;
use weir_magic::Magic;
use weir_output::{Outputs, RecordKind, RecordKinds};
use weir_zeek::Plan;

use crate::load::magic_file;
use crate::run::Engine;

/// The stream engine's event of bytes that came again with others.
const OVERLAP: &str = "reassembly_overlap_different_data";

impl Engine {
    /// Returns the bytes of files that are followed, zero for no limit: the stream's depth, or the store's if that
    /// reaches farther.
    fn file_depth(&self, outputs: &Outputs) -> u64 {
        let stream = self.parts.settings.stream.depth;
        match outputs.file_store().map(|store| store.stream_depth) {
            Some(0) => 0,
            Some(depth) if depth < stream => {
                let value = format!("file-store.stream-depth value {depth} has no effect");
                let reason = "since it's less than stream.reassembly.depth value.";
                self.log.warning("output-filestore", &format!("{value} {reason}"));
                stream
            }
            Some(depth) => depth,
            None => stream,
        }
    }

    /// Whether outputs or rules ask what files are, in words.
    pub(crate) fn wants_magic(&self, outputs: &Outputs) -> bool {
        outputs.forces_magic() || self.parts.rulesets().any(|ruleset| ruleset.uses("file.magic"))
    }

    /// Opens libmagic, where files are to be described.
    pub(crate) fn magic(&self, wanted: bool) -> Option<Magic> {
        if !wanted {
            return None;
        }
        match Magic::open(magic_file(&self.settings).as_deref()) {
            Ok(magic) => Some(magic),
            Err(error) => {
                self.log.warning("util-magic", &format!("Files are not described: {error}."));
                None
            }
        }
    }

    /// Has as much kept of streams as alerts that show them are to show: where rules look for bytes that came again
    /// with others, also those that a sender may still repeat.
    pub(crate) fn keep_windows(&mut self, outputs: &Outputs) {
        let stream = &self.parts.settings.stream;
        let asked = stream.keeps_window || self.parts.rulesets().any(|ruleset| ruleset.uses_event(OVERLAP));
        let keeps_window = asked && outputs.formats().iter().any(|format| format.shows_streams());
        if keeps_window != stream.keeps_window {
            Arc::make_mut(&mut self.parts.settings).stream.keeps_window = keeps_window;
        }
    }

    /// Combines what outputs, `scripts` if there are any, and rules want done with files.
    pub(crate) fn file_settings(
        &self,
        outputs: &Outputs,
        zeek: Option<&Plan>,
        scripts: bool,
    ) -> FileSettings {
        let mut signatures = self.parts.rulesets().flat_map(|ruleset| ruleset.signatures());
        let stores = |s: &Signature| s.effects.post.iter().any(|action| action.stores_files());
        if outputs.file_store().is_none() && signatures.any(stores) {
            let what = "One or more rule(s) depends on the file-store output log which is not enabled.";
            self.log.warning("detect", &format!("{what} Enable the output \"file-store\"."));
        }
        let extract = zeek.is_some_and(|plan| plan.extracts_files());
        let told = zeek.is_some_and(Plan::tells_files);
        if self.options.disable_hashing {
            let depth = Some(self.parts.settings.stream.depth);
            let magic = zeek.is_some();
            let messages = zeek.is_some_and(Plan::tells_scripts);
            return FileSettings {
                enabled: true,
                depth,
                magic,
                extract,
                told,
                messages,
                ..FileSettings::default()
            };
        }
        let others = FileSettings {
            enabled: true,
            content: false,
            bodies: self.bodies(outputs, zeek, scripts),
            md5: outputs.forces_hash("md5"),
            sha1: outputs.forces_hash("sha1"),
            sha256: outputs.forces_hash("sha256") || outputs.file_store().is_some(),
            gather: outputs.file_store().is_some(),
            store: outputs.file_store().is_some_and(|store| store.force),
            depth: Some(self.file_depth(outputs)),
            magic: zeek.is_some(),
            hash_entities: zeek.is_some_and(|plan| plan.hashes_files()),
            extract,
            told,
            describe: outputs.forces_magic(),
            messages: zeek.is_some_and(Plan::tells_scripts),
            ..FileSettings::default()
        };
        self.parts.rulesets().fold(others, |files, ruleset| ruleset.wishes_for_files(files))
    }

    /// Returns the reading of bodies that outputs, `scripts` if there are any, and rules want.
    fn bodies(&self, outputs: &Outputs, zeek: Option<&Plan>, scripts: bool) -> Bodies {
        let writes = outputs.formats().iter().any(|format| format.wants().has(RecordKind::BodyData));
        let told = zeek.is_some_and(Plan::tells_bodies);
        if scripts || writes || told || self.parts.settings.detection {
            Bodies::Kept
        } else if records_content(outputs) || zeek.is_some() || outputs.file_store().is_some() {
            Bodies::Read
        } else {
            Bodies::Skipped
        }
    }
}

/// Whether any record has more than flows and counters.
fn records_content(outputs: &Outputs) -> bool {
    let others = RecordKinds::of(&[RecordKind::FlowEnd, RecordKind::Stats, RecordKind::Arp]);
    outputs.formats().iter().any(|format| format.wants().exceeds(others))
}
