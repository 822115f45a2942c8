//! Looks for libhs. `cfg(hyperscan)` is set only when a version known to give right results is found.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(hyperscan)");
    #[cfg(feature = "hyperscan")]
    link_hyperscan();
}

#[cfg(feature = "hyperscan")]
fn link_hyperscan() {
    let silent = pkg_config::Config::new().cargo_metadata(false).env_metadata(true).probe("libhs");
    let Ok(library) = silent else { return };
    if !is_accepted(&library.version) {
        println!(
            "cargo:warning=libhs {} is not used: 5.4.0 to 5.4.2 or 5.4.12 and later are",
            library.version
        );
        return;
    }
    if pkg_config::Config::new().probe("libhs").is_ok() {
        println!("cargo:rustc-cfg=hyperscan");
    }
}

/// Hyperscan 5.4.0 to 5.4.2, or Vectorscan from 5.4.12. The versions between are Vectorscan's with wrong
/// results on x86 (VectorCamp/vectorscan#317); 5.5 and later are not open source.
#[cfg(feature = "hyperscan")]
fn is_accepted(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(u32::MAX));
    let triple = (numbers.next(), numbers.next(), numbers.next());
    matches!(triple, (Some(5), Some(4), Some(0..=2 | 12..)))
}
