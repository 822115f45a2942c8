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
    use std::collections::BTreeMap;
    use std::io::{BufRead, BufReader};
    use std::os::unix::net::UnixListener;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::time::Duration;

    use rustix::process::Signal;
    use serde_json::Value;
    use weir_base::Timestamp;
    use weir_testkit::{Frame, TimedFrame, pcap};

    use super::super::live::traffic;
    use super::super::namespaces::Cable;
    use super::{ETHERNET, Folder, WEB_RULE, run};

    /// Seconds in which something comes.
    const PATIENCE: u64 = 20;

    /// Types of records that runs are compared by.
    const TYPES: &str = "[alert, dns, fileinfo, flow, http]";

    /// Makes tables of EVE.
    const TABLES: [&str; 4] =
        ["--set", "outputs.eve-log.enabled=yes", "--set", "outputs.eve-log.filetype=parquet"];

    /// The files below a folder.
    fn paths(folder: &Path) -> Vec<PathBuf> {
        let (mut found, mut left) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(next) = left.pop() {
            for entry in std::fs::read_dir(next).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() { left.push(path) } else { found.push(path) }
            }
        }
        found.sort();
        found
    }

    /// The files below a folder, by their paths in it; each is whole.
    fn files(folder: &Path) -> Vec<String> {
        let name = |path: PathBuf| {
            let bytes = std::fs::read(&path).expect("a file");
            assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{}", path.display());
            path.strip_prefix(folder).expect("below it").display().to_string()
        };
        paths(folder).into_iter().map(name).collect()
    }

    /// Reads Thrift's compact protocol, which the end of a file is written in.
    struct Compact<'b>(&'b [u8]);

    impl Compact<'_> {
        fn byte(&mut self) -> u8 {
            let (first, rest) = self.0.split_first().expect("a byte");
            self.0 = rest;
            *first
        }

        fn varint(&mut self) -> u64 {
            let (mut value, mut shift) = (0, 0);
            loop {
                let byte = self.byte();
                value |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    return value;
                }
            }
        }

        /// Passes over bytes.
        fn pass(&mut self, bytes: usize) {
            self.0 = &self.0[bytes..];
        }

        /// Passes over a value of a type.
        fn skip(&mut self, kind: u8) {
            match kind {
                1 | 2 => {}
                3 => self.pass(1),
                4..=6 => {
                    self.varint();
                }
                7 => self.pass(8),
                8 => {
                    let length = self.varint();
                    self.pass(length as usize);
                }
                9 | 10 => {
                    let head = self.byte();
                    let count = if head >> 4 == 15 { self.varint() } else { u64::from(head >> 4) };
                    (0..count).for_each(|_| self.skip(head & 15));
                }
                12 => {
                    while self.field().is_some_and(|(_, kind)| {
                        self.skip(kind);
                        true
                    }) {}
                }
                other => panic!("a value of the type {other}"),
            }
        }

        /// Reads the head of a field: how far its number is from the one before, and its type.
        fn field(&mut self) -> Option<(u8, u8)> {
            match self.byte() {
                0 => None,
                head => Some((head >> 4, head & 15)),
            }
        }
    }

    /// The rows of a file: the third field of its metadata.
    fn rows(path: &Path) -> u64 {
        let bytes = std::fs::read(path).expect("a file");
        let (before, end) = bytes.split_at(bytes.len() - 8);
        let length = u32::from_le_bytes(end[..4].try_into().expect("four bytes"));
        let mut metadata = Compact(&before[before.len() - length as usize..]);
        let mut number = 0;
        while let Some((step, kind)) = metadata.field() {
            number += step;
            if number == 3 {
                return metadata.varint() >> 1;
            }
            metadata.skip(kind);
        }
        panic!("{} does not tell its rows", path.display());
    }

    /// Rows of all files of each table of EVE but that of statistics.
    fn rows_of(folder: &Folder) -> BTreeMap<String, u64> {
        let eve = folder.path("parquet/eve");
        let mut tables = BTreeMap::new();
        for file in files(&eve) {
            let (table, _) = file.split_once('/').expect("a table");
            *tables.entry(table.to_owned()).or_default() += rows(&eve.join(&file));
        }
        tables.remove("stats");
        tables
    }

    /// Records of each type that a run of the same frames writes as lines.
    fn lines_of(name: &str, frames: &[TimedFrame]) -> BTreeMap<String, u64> {
        let folder = Folder::new(name);
        let (capture, rules) =
            (folder.write("all.pcap", pcap(ETHERNET, frames)), folder.write("all.rules", WEB_RULE));
        assert_eq!(folder.weir(&["-r", &capture, "-S", &rules]).code, 0);
        let mut types = BTreeMap::new();
        for record in folder.records_but_statistics() {
            *types.entry(record["event_type"].as_str().expect("a type").to_owned()).or_default() += 1;
        }
        let named = types.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        assert_eq!(format!("[{named}]"), TYPES, "types that are there");
        types
    }

    /// Frames, so many milliseconds apart.
    fn apart(frames: &[Vec<u8>], millis: u64) -> Vec<TimedFrame> {
        let timed = |(index, bytes): (usize, &Vec<u8>)| {
            let millis = index as u64 * millis;
            let time = Timestamp::new(1_700_000_000 + millis / 1000, (millis % 1000) as u32 * 1_000_000);
            TimedFrame { time, bytes: bytes.clone() }
        };
        frames.iter().enumerate().map(timed).collect()
    }

    /// Each thread has no file of its own: tables are the same, over several hours too.
    #[test]
    fn threads_write_the_same_tables() {
        let frames = apart(&traffic(), 20_000);
        let expected = lines_of("parquet-threaded-lines", &frames);
        let folder = Folder::new("parquet-threaded");
        let (capture, rules) =
            (folder.write("all.pcap", pcap(ETHERNET, &frames)), folder.write("all.rules", WEB_RULE));
        for threads in ["1", "3"] {
            let words = [
                "-r",
                &capture,
                "-S",
                &rules,
                "-t",
                threads,
                "--overwrite",
                "--set",
                "outputs.eve-log.threaded=yes",
            ];
            let run = folder.weir(&[&words[..], &TABLES].concat());
            assert_eq!(run.code, 0, "{}", run.said());
            assert_eq!(rows_of(&folder), expected, "{threads} threads");
            let dns = files(&folder.path("parquet/eve/dns"));
            assert!(dns.len() > 2, "{dns:?}");
        }
    }

    /// Writes a configuration whose only records are those of DNS, as a table.
    fn names_alone(folder: &Folder) -> String {
        folder.write(
            "names.yaml",
            "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filetype: parquet\n      types: [dns]\n",
        )
    }

    /// Names that are asked for, many in the first hour and few in the second and third.
    fn names(many: u32, few: u32) -> Vec<u8> {
        let query = |hour: u64, number: u32| {
            // Names of letters that do not come again take the most room.
            let name =
                format!("{:08x}{:08x}", number.wrapping_mul(0x9e37_79b9), number.wrapping_mul(0x85eb_ca6b));
            let question = [&[16][..], name.as_bytes(), b"\x03com\0\0\x01\0\x01"].concat();
            let head = [(number >> 8) as u8, number as u8, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
            let client = format!("10.{}.{}.1", number >> 8 & 0xff, number & 0xff);
            let frame = Frame::ethernet().ipv4(&client, "192.0.2.1").udp(5000, 53);
            let time = Timestamp::new(1_700_002_800 + hour * 3600 + u64::from(number / 100), 0);
            TimedFrame { time, bytes: frame.payload([&head[..], &question].concat()).build() }
        };
        let first = (0..many).map(|number| query(0, number));
        let rest = (1..3).flat_map(|hour| (0..few).map(move |number| query(hour, number)));
        pcap(ETHERNET, &first.chain(rest).collect::<Vec<_>>())
    }

    /// Runs the program by a line of the shell, which has its name and its words as `"$@"`.
    fn by_shell(folder: &Folder, line: &str, words: &[&str]) -> (Option<i32>, Value, String) {
        let output = Command::new("sh")
            .args(["-c", line, "sh", env!("CARGO_BIN_EXE_weir"), "-l"])
            .arg(folder.path(""))
            .args(["--summary=json", "-c", &names_alone(folder)])
            .args(words)
            .current_dir(folder.path(""))
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let summary =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
        (output.status.code(), summary, said)
    }

    /// Queries of the first hour, whose file finds no room, and of each later one, whose file does.
    const MANY: u32 = 9_000;
    const FEW: u32 = 5;

    /// A file that grows beyond what the system allows is lost with all its rows; those of later hours are not.
    #[test]
    fn a_file_that_cannot_be_written_is_told() {
        let folder = Folder::new("parquet-limit");
        let capture = folder.write("names.pcap", names(MANY, FEW));
        // Blocks are of 512 or 1024 bytes, as shells have it.
        let line = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
        let (code, summary, said) = by_shell(&folder, line, &["-r", &capture]);
        assert_eq!((code, &summary["lost_records"]), (Some(3), &MANY.into()), "{said}");
        assert!(
            said.contains("parquet/eve: File too large (os error 27). Its records are lost until"),
            "{said}"
        );
        assert_eq!(
            hours(&folder.path("parquet/eve/dns")),
            [("2023-11-15T00".to_owned(), FEW.into()), ("2023-11-15T01".to_owned(), FEW.into())]
        );
    }

    /// A disk that is full is told as such, and each record is in a file that is whole, or counted as lost.
    #[test]
    fn a_disk_that_is_full_is_told() {
        let folder = Folder::new("parquet-full");
        let capture = folder.write("names.pcap", names(MANY, FEW));
        let small = folder.path("small");
        std::fs::create_dir(&small).expect("a folder");
        let mounts = |line: &str| {
            let mut command = Command::new("unshare");
            command.args(["--mount", "sh", "-c", line, "sh"]).arg(&small);
            command
        };
        if !mounts("mount -t tmpfs -o size=64k none \"$1\"")
            .output()
            .is_ok_and(|output| output.status.success())
        {
            println!("skipped: a test of a full disk needs root and `unshare`");
            return;
        }
        let line = "mount -t tmpfs -o size=64k none \"$1\" && cd \"$1\" && shift && \"$@\"; code=$?; cp -r parquet .. && exit $code";
        let output = mounts(line)
            .args([
                env!("CARGO_BIN_EXE_weir"),
                "-l",
                ".",
                "--summary=json",
                "-c",
                &names_alone(&folder),
                "-r",
                &capture,
            ])
            .output()
            .expect("weir runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        let sentence = "parquet/eve: No space left on device (os error 28). The disk is full: free some space, or log to another folder with -l";
        assert!(said.contains(sentence), "{said}");
        let summary: Value = serde_json::from_slice(&output.stdout).expect("a summary");
        let lost = summary["lost_records"].as_u64().expect("a number");
        let kept: u64 = hours(&folder.path("parquet/eve/dns")).iter().map(|(_, rows)| rows).sum();
        assert_eq!((lost >= MANY.into(), lost + kept), (true, u64::from(MANY + 2 * FEW)), "{said}");
    }

    /// Names of the hours that a table has whole files of, with their rows.
    fn hours(table: &Path) -> Vec<(String, u64)> {
        let whole =
            paths(table).into_iter().filter(|path| path.extension().is_some_and(|of| of == "parquet"));
        whole
            .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), rows(&path)))
            .collect()
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

    /// Hears the same frames as a file has them; signals end the run, or its files.
    fn heard(name: &str, signals: &[Signal]) {
        let Some(cable) = Cable::lay(name) else { return };
        let frames = traffic();
        let expected = lines_of(&format!("parquet-{name}-lines"), &apart(&frames, 1));
        for threads in ["1", "3"] {
            let folder = Folder::new(&format!("parquet-{name}-{threads}"));
            let rules = folder.write("all.rules", WEB_RULE);
            let socket = UnixListener::bind(folder.path("socket")).expect("a socket");
            // The type of these records has another name where it is chosen.
            let types = TYPES.replace("fileinfo", "files");
            let configuration = folder.write(
                "both.yaml",
                format!(
                    "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filetype: parquet\n      \
                     types: {types}\n  - eve-log:\n      enabled: yes\n      filetype: unix_stream\n      \
                     filename: socket\n      types: [dns]\n"
                ),
            );
            let words = ["-c", &configuration, "-S", &rules, "-t", threads, "--summary=json"];
            let mut run = cable.listen(&folder, &words);
            let told = socket.accept().expect("weir connects").0;
            told.set_read_timeout(Some(Duration::from_secs(PATIENCE))).expect("a timeout");
            let mut told = BufReader::new(told).lines();
            let (last, first) = signals.split_last().expect("a signal");
            let parts = frames.chunks(frames.len().div_ceil(signals.len()));
            for (part, signal) in parts.zip(first.iter().map(Some).chain([None])) {
                cable.send(part.iter().map(Vec::as_slice));
                // Packets that the socket has, the table has.
                told.next().expect("a record comes").expect("a line");
                if let Some(signal) = signal {
                    run.signal(*signal);
                    run.logged("logs are opened anew");
                }
            }
            let reading = std::thread::spawn(move || told.map_while(Result::ok).count());
            let (code, said) = run.end(*last);
            assert!(reading.join().expect("all lines") > 0);
            assert_eq!(code, Some(0), "{said}");
            let summary: Value = serde_json::from_str(&said).expect("a summary");
            assert_eq!(
                (&summary["lost_records"], &summary["accounts"]["unbalanced"]),
                (&0.into(), &Value::Array(vec![]))
            );
            assert_eq!(rows_of(&folder), expected, "{threads} threads");
            assert!(files(&folder.path("parquet/eve/dns")).len() >= signals.len());
        }
    }

    #[test]
    fn tables_of_an_interface_are_whole_where_a_signal_ends_the_run() {
        heard("pqterm", &[Signal::TERM]);
    }

    #[test]
    fn tables_of_an_interface_are_ended_by_a_hangup() {
        heard("pqhup", &[Signal::HUP, Signal::INT]);
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
