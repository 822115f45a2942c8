use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use serde_json::Value;
use weir_testkit::TestFolder;

use super::dialogue::MAX_REQUEST;
use super::*;

/// Longer than an answer takes to come.
const LONG: Duration = Duration::from_millis(900);

/// An answer that no socket takes at once.
const LARGE: usize = 4 << 20;

const GREETING: &str = r#"{"return":"OK"}"#;

fn answer(request: &Request) -> Reply {
    match request.command.as_str() {
        "echo" => Reply::Answer(Ok(request.arguments.clone().map_or(Value::Null, Value::Object))),
        "large" => Reply::Answer(Ok("a".repeat(LARGE).into())),
        _ => Reply::HangUp,
    }
}

/// A socket, and its time.
struct Served {
    control: Control,
    _folder: TestFolder,
    now: Instant,
    answers: usize,
}

impl Served {
    fn new(name: &str) -> Self {
        let folder = TestFolder::new(name);
        let control = Control::listen(&folder.join("socket")).expect("a socket");
        Self { control, _folder: folder, now: Instant::now(), answers: 0 }
    }

    /// A client that is waited for, and has said its version.
    fn client(&mut self) -> UnixStream {
        let mut client = UnixStream::connect(self.control.path()).expect("a client");
        self.serve();
        self.say(&mut client, r#"{"version":"0.1"}"#);
        client
    }

    fn serve(&mut self) {
        let answers = &mut self.answers;
        self.control.serve_at(self.now, LONG, &mut |request| {
            *answers += 1;
            answer(request)
        });
    }

    /// A client says something and is served. One that was let go cannot send any more.
    fn say(&mut self, client: &mut UnixStream, text: &str) {
        let _ = client.write_all(text.as_bytes());
        self.serve();
    }

    fn clients(&self) -> usize {
        self.control.clients.len()
    }
}

/// The answers to a client, once it is let go.
fn told(mut client: UnixStream) -> String {
    client.set_read_timeout(Some(LONG)).expect("a stream");
    let mut told = String::new();
    let _ = client.read_to_string(&mut told);
    told
}

#[test]
fn clients_are_served() {
    let mut served = Served::new("served");
    let mut client = served.client();
    served.say(&mut client, r#"{"command": "echo", "argum"#);
    served.say(&mut client, r#"ents": {"a": "/ä"}}"#);
    assert_eq!(served.clients(), 1);
    let path = served.control.path().to_owned();
    drop(served);
    assert!(!path.exists());
    assert_eq!(told(client), format!(r#"{GREETING}{{"message":{{"a":"\/\u00e4"}},"return":"OK"}}"#));
}

#[test]
fn a_socket_that_is_in_use_stays() {
    let folder = TestFolder::new("in-use");
    let path = folder.join("socket");
    let first = Control::listen(&path).expect("a socket");
    assert!(Control::listen(&path).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse));
    let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o660);
    drop(first);
    // A file that nobody listens at is replaced.
    std::fs::write(&path, "").expect("a file");
    assert!(Control::listen(&path).is_ok());
}

/// Many commands in one write are answered one at a time, so that others have their turn.
#[test]
fn one_request_is_answered_at_a_time() {
    let mut served = Served::new("many");
    let (mut eager, mut other) = (served.client(), served.client());
    let commands = r#"{"command":"echo"}"#.repeat(MAX_REQUEST / 18);
    served.say(&mut eager, &commands);
    assert_eq!(served.answers, 1);
    served.say(&mut other, r#"{"command":"echo"}"#);
    assert_eq!(served.answers, 3);
    for answers in 4..=MAX_REQUEST / 18 + 1 {
        served.serve();
        assert_eq!(served.answers, answers);
    }
}

#[test]
fn a_client_that_takes_no_answer_holds_nobody_up() {
    let mut served = Served::new("stuck");
    let (mut stuck, mut other) = (served.client(), served.client());
    served.say(&mut stuck, &r#"{"command":"large"}"#.repeat(100));
    for more in 1..10 {
        served.say(&mut other, r#"{"command":"echo"}"#);
        assert_eq!((served.answers, served.clients()), (1 + more, 2), "no second answer before the first");
    }
    served.now += PATIENCE;
    served.say(&mut other, r#"{"command":"echo"}"#);
    assert_eq!((served.answers, served.clients()), (11, 1));
    assert!(told(stuck).len() < LARGE);
}

#[test]
fn a_client_that_takes_its_answer_late_has_all_of_it() {
    let mut served = Served::new("late");
    let mut late = served.client();
    served.say(&mut late, r#"{"command":"large"}"#);
    let expected = GREETING.len() + LARGE + r#"{"message":"","return":"OK"}"#.len();
    late.set_nonblocking(true).expect("a stream");
    let (mut taken, mut bytes) = (0, vec![0; LARGE]);
    while taken < expected {
        match late.read(&mut bytes) {
            Ok(count) => {
                assert_ne!(count, 0, "let go after {taken} bytes");
                taken += count;
            }
            Err(_) => {
                served.now += PATIENCE / 2;
                served.serve();
            }
        }
    }
    assert_eq!((taken, served.clients()), (expected, 1));
}

/// A request byte by byte is answered, and one without end lets its client go.
#[test]
fn bytes_that_drip_are_bounded() {
    let mut served = Served::new("drip");
    let mut patient = served.client();
    let text = format!(r#"{{"command":"echo","arguments":{{"a":"{}"}}}}"#, "a".repeat(MAX_REQUEST - 42));
    text.split("").for_each(|byte| served.say(&mut patient, byte));
    assert_eq!(served.answers, usize::from(text.len() <= MAX_REQUEST));
    let mut endless = served.client();
    let mut sent = 0;
    while served.clients() == 2 {
        served.say(&mut endless, "[");
        sent += 1;
    }
    assert!(sent <= MAX_REQUEST, "{sent}");
    let mut huge = served.client();
    huge.set_nonblocking(true).expect("a stream");
    let _ = huge.write(&vec![b'['; 1 << 20]);
    served.serve();
    assert_eq!(served.clients(), 1);
}

#[test]
fn clients_come_and_go() {
    let mut served = Served::new("come-and-go");
    for _ in 0..1000 {
        drop(UnixStream::connect(served.control.path()).expect("a client"));
        served.serve();
        assert!(served.clients() <= 2);
    }
    served.serve();
    assert_eq!(served.clients(), 0);
}

/// Those that say nothing give way to new ones, and only those.
#[test]
fn silent_clients_give_way() {
    let mut served = Served::new("silent");
    let mut clients: Vec<_> = (0..MAX_CLIENTS).map(|_| served.client()).collect();
    let mut waiting = UnixStream::connect(served.control.path()).expect("a client");
    waiting.write_all(br#"{"version":"0.1"}"#).expect("room");
    served.serve();
    // The new one is not watched.
    assert_eq!(served.control.wait(served.now, Duration::ZERO), Some(vec![false; MAX_CLIENTS]));
    served.now += PATIENCE / 2;
    clients[1..].iter_mut().for_each(|client| served.say(client, "{"));
    served.now += PATIENCE / 2;
    served.serve();
    served.serve();
    assert_eq!(served.clients(), MAX_CLIENTS);
    assert_eq!(told(clients.remove(0)), GREETING);
    let path = served.control.path().to_owned();
    drop(served);
    assert!(!path.exists());
    assert_eq!(told(waiting), GREETING);
}
