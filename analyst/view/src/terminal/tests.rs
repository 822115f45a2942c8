//! Screens over records, driven by keys, drawn into memory.

#[path = "../../tests/common/records.rs"]
#[allow(dead_code)]
mod written;

use std::path::Path;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::{Color, Modifier};

use super::question::{Answer, Question};
use super::state::{Content, Event, State, update};
use super::*;
use crate::Limits;

/// A text that steers terminals, in all the ways that they know, and turns the direction of what follows.
const STEERING: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{90}q\u{9c}\u{202e}\u{2066}\u{200b}\u{0}\u{8}\r\n\tx\u{7f}e\u{301}";

/// Keys that leave all screens but the first of each tab.
const AFRESH: &str = "\x1b22334411";

/// A terminal in memory, with records behind it.
struct Driven {
    runtime: Runtime,
    opened: Opened,
    state: Option<State>,
    folder: tempfile::TempDir,
}

impl Driven {
    fn open(write: impl Fn(&Path) -> Settings, size: (u16, u16)) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let opened = runtime.block_on(Opened::open(write(folder.path()))).unwrap();
        let state = State::new(about::of(&opened.shared), size, true);
        let mut driven = Self { runtime, opened, state: Some(state), folder };
        driven.answer();
        driven
    }

    /// Two connections, with a capture of one of them.
    fn usual(size: (u16, u16)) -> Self {
        Self::open(
            |folder| Settings {
                captures: vec![written::write_records(folder)],
                records: ["eve.json", "conn.log", "http.log"].iter().map(|name| folder.join(name)).collect(),
                ..Settings::default()
            },
            size,
        )
    }

    fn hostile(size: (u16, u16)) -> Self {
        Self::open(
            |folder| {
                written::write_hostile(folder, STEERING, 10_000);
                Settings { records: vec![folder.to_owned()], ..Settings::default() }
            },
            size,
        )
    }

    fn state(&self) -> &State {
        self.state.as_ref().unwrap()
    }

    fn take(&mut self, event: Event) {
        self.state = self.state.take().map(|state| update(state, event));
    }

    /// Answers all that is asked.
    fn answer(&mut self) {
        while let Some((number, question)) =
            self.state().wanted().first().map(|(number, question)| (*number, (*question).clone()))
        {
            let answer = self.runtime.block_on(question.answer(self.opened.shared.clone()));
            self.take(Event::Answer(number, answer));
        }
    }

    /// Presses keys: `\n` is Enter, `\x1b` Esc, `\t` Tab, `\x15` Ctrl-U, `⇣` PgDn, `⇡` PgUp.
    fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            let code = match key {
                '\n' => KeyCode::Enter,
                '\x1b' => KeyCode::Esc,
                '\x08' => KeyCode::Backspace,
                '\t' => KeyCode::Tab,
                '⇣' => KeyCode::PageDown,
                '⇡' => KeyCode::PageUp,
                '\x15' => {
                    self.take(Event::Key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL)));
                    continue;
                }
                letter => KeyCode::Char(letter),
            };
            self.take(Event::Key(KeyEvent::from(code)));
            self.answer();
        }
    }

    fn terminal(&self) -> Terminal<TestBackend> {
        let (columns, rows) = self.state().size;
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| draw::draw(self.state(), frame)).unwrap();
        terminal
    }

    /// The lines of the terminal, without what is empty at their ends.
    fn lines(&self) -> Vec<String> {
        let terminal = self.terminal();
        let buffer = terminal.backend().buffer();
        let rows = buffer.content().chunks(buffer.area().width.into());
        let lines = rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>());
        lines.map(|line| line.trim_end().to_owned()).collect()
    }

    fn screen(&self) -> String {
        self.lines().join("\n")
    }
}

#[test]
fn screens() {
    let cases: [(&str, &[&str]); 16] = [
        (
            "",
            &[
                "1 Overview",
                "Traffic: connections over time",
                "› http",
                "› Severity 1: 1 alerts",
                "TEST evil",
                "10.0.0.1 ↔ 10.0.0.2",
                "Packets the kernel dropped 3 of 100 (3.00 %)",
                "eve.alert",
            ],
        ),
        ("j\t\n", &["1 – 1; these are all", "eve.flow"]),
        ("2", &["3 alerts of 2 rules", "1 1 TEST evil sid 7"]),
        ("2\n", &["alert.signature_id:7 in eve.alert", "10.0.0.1:1000 → 10.0.0.2:80 TEST evil"]),
        (
            "2\n\n",
            &[
                "severity 1, sid 7, Test, allowed",
                "content:\"get\"; nocase",
                "weir explain sid:7",
                "000000 47 45 54 20 2f 78",
                "GET /x",
                "in 2 places",
                "alert.signature_id",
            ],
        ),
        ("2\n\nx", &[" GET /x", "6 bytes."]),
        (
            "2\n\nc",
            &[
                "10.0.0.1:1000 → 10.0.0.2:80 tcp",
                "flow_id 1002",
                "uid Cabc",
                "Community id 1:",
                "7 records",
                "+300.0 ms alert TEST evil",
                "zeek.http GET evil.example/x 200",
            ],
        ),
        ("2\n\nc\t\n", &["→ client 6 bytes", "47 45 54 20 2f 78", "← server 5 bytes", "68 65 6c 6c 6f"]),
        ("2\n\nc\t\nx", &[" GET /x", " hello"]),
        ("3", &["all records", "1 – 11; these are all"]),
        ("/evil.example\n", &["evil.example in all records", "1 – 3; these are all"]),
        ("/http.hostname:*evil*\n\n", &["GET evil.example/x 200 5 B", "http.hostname"]),
        ("/a:\n", &["a: in all records"]),
        ("2\n/", &["/ in eve.alert: alert.signature_id:7"]),
        ("3f\n", &["In common: all records", "3 eve.alert", "Values of src_ip", "6 10.0.0.1"]),
        ("4\n", &["Begin (UTC)", "records"]),
    ];
    for (keys, expected) in cases {
        let mut driven = Driven::usual((110, 70));
        driven.press(keys);
        // Columns may stand anywhere.
        let screen = driven.screen().split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        for text in expected {
            assert!(screen.contains(text), "{keys:?}: {text:?} is missing:\n{screen}");
        }
    }
}

/// From an alert to the bytes of its connection, and all the way back.
#[test]
fn an_alert_to_its_bytes_and_back() {
    let mut driven = Driven::usual((100, 40));
    driven.press("2");
    let mut seen = Vec::new();
    for key in ["\n", "\n", "c", "\t", "\n"] {
        seen.push(driven.screen());
        driven.press(key);
    }
    let last = driven.screen();
    assert!(last.contains("hello"), "{last}");
    // The line of the link was chosen where it was followed from, so that one step is none of the way.
    for (expected, key) in [
        (seen[4].clone(), '\x1b'),
        (seen[2].clone(), '\x08'),
        (seen[1].clone(), '\x1b'),
        (seen[0].clone(), 'h'),
    ] {
        driven.press(&key.to_string());
        assert_eq!(driven.screen(), expected);
    }
    driven.press("\x1b");
    assert!(driven.screen().contains("There is no screen before this one"));
    assert!(!driven.state().over);
    driven.press("q");
    assert!(driven.state().over);
}

#[test]
fn marks_are_seen_without_colours() {
    let mut driven = Driven::usual((100, 40));
    driven.press("2\n\n");
    let marked = |driven: &Driven| {
        let terminal = driven.terminal();
        let cells = terminal.backend().buffer().content().iter();
        let marked = cells.filter(|cell| cell.modifier.contains(Modifier::UNDERLINED));
        marked.map(|cell| (cell.symbol().to_owned(), cell.fg)).collect::<Vec<_>>()
    };
    let text: String = marked(&driven).iter().map(|(symbol, _)| symbol.as_str()).collect();
    assert_eq!(text, "47 45 54 2f 78 GET/x");
    assert!(marked(&driven).iter().all(|(_, colour)| *colour == Color::Red));
    driven.state.as_mut().unwrap().colours = false;
    assert!(marked(&driven).iter().all(|(_, colour)| *colour == Color::Reset));
    assert_eq!(marked(&driven).len(), text.chars().count());
}

#[test]
fn pages_of_a_search() {
    let mut driven = Driven::open(
        |folder| {
            let line = |number: usize| {
                format!(
                    r#"{{"timestamp":"2024-05-01T10:{:02}:{:02}.000000+0000","flow_id":{number},"event_type":"dns","src_ip":"10.0.0.1","dest_ip":"10.0.0.2","dns":{{"rrname":"n{number}.example"}}}}"#,
                    number / 60,
                    number % 60
                )
            };
            let lines: Vec<String> = (0..250).map(line).collect();
            std::fs::write(folder.join("eve.json"), lines.join("\n")).unwrap();
            Settings { records: vec![folder.to_owned()], ..Settings::default() }
        },
        (100, 20),
    );
    let cases = [
        ("3", "n249.example"),
        ("p", "There are no more records."),
        ("⇣", "n233.example"),
        ("G", "1 – 100; older records"),
        ("\n", "n149.example"),
        ("p", "n249.example"),
        ("n", "n149.example"),
        ("\x1bn", "n149.example"),
        ("G", "101 – 200; older records"),
        ("n", " n49.example"),
        ("G", "201 – 250; these are all"),
        ("n", "There are no more records."),
        ("p", "n149.example"),
        ("g⇡", "n149.example"),
    ];
    for (keys, expected) in cases {
        driven.press(keys);
        let screen = driven.screen();
        assert!(screen.contains(expected), "{keys:?}: {expected:?} is missing:\n{screen}");
    }
}

#[test]
fn exports() {
    let mut driven = Driven::usual((100, 20));
    let path = driven.folder.path().join("found.json");
    let save = |path: &Path| format!("e\x15{}\n", path.display());
    driven.press("/evil.example\n");
    driven.press(&save(&path));
    assert!(driven.screen().contains("were written to"), "{}", driven.screen());
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3);
    // A file that is there stays.
    driven.press(&format!("\x1b{}", save(&path)));
    assert!(driven.screen().contains("is there already"), "{}", driven.screen());
    driven.press(&format!("\x1b{}", save(&driven.folder.path().join("found.exe"))));
    assert!(driven.screen().contains("exported as csv, json or parquet"), "{}", driven.screen());
    driven.press("1e");
    assert!(driven.screen().contains("for the records of a search"), "{}", driven.screen());
}

/// Certificates stand as their chain has them, where one comes twice the first time.
#[test]
fn certificates_of_a_chain() {
    let mut driven = Driven::open(
        |folder| {
            let ends = r#""ts":1714557600.0,"uid":"C7","id.orig_h":"10.0.0.1","id.orig_p":1,"id.resp_h":"10.0.0.2","id.resp_p":2"#;
            let certificate = |name: &str| {
                format!(
                    "{{\"ts\":1714557600.0,\"fingerprint\":\"{name}\",\"certificate.subject\":\"CN={name}\"}}\n"
                )
            };
            let logs = [
                ("conn.log", format!("{{{ends},\"proto\":\"tcp\",\"duration\":1.0}}\n")),
                ("ssl.log", format!("{{{ends},\"cert_chain_fps\":[\"aa\",\"bb\",\"aa\"]}}\n")),
                ("x509.log", ["bb", "aa"].map(certificate).concat()),
            ];
            logs.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
            Settings { records: vec![folder.to_owned()], ..Settings::default() }
        },
        (100, 60),
    );
    driven.press("4\n");
    let screen = driven.screen();
    let subjects: Vec<&str> =
        screen.lines().filter_map(|line| line.trim().strip_prefix("› Subject")).collect();
    assert_eq!(subjects.iter().map(|name| name.trim()).collect::<Vec<_>>(), ["CN=aa", "CN=bb"], "{screen}");
}

#[test]
fn packets_as_a_file() {
    let mut driven = Driven::usual((200, 40));
    let folder = driven.folder.path().to_owned();
    let path = folder.join("connection-1002.pcapng");
    driven.press("2\n\ncw");
    assert!(driven.screen().contains("Write to: connection-1002.pcapng"), "{}", driven.screen());
    driven.press(&format!("\x15{}/\n", folder.display()));
    let bytes = std::fs::read(&path).unwrap();
    let told = format!("2 packets were written to {} ({} B).", path.display(), bytes.len());
    assert!(driven.screen().contains(&told), "{}", driven.screen());
    assert!(bytes.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]));
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert_eq!((has(b"GET /x"), has(b"hello"), has(b"other")), (true, true, false));
    // What is there stays.
    let save = |path: &Path| format!("\x1bw\x15{}\n", path.display());
    driven.press(&save(&path));
    assert!(driven.screen().contains("is there already: choose another name."), "{}", driven.screen());
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    driven.press(&save(&folder.join("no/where")));
    assert!(driven.screen().contains("its folder is not there"), "{}", driven.screen());
    driven.press("1w");
    assert!(driven.screen().contains("This is for the packets of a connection"), "{}", driven.screen());
    // The capture has nothing of the other connection.
    let none = folder.join("none");
    driven.press(&format!("/flow_id:1001 and flow.state:*\n\n{}", save(&none).trim_start_matches('\x1b')));
    assert!(driven.screen().contains("no packets of this connection: no file"), "{}", driven.screen());
    assert!(!none.exists());
}

#[test]
fn packets_where_there_is_no_capture() {
    let mut driven = Driven::open(
        |folder| {
            written::write_records(folder);
            Settings { records: vec![folder.join("eve.json")], ..Settings::default() }
        },
        (100, 40),
    );
    driven.press("2\n\ncw");
    assert!(
        driven.screen().contains("No capture was named: start `weir view` with one"),
        "{}",
        driven.screen()
    );
    assert!(driven.state().prompt.is_none());
}

/// An id that records made up is no part of a file's name.
#[test]
fn packets_of_a_hostile_connection() {
    let mut driven = Driven::open(
        |folder| {
            let capture = written::write_records(folder);
            let log = folder.join("conn.log");
            let text = std::fs::read_to_string(&log).unwrap().replace("Cabc", "../x\u{1b}[2J");
            std::fs::write(&log, text).unwrap();
            Settings { records: vec![log], captures: vec![capture], ..Settings::default() }
        },
        (100, 40),
    );
    driven.press("4j\n");
    assert!(driven.screen().contains("uid               ../x\\u001b[2J"), "{}", driven.screen());
    driven.press("w");
    assert!(driven.screen().contains("Write to: connection.pcapng"), "{}", driven.screen());
    driven.press(&format!("\x15{}/\n", driven.folder.path().display()));
    assert!(driven.screen().contains("2 packets were written to"), "{}", driven.screen());
    assert!(driven.folder.path().join("connection.pcapng").exists());
}

/// Whatever records hold is seen as letters, on each screen that there is.
#[test]
fn records_do_not_steer_the_terminal() {
    let mut driven = Driven::hostile((200, 120));
    let check = |driven: &Driven, way: &str| {
        let terminal = driven.terminal();
        for cell in terminal.backend().buffer().content() {
            let symbol = cell.symbol();
            assert_eq!(text::visible(symbol), symbol, "{way}: {symbol:?}");
            assert!(!symbol.bytes().any(|byte| byte < 0x20 || byte == 0x7f), "{way}: {symbol:?}");
        }
        driven.screen()
    };
    for way in ["", "2", "\n", "\n", "x", "G", "c", "G", "3", "f\n", "\x1bf\x15proto\n", "4", "\n"] {
        driven.press(way);
        let screen = check(&driven, way);
        assert!(screen.contains("\\u001b[2J"), "{way}: {screen}");
    }
    driven.press(AFRESH);
    driven.press("3");
    for row in 0..6 {
        driven.press(&format!("g{}\n", "j".repeat(row)));
        for _ in 0..4 {
            check(&driven, "a record");
            driven.press("⇣");
        }
        driven.press("\x1b");
    }
    // A text that is typed is no better, nor a name of a file.
    for begin in ["/", "3e", "3f"] {
        driven.press(begin);
        for letter in STEERING.chars() {
            driven.take(Event::Key(KeyEvent::from(KeyCode::Char(letter))));
        }
        check(&driven, begin);
        driven.press("\n");
        check(&driven, begin);
    }
}

#[test]
fn all_sizes() {
    let ways = ["", "2", "2\n\n", "2\n\nx", "2\n\nc", "2\n\ncw", "2\n\nc\t\n", "3", "3f\n", "?", "/x"];
    let mut driven = Driven::usual((80, 24));
    for way in ways {
        driven.press(AFRESH);
        driven.press(way);
        let mut sizes: Vec<(u16, u16)> =
            (1..14).flat_map(|columns| (1..9).map(move |rows| (columns, rows))).collect();
        sizes.extend([(40, 10), (1, 100), (300, 1), (300, 3), (80, 24)]);
        for (columns, rows) in sizes {
            driven.take(Event::Size(columns, rows));
            for key in [KeyCode::End, KeyCode::PageUp, KeyCode::Down, KeyCode::Home] {
                driven.take(Event::Key(KeyEvent::from(key)));
                assert_eq!(driven.lines().len(), usize::from(rows), "{way:?} {columns}x{rows}");
            }
        }
    }
    driven.press(AFRESH);
    driven.press("2");
    driven.take(Event::Size(40, 10));
    assert!(driven.screen().contains("3 alerts of 2 rules"), "{}", driven.screen());
}

#[test]
fn a_question_is_ended() {
    let mut driven = Driven::usual((80, 24));
    driven.press("2");
    let open = |driven: &mut Driven, code: KeyCode| driven.take(Event::Key(KeyEvent::from(code)));
    open(&mut driven, KeyCode::Enter);
    assert_eq!(driven.state().wanted().len(), 1);
    (0..9).for_each(|_| driven.take(Event::Tick));
    assert!(driven.screen().contains("Asking the records, 2 s. Esc ends it."), "{}", driven.screen());
    let number = driven.state().wanted()[0].0;
    open(&mut driven, KeyCode::Esc);
    assert!(driven.state().wanted().is_empty());
    // An answer that comes nevertheless is not shown.
    driven.take(Event::Answer(number, Ok(Answer::Exported(7))));
    assert!(driven.screen().contains("3 alerts of 2 rules"), "{}", driven.screen());
    // The first screen stays, and can be asked for again.
    open(&mut driven, KeyCode::Char('r'));
    open(&mut driven, KeyCode::Esc);
    assert!(driven.screen().contains("The question was ended; r asks once more."), "{}", driven.screen());
    driven.press("r");
    assert!(driven.screen().contains("3 alerts of 2 rules"), "{}", driven.screen());
}

#[test]
fn what_nobody_waits_for_is_not_computed() {
    let driven = Driven::usual((80, 24));
    let (events, _heard) = channel();
    let task = driven.runtime.spawn(std::future::pending::<()>());
    let running = HashMap::from([(99, task.abort_handle())]);
    let mut asking =
        Asking { runtime: &driven.runtime, shared: driven.opened.shared.clone(), events, running };
    asking.follow(driven.state());
    assert!(asking.running.is_empty());
    assert!(driven.runtime.block_on(task).unwrap_err().is_cancelled());
}

/// The program goes on by answers that come, as it does at a terminal, until it is told to stop.
#[test]
fn answers_come_while_it_runs() {
    let driven = Driven::usual((100, 60));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (events, heard) = channel();
    let shared = driven.opened.shared.clone();
    let asking = Asking { runtime: &runtime, shared: shared.clone(), events, running: HashMap::new() };
    let state = State::new(about::of(&shared), (100, 60), true);
    let mut terminal = Terminal::new(TestBackend::new(100, 60)).unwrap();
    let (first, answers) = channel();
    let hearing = std::thread::spawn(move || {
        let found = |event: &Event| matches!(event, Event::Answer(_, Ok(Answer::Overview(_))));
        let came = heard.iter().find(found).is_some_and(|answer| first.send(answer).is_ok());
        let _ = first.send(Event::Stop);
        came
    });
    run(state, &mut terminal, asking, &answers).unwrap();
    assert!(hearing.join().unwrap());
    let cells = terminal.backend().buffer().content().iter();
    let screen: String = cells.map(|cell| cell.symbol()).collect();
    assert!(screen.contains("1 Overview"), "{screen}");
    runtime.shutdown_background();
}

#[test]
fn slow_questions_are_given_up() {
    let hasty = Limits { time: Duration::from_nanos(1), ..Limits::default() };
    let mut driven = Driven::open(
        |folder| {
            written::write_records(folder);
            Settings { records: vec![folder.join("eve.json")], limits: hasty, ..Settings::default() }
        },
        (100, 60),
    );
    assert_eq!(driven.screen().matches("was given up after").count(), 4, "{}", driven.screen());
    driven.press("3");
    assert!(driven.screen().contains("was given up after"), "{}", driven.screen());
    assert!(matches!(driven.state().screen().unwrap().content, Content::Failed(_)));
    assert!(matches!(driven.state().screen().unwrap().question, Question::Search(_)));
}

/// The screen in the documentation is what is drawn.
#[test]
fn the_documentation_shows_what_is_drawn() {
    let mut driven = Driven::usual((100, 20));
    driven.press("2\n\nc");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/view.md");
    let page = std::fs::read_to_string(page).unwrap();
    let screen = driven.screen();
    assert!(page.contains(&screen), "docs/view.md is to have this screen:\n{screen}");
}
