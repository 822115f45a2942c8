//! Files that a configuration names are files: a named pipe, a device or a folder in their place is refused by name
//! and never waited for. Words of the command line may be pipes.

use std::process::Command;

use weir_testkit::pcap;

use crate::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// A named pipe that nobody writes to.
fn pipe(folder: &Folder, name: &str) -> String {
    let path = folder.path(name).to_string_lossy().into_owned();
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    path
}

#[test]
fn what_is_no_file_is_refused_and_the_rest_loads() {
    let folder = Folder::new("what_is_no_file_is_refused");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &web_request()));
    folder.write("a.rules", WEB_RULE);
    let pipe = pipe(&folder, "pipe");
    let place = folder.path("").to_string_lossy().into_owned();
    let database = format!("alert ip any any -> any any (geoip: any,DE; sid:2;)\n{WEB_RULE}");
    folder.write("country.rules", database);
    let list = format!("alert http any any -> any any (filemd5:pipe; sid:3;)\n{WEB_RULE}");
    folder.write("list.rules", list);
    let set =
        format!("alert http any any -> any any (http.host; dataset:isset,a,type string; sid:4;)\n{WEB_RULE}");
    folder.write("set.rules", set);
    let rules = |file: &str| format!("default-rule-path: {place}\nrule-files: [a.rules, {file}]\n");
    let beside = |key: &str, name: &str| format!("{}{key}: {name}\n", rules("/dev/null"));
    let cases = [
        (rules("pipe"), "it is a named pipe. Name a file"),
        (rules("p*pe"), "it is a named pipe. Name a file"),
        (rules("/dev/zero"), "it is a device. Name a file"),
        (rules(&place), "it is a folder. Name a file"),
        (beside("threshold-file", &pipe), "(threshold-file) cannot be read: it is a named pipe"),
        (beside("classification-file", &pipe), "(classification-file) cannot be read: it is a named pipe"),
        (
            beside("reference-config-file", &pipe),
            "(reference-config-file) cannot be read: it is a named pipe",
        ),
        (beside("reputation-categories-file", &pipe), "opening ip rep file"),
        (format!("{}geoip-database: {pipe}\n", rules("country.rules")), "it is a named pipe"),
        (rules("list.rules"), "it is a named pipe"),
        (
            format!("{}datasets:\n  a:\n    type: string\n    load: {pipe}\n", rules("set.rules")),
            "it is a named pipe",
        ),
    ];
    for (text, expected) in cases {
        let configuration = folder.write(
            "a.yaml",
            format!(
                "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [alert]\n{text}"
            ),
        );
        let run = folder.weir(&["-c", &configuration, "-r", &capture, "-k", "none", "-v"]);
        assert_eq!(run.code, 0, "{text}{}", run.said());
        let said = run.said().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(expected), "{text}{said}");
        let alerts = folder.records("alert");
        assert!(alerts.iter().any(|alert| alert["alert"]["signature_id"] == 1), "{text}{said}");
        std::fs::remove_file(folder.path("eve.json")).expect("eve.json");
    }
}

#[test]
fn an_include_that_is_no_file_is_refused_by_its_line() {
    let folder = Folder::new("an_include_that_is_no_file");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &web_request()));
    pipe(&folder, "pipe.yaml");
    for text in ["include: pipe.yaml", "include:\n  - pipe.yaml", "vars: !include pipe.yaml"] {
        let configuration = folder.write("a.yaml", format!("%YAML 1.1\n---\n{text}\n"));
        let run = folder.weir(&["-c", &configuration, "-r", &capture]);
        assert_eq!(run.code, 1, "{}", run.said());
        let said = run.said().split_whitespace().collect::<Vec<_>>().join(" ");
        for part in ["a.yaml, line ", "pipe.yaml: it is a named pipe. Name a file"] {
            assert!(said.contains(part), "{said}");
        }
    }
}

#[test]
fn words_of_the_command_line_may_be_pipes() {
    let folder = Folder::new("words_of_the_command_line_may_be_pipes");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &web_request()));
    let run = folder.weir_reading(&["-r", &capture, "-k", "none", "-S", "/dev/stdin"], WEB_RULE.as_bytes());
    assert_eq!((run.code, folder.records("alert").len()), (0, 1), "{}", run.said());
    let run =
        folder.weir_reading(&["-r", &capture, "-k", "none", "-s", "/proc/self/fd/0"], WEB_RULE.as_bytes());
    assert_eq!((run.code, folder.records("alert").len()), (0, 2), "{}", run.said());
    let text = "%YAML 1.1\n---\noutputs:\n  - fast:\n      enabled: yes\n";
    let rules = folder.write("a.rules", WEB_RULE);
    let words = ["-c", "/dev/stdin", "-r", &capture, "-k", "none", "-S", &rules];
    let run = folder.weir_reading(&words, text.as_bytes());
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(folder.path("fast.log").exists(), "{}", run.said());
    let run = folder.command_as("weir", &["check", "/dev/null"]);
    assert_eq!(run.code, 0, "{}", run.said());
}

#[test]
fn files_of_datasets_are_in_the_folder_for_data() {
    let folder = Folder::new("files_of_datasets");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &web_request()));
    for place in ["rules", "data"] {
        std::fs::create_dir_all(folder.path(place)).expect("a folder");
    }
    let rules = folder.write(
        "rules/a.rules",
        "alert http any any -> any any (http.host; dataset:isset,beside,type string,load beside.lst; sid:1;)\n\
         alert http any any -> any any (http.host; dataset:isset,data,type string,load data.lst; sid:2;)\n\
         alert http any any -> any any (http.host; dataset:isset,configured; sid:3;)\n\
         alert http any any -> any any (http.host; dataset:isset,here,type string,load here.lst; sid:4;)\n\
         alert http any any -> any any (http.host; dataset:set,seen,type string,state seen.lst; sid:5;)\n",
    );
    // `example.com`
    let list = "ZXhhbXBsZS5jb20=\n";
    for name in ["rules/beside.lst", "data/data.lst", "data/configured.lst", "here.lst"] {
        folder.write(name, list);
    }
    // What is beside the rules comes first.
    folder.write("data/beside.lst", "");
    let data = folder.path("data").to_string_lossy().into_owned();
    let named = format!("default-data-dir: {data}\n");
    for (setting, options) in
        [(named.as_str(), &[][..]), ("default-data-dir: /nowhere\n", &["--data-dir", &data][..])]
    {
        let text = format!(
            "%YAML 1.1\n---\n{setting}datasets:\n  configured:\n    type: string\n    load: configured.lst\n\
             outputs:\n  - eve-log:\n      enabled: yes\n      types: [alert]\n"
        );
        let configuration = folder.write("a.yaml", text);
        let words = [&["-c", &configuration, "-r", &capture, "-k", "none", "-S", &rules], options].concat();
        let run = folder.weir(&words);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.said());
        let mut ids: Vec<u64> = folder
            .records("alert")
            .iter()
            .filter_map(|alert| alert["alert"]["signature_id"].as_u64())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids, [1, 2, 3, 4, 5], "{}", run.said());
        assert_eq!(std::fs::read_to_string(folder.path("data/seen.lst")).expect("the kept set"), list);
        std::fs::remove_file(folder.path("eve.json")).expect("eve.json");
        std::fs::remove_file(folder.path("data/seen.lst")).expect("the kept set");
    }
}
