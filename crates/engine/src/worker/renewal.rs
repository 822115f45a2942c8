//! Other rules for a worker that goes on.

use std::sync::Arc;

use weir_applayer::FrameWants;
use weir_applayer::file::FileSettings;
use weir_applayer::registry::Registry;
use weir_base::Duration;
use weir_detect::Inspector;
use weir_detect::names::NameList;
use weir_magic::Magic;
use weir_output::RecordKind;

use super::Worker;
use crate::settings::EngineSettings;

/// Parts of a worker that depend on its rules.
pub(crate) struct RuleParts {
    /// Time that the exchange took the worker.
    pub(crate) pause: Duration,
    pub(crate) inspector: Inspector,
    /// Names of flowbits and the like, for records.
    pub(crate) names: Arc<NameList>,
    /// Protocols, whose parsers do more or less for rules.
    pub(crate) registry: Arc<Registry>,
    /// Those in tunnels for Zeek's logs.
    pub(crate) tunnels_registry: Arc<Registry>,
    pub(crate) files: FileSettings,
    pub(crate) frames: FrameWants,
    /// Settings where there are rules.
    pub(crate) as_asked: Arc<EngineSettings>,
    /// Describes files, where rules ask for that and no output does.
    pub(crate) magic: Option<Magic>,
}

impl Worker {
    /// Exchanges the parts that depend on rules, between two packets. Flows and what rules left in them stay; afterwards
    /// `parts` are those before, which take time to drop.
    pub(crate) fn exchange_rules(&mut self, parts: &mut RuleParts) {
        let rest = &mut self.rest;
        rest.inspector.exchange(&mut parts.inspector);
        // A run that began without rules looks at none until then.
        if !rest.settings.detection && !rest.inspector.ruleset().is_empty() {
            Arc::make_mut(&mut rest.settings).begin_detection(&parts.as_asked);
        }
        rest.recorder.exchange_names(&mut parts.names);
        std::mem::swap(&mut rest.registry, &mut parts.registry);
        let has_all_frames = rest.recorder.wants(RecordKind::Frame);
        rest.app.exchange_wishes(&mut parts.files, (!has_all_frames).then_some(&mut parts.frames));
        if parts.magic.is_some() {
            std::mem::swap(&mut rest.magic, &mut parts.magic);
        }
        if let Some(tunnels) = &mut self.tunnels {
            std::mem::swap(&mut tunnels.rest.registry, &mut parts.tunnels_registry);
        }
    }
}
