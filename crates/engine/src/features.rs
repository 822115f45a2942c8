//! Features that depend on what the machine has.

use weir_magic::Magic;

/// Optional features of a machine, for `--build-info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Hyperscan searches for the literals of large sets of rules.
    Hyperscan,
    /// libmagic describes files.
    Magic,
}

/// Returns the features that are there.
pub fn build_features() -> Vec<Feature> {
    let hyperscan = weir_mpm::has_hyperscan().then_some(Feature::Hyperscan);
    let magic = Magic::open(None).is_ok().then_some(Feature::Magic);
    hyperscan.into_iter().chain(magic).collect()
}
