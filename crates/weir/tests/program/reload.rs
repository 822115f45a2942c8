//! Rules that are loaded again while the program listens.

use rustix::process::Signal;
use serde_json::{Value, json};
use weir_testkit::Conversation;

use super::control::Client;
use super::namespaces::{Cable, Listening};
use super::run::Folder;

/// Rules of the start: a bit that a connection keeps, a rate, a rule on a state that will go, and one that changes.
const BEFORE: &str = "\
    alert http any any -> any any (msg:\"sets\"; http.uri; content:\"/first\"; flowbits:set,seen; noalert; sid:1;)\n\
    alert http any any -> any any (msg:\"third\"; http.method; content:\"GET\"; \
    threshold:type threshold, track by_src, count 3, seconds 600; sid:2;)\n\
    alert http any any -> any any (msg:\"old\"; http.uri; content:\"/second\"; sid:3; rev:1;)\n\
    alert http any any => any any (msg:\"both\"; http.uri; content:\"/second\"; http.stat_code; content:\"200\"; \
    sid:5;)\n";

/// Rules after it, in another order.
const AFTER: &str = "\
    alert http any any -> any any (msg:\"new\"; http.uri; content:\"/third\"; flowbits:isset,seen; sid:4;)\n\
    alert http any any -> any any (msg:\"third\"; http.method; content:\"GET\"; \
    threshold:type threshold, track by_src, count 3, seconds 600; sid:2;)\n\
    alert http any any -> any any (msg:\"changed\"; http.uri; content:\"/third\"; sid:3; rev:2;)\n\
    alert http any any -> any any (msg:\"sets\"; http.uri; content:\"/first\"; flowbits:set,seen; noalert; sid:1;)\n\
    alert http any any => any any (msg:\"both\"; http.uri; content:\"/second\"; http.stat_code; content:\"200\"; \
    sid:5;)\n";

fn start(cable: &Cable, folder: &Folder, rules: &str) -> Listening {
    let socket = folder.path("control.socket");
    let configuration = folder.write(
        "reload.yaml",
        format!(
            "%YAML 1.1\n---\nstats:\n  enabled: yes\nunix-command:\n  enabled: yes\n  filename: {}\noutputs:\n  \
             - eve-log:\n      enabled: yes\n      types: [alert, http]\n",
            socket.display()
        ),
    );
    let rules = folder.write("test.rules", rules);
    cable.listen(folder, &["-c", &configuration, "-S", &rules, "-t", "1"])
}

/// Waits until the program has so many packets.
fn packets(client: &mut Client, count: usize) {
    for _ in 0..1000 {
        let (_, counters) = client.command("dump-counters", Value::Null);
        if counters["decoder"]["pkts"] == count {
            return;
        }
    }
    panic!("{count} packets do not come");
}

#[test]
fn state_outlives_rules() {
    let Some(cable) = Cable::lay("rel") else { return };
    let folder = Folder::new("reload-state");
    let run = start(&cable, &folder, BEFORE);
    let mut client = Client::connect(&folder);
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let begun = || {
        let begun = Conversation::new("10.0.0.1:4000", "10.1.0.1:80").handshake();
        begun
            .client_sends(request("/first"))
            .server_sends(answer)
            .client_sends(request("/second"))
            .server_sends("HTTP/1.1 ")
    };
    let before = begun().frames().len();
    let rest = "200 OK\r\nContent-Length: 0\r\n\r\n";
    let exchange = begun().server_sends(rest).client_sends(request("/third")).server_sends(answer).close();
    let frames: Vec<Vec<u8>> = exchange.frames().into_iter().map(|frame| frame.bytes).collect();
    let (first, rest) = frames.split_at(before);
    cable.send(first.iter().map(Vec::as_slice));
    packets(&mut client, first.len());
    let (_, loaded) = client.command("ruleset-reload-time", Value::Null);
    folder.write("test.rules", AFTER);
    assert_eq!(client.command("ruleset-reload-rules", Value::Null), ("OK".to_owned(), json!("done")));
    let (_, again) = client.command("ruleset-reload-time", Value::Null);
    assert!(again[0]["last_reload"].as_str() > loaded[0]["last_reload"].as_str(), "{again}");
    let counts = json!([{"id": 0, "rules_loaded": 5, "rules_failed": 0, "rules_skipped": 0}]);
    assert_eq!(client.command("ruleset-stats", Value::Null).1, counts);
    cable.send(rest.iter().map(Vec::as_slice));
    packets(&mut client, frames.len());
    let (code, said) = run.end(Signal::TERM);
    assert_eq!(code, Some(0), "{said}");
    let mut alerts: Vec<(u64, String)> = folder
        .records("alert")
        .iter()
        .map(|record| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (record["alert"]["signature_id"].as_u64().unwrap_or(0), text(&record["alert"]["signature"]))
        })
        .collect();
    alerts.sort();
    let expected = [(2, "third"), (3, "changed"), (3, "old"), (4, "new"), (5, "both")];
    assert_eq!(alerts, expected.map(|(sid, msg)| (sid, msg.to_owned())));
    assert_eq!(folder.records("http").len(), 3);
}

#[test]
fn files_that_change_are_loaded() {
    let Some(cable) = Cable::lay("relw") else { return };
    let folder = Folder::new("reload-watch");
    let rules = folder.path("rules");
    std::fs::create_dir(&rules).expect("a folder");
    let write = |name: &str, sid: u32| {
        let rule = format!("alert tcp any any -> any any (msg:\"a\"; sid:{sid};)\n");
        std::fs::write(rules.join(name), rule).expect("a file");
    };
    write("a.rules", 1);
    let pattern = rules.join("*.rules").to_string_lossy().into_owned();
    let mut run = cable.listen(&folder, &["-S", &pattern, "--watch", "-t", "1"]);
    // A file that is another one, one that is new, and one that is gone.
    write("a.rules", 2);
    run.logged("rule reload complete");
    write("b.rules", 3);
    run.logged("rule reload complete");
    std::fs::remove_file(rules.join("b.rules")).expect("the file goes");
    run.logged("rule reload complete");
    let (code, said) = run.end(Signal::TERM);
    assert_eq!(code, Some(0), "{said}");
    let log = std::fs::read_to_string(folder.path("weir.log")).expect("a log");
    let loaded: Vec<&str> =
        log.lines().filter_map(|line| line.split("processed. ").nth(1)?.split(' ').next()).collect();
    assert_eq!(loaded, ["1", "1", "2", "1"], "{log}");
}

#[test]
fn rules_that_cannot_be_loaded_change_nothing() {
    let Some(cable) = Cable::lay("relb") else { return };
    let folder = Folder::new("reload-broken");
    let mut run = start(&cable, &folder, BEFORE);
    let mut client = Client::connect(&folder);
    let stats = client.command("ruleset-stats", Value::Null);
    let (rules, yaml) = (folder.path("test.rules"), folder.path("reload.yaml"));
    let written = std::fs::read(&yaml).expect("a configuration");
    // What is broken, how, and a word of the answer.
    for (path, content, word) in [
        (
            &rules,
            Some("alert http any any -> any any (msg:\"x\"; nothing; sid:1;)\n"),
            "1 rules could not be loaded",
        ),
        (&rules, None, "There is no rule file"),
        (&yaml, Some("%YAML 1.1\n---\noutputs: [\n"), "reload.yaml"),
    ] {
        match content {
            Some(content) => std::fs::write(path, content).expect("a file"),
            None => std::fs::remove_file(path).expect("the file goes"),
        }
        let (answer, message) = client.command("reload-rules", Value::Null);
        assert_eq!(answer, "NOK", "{message}");
        assert!(message.as_str().is_some_and(|message| message.contains(word)), "{word}: {message}");
        run.logged("The rules before stay in force.");
        assert_eq!(client.command("ruleset-stats", Value::Null), stats);
    }
    std::fs::write(&yaml, written).expect("a configuration");
    folder.write("test.rules", AFTER);
    run.signal(Signal::USR2);
    run.logged("rule reload complete");
    assert_eq!(client.command("ruleset-stats", Value::Null).1[0]["rules_loaded"], 5);
    let begun = client.command("ruleset-reload-nonblocking", Value::Null);
    assert_eq!(begun, ("OK".to_owned(), json!("done")));
    run.logged("rule reload complete");
    assert_eq!(run.end(Signal::TERM).0, Some(0));
}

/// A run that began without rules looks at what comes from the first ones on, in fields, streams and packets.
#[test]
fn the_first_rules_come_later() {
    let Some(cable) = Cable::lay("relf") else { return };
    let folder = Folder::new("reload-first");
    let run = start(&cable, &folder, "");
    let mut client = Client::connect(&folder);
    let frames = |port: u16| -> Vec<Vec<u8>> {
        let client = format!("10.0.0.1:{port}");
        let exchange = Conversation::new(&client, "10.1.0.1:80")
            .handshake()
            .client_sends("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")
            .close();
        exchange.frames().into_iter().map(|frame| frame.bytes).collect()
    };
    cable.send(frames(4000).iter().map(Vec::as_slice));
    packets(&mut client, frames(4000).len());
    folder.write(
        "test.rules",
        "alert http any any -> any any (msg:\"field\"; http.uri; content:\"/first\"; sid:1;)\n\
         alert http any any -> any any (msg:\"body\"; file.data; content:\"body\"; sid:2;)\n\
         alert tcp any any -> any 80 (msg:\"stream\"; flow:established; content:\"GET \"; sid:3;)\n\
         alert tcp any any -> any 80 (msg:\"packet\"; flags:S; sid:4;)\n",
    );
    assert_eq!(client.command("reload-rules", Value::Null), ("OK".to_owned(), json!("done")));
    cable.send(frames(4001).iter().map(Vec::as_slice));
    packets(&mut client, frames(4001).len() * 2);
    assert_eq!(run.end(Signal::TERM).0, Some(0));
    let mut alerts: Vec<(u64, u64)> = folder
        .records("alert")
        .iter()
        .map(|record| (record["alert"]["signature_id"].as_u64(), record["src_port"].as_u64()))
        .map(|(sid, port)| (sid.unwrap_or(0), port.unwrap_or(0)))
        .collect();
    alerts.sort();
    assert_eq!(alerts, [(1, 4001), (2, 80), (3, 4001), (4, 4001)]);
}
