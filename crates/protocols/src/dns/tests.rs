//! Messages built here, through the parser, to fields, EVE records and Zeek rows.

use weir_applayer::zeek::Script;
use weir_applayer::{NoOptions, Outcome, Progress, Transport};
use weir_base::Direction;

use super::message::tests::{build, record};
use super::transaction::COMPLETE;
use super::zeek::WATCH;
use super::{DNS, rdata::types};
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces, watched};

const NAME: &[u8] = b"\x03WWW\x04zeek\x03org\0";

fn open(transport: Transport) -> Conversation {
    Conversation::over(transport, &DNS, &NoOptions)
}

fn request() -> Vec<u8> {
    build(7, 0x0100, NAME, types::A, [&[], &[], &[]])
}

fn response() -> Vec<u8> {
    let answers = [record(types::CNAME, 60, b"\x03web\xc0\x10"), record(types::A, 60, &[192, 0, 2, 1])];
    let soa = [&b"\x02ns\xc0\x10\x04root\xc0\x10"[..], &[0, 0, 0, 1].repeat(5)].concat();
    let options = record(types::OPT, 0, &[0, 10, 0, 2, 0xab, 0xcd]);
    build(7, 0x8180, NAME, types::A, [&answers, &[record(types::SOA, 9, &soa)], &[options]])
}

fn talk(messages: &[(Direction, Vec<u8>)]) -> Conversation {
    let mut conversation = open(Transport::Udp);
    conversation.talk(messages);
    conversation
}

fn exchange() -> Conversation {
    talk(&[(UP, request()), (DOWN, response())])
}

#[test]
fn request_and_response_are_transactions_of_their_own() {
    let mut exchange = exchange();
    assert_eq!(exchange.parser.created(), 2);
    for (id, direction) in [(0, UP), (1, DOWN)] {
        let meta = exchange.parser.transaction(id).unwrap().meta();
        assert_eq!(meta.only, Some(direction));
        assert_eq!(meta.progress[direction], COMPLETE);
        assert_eq!(DNS.complete(direction), COMPLETE);
        assert!(meta.updated[direction] && !meta.updated[direction.opposite()]);
    }
    exchange.parser.free(0);
    assert_eq!(exchange.parser.next_from(0).map(|tx| tx.meta().id), Some(1));
}

#[test]
fn the_answer_to_a_silenced_question_is_silent() {
    for (silenced, id) in [(true, 0), (false, 1)] {
        let mut conversation = open(Transport::Udp);
        conversation.push(UP, &request());
        conversation.parser.silenced(id);
        conversation.push(DOWN, &response());
        conversation.push(DOWN, &response());
        let silent = |id| conversation.transaction(id).meta().silent;
        assert_eq!((silent(1), silent(2)), (silenced, false));
    }
}

#[test]
fn eve_version_3() {
    let exchange = exchange();
    let expected_request = serde_json::json!({
        "version": 3, "type": "request", "tx_id": 0, "id": 7, "flags": "100", "rd": true, "opcode": 0,
        "rcode": "NOERROR", "queries": [{"rrname": "WWW.zeek.org", "rrtype": "A"}],
    });
    assert_eq!(exchange.eve(0, &NoOptions), Some(expected_request));
    let soa = serde_json::json!({
        "mname": "ns.zeek.org", "rname": "root.zeek.org", "serial": 1, "refresh": 1, "retry": 1,
        "expire": 1, "minimum": 1,
    });
    let expected_response = serde_json::json!({
        "version": 3, "type": "response", "tx_id": 1, "id": 7, "flags": "8180", "qr": true, "rd": true,
        "ra": true, "opcode": 0, "rcode": "NOERROR",
        "queries": [{"rrname": "WWW.zeek.org", "rrtype": "A"}],
        "answers": [
            {"rrname": "WWW.zeek.org", "rrtype": "CNAME", "ttl": 60, "rdata": "web.zeek.org"},
            {"rrname": "WWW.zeek.org", "rrtype": "A", "ttl": 60, "rdata": "192.0.2.1"},
        ],
        "grouped": {"CNAME": ["web.zeek.org"], "A": ["192.0.2.1"]},
        "authorities": [{"rrname": "WWW.zeek.org", "rrtype": "SOA", "ttl": 9, "soa": soa}],
        "additionals": [
            {"rrname": "WWW.zeek.org", "rrtype": "OPT", "ttl": 0, "opt": [{"code": 10, "data": "abcd"}]},
        ],
    });
    assert_eq!(exchange.eve(1, &NoOptions), Some(expected_response));
}

#[test]
fn data_of_answers() {
    let address = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    let text = "2001:0db8:0000:0000:0000:0000:0000:0001";
    let cases: &[(u16, &[u8], serde_json::Value, serde_json::Value)] = &[
        (
            types::AAAA,
            &address,
            serde_json::json!({"rrtype": "AAAA", "rdata": text}),
            serde_json::json!({"AAAA": [text]}),
        ),
        (types::A, b"", serde_json::json!({"rrtype": "A", "rdata": ""}), serde_json::json!({"A": [""]})),
        (types::CAA, b"\0\x01ab", serde_json::json!({"rrtype": "257"}), serde_json::json!({})),
        (types::DS, b"\0\x01\x02\x03", serde_json::json!({"rrtype": "DS"}), serde_json::json!({})),
    ];
    for (rrtype, data, expected, grouped) in cases {
        let bytes = build(7, 0x8180, b"\x01a\0", *rrtype, [&[record(*rrtype, 60, data)], &[], &[]]);
        let exchange = talk(&[(DOWN, bytes)]);
        let shown = exchange.eve(0, &NoOptions).unwrap();
        let mut answer = shown["answers"][0].clone();
        assert_eq!((answer["rrname"].take(), answer["ttl"].take()), ("a".into(), 60.into()));
        for key in ["rrtype", "rdata"] {
            assert_eq!(answer.get(key), expected.get(key), "{rrtype} {key}");
        }
        assert_eq!(&shown["grouped"], grouped, "{rrtype}");
    }
}

#[test]
fn eve_settings() {
    let exchange = exchange();
    type Case = (&'static [(&'static str, &'static str)], [bool; 2]);
    let cases: [Case; 5] = [
        (&[("requests", "no")], [false, true]),
        (&[("responses", "no")], [true, false]),
        (&[("types.0", "aaaa")], [false, false]),
        (&[("types.0", "aaaa"), ("types.1", "a")], [true, true]),
        (&[("version", "2")], [true, true]),
    ];
    for (settings, logged) in cases {
        assert_eq!([0, 1].map(|id| exchange.eve(id, &Settings(settings)).is_some()), logged, "{settings:?}");
    }
    let grouped = Settings(&[("version", "2"), ("formats.0", "grouped")]);
    let answer = exchange.eve(1, &grouped).unwrap();
    assert_eq!((&answer["type"], &answer["rrname"]), (&"answer".into(), &"WWW.zeek.org".into()));
    assert_eq!((answer.get("answers"), &answer["grouped"]["A"][0]), (None, &"192.0.2.1".into()));
    assert_eq!(exchange.eve(0, &grouped).unwrap()["type"], "query");
}

#[test]
fn fields_of_both_directions() {
    let exchange = exchange();
    let (up, down) = (UP, DOWN);
    let www = "WWW.zeek.org";
    let cases: [(&str, u64, Direction, &[&str]); 10] = [
        ("dns_query", 0, up, &[www]),
        ("dns.query.name", 1, down, &[www]),
        ("dns.answers.rrname", 0, up, &[]),
        ("dns.answer.name", 1, down, &[www, www]),
        ("dns.authorities.rrname", 1, down, &[www]),
        ("dns.additionals.rrname", 1, down, &[www]),
        ("dns.response.rrname", 1, down, &[www, www, "web.zeek.org", www, www, www, "ns.zeek.org", www, www]),
        ("dns.rrtype", 0, up, &["1"]),
        ("dns.rrtype", 1, down, &["5", "1"]),
        ("dns.rcode", 1, down, &["0"]),
    ];
    for (name, id, direction, expected) in cases {
        assert_eq!(exchange.values(id, name, direction), expected, "{name}");
    }
}

#[test]
fn anomalies_by_name() {
    let (up, down) = (UP, DOWN);
    let with = |flags: u16| build(1, flags, NAME, 1, [&[], &[], &[]]);
    let looped = build(1, 0, b"\x01a\xc0\x0c", 1, [&[], &[], &[]]);
    let long = [&[63][..], &[b'a'; 63]].concat().repeat(17);
    let long = build(1, 0, &[&long[..], b"\0"].concat(), 1, [&[], &[], &[]]);
    let labels = build(1, 0, &[&b"\x01a".repeat(256)[..], b"\0"].concat(), 1, [&[], &[], &[]]);
    let answer = [record(1, 1, &[1, 2, 3, 4])];
    let cut = |sections, bytes: usize| {
        let whole = build(1, 0x8000, NAME, 1, sections);
        whole[..whole.len() - bytes].to_vec()
    };
    // An option of three bytes that says it has eight.
    let options = [&[0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 7, 0, 8, 0, 8, 1, 2, 3][..]].concat();
    let short = build(1, 0x0100, b"\x01a\0", 1, [&[], &[], &[options]]);
    let cases: [(Direction, Vec<u8>, &[&str]); 13] = [
        (up, short, &["invalid_additionals"]),
        (up, with(0x0100), &[]),
        (up, with(0x8000), &["not_request"]),
        (down, with(0x0000), &["not_response"]),
        (up, with(0x0040), &["z_flag_set"]),
        (up, with(9 << 11), &["invalid_opcode"]),
        (up, with(4 << 11), &[]),
        (up, looped, &["infinite_loop"]),
        (up, long, &["name_too_long"]),
        (up, labels, &["too_many_labels"]),
        (down, cut([&answer, &[], &[]], 1), &["malformed_data"]),
        (down, cut([&answer, &answer, &[]], 1), &["invalid_authorities"]),
        (down, cut([&answer, &[], &answer], 1), &["invalid_additionals"]),
    ];
    for (direction, bytes, expected) in cases {
        let mut conversation = open(Transport::Udp);
        assert_eq!(conversation.push(direction, &bytes), Outcome::Ok);
        let found = conversation.ids().last().map(|&id| conversation.anomalies(id));
        assert_eq!(found.unwrap_or_default(), expected, "{bytes:?}");
    }
}

fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u16).to_be_bytes()[..], message].concat()
}

#[test]
fn any_segmentation_gives_the_same_messages() {
    let stream = [framed(&request()), vec![0, 0], framed(&request()), framed(&request())].concat();
    let whole = same_in_any_pieces(|| open(Transport::Tcp), &[(UP, stream), (DOWN, framed(&response()))]);
    assert_eq!((whole.outcome, whole.parser.created()), (Outcome::Ok, 4));
}

#[test]
fn a_stream_goes_on_behind_a_gap() {
    let mut conversation = open(Transport::Tcp);
    assert_eq!(conversation.gap(UP, 10), Outcome::Ok);
    conversation.push(UP, b"the end of something else");
    assert_eq!(conversation.parser.created(), 0);
    conversation.push(UP, &framed(&request()));
    assert_eq!(conversation.parser.created(), 1);
    assert_eq!(conversation.push(UP, b"\0\x02ab"), Outcome::Error);
}

fn zeek_rows(messages: &[(Direction, Vec<u8>)]) -> Vec<String> {
    let mut conversation = open(Transport::Udp);
    conversation.as_zeek = true;
    conversation.talk(messages);
    conversation.zeek().lines.clone()
}

#[test]
fn zeek_pairs_replies_with_queries() {
    let (up, down) = (UP, DOWN);
    let class = "qclass=1 qclass_name=C_INTERNET qtype=1 qtype_name=A";
    let query = build(8, 0x0100, NAME, types::A, [&[], &[], &[]]);
    let refused = build(7, 0x8185, NAME, types::A, [&[], &[], &[]]);
    let rows = zeek_rows(&[
        (up, request()),
        (up, query),
        (down, response()),
        (down, response()),
        (up, request()),
        (down, refused),
    ]);
    let expected = [
        "service dns".to_owned(),
        format!(
            "dns 1: proto=udp trans_id=7 rtt=2 query=www.zeek.org {class} rcode=0 rcode_name=NOERROR AA=F TC=F RD=T RA=T Z=0 \
             answers=web.zeek.org,192.0.2.1 TTLs=60,60 rejected=F opcode=0 opcode_name=query"
        ),
        format!(
            "dns 4: proto=udp trans_id=7 query=www.zeek.org {class} rcode=0 rcode_name=NOERROR AA=F TC=F RD=T RA=T Z=0 \
             answers=web.zeek.org,192.0.2.1 TTLs=60,60 rejected=F opcode=0 opcode_name=query"
        ),
        format!("dns 2: proto=udp trans_id=8 query=www.zeek.org {class} AA=F TC=F RD=T RA=F Z=0 rejected=F opcode=0 opcode_name=query"),
        "dns 6: proto=udp trans_id=7 rcode=5 rcode_name=REFUSED AA=F TC=F RD=F RA=F Z=0 rejected=T opcode=0 opcode_name=query"
            .to_string(),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn zeek_of_names_from_elsewhere() {
    let records = |name: &[u8], addresses: &[[u8; 4]]| {
        let records: Vec<_> = addresses.iter().map(|address| record(types::A, 60, address)).collect();
        build(7, 0x8180, name, types::A, [&records, &[], &[]])
    };
    let outside = "notice DNS::External_Name: www.zeek.org is pointing to a local host - 10.0.0.1.";
    type Case<'a> = (&'a [u8], &'a [[u8; 4]], &'a [&'a str]);
    let cases: [Case<'_>; 3] = [
        (NAME, &[[192, 0, 2, 1], [10, 0, 0, 1]], &[outside]),
        (NAME, &[[192, 0, 2, 1]], &[]),
        (b"\x03www\x04site\0", &[[10, 0, 0, 1]], &[]),
    ];
    for (name, addresses, expected) in cases {
        for (scripts, expected) in [(&[][..], &[][..]), (&[Script::ExternalNames], expected)] {
            let mut conversation = open(Transport::Udp);
            conversation.rows.scripts = scripts;
            conversation.push(DOWN, &records(name, addresses));
            let notices: Vec<_> =
                conversation.rows.lines.iter().filter(|line| line.contains("notice")).collect();
            assert_eq!(notices, expected, "{addresses:?}");
        }
    }
}

#[test]
fn zeek_weirds() {
    let service = |parameters: &[u8]| record(types::HTTPS, 1, &[&[0, 1, 0][..], parameters].concat());
    let last = |record: Vec<u8>| build(1, 0x8180, NAME, types::HTTPS, [&[record], &[], &[]]);
    // Something stands behind the record.
    let odd = |kind: u16, data: &[u8]| {
        build(1, 0x8180, NAME, kind, [&[record(kind, 1, data), record(types::A, 1, &[1, 2, 3, 4])], &[], &[]])
    };
    let alone = |name: &[u8]| [&[0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], name].concat();
    let signature = |algorithm: u8| [&[0, 1, algorithm, 2][..], &[0; 14], &[0, 7, 7]].concat();
    let long = [b"\x3f".as_slice(), &[b'a'; 63]].concat().repeat(9);
    let cases: Vec<(Vec<u8>, &[&str])> = vec![
        (request(), &[]),
        (response(), &[]),
        (last(service(&[0, 1, 0, 3, 2, b'h', b'2'])), &[]),
        (last(service(&[0, 1, 0, 3, 5, b'h', b'2'])), &["DNS_SVCB_alpn_length_invalid"]),
        (last(service(&[0, 3, 0, 1, 80])), &["DNS_SVCB_port_length_invalid"]),
        (vec![0; 11], &["DNS_truncated_len_lt_hdr_len"]),
        ([&[0; 4][..], &[1; 8]].concat(), &["DNS_Conn_count_too_large"]),
        (alone(b"\0\0\x01"), &["DNS_truncated_quest_too_short"]),
        (alone(b"\x05ab"), &["DNS_label_len_gt_pkt", "DNS_truncated_quest_too_short"]),
        (alone(&[&[0x40][..], &[b'a'; 90]].concat()), &["DNS_label_too_long"]),
        (alone(b"\xc0\x20\0\x01\0\x01"), &["DNS_label_forward_compress_offset"]),
        (alone(&[&long[..], &[0, 0, 1, 0, 1]].concat()), &["DNS_label_len_gt_name_len", "DNS_NAME_too_long"]),
        (odd(types::A, &[]), &["DNS_zero_rdlength"]),
        (odd(types::A, &[1, 2, 3]), &["DNS_RR_bad_length"]),
        (odd(types::AAAA, &[1, 2, 3]), &["DNS_RR_bad_length"]),
        (odd(types::MX, b"\0\x0a\x01a\0\0"), &["DNS_RR_length_mismatch", "DNS_RR_unknown_type: 49164"]),
        (odd(types::TXT, b"\x03ab"), &["DNS_TXT_char_str_past_rdlen"]),
        (odd(types::TXT, b"\x02ab\x00"), &[]),
        (odd(types::HINFO, b"\x01a\x01b"), &[]),
        (odd(types::CAA, b"\0\x05ab"), &["DNS_CAA_char_str_past_rdlen"]),
        (odd(types::DNAME, b"\x01a\0"), &["DNS_RR_unknown_type: 39"]),
        (odd(types::RRSIG, &signature(1)), &["DNSSEC_RRSIG_NotRecommended_ZoneSignAlgo: 1"]),
        (odd(types::RRSIG, &signature(8)), &[]),
        (
            odd(types::DNSKEY, &[1, 0x81, 2, 17]),
            &[
                "DNSSEC_DNSKEY_Revoked_KSK: 385",
                "DNSSEC_DNSKEY_Invalid_Protocol: 2",
                "DNSSEC_DNSKEY_unknown_ZoneSignAlgo: 17",
            ],
        ),
        (odd(types::DS, &[0, 1, 8, 9, 0xaa]), &["DNSSEC_DS_unknown_DigestType: 9"]),
        (odd(types::NSEC, b"\x01a\0\x02\0"), &["DNSSEC_NSEC_bitmapLen0: 2"]),
        (odd(types::LOC, &[1; 16]), &["DNS_LOC_version_unrecognized: 1"]),
    ];
    for (message, expected) in cases {
        let found = watched(&WATCH, 53, &[(true, &message)]);
        assert_eq!(found, expected, "{message:02x?}");
        let open = || {
            let mut conversation = open(Transport::Tcp);
            conversation.as_zeek = true;
            conversation
        };
        let framed = [&(message.len() as u16).to_be_bytes()[..], &message].concat();
        let mut stream = same_in_any_pieces(open, &[(DOWN, &framed)]);
        assert_eq!(stream.zeek().of("weird"), expected, "over TCP: {message:02x?}");
        for length in 0..message.len() {
            watched(&WATCH, 137, &[(true, &message[..length])]);
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_give_a_result(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600), header in 0u16..8) {
        // Few announced records keep the message going beyond the first of them.
        let mut message = [0, 1, (header as u8) << 5, 0, 0, header as u8, 0, 3, 0, 1, 0, 1].to_vec();
        message.extend(&bytes);
        for direction in Direction::BOTH {
            let mut datagrams = open(Transport::Udp);
            datagrams.push(direction, &message);
            datagrams.push(direction, &bytes);
            datagrams.summary();
            let mut stream = open(Transport::Tcp);
            stream.push_in(direction, &bytes, 7);
            stream.summary();
        }
    }
}

#[test]
fn states_have_names() {
    assert_eq!(DNS.complete(Direction::ToServer), Progress(1));
    assert_eq!(DNS.states.to_client, ["response_started", "response_complete"]);
}

#[test]
fn texts_of_txt_records_are_shown() {
    for (rrtype, shown) in [(types::TXT, true), (types::SPF, false)] {
        let mut conversation = open(Transport::Udp);
        let answer = [record(rrtype, 1, b"\x02hi")];
        conversation.push(DOWN, &build(1, 0x8000, NAME, rrtype, [&answer, &[], &[]]));
        let found = conversation.eve(0, &NoOptions).unwrap();
        assert_eq!(found["answers"][0].get("rdata").is_some(), shown, "{rrtype}");
        assert_eq!(found["grouped"].get("TXT").is_some(), shown, "{rrtype}");
        assert_eq!(found["answers"].as_array().unwrap().len(), 1);
    }
}
