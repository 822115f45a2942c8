//! The protocols: one folder each, with its parser, its fields, and its EVE and Zeek records.

pub mod ber;
pub mod bittorrent;
pub mod bittorrent_dht;
pub mod dcerpc;
pub mod dhcp;
pub mod dnp3;
pub mod dns;
pub mod enip;
pub mod finger;
pub mod ftp;
pub mod gnutella;
mod gssapi;
pub mod http1;
pub mod http2;
pub mod ident;
pub mod ike;
pub mod imap;
pub mod irc;
pub mod krb5;
pub mod ldap;
mod lines;
pub mod login;
pub mod mime;
pub mod modbus;
pub mod mqtt;
pub mod mysql;
pub mod ncp;
pub mod netbios;
pub mod nfs;
pub mod ntp;
mod ocsp;
pub mod pe;
pub mod pgsql;
pub mod pop3;
pub mod quic;
pub mod radius;
pub mod rdp;
pub mod recognised;
pub mod redis;
pub mod rfb;
pub mod rpc;
pub mod settings;
pub mod sip;
pub mod smb;
pub mod smtp;
pub mod snmp;
pub mod socks;
pub mod span;
pub mod ssh;
pub mod syslog;
pub mod telnet;
#[cfg(test)]
mod testing;
pub mod tftp;
pub mod tls;
pub mod websocket;
pub mod xmpp;

/// All protocols, in the order in which their probes are asked. A new protocol is a folder and a
/// line here.
pub static ALL: &[&weir_applayer::Protocol] = &[
    &http1::HTTP1,
    &http2::HTTP2,
    &dns::DNS,
    &tls::TLS,
    &ssh::SSH,
    &ftp::FTP,
    &ftp::FTP_DATA,
    &smtp::SMTP,
    &websocket::WEBSOCKET,
    &quic::QUIC,
    &krb5::KRB5,
    &dhcp::DHCP,
    &ntp::NTP,
    &ldap::LDAP,
    &modbus::MODBUS,
    &dnp3::DNP3,
    &enip::ENIP,
    &mqtt::MQTT,
    &pgsql::PGSQL,
    &rdp::RDP,
    &imap::IMAP,
    &pop3::POP3,
    &rfb::RFB,
    &sip::SIP,
    &snmp::SNMP,
    &dcerpc::DCERPC,
    &nfs::NFS,
    &ike::IKE,
    &redis::REDIS,
    &irc::IRC,
    &irc::data::IRC_DATA,
    &mysql::MYSQL,
    &socks::SOCKS,
    &finger::FINGER,
    &telnet::TELNET,
    &tftp::TFTP,
    &bittorrent_dht::BITTORRENT_DHT,
    &smb::SMB,
    &http2::doh2::DOH2,
    &dns::flavour::MDNS,
    &dns::flavour::LLMNR,
    &dns::flavour::NETBIOS_NAME_SERVICE,
];

/// Readers of files for events of scripts.
pub static FILE_READERS: &[weir_base::event::FileReader] = &[
    tls::zeek::certificate_events::READER,
    tls::zeek::answer_events::REQUESTS,
    tls::zeek::answer_events::REPLIES,
    tls::zeek::name::READER,
    pe::READER,
];

/// Readers of streams for events of scripts, of protocols that nothing else asks for.
pub static STREAM_READERS: &[weir_base::event::StreamReader] = &[
    bittorrent::PEER,
    bittorrent::tracker::READER,
    finger::events::READER,
    gnutella::READER,
    ident::READER,
    login::rlogin::READER,
    login::rsh::READER,
    login::telnet::READER,
    ncp::READER,
    netbios::READER,
    rdp::datagrams::READER,
    rdp::encrypted::READER,
    rpc::MOUNT,
    rpc::NFS3,
    rpc::PORTMAPPER,
    xmpp::READER,
];

/// Protocols that are read where the configuration or Zeek's logs ask for them.
pub static OFF_BY_DEFAULT: &[&weir_applayer::Protocol] = &[
    &dnp3::DNP3,
    &enip::ENIP,
    &finger::FINGER,
    &irc::IRC,
    &irc::data::IRC_DATA,
    &modbus::MODBUS,
    &mysql::MYSQL,
    &pgsql::PGSQL,
    &redis::REDIS,
    &socks::SOCKS,
];
