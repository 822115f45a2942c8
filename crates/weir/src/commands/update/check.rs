//! What `weir check` says of a set before it is in use.

use weir_config::DetectSettings;
use weir_engine::load::rule_environment;
use weir_engine::log::EngineLog;
use weir_lint::{RuleText, Severity, check};
use weir_rules::Resolver;
use weir_update::Complaint;
use weir_update::set::{RuleId, RuleSet};
use weir_update::store::{RULES, Store};

use crate::commands::settings::ConfigurationArguments;

/// A rule that cannot be loaded.
pub struct Fault {
    /// The rule, where it is about one.
    pub id: Option<RuleId>,
    /// Where it is from, why, and what to do.
    pub complaint: Complaint,
}

/// The rules of a set that cannot be loaded.
pub fn faults(
    configuration: &ConfigurationArguments,
    store: &Store,
    files: &[(String, Vec<u8>)],
    set: &RuleSet,
) -> Result<Vec<Fault>, String> {
    let settings = configuration.settings()?;
    let detect = DetectSettings::from_settings(&settings).map_err(|error| error.to_string())?;
    // Rules find the files that come with them beside their own.
    let candidate = store.lay_out(files)?;
    let file = candidate.path(RULES).to_string_lossy().into_owned();
    let (environment, variables) = rule_environment(&settings, &detect, &EngineLog::silent());
    let text = RuleText { file, text: set.text().into_bytes() };
    let checked = check(&[text], &environment, &mut Resolver::new(&variables));
    let errors = checked.findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    let faults = errors.map(|finding| {
        let diagnostic = finding.diagnostic;
        let rule = set.on_line(diagnostic.line);
        let help = diagnostic.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        let what = format!("{}{help}", diagnostic.message);
        let complaint = match rule {
            Some(rule) => {
                Complaint::at(&rule.file, rule.line, format!("rule {} cannot be loaded: {what}", rule.id))
            }
            None => Complaint::at(&diagnostic.file, diagnostic.line, what),
        };
        Fault { id: rule.map(|rule| rule.id), complaint }
    });
    Ok(faults.collect())
}
