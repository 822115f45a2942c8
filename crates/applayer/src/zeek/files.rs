//! Files as loggers report them.

use weir_base::Timestamp;

use super::sink::ZeekSink;
use crate::file::{File, FileState};

/// A file that went over a connection of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    /// Its fuid.
    pub fuid: String,
    /// Its type, where it is known.
    pub mime_type: Option<&'static str>,
    /// Bytes of it that were seen.
    pub size: u64,
    /// When the first and the last of them were captured.
    pub seen: (Timestamp, Timestamp),
}

/// A part of the handle that tells a file from others; the name of its source is in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlePart {
    /// When the connection began.
    Start,
    /// Whether the originator sends it, as a letter.
    IsOriginators,
    /// A number.
    Number(u64),
    /// The id of the file that the start of the connection and two numbers tell from others.
    IdOf(u64, u64),
    /// Both ends, as in text.
    Ends,
    /// Both ends, as in a record.
    EndsInFull,
}

/// The handle of a certificate, in front of its place.
const OF_CERTIFICATE: [HandlePart; 3] = [HandlePart::Start, HandlePart::IsOriginators, HandlePart::Ends];

/// The handle of a file that a connection of its own is for.
const OF_CONNECTION: [HandlePart; 3] = [HandlePart::Start, HandlePart::EndsInFull, HandlePart::IsOriginators];

/// Tells of the file that a connection of its own is for: when it begins, and when it is over.
#[derive(Debug, Default)]
pub struct OneFile {
    told: bool,
}

impl OneFile {
    /// The file made progress, or the connection is `complete`.
    pub fn tell(&mut self, file: &File, complete: bool, sink: &mut dyn ZeekSink) {
        let is_over = file.state != FileState::Open;
        let told = std::mem::replace(&mut self.told, file.size > 0);
        if file.size == 0 || told && !is_over && !complete && !file.is_extract_due() {
            return;
        }
        let fate = match (is_over, complete) {
            (true, _) => FileFate::Over,
            (false, true) => FileFate::Abandoned,
            (false, false) => FileFate::Open,
        };
        let fuid = sink.file_of(file, fate, &OF_CONNECTION);
        let (size, seen) = (file.size, (file.first_seen, file.last_seen));
        sink.sent(SentFile { fuid, mime_type: file.mime_type(), size, seen });
    }
}

/// Fate of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFate {
    /// More may come.
    Open,
    /// It is over.
    Over,
    /// No more comes, but nothing said that this is its end.
    Abandoned,
}

/// Contribution of a part of a file to the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePart {
    /// The fuid of the whole, where the connection has carried no part of it before.
    pub fuid: Option<String>,
    /// The type of the whole, where this part showed it.
    pub mime_type: Option<&'static str>,
}

/// A file known in full: a certificate of a handshake.
#[derive(Clone, Copy, Debug)]
pub struct WholeFile<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Zeek's name of the protocol (`SSL`).
    pub source: &'static str,
    /// Sent by the client.
    pub is_orig: bool,
    /// When its last byte was captured.
    pub time: Timestamp,
    /// Its MIME type by Zeek's names.
    pub mime_type: &'static str,
    /// Zeek's names of the analyzers (`X509`, `SHA1`, …).
    pub analyzers: &'a [&'static str],
    /// Position among the files of the same source and direction, from 0.
    pub depth: u64,
    /// Its place in a chain of certificates, which tells it from others in Zeek; none of other files.
    pub place: Option<u64>,
}

impl<'a> WholeFile<'a> {
    /// Returns the handle by which Zeek tells it from others; none where that is not known.
    pub fn handle(&self) -> Option<[HandlePart; 4]> {
        let [start, is_orig, ends] = OF_CERTIFICATE;
        self.place.map(|place| [start, is_orig, ends, HandlePart::Number(place)])
    }

    /// A certificate at a place of its chain, of a protocol by Zeek's name.
    pub const fn certificate(
        bytes: &'a [u8],
        source: &'static str,
        is_orig: bool,
        place: u64,
        time: Timestamp,
    ) -> Self {
        let mime_type =
            if place == 0 { "application/x-x509-user-cert" } else { "application/x-x509-ca-cert" };
        Self { bytes, source, is_orig, time, mime_type, analyzers: &[], depth: 0, place: Some(place) }
    }
}
