//! Work done for packets before it is their turn changes nothing in the output.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use weir_base::Duration;
use weir_config::Settings;
use weir_config::logging::LoggingSettings;
use weir_testkit::conversation::START;
use weir_testkit::{Conversation, Frame, TestFolder, TimedFrame, merged, pcap};

use super::{AHEAD, FEW_FLOWS};
use crate::load::RuleFiles;
use crate::log::EngineLog;
use crate::{Engine, Inputs, RunOptions, ZeekChoice};

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;

/// Connections, whose packets take turns, with datagrams and tunnels between them, some of which come back after
/// their flow ended.
fn traffic() -> Vec<TimedFrame> {
    let talk = |number: usize| {
        let (client, server) = (format!("10.0.0.{}:{}", number % 5, 40_000 + number), "10.0.1.1:80");
        let talk = Conversation::new(&client, server)
            .at(START.plus(Duration::from_micros(number as u64)))
            .handshake()
            .client_sends("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n")
            .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
        if number.is_multiple_of(3) { talk.close() } else { talk.wait(Duration::from_secs(4000)).close() }
            .frames()
    };
    let tunnelled = |number: usize| {
        let inner = Frame::ethernet().ipv4("10.0.2.1", "10.0.2.2").gre().ipv4("10.0.3.1", "10.0.3.2");
        let bytes = inner.udp(5000 + number as u16, 9).payload(b"x").build();
        TimedFrame { time: START.plus(Duration::from_millis(number as u64)), bytes }
    };
    merged((0..40).map(talk).chain([(0..40).map(tunnelled).collect()]))
}

/// All that is written with so many workers that fetch from so many flows on, by file.
fn written(folder: &Path, workers: usize, few_flows: usize) -> BTreeMap<String, String> {
    let logs = folder.join(format!("{workers} {few_flows}"));
    fs::create_dir_all(&logs).expect("a folder for logs");
    // Statistics tell how long the engine ran: no two runs share that.
    let settings = Settings::built_in(&["stats.enabled=no"]).expect("settings");
    let logging = LoggingSettings::from_settings(&settings).expect("settings of the log");
    let (log, _) = EngineLog::open(&logging, folder, 0, false);
    let options = RunOptions { workers, zeek: Some(ZeekChoice::Json), ..RunOptions::default() };
    let mut engine =
        Engine::new(settings, options, &RuleFiles::default(), &logs, Arc::new(log)).expect("an engine");
    Arc::make_mut(&mut engine.parts.settings).few_flows = few_flows;
    let paths = vec![folder.join("input.pcap")];
    let inputs = Inputs::files(paths);
    engine.run(&inputs, &mut |_| {}).expect("a run");
    let files = fs::read_dir(&logs).expect("a folder of logs").map(|entry| entry.expect("a log").path());
    files
        .map(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            (name, fs::read_to_string(&path).expect("a log"))
        })
        .collect()
}

#[test]
fn flows_that_are_fetched_are_told_of_in_the_same_way() {
    let folder = TestFolder::new("ahead");
    let frames = traffic();
    assert!(frames.len() > 10 * AHEAD);
    fs::write(folder.join("input.pcap"), pcap(ETHERNET, &frames)).expect("a capture");
    for workers in [1, 3] {
        let usual = written(&folder, workers, FEW_FLOWS);
        assert!(usual.get("http.log").is_some_and(|log| log.lines().count() == 40), "{:?}", usual.keys());
        for few_flows in [0, 1, 20] {
            assert_eq!(
                written(&folder, workers, few_flows),
                usual,
                "{workers} workers, from {few_flows} flows on"
            );
        }
    }
}
