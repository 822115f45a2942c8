//! Against a small server of its own that answers as the bulk interface does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use weir_testkit::TestFolder;

use super::run::{Run, check_all, number, print_row, records, wait_until};
use super::tls::Certificate;

/// A request: its head in small letters, and its body.
pub struct Request {
    head: String,
    body: String,
}

impl Request {
    fn read(stream: &mut impl BufRead) -> Option<Self> {
        let (mut head, mut line) = (String::new(), String::new());
        loop {
            line.clear();
            if stream.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line == "\r\n" {
                break;
            }
            head.push_str(&line.to_ascii_lowercase());
        }
        let length = head.split("content-length: ").nth(1)?.lines().next()?.trim().parse().ok()?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        let body = match head.contains("content-encoding: gzip") {
            true => {
                let mut text = String::new();
                GzDecoder::new(&body[..]).read_to_string(&mut text).ok()?;
                text
            }
            false => String::from_utf8(body).ok()?,
        };
        Some(Self { head, body })
    }

    /// The records, each with the index it goes to.
    pub fn records(&self) -> Vec<(String, Value)> {
        let lines: Vec<Value> = self.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines
            .chunks(2)
            .map(|pair| (pair[0]["create"]["_index"].as_str().unwrap().to_owned(), pair[1].clone()))
            .collect()
    }
}

/// The status of an answer and its body; none for a connection that ends instead.
pub type Answer = Option<(u16, Value)>;

/// Serves until the test ends; `answer` is asked for each request.
pub fn serve(listener: TcpListener, answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
    serve_over(listener, |stream| stream, answer);
}

/// The same over what `wrap` makes of connections.
fn serve_over<S: Read + Write>(
    listener: TcpListener,
    wrap: impl Fn(TcpStream) -> S + Send + Sync + 'static,
    answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) {
    let shared = Arc::new((wrap, answer));
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || {
                let (wrap, answer) = &*shared;
                let mut stream = BufReader::new(wrap(stream));
                while let Some(request) = Request::read(&mut stream) {
                    let Some((status, body)) = answer(&request) else { return };
                    let body = body.to_string();
                    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", body.len());
                    let stream = stream.get_mut();
                    if stream.write_all((head + &body).as_bytes()).and_then(|()| stream.flush()).is_err() {
                        return;
                    }
                }
            });
        }
    });
}

/// A listener, and its address.
pub fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}

fn settings(url: &str, more: &str) -> String {
    format!(
        "filetype: http\nspool:\n  memory: 1mb\n  wait-at-end: 60\nhttp:\n  url: {url}\n  index: eve-%Y.%m.%d\n  {more}"
    )
}

#[test]
fn records_arrive_with_index_login_and_names_of_the_schema() {
    let folder = TestFolder::new("bulk");
    let (listener, url) = listen();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    serve(listener, move |request| {
        seen.lock().unwrap().push((request.head.clone(), request.records()));
        Some((200, json!({"errors": false})))
    });
    let more = "user: weir\n  password: secret\n  gzip: yes\n  ecs: yes\n  batch-size: 10";
    let mut run = Run::start(&folder.join("logs"), &settings(&url, more));
    run.push(25);
    let (_, pipeline, told) = run.finish();
    assert_eq!((pipeline.sent, told), (25, vec![]));
    let requests = requests.lock().unwrap();
    assert_eq!(requests.iter().map(|(_, records)| records.len()).collect::<Vec<_>>(), [10, 10, 5]);
    let (head, records) = &requests[0];
    assert!(head.starts_with("post /_bulk?"), "{head}");
    assert!(head.contains("authorization: basic d2vpcjpzzwnyzxq="), "{head}");
    let (index, record) = &records[3];
    assert_eq!(index, "eve-2026.11.29");
    assert_eq!(record["@timestamp"], "2026-11-29T20:00:00.000003+00:00");
    assert_eq!((&record["suricata"]["eve"]["n"], &record["event"]["kind"]), (&json!(3), &json!("event")));
}

/// Records that are refused for good are lost alone; those that there is no room for are sent again.
#[test]
fn answers_are_read_for_each_record() {
    let folder = TestFolder::new("bulk-items");
    let (listener, url) = listen();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&taken);
    let busy = Mutex::new(std::collections::BTreeSet::new());
    serve(listener, move |request| {
        let answer = request.records().into_iter().map(|(_, record)| {
            let number = record["n"].as_u64().unwrap();
            let error =
                |status, kind| json!({"create": {"status": status, "error": {"type": kind, "reason": "r"}}});
            if number % 10 == 7 {
                error(400, "mapper_parsing_exception")
            } else if number % 10 == 3 && busy.lock().unwrap().insert(number) {
                error(429, "es_rejected_execution_exception")
            } else {
                seen.lock().unwrap().push(number);
                json!({"create": {"status": 201}})
            }
        });
        let items: Vec<Value> = answer.collect();
        Some((200, json!({"errors": true, "items": items})))
    });
    let mut run = Run::start(&folder.join("logs"), &settings(&url, ""));
    run.push(40);
    let (report, pipeline, told) = run.finish();
    assert_eq!((pipeline.sent, pipeline.lost, report.outlets[0].lost), (36, 4, 4));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("refused a record, which is lost: mapper_parsing_exception: r"), "{told:?}");
    let mut taken = taken.lock().unwrap().clone();
    taken.sort_unstable();
    assert_eq!(taken, (0..40).filter(|number| number % 10 != 7).collect::<Vec<_>>());
}

#[test]
fn statuses_are_told_with_what_helps() {
    for (status, what) in [
        (401, "Correct http.user and http.password"),
        (404, "there is no bulk interface"),
        (503, "see to the server"),
        (400, "See whether http.url is right"),
    ] {
        let folder = TestFolder::new("bulk-status");
        let (listener, url) = listen();
        serve(listener, move |_| Some((status, json!({"error": "e"}))));
        let mut run =
            Run::start(&folder.join("logs"), &settings(&url, "").replace("at-end: 60", "at-end: 0"));
        run.push(5);
        let away = run.next_told();
        assert!(away.contains(&format!("the server answered {status}: ")) && away.contains(what), "{away}");
        let (_, pipeline, _) = run.finish();
        assert_eq!((pipeline.left, pipeline.lost), (5, 0), "{status}");
    }
}

/// A request that is too large goes in parts; a record that is too large alone is lost.
#[test]
fn large_requests_go_in_parts() {
    let folder = TestFolder::new("bulk-large");
    let (listener, url) = listen();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&taken);
    serve(listener, move |request| {
        if request.body.len() > 4000 {
            return Some((413, json!({})));
        }
        seen.lock()
            .unwrap()
            .extend(request.records().iter().map(|(_, record)| record["n"].as_u64().unwrap()));
        Some((200, json!({"errors": false})))
    });
    let mut run = Run::start(&folder.join("logs"), &settings(&url, ""));
    run.push(30);
    run.push_line(&format!(r#"{{"n":30,"x":"{}"}}"#, "y".repeat(5000)));
    run.push(1);
    let (_, pipeline, told) = run.finish();
    assert_eq!((pipeline.sent, pipeline.lost, told.len()), (31, 1, 1), "{told:?}");
    let expected: Vec<u64> = (0..30).chain([31]).collect();
    assert_eq!(*taken.lock().unwrap(), expected);
}

/// Every fifth request is cut off, before it is taken or after.
#[test]
fn ten_cuts_lose_nothing() {
    let folder = TestFolder::new("bulk-cuts");
    let (listener, url) = listen();
    let taken = Arc::new(Mutex::new(Vec::<u64>::new()));
    let (seen, count) = (Arc::clone(&taken), Mutex::new(0_u32));
    serve(listener, move |request| {
        let mut count = count.lock().unwrap();
        *count += 1;
        let is_cut = *count % 5 == 0 && *count <= 50;
        if !is_cut || *count % 10 == 0 {
            seen.lock().unwrap().extend(request.body.lines().skip(1).step_by(2).map(number));
        }
        (!is_cut).then(|| (200, json!({"errors": false})))
    });
    let pushed = records(20_000);
    let mut run = Run::start(&folder.join("logs"), &settings(&url, "batch-size: 200"));
    run.push(pushed);
    wait_until("most records arrive", || taken.lock().unwrap().len() as u64 > pushed / 2);
    let (_, pipeline, told) = run.finish();
    let again = check_all(&taken.lock().unwrap(), pushed);
    print_row("HTTP, ten requests cut off", pushed, again, &pipeline, None);
    told.iter().for_each(|line| println!("  {line}"));
    assert_eq!((pipeline.sent, pipeline.lost, pipeline.left), (pushed, 0, 0));
}

#[test]
fn requests_over_tls() {
    let folder = TestFolder::new("bulk-tls");
    let Some(certificate) = Certificate::make(&folder.join("tls")) else { return };
    let ca_file = format!("ca-file: {}\n  api-key: abc=", certificate.file.display());
    let (listener, url) = listen();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    let wrap = move |stream| certificate.accept(stream);
    serve_over(listener, wrap, move |request| {
        seen.lock().unwrap().push(request.head.clone());
        Some((200, json!({"errors": false})))
    });
    let mut run = Run::start(&folder.join("logs"), &settings(&url.replace("http:", "https:"), &ca_file));
    run.push(10);
    let (_, pipeline, told) = run.finish();
    assert_eq!((pipeline.sent, told), (10, vec![]));
    assert!(heads.lock().unwrap()[0].contains("authorization: apikey abc="));
}
