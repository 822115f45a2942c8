//! `weir check`: what it says of rules, how it ends, and what it rewrites.

use std::fs;

use crate::run::Folder;

const GOOD: &str = "alert http any any -> any any (msg:\"m\"; flow:to_server; http.uri; content:\"/admin\"; classtype:bad-unknown; sid:1; rev:1;)\n";
const OLD: &str = "alert http any any -> any any (msg:\"m\"; flow:to_server; content:\"/admin\"; http_uri; classtype:bad-unknown; sid:1; rev:1;)\n";
const SHORT: &str = "alert http any any -> any any (msg:\"m\"; flow:to_server; http.uri; content:\"/a\"; classtype:bad-unknown; sid:2; rev:1;)\n";
const WRONG: &str = "alert http any any -> any any (msg:\"m\"; htp.uri; content:\"/admin\"; sid:3; rev:1;)\n";

#[test]
fn how_a_check_ends() {
    // The rules, the options, the exit code, what is said.
    let cases: &[(&str, &[&str], i32, &str)] = &[
        (GOOD, &[], 0, "1 rule in 1 file: 0 errors, 0 warnings, 0 hints"),
        (OLD, &[], 0, "(--level hint shows them)"),
        (OLD, &["--level", "hint"], 0, "hint[deprecated-spelling]"),
        (SHORT, &[], 0, "warning[short-fast-pattern]"),
        (SHORT, &["--deny", "warnings"], 1, "error[short-fast-pattern]"),
        (SHORT, &["--deny", "warnings", "--allow", "short-fast-pattern"], 0, "0 errors, 0 warnings"),
        (WRONG, &[], 1, "did you mean `http.uri`?"),
        (WRONG, &["--format", "json"], 1, "\"name\":\"unknown-keyword\""),
        (WRONG, &["--format", "sarif"], 1, "\"ruleId\":\"unknown-keyword\""),
        (GOOD, &["--allow", "nothing"], 2, "There is no finding nothing."),
        (
            GOOD,
            &["none.rules"],
            2,
            "There is no rule file none.rules. Check the path, which is looked up in ",
        ),
        (GOOD, &["."], 2, "The rule file . cannot be read: it is a folder. Name a file."),
        (GOOD, &["--dry-run"], 1, "--fix"),
    ];
    for (position, (rules, options, code, said)) in cases.iter().enumerate() {
        let folder = Folder::new(&format!("how_a_check_ends_{position}"));
        folder.write("my.rules", rules);
        let run = folder.command(&[&["check", "my.rules"], *options].concat());
        assert_eq!(run.code, *code, "{rules}{options:?}: {}", run.said());
        assert!(run.said().contains(said), "{rules}{options:?}: no {said} in {}", run.said());
        assert!(!run.said().contains('\u{1b}'), "no colours but on terminals: {}", run.said());
    }
}

#[test]
fn scripts_are_checked() {
    let folder = Folder::new("scripts_are_checked");
    folder.write("good.zeek", "event zeek_init()\n\t{\n\tprint 1;\n\t}\n");
    folder.write("wrong.zeek", "event zeek_init()\n\t{\n\tlocal n: count = \"x\";\n\t}\n");
    folder.write("dear.zeek", "event new_packet(c: connection, p: pkt_hdr)\n\t{\n\t}\n");
    folder.write("good.sig", "signature s { payload /x/ event \"e\" }\n");
    folder.write("wrong.sig", "signature s {\n  paylod /x/\n}\n");
    folder.write("my.rules", GOOD);
    // The files and options, the exit code, what is said.
    let cases: [(&[&str], i32, &[&str]); 8] = [
        (&["good.zeek", "good.sig"], 0, &["2 scripts: 0 errors, 0 warnings, 0 hints"]),
        (&["wrong.zeek"], 1, &["error[script-fault]", "wrong.zeek:3:2", "1 script: 1 error"]),
        (&["dear.zeek"], 0, &["warning[script-cost]", "dear.zeek:1:1", "runs for each packet"]),
        (&["dear.zeek", "--allow", "script-cost"], 0, &["1 script: 0 errors, 0 warnings"]),
        (&["dear.zeek", "--deny", "script-cost", "--format", "json"], 1, &["\"name\":\"script-cost\""]),
        (&["wrong.sig"], 1, &["wrong.sig:2:3", "syntax error"]),
        (&["my.rules", "good.zeek"], 0, &["1 rule in 1 file, 1 script: 0 errors"]),
        (&["none.zeek"], 2, &["The script none.zeek cannot be read"]),
    ];
    for (words, code, parts) in cases {
        let run = folder.command(&[&["check"], words].concat());
        assert_eq!(run.code, code, "{words:?}: {}", run.said());
        for part in parts {
            assert!(run.said().contains(part), "{words:?}: no {part} in {}", run.said());
        }
    }
}

#[test]
fn what_a_fix_does_to_a_file() {
    let folder = Folder::new("what_a_fix_does_to_a_file");
    let before = format!("# mine\n{OLD}\n{SHORT}");
    let path = folder.write("my.rules", &before);
    let run = folder.command(&["check", "my.rules", "--fix", "--dry-run"]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(run.stdout.starts_with("--- my.rules\n+++ my.rules\n@@ -2,1 +2,1 @@\n-alert"), "{}", run.stdout);
    assert_eq!(fs::read_to_string(&path).expect("a file"), before);

    let run = folder.command(&["check", "my.rules", "--fix", "--level", "hint"]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(!run.stdout.contains("deprecated-spelling"), "{}", run.stdout);
    let after = fs::read_to_string(&path).expect("a file");
    let made = before.replace("content:\"/admin\"; http_uri;", "http.uri; content:\"/admin\";");
    // The older spelling does not look at HTTP/2.
    assert_eq!(after, made.replacen("alert http ", "alert http1 ", 1));
}
