//! Conversations built here, through the parser, to fields, EVE records and Zeek rows.

use weir_applayer::{Access, Outcome, Progress, Request, Transaction};
use weir_base::Direction;

use super::TLS;
use super::certificate::tests::build as certificate;
use super::hello::tests::{client_hello, extension, server_hello, server_name_extension, sized};
use super::transaction::{TlsTransaction, client, server};
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces};

fn open(settings: &[(&str, &str)]) -> Conversation {
    Conversation::new(&TLS, &Settings(settings))
}

fn talk(settings: &[(&str, &str)], pieces: &[(Direction, Vec<u8>)]) -> Conversation {
    Conversation::of(&TLS, &Settings(settings), pieces)
}

fn tx(conversation: &Conversation) -> &TlsTransaction {
    conversation.tx(0)
}

fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3][..], &sized(body)].concat()
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32;
    [&[kind][..], &length.to_be_bytes()[1..], body].concat()
}

fn handshake(messages: &[Vec<u8>]) -> Vec<u8> {
    record(22, &messages.concat())
}

fn chain(certificates: &[Vec<u8>]) -> Vec<u8> {
    let size = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[1..], bytes].concat();
    message(11, &size(&certificates.iter().flat_map(|der| size(der)).collect::<Vec<_>>()))
}

const CCS: &[u8] = &[20, 3, 3, 0, 1, 1];

fn hello_of_client() -> Vec<u8> {
    let extensions = [
        server_name_extension(b"zeek.org"),
        extension(10, &sized(&[0, 29])),
        extension(13, &sized(&[4, 3])),
        extension(16, &sized(b"\x02h2\x08http/1.1")),
    ];
    handshake(&[message(1, &client_hello(0x0303, &[0xc02f, 0x1301], &extensions))])
}

fn flight_of_server() -> Vec<u8> {
    let alpn = extension(16, &sized(b"\x02h2"));
    handshake(&[
        message(2, &server_hello(0x0303, 0xc02f, &[alpn])),
        chain(&[certificate(b"zeek.org", &[b"zeek.org", b"www.zeek.org"]), certificate(b"CA", &[])]),
        message(12, &[3, 0, 29, 0]),
        message(14, &[]),
    ])
}

/// A whole conversation in TLS 1.2, in pieces by direction.
fn conversation() -> Vec<(Direction, Vec<u8>)> {
    let key_exchange = [handshake(&[message(16, &[0; 33])]), CCS.to_vec(), record(22, &[0xee; 40])].concat();
    let ticket = handshake(&[message(4, &[0; 20])]);
    vec![
        (UP, hello_of_client()),
        (DOWN, flight_of_server()),
        (UP, key_exchange),
        (DOWN, [ticket, CCS.to_vec(), record(22, &[0xdd; 40])].concat()),
        (UP, record(23, &[1; 100])),
        (DOWN, record(23, &[2; 100])),
    ]
}

#[test]
fn states_of_tls_12() {
    let conversation = conversation();
    let expected = [
        (client::HELLO_DONE, Progress(0)),
        (client::HANDSHAKE_DONE, server::HANDSHAKE_DONE),
        (client::HANDSHAKE_DONE, server::HANDSHAKE_DONE),
        (client::HANDSHAKE_DONE, server::HANDSHAKE_DONE),
        (client::FINISHED, server::FINISHED),
        (client::FINISHED, server::FINISHED),
    ];
    for (count, expected) in expected.into_iter().enumerate() {
        assert_eq!(talk(&[], &conversation[..=count]).progress(0), expected, "after {count}");
    }
    assert_eq!((TLS.complete(UP), TLS.complete(DOWN)), (client::FINISHED, server::FINISHED));
}

#[test]
fn a_client_that_must_show_its_certificate_is_waited_for() {
    let server_part = handshake(&[
        message(2, &server_hello(0x0303, 0xc02f, &[])),
        chain(&[certificate(b"zeek.org", &[])]),
        message(13, &[]),
        message(14, &[]),
    ]);
    let mut engine = talk(&[], &[(UP, hello_of_client()), (DOWN, server_part)]);
    assert_eq!(engine.progress(0), (client::HELLO_DONE, server::HELLO_DONE), "all in one piece");
    engine.push(UP, &handshake(&[chain(&[certificate(b"me", &[])])]));
    assert_eq!(engine.progress(0), (client::HANDSHAKE_DONE, server::HANDSHAKE_DONE));
    let record = engine.eve(0, &Settings(&[("custom.0", "client"), ("custom.1", "client_chain")])).unwrap();
    assert_eq!(record["client"]["subject"], "C=FR, O=Weir, CN=me");
    assert_eq!(record["client"]["chain"].as_array().unwrap().len(), 1);
}

#[test]
fn eve_of_tls_12() {
    let engine = talk(&[("ja3-fingerprints", "yes")], &conversation());
    let fingerprint = tx(&engine).sides.to_client.fingerprint().unwrap().to_owned();
    let (ja3, ja3s) = (tx(&engine).ja3().unwrap().clone(), tx(&engine).ja3s().unwrap().clone());
    assert_eq!(
        (ja3.string.as_str(), ja3s.string.as_str()),
        ("771,49199-4865,0-10-13-16,29,", "771,49199,16")
    );
    let expected = serde_json::json!({
        "subject": "C=FR, O=Weir, CN=zeek.org", "issuerdn": "C=FR, CN=Some, CA",
        "subjectaltname": ["zeek.org", "www.zeek.org"], "serial": "00:97:E6", "fingerprint": fingerprint,
        "sni": "zeek.org", "version": "TLS 1.2", "notbefore": "1969-12-31T00:00:00",
        "notafter": "2025-02-09T18:07:27", "ja3": {"hash": ja3.hash, "string": ja3.string},
        "ja3s": {"hash": ja3s.hash, "string": ja3s.string},
        "client_alpns": ["h2", "http/1.1"], "server_alpns": ["h2"],
    });
    assert_eq!(engine.eve(0, &Settings(&[("extended", "yes"), ("ja4", "off")])), Some(expected));
    let basic = serde_json::json!({
        "subject": "C=FR, O=Weir, CN=zeek.org", "issuerdn": "C=FR, CN=Some, CA",
        "subjectaltname": ["zeek.org", "www.zeek.org"],
    });
    assert_eq!(engine.eve(0, &Settings(&[("extended", "no")])), Some(basic));
    let handshakes = serde_json::json!({
        "client_handshake": {"version": "TLS 1.2", "ciphers": [49199, 4865], "exts": [0, 10, 13, 16], "sig_algs": [1027]},
        "server_handshake": {"version": "TLS 1.2", "cipher": 49199, "exts": [16]},
        "ja4": tx(&engine).ja4(),
    });
    let custom = [
        ("custom.0", "client_handshake"),
        ("custom.1", "server_handshake"),
        ("custom.2", "ja4"),
        ("ja4", "on"),
    ];
    assert_eq!(engine.eve(0, &Settings(&custom)), Some(handshakes));
    let engine = talk(&[], &conversation());
    let record = engine.eve(0, &Settings(&[("extended", "yes")])).unwrap();
    assert_eq!(record.get("ja3"), None, "not asked for");
    assert_eq!(record["ja4"].as_str(), tx(&engine).ja4(), "shown unless switched off");
}

#[test]
fn eve_tells_what_was_spoken_before() {
    let mut engine = open(&[]);
    engine.parser.follows(&crate::pgsql::PGSQL);
    engine.talk(&conversation());
    assert_eq!((engine.parser.created(), engine.ids()), (1, vec![0]));
    let before = |engine: &Conversation| engine.eve(0, &Settings(&[])).unwrap()["from_proto"].clone();
    assert_eq!(before(&engine), "pgsql");
    assert!(before(&talk(&[], &conversation())).is_null());
}

#[test]
fn resumed_sessions() {
    let offer =
        |extensions: &[Vec<u8>]| handshake(&[message(1, &client_hello(0x0303, &[0xc02f], extensions))]);
    let answer = |session: &[u8]| {
        let mut body = server_hello(0x0303, 0xc02f, &[]);
        body.splice(34..35, [&[session.len() as u8][..], session].concat());
        [handshake(&[message(2, &body)]), CCS.to_vec()].concat()
    };
    let resumed = Some(serde_json::json!({"session_resumed": true}));
    let cases = [
        ("a ticket", offer(&[extension(35, b"ticket")]), answer(b""), resumed.clone()),
        ("the wish for one", offer(&[extension(35, b"")]), answer(b""), resumed.clone()),
        ("the same session", offer(&[]), answer(&[0xaa, 0xbb]), resumed),
        ("another session", offer(&[]), answer(&[0xaa, 0xbc]), None),
    ];
    for (name, offered, answered, expected) in cases {
        let finished = [CCS, &record(22, &[0xee; 40]), &record(23, b"request")].concat();
        let pieces = [(UP, offered), (DOWN, answered), (UP, finished)];
        let mut engine = talk(&[], &pieces);
        let open = (client::HANDSHAKE_DONE, server::HELLO);
        assert_eq!(engine.progress(0), open, "{name}: the server is done once it sends data");
        engine.push(DOWN, &record(23, b"answer"));
        assert!(tx(&engine).is_done(), "{name}");
        assert_eq!(engine.eve(0, &Settings(&[("extended", "no")])), expected, "{name}");
        assert_eq!(engine.eve(0, &Settings(&[("session-resumption", "no")])), None, "{name}");
        assert_eq!(engine.eve(0, &Settings(&[])), None, "the type is named and nothing said of it");
    }
}

#[test]
fn tls_13_is_done_once_both_sides_send_data() {
    let hello = server_hello(0x0303, 0x1301, &[extension(43, &[3, 4]), extension(51, &[0, 29, 0, 0])]);
    let mut engine = talk(&[], &[(UP, hello_of_client()), (DOWN, handshake(&[message(2, &hello)]))]);
    assert_eq!(engine.progress(0), (client::HELLO_DONE, server::HELLO));
    engine.push(DOWN, &[CCS, &record(23, &[1; 50])].concat());
    assert_eq!(engine.progress(0), (client::HELLO_DONE, server::HANDSHAKE_DONE));
    assert!(engine.wishes().is_empty());
    engine.push(UP, &[CCS, &record(23, &[1; 50])].concat());
    assert!(matches!(engine.wishes()[..], [Request::StopInspection]));
    assert_eq!(engine.progress(0), (client::FINISHED, server::FINISHED));
    assert_eq!(engine.eve(0, &Settings(&[("extended", "yes")])).unwrap()["version"], "TLS 1.3");
}

#[test]
fn early_data_does_not_end_the_handshake() {
    let hello = client_hello(0x0303, &[0x1301], &[extension(42, b"")]);
    let mut engine = talk(&[], &[(UP, handshake(&[message(1, &hello)])), (UP, record(23, b"early"))]);
    assert_eq!(engine.progress(0), (client::HELLO_DONE, Progress(0)));
    engine.push(DOWN, &handshake(&[message(2, &server_hello(0x0303, 0x1301, &[extension(43, &[3, 4])]))]));
    engine.push(UP, &record(23, b"later"));
    assert_eq!(engine.progress(0), (client::HANDSHAKE_DONE, server::HELLO));
}

#[test]
fn records_name_the_servers_version_as_far_as_it_is_known() {
    let ticket = || handshake(&[message(1, &client_hello(0x0303, &[0x1301], &[extension(35, b"")]))]);
    let cases: [(&str, &[u8], &str); 5] = [
        ("nothing: the client's", b"", "TLS 1.2"),
        ("a record that is none", &[0, 0, 0, 0, 2, 0, 40], "TLS 1.2"),
        ("another protocol", b"HTTP/1.1 400 Bad Request\r\n", "SSLv2"),
        ("an alert", &[21, 3, 1, 0, 2, 2, 40], "TLSv1"),
        ("SSLv2, then an alert", &[0x80, 3, 0, 0, 1, 21, 3, 0, 0, 2, 2, 40], "SSLv3"),
    ];
    for (name, answer, expected) in cases {
        let mut engine = talk(&[], &[(UP, ticket())]);
        if !answer.is_empty() {
            engine.push(DOWN, answer);
        }
        let record = engine.eve(0, &Settings(&[("extended", "yes")])).unwrap();
        assert_eq!(record["version"], expected, "{name}");
    }
}

#[test]
fn encryption_handling() {
    let (finished, open) =
        ((client::FINISHED, server::FINISHED), (client::HANDSHAKE_DONE, server::HANDSHAKE_DONE));
    let cases: [(&'static [(&str, &str)], usize, _); 5] = [
        (&[], 1, finished),
        (&[("encryption-handling", "bypass")], 4, finished),
        (&[("encryption-handling", "full")], 0, finished),
        (&[("rules-follow-states", "yes")], 1, open),
        (&[("rules-follow-states", "yes"), ("encryption-handling", "bypass")], 4, finished),
    ];
    for (settings, wishes, progress) in cases {
        let engine = talk(settings, &conversation());
        assert_eq!((engine.wishes().len(), engine.progress(0)), (wishes, progress), "{settings:?}");
    }
}

#[test]
fn a_flow_that_ends_early_is_logged_as_far_as_it_came() {
    let ticket = client_hello(0x0303, &[0x1301], &[server_name_extension(b"zeek.org"), extension(35, b"")]);
    let cases = [
        ("a ticket is offered", handshake(&[message(1, &ticket)]), Some("zeek.org")),
        ("neither certificate nor ticket", hello_of_client(), None),
        ("no hello", record(23, b"data"), None),
    ];
    for (name, bytes, expected) in cases {
        let mut engine = talk(&[], &[(UP, bytes)]);
        engine.close();
        assert_eq!(engine.progress(0), (client::FINISHED, server::FINISHED), "{name}");
        let record = engine.eve(0, &Settings(&[("extended", "yes")]));
        assert_eq!(record.as_ref().and_then(|record| record["sni"].as_str()), expected, "{name}");
    }
}

#[test]
fn anomalies_by_name() {
    let long = [&[22, 3, 3][..], &[0xff, 0xff]].concat();
    let cases: [(Direction, Vec<u8>, Outcome, &[&str]); 16] = [
        (UP, record(22, &message(1, b"short")), Outcome::Ok, &["HANDSHAKE_INVALID_LENGTH"]),
        (UP, record(22, &message(99, b"")), Outcome::Ok, &["INVALID_HANDSHAKE_MESSAGE"]),
        // Of one that is not known no more is passed over than its record has.
        (UP, record(22, &[99, 0xff, 0xff, 0xff, 1]), Outcome::Ok, &["INVALID_HANDSHAKE_MESSAGE"]),
        (UP, b"\x23\x03\x03\0\0".to_vec(), Outcome::Error, &["INVALID_RECORD_TYPE"]),
        (UP, [&hello_of_client()[..], b"GET / HTTP"].concat(), Outcome::Error, &["INVALID_RECORD_TYPE"]),
        (UP, b"\x16\x09\x09\0\0".to_vec(), Outcome::Error, &["INVALID_RECORD_VERSION"]),
        (UP, long, Outcome::Error, &["INVALID_RECORD_LENGTH"]),
        (UP, record(21, &[1]), Outcome::Error, &["INVALID_ALERT_MESSAGE"]),
        (UP, record(24, &[1, 0x40, 0]), Outcome::Ok, &["HEARTBEAT_MESSAGE", "OVERFLOW_HEARTBEAT_MESSAGE"]),
        (DOWN, record(22, &[11, 0xff, 0xff, 0xff]), Outcome::Ok, &["HANDSHAKE_INVALID_LENGTH"]),
        (DOWN, record(22, &message(11, &[0, 0, 9, 0])), Outcome::Ok, &[]),
        (DOWN, record(22, &message(11, &[0, 0, 4, 0, 0, 9, 0])), Outcome::Ok, &["INVALID_CERTIFICATE"]),
        (
            DOWN,
            record(22, &message(11, &[0, 0, 4, 0, 0, 1, 0x30])),
            Outcome::Ok,
            &["CERTIFICATE_INVALID_LENGTH"],
        ),
        (
            DOWN,
            record(22, &message(11, &[0, 0, 5, 0, 0, 2, 4, 0])),
            Outcome::Ok,
            &["CERTIFICATE_INVALID_DER"],
        ),
        (UP, record(21, &[1, 0]).repeat(40), Outcome::Ok, &["TOO_MANY_RECORDS_IN_PACKET"]),
        (
            UP,
            b"\x80\x03\x01\x09\x09".to_vec(),
            Outcome::Error,
            &["INVALID_SSLV2_HEADER", "INVALID_SSL_RECORD"],
        ),
    ];
    for (direction, bytes, outcome, expected) in cases {
        let mut engine = open(&[]);
        assert_eq!(engine.push(direction, &bytes), outcome, "{bytes:x?}");
        assert_eq!(engine.anomalies(0), expected, "{bytes:x?}");
    }
}

#[test]
fn a_fatal_alert_ends_both_sides() {
    let cases = [(2, (client::FINISHED, server::FINISHED)), (1, (client::HELLO_DONE, Progress(0)))];
    for (level, expected) in cases {
        let engine = talk(&[], &[(UP, hello_of_client()), (DOWN, record(21, &[level, 40]))]);
        assert_eq!(engine.progress(0), expected, "level {level}");
    }
}

#[test]
fn any_segmentation_gives_the_same_transaction() {
    same_in_any_pieces(|| open(&[]), &conversation());
}

#[test]
fn messages_over_records() {
    let flight = flight_of_server();
    for step in [1, 10, 333] {
        let records: Vec<u8> = flight[5..].chunks(step).flat_map(|part| record(22, part)).collect();
        let mut engine = talk(&[], &[(UP, hello_of_client())]);
        assert_ne!(engine.push(DOWN, &records), Outcome::Error);
        assert_eq!(engine.progress(0), (client::HANDSHAKE_DONE, server::HANDSHAKE_DONE), "parts of {step}");
        assert_eq!(tx(&engine).sides.to_client.certificates.len(), 2);
    }
}

#[test]
fn sslv2() {
    let record = |body: &[u8]| [&(0x8000 | body.len() as u16).to_be_bytes()[..], body].concat();
    let hello = record(&[&[1, 0, 2, 0, 3, 0, 0, 0, 16, 7, 0, 0xc0][..], &[9; 16]].concat());
    let der = certificate(b"old", &[]);
    let length = (der.len() as u16).to_be_bytes();
    let answer = record(&[&[4, 0, 1, 0, 2][..], &length, &[0, 3, 0, 1], &der, &[7, 0, 0xc0, 5]].concat());
    let master_key = record(&[2, 7, 0, 0xc0, 0, 0, 0, 0, 0, 0]);
    let garbage = vec![0x15; 50];
    let engine =
        talk(&[], &[(UP, hello), (DOWN, answer), (UP, master_key), (UP, garbage.clone()), (DOWN, garbage)]);
    assert_eq!(engine.eve(0, &Settings(&[("extended", "yes")])), None, "SSLv2's certificates are not read");
    assert!(tx(&engine).trace.established);
    assert_eq!(engine.anomalies(0), Vec::<&str>::new());
}

fn matches(tx: &dyn Transaction, keyword: &str, option: Option<&str>, direction: Direction) -> bool {
    let field = TLS.fields.iter().find(|f| f.name == keyword && f.direction.covers(direction)).unwrap();
    let Access::Check(parse) = field.access else { panic!("{keyword} is no check") };
    parse(option).map(|check| check.matches(tx, direction)).unwrap()
}

#[test]
fn checks() {
    let engine = talk(&[], &conversation());
    let cases = [
        ("tls.version", Some("1.2"), UP, true),
        ("tls.version", Some("1.2"), DOWN, true),
        ("tls.version", Some("0x0301"), DOWN, false),
        ("ssl_version", Some("sslv3,tls1.2"), UP, true),
        ("ssl_version", Some("!tls1.2"), UP, false),
        ("ssl_state", Some("client_hello"), UP, true),
        ("ssl_state", Some("unknown"), UP, false),
        ("tls.subject", Some("\"CN=zeek.org\""), DOWN, true),
        ("tls.subject", Some("!\"CN=zeek.org\""), DOWN, false),
        ("tls.issuerdn", Some("\"Some, CA\""), DOWN, true),
        ("tls.issuerdn", Some("\"Some, CA\""), UP, false),
        ("tls_cert_notbefore", Some("<1970"), DOWN, true),
        ("tls_cert_notafter", Some("2025-02-09T18:07:27"), DOWN, true),
        ("tls_cert_notafter", Some(">2026"), DOWN, false),
        ("tls_cert_expired", None, DOWN, false),
        ("tls_cert_valid", None, DOWN, true),
        ("tls.store", None, DOWN, true),
        ("tls.store", None, UP, false),
    ];
    for (keyword, option, direction, expected) in cases {
        assert_eq!(matches(tx(&engine), keyword, option, direction), expected, "{keyword}:{option:?}");
    }
    let fingerprint = tx(&engine).sides.to_client.fingerprint().unwrap().to_uppercase();
    assert!(matches(tx(&engine), "tls.fingerprint", Some(&format!("\"{fingerprint}\"")), DOWN));
}

#[test]
fn fields_of_both_directions() {
    let engine = talk(&[], &conversation());
    let cases: [(&str, Direction, &[&str]); 13] = [
        ("tls_sni", UP, &["zeek.org"]),
        ("tls.cert_subject", DOWN, &["C=FR, O=Weir, CN=zeek.org"]),
        ("tls.cert_subject", UP, &[]),
        ("tls_cert_serial", DOWN, &["00:97:E6"]),
        ("tls.subjectaltname", DOWN, &["zeek.org", "www.zeek.org"]),
        ("tls.cert_chain_len", DOWN, &["2"]),
        ("tls.cert_chain_len", UP, &[]),
        ("tls.alpn", UP, &["h2", "http/1.1"]),
        ("tls.alpn", DOWN, &["h2"]),
        ("tls.random", UP, &[&"\x07".repeat(32)]),
        ("tls.random_time", DOWN, &["\t\t\t\t"]),
        ("tls.random_bytes", DOWN, &[&"\t".repeat(28)]),
        ("ja3.string", UP, &["771,49199-4865,0-10-13-16,29,"]),
    ];
    for (name, direction, expected) in cases {
        assert_eq!(engine.values(0, name, direction), expected, "{name}");
    }
    assert_eq!(engine.values(0, "tls.certs", DOWN).len(), 2);
    assert_eq!(engine.values(0, "ja3_hash", UP)[0].len(), 32);
    let without = talk(&[("ja3-fingerprints", "no"), ("ja4-fingerprints", "no")], &conversation());
    assert_eq!([without.values(0, "ja4.hash", UP), without.values(0, "ja3s.hash", DOWN)], [[""; 0]; 2]);
}

fn zeek_rows(pieces: &[(Direction, Vec<u8>)]) -> Vec<String> {
    talk(&[], pieces).zeek().lines.clone()
}

#[test]
fn zeek_of_tls_12() {
    let key = "certificate.key_alg=rsaEncryption certificate.sig_alg=sha256WithRSAEncryption \
               certificate.key_type=rsa certificate.key_length=1024 certificate.exponent=65537";
    let dates = "certificate.not_valid_before=0 certificate.not_valid_after=1739124447";
    let common = "x509 2: fingerprint=(hash) certificate.version=3 certificate.serial=97E6";
    let expected = [
        "service ssl".to_owned(),
        format!(
            "{common} certificate.subject=CN=zeek.org,O=Weir,C=FR certificate.issuer=CN=Some\\, CA,C=FR {dates} \
             {key} san.dns=zeek.org,www.zeek.org host_cert=T client_cert=F"
        ),
        format!(
            "{common} certificate.subject=CN=CA,O=Weir,C=FR certificate.issuer=CN=Some\\, CA,C=FR {dates} {key} host_cert=F client_cert=F"
        ),
        "ssl 1: version=TLSv12 cipher=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 curve=x25519 server_name=zeek.org \
         resumed=F next_protocol=h2 established=T ssl_history=CsxknGIti cert_chain_fps=(hash),(hash) \
         client_cert_chain_fps= +T"
            .to_string(),
    ];
    assert_eq!(zeek_rows(&conversation()), expected);
}

#[test]
fn zeek_of_other_ends() {
    let retry = [&[3, 3][..], &hello_retry_random(), &[0, 0x13, 1, 0, 0, 0]].concat();
    let hello = server_hello(0x0303, 0x1301, &[extension(43, &[3, 4]), extension(51, &[0, 29, 0, 0])]);
    let server_part = [handshake(&[message(2, &hello)]), CCS.to_vec(), record(23, &[1; 9])].concat();
    let client_part = [CCS.to_vec(), record(23, &[1; 9])].concat();
    let tls13 = [
        (UP, hello_of_client()),
        (DOWN, [handshake(&[message(2, &retry)]), CCS.to_vec()].concat()),
        (UP, [CCS.to_vec(), hello_of_client()].concat()),
        (DOWN, server_part),
        (UP, client_part),
    ];
    let expected = "ssl 1: version=TLSv13 cipher=TLS_AES_128_GCM_SHA256 curve=x25519 server_name=zeek.org \
                    resumed=F established=T ssl_history=CjiICsiI";
    assert_eq!(zeek_rows(&tls13), ["service ssl", expected]);
    let refused = [(UP, hello_of_client()), (DOWN, record(21, &[2, 40]))];
    let expected =
        "ssl 1: server_name=zeek.org resumed=F last_alert=handshake_failure established=F ssl_history=Cl";
    assert_eq!(zeek_rows(&refused), ["service ssl", expected]);
    let other = [(UP, hello_of_client()), (DOWN, b"HTTP/1.1 400 Bad Request\r\n".to_vec())];
    let mut conversation = open(&[]);
    for (direction, bytes) in other {
        conversation.push(direction, &bytes);
    }
    let expected = "ssl 1: server_name=zeek.org resumed=F established=F ssl_history=C";
    assert_eq!(conversation.zeek().lines, ["violation not a TLS record", expected]);
}

fn hello_retry_random() -> [u8; 32] {
    use sha2::{Digest, Sha256};
    Sha256::digest(b"HelloRetryRequest").into()
}

proptest::proptest! {
    #[test]
    fn any_bytes_give_a_result(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400), kind in 0u8..30) {
        for direction in Direction::BOTH {
            let mut engine = talk(&[], &[(UP, hello_of_client())]);
            engine.push(direction, &handshake(&[message(kind, &bytes)]));
            engine.push(direction, &record(kind, &bytes));
            engine.close();
            engine.eve(0, &Settings(&[]));
            open(&[]).push(direction, &bytes);
        }
    }

    #[test]
    fn any_damage_gives_a_result(at in 0usize..1200, value in proptest::num::u8::ANY) {
        let mut engine = open(&[]);
        for (direction, mut bytes) in conversation() {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
            if engine.push(direction, &bytes) == Outcome::Error {
                break;
            }
        }
        engine.close();
        engine.eve(0, &Settings(&[]));
    }
}
