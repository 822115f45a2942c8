//! Runs a capture through the engine and reads what it wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Map, Value};
use weir_config::Settings;
use weir_config::logging::LoggingSettings;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::summary::Summary;
use weir_engine::{Engine, Inputs, RunOptions, ZeekChoice};
use weir_testkit::TimedFrame;

use crate::traffic::RULES;

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;

/// Types of EVE records that segments must not change.
const EVE_TYPES: [&str; 6] = ["http", "dns", "tls", "ldap", "fileinfo", "alert"];

/// Logs of Zeek that segments must not change.
const ZEEK_LOGS: [&str; 6] = ["http.log", "dns.log", "ssl.log", "x509.log", "files.log", "ldap.log"];

/// What tells of packets and their times rather than of what was said.
const OF_PACKETS: [&str; 9] =
    ["timestamp", "pcap_cnt", "flow", "ts", "rtt", "duration", "TTLs", "pkt_src", "stream"];

/// Keys of alerts and of files' records that say of the rest of their transaction as much as had been seen by then.
const STATE_OF_TRANSACTION: [&str; 6] = ["http", "dns", "tls", "files", "ts_progress", "tc_progress"];

/// A folder that is removed when the test is done.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder that no other test has.
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("segmentation_{number}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    /// What a file in it says; nothing where it is not there.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// When data is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// When it is acknowledged.
    Detector,
    /// At once.
    Inline,
}

/// Runs the frames through an engine that logs to the folder, Zeek's logs among others if they are asked for.
pub fn capture(folder: &Folder, frames: &[TimedFrame], mode: Mode, zeek: Option<ZeekChoice>) -> Summary {
    let path = |name: &str| folder.0.join(name);
    fs::write(path("input.pcap"), weir_testkit::pcap(ETHERNET, frames)).expect("a capture");
    fs::write(path("test.rules"), RULES).expect("rules");
    // Statistics tell how long the engine ran: no two runs share that.
    let settings = Settings::built_in(&["stats.enabled=no"]).expect("settings");
    let logging = LoggingSettings::from_settings(&settings).expect("settings of the log");
    let (log, problems) = EngineLog::open(&logging, &folder.0, 0, false);
    assert_eq!(problems, Vec::<String>::new());
    let inline = mode == Mode::Inline;
    let options = RunOptions { zeek, inline, ..RunOptions::default() };
    let files =
        RuleFiles { only: vec![path("test.rules").to_string_lossy().into_owned()], ..RuleFiles::default() };
    let engine = Engine::new(settings, options, &files, &folder.0, Arc::new(log)).expect("an engine");
    assert_eq!(engine.rules().failed_count(), 0, "{:?}", engine.rules());
    let inputs = Inputs::files(vec![path("input.pcap")]);
    engine.run(&inputs, &mut |_| {}).expect("a run")
}

/// Records by kind, without what tells of packets: those of a connection in the order in which they were written, alerts
/// and certificates in an order of their own.
#[derive(Debug)]
pub struct Records(BTreeMap<String, Vec<Value>>);

impl Records {
    /// Those of an EVE type or a log of Zeek.
    pub fn of(&self, kind: &str) -> &[Value] {
        self.0.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The rules that fired, each once.
    pub fn signatures(&self) -> Vec<u64> {
        let id = |alert: &Value| alert["alert"]["signature_id"].as_u64();
        let mut ids: Vec<u64> = self.of("alert").iter().filter_map(id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// Records shown of a difference.
const SHOWN: usize = 4;

impl Records {
    /// What is in one and not in the other, or in another order, as text; empty where they are the same.
    pub fn difference(&self, found: &Records) -> String {
        let mut text = String::new();
        let kinds: BTreeSet<&String> = self.0.keys().chain(found.0.keys()).collect();
        for kind in kinds {
            let (wanted, found) = (self.of(kind), found.of(kind));
            for (sign, these, others) in [("missing", wanted, found), ("not wanted", found, wanted)] {
                let mut others = others.to_vec();
                let only: Vec<&Value> = these
                    .iter()
                    .filter(|record| match others.iter().position(|other| other == *record) {
                        Some(index) => {
                            others.swap_remove(index);
                            false
                        }
                        None => true,
                    })
                    .collect();
                for record in only.iter().take(SHOWN) {
                    text.push_str(&format!("{kind}: {sign}, one of {}: {record}\n", only.len()));
                }
            }
            if let Some((wanted, found)) = wanted.iter().zip(found).find(|(wanted, found)| wanted != found)
                && text.is_empty()
            {
                text.push_str(&format!("{kind}: {found} in the place of {wanted}\n"));
            }
        }
        text
    }
}

/// The records of a run.
pub fn records(frames: &[TimedFrame], mode: Mode) -> Records {
    let folder = Folder::new();
    let summary = capture(&folder, frames, mode, Some(ZeekChoice::Json));
    assert_eq!(summary.tally.packets, frames.len() as u64);
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for record in lines(&folder.read("eve.json")) {
        let kind = record["event_type"].as_str().expect("a type").to_owned();
        if EVE_TYPES.contains(&kind.as_str()) {
            found.entry(kind).or_default().push(record);
        }
    }
    for log in ZEEK_LOGS {
        found.insert(log.to_owned(), lines(&folder.read(log)));
    }
    for (kind, records) in &mut found {
        for record in records.iter_mut() {
            strip(record, matches!(kind.as_str(), "alert" | "fileinfo"));
        }
        match kind.as_str() {
            "alert" | "x509.log" => records.sort_by_key(Value::to_string),
            _ => records.sort_by_key(client_port),
        }
        // A rule on the bytes of a stream may see them in several packets.
        records.dedup_by(|a, b| a == b && a.get("tx_id").is_none() && kind == "alert");
    }
    Records(found)
}

/// The port of the connection's client, by which all are told apart.
fn client_port(record: &Value) -> Option<u64> {
    ["src_port", "dest_port", "id.orig_p"].iter().filter_map(|key| record[*key].as_u64()).max()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a record is JSON")).collect()
}

fn strip(record: &mut Value, has_state: bool) {
    let Some(fields): Option<&mut Map<String, Value>> = record.as_object_mut() else { return };
    fields.retain(|key, _| {
        !(OF_PACKETS.contains(&key.as_str()) || has_state && STATE_OF_TRANSACTION.contains(&key.as_str()))
    });
}
