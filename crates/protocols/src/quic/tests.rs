//! Conversations built here, through the parser and Zeek's logger, to fields, records and rows.

use weir_applayer::Outcome;
use weir_base::Direction;

use super::crypto::MAX_LENGTH;
use super::google::tests::hello_frame;
use super::keys::InitialKeys;
use super::keys::tests::protect;
use super::transaction::QuicTransaction;
use super::version::Version;
use super::{QUIC, zeek};
use crate::testing::{Conversation, DOWN, Settings, UP, logged};
use crate::tls::hello::tests::{client_hello, extension, server_hello, server_name_extension, sized};

const CLIENT_ID: &[u8] = b"\xc1\xc1";
const FIRST_ID: &[u8] = b"\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0";
const SERVER_ID: &[u8] = b"\x5e\x5e\x5e\x5e";

/// A datagram and which way it goes.
type Datagram = (Direction, Vec<u8>);

fn open(settings: &[(&str, &str)]) -> Conversation {
    Conversation::new(&QUIC, &Settings(settings))
}

fn talk(settings: &[(&str, &str)], datagrams: &[Datagram]) -> Conversation {
    Conversation::of(&QUIC, &Settings(settings), datagrams)
}

fn tx(conversation: &Conversation, id: u64) -> &QuicTransaction {
    conversation.tx(id)
}

/// Returns the sides, hellos and events of each transaction.
fn story(conversation: &Conversation) -> Vec<String> {
    let told = conversation.ids().into_iter().map(|id| {
        let tx = tx(conversation, id);
        let mut told = vec![if tx.meta.only == Some(UP) { "up" } else { "down" }];
        told.extend(tx.hello.is_some().then_some("hello"));
        told.extend(conversation.anomalies(id));
        told.join(" ")
    });
    told.collect()
}

/// The number of a variable length, in two bytes.
fn variable(number: usize) -> [u8; 2] {
    (number as u16 | 0x4000).to_be_bytes()
}

fn crypto(offset: usize, data: &[u8]) -> Vec<u8> {
    [&[6][..], &variable(offset), &variable(data.len()), data].concat()
}

/// Keys by the version and the id that a client sent its first packet to.
fn keys(version: Version, id: &[u8]) -> InitialKeys {
    InitialKeys::derive(version, id).unwrap()
}

fn long(first: u8, version: Version, [to, from]: [&[u8]; 2]) -> Vec<u8> {
    [&[first][..], &version.0.to_be_bytes(), &[to.len() as u8], to, &[from.len() as u8], from].concat()
}

/// An Initial packet.
fn initial(keys: &InitialKeys, direction: Direction, version: Version, frames: &[u8]) -> Vec<u8> {
    let ids = if direction == UP { [FIRST_ID, CLIENT_ID] } else { [CLIENT_ID, SERVER_ID] };
    let first = if version == Version::V2 { 0xd0 } else { 0xc0 };
    let mut header = long(first, version, ids);
    header.push(0);
    header.extend(variable(1 + frames.len() + 16));
    protect(keys, direction, &header, &[1], frames)
}

/// A packet with a long header whose content nobody can read.
fn secret(first: u8, version: Version, ids: [&[u8]; 2]) -> Vec<u8> {
    [&long(first, version, ids)[..], &variable(30), &[9; 30]].concat()
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (body.len() as u32).to_be_bytes();
    [&[kind][..], &length, body].concat()
}

fn greeting() -> Vec<u8> {
    let extensions = [
        server_name_extension(b"a.example"),
        extension(10, &sized(&[0, 29])),
        extension(13, &sized(&[4, 3])),
        extension(16, &sized(b"\x02h3\x05h3-29")),
        extension(43, &[2, 3, 4]),
    ];
    message(1, &client_hello(0x0303, &[0x1301, 0x1302], &extensions))
}

fn answer() -> Vec<u8> {
    message(2, &server_hello(0x0303, 0x1301, &[extension(51, &[0, 29, 0, 1, 7]), extension(43, &[3, 4])]))
}

/// A conversation in a version: the client's hello in two packets, the second half first.
fn conversation(version: Version) -> Vec<Datagram> {
    let keys = keys(version, FIRST_ID);
    let hello = greeting();
    let (head, tail) = hello.split_at(40);
    let handshake = if version == Version::V2 { 0xf0 } else { 0xe0 };
    let server = initial(&keys, DOWN, version, &[&[2, 1, 0, 0, 0][..], &crypto(0, &answer())].concat());
    let rest = secret(handshake, version, [CLIENT_ID, SERVER_ID]);
    let short = [&[0x41][..], &[3; 40]].concat();
    vec![
        (UP, initial(&keys, UP, version, &crypto(40, tail))),
        (UP, [initial(&keys, UP, version, &[&[1, 0][..], &crypto(0, head)].concat()), vec![0; 40]].concat()),
        (DOWN, [server, rest.clone(), short.clone()].concat()),
        (UP, rest),
        (UP, short.clone()),
        (UP, short),
    ]
}

#[test]
fn hellos_of_all_versions() {
    for number in [1, 0x6b33_43cf, 0xff00_0016, 0xff00_001b, 0xff00_001d, 0xff00_0022, 0xface_b002] {
        let engine = talk(&[], &conversation(Version(number)));
        assert_eq!(story(&engine), ["up", "up hello", "down hello"], "{number:x}");
        assert_eq!(tx(&engine, 1).version, Some(number.to_be_bytes()));
    }
}

#[test]
fn records() {
    let engine = talk(&[("tls.ja4-fingerprints", "yes")], &conversation(Version::V1));
    assert_eq!(engine.eve(0, &Settings(&[])), Some(serde_json::json!({"version": "1"})));
    let client = engine.eve(1, &Settings(&[])).unwrap();
    assert_eq!(client["sni"], "a.example");
    assert_eq!(client["ja3"]["string"], "771,4865-4866,0-10-13-16-43,29,");
    assert_eq!(client["ja3"]["hash"].as_str().map(str::len), Some(32));
    assert_eq!(client["ja4"].as_str(), tx(&engine, 1).ja4());
    assert!(client["ja4"].as_str().is_some_and(|ja4| ja4.starts_with("q13d0205h3_")));
    assert_eq!(
        client["extensions"][3],
        serde_json::json!({"name": "alpn", "type": 16, "values": ["h3", "h3-29"]})
    );
    assert_eq!(client.get("ja3s"), None);
    let server = engine.eve(2, &Settings(&[])).unwrap();
    assert_eq!(server["ja3s"]["string"], "771,4865,51-43");
    assert_eq!((server.get("ja3"), server.get("ja4"), server.get("sni")), (None, None, None));
    assert_eq!(server["extensions"][0], serde_json::json!({"name": "key_share", "type": 51}));
}

#[test]
fn settings_of_fingerprints() {
    type Case =
        (&'static [(&'static str, &'static str)], &'static [(&'static str, &'static str)], bool, bool);
    let cases: &[Case] = &[
        (&[], &[], true, false),
        (&[], &[("ja4", "on")], true, true),
        (&[("rules-use", "ja4.hash")], &[], true, true),
        (&[("rules-use", "ja4.hash")], &[("ja4", "off")], true, false),
        (&[("tls.ja3-fingerprints", "no"), ("tls.ja4-fingerprints", "no")], &[("ja4", "on")], false, false),
    ];
    for (settings, of_records, ja3, ja4) in cases {
        let record = talk(settings, &conversation(Version::V1)).eve(1, &Settings(of_records)).unwrap();
        assert_eq!((record.get("ja3").is_some(), record.get("ja4").is_some()), (*ja3, *ja4), "{settings:?}");
    }
}

fn google(header: &[u8], frame: &[u8]) -> Vec<u8> {
    [header, &[0; 12], frame, &[0; 20]].concat()
}

#[test]
fn googles_versions() {
    let frame = hello_frame(&[(b"SNI\0", b"g.example"), (b"UAID", b"tester/1.0")]);
    let old = |version: &[u8; 4]| google(&[&[0x0d][..], &[8; 8], version, &[1]].concat(), &frame);
    let new = |first, version: &[u8; 4], number: &[u8]| {
        google(&[&[first][..], version, &[0x50], &[8; 8], number].concat(), &frame)
    };
    let cases = [
        (old(b"Q039"), "Q039", "39,SNI-UAID"),
        (old(b"Q043"), "Q043", "43,SNI-UAID"),
        (new(0xff, b"Q044", &[0, 0, 0, 1]), "Q044", "44,SNI-UAID"),
        (new(0xc3, b"Q046", &[0, 0, 0, 1]), "Q046", "46,SNI-UAID"),
        (new(0xc0, b"Q046", &[1]), "Q046", "46,SNI-UAID"),
    ];
    for (datagram, version, cyu) in cases {
        let engine = talk(&[], &[(UP, datagram)]);
        let record = engine.eve(0, &Settings(&[])).unwrap();
        assert_eq!(record["version"], version);
        assert_eq!((&record["sni"], &record["ua"]), (&"g.example".into(), &"tester/1.0".into()), "{version}");
        assert_eq!(record["cyu"][0]["string"], cyu);
        assert_eq!(record["cyu"][0]["hash"].as_str().map(str::len), Some(32));
    }
}

#[test]
fn fields_of_both_directions() {
    let engine = talk(&[], &conversation(Version::V2));
    let ja4 = tx(&engine, 1).ja4().unwrap().to_owned();
    let frame = hello_frame(&[(b"SNI\0", b"g.example"), (b"UAID", b"tester/1.0")]);
    let old = google(&[&[0xc3][..], b"Q046", &[0x50], &[8; 8], &[0, 0, 0, 1]].concat(), &frame);
    let of_google = talk(&[], &[(UP, old)]);
    type Case<'a> = (&'a Conversation, u64, &'a str, Direction, Option<&'a str>);
    let cases: &[Case<'_>] = &[
        (&engine, 0, "quic.version", UP, Some("k3C\u{fffd}")),
        (&engine, 2, "quic.version", DOWN, Some("k3C\u{fffd}")),
        (&engine, 0, "quic.sni", UP, None),
        (&engine, 1, "quic.sni", UP, Some("a.example")),
        (&engine, 1, "quic.ua", UP, None),
        (&engine, 1, "ja3.string", UP, Some("771,4865-4866,0-10-13-16-43,29,")),
        (&engine, 1, "ja3s.string", DOWN, None),
        (&engine, 2, "ja3s.string", DOWN, Some("771,4865,51-43")),
        (&engine, 2, "ja3.hash", UP, None),
        (&engine, 1, "ja4.hash", UP, Some(&ja4)),
        (&engine, 1, "quic.cyu.string", UP, None),
        (&of_google, 0, "quic.version", UP, Some("Q046")),
        (&of_google, 0, "quic.sni", UP, Some("g.example")),
        (&of_google, 0, "quic.ua", UP, Some("tester/1.0")),
        (&of_google, 0, "quic.cyu.string", UP, Some("46,SNI-UAID")),
        (&of_google, 0, "ja3.hash", UP, None),
    ];
    for (engine, id, name, direction, expected) in cases {
        let values = engine.values(*id, name, *direction);
        assert_eq!(values.first().map(String::as_str), *expected, "{name} of {id}");
    }
}

#[test]
fn a_server_may_ask_once_to_begin_again() {
    let retry = |from: &[u8]| [long(0xf0, Version::V1, [CLIENT_ID, from]), vec![7; 24]].concat();
    let (first, again) = (keys(Version::V1, FIRST_ID), keys(Version::V1, SERVER_ID));
    let hello = crypto(0, &greeting());
    let mut second = long(0xc0, Version::V1, [SERVER_ID, CLIENT_ID]);
    second.extend([2, 7, 7]);
    second.extend(variable(1 + hello.len() + 16));
    let datagrams = [
        (UP, initial(&first, UP, Version::V1, &hello)),
        (DOWN, retry(SERVER_ID)),
        (UP, protect(&again, UP, &second, &[2], &hello)),
        (DOWN, retry(b"\x66")),
        (DOWN, initial(&again, DOWN, Version::V1, &crypto(0, &answer()))),
    ];
    let engine = talk(&[], &datagrams);
    assert_eq!(story(&engine), ["up hello", "down", "up hello", "down", "down hello"]);
    let row = |time, id| {
        format!(
            "quic {time}: version=1 client_initial_dcid={id} client_scid=c1c1 server_name=a.example \
             client_protocol=h3 history=ISr"
        )
    };
    let weird = "weird QUIC_many_protocols: [h3, h3-29]";
    let (first, second) = (row(1, "f0f0f0f0f0f0f0f0"), row(3, "5e5e5e5e"));
    let rows = zeek_rows(&datagrams);
    assert_eq!(rows[..6], ["service quic", "service ssl", weird, &first, weird, &second]);
}

#[test]
fn a_server_may_answer_in_another_version() {
    let hello = initial(&keys(Version::V1, FIRST_ID), UP, Version::V1, &crypto(0, &greeting()));
    let other = initial(&keys(Version::V2, FIRST_ID), DOWN, Version::V2, &crypto(0, &answer()));
    let datagrams = [(UP, hello), (DOWN, other)];
    assert_eq!(story(&talk(&[], &datagrams)), ["up hello", "down hello"]);
    assert_eq!(history(&datagrams), ["ISis"]);
}

#[test]
fn what_is_wrong() {
    let keys = keys(Version::V1, FIRST_ID);
    let whole = initial(&keys, UP, Version::V1, &crypto(0, &greeting()));
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    let packet = |frames: &[u8]| initial(&keys, UP, Version::V1, frames);
    let far = [&[6, 0x80][..], &(MAX_LENGTH as u32).to_be_bytes()[1..], &[1, 9], &[0; 20]].concat();
    let unknown =
        [long(0xc0, Version(0x1a2a_3a4a), [FIRST_ID, CLIENT_ID]), vec![0, 5, 1, 2, 3, 4, 5]].concat();
    type Case<'a> = (Vec<u8>, Outcome, &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (whole.clone(), Outcome::Ok, &["up hello"]),
        (changed, Outcome::Refused, &["up failed_decrypt"]),
        (whole[..60].to_vec(), Outcome::Refused, &["up error_on_header"]),
        (packet(&[6, 0, 40, 1]), Outcome::Refused, &["up error_on_data"]),
        (packet(&far), Outcome::Ok, &["up crypto_frag_too_long"]),
        (packet(&crypto(0, b"\x02\0\0\x01x")), Outcome::Ok, &["up"]),
        (unknown, Outcome::Ok, &["up"]),
        (vec![0x80, 0, 0, 0, 0, 0, 1, 7, 0, 0, 0, 1], Outcome::Ok, &["up"]),
        (vec![0x40; 30], Outcome::Ok, &[]),
        (
            [packet(&[0; 30]), secret(0xd0, Version::V1, [FIRST_ID, CLIENT_ID])].concat(),
            Outcome::Ok,
            &["up", "up"],
        ),
        ([whole, secret(0xd0, Version::V1, [FIRST_ID, CLIENT_ID])].concat(), Outcome::Ok, &["up hello"]),
    ];
    for (datagram, outcome, expected) in cases {
        let mut engine = open(&[]);
        assert_eq!(engine.push(UP, datagram), *outcome, "{expected:?}");
        assert_eq!(story(&engine), *expected);
    }
}

#[test]
fn packets_and_transactions_are_bounded() {
    let many = secret(0xe0, Version::V1, [&[], &[]]).repeat(500);
    let mut engine = open(&[]);
    for _ in 0..20 {
        assert_eq!(engine.push(UP, &many), Outcome::Ok);
    }
    assert_eq!(engine.parser.created(), 256);
}

/// Returns a connection's services and rows in Zeek's logs.
fn zeek_rows(datagrams: &[Datagram]) -> Vec<String> {
    logged(&zeek::DATAGRAMS, datagrams).lines
}

fn history(datagrams: &[Datagram]) -> Vec<String> {
    let rows = zeek_rows(datagrams).into_iter().filter(|row| row.starts_with("quic "));
    rows.map(|row| row.split("history=").nth(1).unwrap().to_owned()).collect()
}

#[test]
fn zeek_of_a_conversation() {
    for (version, name) in [(Version::V1, "1"), (Version::V2, "quicv2"), (Version(0xff00_001d), "draft-29")] {
        let quic = format!(
            "quic 1: version={name} client_initial_dcid=f0f0f0f0f0f0f0f0 client_scid=c1c1 server_scid=5e5e5e5e \
             server_name=a.example client_protocol=h3 history=IISXishoHOO"
        );
        let ssl = "ssl 2: version=TLSv13 cipher=TLS_AES_128_GCM_SHA256 curve=x25519 server_name=a.example \
                   resumed=F established=F ssl_history=Cs";
        let expected = ["service quic", "service ssl", "weird QUIC_many_protocols: [h3, h3-29]", &quic, ssl];
        assert_eq!(zeek_rows(&conversation(version)), expected);
    }
}

#[test]
fn zeeks_histories() {
    let first = keys(Version::V1, FIRST_ID);
    let hello = initial(&first, UP, Version::V1, &crypto(0, &greeting()));
    let close =
        |direction| initial(&first, direction, Version::V1, &[&[0x1c, 1, 0, 0][..], &[0; 20]].concat());
    let short = [&[0x41][..], &[3; 40]].concat();
    let (up, down) = ([FIRST_ID, CLIENT_ID], [CLIENT_ID, SERVER_ID]);
    let unknown = [long(0xc0, Version(0x5130_3530), up), vec![0; 30]].concat();
    let broken = [&long(0xc0, Version::V1, up)[..], &[0, 0x7f, 0xff, 1, 2]].concat();
    let many_short = vec![(UP, short.clone()); 9];
    let mut shorts = vec![(UP, hello.clone())];
    shorts.extend(many_short);
    shorts.push((DOWN, short.clone()));
    let mut long_one = vec![(UP, hello.clone())];
    long_one.extend(vec![(DOWN, secret(0xe0, Version::V1, down)); 120]);
    type Case<'a> = (Vec<Datagram>, &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (vec![(UP, hello.clone())], &["IS"]),
        (vec![(UP, [hello.clone(), secret(0xd0, Version::V1, up)].concat())], &["ISZ"]),
        (vec![(UP, [&hello[..], &[0; 9]].concat()), (DOWN, vec![0x80; 9])], &["ISXx"]),
        (vec![(UP, hello.clone()), (DOWN, close(DOWN)), (DOWN, close(DOWN))], &["ISic", "ic"]),
        (vec![(UP, hello.clone()), (UP, close(UP))], &["ISI"]),
        (shorts, &["ISOOOOo"]),
        (vec![(UP, short)], &[]),
        (vec![(UP, unknown.clone()), (DOWN, unknown)], &["Uu"]),
        (vec![(UP, broken.clone()), (UP, hello)], &["I"]),
        (long_one, &[&format!("IS{}", "h".repeat(98))]),
    ];
    for (datagrams, expected) in cases {
        assert_eq!(history(datagrams), *expected);
    }
}
