//! Surroundings that rules are compiled in.

use std::sync::{Arc, LazyLock};

use weir_mpm::RegexLimits;
use weir_rules::side::{Classifications, References};

use super::regex_table::RegexTable;
use super::strict::StrictKeywords;
use crate::model::fields::FieldCatalogue;
use crate::model::pool::RulePool;
use crate::model::script::ScriptLanguage;
use crate::model::signature::{Conditions, KnownRules};
use crate::state::countries::Countries;
use crate::state::dataset::Datasets;
use crate::state::lineage::Predecessor;
use crate::state::names::NameTable;
use crate::state::reputation::Reputations;
use crate::state::tag::HostTags;
use crate::state::threshold::ThresholdTable;

/// A value that is found out when the first rule asks for it.
pub type WhenAsked<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

/// The surroundings that rules are compiled in.
#[derive(Debug)]
pub struct Environment {
    /// The fields of the protocols that are there.
    pub fields: FieldCatalogue,
    /// Names shared by rules.
    pub names: Arc<NameTable>,
    /// classification.config
    pub classifications: Classifications,
    /// reference.config
    pub references: References,
    /// Limits of regular expressions.
    pub regex_limits: RegexLimits,
    /// Regular expressions of rules so far.
    pub regexes: RegexTable,
    /// Datasets that rules share.
    pub datasets: Arc<Datasets>,
    /// Reputations of addresses.
    pub reputations: Arc<Reputations>,
    /// Tags of hosts.
    pub host_tags: Arc<HostTags>,
    /// Counts of rates.
    pub thresholds: Arc<ThresholdTable>,
    /// The rules whose place those to compile take, where there are such.
    pub predecessor: Option<Predecessor>,
    /// Those of them that need not be compiled again, where the conditions are the same.
    pub known: Option<KnownRules>,
    /// Rules of all tenants, where there are such.
    pub pool: Option<Arc<RulePool>>,
    /// Stands for the settings and lists that all rules depend on.
    pub conditions: Conditions,
    /// Countries of addresses, or why there are none.
    pub countries: WhenAsked<Result<Arc<Countries>, String>>,
    /// Most objects that `asn1` looks at (`asn1-max-frames`).
    pub asn1_max_frames: u16,
    /// Reason that files cannot be described in words (`file.magic`), where they cannot.
    pub no_descriptions: WhenAsked<Option<String>>,
    /// Packets can be dropped and changed.
    pub inline: bool,
    /// Compiled matchers of earlier starts.
    pub matcher_cache: Option<weir_mpm::Cache>,
    /// The language that reads and runs scripts, or why none may be used.
    pub scripts: Result<Arc<dyn ScriptLanguage>, String>,
    /// Names of the stream engine's events; none where they are not known.
    pub stream_events: Vec<&'static str>,
    /// Keywords whose unknown values are errors.
    pub strict: StrictKeywords,
    /// Features that the configuration switches off (`ja4`).
    pub switched_off: Vec<&'static str>,
}

impl Environment {
    /// One with these fields and nothing else.
    pub fn bare(fields: FieldCatalogue) -> Self {
        Self {
            fields,
            names: Arc::default(),
            classifications: Classifications::default(),
            references: References::default(),
            regex_limits: RegexLimits::default(),
            regexes: RegexTable::default(),
            datasets: Arc::default(),
            reputations: Arc::default(),
            host_tags: Arc::default(),
            thresholds: Arc::default(),
            predecessor: None,
            known: None,
            pool: None,
            conditions: Conditions::default(),
            countries: WhenAsked::new(Box::new(|| Err("there is no database of countries".to_owned()))),
            asn1_max_frames: 256,
            no_descriptions: WhenAsked::new(Box::new(|| None)),
            inline: false,
            matcher_cache: None,
            scripts: Err("nothing here runs scripts".to_owned()),
            stream_events: Vec::new(),
            strict: StrictKeywords::default(),
            switched_off: Vec::new(),
        }
    }
}
