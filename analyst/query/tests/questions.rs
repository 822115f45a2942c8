//! Questions over small logs, and their answers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use weir_query::{ArchiveSettings, FileSettings, Form, QUESTIONS, Session, Settings, archive, print};

const EVE: &str = r#"{"timestamp":"2024-01-31T12:00:00.000000+0000","flow_id":1,"event_type":"dns","src_ip":"10.0.0.1","src_port":5000,"dest_ip":"10.0.0.53","dest_port":53,"proto":"UDP","dns":{"type":"request","queries":[{"rrname":"www.example.com","rrtype":"A"}]}}
{"timestamp":"2024-01-31T12:00:01.000000+0000","flow_id":2,"event_type":"http","src_ip":"10.0.0.1","dest_ip":"93.184.216.34","http":{"hostname":"www.example.com","url":"/","http_user_agent":"curl/8","status":200}}
{"timestamp":"2024-01-31T12:00:02.500000+0100","flow_id":2,"event_type":"alert","src_ip":"10.0.0.1","dest_ip":"93.184.216.34","alert":{"signature":"TEST curl","signature_id":7,"severity":2,"metadata":{"mitre":["T1105"]}},"http":{"hostname":"www.example.com"}}
{"timestamp":"2024-01-31T12:00:03.000000+0000","flow_id":3,"event_type":"tls","src_ip":"10.0.0.2","dest_ip":"1.2.3.4","tls":{"sni":"old.example.org","subject":"CN=old","notafter":"2020-01-01T00:00:00"}}
{"timestamp":"2024-01-31T12:01:00.000000+0000","flow_id":2,"event_type":"flow","src_ip":"10.0.0.1","dest_ip":"93.184.216.34","app_proto":"http","flow":{"bytes_toserver":400,"bytes_toclient":2000000,"start":"2024-01-31T12:00:01.000000+0000"}}
{"timestamp":"2024-01-31T12:01:00.000000+0000","flow_id":3,"event_type":"flow","src_ip":"10.0.0.2","dest_ip":"1.2.3.4","flow":{"bytes_toserver":4,"bytes_toclient":5}}
"#;

const CONN: &str = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n#open\t2024-01-31-12-00-00\n\
    #fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tduration\n\
    #types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval\n\
    1706702400.000001\tC1\t10.0.0.1\t5000\t93.184.216.34\t80\ttcp\thttp\t4000.5\n\
    1706702401.000000\tC2\t10.0.0.2\t5001\t10.0.0.3\t22\ttcp\t-\t-\n#close\t2024-01-31-13-00-00\n";

const ZEEK_DNS: &str = "{\"ts\":1706702400.5,\"uid\":\"C3\",\"id.orig_h\":\"10.0.0.1\",\"query\":\"a.b.example.com\",\"AA\":true,\"answers\":[\"1.2.3.4\"]}\n";

fn logs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("eve.json"), EVE).unwrap();
    std::fs::write(folder.path().join("conn.log"), CONN).unwrap();
    std::fs::write(folder.path().join("dns.log"), ZEEK_DNS).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "nothing\n").unwrap();
    folder
}

fn open(paths: &[PathBuf], threads: usize) -> Session {
    Session::open(paths, &Settings { threads, ..Settings::default() }).unwrap()
}

/// Asks a question and returns the answer as CSV without its head, or the error.
fn ask(session: &Session, sql: &str) -> Result<String, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let answer = session.query(sql).await.map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        print(answer, &Form::Csv, &mut out).await.map_err(|error| error.to_string())?;
        let text = String::from_utf8(out).unwrap();
        Ok(text.split_once('\n').unwrap_or_default().1.to_owned())
    })
}

fn asked(folder: &Path, sql: &str) -> Result<String, String> {
    ask(&open(&[folder.to_owned()], 2), sql)
}

#[test]
fn answers() {
    let folder = logs();
    let session = open(&[folder.path().to_owned()], 2);
    let cases = [
        ("select count(*) from flow", "2\n"),
        ("select http.hostname, http.status from http", "www.example.com,200\n"),
        ("select h.http.url from http h", "/\n"),
        ("select timestamp from alert", "2024-01-31T11:00:02.500Z\n"),
        ("select alert.metadata.mitre from alert", "[T1105]\n"),
        ("select http.hostname from alert where alert.signature_id = 7", "www.example.com\n"),
        ("select src_ip from dns where dest_port = 53", "10.0.0.1\n"),
        ("select query, AA, answers[1] from zeek.dns", "a.b.example.com,true,1.2.3.4\n"),
        ("select ts from zeek.dns", "2024-01-31T12:00:00.500Z\n"),
        ("select ts, uid from conn order by ts limit 1", "2024-01-31T12:00:00.000001Z,C1\n"),
        ("select c.id.orig_h from conn c where service is null", "10.0.0.2\n"),
        ("select src_ip from flow where src_ip = '10.0.0.2'", "10.0.0.2\n"),
        ("select count(*) from conn where cidr_match(id.resp_h, '10.0.0.0/8')", "1\n"),
        ("select f.flow_id from flow f join http h on f.flow_id = h.flow_id", "2\n"),
        ("with x as (select flow_id from dns) select * from x", "1\n"),
        ("select 1 + 1", "2\n"),
        ("select flow.start from flow order by 1 nulls last limit 1", "2024-01-31T12:00:01Z\n"),
    ];
    for (sql, expected) in cases {
        assert_eq!(ask(&session, sql).as_deref(), Ok(expected), "{sql}");
    }
    assert_eq!(session.remarks(), Vec::<String>::new());
}

#[test]
fn many_ask_a_new_session_at_once() {
    let folder = logs();
    for _ in 0..20 {
        let session = open(&[folder.path().to_owned()], 2);
        let count = &|table: &str| ask(&session, &format!("select count(*) from {table}"));
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..12)
                .map(|thread| ["dns", "eve.dns", "zeek.dns"][thread % 3])
                .map(|table| scope.spawn(move || count(table)))
                .collect();
            for thread in asked {
                assert_eq!(thread.join().unwrap().as_deref(), Ok("1\n"));
            }
        });
    }
}

#[test]
fn questions_that_analysts_ask() {
    let folder = logs();
    let session = open(&[folder.path().to_owned()], 2);
    let expected = [
        "2,TEST curl,1,1\n",
        "10.0.0.1,93.184.216.34,2000400\n10.0.0.2,1.2.3.4,9\n",
        "www.example.com,10.0.0.1,1\n",
        "",
        "80,1,10.0.0.1\n",
        "2024-01-31T12:00:00.000001Z,C1,10.0.0.1,93.184.216.34,80,http,4000.5\n",
        "curl/8,1,1\n",
        "old.example.org,CN=old,2020-01-01T00:00:00Z,1.2.3.4\n",
        "2024-01-31T11:00:02.500Z,TEST curl,2000000\n",
        "2024-01-31T12:01:00Z,http,1\n2024-01-31T12:01:00Z,unknown,1\n",
    ];
    for (question, expected) in QUESTIONS.iter().zip(expected) {
        let mut lines: Vec<String> =
            ask(&session, question.sql).unwrap().split_inclusive('\n').map(str::to_owned).collect();
        // Rows that are equal in what they are sorted by come in any order.
        if question.sql.ends_with("order by 1, 3 desc") {
            lines.sort();
        }
        assert_eq!(lines.concat(), expected, "{}", question.words);
    }
}

#[test]
fn answers_are_the_same_for_any_number_of_threads_and_any_form_of_the_logs() {
    let folder = logs();
    let sql = "select timestamp, src_ip, dest_ip, app_proto from flow where dest_ip <> 'x'";
    let expected = asked(folder.path(), sql).unwrap();
    for threads in [1, 3, 8] {
        assert_eq!(ask(&open(&[folder.path().to_owned()], threads), sql).unwrap(), expected, "{threads}");
    }
    // The same rows of Parquet, and of both together.
    let session = open(&[folder.path().to_owned()], 2);
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("flow.parquet");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let answer = session.query("select * from flow").await.unwrap();
        print(answer, &Form::Parquet(path.clone()), &mut Vec::new()).await.unwrap();
    });
    assert_eq!(asked(other.path(), sql).unwrap(), expected);
    // Compressed.
    let gz = tempfile::tempdir().unwrap();
    let mut encoder = flate2::write::GzEncoder::new(
        std::fs::File::create(gz.path().join("eve.json.gz")).unwrap(),
        flate2::Compression::fast(),
    );
    std::io::Write::write_all(&mut encoder, EVE.as_bytes()).unwrap();
    encoder.finish().unwrap();
    assert_eq!(asked(gz.path(), sql).unwrap(), expected);
}

/// Keeps all tables of a session.
fn kept(session: &Session, folder: &Path) -> Vec<(String, u64, u64)> {
    let settings =
        ArchiveSettings { folder: folder.to_owned(), files: FileSettings { roll: 1 << 30, level: 1 } };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let keep = |table: &weir_query::TableName| {
        let archived = runtime.block_on(archive(session, table, &settings)).unwrap();
        (format!("{}.{}", table.schema, table.table), archived.rows, archived.files)
    };
    session.tables().iter().map(|listed| keep(&listed.name)).collect()
}

#[test]
fn records_that_are_kept_answer_the_same() {
    let folder = logs();
    let session = open(&[folder.path().to_owned()], 2);
    let archive = tempfile::tempdir().unwrap();
    let tables = kept(&session, archive.path());
    let names = ["eve.alert", "eve.dns", "eve.flow", "eve.http", "eve.tls", "zeek.conn", "zeek.dns"];
    assert_eq!(tables.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(tables[2], ("eve.flow".to_owned(), 2, 1));
    assert!(archive.path().join("eve/flow/2024-01-31T12.parquet").exists());
    let other = open(&[archive.path().to_owned()], 2);
    for question in &QUESTIONS {
        assert_eq!(ask(&other, question.sql), ask(&session, question.sql), "{}", question.words);
    }
    // Once more, beside what is there.
    kept(&session, archive.path());
    assert_eq!(asked(archive.path(), "select count(*) from flow").unwrap(), "4\n");
    assert!(archive.path().join("eve/flow/2024-01-31T12-1.parquet").exists());
    // A column that is a number in one file and a text in another.
    std::fs::write(
        folder.path().join("eve.json"),
        EVE.replace("\"bytes_toserver\":400", "\"bytes_toserver\":\"many\""),
    )
    .unwrap();
    kept(&open(&[folder.path().to_owned()], 2), archive.path());
    let sql = "select flow.bytes_toserver from flow where flow_id = 2 order by 1";
    assert_eq!(asked(archive.path(), sql).unwrap(), "400\n400\nmany\n");
}

#[test]
fn refusals() {
    let folder = logs();
    let inside = folder.path().join("out.parquet");
    let copy = format!("copy (select 1) to '{}'", inside.display());
    let cases = [
        ("select * from flows", "There is no table flows; there are alert, dns, flow, http, tls, conn, dns."),
        ("select * from zeek.flow", "There is no table flow"),
        (
            "select hostname from http",
            "No field named hostname. Did you mean http.hostname? There are timestamp, flow_id",
        ),
        ("select", "The question cannot be read: expected "),
        (
            "select 1 from flow here or there",
            "The question cannot be read: expected end of statement, found or at line 1, column 25.",
        ),
        ("drop table flow", "Only questions can be asked (SELECT): files are read and never changed."),
        ("create external table x stored as csv location '/etc/passwd'", "Only questions can be asked"),
        ("insert into flow select * from flow", "Only questions can be asked"),
        ("set datafusion.execution.batch_size = 1", "Only questions can be asked"),
        (copy.as_str(), "Only questions can be asked"),
        ("select * from '/etc/passwd'", "There is no table"),
        ("select 1; select 2", ""),
    ];
    for (sql, expected) in cases {
        let said = asked(folder.path(), sql).unwrap_err();
        assert!(said.contains(expected), "{sql}: {said}");
    }
    assert!(!inside.exists());
    let nothing = tempfile::tempdir().unwrap();
    assert!(asked(nothing.path(), "select * from flow").unwrap_err().starts_with("There are no records"));
}

#[test]
fn what_cannot_be_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("eve.json");
    let text = format!("{EVE}nonsense\n{{\"event_type\":\"flow\",\"src_ip\":\"9.9.9.9\",\"dest_ip\":");
    std::fs::write(&path, text).unwrap();
    let conn = CONN.replace("\tC2\t10.0.0.2\t5001", "\tC2\t10.0.0.2\tmany");
    std::fs::write(folder.path().join("conn.log"), conn).unwrap();
    let session = open(&[folder.path().to_owned(), folder.path().join("none")], 2);
    assert_eq!(session.unreadable().len(), 1);
    assert_eq!(ask(&session, "select count(*), count(id.orig_p) from conn").unwrap(), "2,1\n");
    // What stands before the cut is there.
    assert_eq!(ask(&session, "select count(*) from flow where src_ip = '9.9.9.9'").unwrap(), "1\n");
    let remarks = session.remarks();
    let expected = [
        "Left out, as they are no records: 1 line at ",
        "Cut short or no JSON, so that only what stands before the fault is there: 1 line at ",
        "Values that are not of their column's type, which are null here: 1 line at ",
    ];
    assert_eq!(remarks.len(), expected.len(), "{remarks:?}");
    for (said, expected) in remarks.iter().zip(expected) {
        assert!(said.starts_with(expected), "{said}");
    }
}

/// Objects with names that traffic chose, and nesting, cost no more than their bytes.
#[test]
fn hostile_records() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for number in 0..3000 {
        text.push_str(&format!(
            "{{\"event_type\":\"alert\",\"alert\":{{\"n{number}\":{{\"m{number}\":1}}}}}}\n"
        ));
    }
    let deep = "[".repeat(200);
    text.push_str(&format!("{{\"event_type\":\"alert\",\"x\":{deep}\n"));
    std::fs::write(folder.path().join("eve.json"), text).unwrap();
    let session = open(&[folder.path().to_owned()], 2);
    assert_eq!(ask(&session, "select count(*), count(alert) from alert").unwrap(), "3001,3000\n");
    assert_eq!(session.remarks().len(), 1);
}
