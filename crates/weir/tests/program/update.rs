//! `weir update`: sources to rules in use, edits, refusals, what changed, the set before, a program that runs.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::handed_in;
use crate::run::{Folder, Run};

/// Exit codes, as the help tells them.
const DONE: i32 = 0;
const REFUSED: i32 = 1;
const LEFT_OUT: i32 = 2;
const NOT_RELOADED: i32 = 3;

fn rule(sid: u32, revision: u32, message: &str) -> String {
    format!(
        "alert tcp any any -> any any (msg:\"{message}\"; content:\"abcd\"; sid:{sid}; rev:{revision};)\n"
    )
}

/// Runs an update of a folder's `in/` into its `out/`.
fn update(folder: &Folder, words: &[&str]) -> Run {
    folder.command(&[&["update", "-o", "out", "-D", "data", "--config", "update.yaml"], words].concat())
}

fn folder(name: &str, rules: &str) -> Folder {
    let folder = Folder::new(name);
    fs::create_dir_all(folder.path("in")).expect("a folder");
    folder.write("in/a.rules", rules);
    folder.write("update.yaml", "sources: in\n");
    folder
}

fn in_use(folder: &Folder) -> String {
    let text = fs::read_to_string(folder.path("out/suricata.rules")).unwrap_or_default();
    text.lines().skip(2).map(|line| format!("{line}\n")).collect()
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.said()))
}

/// What the source has then, the options, the exit code, what is said, what is in use then.
type Step<'a> = (&'a str, &'a [&'a str], i32, &'a [&'a str], &'a str);

#[test]
fn a_set_takes_the_place_of_the_one_before_and_gives_it_back() {
    let one = rule(1, 1, "one") + &rule(2, 1, "two");
    let folder = folder("update_set", &one);
    let two = rule(1, 2, "one, better") + &format!("# {}", rule(2, 1, "two")) + &rule(3, 1, "three");
    let steps: [Step<'_>; 6] = [
        (&one, &[], DONE, &["2 rules added", "suricata.rules is new: 2 rules, 2 enabled."], &one),
        (&one, &[], DONE, &["is up to date: 2 rules"], &one),
        (&two, &["--dry-run"], DONE, &["1 rule added", "would be new: 3 rules, 2 enabled."], &one),
        (
            &two,
            &[],
            DONE,
            &[
                "1 rule added",
                "3 rev 1     three",
                "1 rule changed",
                "1 rev 2     one, better",
                "1 rule disabled",
            ],
            &two,
        ),
        (
            &two,
            &["--rollback"],
            DONE,
            &["1 rule removed", "1 rule enabled", "is the set before again: 2 rules"],
            &one,
        ),
        (&two, &["--rollback"], DONE, &["3 rules, 2 enabled"], &two),
    ];
    for (source, options, code, said, expected) in steps {
        folder.write("in/a.rules", source);
        let run = update(&folder, options);
        assert_eq!(run.code, code, "{options:?}: {}", run.said());
        for words in said {
            assert!(run.said().contains(words), "{options:?}: no {words} in {}", run.said());
        }
        assert_eq!(in_use(&folder), expected, "{options:?}");
    }
    let run = update(&folder, &["--rollback", "-o", "elsewhere"]);
    assert!(run.code == REFUSED && run.said().contains("no set of rules before"), "{}", run.said());
}

#[test]
fn rules_that_cannot_be_loaded_refuse_the_set() {
    let good = rule(1, 1, "good");
    let folder = folder("update_refused", &good);
    assert_eq!(update(&folder, &[]).code, DONE);
    folder.write(
        "in/a.rules",
        good.clone() + "alert tcp any any -> any any (no_such_keyword; sid:2; rev:1;)\n",
    );
    let run = update(&folder, &[]);
    assert_eq!(run.code, REFUSED, "{}", run.said());
    assert!(run.said().contains("a.rules:2: rule 2 cannot be loaded: "), "{}", run.said());
    assert!(run.said().contains("Nothing was changed"), "{}", run.said());
    assert_eq!(in_use(&folder), good);
    let run = update(&folder, &["--leave-out"]);
    assert_eq!(run.code, LEFT_OUT, "{}", run.said());
    assert_eq!(
        in_use(&folder),
        good.clone() + "# alert tcp any any -> any any (no_such_keyword; sid:2; rev:1;)\n"
    );
    let run = update(&folder, &["--no-test", "--json"]);
    assert_eq!((run.code, &json(&run)["outcome"]), (DONE, &"replaced".into()), "{}", run.said());
    assert!(!folder.path("out/.candidate").exists());
    let run = update(&folder, &["none.tar.gz"]);
    assert_eq!(run.code, REFUSED, "{}", run.said());
    assert!(
        run.said().contains("none.tar.gz: the source is left out: there is no such file."),
        "{}",
        run.said()
    );
    folder.write("in/a.rules", "# nothing\n");
    assert_eq!(update(&folder, &[]).code, REFUSED);
}

#[test]
fn mistakes_in_files_are_told_and_lose_nothing_else() {
    let folder = folder("update_mistakes", &(rule(1, 1, "one") + &rule(2, 1, "two")));
    folder.write(
        "update.yaml",
        "sources: in\ndisable-conf: disable.conf\nenabel-conf: x\nlocal: [mine.rules, none.rules]\n",
    );
    folder.write("disable.conf", "one\n2\n");
    folder.write("mine.rules", rule(7, 1, "mine"));
    let run = update(&folder, &[]);
    assert_eq!(run.code, LEFT_OUT, "{}", run.said());
    for words in [
        "update.yaml:3: 'enabel-conf' is not known and left out. Did you mean 'enable-conf'?",
        "disable.conf:1: the line is left out: 'one' says of no rules. Write a rule's number",
        "none.rules: the rule file is left out: there is no such file.",
        "Of these 1 disabled.",
    ] {
        assert!(run.said().contains(words), "no {words} in {}", run.said());
    }
    assert_eq!(
        in_use(&folder),
        rule(1, 1, "one") + &format!("# {}", rule(2, 1, "two")) + &rule(7, 1, "mine")
    );
    let run = update(&folder, &["--config", "none.yaml"]);
    assert!(run.code == REFUSED && run.said().contains("none.yaml: the file is left out"), "{}", run.said());
}

/// Serves files of a folder over HTTP, and keeps what it was asked for. It ends with the test.
fn serve(folder: &Folder) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (root, list) = (folder.path("www"), Arc::clone(&asked));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
            let head = lines.next().and_then(Result::ok).unwrap_or_default();
            while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
            let name = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
            let answer = match fs::read(root.join(&name)) {
                Ok(bytes) => [
                    format!(
                        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                        bytes.len()
                    )
                    .into_bytes(),
                    bytes,
                ]
                .concat(),
                Err(_) => {
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()
                }
            };
            list.lock().expect("a list").push(name);
            let _ = stream.write_all(&answer);
        }
    });
    (address, asked)
}

#[test]
fn what_did_not_change_is_not_loaded_again() {
    let folder = folder("update_http", "");
    fs::create_dir_all(folder.path("www")).expect("a folder");
    let (address, asked) = serve(&folder);
    folder.write("www/a.rules", rule(1, 1, "one"));
    folder.write("www/a.rules.md5", "0123456789abcdef0123456789abcdef  a.rules\n");
    let url = format!("{address}/a.rules");
    let run = update(&folder, &[&url]);
    assert!(run.code == REFUSED && run.said().contains("not those of its checksum"), "{}", run.said());
    // The sum that `md5sum` prints for this rule.
    let sum =
        std::process::Command::new("md5sum").arg(folder.path("www/a.rules")).output().expect("md5sum").stdout;
    folder.write("www/a.rules.md5", sum);
    let index = format!(
        "version: 1\nsources:\n  my/source:\n    summary: Rules\n    license: MIT\n    url: {address}/%(code)s.rules\n    parameters:\n      code:\n        prompt: A word\n"
    );
    folder.write("index.yaml", index);
    let named = format!("sources:\n  - source: my/source\n    code: a\nindex: index.yaml\n# {address}\n");
    folder.write("named.yaml", named);
    // The words, the exit code, whence the source is, what was asked for.
    let steps: [(&[&str], i32, &str, &[&str]); 5] = [
        (&[&url], DONE, "network", &["a.rules.md5", "a.rules"]),
        (&[&url], DONE, "cache", &["a.rules.md5"]),
        (&[&url, "--force"], DONE, "network", &["a.rules.md5", "a.rules"]),
        (&[&url, "--offline"], DONE, "cache", &[]),
        (&["--config", "named.yaml"], DONE, "cache", &["a.rules.md5"]),
    ];
    for (words, code, origin, requests) in steps {
        asked.lock().expect("a list").clear();
        let run = update(&folder, &[words, &["--json"]].concat());
        assert_eq!(run.code, code, "{words:?}: {}", run.said());
        assert_eq!(json(&run)["sources"][0]["origin"], origin, "{words:?}");
        assert_eq!(*asked.lock().expect("a list"), requests, "{words:?}");
    }
    fs::remove_file(folder.path("www/a.rules")).expect("a file");
    fs::remove_file(folder.path("www/a.rules.md5")).expect("a file");
    let run = update(&folder, &[&url]);
    assert_eq!(run.code, LEFT_OUT, "{}", run.said());
    assert!(
        run.said().contains("the rules loaded before are used: the server answers 404. Check the address"),
        "{}",
        run.said()
    );
    let run = update(&folder, &["--config", "named.yaml", "--list-sources"]);
    assert_eq!(run.stdout, "my/source  Rules (MIT); needs code\n");
    let run = update(&folder, &["my/sorce", "--index", "index.yaml"]);
    assert!(run.code == REFUSED && run.said().contains("Did you mean 'my/source'?"), "{}", run.said());
}

#[test]
fn an_archive_is_edited_and_told_of_as_json() {
    let folder = Folder::new("update_archive");
    fs::create_dir_all(folder.path("rules")).expect("a folder");
    folder.write("update.yaml", "");
    folder.write("rules/a.rules", rule(1, 1, "one") + &format!("#{}", rule(2, 3, "two")));
    folder.write("rules/b.rules", "alert dns any any -> any any (dns.query; dataset:isset,bad,type string,load bad.lst; sid:3; rev:1;)\n");
    folder.write("rules/bad.lst", "YQ==\n");
    folder.write("rules/old-deleted.rules", rule(9, 1, "gone"));
    folder.write("rules/classification.config", "config classification: mine,Of mine,1\n");
    folder.write("enable.conf", "re:TWO\n");
    folder.write("drop.conf", "group:a\n");
    let packed = std::process::Command::new("tar")
        .args(["czf", "a.tar.gz", "rules"])
        .current_dir(folder.path(""))
        .status();
    assert!(packed.expect("tar").success());
    let run =
        update(&folder, &["a.tar.gz", "--enable-conf", "enable.conf", "--drop-conf", "drop.conf", "--json"]);
    assert_eq!(run.code, DONE, "{}", run.said());
    let told = json(&run);
    assert_eq!(told["rules"], serde_json::json!({"total": 3, "enabled": 3}));
    assert_eq!(told["edits"]["dropped"], 2);
    assert_eq!(told["changes"]["added"][1], serde_json::json!({"gid": 1, "sid": 2, "rev": 3, "msg": "two"}));
    let files = ["suricata.rules", "classification.config", "bad.lst"];
    assert!(files.iter().all(|file| folder.path(&format!("out/{file}")).exists()));
    let rules = folder.path("out/suricata.rules");
    let run = folder.command(&["check", &rules.to_string_lossy()]);
    assert_eq!(run.code, 0, "{}", run.said());
}

#[test]
fn a_program_that_runs_loads_them() {
    let folder = folder("update_reload", &rule(1, 1, "one"));
    let run = update(&folder, &[]);
    assert_eq!(run.code, DONE, "{}", run.said());
    let rules = folder.path("out/suricata.rules").to_string_lossy().into_owned();
    let started = handed_in::start(&folder, "", &["-s", &rules]);
    let socket = folder.path("control.socket").to_string_lossy().into_owned();
    let loaded = || {
        let answer = folder.command(&["ctl", "ruleset-stats", "--json", "--socket", &socket]);
        let value: Value =
            serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.said()));
        value[0]["rules_loaded"].clone()
    };
    assert_eq!(loaded(), 1);
    folder.write("in/a.rules", rule(1, 1, "one") + &rule(2, 1, "two"));
    let run = update(&folder, &["--reload", "--socket", &socket]);
    assert!(run.code == DONE && run.said().contains("The running program has loaded it."), "{}", run.said());
    assert_eq!(loaded(), 2);
    drop(started);
    let run = update(&folder, &["--rollback", "--reload", "--socket", "none.socket"]);
    assert_eq!(run.code, NOT_RELOADED, "{}", run.said());
    assert!(run.said().contains("has not loaded it: Nobody listens"), "{}", run.said());
}

/// The real one asks the program for its version, its build and its configuration, and to test rules.
#[test]
fn suricata_update_works_with_it() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/suricata_update.sh");
    let output =
        std::process::Command::new(script).arg(env!("CARGO_BIN_EXE_weir")).output().expect("a shell");
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    print!("{said}");
    assert!(output.status.success(), "{said}");
}
