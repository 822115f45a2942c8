//! Rights that the program gives away while it listens, in networks of the tests' own.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use rustix::process::{Signal, geteuid};
use serde_json::{Value, json};
use weir_testkit::pcap;

use super::control::{self, Client};
use super::metrics;
use super::namespaces::{Cable, End, Listening};
use super::queues;
use super::run::{ETHERNET, Folder, web_request};

/// The user that nobody is, in `/etc/passwd` of any system, by number.
const NOBODY: u32 = 65534;

/// Sets of capabilities, by the names of `/proc/PID/status`.
const SETS: [&str; 5] = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"];

fn capabilities(run: &Listening) -> [u64; 5] {
    SETS.map(|set| u64::from_str_radix(&run.status(set), 16).expect("a set"))
}

/// Whether anybody may enter a folder and those above it; says so where not.
fn is_open_to_all(folder: &Path) -> bool {
    let open = folder
        .ancestors()
        .all(|folder| folder.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o001 != 0));
    if !open {
        println!("skipped: the folder of tests cannot be entered by other users");
    }
    open
}

#[test]
fn no_capability_is_left() {
    let Some(cable) = Cable::lay("cap") else { return };
    let folder = Folder::new("sandbox-capabilities");
    let run = cable.listen(&folder, &["-t", "2"]);
    assert_eq!(capabilities(&run), [0; 5]);
    assert_eq!([run.status("NoNewPrivs"), run.status("Seccomp")], ["1", "2"]);
    assert_eq!(run.status("Uid").split('\t').collect::<Vec<_>>(), ["0"; 4]);
    assert_eq!(run.end(Signal::INT).0, Some(0));
    let log = fs::read_to_string(folder.path("weir.log")).expect("a log");
    assert!(log.contains("What is left: no capability"), "{log}");
}

/// A script of a rule that may use all of the language writes where it likes, and starts a program.
const SCRIPT: &str = "function init(sig)\n  return {}\nend\n\nfunction match(args)\n  \
    local inside = io.open(\"LOGS/inside\", \"w\")\n  local outside = io.open(\"OUT/outside\", \"w\")\n  \
    local secret = io.open(\"OUT/secret\", \"r\")\n  local started = os.execute(\"true\")\n  \
    if inside then inside:write(tostring(outside ~= nil), \" \", tostring(secret ~= nil), \" \", tostring(started == true)) inside:close() end\n  \
    return 1\nend\n";

/// Root goes on in a folder of somebody else below one that is nobody else's.
#[test]
fn root_goes_on_in_folders_of_others() {
    let Some(cable) = Cable::lay("capo") else { return };
    let folder = Folder::new("sandbox-others");
    let logs = folder.path("home/logs");
    fs::create_dir_all(&logs).expect("a folder");
    for place in [folder.path("home"), logs.clone()] {
        chown(&place, Some(NOBODY), Some(NOBODY)).expect("the folder has another owner");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).expect("the folder is shut");
    }
    let word = logs.to_string_lossy().into_owned();
    let interface = cable.interface(End::Far);
    let words = ["-v", "-l", &word, "-i", &interface, "-t", "1"];
    let mut run = cable.start_as(env!("CARGO_BIN_EXE_weir"), &folder, &words);
    let left = run.logged("What is left");
    assert!(left.contains("cap_dac_override") && !left.contains("cap_net"), "{left}");
    run.logged("Engine started");
    fs::rename(logs.join("eve.json"), logs.join("eve.json.1")).expect("a log is moved away");
    run.signal(Signal::HUP);
    run.logged("logs are opened anew");
    assert_eq!(run.end(Signal::INT).0, Some(0));
    assert!(logs.join("eve.json").exists());
}

#[test]
fn what_a_script_does_outside_fails() {
    let Some(cable) = Cable::lay("capl") else { return };
    let outside = std::env::temp_dir().join(format!("weir-outside-{}", std::process::id()));
    fs::create_dir_all(&outside).expect("a folder");
    fs::write(outside.join("secret"), "").expect("a file");
    for (enabled, expected) in [("auto", "false false false"), ("no", "true true true")] {
        let folder = Folder::new(&format!("sandbox-script-{enabled}"));
        let [logs, out] = [folder.path(""), outside.clone()].map(|path| path.to_string_lossy().into_owned());
        folder.write("outside.lua", SCRIPT.replace("LOGS/", &logs).replace("OUT", &out));
        let rules = folder.write("test.rules", "alert udp any any -> any any (lua:outside.lua; sid:1;)\n");
        let enabled =
            ["capabilities", "seccomp", "landlock"].map(|part| format!("security.{part}.enabled={enabled}"));
        let lua = "security.lua.allow-restricted-functions=true";
        let scripts = format!("default-rule-path={logs}");
        let mut words = vec!["-S", &rules, "-t", "1", "--set", lua, "--set", &scripts];
        enabled.iter().for_each(|word| words.extend(["--set", word]));
        let run = cable.listen(&folder, &words);
        cable.send([&*control::question()]);
        // While a program is started, system(3) ignores the other signal.
        assert_eq!(run.end(Signal::TERM).0, Some(0));
        assert_eq!(folder.records("alert").len(), 1);
        let log = fs::read_to_string(folder.path("weir.log")).expect("a log");
        if log.contains("this kernel has no Landlock") {
            println!("skipped: files outside are written, for this kernel has no Landlock");
            continue;
        }
        assert_eq!(fs::read_to_string(folder.path("inside")).expect("a file"), expected);
    }
    fs::remove_dir_all(outside).expect("the folder goes");
}

#[test]
fn what_is_switched_off_stays() {
    let Some(cable) = Cable::lay("capn") else { return };
    let folder = Folder::new("sandbox-off");
    let off = |part: &str| format!("security.{part}.enabled=no");
    let [capabilities_off, seccomp, landlock] = ["capabilities", "seccomp", "landlock"].map(off);
    let run = cable.listen(&folder, &["--set", &capabilities_off, "--set", &seccomp, "--set", &landlock]);
    assert_ne!(capabilities(&run)[2], 0);
    assert_eq!(run.status("Seccomp"), "0");
    assert_eq!(run.end(Signal::INT).0, Some(0));
}

/// A cable has offloads, which the log names where they were on.
#[test]
fn offloads_are_off_until_the_end() {
    let Some(cable) = Cable::lay("offl") else { return };
    let said = |folder: &Folder| fs::read_to_string(folder.path("weir.log")).expect("a log");
    for (index, end) in [Signal::INT, Signal::KILL, Signal::TERM].into_iter().enumerate() {
        // The process that puts them back may still be at it.
        let switched = (0..1000).any(|time| {
            let folder = Folder::new(&format!("sandbox-offloads-{index}-{time}"));
            let run = cable.listen(&folder, &[]);
            let switched = said(&folder).contains("switched off until the program ends");
            assert_eq!(capabilities(&run), [0; 5]);
            run.end(if switched { end } else { Signal::INT });
            switched
        });
        assert!(switched, "{end:?}");
    }
    let folder = Folder::new("sandbox-offloads-on");
    let run = cable.listen(&folder, &["--set", "capture.disable-offloading=no"]);
    assert_eq!(run.end(Signal::INT).0, Some(0));
    assert!(!said(&folder).contains("switched off until"));
}

#[test]
fn queues_are_decided_of_with_one_capability() {
    let Some(cable) = queues::network("capq") else { return };
    let folder = Folder::new("sandbox-queues");
    let run = queues::start(&cable, &folder, "", "");
    let administration = 1 << 12;
    assert_eq!(capabilities(&run), [0, administration, administration, administration, 0]);
    assert_eq!(run.end(Signal::INT).0, Some(0));
}

/// Another user writes the logs, rotates them, loads rules again and saves datasets.
#[test]
fn another_user_goes_on() {
    let Some(cable) = Cable::lay("capu") else { return };
    let folder = Folder::new("sandbox-user");
    let logs = folder.path("");
    if !is_open_to_all(&logs) {
        return;
    }
    chown(&logs, Some(NOBODY), Some(NOBODY)).expect("the folder has another owner");
    let socket = folder.path("control.socket");
    let configuration = folder.write(
        "user.yaml",
        format!(
            "%YAML 1.1\n---\nrun-as:\n  user: \"{NOBODY}\"\n  group: \"{NOBODY}\"\nunix-command:\n  enabled: yes\n  filename: \
             {}\nmetrics:\n  enabled: yes\n  listen: unix:{}\ndatasets:\n  names:\n    type: string\n    state: {}\noutputs:\n  - eve-log:\n      enabled: yes\n      \
             types: [dns, alert]\nlogging:\n  outputs:\n    - console:\n        enabled: yes\n    - file:\n        enabled: yes\n        filename: weir.log\n",
            socket.display(),
            folder.path("metrics.socket").display(),
            folder.path("names.lst").display(),
        ),
    );
    let rules = folder.write("test.rules", "alert dns any any -> any any (msg:\"a\"; sid:1;)\n");
    let pid_file = folder.path("weir.pid");
    let pid_word = pid_file.to_string_lossy().into_owned();
    let words = ["-c", &configuration, "-S", &rules, "-t", "1", "--pidfile", &pid_word];
    let mut run = cable.listen(&folder, &words);
    assert_eq!(run.status("Uid"), [NOBODY.to_string().as_str(); 4].join("\t"));
    assert_eq!(run.status("Gid"), [NOBODY.to_string().as_str(); 4].join("\t"));
    assert_eq!((capabilities(&run), run.status("Groups")), ([0; 5], String::new()));
    for file in ["eve.json", "weir.log", "weir.pid", "control.socket", "metrics.socket"] {
        assert_eq!(folder.path(file).metadata().expect("a file").uid(), NOBODY, "{file}");
    }
    let health = metrics::of_socket(&folder.path("metrics.socket"), "/health");
    assert_eq!(health, "ok\n");
    let mut client = Client::connect(&folder);
    let count =
        |client: &mut Client| client.command("ruleset-stats", Value::Null).1[0]["rules_loaded"].clone();
    assert_eq!(count(&mut client), 1);
    folder.write(
        "test.rules",
        "alert dns any any -> any any (sid:1;)\nalert dns any any -> any any (sid:2;)\n",
    );
    run.signal(Signal::USR2);
    run.logged("rule reload complete");
    assert_eq!(count(&mut client), 2);
    // As a program that fetches rules puts them in place.
    folder.write("new.rules", "alert dns any any -> any any (sid:3;)\n");
    fs::rename(folder.path("new.rules"), folder.path("test.rules")).expect("a file in place of another");
    assert_eq!(client.command("ruleset-reload-rules", Value::Null), ("OK".to_owned(), json!("done")));
    assert_eq!(count(&mut client), 1);
    fs::rename(folder.path("eve.json"), folder.path("eve.json.1")).expect("a log is moved away");
    run.signal(Signal::HUP);
    run.logged("logs are opened anew");
    cable.send([&*control::question()]);
    let data = json!({"setname": "names", "settype": "string", "datavalue": "ZXhhbXBsZS5jb20="});
    assert_eq!(client.command("dataset-add", data).0, "OK");
    assert_eq!(run.end(Signal::INT).0, Some(0));
    assert_eq!(folder.records("dns").len() + folder.records("alert").len(), 2);
    assert_eq!(folder.path("eve.json").metadata().expect("a log").uid(), NOBODY);
    assert!(!pid_file.exists() && !socket.exists(), "both files go with the run");
    assert!(!folder.path("metrics.socket").exists(), "and so does this one");
    assert_eq!(fs::read_to_string(folder.path("names.lst")).expect("a set").lines().count(), 1);
}

/// With captures it takes an option to become another user.
#[test]
fn captures_are_read_as_another_user_where_that_is_asked_for() {
    if !geteuid().is_root() {
        println!("skipped: only root can become another user");
        return;
    }
    for (words, owner) in
        [(&["--user", "65534", "--group", "65534"][..], NOBODY), (&["--set", "run-as.user=65534"], 0)]
    {
        let folder = Folder::new(&format!("sandbox-capture-{owner}"));
        if !is_open_to_all(&folder.path("")) {
            return;
        }
        let logs = Folder::new(&format!("sandbox-capture-logs-{owner}"));
        let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
        let run = logs.weir(&[&["-r", &*capture], words].concat());
        assert_eq!(run.code, 0, "{}", run.said());
        for file in ["eve.json", "weir.log"] {
            assert_eq!(logs.path(file).metadata().expect("a log").uid(), owner, "{file}");
        }
    }
}

#[test]
fn a_user_that_cannot_write_the_logs_is_told_of() {
    let Some(cable) = Cable::lay("capw") else { return };
    let folder = Folder::new("sandbox-unwritable");
    let logs = folder.path("").to_string_lossy().into_owned();
    folder.write("earlier.log", "an empty folder would be given to the user");
    let rules = folder.write("test.rules", "");
    fs::set_permissions(&rules, fs::Permissions::from_mode(0o600)).expect("the file is shut");
    let words = ["-l", &logs, "-i", "lo", "-S", &rules, "--user", "65534", "--group", "65534"];
    let mut run = cable.start_as(env!("CARGO_BIN_EXE_weir"), &folder, &words);
    run.logged("rules cannot be loaded again");
    run.logged("cannot be written by 65534. Give it to that user");
    assert_eq!(run.ended().0, Some(1));
    let run = folder.weir(&["-i", "lo", "--user", "no-such-user"]);
    assert_eq!(run.code, 1, "{}", run.said());
    assert!(run.stderr.contains("no-such-user"), "{}", run.said());
}
