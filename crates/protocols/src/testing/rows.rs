//! Zeek's rows as text.

use std::net::{IpAddr, SocketAddr};

use weir_applayer::zeek::{
    Announced, FileFate, FilePart, JoinedRow, Script, SentFile, Software, SoftwareHost, WholeFile, ZeekHabit,
    ZeekNotice,
};
use weir_applayer::{Endpoints, File, ZeekConnection, ZeekSink, ZeekStream, ZeekValue};
use weir_base::{EventValue, Timestamp};

/// Rows of a logger. A row is `stream seconds: column=value …` without what is unset; anything else is
/// a word: `weird`, `service` (once), `software`, `violation`, `announce`,
/// `sent`, `notice`, `habit`. What scripts add to a row stands at its end, each behind a `+`.
pub(crate) struct Rows {
    endpoints: Endpoints,
    /// The lines, in order.
    pub(crate) lines: Vec<String>,
    /// Files reported: id, size, fate.
    pub(crate) files: Vec<(u64, u64, FileFate)>,
    /// Events that the logger raised: names and arguments.
    pub(crate) raised: Vec<String>,
    /// The scripts that are loaded.
    pub(crate) scripts: &'static [Script],
    /// Rows that several connections contribute to, by their log and number.
    joined: Vec<(Key, Box<dyn JoinedRow>)>,
}

/// The first of the ports to which no file is ever sent; to all others one is at once.
pub(crate) const NEVER: u16 = 60_000;

/// The log of a row and its number there.
type Key = (&'static str, u64);

impl Rows {
    /// None yet, of a connection between these ends.
    pub(crate) const fn new(endpoints: Endpoints) -> Self {
        Self {
            endpoints,
            lines: Vec::new(),
            files: Vec::new(),
            raised: Vec::new(),
            scripts: &[],
            joined: Vec::new(),
        }
    }

    /// The lines of this kind, without its name.
    pub(crate) fn of(&self, kind: &str) -> Vec<&str> {
        self.lines.iter().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' ')).collect()
    }

    /// All lines, of which the rows of this stream are their columns alone.
    pub(crate) fn without_times(&self, stream: &str) -> Vec<String> {
        let columns = |line: &str| {
            let (_, columns) = line.strip_prefix(stream)?.strip_prefix(' ')?.split_once(": ")?;
            Some(columns.to_owned())
        };
        self.lines.iter().map(|line| columns(line).unwrap_or_else(|| line.clone())).collect()
    }

    /// Writes what was put together.
    pub(super) fn finish(&mut self) {
        for (_, row) in std::mem::take(&mut self.joined) {
            row.write(&mut |stream, ts, values| self.line(stream, ts, values));
        }
    }

    fn line(&mut self, stream: &ZeekStream, ts: Timestamp, values: &[ZeekValue<'_>]) {
        let (own, more) = values.split_at_checked(stream.columns.len()).expect("a value for each column");
        let columns = stream.columns.iter().zip(own);
        let columns = columns.filter_map(|((name, _), value)| Some(format!(" {name}={}", shown(value)?)));
        // Of scripts that are loaded unless told otherwise, what is unset is left out as in columns.
        let is_asked = !self.scripts.is_empty();
        let more = more.iter().filter_map(|value| {
            let text = shown(value);
            (is_asked || text.is_some()).then(|| format!(" +{}", text.unwrap_or_default()))
        });
        let all: String = columns.chain(more).collect();
        self.lines.push(format!("{} {}:{all}", stream.name, ts.seconds()));
    }
}

impl ZeekSink for Rows {
    fn raise(&mut self, event: &'static str, arguments: &[EventValue<'_>]) {
        self.raised.push(super::events::line(event, arguments));
    }

    fn connection(&self) -> ZeekConnection<'_> {
        ZeekConnection { endpoints: &self.endpoints, start: Timestamp::default(), uid: b"C1" }
    }

    fn row(&mut self, stream: &'static ZeekStream, ts: Timestamp, values: &[ZeekValue<'_>]) {
        self.line(stream, ts, values);
    }

    fn weird(&mut self, _: Timestamp, name: &str, about: Option<&str>) {
        let about = about.map(|about| format!(": {about}")).unwrap_or_default();
        self.lines.push(format!("weird {name}{about}"));
    }

    fn weird_of_none(&mut self, _: Timestamp, name: &str, about: Option<&str>) {
        self.lines.push(format!("weird of none {name}: {}", about.unwrap_or_default()));
    }

    fn file(&mut self, file: &File, fate: FileFate) -> String {
        self.files.push((file.id, file.size, fate));
        format!("F{}", file.id)
    }

    fn file_part(&mut self, _: &[u8], _: &File, _: FileFate) -> FilePart {
        FilePart::default()
    }

    fn whole_file(&mut self, _: &WholeFile<'_>) -> String {
        String::new()
    }

    fn join(&mut self, stream: &'static ZeekStream, number: u64, part: Box<dyn JoinedRow>) {
        let key = (stream.name, number);
        let known = self.joined.iter_mut().rev().find(|(known, _)| *known == key);
        if !known.is_some_and(|(_, row)| row.join(&*part)) {
            self.joined.push((key, part));
        }
    }

    fn unlogged_file(&mut self, _: &WholeFile<'_>) -> String {
        "F".to_owned()
    }

    fn announce(&mut self, announced: Announced, _: Timestamp) {
        self.lines.push(format!("announce {} {}", announced.service, SocketAddr::from(announced.server)));
    }

    fn sent(&mut self, file: SentFile) {
        self.lines.push(format!("sent {}", file.fuid));
    }

    fn take_sent(&mut self, (_, port): (IpAddr, u16)) -> Option<SentFile> {
        (port < NEVER).then(|| SentFile {
            fuid: format!("F{port}"),
            mime_type: Some("text/plain"),
            size: 1 << 20,
            seen: Default::default(),
        })
    }

    fn is_local(&self, address: IpAddr) -> bool {
        address == IpAddr::from([10, 0, 0, 1])
    }

    fn has(&self, script: Script) -> bool {
        script == Script::CertificateNames || self.scripts.contains(&script)
    }

    fn software(&mut self, found: &Software<'_>) {
        let at = match found.host {
            SoftwareHost::Client | SoftwareHost::Server => String::new(),
            SoftwareHost::Other(host) => format!(" at {host}"),
        };
        self.lines.push(format!("software {} {}{at}", found.kind, String::from_utf8_lossy(found.text)));
    }

    /// The site's names end in `site`.
    fn is_foreign_name(&self, name: &[u8]) -> bool {
        !name.ends_with(b"site")
    }

    fn notice(&mut self, notice: &ZeekNotice<'_>) {
        self.lines.push(format!("notice {}: {}", notice.note, notice.message));
    }

    fn habit(&mut self, habit: &'static ZeekHabit) {
        self.lines.push(format!("habit {}", (habit.message)(self.endpoints.client, habit.limit)));
    }

    fn service(&mut self, service: &'static str) {
        let line = format!("service {service}");
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }

    fn violation(&mut self, _: Timestamp, reason: &str, data: Option<&[u8]>) {
        let data = data.map(|data| format!(": {}", String::from_utf8_lossy(data))).unwrap_or_default();
        self.lines.push(format!("violation {reason}{data}"));
    }
}

fn shown(value: &ZeekValue<'_>) -> Option<String> {
    Some(match value {
        ZeekValue::Unset => return None,
        ZeekValue::Bool(truth) => if *truth { "T" } else { "F" }.to_owned(),
        ZeekValue::Count(number) => number.to_string(),
        ZeekValue::Int(number) => number.to_string(),
        ZeekValue::Double(number) | ZeekValue::Seconds(number) => number.to_string(),
        ZeekValue::Time(time) => time.seconds().to_string(),
        ZeekValue::Interval(nanos) => (nanos / 1_000_000_000).to_string(),
        // Fingerprints say nothing to a reader.
        ZeekValue::String(text) if text.len() == 64 && text.iter().all(u8::is_ascii_hexdigit) => {
            "(hash)".to_owned()
        }
        ZeekValue::String(text) => String::from_utf8_lossy(text).into_owned(),
        ZeekValue::Addr(address) => address.to_string(),
        ZeekValue::Port(port) => port.to_string(),
        ZeekValue::List(list) => list.iter().filter_map(shown).collect::<Vec<_>>().join(","),
    })
}
