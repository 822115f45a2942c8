//! The internet key exchange.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "ike.chosen_sa_attribute",
        "ike",
        "ike.chosen_sa_attribute:alg_hash=2;",
        "ike.chosen_sa_attribute:alg_enc=2;",
        "ike.chosen_sa_attribute:hash=2;",
    ),
    row("ike.exchtype", "ike", "ike.exchtype:2;", "ike.exchtype:>2;", "ike.exchtype:256;"),
    row(
        "ike.init_spi",
        "ike",
        "ike.init_spi; content:\"0102030405060708\"; bsize:16;",
        "ike.init_spi; content:\"1112\"; startswith;",
        "ike.init_spi:1;",
    ),
    row(
        "ike.key_exchange_payload",
        "ike",
        "ike.key_exchange_payload; content:\"public\"; bsize:6;",
        "ike.key_exchange_payload; content:\"nonce\";",
        "ike.key_exchange_payload:public;",
    ),
    row(
        "ike.key_exchange_payload_length",
        "ike",
        "ike.key_exchange_payload_length:6;",
        "ike.key_exchange_payload_length:<6;",
        "ike.key_exchange_payload_length:long;",
    ),
    row(
        "ike.nonce_payload",
        "ike",
        "ike.nonce_payload; content:\"nonce\"; bsize:5;",
        "ike.nonce_payload; content:\"public\";",
        "ike.nonce_payload:nonce;",
    ),
    row(
        "ike.nonce_payload_length",
        "ike",
        "ike.nonce_payload_length:<6;",
        "ike.nonce_payload_length:>5;",
        "ike.nonce_payload_length;",
    ),
    row(
        "ike.resp_spi",
        "ike",
        "ike.resp_spi; content:\"1112131415161718\"; bsize:16;",
        "ike.resp_spi; content:\"0102\"; startswith;",
        "ike.resp_spi:1;",
    ),
    row(
        "ike.vendor",
        "ike",
        "ike.vendor; content:\"deadbeef\"; bsize:8;",
        "ike.vendor; content:\"DEADBEEF\";",
        "ike.vendor:1;",
    ),
];
