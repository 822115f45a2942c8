//! Messages built here, through the parser, to fields, EVE records and the logs of Zeek.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{NoOptions, Outcome};
use weir_base::Direction;

use super::parser::MAX_HELD;
use super::transaction::{COMPLETE, MqttTransaction};
use super::{MQTT, zeek};
use crate::testing::{Conversation, DOWN, Settings, UP, led_in_any_pieces, same_in_any_pieces};

/// A message: its first byte, and what follows the header.
fn message(first: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    let mut length = body.len();
    loop {
        let more = if length > 0x7f { 0x80 } else { 0 };
        bytes.push(length as u8 & 0x7f | more);
        length >>= 7;
        if more == 0 {
            break;
        }
    }
    bytes.extend_from_slice(body);
    bytes
}

/// Text with its length before it.
fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

/// A CONNECT of a version.
fn connect(version: u8) -> Vec<u8> {
    let properties: &[u8] = if version == 5 { b"\x03\x21\x00\x14" } else { b"" };
    message(0x10, &[&text("MQTT")[..], &[version, 2, 0, 60], properties, &text("me")].concat())
}

/// A PUBLISH with a number, in 3.1.1.
fn publish(flags: u8, id: u16, topic: &str, payload: &str) -> Vec<u8> {
    let id = if flags & 6 == 0 { Vec::new() } else { id.to_be_bytes().to_vec() };
    message(0x30 | flags, &[text(topic), id, payload.into()].concat())
}

/// Makes a message about a packet identifier.
fn about(first: u8, id: u16) -> Vec<u8> {
    message(first, &id.to_be_bytes())
}

/// A session of a version is open.
fn session(version: u8) -> Conversation {
    let connack: &[u8] = if version == 5 { b"\x20\x03\x00\x00\x00" } else { b"\x20\x02\x00\x00" };
    Conversation::of(&MQTT, &NoOptions, &[(UP, &connect(version)[..]), (DOWN, connack)])
}

/// Of each transaction: who began it, the types of its messages, whether it waits, and what is odd.
fn told(conversation: &Conversation) -> Vec<String> {
    let told = conversation.ids().into_iter().map(|id| {
        let tx: &MqttTransaction = conversation.tx(id);
        let side = if tx.meta.only == Some(UP) { '>' } else { '<' };
        let kinds: Vec<_> = tx.messages.iter().map(|message| message.header.kind.to_string()).collect();
        let waits = if tx.waits { " …" } else { "" };
        let odd = conversation.anomalies(id).join(" ");
        format!("{side}{}{waits} {odd}", kinds.join(",")).trim_end().to_owned()
    });
    told.collect()
}

#[test]
fn answers_find_what_they_answer() {
    type Case<'a> = (&'a str, Vec<(Direction, Vec<u8>)>, &'a [&'a str]);
    let cases: Vec<Case<'_>> = vec![
        (
            "fire and forget",
            vec![(UP, publish(0, 0, "a", "x")), (DOWN, publish(1, 0, "a", "x"))],
            &[">3", "<3"],
        ),
        ("at least once", vec![(UP, publish(2, 7, "a", "x")), (DOWN, about(0x40, 7))], &[">3,4"]),
        (
            "exactly once",
            vec![
                (DOWN, publish(4, 7, "a", "x")),
                (UP, about(0x50, 7)),
                (DOWN, about(0x62, 7)),
                (UP, about(0x70, 7)),
            ],
            &["<3,5,6,7"],
        ),
        (
            "two at once, answered the other way round",
            vec![
                (UP, publish(2, 1, "a", "x")),
                (UP, publish(2, 2, "a", "x")),
                (DOWN, about(0x40, 2)),
                (DOWN, about(0x40, 1)),
            ],
            &[">3,4", ">3,4"],
        ),
        (
            "the same number twice: the first one is answered",
            vec![(UP, publish(2, 1, "a", "x")), (UP, publish(10, 1, "a", "x")), (DOWN, about(0x40, 1))],
            &[">3,4", ">3 …"],
        ),
        (
            "subscriptions",
            vec![
                (UP, message(0x82, b"\x00\x01\x00\x01a\x01")),
                (DOWN, message(0x90, b"\x00\x01\x01")),
                (UP, message(0xa2, b"\x00\x02\x00\x01a")),
                (DOWN, about(0xb0, 2)),
            ],
            &[">8,9", ">10,11"],
        ),
        (
            "answers to nothing",
            vec![
                (DOWN, about(0x40, 1)),
                (DOWN, about(0x50, 1)),
                (DOWN, message(0x90, b"\x00\x01\x01")),
                (DOWN, about(0xb0, 1)),
                (DOWN, message(0x20, b"\x00\x00")),
            ],
            &[
                "<4 missing_publish",
                "<5 missing_publish",
                "<9 missing_subscribe",
                "<11 missing_unsubscribe",
                "<2 missing_connect",
            ],
        ),
        (
            "others",
            vec![
                (UP, b"\xc0\x00\x00\x00".to_vec()),
                (DOWN, b"\xd0\x00".to_vec()),
                (UP, publish(6, 1, "a", "x")),
                (UP, connect(4)),
                (UP, b"\xe0\x00".to_vec()),
            ],
            &[">12", ">0 unassigned_msg_type", "<13", ">3 … invalid_qos_level", ">1 … double_connect", ">14"],
        ),
    ];
    for (what, pieces, expected) in cases {
        let mut conversation = session(4);
        conversation.talk(&pieces);
        assert_eq!(told(&conversation)[0], ">1,2", "{what}");
        assert_eq!(told(&conversation)[1..], *expected, "{what}");
    }
}

#[test]
fn before_a_session() {
    let pieces = [
        (UP, publish(2, 1, "a", "x")),
        (DOWN, about(0x40, 1)),
        (DOWN, about(0x70, 1)),
        (UP, message(0x82, b"\x00\x01\x00\x01a\x01")),
        (DOWN, b"\xd0\x00".to_vec()),
    ];
    assert_eq!(
        told(&Conversation::of(&MQTT, &NoOptions, &pieces)),
        [
            ">3,4 unintroduced_message",
            "<7 missing_publish unintroduced_message",
            ">8 … unintroduced_message",
            "<13 unintroduced_message",
        ]
    );
}

#[test]
fn what_makes_no_sense_ends_it() {
    let cases: &[(&str, u8, &[u8])] = &[
        ("a length without end", 4, b"\x30\xff\xff\xff\xff"),
        ("a topic past the end", 4, b"\x30\x03\x00\x05a"),
        ("no number", 4, b"\x40\x01\x00"),
        ("properties past the end", 5, b"\x30\x05\x00\x01a\x7fx"),
        ("a property past the end", 5, b"\x30\x06\x00\x01a\x02\x21\x00"),
        ("no topics", 4, b"\x82\x02\x00\x01"),
        ("nothing where a reason should be", 4, b"\xf0\x00"),
    ];
    for (what, version, bytes) in cases {
        let mut conversation = session(*version);
        assert_eq!(conversation.push(UP, bytes), Outcome::Error, "{what}");
        assert_eq!(told(&conversation)[1..], ["> malformed_traffic"], "{what}");
        assert_eq!(conversation.record(1, &NoOptions).as_deref(), Some(r#"{"mqtt":{}}"#));
    }
}

#[test]
fn limits() {
    let settings = Settings(&[("max-tx", "2"), ("max-msg-length", "8")]);
    let mut conversation = Conversation::new(&MQTT, &settings);
    for id in 1..=4 {
        conversation.push(UP, &publish(2, id, "a", "x"));
    }
    let late = "unintroduced_message too_many_transactions";
    let waits = ">3 … unintroduced_message";
    assert_eq!(told(&conversation), [&format!(">3 {late}")[..], waits, waits, waits]);

    let mut conversation = Conversation::new(&MQTT, &settings);
    let pieces = [&publish(2, 1, "a", "too long")[..], &publish(0, 0, "a", "x"), b"\x30\x7f\x00"].concat();
    conversation.push_in(UP, &pieces, 3);
    conversation.push(UP, &[0; 126]);
    conversation.push(UP, b"\xc0\x00");
    assert_eq!(told(&conversation), [">3", ">3 unintroduced_message", ">3", ">12 unintroduced_message"]);
    assert_eq!(
        conversation.record(0, &NoOptions).unwrap(),
        r#"{"mqtt":{"publish":{"qos":1,"retain":false,"dup":false,"truncated":true,"skipped_length":15}}}"#
    );

    let mut conversation = Conversation::new(&MQTT, &Settings(&[("max-messages", "3")]));
    conversation.talk(&[(UP, &connect(4)[..]), (DOWN, b"\x20\x02\x00\x00")]);
    conversation.push(UP, &publish(4, 1, "a", "x"));
    for _ in 0..3 {
        conversation.push(DOWN, &about(0x50, 1));
    }
    let odd: Vec<_> =
        (1..4).filter(|id| conversation.ids().contains(id)).map(|id| conversation.anomalies(id)).collect();
    assert_eq!(odd, [["too_many_messages"], ["missing_publish"]]);
    assert_eq!(conversation.tx::<MqttTransaction>(1).messages.len(), 3);

    let mut conversation = session(4);
    let large = "x".repeat(1 << 19);
    for id in 0..=(MAX_HELD >> 19) as u16 {
        conversation.push(UP, &publish(2, id, "a", &large));
    }
    let waiting = told(&conversation).iter().filter(|told| *told == ">3 …").count();
    assert_eq!((waiting, conversation.anomalies(1)), ((MAX_HELD >> 19) - 1, vec!["too_many_transactions"]));
}

#[test]
fn messages_that_come_at_once_are_bounded() {
    let mut conversation = session(4);
    conversation.push(UP, &b"\xc0\x00".repeat(MAX_LIVE));
    assert_eq!(conversation.ids().len(), MAX_LIVE);
    assert_eq!(conversation.anomalies(MAX_LIVE as u64 - 1), ["too_many_transactions"]);
}

#[test]
fn the_end_of_a_side_ends_what_it_asked_for() {
    let mut conversation = session(4);
    conversation.push(UP, &publish(2, 1, "a", "x"));
    conversation.push(DOWN, &publish(2, 2, "a", "x"));
    conversation.call(|parser, cx| parser.close(cx, UP));
    let ended = |id, direction| conversation.transaction(id).meta().progress[direction] == COMPLETE;
    assert_eq!((ended(1, UP), ended(2, DOWN)), (true, false));
    conversation.push(DOWN, &about(0x40, 1));
    assert_eq!(told(&conversation)[1..], [">3", "<3 …", "<4 missing_publish"]);
}

/// A conversation that has everything, in 5.0.
fn everything() -> Vec<(Direction, Vec<u8>)> {
    let will = [&b"\x05\x18\x00\x00\x00\x09"[..], &text("will/t"), &text("bye")].concat();
    let user = [&b"\x0a\x26"[..], &text("k1"), &text("v\u{e9}")].concat();
    let hello = [&text("MQTT")[..], &[5, 0xe6, 0, 60], &user, &text("me"), &will, &text("bob"), &text("pw")];
    vec![
        (UP, message(0x10, &hello.concat())),
        (DOWN, message(0x20, b"\x01\x00\x03\x22\x00\x0a")),
        (UP, message(0x3d, &[&text("a/b")[..], b"\x00\x05\x02\x01\x01", b"hi\xff"].concat())),
        (DOWN, message(0x50, b"\x00\x05\x10")),
        (UP, message(0x62, b"\x00\x05")),
        (DOWN, message(0x70, b"\x00\x05\x00\x00")),
        (
            UP,
            message(
                0x82,
                &[&b"\x00\x06\x02\x0b\x07"[..], &text("one"), b"\x01", &text("two"), b"\x02"].concat(),
            ),
        ),
        (DOWN, message(0x90, b"\x00\x06\x00\x01\x80")),
        (UP, message(0xa2, &[&b"\x00\x07\x00"[..], &text("one"), &text("two")].concat())),
        (DOWN, message(0xb0, b"\x00\x07\x00\x00\x11")),
        (UP, message(0xf0, &[&b"\x18\x06\x15"[..], &text("x"), b"\x24\x01"].concat())),
        (UP, message(0xe0, b"\x8b\x00")),
        (UP, message(0xe0, b"\x04")),
    ]
}

#[test]
fn records() {
    let conversation = Conversation::of(&MQTT, &NoOptions, &everything());
    let found: Vec<_> =
        conversation.ids().iter().map(|id| conversation.eve(*id, &NoOptions).unwrap()).collect();
    let head = |qos: u8, retain: bool, dup: bool, more: Value| {
        let mut head = json!({"qos": qos, "retain": retain, "dup": dup});
        head.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        head
    };
    let flags =
        json!({"username": true, "password": true, "will_retain": true, "will": true, "clean_session": true});
    let expected = [
        json!({
            "connect": head(0, false, false, json!({
                "protocol_string": "MQTT", "protocol_version": 5, "client_id": "me", "flags": flags,
                "username": "bob", "password": "pw",
                "will": {"topic": "will/t", "message": "bye", "properties": {"will_delay_interval": 9}},
                "properties": {"k1": "v\u{e9}"},
            })),
            "connack": head(0, false, false, json!({
                "session_present": true, "return_code": 0, "properties": {"topic_alias_maximum": 10},
            })),
        }),
        json!({
            "publish": head(2, true, true, json!({
                "topic": "a/b", "message_id": 5, "message": "hi\\xff",
                "properties": {"payload_format_indicator": 1},
            })),
            "pubrec": head(0, false, false, json!({"message_id": 5, "reason_code": 16})),
            "pubrel": head(1, false, false, json!({"message_id": 5, "reason_code": 0})),
            "pubcomp": head(0, false, false, json!({"message_id": 5, "reason_code": 0})),
        }),
        json!({
            "subscribe": head(1, false, false, json!({
                "message_id": 6, "topics": [{"topic": "one", "qos": 1}, {"topic": "two", "qos": 2}],
                "properties": {"subscription_identifier": 7},
            })),
            "suback": head(0, false, false, json!({"message_id": 6, "qos_granted": [1, 128]})),
        }),
        json!({
            "unsubscribe": head(1, false, false, json!({"message_id": 7, "topics": ["one", "two"]})),
            "unsuback": head(0, false, false, json!({"message_id": 7, "reason_codes": [0, 17]})),
        }),
        json!({"auth": head(0, false, false, json!({
            "reason_code": 24, "properties": {"authentication_method": "x", "maximum_qos": 1},
        }))}),
        json!({"disconnect": head(0, false, false, json!({"reason_code": 139}))}),
        json!({"disconnect": head(0, false, false, json!({"reason_code": 0}))}),
    ];
    assert_eq!(found, expected);
}

#[test]
fn records_are_cut() {
    let conversation = Conversation::of(&MQTT, &NoOptions, &everything());
    let limit = |text| {
        Settings(match text {
            "4" => &[("string-log-limit", "4"), ("passwords", "no")],
            _ => &[("string-log-limit", "3")],
        })
    };
    let of =
        |id, message: &str, key: &str, limit| conversation.eve(id, &limit).unwrap()[message][key].clone();
    assert_eq!(of(0, "connect", "password", limit("4")), Value::Null);
    assert_eq!(of(0, "connect", "will", limit("4"))["topic"], "will[truncated 2 additional bytes]");
    assert_eq!(
        of(2, "subscribe", "topics", limit("4")),
        json!([{"topic": "one", "qos": 1}, {"topic": "t[truncated 2 additional bytes]", "qos": 2}])
    );
    assert_eq!(of(3, "unsubscribe", "topics", limit("3")), json!(["one"]));
    assert_eq!(of(0, "connect", "password", limit("3")), "pw");
}

#[test]
fn bytes_in_records() {
    for (payload, shown) in [
        (&b"plain\n"[..], "plain\n"),
        ("gr\u{fc}n".as_bytes(), "gr\u{fc}n"),
        (b"\xff\xc3\xbc\x00\\", "\\xff\\xc3\\xbc\0\\"),
    ] {
        let mut conversation = session(4);
        conversation.push(UP, &message(0x30, &[&text("a")[..], payload].concat()));
        assert_eq!(conversation.eve(1, &NoOptions).unwrap()["publish"]["message"], shown);
    }
    let mut conversation = session(4);
    conversation.push(UP, &message(0x30, b"\x00\x02\xff\x61"));
    assert_eq!(conversation.eve(1, &NoOptions).unwrap()["publish"]["topic"], "\u{fffd}a");
}

#[test]
fn fields() {
    let conversation = Conversation::of(&MQTT, &NoOptions, &everything());
    let cases: &[(&str, u64, Direction, &[&str])] = &[
        ("mqtt.type", 1, UP, &["3", "5", "6", "7"]),
        ("mqtt.flags", 1, UP, &["9", "0", "0", "0"]),
        ("mqtt.flags", 1, DOWN, &[]),
        ("mqtt.protocol_version", 4, UP, &["5"]),
        ("mqtt.reason_code", 0, UP, &["0"]),
        ("mqtt.reason_code", 1, UP, &["16", "0", "0"]),
        ("mqtt.connack.return_code", 2, UP, &["1", "128"]),
        ("mqtt.reason_code", 3, UP, &["0", "17"]),
        ("mqtt.reason_code", 5, UP, &["139"]),
        ("mqtt.connect.flags", 0, UP, &["230"]),
        ("mqtt.connect.flags", 1, UP, &[]),
        ("mqtt.connect.clientid", 0, UP, &["me"]),
        ("mqtt.connect.username", 0, UP, &["bob"]),
        ("mqtt.connect.password", 0, UP, &["pw"]),
        ("mqtt.connect.willtopic", 0, UP, &["will/t"]),
        ("mqtt.connect.willmessage", 0, UP, &["bye"]),
        ("mqtt.connect.protocol_string", 0, UP, &["MQTT"]),
        ("mqtt.connect.protocol_string", 1, UP, &[]),
        ("mqtt.publish.topic", 1, UP, &["a/b"]),
        ("mqtt.publish.message", 1, UP, &["hi\u{fffd}"]),
        ("mqtt.subscribe.topic", 2, UP, &["one", "two"]),
        ("mqtt.unsubscribe.topic", 3, UP, &["one", "two"]),
        ("mqtt.unsubscribe.topic", 2, UP, &[]),
    ];
    for (name, id, direction, expected) in cases {
        assert_eq!(conversation.values(*id, name, *direction), *expected, "{name} of {id}");
    }
    let few = Settings(&[("subscribe-topic-match-limit", "1"), ("unsubscribe-topic-match-limit", "0")]);
    let conversation = Conversation::of(&MQTT, &few, &everything());
    assert_eq!(conversation.values(2, "mqtt.subscribe.topic", UP), ["one"]);
    assert_eq!(conversation.values(3, "mqtt.unsubscribe.topic", UP), ["one", "two"]);
}

#[test]
fn in_any_pieces() {
    same_in_any_pieces(|| Conversation::new(&MQTT, &NoOptions), &everything());
}

/// Returns the rows of Zeek's logger for messages after a session of 3.1.1.
fn zeek_rows(pieces: &[(Direction, Vec<u8>)]) -> Vec<String> {
    let mut conversation = session(4);
    conversation.as_zeek = true;
    conversation.talk(pieces);
    conversation.zeek().lines[2..].to_vec()
}

#[test]
fn zeek_of_sessions() {
    let refused = message(0x20, b"\x00\x05");
    let talk = [(UP, connect(4)), (DOWN, refused.clone())];
    assert_eq!(
        Conversation::of(&MQTT, &NoOptions, &talk).zeek().lines,
        [
            "service mqtt",
            "mqtt_connect 1: proto_name=MQTT proto_version=3.1.1 client_id=me \
             connect_status=Refused: not authorized",
        ]
    );
    let unasked =
        Conversation::of(&MQTT, &NoOptions, &[(DOWN, message(0x20, b"\x00\x09"))]).zeek().lines.clone();
    assert_eq!(unasked, ["mqtt_connect 1: connect_status=unknown-return-code-9"]);
    // Zeek knows no properties, and reads what they are as something else.
    for (connect, expected) in [(connect(5), Outcome::Error), (connect(4), Outcome::Ok)] {
        let mut conversation = Conversation::new(&MQTT, &NoOptions);
        conversation.as_zeek = true;
        assert_eq!(conversation.push(UP, &connect), expected);
    }
}

#[test]
fn zeek_of_messages() {
    let row = |time: u8, about: &str, rest: &str| format!("mqtt_publish {time}: {about} topic=a {rest}");
    type Case<'a> = (&'a str, Vec<(Direction, Vec<u8>)>, Vec<String>);
    let cases: Vec<Case<'_>> = vec![
        (
            "of both sides",
            vec![(UP, publish(1, 0, "a", "x")), (DOWN, publish(0, 0, "a", &"y".repeat(120)))],
            vec![
                row(3, "from_client=T retain=T qos=at most once status=ok", "payload=x payload_len=1"),
                row(
                    4,
                    "from_client=F retain=F qos=at most once status=ok",
                    &format!("payload={} payload_len=120", "y".repeat(100)),
                ),
            ],
        ),
        (
            "answered",
            vec![
                (UP, publish(2, 1, "a", "x")),
                (UP, publish(4, 2, "a", "x")),
                (DOWN, about(0x50, 2)),
                (DOWN, about(0x40, 1)),
                (UP, about(0x62, 2)),
                (DOWN, about(0x70, 2)),
            ],
            vec![
                row(3, "from_client=T retain=F qos=at least once status=ok", "payload=x payload_len=1"),
                row(4, "from_client=T retain=F qos=exactly once status=ok", "payload=x payload_len=1"),
            ],
        ),
        (
            "not answered, or not in full",
            vec![(UP, publish(2, 1, "a", "x")), (UP, publish(4, 2, "a", "x")), (DOWN, about(0x70, 2))],
            vec![
                row(3, "from_client=T retain=F qos=at least once status=incomplete_qos", "payload=x payload_len=1"),
                row(4, "from_client=T retain=F qos=exactly once status=incomplete_qos", "payload=x payload_len=1"),
            ],
        ),
        (
            "subscriptions",
            vec![
                (UP, message(0x82, b"\x00\x01\x00\x01a\x01\x00\x01b\x00")),
                (DOWN, message(0x90, b"\x00\x01\x01\x00")),
                (UP, message(0xa2, b"\x00\x02\x00\x01a")),
                (DOWN, about(0xb0, 2)),
                (UP, message(0xa2, b"\x00\x03\x00\x01b")),
            ],
            vec![
                "mqtt_subscribe 3: action=MQTT::SUBSCRIBE topics=a,b qos_levels=1,0 granted_qos_level=1 ack=T".into(),
                "mqtt_subscribe 5: action=MQTT::UNSUBSCRIBE topics=a ack=T".into(),
                "mqtt_subscribe 7: action=MQTT::UNSUBSCRIBE topics=b ack=F".into(),
            ],
        ),
    ];
    for (what, pieces, expected) in cases {
        assert_eq!(zeek_rows(&pieces), expected, "{what}");
    }
}

#[test]
fn zeek_waits_some_seconds() {
    let ping = b"\xc0\x00".to_vec();
    let mut talk = vec![(UP, publish(2, 1, "a", "x"))];
    talk.extend(std::iter::repeat_n((UP, ping), 7));
    talk.extend([(UP, publish(2, 2, "a", "x")), (DOWN, about(0x40, 1)), (DOWN, about(0x40, 2))]);
    let found: Vec<_> = zeek_rows(&talk)
        .iter()
        .map(|row| row.split(" qos=").map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let status = |row: &[String]| {
        row[1].split(" status=").nth(1).and_then(|rest| rest.split(' ').next().map(str::to_owned))
    };
    let found: Vec<_> = found.iter().map(|row| (row[0].clone(), status(row))).collect();
    let expected = [(3, "incomplete_qos"), (11, "ok")].map(|(time, status)| {
        (format!("mqtt_publish {time}: from_client=T retain=F"), Some(status.to_owned()))
    });
    assert_eq!(found, expected);
}

#[test]
fn zeek_does_not_wait_with_too_much() {
    let topic = "t".repeat(60_000);
    let count = zeek::MAX_HELD / topic.len() + 1;
    let mut conversation = session(4);
    let all: Vec<_> = (0..count as u16).flat_map(|id| publish(2, id, &topic, "x")).collect();
    conversation.push(UP, &all);
    conversation.push(DOWN, &about(0x40, 0));
    let incomplete = |conversation: &Conversation| {
        conversation.rows.lines.iter().filter(|line| line.contains("status=incomplete_qos")).count()
    };
    assert_eq!(incomplete(&conversation), count);
    conversation.zeek();
    assert_eq!(incomplete(&conversation), count);
}

#[test]
fn zeek_looks_at_messages_as_they_came() {
    let unsubscribe = message(0xa2, b"\0\x01\0\x01t");
    let connack = message(0x20, b"\0\0");
    let unsuback = message(0xb0, b"\0\x01");
    let (late, soon) = (publish(1, 7, "a", "x"), publish(0, 0, "b", "y"));
    let all: [&[&[u8]]; 2] =
        [&[&unsubscribe, &connack, &connack, &unsuback], &[&late, &soon, &about(0x40, 7), &soon]];
    for messages in all {
        let bytes = messages.concat();
        let talk = |length: usize| {
            let mut conversation = session(4);
            conversation.push_in(UP, &bytes, length);
            conversation.zeek().lines.clone()
        };
        assert_eq!(talk(usize::MAX), talk(1));
        assert!(talk(1).len() >= 3);
    }
}

proptest! {
    #[test]
    fn any_segmentation_gives_the_same(
        messages in proptest::collection::vec((0..=255_u8, proptest::collection::vec(0..8_u8, 0..40)), 1..12),
        as_zeek in any::<bool>(),
    ) {
        let bytes: Vec<u8> = messages.iter().flat_map(|(first, body)| message(*first, body)).collect();
        let open = || {
            let mut conversation = session(4);
            conversation.as_zeek = as_zeek;
            conversation
        };
        led_in_any_pieces(open, &[(UP, bytes)])?;
    }

    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        let mut conversation = Conversation::new(&MQTT, &NoOptions);
        conversation.push(UP, &bytes);
        conversation.push(DOWN, &bytes);
        prop_assert_eq!(conversation.ids().len() as u64, conversation.parser.created());
    }
}
