//! `--build-info`: what this program has, in the words and the layout that tools look for.
//!
//! `suricata-update` reads the line `Features:`, by which it leaves rules out, and the folders behind
//! `--prefix`, `--sysconfdir`, `--localstatedir` and `--datarootdir`; scripts grep for `… support:`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use weir_engine::Feature;

use crate::allocator;

/// Where the folders of configuration and of data lie.
const CONFIGURATION_FOLDER: &str = "/etc";
const STATE_FOLDER: &str = "/var";

/// Prefix of a program that was not installed.
const DEFAULT_PREFIX: &str = "/usr/local";

/// Whether there is what only Linux has.
const ON_LINUX: bool = cfg!(target_os = "linux");

/// Features by the names that people know, and whether each is here.
fn supported(features: &[Feature]) -> [(&'static str, bool); 24] {
    let has = |feature| features.contains(&feature);
    [
        ("AF_PACKET support", ON_LINUX),
        ("AF_XDP support", ON_LINUX),
        ("DPDK support", cfg!(feature = "dpdk")),
        ("PF_RING support", false),
        ("NFQueue support", ON_LINUX),
        ("NFLOG support", ON_LINUX),
        ("Netmap support", false),
        ("PCAP file support", true),
        ("Unix socket enabled", true),
        ("Libmagic support", has(Feature::Magic)),
        ("Hyperscan support", has(Feature::Hyperscan)),
        ("libluajit support", false),
        ("Lua support", true),
        ("GeoIP2 support", true),
        ("JA3 support", true),
        ("JA4 support", true),
        ("Hiredis support", false),
        ("Redis support", true),
        ("Kafka support", cfg!(feature = "kafka")),
        ("Parquet support", cfg!(feature = "parquet")),
        ("PCRE jit", true),
        ("Landlock support", ON_LINUX),
        ("Rust support", true),
        ("Zeek logs", true),
    ]
}

/// The names that rules and tools ask for. Those of libraries stand for what they are asked for: NSS for
/// hashes of files and of handshakes, Jansson for JSON.
fn names(features: &[Feature]) -> String {
    let mut names = vec![
        "PCRE_JIT",
        "HAVE_NSS",
        "HTTP2_DECOMPRESSION",
        "HAVE_LUA",
        "HAVE_JA3",
        "HAVE_JA4",
        "HAVE_LIBJANSSON",
        "RUST",
    ];
    if features.contains(&Feature::Magic) {
        names.push("MAGIC");
    }
    names.join(" ")
}

/// The text, below the line that names the program.
pub fn text(program: &str) -> String {
    let features = weir_engine::build_features();
    let prefix = prefix(std::env::current_exe().ok().as_deref());
    let mut out = format!("{program}\nFeatures: {}\n", names(&features));
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let _ = writeln!(out, "Target: {} {}", std::env::consts::ARCH, std::env::consts::OS);
    let _ = writeln!(out, "Build: {build}");
    let _ = writeln!(out, "Allocator: {}", allocator::NAME);
    let _ = writeln!(out, "\nConfiguration:");
    for (what, here) in supported(&features) {
        row(&mut out, &format!("{what}:"), if here { "yes" } else { "no" });
    }
    let _ = writeln!(out, "\nGeneric build parameters:");
    row(&mut out, "Installation prefix:", &prefix.display().to_string());
    row(&mut out, "Configuration directory:", &format!("{CONFIGURATION_FOLDER}/suricata/"));
    row(&mut out, "Log directory:", &format!("{STATE_FOLDER}/log/suricata/"));
    out.push('\n');
    row(&mut out, "--prefix", &prefix.display().to_string());
    row(&mut out, "--sysconfdir", CONFIGURATION_FOLDER);
    row(&mut out, "--localstatedir", STATE_FOLDER);
    row(&mut out, "--datarootdir", &prefix.join("share").display().to_string());
    out
}

fn row(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "  {name:<40} {value}");
}

/// The folder that the program is installed below: the one around its `bin`.
fn prefix(program: Option<&Path>) -> PathBuf {
    let folder = program.and_then(Path::parent).filter(|folder| folder.ends_with("bin"));
    folder.and_then(Path::parent).map_or_else(|| PathBuf::from(DEFAULT_PREFIX), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_lies_around_the_programs_folder() {
        for (program, expected) in [
            ("/usr/bin/suricata", "/usr"),
            ("/opt/weir/bin/weir", "/opt/weir"),
            ("/home/me/weir/target/debug/weir", "/usr/local"),
        ] {
            assert_eq!(prefix(Some(Path::new(program))), Path::new(expected), "{program}");
        }
    }
}
