//! Connections that others announce: files sent over IRC.

use std::net::Ipv4Addr;

use weir_applayer::zeek::Announced;

/// A file that is sent from client to client (CTCP's `DCC SEND`).
pub(super) fn dcc_send(payload: &[u8]) -> Option<Announced> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements() {
        let cases = [
            ("PRIVMSG a :\x01DCC SEND f.txt 167772161 59130 12\x01\r\n", Some("10.0.0.1:59130")),
            ("PRIVMSG a :\x01DCC SEND f.txt 167772161 59130\x01\r\n", Some("10.0.0.1:59130")),
            ("PRIVMSG a :\x01DCC SEND f.txt 167772161 70000 12\x01\r\n", None),
        ];
        for (payload, expected) in cases {
            let found = dcc_send(payload.as_bytes()).map(|found| std::net::SocketAddr::from(found.server));
            assert_eq!(found.map(|found| found.to_string()).as_deref(), expected, "{payload}");
        }
    }
}
