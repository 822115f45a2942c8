//! Parts that the workers of a run have in common.

use std::sync::Arc;

use weir_applayer::file::FileSettings;
use weir_applayer::registry::Registry;
use weir_detect::Ruleset;

use crate::log::EngineLog;
use crate::rules::rulesets;
use crate::settings::EngineSettings;
use crate::tenants::Tenants;

/// Everything a worker shares with others, none of which changes.
#[derive(Clone)]
pub struct WorkerParts {
    /// Settings.
    pub settings: Arc<EngineSettings>,
    /// Protocols.
    pub registry: Arc<Registry>,
    /// Protocols in tunnels that Zeek's logs alone tell of: parsers put files in ranges together from what all of their
    /// registry read, and rules and records learn of those.
    pub tunnels_registry: Arc<Registry>,
    /// Rules of packets that are no tenant's.
    pub ruleset: Arc<Ruleset>,
    /// Tenants, where there may be some.
    pub(crate) tenants: Option<Arc<Tenants>>,
    /// The treatment of files.
    pub files: FileSettings,
    /// The engine's own log.
    pub log: Arc<EngineLog>,
}

impl WorkerParts {
    /// All rules: those of no tenant, and those of each.
    pub(crate) fn rulesets(&self) -> impl Iterator<Item = &Arc<Ruleset>> {
        rulesets(&self.ruleset, self.tenants.as_ref())
    }
}
