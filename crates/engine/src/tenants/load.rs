//! Loads the rules of tenants, one after the other: what was compiled for one need not be compiled for the next.

use std::path::Path;
use std::sync::Arc;

use weir_config::{MultiDetectSettings, Settings};
use weir_detect::Ruleset;

use super::{MODULE, Tenant, Tenants};
use crate::load::{Beside, Common, RuleFiles, load};
use crate::log::EngineLog;
use crate::run::{EngineError, wall_clock};
use crate::settings::EngineSettings;

/// Loads rules of tenants.
pub(crate) struct TenantLoader<'a> {
    /// The main configuration.
    pub(crate) settings: &'a Settings,
    pub(crate) typed: &'a EngineSettings,
    /// Options of the command line, whose files are not for tenants.
    pub(crate) files: &'a RuleFiles,
    /// Rules of packets without a tenant.
    pub(crate) main: &'a Arc<Ruleset>,
    pub(crate) common: Common,
    pub(crate) log_folder: &'a Path,
    pub(crate) log: &'a Arc<EngineLog>,
    /// A rule that cannot be loaded is one too many.
    pub(crate) fatal: bool,
}

impl TenantLoader<'_> {
    /// Loads a tenant's rules, which take the place of those of `former`, if there are such; the error says in a sentence
    /// why they are not to be used.
    pub(crate) fn load(&self, id: u32, file: &Path, former: Option<&Tenant>) -> Result<Tenant, String> {
        self.log.config(MODULE, &format!("Loading tenant {id} from {}", file.display()));
        let settings = self
            .settings
            .of_tenant(id, file)
            .map_err(|error| format!("Tenant {id} is not loaded. {error}"))?;
        let files = RuleFiles { strict: self.files.strict.clone(), ..RuleFiles::default() };
        let beside = Beside {
            previous: former.map(|former| &former.ruleset),
            main: Some(self.main),
            common: Some(&self.common),
        };
        let surroundings = (self.log_folder, self.log);
        let (ruleset, report) =
            load(&settings, self.typed, &files, weir_protocols::ALL, surroundings, self.fatal, beside);
        for warning in settings.take_warnings() {
            self.log.warning(&warning.subsystem, &warning.to_string());
        }
        self.common.pool.forget_gone();
        let failed = report.failed_count();
        let unusable =
            former.is_some() && (!report.unreadable.is_empty() || failed > 0 && report.loaded == 0);
        if unusable || self.fatal && failed > 0 {
            let unreadable = report.unreadable.first().cloned().unwrap_or_default();
            let counts = format!("{failed} of its rules could not be loaded, and {} could.", report.loaded);
            return Err(format!("Tenant {id} is not loaded. {counts} {unreadable}").trim_end().to_owned());
        }
        let loaded = report.loaded;
        self.log.info(MODULE, &format!("Tenant {id} has {loaded} rules ({})", file.display()));
        let file = file.to_owned();
        Ok(Tenant { id, file, ruleset: Arc::new(ruleset), report, loaded_at: wall_clock() })
    }

    /// Loads the tenants of the configuration. One that cannot be loaded is told of and left out, unless that is fatal.
    pub(crate) fn load_first(
        &self,
        tenants: &mut Tenants,
        wanted: &MultiDetectSettings,
    ) -> Result<(), EngineError> {
        let mut problems = wanted.problems.clone();
        for entry in &wanted.tenants {
            let loaded = self.load(entry.id, &entry.file, None);
            problems.extend(loaded.and_then(|loaded| tenants.put(loaded)).err());
        }
        problems.iter().for_each(|sentence| self.log.error(MODULE, sentence));
        match problems.first() {
            Some(first) if self.fatal => Err(EngineError::Tenants(first.clone())),
            _ => Ok(()),
        }
    }

    /// Loads all tenants anew; those whose rules cannot be used keep the former ones, and sentences tell of them.
    pub(crate) fn load_again(&self, tenants: &mut Tenants) -> Vec<String> {
        let former: Vec<Arc<Tenant>> = tenants.all().cloned().collect();
        let mut problems = Vec::new();
        for tenant in former {
            let loaded = self.load(tenant.id, &tenant.file, Some(&tenant));
            problems.extend(loaded.and_then(|loaded| tenants.put(loaded)).err());
        }
        problems
    }
}
