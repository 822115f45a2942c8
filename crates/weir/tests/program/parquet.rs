//! Records as tables of Apache Parquet.

use super::run::{ETHERNET, Folder, Run, WEB_RULE, web_request};

/// Reads a capture of one alert and its flow with these words.
fn run(folder: &Folder, words: &[&str]) -> Run {
    let capture = folder.write("web.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let rules = folder.write("test.rules", WEB_RULE);
    folder.weir(&[&["-S", &rules, "-r", &capture, "--summary", "json"], words].concat())
}

#[cfg(feature = "parquet")]
mod built_with_it {
    use std::path::Path;

    use super::{Folder, run};

    /// The files below a folder, by their paths in it; each is whole.
    fn files(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut left = vec![folder.to_owned()];
        while let Some(next) = left.pop() {
            for entry in std::fs::read_dir(next).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    left.push(path);
                    continue;
                }
                let bytes = std::fs::read(&path).expect("a file");
                assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{}", path.display());
                found.push(path.strip_prefix(folder).expect("below it").display().to_string());
            }
        }
        found.sort();
        found
    }

    #[test]
    fn tables_stand_in_place_of_logs() {
        let folder = Folder::new("parquet");
        for (run_of, more) in [(1, ""), (2, "-1"), (3, "")] {
            let words = ["--parquet", "--zeek-logs", "--set", "outputs.eve-log.enabled=yes", "--overwrite"];
            let run = run(&folder, &words[..if run_of == 3 { 5 } else { 4 }]);
            assert_eq!(run.code, 0, "{}", run.said());
            let hour = "2023-11-14T22";
            let found = files(&folder.path("parquet"));
            for table in ["eve/alert", "eve/flow", "eve/http", "eve/stats", "zeek/conn", "zeek/http"] {
                let name = format!("{table}/{hour}{more}.parquet");
                assert!(found.contains(&name), "{name}: {found:?}");
            }
            let is_first = |file: &&String| !file.contains("-1.parquet");
            assert_eq!(found.iter().filter(is_first).count() < found.len(), run_of == 2, "{found:?}");
            assert!(!folder.path("eve.json").exists() && !folder.path("conn.log").exists());
        }
    }

    #[test]
    fn settings_choose_the_folder() {
        let folder = Folder::new("parquet-folder");
        let run = run(
            &folder,
            &["--set", "outputs.eve-log.filetype=parquet", "--set", "outputs.eve-log.parquet.folder=tables"],
        );
        assert_eq!(run.code, 0, "{}", run.said());
        let found = files(&folder.path("tables"));
        assert!(found.iter().any(|file| file.starts_with("eve/alert/")), "{found:?}");
    }

    #[test]
    fn mistakes_are_named() {
        let folder = Folder::new("parquet-mistakes");
        let words =
            ["--set", "outputs.eve-log.filetype=parquet", "--set", "outputs.eve-log.parquet.level=23"];
        let run = run(&folder, &words);
        assert_ne!(run.code, 0);
        assert!(run.said().contains("a whole number from 1 to 22"), "{}", run.said());
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_parquet_its_output_is_refused_or_left_out() {
    let folder = Folder::new("parquet");
    for words in [&["--parquet"][..], &["--zeek-logs=parquet"]] {
        let run = run(&folder, words);
        assert_eq!(run.code, 1, "{}", run.said());
        assert!(run.said().contains("built without Parquet. Build it with `make parquet`"), "{}", run.said());
    }
    let run = run(&folder, &["--set", "outputs.eve-log.filetype=parquet"]);
    assert_eq!(run.code, 0, "{}", run.said());
    let said = run.said();
    assert!(
        said.contains("This program was built without Parquet: the eve-log for it is left out"),
        "{said}"
    );
}
