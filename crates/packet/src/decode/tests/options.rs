//! Options of IPv4 and TCP.

use super::*;
use crate::header::{Ip, Ipv4Options};
use weir_testkit::Frame;

type O = Ipv4Options;

/// Options, events, whether the packet is invalid, options seen.
pub(super) const IPV4_OPTIONS: &[(&str, &[&str], bool, u16)] = &[
    ("01010101 01010100", &[], false, O::NOP | O::EOL),
    ("01010100", &["ipv4.opt_pad_required"], false, O::NOP | O::EOL),
    ("94040000 01010100", &[], false, O::RTRALT | O::NOP | O::EOL),
    ("94040000 94040000", &["ipv4.opt_duplicate"], false, O::RTRALT),
    ("94030000 01010100", &["ipv4.opt_invalid_len"], true, O::EOL),
    ("82020000 01010100", &["ipv4.opt_invalid_len"], true, O::EOL),
    // A wrong length inside, then one that runs past the header.
    (
        "8202f135 0000dead beef0000",
        &["ipv4.opt_pad_required", "ipv4.opt_invalid_len", "ipv4.opt_invalid_len"],
        true,
        0,
    ),
    ("01010101 01010107", &["ipv4.opt_eol_required"], true, O::NOP),
    ("07010000 01010100", &["ipv4.opt_invalid_len"], true, 0),
    ("07070400 00000000", &[], false, O::RR | O::EOL),
    ("83070400 00000000", &[], false, O::LSRR | O::EOL),
    ("89070800 00000000", &[], false, O::SSRR | O::EOL),
    ("07070500 00000000", &["ipv4.opt_malformed"], true, O::EOL),
    ("07070c00 00000000", &["ipv4.opt_malformed"], true, O::EOL),
    ("44080500 00000000", &[], false, O::TS),
    ("44080700 00000000", &["ipv4.opt_malformed"], true, 0),
    ("440c0501 00000000 00000000 00000000", &[], false, O::TS | O::EOL),
    ("440c0901 00000000 00000000 00000000", &["ipv4.opt_malformed"], true, O::EOL),
    ("19080000 00000000", &[], false, O::QS),
    ("88040000 00000000", &[], false, O::SATID | O::EOL),
    ("85030000 00000000", &[], false, O::ESEC | O::EOL),
    ("860a0000 00010104 00000000 00000000", &[], false, O::CIPSO | O::EOL),
    ("860a0000 00010104 ff000000 00000000", &["ipv4.opt_malformed"], true, O::EOL),
    ("860a0000 00010904 00000000 00000000", &["ipv4.opt_malformed"], true, O::EOL),
    ("990400ff 00000000", &["ipv4.opt_invalid"], true, O::EOL),
];

#[test]
fn ipv4_options() {
    for (options, expected, invalid, seen) in IPV4_OPTIONS {
        let bytes = Frame::bare()
            .ipv4("10.0.0.1", "10.0.0.2")
            .ip_options(&hex(options))
            .udp(1, 2)
            .payload(b"x")
            .build();
        let (list, _) = decoded(LinkType::RAW, &bytes);
        let packet = list.outer().unwrap();
        let Some(Ip::V4(ip)) = packet.ip else { panic!("no IPv4") };
        assert_eq!((events(packet).as_slice(), packet.invalid), (*expected, *invalid), "{options}");
        assert_eq!(ip.options.0, *seen, "{options}");
        assert_eq!(packet.payload, b"x", "reading goes on after damaged options");
    }
}

/// Options, events, whether the packet is invalid.
pub(super) const TCP_OPTIONS: &[(&str, &[&str], bool)] = &[
    ("020405b4", &[], false),
    ("020405b4 020405b4", &["tcp.opt_duplicate"], false),
    ("0203050101010101", &["tcp.opt_invalid_len"], false),
    ("0201 0101", &["tcp.opt_invalid_len"], true),
    ("02ff 0101", &["tcp.opt_invalid_len"], true),
    ("01010102", &[], false),
    ("03030e 00", &[], false),
    ("0304 0e00", &["tcp.opt_invalid_len"], false),
    ("0402 0402", &["tcp.opt_duplicate"], false),
    ("050a 00000001 00000002 0000", &[], false),
    ("0504 0001", &["tcp.opt_invalid_len"], false),
    ("080a 00000001 00000002 0101", &[], false),
    ("2202 0101", &[], false),
    ("2206 01020304 0000", &[], false),
    ("2205 010203 000000", &["tcp.opt_invalid_len"], false),
    ("fd04f989", &[], false),
    ("1304 0000", &["tcp.opt_invalid_len"], false),
    ("1d03 00 01", &["tcp.opt_invalid_len"], false),
    ("4504 0000", &[], false),
];

#[test]
fn tcp_options() {
    for (options, expected, invalid) in TCP_OPTIONS {
        let bytes = Frame::bare()
            .ipv4("10.0.0.1", "10.0.0.2")
            .tcp(1, 2)
            .tcp_options(&hex(options))
            .payload(b"x")
            .build();
        let (list, _) = decoded(LinkType::RAW, &bytes);
        let packet = list.outer().unwrap();
        assert_eq!((events(packet).as_slice(), packet.invalid), (*expected, *invalid), "{options}");
        assert_eq!(packet.payload, b"x");
    }
}

#[test]
fn fast_open_and_sack_values() {
    let bytes = Frame::bare()
        .ipv4("10.0.0.1", "10.0.0.2")
        .tcp(1, 2)
        .tcp_options(&hex("2206 01020304 050a 00000001 00000002"))
        .build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let options = list.outer().unwrap().tcp().unwrap().options;
    assert_eq!(options.fast_open, Some(&[1, 2, 3, 4][..]));
    assert_eq!(options.sack, [0, 0, 0, 1, 0, 0, 0, 2]);
}
