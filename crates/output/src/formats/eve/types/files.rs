//! `fileinfo` records, and the `files` of alerts.

use weir_applayer::{File, FileState, Transaction};
use weir_base::{Direction, JsonWriter};
use weir_flow::FlowFlags;

use weir_config::eve::XffSettings;

use super::super::header::{Head, Source};
use super::super::transaction::Inside;
use super::super::{Log, xff};
use super::{Entry, RecordType, TypeWriter};
use crate::format::RecordKind;
use crate::record::{Record, RecordContext};

/// Files that ended.
pub(super) static TYPE: RecordType = RecordType {
    name: "files",
    records: &[(RecordKind::File, "fileinfo")],
    open: |entry| Ok(Box::new(Files::read(entry))),
};

/// The options of `files`.
pub(in crate::formats::eve) struct Files {
    /// Name the kind of every file.
    pub(in crate::formats::eve) force_magic: bool,
    /// Hashes of every file: `md5`, `sha1`, `sha256`.
    pub(in crate::formats::eve) force_hash: Vec<String>,
    xff: Option<XffSettings>,
}

impl Files {
    fn read(entry: &Entry<'_>) -> Self {
        let section = &entry.section;
        let mut force_hash: Vec<String> =
            section.list("force-hash").into_iter().map(str::to_ascii_lowercase).collect();
        if section.flag("force-md5", false) && !force_hash.iter().any(|hash| hash == "md5") {
            force_hash.push("md5".to_owned());
        }
        Self { force_magic: section.flag("force-magic", false), force_hash, xff: entry.xff.clone() }
    }
}

/// Whether bytes of a file were captured that are not in its hash, as their packets were left out for their checksums:
/// it is that of another file, or of none at all.
fn is_short(cx: &RecordContext<'_>, file: &File) -> bool {
    let left_out = FlowFlags::left_out(file.direction);
    file.state != FileState::Closed && cx.flow.is_some_and(|flow| flow.core.flags.contains(left_out))
}

/// Writes a file's fields into an open object.
fn describe(cx: &RecordContext<'_>, file: &File, transaction: u64, json: &mut JsonWriter<'_>) {
    json.string("filename", &file.name);
    if let Some(description) = &file.description {
        json.string("magic", description.as_bytes());
    }
    json.boolean("gaps", file.has_gap);
    json.string("state", file.state.name());
    if let Some(md5) = file.md5() {
        json.hex("md5", &md5);
    }
    if let Some(sha1) = file.sha1() {
        json.hex("sha1", &sha1);
    }
    if let Some(sha256) = file.sha256().filter(|_| !is_short(cx, file)) {
        json.hex("sha256", &sha256);
    }
    json.boolean("stored", file.stored);
    if file.stored {
        json.optional_unsigned("file_id", file.store_id);
    } else if file.store_requested {
        json.boolean("storing", true);
    }
    json.unsigned("size", file.size.saturating_add(file.missing));
    if let (Some(start), Some(end)) = (file.start, file.end)
        && end > 0
    {
        json.unsigned("start", start);
        json.unsigned("end", end);
    }
    json.unsigned("tx_id", transaction);
}

impl TypeWriter for Files {
    fn files(&self) -> Option<&Files> {
        Some(self)
    }

    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        let Record::File(record) = record else { return };
        let source = match record.file.direction {
            Direction::ToServer => Source::Client,
            Direction::ToClient => Source::Server,
        };
        let mut head = Head::new("fileinfo", source);
        let client =
            self.xff.as_ref().and_then(|s| Some((s, xff::client(s, record.protocol, record.transaction)?)));
        if let Some((settings, client)) = client
            && settings.overwrite
        {
            head.addresses = xff::overwritten(cx, source, client);
        }
        log.line(cx, &head, |eve, json| {
            eve.detail(cx, Inside::File, record.protocol, record.transaction, json);
            json.string("app_proto", record.protocol.eve_name);
            json.nested("fileinfo", |json| describe(cx, record.file, record.transaction.meta().id, json));
            if let Some((settings, client)) = client
                && !settings.overwrite
            {
                xff::write(client, json);
            }
            true
        });
    }
}

/// `files` of an alert: those of its transaction that travel as the alert's packet does, but for those
/// that rules had done with.
pub(super) fn of_transaction(
    cx: &RecordContext<'_>,
    transaction: &dyn Transaction,
    json: &mut JsonWriter<'_>,
) {
    let meta = transaction.meta();
    let mut files = meta.current_files(cx.direction).peekable();
    if files.peek().is_none() {
        return;
    }
    json.objects("files", files, |json, file| {
        describe(cx, file, meta.id, json);
    });
}
