//! Messages built here, through the parser, to keywords, EVE records and Zeek's log.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{Access, NoOptions, Outcome, ScriptValue};
use weir_base::Direction;

use super::DNP3;
use super::anomaly::Dnp3Anomaly;
use super::link::checksum;
use super::object::Objects;
use super::parser::{MAX_MESSAGE, MAX_OPEN};
use super::settings::Settings;
use super::zeek::{DATAGRAMS, WATCH};
use crate::testing::{Conversation, DOWN, Settings as Texts, UP, logged, same_in_any_pieces, watched};

/// A frame from the master, or to it.
fn frame(direction: Direction, data: &[u8]) -> Vec<u8> {
    frame_to(4, direction, data)
}

/// Makes a frame to a station.
fn frame_to(station: u8, direction: Direction, data: &[u8]) -> Vec<u8> {
    let control = if direction == UP { 0xc4 } else { 0x44 };
    let mut bytes = vec![5, 0x64, data.len() as u8 + 5, control, station, 0, 3, 0];
    bytes.extend(checksum(&bytes).to_le_bytes());
    for block in data.chunks(16) {
        bytes.extend(block);
        bytes.extend(checksum(block).to_le_bytes());
    }
    bytes
}

/// A message in one frame.
fn message(direction: Direction, function: u8, objects: &[u8]) -> Vec<u8> {
    let indications: &[u8] = if direction == UP { b"" } else { b"\x90\x02" };
    frame(direction, &[&[0xc0, 0xc1, function], indications, objects].concat())
}

fn talk(pieces: &[(Direction, Vec<u8>)]) -> Conversation {
    Conversation::of(&DNP3, &NoOptions, pieces)
}

fn record(found: &Conversation, id: u64) -> Value {
    found.eve(id, &NoOptions).unwrap()
}

#[test]
fn requests_and_responses() {
    let found = talk(&[
        (UP, message(UP, 1, b"\x3c\x02\x06\x01\x02\x01\x03\0\x05\0")),
        (DOWN, message(DOWN, 129, b"\x01\x02\0\x03\x04\x81\x01")),
        (DOWN, message(DOWN, 130, b"")),
    ]);
    assert_eq!(
        record(&found, 0),
        json!({
            "type": "request",
            "control": {"dir": true, "pri": true, "fcb": false, "fcv": false, "function_code": 4},
            "src": 3, "dst": 4,
            "application": {
                "control": {"fir": true, "fin": true, "con": false, "uns": false, "sequence": 1},
                "function_code": 1,
                "objects": [
                    {"group": 60, "variation": 2, "qualifier": 6, "prefix_code": 0, "range_code": 6,
                     "start": 0, "stop": 0, "count": 0},
                    {"group": 1, "variation": 2, "qualifier": 1, "prefix_code": 0, "range_code": 1,
                     "start": 3, "stop": 5, "count": 3},
                ],
                "complete": true,
            },
        })
    );
    let response = record(&found, 1);
    assert_eq!(response["type"], "response");
    assert_eq!(response["iin"], json!({"indicators": ["device_restart", "need_time", "object_unknown"]}));
    let point = |index: u8, state: u8| {
        json!({"prefix": 0, "index": index, "online": 1, "restart": 0, "comm_lost": 0, "remote_forced": 0,
               "local_forced": 0, "chatter_filter": 0, "reserved": 0, "state": state})
    };
    assert_eq!(response["application"]["objects"][0]["points"], json!([point(3, 1), point(4, 0)]));
    let unsolicited = record(&found, 2);
    assert_eq!(unsolicited["type"], "unsolicited_response");
    assert_eq!(unsolicited["application"].get("objects"), None);
    for id in 0..3 {
        assert!(found.is_complete(id) && found.anomalies(id).is_empty(), "{id}");
    }
}

/// Objects, and what their points are in records.
#[test]
fn points() {
    let cases: &[(&[u8], Value)] = &[
        (
            b"\x0c\x01\x17\x01\x0a\x41\x02\x03\0\0\0\x04\0\0\0\x05",
            json!([{"prefix": 10, "index": 10, "op_type": 1, "qu": 0, "cr": 0, "tcc": 1, "count": 2, "ontime": 3,
                    "offtime": 4, "status_code": 5, "reserved": 0}]),
        ),
        (
            b"\x0a\x01\x01\x08\0\x0a\0\x05",
            json!([{"prefix": 0, "index": 8, "state": 1}, {"prefix": 0, "index": 9, "state": 0},
                   {"prefix": 0, "index": 10, "state": 1}]),
        ),
        (
            b"\x03\x01\0\0\x01\x06",
            json!([{"prefix": 0, "index": 0, "state": 2}, {"prefix": 0, "index": 1, "state": 1}]),
        ),
        (
            b"\x1e\x04\0\x02\x02\xfe\xff",
            json!([{"prefix": 0, "index": 2, "value": 18_446_744_073_709_551_614u64}]),
        ),
        (
            b"\x29\x03\x28\x01\0\x07\0\0\0\xc0\x3f\0",
            json!([{"prefix": 7, "index": 7, "value": 1.5, "control_status": 0}]),
        ),
        (b"\x32\x01\x07\x01\x01\x02\0\0\0\0", json!([{"prefix": 0, "index": 0, "timestamp": 513}])),
        // Eight packed points take a second byte.
        (b"\x50\x01\0\x07\x07\x80", json!([{"prefix": 0, "index": 7, "state": 0}])),
        (b"\x02\x01\x17\x01\x03\x81", json!([{"prefix": 3, "index": 3, "state": 129}])),
        // A file is opened, and what is said of it.
        (
            b"\x46\x03\x5b\x01\x1d\0\x1a\0\x03\0\0\0\0\0\0\0\xff\x01\0\0\0\0\0\0\0\0\x02\0\0\x04\x06\0a.b",
            json!([{"prefix": 29, "index": 0, "size": 29, "filename_offset": 26, "filename_size": 3, "created": 0,
                    "permissions": 511, "authentication_key": 0, "file_size": 0, "operational_mode": 2,
                    "maximum_block_size": 1024, "request_id": 6, "filename": "a.b"}]),
        ),
        (
            b"\x46\x06\x5b\x01\x0b\0\x01\0\0\0\x02\0\0\x80\x03ok",
            json!([{"prefix": 11, "index": 0, "size": 11, "file_handle": 1, "block_number": 2_147_483_650u32,
                    "status_code": 3, "optional_text": "ok"}]),
        ),
        (
            b"\x78\x02\x5b\x01\x08\0\x01\0\0\0\x02\0\xab\xcd",
            json!([{"prefix": 8, "index": 0, "size": 8, "csq": 1, "usr": 2, "data->mac_value": "q80="}]),
        ),
        (
            b"\x14\x06\0\0\x01\x05\0\x06\0",
            json!([{"prefix": 0, "index": 0, "count": 5}, {"prefix": 0, "index": 1, "count": 6}]),
        ),
    ];
    for (objects, expected) in cases {
        let found = talk(&[(UP, message(UP, 2, objects))]);
        let application = &record(&found, 0)["application"];
        assert_eq!(application["objects"][0]["points"], *expected, "{objects:02x?}");
        assert_eq!(application["complete"], true, "{objects:02x?}");
    }
}

#[test]
fn what_is_not_understood() {
    let cases: &[(&[u8], usize, &[&str])] = &[
        // An unknown object, after one that is known.
        (b"\x3c\x02\x06\xc8\x01\x07\x01x", 2, &["UNKNOWN_OBJECT"]),
        (b"\x01\x02\0\x03\x04\x81", 1, &["UNKNOWN_OBJECT"]),
        (b"\x01\x02\x0f", 1, &[]),
        (b"\x01\x02\0\x03", 1, &[]),
        (b"\x01", 0, &[]),
        (b"\x01\x01\x09\xff\xff\xff\xff", 1, &["TOO_MANY_POINTS"]),
    ];
    // Points before one that is cut short are there; of a file's block that is too long, nothing.
    let cases_of_points: &[(&[u8], usize)] = &[
        (b"\x01\x02\0\x03\x04\x81", 1),
        (b"\x01\x01\0\0\x0f\xff", 8),
        (b"\x46\x05\x5b\x01\x09\x01\0\0\0\0\0\0\0\0", 0),
        (b"\x46\x05\x1b\x01\x09\0\0\0\0\0\0\0\0", 0),
    ];
    for (objects, count) in cases_of_points {
        let found = talk(&[(UP, message(UP, 2, objects))]);
        let application = &record(&found, 0)["application"];
        assert_eq!(
            application["objects"][0]["points"].as_array().map_or(0, Vec::len),
            *count,
            "{objects:02x?}"
        );
        assert_eq!(found.anomalies(0), ["UNKNOWN_OBJECT"], "{objects:02x?}");
    }
    for (objects, count, anomalies) in cases {
        let found = talk(&[(UP, message(UP, 2, objects))]);
        let application = &record(&found, 0)["application"];
        assert_eq!(application["objects"].as_array().map_or(0, Vec::len), *count, "{objects:02x?}");
        assert_eq!((found.anomalies(0), &application["complete"]), (anomalies.to_vec(), &json!(false)));
    }
}

#[test]
fn limits_of_a_message() {
    for limits in [Settings::default(), Settings { max_objects: 5, max_points: 9, ..Settings::default() }] {
        let read = |message: &[u8]| Objects::read(message, 0, true, &limits);
        let many = read(&[60u8, 2, 6].repeat(limits.max_objects + 1));
        assert_eq!(many.list.len(), limits.max_objects);
        assert_eq!(many.anomaly, Some(Dnp3Anomaly::TooManyObjects));
        let count = limits.max_points as u16;
        let points = [&[1, 1, 8][..], &count.to_le_bytes(), &vec![0; limits.max_points / 8 + 1]].concat();
        assert!(read(&points).complete);
        assert_eq!(read(&points.repeat(2)).anomaly, Some(Dnp3Anomaly::TooManyPoints));
    }
}

fn matches(found: &Conversation, id: u64, name: &str, option: &str, direction: Direction) -> bool {
    let field = DNP3.fields.iter().find(|field| field.name == name).unwrap();
    let Access::Check(parse) = field.access else { panic!("no check") };
    parse(Some(option)).unwrap().matches(found.transaction(id), direction)
}

#[test]
fn what_rules_ask_for() {
    let found =
        talk(&[(UP, message(UP, 5, b"\x3c\x02\x06")), (DOWN, message(DOWN, 129, b"\x01\x02\0\x03\x03\x81"))]);
    assert_eq!(found.values(0, "dnp3.func", UP), ["5"]);
    assert_eq!(found.values(0, "dnp3_func", DOWN), [""; 0]);
    assert_eq!(found.values(0, "dnp3_data", UP), ["\u{fffd}\u{5}<\u{2}\u{6}"]);
    for (id, name, option, direction, expected) in [
        (0, "dnp3_obj", "60,2", UP, true),
        (0, "dnp3_obj", "60,3", UP, false),
        (0, "dnp3_obj", "60,2", DOWN, false),
        (1, "dnp3_obj", "1,2", DOWN, true),
        (1, "dnp3_ind", "need_time,local_control", DOWN, true),
        (1, "dnp3_ind", "local_control", DOWN, false),
        (1, "dnp3_ind", "0x0002", DOWN, true),
    ] {
        assert_eq!(matches(&found, id, name, option, direction), expected, "{name} {option}");
    }
}

#[test]
fn messages_of_several_frames() {
    let objects = [60u8, 2, 6].repeat(8);
    let first = frame(UP, &[&[0x45, 0xc2, 1][..], &objects].concat());
    let middle = frame(UP, &[&[0x06][..], &objects].concat());
    let last = frame(UP, &[&[0x87][..], &objects].concat());
    let said = [(UP, [first.clone(), middle.clone(), last.clone()].concat())];
    let found = same_in_any_pieces(|| Conversation::new(&DNP3, &NoOptions), &said);
    assert_eq!(record(&found, 0)["application"]["objects"].as_array().unwrap().len(), 24);

    // One is missing, then all of it is said again.
    let found = talk(&[(UP, [first.clone(), last, first].concat())]);
    assert_eq!((found.ids().len(), found.is_complete(0), found.eve(0, &NoOptions)), (2, true, None));
    assert!(!found.is_complete(1));
}

#[test]
fn messages_to_several_stations() {
    let first = frame(UP, b"\x40\xc2\x01\x3c\x02\x06");
    let to_others: Vec<u8> =
        (10..10 + MAX_OPEN as u8).flat_map(|to| frame_to(to, UP, b"\x40\xc2\x01")).collect();
    let last = frame(UP, b"\x81\x3c\x03\x06");
    let one_other = frame_to(9, UP, b"\x40\xc2\x05");
    let whole = |said: &[&[u8]]| {
        let found = talk(&[(UP, said.concat())]);
        (
            found.ids().len(),
            found
                .eve(0, &NoOptions)
                .map_or_else(|| json!(found.anomalies(0)), |record| record["application"]["objects"].clone()),
        )
    };
    let (count, objects) = whole(&[&first, &one_other, &last]);
    assert_eq!((count, objects.as_array().unwrap().len()), (2, 2));
    assert_eq!(
        whole(&[&first, &to_others, &last]),
        (1 + MAX_OPEN, json!(["FLOODED"])),
        "the oldest one went"
    );
}

#[test]
fn headers_in_two_frames() {
    let found = talk(&[(UP, [frame(UP, b"\x40\xc2"), frame(UP, b"\x81\x05\x3c\x02\x06")].concat())]);
    assert_eq!(record(&found, 0)["application"]["function_code"], 5);
    assert_eq!((found.values(0, "dnp3_func", UP), found.anomalies(0).len()), (vec!["5".to_owned()], 0));
    let found = talk(&[(UP, [frame(UP, b"\x40\xc2"), frame(UP, b"\x81")].concat())]);
    assert_eq!((found.anomalies(0), found.eve(0, &NoOptions)), (vec!["MALFORMED"], None));
}

#[test]
fn wrong_frames_and_limits() {
    let mut wrong_data = message(UP, 1, b"\x3c\x02\x06");
    let last = wrong_data.len() - 1;
    wrong_data[last] ^= 1;
    let mut wrong_header = message(UP, 1, b"");
    wrong_header[8] ^= 1;
    let found = talk(&[
        (UP, [&wrong_header[..], b"in between", &message(UP, 1, b"")].concat()),
        (UP, wrong_data),
        (UP, message(UP, 0, b"")),
        (UP, frame(UP, b"\xc0\xc1")),
    ]);
    assert_eq!((found.ids(), found.is_complete(0)), (vec![0], true));

    let mut long = Conversation::new(&DNP3, &NoOptions);
    long.push(UP, &frame(UP, b"\x40\xc0\x01"));
    for sequence in 1..=MAX_MESSAGE / 240 + 1 {
        long.push(UP, &frame(UP, &[&[sequence as u8 & 0x3f][..], &[0; 240]].concat()));
    }
    assert_eq!((long.anomalies(0), long.is_complete(0)), (vec!["MALFORMED"], true));

    for (texts, most) in [(&[][..], 32), (&[("max-tx", "3")], 3)] {
        let mut flood = Conversation::new(&DNP3, &Texts(texts));
        flood.push(UP, &message(UP, 1, b"").repeat(most + 2));
        let flooded = [most - 1, most, most + 1].map(|id| flood.anomalies(id as u64).len());
        assert_eq!((flood.ids().len(), flooded), (most + 2, [0, 1, 1]));
    }

    let mut gap = Conversation::new(&DNP3, &NoOptions);
    gap.push(UP, &frame(UP, b"\x40\xc0\x01"));
    assert_eq!(gap.gap(UP, 5), Outcome::Ok);
    assert!(gap.is_complete(0));
    gap.push(UP, &[b"rest of it", &message(UP, 1, b"")[..]].concat());
    assert!(gap.is_complete(1));
}

#[test]
fn zeek() {
    let mut found = Conversation::new(&DNP3, &NoOptions);
    found.as_zeek = true;
    found.talk(&[
        (DOWN, message(DOWN, 130, b"")),
        (UP, message(UP, 1, b"")),
        (DOWN, message(DOWN, 129, b"")),
        (UP, message(UP, 99, b"")),
    ]);
    let rows = found.zeek();
    assert_eq!(
        rows.of("dnp3"),
        [
            "1: fc_reply=UNSOLICITED_RESPONSE iin=36866",
            "3: fc_request=READ fc_reply=RESPONSE iin=36866",
            "4: fc_request=unknown-99",
        ]
    );
    assert_eq!(rows.of("service"), ["dnp3_tcp"]);
}

#[test]
fn datagrams() {
    let response = message(DOWN, 129, b"\x01\x02\0\x03\x03\x81");
    let (first, last) = (frame(DOWN, b"\x40\xc1\x81\x90\x02"), frame(DOWN, b"\x81more"));
    let datagrams = [
        (UP, message(UP, 1, b"")),
        (DOWN, [&response[..], &response[..20]].concat()),
        (DOWN, first),
        (DOWN, last),
        (UP, message(UP, 2, b"")),
    ];
    assert!(datagrams.iter().all(|(_, payload)| (DATAGRAMS.fits)(payload)));
    let rows = logged(&DATAGRAMS, &datagrams);
    assert_eq!(
        rows.of("dnp3"),
        [
            "2: fc_request=READ fc_reply=RESPONSE iin=36866",
            "4: fc_reply=RESPONSE iin=36866",
            "5: fc_request=WRITE",
        ]
    );
    assert_eq!(rows.of("service"), ["dnp3_udp"]);
}

proptest! {
    #[test]
    fn any_bytes(pieces in prop::collection::vec((any::<bool>(), any::<u8>(), prop::collection::vec(any::<u8>(), 0..60)), 0..20)) {
        let mut found = Conversation::new(&DNP3, &NoOptions);
        for (up, function, bytes) in &pieces {
            let direction = if *up { UP } else { DOWN };
            let bytes = if function % 3 == 0 { frame(direction, bytes) } else { message(direction, *function, bytes) };
            found.push(direction, &bytes);
        }
        found.summary();
    }
}

#[test]
fn zeek_of_odd_frames() {
    let sound = message(UP, 1, b"\x3c\x02\x06");
    let bare = frame(UP, b"");
    let with = |place: usize| {
        let mut bytes = sound.clone();
        bytes[place] ^= 1;
        bytes
    };
    for (payload, expected) in [
        (sound.repeat(2), &[][..]),
        (bare, &[]),
        (with(0), &["dnp3_header_lacks_magic"]),
        (with(4), &["dnp3_corrupt_header_checksum"]),
        (with(12), &["dnp3_corrupt_app_chunk_checksum"]),
        (message(DOWN, 129, b""), &["dnp3_unexpected_flow_direction"]),
    ] {
        assert_eq!(watched(&WATCH, 20000, &[(true, &payload)]), expected, "{payload:02x?}");
    }
}

/// A member of a table, by its names.
fn member<'a>(mut value: &'a ScriptValue, path: &[&str]) -> &'a ScriptValue {
    for name in path {
        value = match value {
            ScriptValue::Map(members) => {
                &members
                    .iter()
                    .find(|(known, _)| known == name.as_bytes())
                    .unwrap_or_else(|| panic!("{name}"))
                    .1
            }
            ScriptValue::List(values) => &values[name.parse::<usize>().unwrap()],
            _ => panic!("{name}"),
        };
    }
    value
}

#[test]
fn what_scripts_see() {
    let found = talk(&[
        (UP, message(UP, 2, b"\x29\x03\x28\x01\0\x07\0\0\0\xc0\x3f\0")),
        (DOWN, message(DOWN, 129, b"\x01\x02\0\x03\x04\x81\x01")),
    ]);
    let told = |id| (DNP3.scripts[0].methods[0].call)(found.transaction(id), None).remove(0);
    let number = ScriptValue::Integer;
    let request = told(0);
    for (path, expected) in [
        (&["is_request"][..], ScriptValue::Boolean(true)),
        (&["request", "application_header", "function_code"], number(2)),
        (&["request", "complete"], ScriptValue::Boolean(true)),
        (&["request", "objects", "0", "group"], number(41)),
        (&["request", "objects", "0", "points", "0", "index"], number(7)),
        (&["request", "objects", "0", "points", "0", "value"], ScriptValue::Number(1.5)),
    ] {
        assert_eq!(*member(&request, path), expected, "{path:?}");
    }
    let response = told(1);
    assert_eq!(*member(&response, &["response", "objects", "0", "points", "1", "index"]), number(4));
    assert_eq!(*member(&response, &["is_request"]), ScriptValue::Boolean(false));
}
