//! The sink of rows, which outputs implement: all that a logger can report of a connection.

use std::net::IpAddr;

use weir_base::event::ScriptSettings;
use weir_base::{EventValue, Timestamp};

use super::files::{FileFate, FilePart, HandlePart, SentFile, WholeFile};
use super::found::{Handshake, Software, ZeekHabit, ZeekNotice};
use super::recognised::Announced;
use super::stream::{JoinedRow, Script, ZeekStream, ZeekValue};
use crate::file::File;
use crate::parser::Endpoints;

/// Facts that a logger has of the connection it logs.
#[derive(Clone, Copy)]
pub struct ZeekConnection<'a> {
    /// The two ends; the client is Zeek's originator.
    pub endpoints: &'a Endpoints,
    /// When it began.
    pub start: Timestamp,
    /// Its uid.
    pub uid: &'a [u8],
}

/// Takes what a logger reports of its one connection. The output side implements it.
pub trait ZeekSink {
    /// The connection.
    fn connection(&self) -> ZeekConnection<'_>;

    /// A row: `ts` is the first column; `values` are the stream's columns in order, and then those that
    /// loaded scripts add, in the order of [`ZeekLogs::more`].
    fn row(&mut self, stream: &'static ZeekStream, ts: Timestamp, values: &[ZeekValue<'_>]);

    /// Raises an event for scripts that a logger tells of itself, where they handle it; values are in the order of its
    /// parameters.
    fn raise(&mut self, event: &'static str, arguments: &[EventValue<'_>]) {
        let _ = (event, arguments);
    }

    /// Settings of scripts, where scripts run.
    fn settings(&self) -> Option<&ScriptSettings> {
        None
    }

    /// Whether scripts handle an event that a logger raises.
    fn handles(&self, event: &str) -> bool {
        let _ = event;
        false
    }

    /// A row of the weird log.
    fn weird(&mut self, ts: Timestamp, name: &str, addl: Option<&str>);

    /// Logs a weird with a source other than the protocol's name, or with none, as of scripts.
    fn weird_of(&mut self, ts: Timestamp, name: &str, addl: Option<&str>, source: Option<&str>) {
        let _ = source;
        self.weird(ts, name, addl);
    }

    /// Logs the weird of a limit that was reached, which the connection's history shows, too.
    fn limit_reached(&mut self, ts: Timestamp, name: &str, addl: Option<&str>) {
        self.weird(ts, name, addl);
    }

    /// Logs a weird of no connection in particular.
    fn weird_of_none(&mut self, _ts: Timestamp, _name: &str, _addl: Option<&str>) {}

    /// The fuid of a file, as far as it is known. Its row of the files log is written once its fate is
    /// known, or with the connection's end.
    fn file(&mut self, file: &File, fate: FileFate) -> String;

    /// As [`ZeekSink::file`], of a file that a handle tells from others: its fuid follows from that.
    fn file_of(&mut self, file: &File, fate: FileFate, handle: &[HandlePart]) -> String {
        let _ = handle;
        self.file(file, fate)
    }

    /// Puts a part of a file together with others of the same `url` ([`File::start`] says where it
    /// belongs), once its fate is known. The files log has the whole.
    fn file_part(&mut self, url: &[u8], file: &File, fate: FileFate) -> FilePart;

    /// A row of the files log (and the hashes, by the log's `analyzers`) for a file that a protocol
    /// knows in full and does not track as a [`File`]: certificates. Answers its fuid.
    fn whole_file(&mut self, file: &WholeFile<'_>) -> String;

    /// Contributes to the row of a log with this number, which may be under way.
    fn join(&mut self, _stream: &'static ZeekStream, _number: u64, _part: Box<dyn JoinedRow>) {}

    /// The fuid of a file that has no row of the files log; scripts that follow files hear of it.
    fn unlogged_file(&mut self, file: &WholeFile<'_>) -> String;

    /// Whether scripts follow files: also those that have no row of the files log.
    fn tells_files(&self) -> bool {
        false
    }

    /// Whether a certificate, by its fingerprint, was not logged within a day before.
    fn is_new_certificate(&mut self, _fingerprint: &str, _now: Timestamp) -> bool {
        true
    }

    /// The connection became a tunnel of this kind.
    fn tunnel(&mut self, _ts: Timestamp, _kind: &str) {}

    /// Zeek's clock, that of the last packet where the capture is over; none in tests of loggers.
    fn now(&self) -> Option<Timestamp> {
        None
    }

    /// When the originator ended its side of a TCP connection.
    fn originator_end(&self) -> Option<Timestamp> {
        None
    }

    /// The connection announces another one between the same two hosts.
    fn announce(&mut self, _announced: Announced, _now: Timestamp) {}

    /// Reports the file that went over an announced connection.
    fn sent(&mut self, _file: SentFile) {}

    /// The file that went to this responder, from or to the connection's other end, since it was last asked for.
    fn take_sent(&mut self, _server: (IpAddr, u16)) -> Option<SentFile> {
        None
    }

    /// Whether an address belongs to the networks that are watched.
    fn is_local(&self, _address: IpAddr) -> bool {
        false
    }

    /// Whether a name is known not to be of the zones that are the site's.
    fn is_foreign_name(&self, _name: &[u8]) -> bool {
        false
    }

    /// Whether a script is loaded.
    fn has(&self, _script: Script) -> bool {
        false
    }

    /// Something about the connection is worth a look.
    fn notice(&mut self, _notice: &ZeekNotice<'_>) {}

    /// The client did what is worth a look where it is done often.
    fn habit(&mut self, _habit: &'static ZeekHabit) {}

    /// An end named its software.
    fn software(&mut self, _found: &Software<'_>) {}

    /// Reports a TLS handshake, once for a connection.
    fn handshake(&mut self, _handshake: &Handshake<'_>) {}

    /// Confirms that the connection speaks `service` (an entry of conn.log's `service`).
    fn service(&mut self, service: &'static str);

    /// The connection turned out not to speak the protocol, for this reason and because of these bytes: its
    /// `service` goes.
    fn violation(&mut self, _ts: Timestamp, _reason: &str, _data: Option<&[u8]>) {}
}
