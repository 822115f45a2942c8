//! Community ids, version 1: <https://github.com/corelight/community-id-spec>.

use std::net::IpAddr;

use arrow::datatypes::DataType;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use datafusion::logical_expr::ScalarUDF;
use sha1::{Digest, Sha1};

use super::{Arguments, function};

/// The function.
pub(super) fn functions() -> Vec<ScalarUDF> {
    let (text, number) = (|| DataType::Utf8, || DataType::Int64);
    vec![function(
        "community_id",
        vec![text(), number(), text(), number(), text()],
        DataType::Utf8,
        |arguments| arguments.texts(|row| of_row(arguments, row)),
    )]
}

fn of_row(arguments: &Arguments, row: usize) -> Option<String> {
    let end = |column| {
        let address: IpAddr = arguments.text(column, row)?.parse().ok()?;
        Some((address, u16::try_from(arguments.number(column + 1, row)?).ok()?))
    };
    community_id(end(0)?, end(2)?, protocol(arguments.text(4, row)?)?)
}

/// The number of a protocol of IP by its name or by its digits.
fn protocol(name: &str) -> Option<u8> {
    Some(match name.to_ascii_lowercase().as_str() {
        "icmp" => 1,
        "tcp" => 6,
        "udp" => 17,
        "icmp6" | "ipv6-icmp" => 58,
        "sctp" => 132,
        other => other.parse().ok()?,
    })
}

/// The answer to a message of ICMP or ICMPv6, where there is one.
fn answer(protocol: u8, kind: u16) -> Option<u16> {
    const PAIRS: [(u8, u16, u16); 9] = [
        (1, 8, 0),
        (1, 13, 14),
        (1, 15, 16),
        (1, 17, 18),
        (1, 10, 9),
        (58, 128, 129),
        (58, 133, 134),
        (58, 135, 136),
        (58, 139, 140),
    ];
    let other = |(of, asks, says): &(u8, u16, u16)| {
        (*of == protocol).then_some(())?;
        if *asks == kind { Some(*says) } else { (*says == kind).then_some(*asks) }
    };
    PAIRS.iter().find_map(other)
}

/// Ends are addresses with ports; for ICMP type and code of the message stand for the ports.
fn community_id(mut source: (IpAddr, u16), mut destination: (IpAddr, u16), protocol: u8) -> Option<String> {
    if source.0.is_ipv4() != destination.0.is_ipv4() {
        return None;
    }
    let mut one_way = false;
    if matches!(protocol, 1 | 58) {
        match answer(protocol, source.1) {
            Some(answer) => destination.1 = answer,
            None => one_way = true,
        }
    }
    if !one_way && source > destination {
        std::mem::swap(&mut source, &mut destination);
    }
    let octets = |address: IpAddr| match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    };
    let mut hash = Sha1::new();
    hash.update(0_u16.to_be_bytes());
    hash.update(octets(source.0));
    hash.update(octets(destination.0));
    hash.update([protocol, 0]);
    if matches!(protocol, 1 | 6 | 17 | 58 | 132) {
        hash.update(source.1.to_be_bytes());
        hash.update(destination.1.to_be_bytes());
    }
    Some(format!("1:{}", STANDARD.encode(hash.finalize())))
}

#[cfg(test)]
mod tests {
    use super::super::tests::value;

    /// From the baseline of the specification.
    #[test]
    fn ids() {
        let cases = [
            ("'128.232.110.120', 34855, '66.35.250.204', 80, 'tcp'", "1:LQU9qZlK+B5F3KDmev6m5PMibrg="),
            ("'66.35.250.204', 80, '128.232.110.120', 34855, '6'", "1:LQU9qZlK+B5F3KDmev6m5PMibrg="),
            ("'192.168.1.52', 54585, '8.8.8.8', 53, 'UDP'", "1:d/FP5EW3wiY1vCndhwleRRKHowQ="),
            ("'192.168.0.89', 8, '192.168.0.1', 0, 'icmp'", "1:X0snYXpgwiv9TZtqg64sgzUn6Dk="),
            ("'fe80::1', 1, '1.2.3.4', 2, 'tcp'", ""),
            ("'1.2.3.4', 70000, '1.2.3.4', 2, 'tcp'", ""),
        ];
        for (arguments, expected) in cases {
            assert_eq!(value(&format!("community_id({arguments})")), expected, "{arguments}");
        }
    }
}
