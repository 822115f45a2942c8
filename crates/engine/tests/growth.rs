//! Twice the attack takes at most about twice the work, and no byte takes much: for each attack that the test kit
//! writes, with rules that look at what attacks send, EVE and Zeek's logs. Work is counted in steps
//! ([`weir_base::steps`]), so that the machine's speed plays no part.

#![allow(clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use weir_base::steps;
use weir_config::Settings;
use weir_config::logging::LoggingSettings;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::{Engine, Inputs, RunOptions, ZeekChoice};
use weir_testkit::attacks::{Attack, attacks};
use weir_testkit::capture_file::PcapWriter;
use weir_testkit::wire::Wire;

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;

/// Most growth for twice the attack.
const GROWTH: f64 = 2.2;

/// Most steps for each byte of the capture.
const STEPS_PER_BYTE: f64 = 30.0;

/// An attack is tried with so many of its units at most, and with twice as many: fewer than any cap, at which each
/// costs once more what giving up an older one does.
const MOST_UNITS: u64 = 50;

/// Fewer steps than this say nothing of growth.
const FEW_STEPS: u64 = 500;

/// Threads, each of which runs one engine at a time.
const THREADS: usize = 4;

/// The rules that look at what attacks send, what these need, and the settings for both.
const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/attacks");

/// The settings that attacks are run under, `name=value` each.
fn settings() -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(RULES).join("settings.txt")).expect("settings");
    let given = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.replace("FOLDER", RULES));
    given.chain(["detect.sgh-mpm-caching=no", "stats.enabled=no"].map(str::to_owned)).collect()
}

/// Steps that a capture with so many units of an attack takes, and its bytes.
fn run(attack: &Attack, units: u64, folder: &Path) -> (u64, u64) {
    let folder = folder.join(format!("{}_{units}", attack.name));
    std::fs::create_dir_all(&folder).expect("a folder for the run");
    let mut bytes = Vec::new();
    let mut capture = PcapWriter::new(&mut bytes, ETHERNET).expect("a capture");
    let mut keep = |time, frame: &[u8]| capture.frame(time, frame).expect("room in memory");
    (attack.write)(&mut Wire::new(&mut keep), units);
    let path = folder.join("input.pcap");
    std::fs::write(&path, &bytes).expect("a capture");
    let settings = Settings::built_in(&settings()).expect("settings");
    let logging = LoggingSettings::from_settings(&settings).expect("settings of the log");
    let (log, _) = EngineLog::open(&logging, &folder, 0, false);
    let inline = attack.name.starts_with("inline-");
    let options =
        RunOptions { zeek: Some(ZeekChoice::Tsv), checksums: Some(false), inline, ..RunOptions::default() };
    let rules = if inline { &["attacks", "inline"][..] } else { &["attacks"] };
    let only = rules.iter().map(|name| format!("{RULES}/{name}.rules")).collect();
    let files = RuleFiles { only, ..RuleFiles::default() };
    let engine = Engine::new(settings, options, &files, &folder, Arc::new(log)).expect("an engine");
    let inputs = Inputs::files(vec![path]);
    let before = steps::taken();
    engine.run(&inputs, &mut |_| {}).expect("a run");
    let taken = steps::taken() - before;
    let _ = std::fs::remove_dir_all(&folder);
    (taken, bytes.len() as u64)
}

/// What is out of bounds in an attack, as a sentence; none where nothing is.
fn judge(attack: &Attack, folder: &Path) -> Option<String> {
    let units = attack.size.min(MOST_UNITS);
    let ((before, _), (after, bytes)) = (run(attack, units, folder), run(attack, 2 * units, folder));
    let growth = after as f64 / before.max(FEW_STEPS) as f64;
    let per_byte = after as f64 / bytes as f64;
    println!("{:28} {before:9} {after:9} steps, ×{growth:.2}, {per_byte:.2} for a byte", attack.name);
    let wrong = growth > GROWTH || per_byte > STEPS_PER_BYTE;
    wrong.then(|| format!("{}: {before} steps, then {after}, {per_byte:.1} for a byte", attack.name))
}

#[test]
fn twice_the_attack_is_twice_the_work() {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("growth");
    let _ = std::fs::remove_dir_all(&folder);
    let all: Vec<&Attack> = attacks().collect();
    let next = AtomicUsize::new(0);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let judged = || {
            let rest = std::iter::from_fn(|| all.get(next.fetch_add(1, Ordering::Relaxed)));
            rest.filter_map(|attack| judge(attack, &folder)).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(judged)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "out of bounds:\n{}", wrong.join("\n"));
}
