//! How a protocol's transactions look in Zeek's logs.

use std::any::Any;
use std::fmt::Debug;
use std::net::IpAddr;
use std::ops::ControlFlow;

use smallvec::SmallVec;
use weir_base::{Direction, Duration, Timestamp};

use crate::file::{File, FileState};
use crate::options::Options;
use crate::parser::Endpoints;
use crate::protocol::Transport;
use crate::transaction::Transaction;

/// The type of a log column, by Zeek's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ZeekType {
    /// `time`
    Time,
    /// `interval`
    Interval,
    /// `string`
    String,
    /// `count`
    Count,
    /// `int`
    Int,
    /// `double`
    Double,
    /// `bool`
    Bool,
    /// `addr`
    Addr,
    /// `port`
    Port,
    /// `enum`
    Enum,
    /// `subnet`
    Subnet,
    /// `set[…]`
    Set(&'static ZeekType),
    /// `vector[…]`
    Vector(&'static ZeekType),
}

/// One value of a row.
#[derive(Clone, Copy, Debug)]
pub enum ZeekValue<'a> {
    /// `-` in TSV, no key in JSON.
    Unset,
    /// A truth value.
    Bool(bool),
    /// An unsigned number.
    Count(u64),
    /// A signed number.
    Int(i64),
    /// A floating-point number.
    Double(f64),
    /// A moment.
    Time(Timestamp),
    /// A span of time, perhaps negative, in nanoseconds.
    Interval(i64),
    /// A span of time or a moment, in seconds, where nanoseconds or 1970 are not enough.
    Seconds(f64),
    /// Text, any bytes; also enums.
    String(&'a [u8]),
    /// An address.
    Addr(IpAddr),
    /// A port.
    Port(u16),
    /// A set or vector.
    List(&'a [ZeekValue<'a>]),
}

/// Members of a list; most are short.
pub type ZeekMembers<'a> = SmallVec<[ZeekValue<'a>; 2]>;

impl<'a> ZeekValue<'a> {
    /// Text where there is some.
    pub fn text(value: Option<&'a [u8]>) -> Self {
        value.map_or(ZeekValue::Unset, ZeekValue::String)
    }

    /// A number where there is one.
    pub fn count(value: Option<u64>) -> Self {
        value.map_or(ZeekValue::Unset, ZeekValue::Count)
    }

    /// A list where there is anything in it.
    pub const fn list(values: &'a [ZeekValue<'a>]) -> Self {
        if values.is_empty() { ZeekValue::Unset } else { ZeekValue::List(values) }
    }

    /// The members of a list of texts.
    pub fn texts<T: AsRef<[u8]>>(texts: &'a [T]) -> ZeekMembers<'a> {
        texts.iter().map(|text| ZeekValue::String(text.as_ref())).collect()
    }

    /// A span of time.
    pub fn span(value: Duration) -> Self {
        ZeekValue::Interval(i64::try_from(value.as_nanos()).unwrap_or(i64::MAX))
    }
}

/// A log stream.
#[derive(Debug)]
pub struct ZeekStream {
    /// The path: `dns` makes `dns.log`.
    pub name: &'static str,
    /// Whether rows start with `ts uid id.orig_h id.orig_p id.resp_h id.resp_p`, which the sink
    /// writes; those columns are then not in `columns`.
    pub connection: bool,
    /// The other columns, in order.
    pub columns: &'static [(&'static str, ZeekType)],
}

/// A script of Zeek's policy that changes what logs say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Script {
    /// `known_hosts`
    KnownHosts,
    /// `known_services`
    KnownServices,
    /// `known_certs`
    KnownCertificates,
    /// `software` of HTTP
    HttpSoftware,
    /// `software` of SSH
    SshSoftware,
    /// `software` of FTP
    FtpSoftware,
    /// `software` of mails, and whether these come from the web
    SmtpSoftware,
    /// Notices of commands that servers of FTP ran
    FtpDetection,
    /// Notices of names from elsewhere that point at hosts of the site
    ExternalNames,
    /// Notices of hosts that guess passwords of SSH
    SshGuessing,
    /// `capture_loss`
    CaptureLoss,
    /// `stats`
    Stats,
    /// `traceroute`
    Traceroute,
    /// Notices of certificates that are not valid at the time
    ExpiringCertificates,
    /// Notices of short keys, old versions and unsafe ciphers
    WeakKeys,
    /// VLANs in `conn`
    Vlans,
    /// Link-layer addresses in `conn`
    Macs,
    /// Sessions of PPPoE in `conn`
    PppoeSessions,
    /// Community IDs in `conn`
    CommunityIds,
    /// Community IDs in `notice`
    NoticeCommunityIds,
    /// Names of protocols in `conn`
    ProtocolNames,
    /// Names of header fields in `http`
    HeaderNames,
    /// Names of a target's parameters in `http`
    UriVariables,
    /// Names of cookies in `http`
    CookieVariables,
    /// The other sections of answers in `dns`
    OtherSections,
    /// Names as they were asked for in `dns`
    OriginalQueries,
    /// Only certificates of hosts in `x509`
    HostCertificates,
    /// MD5 and SHA-1 of all files
    Hashes,
    /// All files, each in one of its own
    ExtractedFiles,
}

/// Columns that a script adds to a stream.
#[derive(Debug)]
pub struct MoreColumns {
    /// The stream.
    pub stream: &'static ZeekStream,
    /// The script.
    pub script: Script,
    /// The columns, in order.
    pub columns: &'static [(&'static str, ZeekType)],
}

/// What a logger knows of the connection it logs.
pub struct ZeekConnection<'a> {
    /// The two ends; the client is Zeek's originator.
    pub endpoints: &'a Endpoints,
    /// When it began.
    pub start: Timestamp,
    /// Its uid.
    pub uid: &'a [u8],
}

/// Takes rows. The output side implements it.
pub trait ZeekSink {
    /// A row: `ts` is the first column; `values` are the stream's columns in order, and then those that
    /// loaded scripts add, in the order of [`ZeekLogs::more`].
    fn row(
        &mut self,
        stream: &'static ZeekStream,
        connection: &ZeekConnection<'_>,
        ts: Timestamp,
        values: &[ZeekValue<'_>],
    );

    /// A row of the weird log.
    fn weird(&mut self, connection: &ZeekConnection<'_>, ts: Timestamp, name: &str, addl: Option<&str>);

    /// The same with a source of its own in place of the protocol's name, or with none, as of scripts.
    fn weird_of(
        &mut self,
        connection: &ZeekConnection<'_>,
        ts: Timestamp,
        name: &str,
        addl: Option<&str>,
        source: Option<&str>,
    ) {
        let _ = source;
        self.weird(connection, ts, name, addl);
    }

    /// The same of no connection in particular.
    fn weird_of_none(&mut self, _ts: Timestamp, _name: &str, _addl: Option<&str>) {}

    /// The fuid of a file, as far as it is known. Its row of the files log is written once its fate is
    /// known, or with the connection's end.
    fn file(&mut self, connection: &ZeekConnection<'_>, file: &File, fate: FileFate) -> String;

    /// Puts a part of a file together with others of the same `url` ([`File::start`] says where it
    /// belongs), once its fate is known. The files log has the whole.
    fn file_part(
        &mut self,
        connection: &ZeekConnection<'_>,
        url: &[u8],
        file: &File,
        fate: FileFate,
    ) -> FilePart;

    /// A row of the files log (and the hashes, by the log's `analyzers`) for a file that a protocol
    /// knows in full and does not track as a [`File`]: certificates. Answers its fuid.
    fn whole_file(&mut self, connection: &ZeekConnection<'_>, file: &WholeFile<'_>) -> String;

    /// Contributes to the row of a log with this number, which may be under way.
    fn join(&mut self, _stream: &'static ZeekStream, _number: u64, _part: Box<dyn JoinedRow>) {}

    /// The fuid of a file that has no row of the files log, of these bytes, of which the last one was captured at `time`.
    fn unlogged_file(&mut self, connection: &ZeekConnection<'_>, bytes: &[u8], time: Timestamp) -> String;

    /// Whether a certificate, by its fingerprint, was not logged within a day before.
    fn is_new_certificate(&mut self, _fingerprint: &str, _now: Timestamp) -> bool {
        true
    }

    /// The connection became a tunnel of this kind.
    fn tunnel(&mut self, _connection: &ZeekConnection<'_>, _ts: Timestamp, _kind: &str) {}

    /// When the originator ended its side of a TCP connection.
    fn originator_end(&self, _connection: &ZeekConnection<'_>) -> Option<Timestamp> {
        None
    }

    /// The connection announces another one between the same two hosts.
    fn announce(&mut self, _connection: &ZeekConnection<'_>, _announced: Announced, _now: Timestamp) {}

    /// What went over a connection that another one announced.
    fn sent(&mut self, _connection: &ZeekConnection<'_>, _file: SentFile) {}

    /// The file that went to this responder, from or to the connection's other end, since it was last asked for.
    fn take_sent(&mut self, _connection: &ZeekConnection<'_>, _server: (IpAddr, u16)) -> Option<SentFile> {
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
    fn notice(&mut self, _connection: &ZeekConnection<'_>, _notice: &ZeekNotice<'_>) {}

    /// The client did what is worth a look where it is done often.
    fn habit(&mut self, _connection: &ZeekConnection<'_>, _habit: &'static ZeekHabit) {}

    /// An end named its software.
    fn software(&mut self, _connection: &ZeekConnection<'_>, _found: &Software<'_>) {}

    /// What a server showed of TLS; once for a connection.
    fn handshake(&mut self, _connection: &ZeekConnection<'_>, _handshake: &Handshake<'_>) {}

    /// Confirms that the connection speaks `service` (an entry of conn.log's `service`).
    fn service(&mut self, connection: &ZeekConnection<'_>, service: &'static str);

    /// The connection turned out not to speak the protocol, for this reason and because of these bytes: its
    /// `service` goes.
    fn violation(
        &mut self,
        _connection: &ZeekConnection<'_>,
        _ts: Timestamp,
        _reason: &str,
        _data: Option<&[u8]>,
    ) {
    }
}

/// A row to which several connections contribute, wherever they are followed: the first contribution is the row,
/// and others join it.
pub trait JoinedRow: Debug + Send {
    /// Takes in what a later contribution says. False where it begins a row of its own: this one is over then.
    fn join(&mut self, later: &dyn JoinedRow) -> bool;

    /// When the row is over at the latest.
    fn end(&self) -> Timestamp;

    /// For [`JoinedRow::join`].
    fn as_any(&self) -> &dyn Any;

    /// Writes the row.
    fn write(&self, write: &mut dyn FnMut(&'static ZeekStream, Timestamp, &[ZeekValue<'_>]));
}

/// A file that went over a connection of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    /// Its fuid.
    pub fuid: String,
    /// Its type, where it is known.
    pub mime_type: Option<&'static str>,
}

/// Tells of the file that a connection of its own is for: when it begins, and when it is over.
#[derive(Debug, Default)]
pub struct OneFile {
    told: bool,
}

impl OneFile {
    /// The file made progress, or the connection is `complete`.
    pub fn tell(
        &mut self,
        connection: &ZeekConnection<'_>,
        file: &File,
        complete: bool,
        sink: &mut dyn ZeekSink,
    ) {
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
        let fuid = sink.file(connection, file, fate);
        sink.sent(connection, SentFile { fuid, mime_type: file.mime_type() });
    }
}

/// What an end says of its software.
#[derive(Clone, Copy, Debug)]
pub struct Software<'a> {
    /// Zeek's name of the kind (`HTTP::SERVER`).
    pub kind: &'static str,
    /// Where it runs.
    pub host: SoftwareHost,
    /// Name and version, as sent.
    pub text: &'a [u8],
}

/// Where software runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SoftwareHost {
    /// The client of the connection.
    Client,
    /// Its server, at the port of the connection.
    Server,
    /// Another host, of which the connection tells.
    Other(IpAddr),
}

impl SoftwareHost {
    /// The end that sends in a direction.
    pub const fn sender(direction: Direction) -> Self {
        match direction {
            Direction::ToServer => Self::Client,
            Direction::ToClient => Self::Server,
        }
    }
}

/// What a script finds worth a look.
#[derive(Clone, Copy, Debug)]
pub struct ZeekNotice<'a> {
    /// Zeek's name of its type (`FTP::Site_Exec_Success`).
    pub note: &'static str,
    /// What there is to say.
    pub message: &'a str,
    /// What it is about, beside its type: the same is not told again within an hour.
    pub identifier: &'a [u8],
}

/// What hosts do that is worth a look where one of them does it often.
#[derive(Debug)]
pub struct ZeekHabit {
    /// Zeek's name of the type of its notice (`SSH::Password_Guessing`).
    pub note: &'static str,
    /// For how long is counted before all is forgotten.
    pub epoch: Duration,
    /// How often is too often.
    pub limit: u64,
    /// What there is to say of a host that did it so often.
    pub message: fn(IpAddr, u64) -> String,
}

/// What a server showed of TLS.
#[derive(Clone, Copy, Debug)]
pub struct Handshake<'a> {
    /// The handshake was completed.
    pub established: bool,
    /// The version agreed on, as sent, and Zeek's name of it.
    pub version: Option<(u16, &'a str)>,
    /// The cipher suite agreed on.
    pub cipher: Option<&'a str>,
    /// The server's own certificate, where it can be read.
    pub certificate: Option<ServerCertificate<'a>>,
}

/// The certificate of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServerCertificate<'a> {
    /// Its SHA-256.
    pub fingerprint: &'a str,
    /// Its subject as Zeek writes it.
    pub subject: &'a [u8],
    /// Its issuer.
    pub issuer: &'a [u8],
    /// Its serial number.
    pub serial: &'a str,
    /// From when until when it is valid.
    pub validity: (Timestamp, Timestamp),
    /// Zeek's name of the kind of its key (`rsa`).
    pub key_type: Option<&'static str>,
    /// The length of that in bits.
    pub key_length: Option<u64>,
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFate {
    /// More may come.
    Open,
    /// It is over.
    Over,
    /// No more comes, but nothing said that this is its end.
    Abandoned,
}

/// What a part of a file added to the whole.
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
}

/// Follows one connection and writes its rows when Zeek would.
pub trait ZeekLogger: Send {
    /// A transaction that has news may have made progress; the packet went in `direction`. `complete` says
    /// that it will not change any more: it is not given again.
    fn transaction(
        &mut self,
        connection: &ZeekConnection<'_>,
        transaction: &dyn Transaction,
        direction: Direction,
        complete: bool,
        sink: &mut dyn ZeekSink,
    );

    /// Whether a transaction may have anything to tell that was not told of. One that is `complete` has.
    fn has_news(&self, _transaction: &dyn Transaction, _complete: bool) -> bool {
        true
    }

    /// The connection speaks another protocol from now on: what goes on inside of that one, if this protocol
    /// is met there; told of its end instead of this where it is not.
    fn hand_over(&mut self) -> Option<Box<dyn ZeekLogger>> {
        None
    }

    /// Bytes of memory of what waits to be written, where that may be much. Where there is no room for it, it is told
    /// of an end and goes on, if nothing waits then.
    fn held(&self) -> usize {
        0
    }

    /// The connection ended: write what is still open.
    fn end(&mut self, connection: &ZeekConnection<'_>, sink: &mut dyn ZeekSink);
}

/// Writes nothing of transactions: the rows come from datagrams.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Silent {
    /// For [`ZeekLogs::open`].
    pub fn open(_: &dyn Options) -> Box<dyn ZeekLogger> {
        Box::new(Self)
    }
}

impl ZeekLogger for Silent {
    fn transaction(
        &mut self,
        _: &ZeekConnection<'_>,
        _: &dyn Transaction,
        _: Direction,
        _: bool,
        _: &mut dyn ZeekSink,
    ) {
    }

    fn end(&mut self, _: &ZeekConnection<'_>, _: &mut dyn ZeekSink) {}
}

/// Follows one connection of datagrams for a protocol that rules do not know, or not as long.
pub trait DatagramLogger: Send {
    /// A datagram of a connection, by the direction that its ends have. [`ControlFlow::Break`] where nothing more of
    /// the connection is to be read.
    fn datagram(
        &mut self,
        connection: &ZeekConnection<'_>,
        direction: Direction,
        payload: &[u8],
        time: Timestamp,
        sink: &mut dyn ZeekSink,
    ) -> ControlFlow<()>;

    /// The connection ended: write what is still open.
    fn end(&mut self, connection: &ZeekConnection<'_>, sink: &mut dyn ZeekSink);
}

/// A connection that a logger follows for as long as it wants to.
pub struct FollowedDatagrams {
    logger: Box<dyn DatagramLogger>,
    is_over: bool,
}

impl FollowedDatagrams {
    /// A datagram of the connection, by the direction that its ends have.
    pub fn datagram(
        &mut self,
        connection: &ZeekConnection<'_>,
        direction: Direction,
        payload: &[u8],
        time: Timestamp,
        sink: &mut dyn ZeekSink,
    ) {
        if !self.is_over {
            self.is_over = self.logger.datagram(connection, direction, payload, time, sink).is_break();
        }
    }

    /// The connection ended: writes what is still open.
    pub fn end(&mut self, connection: &ZeekConnection<'_>, sink: &mut dyn ZeekSink) {
        self.logger.end(connection, sink);
    }
}

/// A protocol over datagrams that Zeek's logs follow by themselves.
#[derive(Clone, Copy, Debug)]
pub struct DatagramLogs {
    /// Its entry of `service`.
    pub name: &'static str,
    /// The streams that it brings: those that no protocol of rules has.
    pub streams: &'static [&'static ZeekStream],
    /// The responder's ports; any where empty.
    pub ports: &'static [u16],
    /// Whether a payload is the beginning of its conversations.
    pub fits: fn(&[u8]) -> bool,
    /// Opens a logger for a connection.
    pub open: fn() -> Box<dyn DatagramLogger>,
}

impl DatagramLogs {
    /// Whether connections to a port may speak it.
    pub fn is_for(&self, port: u16) -> bool {
        self.ports.is_empty() || self.ports.contains(&port)
    }

    /// Begins to follow a connection.
    pub fn follow(&self) -> FollowedDatagrams {
        FollowedDatagrams { logger: (self.open)(), is_over: false }
    }
}

/// The Zeek logs of a protocol.
pub struct ZeekLogs {
    /// The streams it writes.
    pub streams: &'static [&'static ZeekStream],
    /// Columns that scripts add to them.
    pub more: &'static [MoreColumns],
    /// Only connections whose beginning was seen are logged.
    pub from_start: bool,
    /// The logger says itself that the connection speaks the protocol.
    pub confirms: bool,
    /// Opens a logger for a connection.
    pub open: fn(&dyn Options) -> Box<dyn ZeekLogger>,
}

impl ZeekLogs {
    /// The logs of connections wherever they were met, by a logger that confirms their protocol.
    pub const fn new(
        streams: &'static [&'static ZeekStream],
        open: fn(&dyn Options) -> Box<dyn ZeekLogger>,
    ) -> Self {
        Self { streams, more: &[], from_start: false, confirms: true, open }
    }
}

/// A protocol that `conn.log` names although its messages are not read any further: its first
/// payloads tell it.
#[derive(Clone, Copy, Debug)]
pub struct Recognised {
    /// Entries of `service`.
    pub services: &'static [&'static str],
    /// What carries it.
    pub transport: Transport,
    /// The responder's ports; any where empty.
    pub ports: &'static [u16],
    /// Whether a payload is the originator's.
    pub originator: fn(&[u8]) -> bool,
    /// Whether a payload is the responder's.
    pub responder: fn(&[u8]) -> bool,
    /// Both ends are to have spoken it; one is enough otherwise.
    pub both: bool,
    /// Services that later payloads show in addition.
    pub inner: &'static [InnerService],
}

/// What Zeek's analyzers find odd about payloads at their ports, whatever is spoken there.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// What carries them.
    pub transport: Transport,
    /// The responder's ports.
    pub ports: &'static [u16],
    /// Most payloads of a connection that are looked at; all of them where there is no such number.
    pub most: Option<u8>,
    /// Looks at a payload, of the originator or not, of a connection to a port.
    pub look: Look,
}

/// Looks at a payload for [`Watch`], and tells what is odd about it.
pub type Look = fn(originator: bool, payload: &[u8], port: u16, tell: &mut dyn FnMut(Oddity)) -> Watching;

/// Whether payloads are looked at any longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watching {
    /// The next one, too.
    On,
    /// None.
    Over,
}

/// Something odd.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oddity {
    /// Zeek's name of it.
    pub name: &'static str,
    /// What more there is to say.
    pub addl: Option<String>,
    /// The analyzer.
    pub source: &'static str,
}

/// A service inside another one, and whether a payload shows it.
pub type InnerService = (&'static str, fn(&[u8]) -> bool);

/// A connection that another one announced: what is sent to this address and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announced {
    /// Its responder.
    pub server: (IpAddr, u16),
    /// Its entry of `service`.
    pub service: &'static str,
}
