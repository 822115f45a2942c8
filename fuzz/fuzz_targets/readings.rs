//! A conversation of any bytes through the engine, with Zeek's logs and without: rules and records are told the same,
//! whatever Zeek makes of it. It is held as it is, and again with each of its pieces lost, late, behind the end of a
//! side, or the first that is seen.
//!
//! The first byte is the protocol, by its port, and how strict the engine is; the pieces follow.

#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use weir_base::Direction;
use weir_config::Settings;
use weir_config::logging::LoggingSettings;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::{Engine, Inputs, RunOptions, ZeekChoice};
use weir_fuzz::Head;
use weir_testkit::{Conversation, TimedFrame, merged, tcp_flags};

/// HTTP, LDAP, RDP, DNP3, Redis, IRC, MySQL, FTP, and what follows STARTTLS.
const PORTS: [u16; 9] = [80, 389, 3389, 20_000, 6379, 6667, 3306, 21, 25];

/// Pieces of a conversation, and bytes of each, so that it is one segment.
const MAX_PIECES: usize = 12;
const MAX_BYTES: usize = 1400;

/// Frames of a handshake, and of a piece with its acknowledgement.
const HANDSHAKE: usize = 3;
const PIECE: usize = 2;

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;

const RULES: &str = r#"
alert tcp any any -> any any (flow:established; content:"a"; sid:1;)
alert http any any -> any any (http.uri; content:"a"; sid:2;)
alert http any any -> any any (file.data; content:"a"; sid:3;)
alert ldap any any -> any any (ldap.request.dn; content:"a"; sid:4;)
alert ftp any any -> any any (ftp.command; content:"a"; nocase; sid:5;)
"#;

/// Where both runs read and write.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = parent.join(format!("weir-readings-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("test.rules"), RULES).expect("rules");
    folder
});

/// What happens to a conversation.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    /// This piece is not seen.
    Lost(usize),
    /// It is seen behind the next one.
    Late(usize),
    /// A side ends before it.
    Ends(usize, Direction),
    /// Nothing before it is seen.
    First(usize),
}

fn frames(port: u16, pieces: &[(Direction, &[u8])], number: u16, fault: Fault) -> Vec<TimedFrame> {
    let (client, server) = (format!("10.0.0.1:{}", 40_000 + number), format!("10.0.0.2:{port}"));
    let mut talk = Conversation::new(&client, &server).handshake();
    for (index, (direction, bytes)) in pieces.iter().enumerate() {
        match fault {
            Fault::Lost(lost) if lost == index => talk = talk.loses(*direction, bytes.len() as u32),
            Fault::Ends(end, side) if end == index => {
                talk = talk.segment(side, tcp_flags::FIN | tcp_flags::ACK, b"").sends(*direction, bytes);
            }
            _ => talk = talk.sends(*direction, bytes),
        }
    }
    let mut frames = talk.close().frames();
    match fault {
        Fault::Late(late) => {
            let times: Vec<_> = frames.iter().map(|frame| frame.time).collect();
            let start = HANDSHAKE + PIECE * late;
            if let Some(both) = frames.get_mut(start..start + 2 * PIECE) {
                both.rotate_left(1);
            }
            frames.iter_mut().zip(times).for_each(|(frame, time)| frame.time = time);
        }
        Fault::First(first) => drop(frames.drain(..HANDSHAKE + PIECE * first)),
        Fault::None | Fault::Lost(_) | Fault::Ends(..) => {}
    }
    frames
}

/// What EVE says of the capture.
fn records(choice: u8, zeek: Option<ZeekChoice>) -> String {
    let logs = FOLDER.join("logs");
    let _ = fs::remove_dir_all(&logs);
    fs::create_dir_all(&logs).expect("a folder for logs");
    let read = ["dnp3", "enip", "irc", "modbus", "pgsql"];
    let mut changes: Vec<String> =
        read.iter().map(|name| format!("app-layer.protocols.{name}.enabled=yes")).collect();
    changes.push("stats.enabled=no".to_owned());
    let word = |bit: u8| if choice & bit == 0 { "no" } else { "yes" };
    changes.push(format!("stream.midstream={}", word(0x10)));
    changes.push(format!("stream.async-oneside={}", word(0x20)));
    let settings = Settings::built_in(&changes).expect("settings");
    let logging = LoggingSettings::from_settings(&settings).expect("settings of the log");
    let (log, _) = EngineLog::open(&logging, &logs, 0, false);
    let options = RunOptions { zeek, inline: choice & 0x40 != 0, ..RunOptions::default() };
    let only = vec![FOLDER.join("test.rules").to_string_lossy().into_owned()];
    let files = RuleFiles { only, ..RuleFiles::default() };
    let engine = Engine::new(settings, options, &files, &logs, Arc::new(log)).expect("an engine");
    assert_eq!(engine.rules().failed_count(), 0, "{:?}", engine.rules());
    let inputs = Inputs::files(vec![FOLDER.join("input.pcap")]);
    engine.run(&inputs, &mut |_| {}).expect("a run");
    fs::read_to_string(logs.join("eve.json")).unwrap_or_default()
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, mut rest)) = input.split_first() else { return };
    let port = PORTS[usize::from(choice & 0x0f) % PORTS.len()];
    let mut pieces: Vec<(Direction, &[u8])> = Vec::new();
    while let Some((direction, piece, after)) =
        Head::TwoBytes.split(rest).filter(|_| pieces.len() < MAX_PIECES)
    {
        rest = after;
        if !piece.is_empty() {
            pieces.push((direction, &piece[..piece.len().min(MAX_BYTES)]));
        }
    }
    let faults = (0..pieces.len()).flat_map(|index| {
        let ends = Direction::BOTH.map(|direction| Fault::Ends(index, direction));
        [&[Fault::Lost(index), Fault::Late(index), Fault::First(index)][..], &ends].concat()
    });
    let faults = std::iter::once(Fault::None).chain(faults);
    let conversations = (0..).zip(faults).map(|(number, fault)| frames(port, &pieces, number, fault));
    let capture = weir_testkit::pcap(ETHERNET, &merged(conversations));
    fs::write(FOLDER.join("input.pcap"), capture).expect("a capture");
    let (with, without) = (records(choice, Some(ZeekChoice::Json)), records(choice, None));
    for (with, without) in with.lines().zip(without.lines()) {
        assert_eq!(with, without);
    }
    assert_eq!(with.lines().count(), without.lines().count());
});
