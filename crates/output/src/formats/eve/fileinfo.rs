//! `fileinfo` records, and the `files` of alerts.

use weir_applayer::{File, FileState, Transaction};
use weir_base::{Direction, JsonWriter};

use super::header::{Head, Source};
use super::{Eve, xff};
use crate::outlet::Outlets;
use crate::record::{FileFacts, FileRecord, RecordContext, StoreState};

/// The state's word in records.
const fn state(state: FileState) -> &'static str {
    match state {
        FileState::Open => "UNKNOWN",
        FileState::Closed => "CLOSED",
        FileState::Truncated => "TRUNCATED",
        FileState::Error => "ERROR",
    }
}

/// What is said of a file, in an object that is open.
fn describe(file: &File, facts: &FileFacts<'_>, transaction: u64, json: &mut JsonWriter<'_>) {
    json.string("filename", &file.name);
    if !facts.sids.is_empty() {
        json.array("sid");
        for sid in facts.sids {
            json.push_unsigned(*sid);
        }
        json.close_array();
    }
    if let Some(magic) = facts.magic {
        json.string("magic", magic);
    }
    json.boolean("gaps", file.has_gap);
    json.string("state", state(file.state));
    if file.state == FileState::Closed {
        if let Some(md5) = &facts.md5 {
            json.hex("md5", md5);
        }
        if let Some(sha1) = &facts.sha1 {
            json.hex("sha1", sha1);
        }
    }
    if let Some(sha256) = &facts.sha256 {
        json.hex("sha256", sha256);
    }
    match facts.store {
        StoreState::No => json.boolean("stored", false),
        StoreState::Storing => {
            json.boolean("stored", false);
            json.boolean("storing", true);
        }
        StoreState::Stored(id) => {
            json.boolean("stored", true);
            json.unsigned("file_id", id);
        }
    }
    json.unsigned("size", file.size);
    if let (Some(start), Some(end)) = (file.start, file.end)
        && end > 0
    {
        json.unsigned("start", start);
        json.unsigned("end", end);
    }
    json.unsigned("tx_id", transaction);
}

fn facts<'a>(cx: &RecordContext<'a>, file: &File) -> FileFacts<'a> {
    cx.flow.and_then(|flow| flow.files).map(|files| files.facts(file)).unwrap_or_default()
}

impl Eve {
    pub(super) fn fileinfo(&mut self, cx: &RecordContext<'_>, record: &FileRecord<'_>, out: &mut Outlets) {
        let plan = self.plan.clone();
        let Some((_, settings)) = &plan.files else { return };
        let source = match record.file.direction {
            Direction::ToServer => Source::Client,
            Direction::ToClient => Source::Server,
        };
        let mut head = Head::new("fileinfo", source);
        let client =
            settings.as_ref().and_then(|s| Some((s, xff::client(s, record.protocol, record.transaction)?)));
        if let Some((settings, client)) = client
            && settings.overwrite
        {
            head.addresses = xff::overwritten(cx, source, client);
        }
        self.line(cx, &head, out, |eve, json| {
            eve.detail(cx, record.transaction, json);
            json.string("app_proto", record.protocol.eve_name);
            json.object("fileinfo");
            describe(record.file, &facts(cx, record.file), record.transaction.meta().id, json);
            json.close_object();
            if let Some((settings, client)) = client
                && !settings.overwrite
            {
                xff::write(client, json);
            }
            true
        });
    }
}

/// `files` of an alert: those of its transaction that travel as the alert's packet does.
pub(super) fn of_transaction(
    cx: &RecordContext<'_>,
    transaction: &dyn Transaction,
    json: &mut JsonWriter<'_>,
) {
    let meta = transaction.meta();
    let mut files = meta.files.iter().filter(|file| file.direction == cx.direction).peekable();
    if files.peek().is_none() {
        return;
    }
    json.array("files");
    for file in files {
        json.open_object();
        describe(file, &facts(cx, file), meta.id, json);
        json.close_object();
    }
    json.close_array();
}
