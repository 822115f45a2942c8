//! Conversations led here, through the parser, to fields, EVE records and Zeek's log.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{Outcome, Request as Wish};
use weir_base::Direction;

use super::PGSQL;
use super::request::Request;
use super::transaction::PgsqlTransaction;
use crate::testing::{Conversation, DOWN, Settings, UP, led_in_any_pieces, same_in_any_pieces};

type Said = (Direction, Vec<u8>);

/// A message with its letter and length.
fn message(letter: u8, body: &[u8]) -> Vec<u8> {
    [&[letter][..], &(body.len() as u32 + 4).to_be_bytes(), body].concat()
}

/// A message that a connection begins with.
fn opening(code: u32, body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 8).to_be_bytes()[..], &code.to_be_bytes(), body].concat()
}

fn ssl() -> Said {
    (UP, opening(0x04d2_162f, b""))
}

fn startup() -> Said {
    (UP, opening(0x0003_0000, b"user\0bob\0database\0shop\0application_name\0psql\0DateStyle\0ISO\0\0"))
}

fn up(letter: u8, body: &[u8]) -> Said {
    (UP, message(letter, body))
}

fn down(messages: &[(u8, &[u8])]) -> Said {
    (DOWN, messages.iter().flat_map(|(letter, body)| message(*letter, body)).collect())
}

fn query(text: &str) -> Said {
    up(b'Q', format!("{text}\0").as_bytes())
}

/// Messages that let the client in.
const WELCOME: [(u8, &[u8]); 4] =
    [(b'R', &[0; 4]), (b'S', b"TimeZone\0UTC\0"), (b'K', &[0, 0, 0, 7, 0, 0, 0, 9]), (b'Z', b"I")];

fn login() -> Vec<Said> {
    vec![startup(), down(&[(b'R', b"\0\0\0\x05salt")]), up(b'p', b"md5secret\0"), down(&WELCOME)]
}

fn records(pieces: &[Said], options: &[(&str, &str)]) -> Vec<Value> {
    let conversation = Conversation::of(&PGSQL, &Settings(&[]), pieces);
    let ids = conversation.ids();
    ids.into_iter().filter_map(|id| conversation.eve(id, &Settings(options))).collect()
}

#[test]
fn sessions_and_their_records() {
    let begin = json!({"protocol_version": "3.0", "startup_parameters": {"user": "bob", "optional_parameters":
        [{"database": "shop"}, {"application_name": "psql"}, {"date_style": "ISO"}]}});
    let welcome = json!({"message": "authentication_ok", "parameter_status": [{"time_zone": "UTC"}],
        "process_id": 7, "secret_key": 9});
    let found = records(&[vec![ssl(), (DOWN, b"N".to_vec())], login(), vec![up(b'X', b"")]].concat(), &[]);
    let expected = [
        json!({"tx_id": 1, "request": {"message": "SSL Request"}, "response": {"ssl_accepted": false}}),
        json!({"tx_id": 2, "request": begin, "response": {"authentication_md5_password": "salt"}}),
        json!({"tx_id": 3, "request": {"password_redacted": true}, "response": welcome}),
        json!({"tx_id": 4, "request": {"message": "termination_message"}}),
    ];
    assert_eq!(found, expected);
    let shown = &records(&login(), &[("passwords", "yes")])[1];
    assert_eq!(shown["request"], json!({"password": "md5secret"}));

    let sasl = [
        startup(),
        down(&[(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0")]),
        up(b'p', b"SCRAM-SHA-256\0\0\0\0\x04n,,r"),
        down(&[(b'R', b"\0\0\0\x0br=1")]),
        up(b'p', b"c=2"),
        down(&[(b'R', b"\0\0\0\x0cv=3"), WELCOME[0], WELCOME[3]]),
    ];
    let found = records(&sasl, &[]);
    let expected = [
        json!({"tx_id": 2, "request": {"sasl_authentication_mechanism": "scram_SHA256", "sasl_param": "n,,r"},
            "response": {"message": "authentication_sasl_continue"}}),
        json!({"tx_id": 3, "request": {"sasl_response": "c=2"},
            "response": {"authentication_sasl_final": "v=3", "message": "authentication_ok"}}),
    ];
    assert_eq!(found[1..], expected);
}

#[test]
fn exchanges_and_their_records() {
    const TEXT: &[u8] = b"SERROR\0VERROR\0C22012\0Mdivision by zero\0Dwhy\0Fint.c\0L8\0Rdiv\0\0";
    let cancel = opening(0x04d2_162e, &[0, 0, 0, 7, 0, 0, 0, 9]);
    let copy = |end: Said| vec![up(b'd', b"12345"), up(b'd', b"67"), end];
    // What is said, and the records of it.
    let cases: Vec<(Vec<Said>, Vec<Value>)> = vec![
        (
            vec![
                query("select 1"),
                down(&[
                    (b'T', b"\0\x01a\0rest"),
                    (b'D', b"\0\x01\0\0\0\x03one"),
                    (b'D', b"\0\x01\xff\xff\xff\xff"),
                    (b'C', b"SELECT 2\0"),
                    (b'Z', b"I"),
                ]),
            ],
            vec![json!({"tx_id": 1, "request": {"simple_query": "select 1"}, "response":
                {"field_count": 1, "data_rows": 2, "data_size": 3, "command_completed": "SELECT 2"}})],
        ),
        (
            vec![query("select 1/0"), down(&[(b'E', TEXT)]), down(&[(b'Z', b"I")])],
            vec![json!({"tx_id": 1, "request": {"simple_query": "select 1/0"}, "response":
                {"severity_localizable": "ERROR", "severity_non_localizable": "ERROR", "code": "22012",
                 "message": "division by zero", "detail": "why", "file": "int.c", "line": "8", "routine": "div"}})],
        ),
        (
            [
                vec![query("copy t from stdin"), down(&[(b'G', b"\0\0\x02\0\0\0\0")])],
                copy(up(b'c', b"")),
                vec![down(&[(b'C', b"COPY 2\0"), (b'Z', b"I")])],
            ]
            .concat(),
            vec![
                json!({"tx_id": 1, "request": {"simple_query": "copy t from stdin"},
                    "response": {"copy_in_response": {"columns": 2}}}),
                json!({"tx_id": 2, "request":
                    {"copy_data_in": {"msg_count": 2, "data_size": 7}, "message": "copy_done"},
                    "response": {"command_completed": "COPY 2"}}),
            ],
        ),
        (
            [copy(up(b'f', b"no\0")), vec![down(&[(b'E', b"Mno\0\0"), (b'Z', b"I")])]].concat(),
            vec![json!({"tx_id": 1, "request":
                {"copy_data_in": {"msg_count": 2, "data_size": 7}, "message": "copy_fail"},
                "response": {"message": "no"}})],
        ),
        (
            vec![
                query("copy t to stdout"),
                down(&[(b'H', b"\0\0\x03"), (b'd', b"abc"), (b'd', b"de"), (b'c', b"")]),
                down(&[(b'C', b"COPY 2\0"), (b'Z', b"I")]),
            ],
            vec![json!({"tx_id": 1, "request": {"simple_query": "copy t to stdout"}, "response":
                {"copy_out_response": {"columns": 3}, "copy_data_out": {"row_count": 2, "data_size": 5},
                 "command_completed": "COPY 2"}})],
        ),
        (
            vec![(UP, cancel)],
            vec![json!({"tx_id": 1, "request":
                {"message": "cancel_request", "process_id": 7, "secret_key": 9}})],
        ),
        (
            vec![startup(), down(&[(b'E', b"SFATAL\0Mgo away\0\0")])],
            vec![json!({"tx_id": 1, "request": records(&[startup()], &[])[0]["request"],
                "response": {"severity_localizable": "FATAL", "message": "go away"}})],
        ),
        (
            vec![down(&[(b'D', b"\0\0"), (b'C', b"SELECT 1\0"), (b'Z', b"I")]), down(&[(b'A', b"note")])],
            vec![json!({"tx_id": 1, "response":
                {"data_rows": 1, "data_size": 0, "command_completed": "SELECT 1"}})],
        ),
    ];
    for (pieces, expected) in cases {
        let conversation = same_in_any_pieces(|| Conversation::new(&PGSQL, &Settings(&[])), &pieces);
        assert_eq!(records(&pieces, &[]), expected);
        for id in conversation.ids() {
            assert!(conversation.is_complete(id) || pieces.len() == 1, "{expected:?}");
            assert!(conversation.anomalies(id).is_empty());
        }
    }
}

#[test]
fn answers_belong_to_the_oldest_request() {
    let done = |command: &[u8]| down(&[(b'C', command), (b'Z', b"I")]);
    let pieces = [query("one"), query("two"), done(b"1\0"), query("three"), done(b"2\0"), done(b"3\0")];
    let told: Vec<_> = records(&pieces, &[])
        .into_iter()
        .map(|record| {
            format!("{} {}", record["request"]["simple_query"], record["response"]["command_completed"])
        })
        .collect();
    assert_eq!(told, ["\"one\" \"1\"", "\"two\" \"2\"", "\"three\" \"3\""]);
    // What belongs to the extended protocol is no transaction of its own.
    let extended = [
        login(),
        vec![
            (UP, [message(b'P', b"\0select 1\0\0\0"), message(b'S', b"")].concat()),
            down(&[(b'1', b""), (b'E', b"Mno\0\0"), (b'Z', b"I")]),
            query("next"),
            done(b"4\0"),
        ],
    ];
    let found = records(&extended.concat(), &[]);
    assert_eq!((found.len(), &found[2]["response"]), (3, &json!({"command_completed": "4"})));
    // Nor are the messages that both sides copy.
    let both =
        [query("START_REPLICATION"), down(&[(b'W', b"\0\0\0")]), up(b'd', b"r"), down(&[(b'd', b"w123")])];
    let found = records(&both, &[]);
    assert_eq!((found.len(), &found[0]["response"]["copy_data_out"]["data_size"]), (1, &json!(4)));
}

#[test]
fn queries_for_rules() {
    let pieces = [query("select 'a'"), ssl()];
    let conversation = Conversation::of(&PGSQL, &Settings(&[]), &pieces);
    for (id, expected) in [(0, vec!["select 'a'"]), (1, vec![])] {
        assert_eq!(conversation.values(id, "pgsql.query", UP), expected);
    }
}

#[test]
fn encryption() {
    let tls = Wish::Upgrade(Some("tls"));
    let stop = [Wish::StopParsing(UP), Wish::StopParsing(DOWN)];
    let cases: &[(u32, &[u8], &[Wish])] = &[
        (0x04d2_162f, b"S", &[tls]),
        (0x04d2_162f, b"N", &[]),
        (0x04d2_1630, b"G", &stop),
        (0x04d2_1630, b"N", &[]),
        (0x04d2_162f, b"E\0\0\0\x08Mno\0", &[]),
    ];
    for (code, byte, expected) in cases {
        let pieces = [(UP, opening(*code, b"")), (DOWN, byte.to_vec())];
        let conversation = Conversation::of(&PGSQL, &Settings(&[]), &pieces);
        let wishes = conversation.wishes();
        assert_eq!(format!("{:?}", &wishes[1..]), format!("{expected:?}"), "{byte:?}");
        assert!(matches!(wishes[0], Wish::StreamDepth(0)) && conversation.is_complete(0));
    }
}

#[test]
fn answers_of_requests_sent_together_follow_in_their_order() {
    let notice = message(b'N', b"SNOTICE\0Mlook\0\0");
    let done = |tag: &str| down(&[(b'C', format!("{tag}\0").as_bytes()), (b'Z', b"I")]);
    let pieces = [query("a"), query("b"), (DOWN, notice), done("FIRST"), done("SECOND")];
    let conversation = Conversation::of(&PGSQL, &Settings(&[]), &pieces);
    let told: Vec<String> = conversation
        .ids()
        .into_iter()
        .map(|id| conversation.eve(id, &Settings(&[])).map(|record| record.to_string()).unwrap_or_default())
        .collect();
    // "a" waits, "b" has its own answer, and what was opened for the notice has that of "a".
    let has = |id: usize, text: &str| told[id].contains(text);
    assert!(!has(0, "FIRST") && !has(0, "SECOND"), "{told:?}");
    assert!(has(1, "SECOND") && !has(1, "FIRST"), "{told:?}");
    assert!(has(2, "FIRST") && !has(2, "SECOND"), "{told:?}");
}

#[test]
fn a_notice_opens_another_transaction() {
    let notice = message(b'N', b"SNOTICE\0Mlook\0\0");
    let answer = down(&[(b'C', b"DROP TABLE\0"), (b'Z', b"I")]);
    let mut conversation = Conversation::of(&PGSQL, &Settings(&[]), &[query("drop"), (DOWN, notice.clone())]);
    conversation.talk(&[answer.clone(), query("next"), answer.clone()]);
    let records = || -> Vec<_> { (0..3).map(|id| conversation.eve(id, &Settings(&[])).unwrap()).collect() };
    let done = json!({"command_completed": "DROP TABLE"});
    let expected = [
        json!({"tx_id": 1, "request": {"simple_query": "drop"}}),
        json!({"tx_id": 2, "response": done}),
        json!({"tx_id": 3, "request": {"simple_query": "next"}, "response": done}),
    ];
    assert_eq!(records(), expected);
    assert!(!conversation.is_complete(0) && conversation.is_complete(1));
    conversation.close();
    assert!(conversation.is_complete(0));
    // Behind the beginning of an answer it is part of that, and there is an end to them.
    let rows = [(b'T', &b"\0\x01a\0rest"[..]), (b'N', b"Mlook\0\0"), (b'Z', b"I")];
    assert_eq!(Conversation::of(&PGSQL, &Settings(&[]), &[query("a"), down(&rows)]).ids(), [0]);
    let many = Conversation::of(&PGSQL, &Settings(&[]), &[query("a"), (DOWN, notice.repeat(100))]);
    assert_eq!(many.parser.created(), 65);
}

#[test]
fn anomalies() {
    let long = [query("a"), down(&[(b'S', &[b'M'; 16_000][..]); 6])];
    // What is said, what is odd of the last transaction, and whether the parser gives up.
    let cases: Vec<(Vec<Said>, &[&str], bool)> = vec![
        (vec![(UP, opening(0x00ff_00ff, b""))], &["malformed_request"], false),
        (vec![(UP, opening(0x0003_0000, b"user"))], &["malformed_request"], false),
        (vec![(UP, b"\0\0\0\x04".to_vec())], &["invalid_length"], true),
        (vec![(UP, vec![0, 1, 0, 0])], &["invalid_length"], true),
        (vec![query("a"), (UP, b"Q\0\0\0\x03".to_vec())], &["invalid_length"], true),
        (vec![query("a"), (UP, message(b'?', b""))], &["malformed_request"], false),
        (vec![(UP, message(b'?', b""))], &["malformed_request"], false),
        (vec![query("a"), (DOWN, message(b'?', b""))], &["malformed_response"], false),
        (vec![query("a"), (DOWN, message(b'T', b""))], &["malformed_response"], false),
        (vec![query("a"), (DOWN, b"C\0\0\0\0".to_vec())], &["invalid_length"], true),
        (long.to_vec(), &["too_many_responses"], false),
    ];
    for (pieces, expected, fails) in cases {
        let mut conversation = Conversation::new(&PGSQL, &Settings(&[]));
        for (direction, bytes) in &pieces {
            conversation.push(*direction, bytes);
        }
        assert_eq!(conversation.anomalies(conversation.parser.created() - 1), expected, "{pieces:?}");
        assert_eq!(conversation.outcome == Outcome::Error, fails, "{pieces:?}");
    }
}

#[test]
fn limits() {
    let mut conversation = Conversation::new(&PGSQL, &Settings(&[("max-tx", "3")]));
    conversation.push(UP, &query("a").1.repeat(5));
    for (id, expected) in [(0, &["too_many_transactions"][..]), (1, &["too_many_transactions"]), (4, &[])] {
        assert_eq!(conversation.anomalies(id), expected);
        assert_eq!(conversation.is_complete(id), !expected.is_empty());
    }
    conversation.push(UP, &query("a").1.repeat(5));
    assert_eq!(conversation.parser.created(), 6);
    // A query longer than what is kept, in the middle of others.
    let long = message(b'Q', &vec![b'x'; 700_000]);
    let pieces = [(UP, [long, query("b").1].concat())];
    let conversation = Conversation::of(&PGSQL, &Settings(&[]), &pieces);
    let lengths = [0, 1].map(|id| match &conversation.tx::<PgsqlTransaction>(id).request {
        Request::Query(query) => query.len(),
        _ => 0,
    });
    assert_eq!(lengths, [512 * 1024, 1]);
}

#[test]
fn gaps() {
    let row = message(b'D', &[&b"\0\x01\0\0\x03\xe8"[..], &[b'x'; 1000]].concat());
    let end = down(&[(b'C', b"SELECT 1\0"), (b'Z', b"I")]).1;
    let open = || {
        let mut conversation = Conversation::of(&PGSQL, &Settings(&[]), &[query("a")]);
        conversation.push(DOWN, &row[..100]);
        conversation
    };
    let mut inside = open();
    assert_eq!(inside.gap(DOWN, 200), Outcome::Ok);
    inside.push(DOWN, &row[300..]);
    inside.push(DOWN, &end);
    let record = inside.eve(0, &Settings(&[])).unwrap();
    assert_eq!(
        record["response"],
        json!({"data_rows": 1, "data_size": 1000, "command_completed": "SELECT 1"})
    );

    let mut behind = open();
    assert_eq!(behind.gap(DOWN, 5000), Outcome::Ok);
    assert!(behind.is_complete(0));
    behind.talk(&[(DOWN, b"anything".to_vec()), (DOWN, end.clone()), query("b"), (DOWN, end)]);
    let record = behind.eve(1, &Settings(&[])).unwrap();
    assert_eq!(record["response"], json!({"command_completed": "SELECT 1"}));
}

#[test]
fn zeek_rows() {
    let session = "user=bob database=shop application_name=psql";
    let sasl = [
        startup(),
        down(&[(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0")]),
        up(b'p', b"SCRAM-SHA-256\0\0\0\0\x04n,,r"),
        down(&[(b'E', b"SFATAL\0Mno\0\0")]),
    ];
    let queries = [
        login(),
        vec![
            query("select 1"),
            down(&[(b'N', b"Mlook\0\0"), (b'D', b"\0\0"), (b'Z', b"I")]),
            query("nonsense"),
            down(&[(b'E', b"Mno\0\0"), (b'Z', b"I")]),
            query("copy"),
            down(&[(b'G', b"\0\0\0")]),
            up(b'c', b""),
            down(&[(b'C', b"COPY 0\0"), (b'Z', b"I")]),
            up(b'X', b""),
        ],
    ];
    let cases: Vec<(Vec<Said>, Vec<String>)> = vec![
        (
            vec![ssl(), (DOWN, b"N".to_vec()), startup()],
            vec![
                "1: frontend=ssl_request backend=ssl_reply backend_arg=N success=F".into(),
                format!("3: {session} frontend=startup"),
            ],
        ),
        (
            sasl.to_vec(),
            vec![format!(
                "1: {session} frontend=startup backend=auth_request,error \
                 backend_arg=SASL,SeverityLocalized=FATAL,Message=no success=F"
            )],
        ),
        (
            queries.concat(),
            vec![
                format!("1: {session} frontend=startup backend=auth_ok backend_arg=MD5Password success=T"),
                format!(
                    "5: {session} frontend=simple_query frontend_arg=select 1 backend_arg=Message=look success=T rows=1"
                ),
                format!(
                    "7: {session} frontend=simple_query frontend_arg=nonsense backend=error backend_arg=Message=no success=F"
                ),
                format!("9: {session} frontend=simple_query frontend_arg=copy success=T rows=0"),
                format!("13: {session} frontend=terminate"),
            ],
        ),
    ];
    for (pieces, expected) in cases {
        let mut conversation = Conversation::of(&PGSQL, &Settings(&[]), &pieces);
        conversation.close();
        let rows = conversation.zeek();
        assert_eq!(rows.of("postgresql"), expected);
        assert_eq!(rows.of("service"), ["postgresql"]);
    }
}

#[test]
fn zeek_is_told_of_what_is_none() {
    let mut conversation = Conversation::of(&PGSQL, &Settings(&[]), &[startup()]);
    assert_eq!(conversation.push(DOWN, b"Z\0\0\0\x01\0\0"), Outcome::Error);
    conversation.close();
    let rows = conversation.zeek();
    assert_eq!((rows.of("postgresql").len(), rows.of("violation").is_empty()), (1, false));
    // Unknown messages are reported by then.
    let said = [(UP, b"K\0\0\0\x09\0\0\0\0\0\0\0\0\0")];
    let mut conversation = same_in_any_pieces(|| Conversation::new(&PGSQL, &Settings(&[])), &said);
    assert_eq!(conversation.zeek().of("violation").len(), 1);
}

proptest! {
    #[test]
    fn any_messages_are_taken(
        pieces in proptest::collection::vec(
            (any::<bool>(), proptest::sample::select(&b"RSKENTDCZGHWdcfpQXP1?"[..]), any::<Vec<u8>>(), 0_u8..20),
            0..40,
        ),
    ) {
        let said: Vec<Said> = pieces
            .iter()
            .map(|(from_client, letter, body, cut)| {
                let mut bytes = message(*letter, body);
                bytes.truncate(if *cut == 0 { body.len() } else { bytes.len() });
                (if *from_client { UP } else { DOWN }, bytes)
            })
            .collect();
        let mut conversation = led_in_any_pieces(|| Conversation::new(&PGSQL, &Settings(&[])), &said)?;
        conversation.close();
        prop_assert!(conversation.ids().into_iter().all(|id| conversation.is_complete(id)));
    }

    #[test]
    fn any_bytes_are_taken(pieces in proptest::collection::vec((any::<bool>(), any::<Vec<u8>>()), 0..20)) {
        let mut conversation = Conversation::new(&PGSQL, &Settings(&[]));
        for (from_client, bytes) in pieces {
            conversation.push(if from_client { UP } else { DOWN }, &bytes);
        }
        conversation.close();
        prop_assert!(conversation.ids().into_iter().all(|id| conversation.is_complete(id)));
    }
}
