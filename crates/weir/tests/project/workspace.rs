//! The source tree that these tests read: its root, its files, what cargo says of its crates.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// What `cargo metadata` prints of the workspace and of all that it is built of on this machine. Nothing is fetched:
/// what only other systems need was never downloaded where nothing but the tests' own build has run.
pub fn built_packages() -> Value {
    metadata(&["--locked", "--filter-platform", &format!("{}-unknown-linux-gnu", std::env::consts::ARCH)])
}

/// What `cargo metadata` prints.
pub fn metadata(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--offline"])
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}
