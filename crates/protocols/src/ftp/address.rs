//! Where data goes: the arguments of `PORT` and `EPRT`, and the answers to `PASV` and `EPSV` (RFC 959 4.1.2,
//! RFC 2428).

use std::net::{IpAddr, Ipv4Addr};

/// Four bytes of an address and two of a port, with commas: `10,0,0,1,4,1`.
pub fn port(argument: &[u8]) -> Option<(IpAddr, u16)> {
    let text = std::str::from_utf8(argument).ok()?;
    let mut numbers = text.trim().split(',').map(|number| number.parse::<u8>().ok());
    let [a, b, c, d, high, low] = std::array::from_fn(|_| numbers.next().flatten());
    Some((Ipv4Addr::new(a?, b?, c?, d?).into(), u16::from_be_bytes([high?, low?])))
}

/// `|1|10.0.0.1|4000|`, with any delimiter; the parts before the port may be empty.
pub fn extended(argument: &[u8]) -> Option<(Option<IpAddr>, u16)> {
    let text = std::str::from_utf8(argument).ok()?.trim();
    let delimiter = text.chars().next()?;
    let mut parts = text.split(delimiter).skip(2);
    let address = parts.next()?.parse().ok();
    Some((address, parts.next()?.parse().ok()?))
}

/// The host and port in the answer to `PASV`: `Entering Passive Mode (10,0,0,1,4,1).`
pub fn passive(text: &[u8]) -> Option<(IpAddr, u16)> {
    let start = text.iter().position(u8::is_ascii_digit)?;
    let rest = text.get(start..)?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b',').unwrap_or(rest.len());
    port(rest.get(..end)?)
}

/// The port in the answer to `EPSV`: `Entering Extended Passive Mode (|||4000|)`.
pub fn extended_passive(text: &[u8]) -> Option<u16> {
    let start = text.iter().position(|byte| *byte == b'(')?;
    extended(text.get(start + 1..)?).map(|(_, port)| port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let cases: &[(&str, Option<&str>)] = &[
            ("10,0,0,9,1,2", Some("10.0.0.9:258")),
            (" 10,0,0,9,1,2 ", Some("10.0.0.9:258")),
            ("10,0,0,300,1,2", None),
            ("10,0,0,9,1", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let found = port(text.as_bytes()).map(|(address, port)| format!("{address}:{port}"));
            assert_eq!(found.as_deref(), *expected, "{text}");
        }
        type Extended<'a> = (&'a str, Option<(Option<&'a str>, u16)>);
        let cases: &[Extended<'_>] = &[
            ("|2|::1|99|", Some((Some("::1"), 99))),
            ("!1!10.0.0.1!99!", Some((Some("10.0.0.1"), 99))),
            ("|||4000|", Some((None, 4000))),
            ("|1|10.0.0.1|x|", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let found = extended(text.as_bytes());
            let expected = expected.map(|(address, port)| (address.map(|a| a.parse().unwrap()), port));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn answers() {
        fn passive_port(text: &[u8]) -> Option<u16> {
            passive(text).map(|(_, port)| port)
        }
        type Case<'a> = (fn(&[u8]) -> Option<u16>, &'a str, Option<u16>);
        let cases: &[Case<'_>] = &[
            (passive_port, "Entering Passive Mode (10,0,0,8,0,21).", Some(21)),
            (passive_port, "=10,0,0,8,0,21", Some(21)),
            (passive_port, "Entering Passive Mode (10,0,0,8,0)", None),
            (extended_passive, "Entering Extended Passive Mode (|||4000|)", Some(4000)),
            (extended_passive, "Entering Extended Passive Mode (", None),
        ];
        for (read, text, expected) in cases {
            assert_eq!(read(text.as_bytes()), *expected, "{text}");
        }
    }
}
