//! The rows, one for each keyword.

mod dcerpc;
mod dhcp;
mod dnp3;
mod doh2;
mod enip;
mod ftp;
mod http2;
mod ike;
mod krb5;
mod ldap;
mod mail;
mod modbus;
mod mqtt;
mod names;
mod nfs;
mod ntp;
mod packets;
mod pgsql;
mod quic;
mod rfb;
mod rules;
mod sip;
mod smb;
mod snmp;
mod ssh;
mod web;
mod websocket;

/// What is tried of a keyword.
pub struct Row {
    /// Its name.
    pub keyword: &'static str,
    /// The header of the rules; a word alone is a protocol, from and to anything.
    pub header: &'static str,
    /// Options that match.
    pub hit: &'static str,
    /// Options that are nearly the same and do not; empty for a keyword that says nothing of traffic.
    pub miss: &'static str,
    /// Options that are refused.
    pub bad: &'static str,
    /// The match raises no alert.
    pub silent: bool,
}

const fn row(
    keyword: &'static str,
    header: &'static str,
    hit: &'static str,
    miss: &'static str,
    bad: &'static str,
) -> Row {
    Row { keyword, header, hit, miss, bad, silent: false }
}

const fn silent(keyword: &'static str, header: &'static str, hit: &'static str, bad: &'static str) -> Row {
    Row { keyword, header, hit, miss: "", bad, silent: true }
}

/// The datagram with the payload `datagram`.
pub const UDP: &str = "udp any any -> 10.2.0.2 any";
/// The stream with the payload `first QUJDREVG …`.
pub const TEXT: &str = "tcp any any -> 10.1.0.2 9999";
/// The request made here.
pub const WEB: &str = "http any any -> 10.1.0.2 any";
/// Its answer.
pub const BACK: &str = "http 10.1.0.2 any -> any any";
/// The packet with TCP's header made here.
pub const SYN: &str = "tcp any any -> 10.2.0.7 4000";
/// The packet of ICMP made here.
pub const PING: &str = "icmp any any -> 10.2.0.2 any";
/// The packet of ICMPv6 made here.
pub const PING6: &str = "icmp fd00::1 any -> any any";
/// The packet of SCTP made here.
pub const SCTP: &str = "sctp any any -> 10.2.0.8 any";

/// The tables.
const ROWS: &[&[Row]] = &[
    dcerpc::ROWS,
    dhcp::ROWS,
    doh2::ROWS,
    ftp::ROWS,
    ike::ROWS,
    ldap::ROWS,
    http2::ROWS,
    krb5::ROWS,
    mail::ROWS,
    names::ROWS,
    ntp::ROWS,
    nfs::ROWS,
    packets::ROWS,
    pgsql::ROWS,
    quic::ROWS,
    rfb::ROWS,
    rules::ROWS,
    sip::ROWS,
    smb::ROWS,
    snmp::ROWS,
    ssh::ROWS,
    web::ROWS,
    websocket::ROWS,
    dnp3::ROWS,
    enip::ROWS,
    modbus::ROWS,
    mqtt::ROWS,
];

/// All rows, in an order that stays.
pub fn all() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().flat_map(|family| family.iter())
}

/// Rules that capture what rows ask for, before them.
pub const BEFORE: &[&str] = &[
    "alert tcp any any -> 10.1.0.2 9999 (msg:\"m\"; content:\"abcde\"; pcre:\"/(abcde)/, flow:kw.stream\"; noalert; sid:900001;)",
    "alert udp any any -> 10.2.0.2 any (msg:\"m\"; content:\"datagram\"; pcre:\"/(datagram)/, pkt:kw.packet\"; noalert; sid:900002;)",
];

/// Keywords whose traffic is not enough: what they need besides may not be installed, and their own
/// tests bring it.
pub const ELSEWHERE: &[&str] = &["file.magic", "filemagic", "geoip"];
