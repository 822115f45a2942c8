//! The rules of a run: those of packets without a tenant, and those of each tenant.

use std::path::Path;
use std::sync::Arc;

use weir_config::{MultiDetectSettings, Settings};
use weir_detect::Ruleset;
use weir_output::record::DetectEngine;

use crate::load::{Beside, Configured, RuleFiles, RuleReport, load};
use crate::log::EngineLog;
use crate::run::{Engine, EngineError};
use crate::settings::{EngineSettings, RunOptions};
use crate::tenants::{MODULE, TenantLoader, Tenants};
use crate::watch::FileStates;

/// All rules of a run.
pub(crate) struct Rules {
    /// Those of packets without a tenant.
    pub(crate) main: Arc<Ruleset>,
    /// Result of loading them.
    pub(crate) report: RuleReport,
    /// Those of tenants, where there may be some.
    pub(crate) tenants: Option<Arc<Tenants>>,
}

impl Rules {
    /// Loads the rules that configuration and command line name.
    pub(crate) fn load(
        settings: &Settings,
        typed: &EngineSettings,
        options: &RunOptions,
        files: &RuleFiles,
        (log_folder, log): (&Path, &Arc<EngineLog>),
    ) -> Result<Self, EngineError> {
        if !typed.detection {
            return Ok(Self { main: Arc::default(), report: RuleReport::default(), tenants: None });
        }
        let wanted = MultiDetectSettings::from_settings(settings)?;
        let mut tenants = wanted.as_ref().map(Tenants::new);
        if tenants.is_some() {
            check_for_tenants(typed, options)?;
        }
        let fatal = options.fatal_errors || options.test;
        let common = tenants.as_ref().map(|tenants| &tenants.common);
        let beside = Beside { common, ..Beside::default() };
        let own = without_tenants(files, wanted.as_ref());
        tell_of_default(&own, log);
        let (main, report) =
            load(settings, typed, &own, weir_protocols::ALL, (log_folder, log), fatal, beside);
        let main = Arc::new(main);
        if let (Some(tenants), Some(wanted)) = (&mut tenants, &wanted) {
            let common = tenants.common.clone();
            let loader = TenantLoader { settings, typed, files, main: &main, common, log_folder, log, fatal };
            loader.load_first(tenants, wanted)?;
        }
        Ok(Self { main, report, tenants: tenants.map(Arc::new) })
    }
}

/// All rulesets: that of packets without a tenant, and that of each tenant.
pub(crate) fn rulesets<'a>(
    main: &'a Arc<Ruleset>,
    tenants: Option<&'a Arc<Tenants>>,
) -> impl Iterator<Item = &'a Arc<Ruleset>> {
    let of_tenants = tenants.into_iter().flat_map(|tenants| tenants.all().map(|tenant| &tenant.ruleset));
    std::iter::once(main).chain(of_tenants)
}

/// Refuses what a run with tenants cannot be.
fn check_for_tenants(typed: &EngineSettings, options: &RunOptions) -> Result<(), EngineError> {
    let what = if typed.firewall.is_some() {
        "A firewall has one set of rules, and tenants (multi-detect) have several."
    } else if options.record.is_some() {
        "A run with tenants (multi-detect) is not recorded, for a recording has one set of rules."
    } else {
        return Ok(());
    };
    Err(EngineError::Tenants(format!("{what} Set multi-detect.enabled to no, or leave the other out.")))
}

/// The rule files of packets without a tenant: those of the configuration only where there are no tenants, or
/// `multi-detect.default` says so.
pub(crate) fn without_tenants(files: &RuleFiles, wanted: Option<&MultiDetectSettings>) -> RuleFiles {
    match wanted.is_some_and(|wanted| !wanted.default) {
        true => RuleFiles { configured: Configured::LeftOut, ..files.clone() },
        false => files.clone(),
    }
}

/// Tells that packets without a tenant have no rules, if so.
fn tell_of_default(own: &RuleFiles, log: &EngineLog) {
    let is_named = !(own.only.is_empty() && own.also.is_empty() && own.texts.is_empty());
    if own.configured == Configured::LeftOut && !is_named {
        let remedy = "multi-detect.default: yes has those of the main configuration look at them";
        log.notice(MODULE, &format!("No rules look at packets without a tenant; {remedy}."));
    }
}

impl Engine {
    /// The rules of packets without a tenant, for who wants them to outlive the engine.
    pub fn ruleset(&self) -> Arc<Ruleset> {
        Arc::clone(&self.parts.ruleset)
    }

    /// Returns the result of loading rules, those of all tenants together.
    pub fn rules(&self) -> RuleReport {
        let mut all = self.rules.clone();
        self.parts
            .tenants
            .iter()
            .flat_map(|tenants| tenants.all())
            .for_each(|tenant| all.add(&tenant.report));
        all
    }

    /// Files that the rules depend on.
    pub(crate) fn sources(&self) -> FileStates {
        let mut all = self.rules.sources.clone();
        let of_tenants = self.parts.tenants.iter().flat_map(|tenants| tenants.all());
        of_tenants.for_each(|tenant| all.add_all(&tenant.report.sources));
        all
    }

    /// The rules in use, for records of the counters: those of packets without a tenant, and those of each tenant.
    pub(crate) fn detect_engines(&self) -> Vec<DetectEngine> {
        let main = self.rules.detect_engine(0, self.loaded_at);
        let of_tenants = self.parts.tenants.iter().flat_map(|tenants| tenants.all());
        std::iter::once(main).chain(of_tenants.map(|tenant| tenant.detect_engine())).collect()
    }
}
