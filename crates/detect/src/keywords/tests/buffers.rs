//! Keywords on the payload, on buffers and on transactions.

use weir_applayer::{Anomaly, File, FileState, Transaction, TxMeta};
use weir_base::{Direction, Timestamp};

use super::{Exchange, compile_in, environment, holds_in, signature};
use crate::model::signature::{Target, ValueMatch};
use crate::model::transform::TransformScratch;

#[test]
fn payload_keywords() {
    let long = format!("AAAA{}", "B".repeat(20));
    let cases: &[(&str, &[u8], bool)] = &[
        ("content:\"ab\"; isdataat:!1,relative;", b"xab", true),
        ("content:\"ab\"; isdataat:!1,relative;", b"xabc", false),
        ("content:\"ab\"; isdataat:2,relative;", b"abcd", true),
        ("isdataat:3;", b"abc", false),
        ("isdataat:2;", b"abc", true),
        ("byte_test:2,>,0x0102,0;", b"\x01\x03", true),
        ("byte_test:2,>,0x0103,0;", b"\x01\x03", false),
        ("byte_test:2,!=,5,0;", b"\x00\x05", false),
        ("byte_test:2,=,0x0301,0,little;", b"\x01\x03", true),
        ("byte_test:1,!&,128,1;", b"\x00\x7f", true),
        ("byte_test:1,&,0x40,1;", b"\x00\x7f", true),
        ("content:\"n=\"; byte_test:3,=,123,0,relative,string,dec;", b"n=123", true),
        ("content:\"n=\"; byte_test:0,<,124,0,relative,string,dec;", b"n=123 x", true),
        ("content:\"n=\"; byte_test:2,=,0xff,0,relative,string,hex;", b"n=ff", true),
        ("byte_test:2,=,0x1,0,bitmask 0xff00;", b"\x01\x03", true),
        ("byte_test:8,=,0xffffffffffffffff,0;", &[0xff; 8], true),
        ("byte_jump:1,0; content:\"B\"; within:1;", b"\x02xxB", true),
        ("byte_jump:1,0; content:\"B\"; within:1;", b"\x03xxB", false),
        ("byte_jump:1,0,multiplier 2,post_offset -1; content:\"B\"; within:1;", b"\x02xxxB", true),
        ("byte_jump:0,0,from_end,post_offset -2; content:\"yz\"; within:2;", b"abcxyz", true),
        ("byte_jump:1,0,string,dec,from_beginning; content:\"b\"; within:1;", b"2abc", true),
        ("byte_extract:1,0,n; content:\"B\"; offset:n; depth:1;", b"\x02xB", true),
        ("byte_extract:1,0,n; isdataat:n;", b"\x02x", false),
        ("byte_extract:1,0,n; byte_test:1,=,n,1;", b"\x02\x02", true),
        ("byte_extract:1,0,n,align 4,multiplier 3; isdataat:!n;", b"\x02abc", true),
        ("byte_math:bytes 1, offset 0, oper +, rvalue 1, result n; byte_test:1,=,n,1;", b"\x02\x03", true),
        ("byte_math:bytes 1,offset 0,oper <<,rvalue 1,result n; byte_test:1,=,n,1;", b"\x02\x03", false),
        (
            "byte_extract:1,0,a; byte_math:bytes 1,offset 1,oper *,rvalue a,result n; isdataat:n;",
            b"\x02\x01x",
            true,
        ),
        ("pcre:\"/^a.c$/i\";", b"ABC", true),
        ("pcre:\"/^a.c$/\";", b"ABC", false),
        ("pcre:!\"/b/\";", b"abc", false),
        ("content:\"a\"; pcre:\"/^b/R\";", b"xab", true),
        ("content:\"a\"; pcre:\"/^b/R\";", b"xacb", false),
        ("pcre:\"/a\\/b/\";", b"a/b", true),
        ("pcre:\"//\";", b"a/b", true),
        ("asn1:oversize_length 200;", b"\x30\x81\xc9", true),
        ("asn1:oversize_length 201;", b"\x30\x81\xc9", false),
        ("asn1:oversize_length 4;", b"\x30\x04\x02\x05ab", true),
        ("asn1:oversize_length 4;", b"\x04\x01\xff\x02\x05ab", true),
        ("asn1:oversize_length 4;", b"\x04\x03\xff\x02\x05", false),
        ("asn1:oversize_length 4, absolute_offset 2;", b"xx\x04\x05", true),
        ("content:\"xx\"; asn1:oversize_length 4, relative_offset 1;", b"axxb\x04\x05", true),
        ("content:\"xx\"; asn1:oversize_length 4, relative_offset 0;", b"axxb\x04\x05", false),
        ("asn1:bitstring_overflow;", b"\x03\x01\x07", true),
        ("asn1:bitstring_overflow;", b"\x03\x02\x07\x80", false),
        ("asn1:double_overflow;", b"\x09\x82\x01\x01\x031.5", true),
        ("asn1:double_overflow;", b"\x09\x82\x01\x01\x801.5", false),
        ("asn1:double_overflow, oversize_length 9;", b"\x1f\x81", false),
        ("asn1:oversize_length 9;", b"\x30\x80\x04\x0a", true),
        ("pcre:\"/(a)(b)/, flow:first, pkt:x/y\";", b"ab", true),
        ("entropy:value 0;", b"aaaa", true),
        ("entropy:value > 1;", b"aaaa", false),
        (
            "content:\"d=\"; base64_decode:bytes 8, relative; base64_data; content:\"test\";",
            b"d=dGVzdA==",
            true,
        ),
        ("base64_decode:offset 2; base64_data; content:\"test\"; startswith;", b"d=dGVzdA==", true),
        ("base64_decode:offset 1; base64_data; content:\"test\";", b"d=dGVzdA==", false),
        ("content:\"AAAA\"; content:\"B\"; prefilter;", long.as_bytes(), true),
    ];
    for (options, payload, expected) in cases {
        let signature = signature(options);
        let shown = String::from_utf8_lossy(payload);
        assert_eq!(holds_in(&signature.checks.payload, payload), *expected, "{options} {shown}");
    }
}

#[test]
fn checks_go_to_buffers() {
    // The buffer that is found, and whether its checks hold in a text.
    for (options, buffer, text, expected) in [
        ("http.uri; content:\"/a\"; bsize:2;", "http.uri", "/a", true),
        ("http.uri; content:\"/a\"; bsize:<4;", "http.uri", "/abc", false),
        ("urilen:3<>7;", "http.uri", "/abc", true),
        ("urilen:4,norm;", "http.uri", "/abc", true),
        ("urilen:>4,raw;", "http.uri.raw", "/abc", false),
        ("content:\"x\"; pcre:\"/^.a/U\";", "http.uri", "/a", true),
        ("http.uri; pcre:\"/^.a/U\";", "http.uri", "/b", false),
        ("uricontent:\"/A\"; nocase;", "http.uri", "/abc", true),
        ("content:\"x\"; uricontent:!\"/a\";", "http.uri", "/abc", false),
        ("filename:\"Invoice\";", "file.name", "my-invoice.doc", true),
        ("fileext:\"pdf\";", "file.name", "a.PDF", true),
        ("fileext:\"pd\";", "file.name", "a.pdf", false),
        ("fileext:!\"pdf\";", "file.name", "a.doc", true),
        ("filemagic:\"PDF\";", "file.magic", "pdf document, version 1.5", true),
        ("filemagic:\"PDF\";", "file.magic", "PNG image data", false),
        ("filemagic:!\"version 1.6\";", "file.magic", "PDF document, version 1.5", true),
        ("file.magic; content:\"PDF\";", "file.magic", "pdf document", false),
    ] {
        let signature = signature(options);
        let found =
            signature.checks.buffers.iter().find(|b| b.name == buffer).unwrap_or_else(|| panic!("{options}"));
        assert_eq!(holds_in(&found.checks, text.as_bytes()), expected, "{options}");
    }
    let back = signature("http.uri; content:\"a\"; pkt_data; content:\"b\";");
    assert_eq!((back.checks.buffers.len(), back.checks.payload.len()), (1, 1));
}

#[test]
fn transforms_change_buffers() {
    for (options, input, expected) in [
        ("to_lowercase;", "AbC", "abc"),
        ("strip_whitespace; to_uppercase;", "a b", "AB"),
        ("dotprefix;", "a.b", ".a.b"),
        ("xor:\"20\";", "ABC", "abc"),
        ("from_base64:offset 2;", "d=dGVzdA==", "test"),
        ("from_base64:bytes 4, mode strict;", "dGVzdA==", "tes"),
        ("from_base64;", "*", "*"),
        ("subslice:1,2;", "abcd", "bc"),
        ("pcrexform:\"b(.)\";", "abcd", "c"),
        ("url_decode;", "a%20b", "a b"),
    ] {
        let signature = signature(&format!("http.uri; {options} content:\"1\";"));
        let (mut output, mut scratch) = (Vec::new(), TransformScratch::default());
        let transforms = &signature.checks.buffers[0].transforms;
        crate::model::transform::apply_all(transforms, input.as_bytes(), &mut output, &mut scratch);
        assert_eq!(String::from_utf8_lossy(&output), expected, "{options}");
    }
}

/// Whether the value tests of a rule hold of a transaction.
fn values_hold(options: &str, exchange: &Exchange) -> bool {
    signature(options).checks.buffers.iter().all(|buffer| match (&buffer.target, &buffer.value) {
        (Target::Transaction(rows), Some(ValueMatch::Check(check))) => {
            !rows.is_empty() && check.matches(exchange, Direction::ToClient)
        }
        _ => false,
    })
}

#[test]
fn checks_on_transactions() {
    let settings = weir_applayer::file::FileSettings::default();
    let file = |size: usize, state| {
        let mut file = File::open(0, b"a.pdf".to_vec(), Direction::ToClient, Timestamp::default(), &settings);
        file.append(&vec![b'a'; size], Timestamp::default());
        file.close(state);
        file
    };
    let with =
        |file| Exchange { meta: TxMeta { files: vec![file], ..TxMeta::default() }, ..Exchange::default() };
    let mut odd = Exchange::default();
    odd.meta_mut().anomaly(Anomaly(1));
    for (options, exchange, expected) in [
        ("app-layer-event:http.second;", &odd, true),
        ("app-layer-event:http1.first;", &odd, false),
        ("filesize:100;", &with(file(100, FileState::Closed)), true),
        ("filesize:>1kb;", &with(file(100, FileState::Closed)), false),
        ("filesize:>50;", &with(file(100, FileState::Truncated)), true),
        ("filesize:100;", &with(file(100, FileState::Truncated)), false),
        ("filesize:>50;", &with(file(100, FileState::Open)), false),
        ("filesize:>0;", &Exchange::default(), false),
    ] {
        assert_eq!(values_hold(options, exchange), expected, "{options}");
    }
}

#[test]
fn directions_of_buffers() {
    use Direction::{ToClient, ToServer};
    let answer = "file.data:to_client; content:\"a\";";
    for (options, expected) in [
        (format!("{answer} http.uri; content:\"b\";"), Ok(Some(ToClient))),
        (format!("file.data:to_server; to_lowercase; content:\"a\"; {answer}"), Ok(Some(ToServer))),
        ("filesize:to_client, >5; http.uri; content:\"b\";".to_owned(), Ok(Some(ToClient))),
        (answer.to_owned(), Err("rule 1 should use both directions, but does not")),
        ("http.uri; content:\"b\";".to_owned(), Err("rule 1 should use both directions, but does not")),
        ("content:\"b\";".to_owned(), Err("rule 1 should use both directions, but does not")),
        (
            format!("{answer} http.uri; content:\"b\"; filesize:>5;"),
            Err("rule 1 means to use both directions, cannot have keywords ambiguous about directions"),
        ),
        (
            format!("flow:to_server; {answer} http.uri; content:\"b\";"),
            Err("rule 1 means to use both directions, cannot specify a flow direction"),
        ),
    ] {
        let compiled = compile_in(&environment(), "http any any => any any", &options);
        let found = compiled
            .map(|c| c.signature.checks.buffers[0].direction)
            .map_err(|f| f.diagnostic.message.clone());
        assert_eq!(found, expected.map_err(str::to_owned), "{options}");
    }
    // The same buffer of both directions is two buffers.
    let options = "file.data:to_client; content:\"a\"; file.data:to_server; content:\"b\";";
    let compiled = compile_in(&environment(), "http any any => any any", options).unwrap();
    assert_eq!(compiled.signature.checks.buffers.len(), 2);
}
