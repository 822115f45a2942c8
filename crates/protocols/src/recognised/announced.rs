//! Connections that others announce: where the data of FTP goes, and files sent over IRC.

use std::net::{IpAddr, Ipv4Addr};

use weir_applayer::Endpoints;
use weir_applayer::zeek::Announced;

/// The data connection of FTP: `PORT` and `EPRT` of the client, the answers to `PASV` and `EPSV`
/// (RFC 959 4.1.2, RFC 2428).
pub(super) fn ftp_data(ends: &Endpoints, payload: &[u8]) -> Option<Announced> {
    let text = std::str::from_utf8(payload).ok()?;
    let server = text.lines().find_map(|line| {
        if let Some(rest) = line.strip_prefix("227 ") {
            return octets(rest.get(rest.find(|c: char| c.is_ascii_digit())?..)?);
        }
        if let Some(rest) = line.strip_prefix("229 ") {
            return Some((ends.server, extended(rest.get(rest.find('(')? + 1..)?)?.1));
        }
        let (word, rest) = line.split_once(' ')?;
        match word {
            word if word.eq_ignore_ascii_case("PORT") => octets(rest),
            word if word.eq_ignore_ascii_case("EPRT") => {
                let (address, port) = extended(rest)?;
                Some((address.parse().ok()?, port))
            }
            _ => None,
        }
    })?;
    Some(Announced { server, service: "ftp-data" })
}

/// A file that is sent from client to client (CTCP's `DCC SEND`).
pub(super) fn dcc_send(_: &Endpoints, payload: &[u8]) -> Option<Announced> {
    let text = String::from_utf8_lossy(payload);
    let (_, rest) = text.split_once("DCC SEND ")?;
    let mut words = rest.split([' ', '\x01', '\r']).rev().skip_while(|word| word.trim().is_empty());
    let numbers: Vec<u32> = words.by_ref().take(3).filter_map(|word| word.parse().ok()).collect();
    // The size may be left out.
    let (port, address) = match numbers[..] {
        [_, port, address] | [port, address] => (port, address),
        _ => return None,
    };
    Some(Announced {
        server: (Ipv4Addr::from(address).into(), u16::try_from(port).ok()?),
        service: "irc-dcc-data",
    })
}

/// Four bytes of an address and two of a port, with commas.
fn octets(text: &str) -> Option<(IpAddr, u16)> {
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit() && c != ',')
        .next()?
        .split(',')
        .map(|number| number.parse::<u8>().ok());
    let [a, b, c, d, high, low] = std::array::from_fn(|_| numbers.next().flatten());
    Some((Ipv4Addr::new(a?, b?, c?, d?).into(), u16::from_be_bytes([high?, low?])))
}

/// `|1|10.0.0.1|4000|`, with any delimiter.
fn extended(text: &str) -> Option<(&str, u16)> {
    let delimiter = text.chars().next()?;
    let mut parts = text.split(delimiter).skip(2);
    let address = parts.next()?;
    Some((address, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_applayer::Transport;

    #[test]
    fn announcements() {
        let ends = Endpoints {
            client: Ipv4Addr::new(10, 0, 0, 1).into(),
            client_port: 1000,
            server: Ipv4Addr::new(10, 0, 0, 2).into(),
            server_port: 21,
            transport: Transport::Tcp,
        };
        type Case<'a> = (fn(&Endpoints, &[u8]) -> Option<Announced>, &'a str, Option<&'a str>);
        let cases: &[Case<'_>] = &[
            (ftp_data, "PORT 10,0,0,9,1,2\r\n", Some("10.0.0.9:258")),
            (ftp_data, "227 Entering Passive Mode (10,0,0,8,0,21).\r\n", Some("10.0.0.8:21")),
            (ftp_data, "229 Entering Extended Passive Mode (|||4000|)\r\n", Some("10.0.0.2:4000")),
            (ftp_data, "EPRT |2|::1|99|\r\n", Some("[::1]:99")),
            (ftp_data, "227 Entering Passive Mode (10,0,0,8,0)\r\n", None),
            (ftp_data, "PORT 10,0,0,300,1,2\r\n", None),
            (ftp_data, "229 (\r\n", None),
            (dcc_send, "PRIVMSG a :\x01DCC SEND f.txt 167772161 59130 12\x01\r\n", Some("10.0.0.1:59130")),
            (dcc_send, "PRIVMSG a :\x01DCC SEND f.txt 167772161 59130\x01\r\n", Some("10.0.0.1:59130")),
            (dcc_send, "PRIVMSG a :\x01DCC SEND f.txt 167772161 70000 12\x01\r\n", None),
        ];
        for (find, payload, expected) in cases {
            let found = find(&ends, payload.as_bytes()).map(|found| std::net::SocketAddr::from(found.server));
            assert_eq!(found.map(|found| found.to_string()).as_deref(), *expected, "{payload}");
        }
    }
}
