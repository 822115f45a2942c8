//! Writes ordinary traffic, and rules for it, to standard output: what `make release` runs the program on
//! to learn which way its branches go. The same in every run.
//!
//! ```text
//! training capture COUNT   so many sessions: HTTP, TLS, DNS, mail; SMB, DCE/RPC, Kerberos, LDAP;
//!                          FTP, TFTP, NFS; DHCP, NTP, SNMP, SIP, SSH, RDP, MQTT; tunnels, bytes nobody knows
//! training rules COUNT     so many rules, most of which never match
//! ```

#![allow(clippy::indexing_slicing)]

mod ber;
mod dns;
mod ends;
mod files;
mod infrastructure;
mod mail;
mod rules;
mod tls;
mod unknown;
mod web;
mod windows;
mod words;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use weir_base::{Duration, Timestamp};
use weir_testkit::capture_file::PcapWriter;
use weir_testkit::conversation::START;
use weir_testkit::{Conversation, Random, TimedFrame, merged};

use crate::ends::Ends;

/// Sessions that are open at the same time, more or less.
const BATCH: u64 = 100;
/// Time from one batch to the next.
const BATCH_SPAN: Duration = Duration::from_millis(250);

/// A conversation with a server's port, not begun yet.
fn conversation(random: &mut Random, begin: Timestamp, port: u16) -> Conversation {
    Ends::anywhere(random).connection(random, begin, port)
}

/// One session; how often each kind comes is about what offices see.
fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    match random.below(100) {
        0..20 => web::session(random, begin),
        20..38 => tls::session(random, begin),
        38..58 => dns::exchange(random, begin),
        58..63 => mail::session(random, begin),
        63..78 => windows::session(random, begin),
        78..82 => files::session(random, begin),
        82..90 => infrastructure::session(random, begin),
        90..95 => unknown::session(random, begin),
        95 => unknown::datagrams(random, begin),
        96 | 97 => unknown::tunnel(random, begin),
        _ => unknown::refused(random, begin),
    }
}

fn capture(out: impl Write, count: u64) -> io::Result<()> {
    let mut out = PcapWriter::new(out, 1)?;
    let mut random = Random::new(7);
    let mut batch = START;
    for first in (0..count).step_by(BATCH as usize) {
        let sessions = (first..count.min(first + BATCH)).map(|_| {
            let delay = Duration::from_millis(random.below(500));
            session(&mut random, batch.plus(delay))
        });
        for frame in merged(sessions.collect::<Vec<_>>()) {
            out.frame(frame.time, &frame.bytes)?;
        }
        batch = batch.plus(BATCH_SPAN);
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let count = |text: &str| text.parse::<u64>().ok();
    let out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let written = match words.as_slice() {
        ["capture", number] if count(number).is_some() => capture(out, count(number).unwrap_or_default()),
        ["rules", number] if count(number).is_some() => rules::write(out, count(number).unwrap_or_default()),
        _ => {
            eprintln!("training: say what to write and how much of it: capture 10000, rules 5000.");
            return ExitCode::FAILURE;
        }
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("training: {error}.");
            ExitCode::FAILURE
        }
    }
}
