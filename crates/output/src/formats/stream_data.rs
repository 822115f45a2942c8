//! `tcp-data` and `http-body-data`: what was said, as it was said: to one file as a hexadecimal
//! dump, to a file for each stream or body as it is, or both.

use std::io::Write;
use std::path::{Path, PathBuf};

use weir_base::Direction;
use weir_config::{Output, Settings};
use weir_flow::FlowCore;

use crate::address::append_full;
use crate::format::{Format, RecordKind, RecordKinds};
use crate::outlet::{OutletId, Outlets};
use crate::record::{DataRecord, Record, RecordContext};
use crate::sinks::streams::{Piece, StreamId};

/// Bytes in a line of a dump.
const LINE_BYTES: usize = 16;

/// Kind of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamDataKind {
    /// Streams of TCP.
    Tcp,
    /// Bodies of HTTP, without chunks and compression.
    HttpBody,
}

impl StreamDataKind {
    const BOTH: [Self; 2] = [Self::Tcp, Self::HttpBody];

    /// The kind of an entry of `outputs`.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind that writes records of this one.
    pub fn of(record: RecordKind) -> Option<Self> {
        Self::BOTH.into_iter().find(|kind| kind.record() == record)
    }

    /// The entry of `outputs`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp-data",
            Self::HttpBody => "http-body-data",
        }
    }

    /// The file where none is named.
    pub const fn filename(self) -> &'static str {
        match self {
            Self::Tcp => "tcp-data.log",
            Self::HttpBody => "http-body-data.log",
        }
    }

    const fn folder(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::HttpBody => "http",
        }
    }

    const fn record(self) -> RecordKind {
        match self {
            Self::Tcp => RecordKind::StreamData,
            Self::HttpBody => RecordKind::BodyData,
        }
    }
}

/// The wishes of one entry of `outputs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamDataPlan {
    /// A dump goes to one file.
    pub file: bool,
    /// Each stream or body goes to a file of its own in this folder.
    pub folder: Option<PathBuf>,
}

impl StreamDataPlan {
    /// Reads `type`.
    pub fn from_entry(kind: StreamDataKind, entry: &Output, settings: &Settings, logs: &Path) -> Self {
        let form = entry.section(settings).text("type").unwrap_or("file");
        let folder = matches!(form, "dir" | "both").then(|| logs.join(kind.folder()));
        Self { file: !matches!(form, "dir"), folder }
    }
}

/// A worker's writer.
pub struct StreamData {
    kind: StreamDataKind,
    dump: Option<OutletId>,
    files: Option<OutletId>,
    name: Vec<u8>,
}

impl StreamData {
    /// Dumps go to one outlet, pieces for files of their own to another.
    pub const fn new(kind: StreamDataKind, dump: Option<OutletId>, files: Option<OutletId>) -> Self {
        Self { kind, dump, files, name: Vec::new() }
    }

    /// `10.0.0.1_1234-10.0.0.2_80-ts`, a transaction's number before the direction.
    fn set_name(&mut self, core: &FlowCore, data: &DataRecord<'_>) {
        let name = &mut self.name;
        name.clear();
        let key = &core.key;
        append_full(name, key.source);
        let _ = write!(name, "_{}-", key.source_port);
        append_full(name, key.destination);
        let _ = write!(name, "_{}-", key.destination_port);
        if let Some(transaction) = data.transaction {
            let _ = write!(name, "{transaction}-");
        }
        name.extend_from_slice(match data.direction {
            Direction::ToServer => b"ts",
            Direction::ToClient => b"tc",
        });
    }
}

impl Format for StreamData {
    fn wants(&self) -> RecordKinds {
        RecordKinds::of(&[self.kind.record()])
    }

    fn part(&self, _: &'static str) -> &'static str {
        "stream data"
    }

    fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>, out: &mut Outlets) {
        let (Record::Data(data), Some(flow)) = (record, &cx.flow) else { return };
        if data.bytes.is_empty() {
            return;
        }
        self.set_name(flow.core, data);
        let name = &self.name;
        if let Some(outlet) = self.files {
            let &DataRecord { direction, transaction, bytes, .. } = data;
            let stream = StreamId { flow: flow.core.id.0, transaction, direction };
            out.line(outlet, cx.position, |line| {
                Piece { stream, name, bytes }.write(line);
                true
            });
        }
        if let Some(outlet) = self.dump {
            out.line(outlet, cx.position, |bytes| {
                bytes.extend_from_slice(name);
                bytes.push(b':');
                dump(bytes, data.bytes);
                true
            });
        }
    }
}

/// Sixteen bytes a line: where they stand, in hexadecimal, as text.
fn dump(out: &mut Vec<u8>, bytes: &[u8]) {
    for (line, part) in bytes.chunks(LINE_BYTES).enumerate() {
        let _ = write!(out, "\n {:04X}  ", line * LINE_BYTES);
        for at in 0..LINE_BYTES {
            match part.get(at) {
                Some(byte) => drop(write!(out, "{byte:02X} ")),
                None => out.extend_from_slice(b"   "),
            }
            if at == LINE_BYTES / 2 - 1 {
                out.push(b' ');
            }
        }
        out.extend_from_slice(b"  ");
        for (at, &byte) in part.iter().enumerate() {
            out.push(if matches!(byte, b' '..=b'~') { byte } else { b'.' });
            if at == LINE_BYTES / 2 - 1 {
                out.push(b' ');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps() {
        let cases: [(&[u8], &str); 3] = [
            (b"", ""),
            (b"GET\r\n", "\n 0000  47 45 54 0D 0A                                     GET.."),
            (
                b"0123456789abcdefg",
                "\n 0000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66   01234567 89abcdef\
                 \n 0010  67                                                 g",
            ),
        ];
        for (bytes, expected) in cases {
            let mut out = Vec::new();
            dump(&mut out, bytes);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn forms() {
        for (form, file, folder) in
            [("", true, false), ("file", true, false), ("dir", false, true), ("both", true, true)]
        {
            let text =
                format!("%YAML 1.1\n---\noutputs:\n  - tcp-data:\n      enabled: yes\n      type: {form}\n");
            let settings = Settings::from_text::<&str>(text.as_bytes(), "a.yaml", &[]).unwrap();
            let outputs = weir_config::OutputsSettings::from_settings(&settings);
            let entry = outputs.enabled("tcp-data").next().unwrap();
            let plan = StreamDataPlan::from_entry(StreamDataKind::Tcp, entry, &settings, Path::new("/logs"));
            assert_eq!((plan.file, plan.folder.is_some()), (file, folder), "{form}");
        }
    }
}
