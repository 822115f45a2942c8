//! Rows of `files`.

pub(crate) mod executable;
pub(crate) mod extract;
pub(crate) mod partial;
pub(crate) mod told;

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use smallvec::{SmallVec, smallvec};
use weir_applayer::file::Digests;
use weir_applayer::zeek::FileFate;
use weir_applayer::zeek::column::{Set, Text};
use weir_applayer::{File, ZeekConnection, ZeekValue};
use weir_base::{Direction, Timestamp, hex};

use crate::events;
use crate::rows::Rows;
use crate::streams::{self, FileRow};
use executable::Executable;
use extract::{Coming, Extracted};
use told::Told;

/// Most files of a flow that are followed at once; a row of `weird` says so once there are more.
const MAX_FILES: usize = 4096;

/// The oddity of a flow that has more.
const TOO_MANY: &str = "too_many_open_files";

/// A file that has an fuid and no row yet.
#[derive(Debug)]
struct Followed {
    id: u64,
    direction: Direction,
    fuid: String,
    source: Vec<u8>,
    filename: Vec<u8>,
    /// Without those two.
    summary: Summary<'static>,
}

impl Followed {
    fn told(&self) -> Told<'_> {
        Told {
            fuid: &self.fuid,
            source: &self.source,
            is_orig: self.direction == Direction::ToServer,
            name: &self.filename,
            depth: self.summary.depth,
            total: None,
            mime_type: None,
            is_in_parts: false,
        }
    }

    fn write(self, connection: &ZeekConnection<'_>, rows: &mut Rows<'_>) {
        let summary = Summary { source: &self.source, filename: &self.filename, ..self.summary };
        write(&self.fuid, &summary, connection, rows);
    }
}

/// Columns of a file's row.
#[derive(Clone, Debug)]
pub(crate) struct Summary<'a> {
    pub(crate) ts: Timestamp,
    pub(crate) source: &'a [u8],
    pub(crate) depth: u64,
    pub(crate) analyzers: Analyzers,
    pub(crate) mime_type: Option<&'static str>,
    pub(crate) filename: &'a [u8],
    pub(crate) last: Timestamp,
    pub(crate) is_orig: bool,
    pub(crate) seen: u64,
    pub(crate) total: Option<u64>,
    pub(crate) missing: u64,
    /// Its end was not seen but waited for.
    pub(crate) timed_out: bool,
    pub(crate) digests: Digests,
    /// Headers of a Windows program.
    pub(crate) executable: Option<Box<Executable>>,
    pub(crate) extracted: Extracted,
}

/// Zeek's names of what looks at a file.
pub(crate) type Analyzers = SmallVec<[&'static str; 3]>;

/// The files of a flow.
#[derive(Debug, Default)]
pub(crate) struct FileBook {
    open: Vec<Followed>,
    /// Files named so far.
    named: u64,
}

/// Where the files of a conversation inside of a flow are numbered from.
const INSIDE: u64 = 1 << 32;

impl FileBook {
    /// That of a conversation inside of a flow.
    pub(crate) const fn inside() -> Self {
        Self { open: Vec::new(), named: INSIDE }
    }

    /// A fuid that is not in use.
    pub(crate) fn next_fuid(&mut self, uid: &[u8]) -> String {
        let number = self.named;
        self.named += 1;
        super::identifier::of_file(uid, number).as_str().to_owned()
    }

    /// Files named so far.
    pub(crate) const fn named(&self) -> u64 {
        self.named
    }

    /// Files that have no row yet.
    pub(crate) fn open(&self) -> u64 {
        self.open.len() as u64
    }

    /// The fuid of a file, which may be known, and its row if its fate is known. What is known of others is kept.
    pub(crate) fn file(
        &mut self,
        (source, fuid): (&[u8], Option<String>),
        (file, fate): (&File, FileFate),
        connection: &ZeekConnection<'_>,
        rows: &mut Rows<'_>,
    ) -> String {
        let at = self.open.iter().position(|f| f.id == file.id && f.direction == file.direction);
        let (fuid, extracted) = match at.map(|at| self.open.remove(at)) {
            Some(followed) => (followed.fuid, followed.summary.extracted),
            None => {
                let next = self.next_fuid(connection.uid);
                (fuid.unwrap_or(next), Extracted::default())
            }
        };
        let timed_out = fate == FileFate::Abandoned;
        let mut summary = Summary { timed_out, extracted, ..Summary::of(file, source) };
        if rows.plan.hashes_files() {
            summary.hashed(file.digests());
        }
        if fate != FileFate::Open {
            summary.extracted.take((file, 0), Coming::Nothing, (source, &fuid), rows);
            write(&fuid, &summary, connection, rows);
        } else if self.open.len() >= MAX_FILES {
            file.stop_extracting();
            rows.weird(Some(connection), file.last_seen, TOO_MANY, None, None);
        } else {
            summary.extracted.take((file, 0), Coming::More, (source, &fuid), rows);
            self.open.push(Followed {
                id: file.id,
                direction: file.direction,
                fuid: fuid.clone(),
                source: source.to_vec(),
                filename: summary.filename.to_vec(),
                summary: Summary { source: &[], filename: &[], ..summary },
            });
        }
        fuid
    }

    /// The flow ended: rows for all that is still open.
    pub(crate) fn end(&mut self, connection: &ZeekConnection<'_>, rows: &mut Rows<'_>) {
        for followed in self.open.drain(..) {
            if rows.plan.tells_files() {
                followed.told().end(0, None, &events::known(connection), rows);
            }
            followed.write(connection, rows);
        }
    }
}

impl<'a> Summary<'a> {
    fn of(file: &'a File, source: &'a [u8]) -> Self {
        let mime_type = file.mime_type();
        Self {
            ts: file.first_seen,
            source,
            depth: file.depth,
            analyzers: analyzers(mime_type),
            mime_type,
            filename: if file.name_is_path { &[] } else { &file.name },
            last: file.last_seen,
            is_orig: file.direction == Direction::ToServer,
            seen: file.size,
            total: file.announced,
            missing: file.missing,
            timed_out: false,
            digests: Digests::default(),
            executable: executable(mime_type, file.head()),
            extracted: Extracted::default(),
        }
    }

    /// Adds hashes of the content, where there are some: a file with gaps has none.
    pub(crate) fn hashed(&mut self, digests: Digests) {
        self.analyzers.extend(["MD5", "SHA1"]);
        self.digests.md5 = digests.md5;
        self.digests.sha1 = digests.sha1;
    }
}

/// The analyzers that Zeek attaches by type.
pub(crate) fn analyzers(mime_type: Option<&str>) -> Analyzers {
    match mime_type {
        Some(executable::MIME_TYPE) => smallvec!["PE"],
        Some("application/ocsp-response") => smallvec!["OCSP_REPLY"],
        _ => Analyzers::new(),
    }
}

/// Reads the headers of a Windows program from its first bytes.
pub(crate) fn executable(mime_type: Option<&str>, head: &[u8]) -> Option<Box<Executable>> {
    if mime_type != Some(executable::MIME_TYPE) {
        return None;
    }
    executable::read(head).map(Box::new)
}

/// The hashes that a row's analyzers stand for.
pub(crate) fn digests(bytes: &[u8], analyzers: &[&str]) -> Digests {
    let has = |name| analyzers.contains(&name);
    Digests {
        md5: has("MD5").then(|| Md5::digest(bytes).into()),
        sha1: has("SHA1").then(|| Sha1::digest(bytes).into()),
        sha256: has("SHA256").then(|| Sha256::digest(bytes).into()),
    }
}

/// A row.
pub(crate) fn write(fuid: &str, file: &Summary<'_>, connection: &ZeekConnection<'_>, rows: &mut Rows<'_>) {
    let ends = connection.endpoints;
    let sender = if file.is_orig { ends.client } else { ends.server };
    let extracted = file.extracted.name();
    let analyzers = file.analyzers.iter().copied().chain(extracted.map(|_| "EXTRACT"));
    let analyzers: SmallVec<[ZeekValue<'_>; 3]> =
        analyzers.map(|name| ZeekValue::String(name.as_bytes())).collect();
    let md5 = file.digests.md5.map(|hash| hex::string(&hash));
    let sha1 = file.digests.sha1.map(|hash| hex::string(&hash));
    let sha256 = file.digests.sha256.map(|hash| hex::string(&hash));
    let filename = (!file.filename.is_empty()).then_some(file.filename);
    let row = FileRow {
        fuid: fuid.into(),
        uid: connection.uid.into(),
        id_orig_h: ends.client.into(),
        id_orig_p: ends.client_port.into(),
        id_resp_h: ends.server.into(),
        id_resp_p: ends.server_port.into(),
        source: file.source.into(),
        depth: file.depth.into(),
        analyzers: Set::even_if_empty(&analyzers),
        mime_type: file.mime_type.into(),
        filename: filename.into(),
        duration: file.last.since(file.ts).into(),
        local_orig: rows.plan.site.is_local(sender).into(),
        is_orig: file.is_orig.into(),
        seen_bytes: file.seen.into(),
        total_bytes: file.total.into(),
        missing_bytes: file.missing.into(),
        overflow_bytes: 0_u64.into(),
        timedout: file.timed_out.into(),
        parent_fuid: Text::UNSET,
        md5: md5.as_deref().into(),
        sha1: sha1.as_deref().into(),
        sha256: sha256.as_deref().into(),
        extracted: extracted.into(),
        extracted_cutoff: extracted.map(|_| file.extracted.cut().is_some()).into(),
        extracted_size: file.extracted.cut().into(),
    };
    rows.row(&streams::FILES, None, file.ts, &row.values());
    if let Some(executable) = &file.executable {
        executable.write(fuid, file.ts, rows);
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::Endpoints;
    use weir_applayer::file::FileSettings;
    use weir_base::Position;
    use weir_output::formats::zeek::ZeekLogSet;
    use weir_output::writer::{LogWriter, Order};

    use super::*;
    use crate::plan::{Plan, streams};
    use crate::settings::ZeekSettings;

    #[test]
    fn more_open_files_than_are_followed_are_told_of_once() {
        for (files, expected) in [(MAX_FILES, 0), (MAX_FILES + 3, 1)] {
            let folder = weir_testkit::TestFolder::new("open");
            let settings = ZeekSettings::default();
            let (streams, _) = streams(&settings, &[], &[]);
            let (logs, outlets) = ZeekLogSet::alone(&settings.files, (&streams, &[]), &folder);
            let plan = Plan::new(&settings, logs);
            let writer = LogWriter::start(outlets, 1, Order::Arrival, |e| panic!("{e}")).unwrap();
            let mut out = writer.outlets(0);
            let mut rows = Rows { plan: &plan, out: &mut out, position: Position::default(), captured: None };
            let address = [10, 0, 0, 1].into();
            let endpoints = Endpoints {
                client: address,
                client_port: 1,
                server: address,
                server_port: 2,
                transport: weir_applayer::Transport::Tcp,
            };
            let connection = ZeekConnection { endpoints: &endpoints, start: Timestamp(0), uid: b"C1" };
            let mut book = FileBook::default();
            for id in 0..files as u64 {
                let settings = FileSettings::default();
                let file = File::open(id, b"a".to_vec(), Direction::ToClient, Timestamp(0), &settings);
                book.file((b"HTTP", None), (&file, FileFate::Open), &connection, &mut rows);
            }
            assert_eq!(book.open(), MAX_FILES as u64);
            out.finish();
            assert!(writer.finish().errors.is_empty());
            let told = std::fs::read_to_string(folder.join("weird.log")).unwrap_or_default();
            assert_eq!(told.matches(TOO_MANY).count(), expected, "{files}");
        }
    }
}
