//! Streams of rows: what columns a log has, and what stands in them.

use std::any::Any;
use std::fmt::Debug;
use std::net::IpAddr;

use smallvec::SmallVec;
use weir_base::{Duration, Timestamp};

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

/// The values of a row with columns that scripts add, of which there are `N` at most.
pub type ZeekValues<'a, const N: usize> = SmallVec<[ZeekValue<'a>; N]>;

impl<'a> ZeekValue<'a> {
    /// Text where there is some.
    pub fn text(value: Option<&'a [u8]>) -> Self {
        value.map_or(ZeekValue::Unset, ZeekValue::String)
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

/// A column that a script adds to a stream, behind those before it.
#[derive(Debug)]
pub struct ScriptColumn {
    /// The stream.
    pub stream: &'static ZeekStream,
    /// The script.
    pub script: Script,
    /// Its name and type.
    pub column: (&'static str, ZeekType),
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
    /// Senders of messages in `dhcp`
    MessageSenders,
    /// Classes of vendors in `dhcp`, and in `software`
    DhcpSoftware,
    /// Words of relays on clients in `dhcp`
    RelayedOptions,
    /// Subject and issuer of servers' certificates in `ssl`
    ServerSubjects,
    /// Subject and issuer of clients' certificates in `ssl`
    ClientSubjects,
    /// Whether certificates are for the name that was asked for, in `ssl`: it is always loaded
    CertificateNames,
    /// Only certificates of hosts in `x509`
    HostCertificates,
    /// MD5 and SHA-1 of all files
    Hashes,
    /// All files, each in one of its own
    ExtractedFiles,
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
