//! Writes captures of attacks on an engine's memory and time to standard output:
//!
//! ```text
//! attack list             the attacks: name, size to begin with, what a size counts, what it is
//! attack NAME SIZE        one of them, as a pcap file
//! ```
//!
//! Numbers may end in k, M or G.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use weir_testkit::attacks::{Attack, attack, attacks};
use weir_testkit::capture_file::PcapWriter;
use weir_testkit::wire::Wire;

/// A number that may end in k, M or G.
fn amount(text: &str) -> Option<u64> {
    let factor = match text.chars().last()? {
        'k' => 1000,
        'M' => 1_000_000,
        'G' => 1_000_000_000,
        _ => 1,
    };
    text.trim_end_matches(['k', 'M', 'G']).parse::<u64>().ok()?.checked_mul(factor)
}

fn list() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for Attack { name, what, unit, size, .. } in attacks() {
        writeln!(out, "{name:28} {size:>9} {unit:12} {what}")?;
    }
    Ok(())
}

fn write(attack: &Attack, size: u64) -> io::Result<()> {
    let mut out = PcapWriter::new(BufWriter::with_capacity(1 << 20, io::stdout().lock()), 1)?;
    let mut written = Ok(());
    let mut keep = |time, frame: &[u8]| {
        if written.is_ok() {
            written = out.frame(time, frame);
        }
    };
    (attack.write)(&mut Wire::new(&mut keep), size);
    written?;
    out.flush()
}

fn run(arguments: &[&str]) -> Result<(), String> {
    let done = match arguments {
        ["list"] => list(),
        [name, size] => {
            let attack = attack(name)
                .ok_or(format!("there is no attack \"{name}\"; \"attack list\" shows those there are"))?;
            let size = amount(size).ok_or(format!("\"{size}\" is no number; write 5000000, 5000k or 5M"))?;
            write(attack, size)
        }
        _ => return Err("say which attack and how large, as in \"attack syn 5M\", or \"attack list\"".into()),
    };
    done.map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("attack: {error}.");
            ExitCode::FAILURE
        }
    }
}
