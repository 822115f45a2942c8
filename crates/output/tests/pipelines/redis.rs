//! Against redis-server.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use weir_testkit::TestFolder;

use super::run::{Run, Server, check_all, free_port, number, print_row, records, wait_until};

/// A server of its own, whose data is on disk before it answers.
pub struct Redis {
    folder: PathBuf,
    pub port: u16,
    options: Vec<String>,
    server: Option<Server>,
}

impl Redis {
    /// Starts one; `None`, told in a line, where it is not installed.
    pub fn start(folder: &Path, options: &[&str]) -> Option<Self> {
        let mut redis = Self::stopped(folder, options);
        if redis.up() {
            return Some(redis);
        }
        eprintln!("redis-server is not installed: records to Redis are not tested");
        None
    }

    pub fn stopped(folder: &Path, options: &[&str]) -> Self {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Self { folder: folder.to_owned(), port: free_port(), options, server: None }
    }

    pub fn up(&mut self) -> bool {
        let mut command = Command::new("redis-server");
        command.arg("--port").arg(self.port.to_string()).arg("--dir").arg(&self.folder);
        command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "always"]);
        self.server = Server::start(command.args(&self.options));
        let is_up = self.server.is_some();
        if is_up {
            wait_until("Redis answers", || self.ask(&["PING"]).contains("PONG"));
        }
        is_up
    }

    fn kill(&mut self) {
        self.server.as_mut().expect("a server").kill();
        self.server = None;
    }

    fn password(&self) -> String {
        let place = self.options.iter().position(|option| option == "--requirepass");
        place.map(|place| self.options[place + 1].clone()).unwrap_or_default()
    }

    /// Asks by redis-cli; returns what it prints.
    pub fn ask(&self, words: &[&str]) -> String {
        let mut command = Command::new("redis-cli");
        command.args(["-p", &self.port.to_string(), "--raw"]);
        if !self.password().is_empty() {
            command.args(["--no-auth-warning", "-a", &self.password()]);
        }
        let output = command.args(words).output().expect("redis-cli runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn length(&self, key: &str) -> u64 {
        self.ask(&["LLEN", key]).trim().parse().unwrap_or(0)
    }

    fn list(&self, key: &str) -> Vec<u64> {
        self.ask(&["LRANGE", key, "0", "-1"]).lines().map(number).collect()
    }

    fn settings(&self, more: &str) -> String {
        format!(
            "filetype: redis\nspool:\n  memory: 1mb\n  wait-at-end: 60\nredis:\n  port: {}\n  key: eve\n  {more}",
            self.port
        )
    }
}

#[test]
fn ten_kills_lose_nothing() {
    let folder = TestFolder::new("redis-kills");
    let Some(mut redis) = Redis::start(&folder.join("."), &[]) else { return };
    let mut run = Run::start(&folder.join("logs"), &redis.settings("mode: rpush"));
    let (kills, each) = (10, records(50_000) / 10);
    for kill in 0..kills {
        run.push(each);
        wait_until("half of the records arrive", || redis.length("eve") >= kill * each + each / 2);
        redis.kill();
        run.push(each / 100);
        assert!(redis.up());
    }
    let pushed = run.pushed();
    let (report, pipeline, told) = run.finish();
    let again = check_all(&redis.list("eve"), pushed);
    print_row("Redis, ten kills", pushed, again, &pipeline, None);
    told.iter().for_each(|line| println!("  {line}"));
    assert_eq!((pipeline.lost, pipeline.left, report.outlets[0].lost), (0, 0, 0));
    assert!(pipeline.sent == pushed && pipeline.reconnects >= kills, "{pipeline:?}");
    let of = |what: &str| told.iter().filter(|line| line.contains(what)).count();
    assert_eq!((of("cannot send to redis://"), of("takes records again")), (told.len() / 2, told.len() / 2));
}

#[test]
fn each_mode_gets_records_there() {
    let folder = TestFolder::new("redis-modes");
    let socket = folder.join("redis.sock");
    let socket_text = socket.display().to_string();
    let options = ["--unixsocket", &socket_text, "--requirepass", "secret"];
    let Some(redis) = Redis::start(&folder.join("."), &options) else { return };
    wait_until("Redis makes its socket", || socket.exists());
    let run = |more: &str| {
        let mut run =
            Run::start(&folder.join("logs"), &redis.settings(&format!("password: secret\n  {more}")));
        run.push(50);
        let (_, pipeline, told) = run.finish();
        assert_eq!((pipeline.sent, told), (50, vec![]), "{more}");
    };
    run("mode: list");
    let mut list = redis.list("eve");
    list.reverse();
    assert_eq!(check_all(&list, 50), 0);
    redis.ask(&["DEL", "eve"]);
    run("mode: rpush\n  async: no\n  pipelining:\n    enabled: yes\n    batch-size: 7");
    assert_eq!(check_all(&redis.list("eve"), 50), 0);
    redis.ask(&["DEL", "eve"]);
    run(&format!("mode: stream\n  stream-maxlen: 20\n  stream-trim-exact: yes\n  server: {socket_text}"));
    assert_eq!(redis.ask(&["XLEN", "eve"]).trim(), "20");
    let last = redis.ask(&["XREVRANGE", "eve", "+", "-", "COUNT", "1"]);
    let last: Vec<&str> = last.lines().collect();
    assert_eq!((last[1], number(last[2])), ("eve", 49));
    run("mode: publish\n  async: no");
}

#[test]
fn errors_are_told_once_and_records_wait() {
    for (options, more, said, fix) in [
        (&["--requirepass", "secret"][..], "", "NOAUTH", &["CONFIG", "SET", "requirepass", ""][..]),
        (&[], "password: wrong", "ERR AUTH", &[]),
        (&["--maxmemory", "100kb"], "", "OOM", &["CONFIG", "SET", "maxmemory", "0"]),
        (&["--replicaof", "127.0.0.1 1"], "", "READONLY", &["REPLICAOF", "NO", "ONE"]),
    ] {
        let folder = TestFolder::new("redis-errors");
        let Some(redis) = Redis::start(&folder.join("."), options) else { return };
        let settings = redis.settings(&format!("mode: rpush\n  {more}"));
        let settings = if fix.is_empty() { settings.replace("at-end: 60", "at-end: 0") } else { settings };
        let mut run = Run::start(&folder.join("logs"), &settings);
        run.push(20);
        let away = run.next_told();
        assert!(away.contains("cannot send to redis://") && away.contains(said), "{away}");
        assert!(away.contains("its records wait in"), "{away}");
        if fix.is_empty() {
            let (_, pipeline, told) = run.finish();
            assert_eq!((pipeline.left, pipeline.lost), (20, 0));
            assert!(told[0].contains("20 records for redis://"), "{told:?}");
            continue;
        }
        redis.ask(fix);
        let back = run.next_told();
        assert!(
            back.contains("takes records again") && back.ends_with("records lost meanwhile: 0"),
            "{back}"
        );
        let (_, pipeline, told) = run.finish();
        assert_eq!((pipeline.lost, pipeline.left, told.len()), (0, 0, 0), "{said}");
        let list = Redis { options: if said == "NOAUTH" { vec![] } else { redis.options.clone() }, ..redis };
        check_all(&list.list("eve"), 20);
    }
}

/// Nobody is there for a whole run, and for the start of the next one.
#[test]
fn what_waits_on_disk_is_sent_first_by_the_next_run() {
    let folder = TestFolder::new("redis-away");
    let mut redis = Redis::stopped(&folder.join("."), &[]);
    let settings = redis.settings("mode: rpush").replace("at-end: 60", "at-end: 0");
    let mut run = Run::start(&folder.join("logs"), &settings);
    run.push(3000);
    let away = run.next_told();
    assert!(away.contains("Connection refused"), "{away}");
    run.push(2000);
    let (report, pipeline, told) = run.finish();
    assert_eq!((pipeline.left, pipeline.lost, pipeline.sent, report.outlets[0].written), (5000, 0, 0, 5000));
    let left = format!(
        "5000 records for redis://127.0.0.1:{} (list eve) were not taken before the end; they wait in {}",
        redis.port,
        folder.join("logs/spool/redis-eve").display()
    );
    assert!(told[0].starts_with(&left), "{told:?}");
    if !redis.up() {
        eprintln!("redis-server is not installed: the later run is not tested");
        return;
    }
    let mut run = Run::start(&folder.join("logs"), &redis.settings("mode: rpush"));
    for number in 5000..6000 {
        run.push_line(&super::run::record(number));
    }
    let (_, pipeline, told) = run.finish();
    assert_eq!((pipeline.sent, pipeline.left, told), (6000, 0, vec![]));
    assert_eq!(check_all(&redis.list("eve"), 6000), 0);
    assert_eq!(std::fs::read_dir(folder.join("logs/spool/redis-eve")).unwrap().count(), 0);
}

/// With data on disk once a second, as servers have it that are to be quick. `scripts/pipelines.sh` prints it.
#[test]
fn figures_at_a_rate() {
    let folder = TestFolder::new("redis-rate");
    let Some(redis) = Redis::start(&folder.join("."), &["--appendfsync", "everysec"]) else { return };
    let seconds = if std::env::var_os("WEIR_PIPELINE_RECORDS").is_some() { 20 } else { 1 };
    let rate = if seconds > 1 { 50_000 } else { 5_000 };
    let mut run = Run::start(&folder.join("logs"), &redis.settings("mode: rpush"));
    let begun = Instant::now();
    run.push_at(rate, seconds);
    let pushed = begun.elapsed();
    let (_, pipeline, told) = run.finish();
    let all = begun.elapsed();
    assert_eq!((pipeline.sent, pipeline.lost, told), (rate * seconds, 0, vec![]));
    print_row(
        &format!("Redis, {rate} records/s for {seconds} s"),
        rate * seconds,
        0,
        &pipeline,
        Some(all - pushed),
    );
}
