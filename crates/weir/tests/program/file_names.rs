//! Names of log files: with the time in them, and of threads.

use std::fs;
use std::path::Path;

use super::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// The files of a folder and those below it that are logs, with digits as `0`, in order.
fn names(folder: &Path, above: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{above}{}", path.file_name().unwrap_or_default().to_string_lossy());
        match path.is_dir() {
            true => found.extend(names(&path, &format!("{name}/"))),
            false => found.push(name.replace(|c: char| c.is_ascii_digit(), "0")),
        }
    }
    found.sort();
    found
}

#[test]
fn files_are_named_by_the_time_when_they_were_begun() {
    let folder = Folder::new("file-names-dated");
    let capture = folder.write("web.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let rules = folder.write("web.rules", WEB_RULE);
    let logs = folder.path("logs").to_string_lossy().into_owned();
    let configuration = folder.write(
        "dated.yaml",
        "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filename: \"%Y/%m/eve-%Y-%m-%d.json\"\n      \
         rotate-interval: week\n      types: [alert, flow]\n  - fast:\n      enabled: yes\n      filename: fast-%s.log\n  \
         - stats:\n      enabled: yes\n      filename: stats.log\n      rotate-interval: day\nlogging:\n  outputs:\n  - console:\n      enabled: yes\n",
    );
    let run = folder.command(&["-c", &configuration, "-l", &logs, "-r", &capture, "-S", &rules]);
    assert_eq!(run.code, 0, "{}", run.said());
    let expected = ["0000/00/eve-0000-00-00.json", "fast-0000000000.log", "stats.log"];
    assert_eq!(names(Path::new(&logs), ""), expected, "{}", run.said());
    let words: Vec<&str> = run.stderr.split_whitespace().collect();
    let sentence = "rotate-interval of stats (";
    assert!(words.join(" ").contains(sentence), "{}", run.said());
    assert_eq!(run.stderr.matches("rotate-interval").count(), 1, "{}", run.said());
}

#[test]
fn the_time_is_that_of_the_zone_of_the_logs() {
    let folder = Folder::new("file-names-zone");
    let capture = folder.write("web.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let words = ["-r", &capture, "--disable-detection", "--set", "outputs.eve-log.filename=eve%z.json"];
    for (options, name) in [(&[][..], "eve+0545.json"), (&["--utc"][..], "eve+0000.json")] {
        let run = folder.in_zone("<+0545>-5:45", "weir", &[&words, options].concat(), &[]);
        assert_eq!(run.code, 0, "{}", run.said());
        assert!(folder.path(name).exists(), "{name}: {:?}", names(&folder.path(""), ""));
    }
}

#[test]
fn the_file_of_threads_is_one_for_any_number_of_workers() {
    let mut all = Vec::new();
    for workers in ["1", "3"] {
        let folder = Folder::new(&format!("file-names-threaded-{workers}"));
        let capture = folder.write("web.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
        let configuration = folder.write(
            "threaded.yaml",
            "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      threaded: yes\n      types: [http, flow]\n",
        );
        let run = folder.weir(&["-c", &configuration, "-r", &capture, "-t", workers]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
        assert!(!folder.path("eve.json").exists());
        all.push(fs::read_to_string(folder.path("eve.1.json")).expect("the file"));
    }
    assert_eq!(all[0].lines().count(), 2);
    assert_eq!(all[0], all[1]);
}
