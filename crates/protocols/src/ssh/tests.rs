//! Conversations built here, through the parser, to fields, EVE records and Zeek rows.

use weir_applayer::zeek::Script;
use weir_applayer::{Endpoints, Outcome, Progress, Request, ScriptValue, Transaction, Transport};
use weir_base::Direction;

use super::SSH;
use super::key_exchange::tests::build as offer;
use super::transaction::{BANNER_DONE, BANNER_WAIT_EOL, FINISHED, SshTransaction};
use crate::testing::{Conversation, DOWN, Settings, UP, endpoints, same_in_any_pieces};

fn open(settings: &[(&str, &str)]) -> Conversation {
    Conversation::new(&SSH, &Settings(settings))
}

fn talk(settings: &[(&str, &str)], pieces: &[(Direction, Vec<u8>)]) -> Conversation {
    Conversation::of(&SSH, &Settings(settings), pieces)
}

fn tx(conversation: &Conversation) -> &SshTransaction {
    conversation.tx(0)
}

fn eve(conversation: &Conversation) -> Option<serde_json::Value> {
    conversation.eve(0, &Settings(&[]))
}

fn packet(message: u8, body: &[u8]) -> Vec<u8> {
    let padding = [0; 5];
    let length = (2 + body.len() + padding.len()) as u32;
    [&length.to_be_bytes()[..], &[padding.len() as u8, message], body, &padding].concat()
}

fn kexinit(kex: &str, compression: &str) -> Vec<u8> {
    packet(20, &offer([kex, "ssh-rsa", "aes,chacha", "aes", "mac", "mac", compression, compression]))
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat()
}

fn greeting() -> Vec<(Direction, Vec<u8>)> {
    vec![(DOWN, b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n".to_vec()), (UP, b"SSH-2.0-OpenSSH_9.7\r\n".to_vec())]
}

fn secret() -> Vec<(Direction, Vec<u8>)> {
    [
        (DOWN, 900),
        (UP, 40),
        (DOWN, 44),
        (UP, 60),
        (DOWN, 52),
        (UP, 148),
        (DOWN, 52),
        (UP, 148),
        (DOWN, 28),
        (UP, 100),
    ]
    .map(|(direction, length)| (direction, vec![7; length]))
    .to_vec()
}

/// A conversation whose client is let in at the second attempt.
fn conversation(kex: &str, compression: &str) -> Vec<(Direction, Vec<u8>)> {
    let mut pieces = greeting();
    let groups = kex.starts_with("diffie-hellman-group-exchange-");
    pieces.extend([
        (UP, kexinit(&format!("x,{kex}"), compression)),
        (DOWN, kexinit(&format!("{kex},y"), compression)),
        (UP, packet(30, b"part")),
        (DOWN, packet(31, &if groups { sized(b"prime") } else { sized(b"the key") })),
    ]);
    if groups {
        pieces.push((DOWN, packet(33, &sized(b"the key"))));
    }
    pieces.extend([(DOWN, packet(21, b"")), (UP, packet(21, b""))]);
    pieces.extend(secret());
    pieces
}

#[test]
fn states() {
    let pieces = conversation("curve", "none");
    let mut engine = open(&[]);
    let seen: Vec<_> = pieces
        .iter()
        .map(|(direction, bytes)| {
            assert_ne!(engine.push(*direction, bytes), Outcome::Error);
            engine.progress(0)
        })
        .collect();
    let start = Progress(0);
    let mut expected = vec![(start, BANNER_DONE)];
    expected.extend([(BANNER_DONE, BANNER_DONE); 6]);
    expected.extend([(FINISHED, FINISHED); 11]);
    assert_eq!(seen, expected);
    assert_eq!(engine.anomalies(0), Vec::<&str>::new());
}

#[test]
fn eve_with_and_without_fingerprints() {
    let pieces = conversation("curve", "none");
    let plain = eve(&talk(&[], &pieces)).unwrap();
    assert_eq!(plain["client"]["proto_version"], "2.0");
    assert_eq!(plain["client"]["software_version"], "OpenSSH_9.7");
    assert_eq!(plain["server"]["software_version"], "OpenSSH_9.2p1");
    assert!(plain["client"].get("hassh").is_none());
    for settings in [&[("hassh", "yes")][..], &[("rules-use", "ssh.hassh.server.string")]] {
        let record = eve(&talk(settings, &pieces)).unwrap();
        assert_eq!(record["client"]["hassh"]["string"], "x,curve;aes,chacha;mac;none");
        assert_eq!(record["server"]["hassh"]["string"], "curve,y;aes;mac;none");
        assert_eq!(record["server"]["hassh"]["hash"].as_str().map(str::len), Some(32));
    }
    assert_eq!(eve(&talk(&[], &[(UP, b"SSH".to_vec())])), None);
}

#[test]
fn records_wait_for_fingerprints() {
    for (settings, expected) in [(&[][..], true), (&[("hassh", "yes")], false), (&[("hassh", "no")], true)] {
        let engine = talk(settings, &greeting());
        assert_eq!(tx(&engine).record_is_ready(), expected, "{settings:?}");
    }
    assert!(tx(&talk(&[("hassh", "yes")], &conversation("curve", "none"))).record_is_ready());
}

#[test]
fn encryption_handling() {
    let (up, down) = (Request::StopParsing(UP), Request::StopParsing(DOWN));
    let all = vec![Request::Flush, Request::StopInspection, up.clone(), down.clone(), Request::Encrypted];
    let shown =
        |requests: &[Request]| requests.iter().map(|request| format!("{request:?}")).collect::<Vec<_>>();
    for (handling, expected) in [
        ("track-only", vec![Request::Flush, Request::StopStreamInspection, up.clone()]),
        ("full", vec![up]),
        ("bypass", all),
    ] {
        let engine = talk(&[("encryption-handling", handling)], &conversation("curve", "none"));
        let mut wishes = shown(&engine.wishes());
        wishes.dedup();
        let known = shown(&expected);
        assert_eq!(wishes.get(..known.len()), Some(&known[..]), "{handling}");
        assert!(wishes.contains(&shown(std::slice::from_ref(&down))[0]), "{handling}");
        assert!(!tx(&engine).followed, "{handling}");
    }
}

#[test]
fn anomalies_by_name() {
    let long = [b"SSH-2.0-", &[b'a'; 300][..]].concat();
    let ended = [&long[..], b"\r\n"].concat();
    let cases: &[(Direction, &[u8], Outcome, &[&str])] = &[
        (UP, b"GET / HTTP/1.0\r\n", Outcome::Error, &["invalid_banner"]),
        (UP, b"SSH-2.0\r\n", Outcome::Error, &["invalid_banner"]),
        (DOWN, b"Go away\r\nSSH-2.0-x\r\n", Outcome::Error, &["invalid_banner"]),
        (DOWN, &[b'a'; 9000], Outcome::Error, &["invalid_banner"]),
        (UP, &long, Outcome::Ok, &["long_banner"]),
        (UP, &ended, Outcome::Ok, &["long_banner"]),
        (UP, b"SSH-2.0-x\r\n\0\0\0\x01\0\x14", Outcome::Error, &["invalid_record"]),
        (UP, b"SSH-2.0-x\r\n\0\x02\0\x01\0\x15", Outcome::Error, &["invalid_record"]),
        (UP, b"SSH-2.0-x\r\n\0\x02\0\x01\0\x14abc", Outcome::Ok, &["long_kex_record"]),
        (UP, b"SSH-1.5-x\r\n\0\0\0\x01\0\x14", Outcome::Ok, &[]),
        (UP, b"SSH-2.0-x\r\n\0\0\0\x0c\x01\x02abcdefghij", Outcome::Ok, &[]),
    ];
    for (direction, bytes, outcome, expected) in cases {
        let mut engine = open(&[]);
        assert_eq!(engine.push(*direction, bytes), *outcome, "{bytes:?}");
        assert_eq!(engine.anomalies(0), *expected, "{bytes:?}");
    }
}

#[test]
fn a_banner_without_end() {
    let mut engine = open(&[]);
    for (bytes, expected) in [
        (&[b"SSH-2.0-", &[b'a'; 300][..]].concat()[..], BANNER_WAIT_EOL),
        (b"more", BANNER_WAIT_EOL),
        (b"end\r\n\0\0\0\x0c\x01\x02abcdefghij", BANNER_DONE),
    ] {
        assert_eq!(engine.push(UP, bytes), Outcome::Ok);
        assert_eq!(engine.progress(0).0, expected);
    }
    assert_eq!(engine.push(UP, &kexinit("a", "none")), Outcome::Ok);
    assert!(tx(&engine).sides[UP].offer.is_some());
}

#[test]
fn any_segmentation_gives_the_same_transaction() {
    let mut pieces = vec![(DOWN, b"Hello\r\nyou\r\n".to_vec())];
    pieces.extend(conversation("diffie-hellman-group-exchange-sha256", "none"));
    pieces.truncate(10);
    let open = || {
        let mut conversation = open(&[]);
        conversation.as_zeek = true;
        conversation.rows.scripts = &[Script::SshSoftware];
        conversation
    };
    assert_eq!(tx(&same_in_any_pieces(open, &pieces)).host_key.as_deref(), Some(&b"the key"[..]));
}

#[test]
fn fields_and_scripts_of_both_directions() {
    let engine = talk(&[], &conversation("curve", "none"));
    let cases = [
        ("ssh.proto", UP, "2.0"),
        ("ssh.proto", DOWN, "2.0"),
        ("ssh.software", UP, "OpenSSH_9.7"),
        ("ssh.software", DOWN, "OpenSSH_9.2p1"),
        ("ssh.hassh.string", UP, "x,curve;aes,chacha;mac;none"),
        ("ssh.hassh.server.string", DOWN, "curve,y;aes;mac;none"),
    ];
    for (name, direction, expected) in cases {
        assert_eq!(engine.values(0, name, direction), [expected], "{name}");
    }
    let ask = |engine: &Conversation, name: &str| {
        let method = SSH.scripts[0].methods.iter().find(|method| method.name == name).unwrap();
        (method.call)(tx(engine), None)
    };
    let text = |text: &str| vec![ScriptValue::Bytes(text.as_bytes().to_vec())];
    for (name, expected) in [
        ("client_proto", "2.0"),
        ("server_proto", "2.0"),
        ("client_software", "OpenSSH_9.7"),
        ("server_software", "OpenSSH_9.2p1"),
        ("client_hassh_string", "x,curve;aes,chacha;mac;none"),
        ("server_hassh_string", "curve,y;aes;mac;none"),
    ] {
        assert_eq!(ask(&engine, name), text(expected), "{name}");
    }
    let without = talk(&[("hassh", "no")], &conversation("curve", "none"));
    assert_eq!(ask(&without, "client_hassh"), [ScriptValue::Nil]);
}

fn zeek_rows(port: u16, pieces: &[(Direction, Vec<u8>)]) -> Vec<String> {
    let endpoints = Endpoints { server_port: port, ..endpoints(&SSH, Transport::Tcp) };
    let parser = (SSH.configure)(&Settings(&[])).open(&endpoints);
    let mut conversation = Conversation::with(endpoints, parser);
    conversation.as_zeek = true;
    conversation.rows.scripts = &[Script::SshSoftware];
    conversation.talk(pieces);
    conversation.zeek().lines.clone()
}

#[test]
fn zeek_of_whole_conversations() {
    let software =
        ["software SSH::SERVER OpenSSH_9.2p1 Debian-2", "software SSH::CLIENT OpenSSH_9.7", "service ssh"];
    let sides = "direction=OUTBOUND client=SSH-2.0-OpenSSH_9.7 server=SSH-2.0-OpenSSH_9.2p1 Debian-2";
    let key = "host_key_alg=ssh-rsa host_key_fingerprint=SHA256:OgqsRIMuVVKKg0/sc3eGyZnnuN6ovWAb";
    let cases = [
        ("curve", "none", "auth_success=T auth_attempts=2"),
        ("diffie-hellman-group-exchange-sha1", "none", "auth_success=T auth_attempts=2"),
        ("curve", "zlib", "auth_attempts=0"),
    ];
    for (kex, compression, authentication) in cases {
        let algorithms = format!("cipher_alg=aes mac_alg=mac compression_alg={compression} kex_alg={kex}");
        let row = format!("ssh 1: version=2 {authentication} {sides} {algorithms} {key}");
        let rows = zeek_rows(22, &conversation(kex, compression));
        assert_eq!(rows[..3], software, "{kex} {compression}");
        assert_eq!(rows[3..], [row], "{kex} {compression}");
    }
}

#[test]
fn zeek_of_clients_that_are_not_let_in() {
    let whole = conversation("curve", "none");
    let guess = "habit 10.0.0.1 appears to be guessing SSH passwords (seen in 30 connections).";
    for (left, success, expected) in [(whole.len(), "T", 0), (whole.len() - 2, "F", 1)] {
        let parser = (SSH.configure)(&Settings(&[])).open(&endpoints(&SSH, Transport::Tcp));
        let mut talk = Conversation::with(endpoints(&SSH, Transport::Tcp), parser);
        talk.as_zeek = true;
        talk.rows.scripts = &[Script::SshGuessing];
        talk.talk(&whole[..left]);
        let lines = talk.zeek().lines.clone();
        assert_eq!(lines.iter().filter(|line| *line == guess).count(), expected, "{lines:?}");
        assert!(lines.iter().any(|line| line.contains(&format!("auth_success={success}"))), "{lines:?}");
    }
}

#[test]
fn zeek_of_other_beginnings() {
    let say = |direction, text: &str| (direction, text.as_bytes().to_vec());
    type Case<'a> = (u16, Vec<(Direction, Vec<u8>)>, &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (
            22,
            vec![say(DOWN, "SSH-2.0-x\r\n")],
            &["software SSH::SERVER x", "ssh 1: auth_attempts=0 direction=OUTBOUND server=SSH-2.0-x"],
        ),
        (2222, vec![say(DOWN, "SSH-2.0-x\r\n")], &["software SSH::SERVER x"]),
        (
            2222,
            vec![say(UP, "SSH-1.5-x\r\n"), say(DOWN, "SSH-1.5-y\r\n")],
            &[
                "software SSH::CLIENT x",
                "software SSH::SERVER y",
                "ssh 2: version=1 auth_attempts=0 direction=OUTBOUND client=SSH-1.5-x server=SSH-1.5-y",
            ],
        ),
        (
            22,
            vec![say(UP, "SSH-1.99-x\r\n"), say(DOWN, "SSH-2.0-y\r\n")],
            &[
                "software SSH::CLIENT x",
                "software SSH::SERVER y",
                "ssh 1: version=2 auth_attempts=0 direction=OUTBOUND client=SSH-1.99-x server=SSH-2.0-y",
            ],
        ),
        (
            22,
            vec![say(UP, "SSH-1.5-x\r\n"), say(DOWN, "SSH-2.0-y\r\n")],
            &[
                "software SSH::CLIENT x",
                "software SSH::SERVER y",
                "weird SSH_version_mismatch: SSH-2.0-y vs SSH-1.5-x",
                "ssh 1: auth_attempts=0 direction=OUTBOUND client=SSH-1.5-x server=SSH-2.0-y",
            ],
        ),
    ];
    for (port, pieces, expected) in cases {
        assert_eq!(zeek_rows(*port, pieces), *expected);
    }
}
