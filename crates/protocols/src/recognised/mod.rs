//! Protocols that Zeek's `conn.log` names in `service` and that nothing else is read of. A row goes
//! when the protocol gets a folder of its own.

mod datagram;
mod inner;
mod stream;

use weir_applayer::Transport;
use weir_applayer::zeek::{DatagramLogs, InnerService, Recognised, Watch};

const fn row(
    services: &'static [&'static str],
    transport: Transport,
    ports: &'static [u16],
    originator: fn(&[u8]) -> bool,
    responder: fn(&[u8]) -> bool,
) -> Recognised {
    Recognised { services, transport, ports, originator, responder, both: false, inner: &[] }
}

/// One that carries others.
const fn carrying(row: Recognised, inner: &'static [InnerService]) -> Recognised {
    Recognised { inner, ..row }
}

/// Authentication services within DCE/RPC.
const AUTHENTICATION: &[InnerService] =
    &[("krb", inner::ticket), ("gssapi", inner::spnego), ("ntlm", inner::ntlm)];

/// One whose both ends are to be heard.
const fn dialogue(row: Recognised) -> Recognised {
    Recognised { both: true, ..row }
}

use Transport::{Tcp, Udp};

/// All of them, in the order in which they are tried.
pub static ALL: &[Recognised] = &[
    row(&["gtpv1"], Udp, &[2123, 2152], datagram::gtp_packet, datagram::gtp_packet),
    row(&["vxlan"], Udp, &[4789], datagram::vxlan, datagram::vxlan),
    row(&["geneve"], Udp, &[6081], datagram::geneve, datagram::geneve),
    row(&["ayiya"], Udp, &[5072], datagram::ayiya, datagram::ayiya),
    row(&["dtls"], Udp, &[], datagram::dtls, datagram::dtls),
    dialogue(row(&["ftp"], Tcp, &[21, 2811], stream::ftp_command, stream::reply)),
    row(&["dns"], Tcp, &[53], stream::dns, stream::dns),
    dialogue(row(&["imap"], Tcp, &[143], stream::imap_command, stream::imap_answer)),
    row(&["xmpp"], Tcp, &[5222, 5269], stream::xmpp, |_| false),
    row(&["xmpp"], Tcp, &[], stream::xmpp_anywhere, |_| false),
    dialogue(row(&["rdpeudp"], Udp, &[3389], datagram::rdp_hello, datagram::rdp_answer)),
    dialogue(row(&["rdpeudp"], Udp, &[], datagram::rdp_hello_anywhere, datagram::rdp_answer)),
    carrying(
        dialogue(row(&["dce_rpc"], Tcp, &[], stream::dcerpc_bind, stream::dcerpc_bind_ack)),
        AUTHENTICATION,
    ),
    dialogue(row(&["ldap_tcp"], Tcp, &[], stream::ldap_request, stream::ldap_answer)),
];

/// Protocols over datagrams that Zeek's logs follow by themselves.
pub static DATAGRAMS: &[DatagramLogs] = &[
    crate::dnp3::zeek::DATAGRAMS,
    crate::tls::dtls::LOGS,
    crate::quic::zeek::DATAGRAMS,
    crate::ntp::zeek::DATAGRAMS,
    crate::radius::zeek::DATAGRAMS,
    crate::syslog::zeek::DATAGRAMS,
    crate::sip::zeek::AT_PORT,
    crate::sip::zeek::ELSEWHERE,
];

/// Checks of Zeek's analyzers on payloads at their ports.
pub static WATCHES: &[&Watch] = &[
    &crate::dns::zeek::WATCH,
    &crate::http1::zeek::WATCH,
    &crate::ftp::zeek::WATCH,
    &crate::dnp3::zeek::WATCH,
    &crate::dnp3::zeek::DATAGRAM_WATCH,
];

#[cfg(test)]
mod tests {
    use super::*;

    type Case<'a> = (&'a str, &'a [u8], bool, &'a [u8], bool);

    fn find(service: &str) -> &'static Recognised {
        ALL.iter().find(|row| row.services.contains(&service)).unwrap()
    }

    #[test]
    fn first_payloads() {
        let cases: &[Case<'_>] = &[
            (
                "gtpv1",
                b"\x30\xff\x00\x14\x00\x00\x00\x01\x45\x00",
                true,
                b"\x32\x01\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00",
                false,
            ),
            (
                "dtls",
                b"\x16\xfe\xfd\x00\x00\x00\x00\x00\x00\x00\x00\x00\x20\x01",
                true,
                b"\x16\x03\x01",
                false,
            ),
            (
                "xmpp",
                b"<?xml version='1.0'?>\n<stream:stream to='a' xmlns='jabber:client'>",
                true,
                b"<stream:stream>",
                false,
            ),
            (
                "rdpeudp",
                b"\xff\xff\xff\xff\x04\x00\x0a\x01\0\0",
                true,
                b"\0\0\0\x01\x04\x00\x00\x05\0\0\0\x01\x04\xd0\x04\x6c\0",
                true,
            ),
            (
                "rdpeudp",
                b"\xff\xff\xff\xff\x04\x00\x0a\x08\0\0",
                false,
                b"\0\0\0\x01\x04\x00\x00\x05\0\0\0\x01\x04\xd0\x04\xd1\0",
                false,
            ),
            (
                "rdpeudp",
                b"\xff\xff\xff\xff\x04\x00\x0a",
                false,
                b"\0\0\0\x01\x04\x00\x00\x04\0\0\0\x01\x04\xd0\x04\xd0\0",
                false,
            ),
            ("ftp", b"USER a\r\n", true, b"220 hello\r\n", true),
            ("ftp", b"hello there\r\n", false, b"22 hello\r\n", false),
            ("ldap_tcp", b"\x30\x0c\x02\x01\x01\x60\x07", true, b"\x30\x84\x00\x00\x00\x10", true),
            ("ldap_tcp", b"\x30\x82\x00\x0c\x02\x01\x01\x61\x07", false, b"\x31\x0c", false),
            (
                "dns",
                b"\x00\x0c\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
                true,
                b"\x00\x02\x00\x01",
                false,
            ),
        ];
        for (service, orig, is_orig, resp, is_resp) in cases {
            let row = find(service);
            assert_eq!((row.originator)(orig), *is_orig, "{service} {orig:02x?}");
            assert_eq!((row.responder)(resp), *is_resp, "{service} {resp:02x?}");
        }
    }

    #[test]
    fn what_is_named_at_any_port() {
        let long = [&b"\xff\xff\xff\xff\x04\x00\x10\x01"[..], &[0; 1224]].concat();
        let cases: &[(&str, &[u8], bool)] = &[
            ("xmpp", b"<stream:stream to='a' xmlns='jabber:server' id='b'>", true),
            ("xmpp", b"<?xml version=\"1.0\"?>\r\n <stream:stream xmlns='jabber:client'", true),
            ("xmpp", b"<stream:stream to='a'><a xmlns='jabber:client'", false),
            ("xmpp", b"<?xml version='1.0'?><iq/><stream:stream xmlns='jabber:client'>", false),
            ("xmpp", b"<stream:stream xmlns='other'>", false),
            ("rdpeudp", &long, true),
            ("rdpeudp", &long[..1231], false),
        ];
        for (service, bytes, expected) in cases {
            let row = ALL.iter().find(|row| row.services.contains(service) && row.ports.is_empty()).unwrap();
            assert_eq!((row.originator)(bytes), *expected, "{service} {:?}", bytes.get(..40));
        }
    }

    #[test]
    fn any_bytes_are_taken() {
        for row in ALL {
            for length in 0..64 {
                for byte in [0, 0x05, 0x16, 0x30, 0x6b, 0xff] {
                    let bytes = vec![byte; length];
                    let _ = ((row.originator)(&bytes), (row.responder)(&bytes));
                }
            }
            assert!(!(row.originator)(b"") && !(row.responder)(b""), "{:?}", row.services);
        }
        assert!(ALL.len() <= 64, "one bit each");
    }
}
