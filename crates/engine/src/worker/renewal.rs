//! Other rules for a worker that goes on.

use std::sync::Arc;

use weir_applayer::FrameWants;
use weir_applayer::file::FileSettings;
use weir_applayer::registry::Registry;
use weir_base::Duration;
use weir_detect::names::NameList;
use weir_detect::{Inspector, Ruleset};
use weir_magic::Magic;
use weir_output::RecordKind;

use super::Worker;
use super::measuring::Measured;
use super::tenancy::TenantParts;
use crate::settings::EngineSettings;

/// Parts of a worker that depend on its rules.
pub(crate) struct RuleParts {
    /// Time that the exchange took the worker.
    pub(crate) pause: Duration,
    /// The rules of packets that are no tenant's; none where they stay.
    pub(crate) inspector: Option<Box<Inspector>>,
    /// Those of tenants, where there may be some.
    pub(crate) tenants: Option<TenantParts>,
    /// Names of flowbits and the like, for records.
    pub(crate) names: Arc<NameList>,
    /// Protocols, whose parsers do more or less for rules.
    pub(crate) registry: Arc<Registry>,
    /// Those in tunnels for Zeek's logs.
    pub(crate) tunnels_registry: Arc<Registry>,
    pub(crate) files: FileSettings,
    pub(crate) frames: FrameWants,
    /// Settings of a run with rules, where there are any.
    pub(crate) as_asked: Option<Arc<EngineSettings>>,
    /// Describes files, where rules ask for that and no output does.
    pub(crate) magic: Option<Magic>,
    /// What the rules before cost, where that was measured.
    pub(crate) measured: Option<Measured>,
}

/// The frames that rules look at.
pub(crate) fn frame_wants<'a>(rulesets: impl Iterator<Item = &'a Arc<Ruleset>>) -> FrameWants {
    rulesets.fold(FrameWants::default(), |mut all, ruleset| {
        all.add_all(ruleset.frames().wants());
        all
    })
}

impl Worker {
    /// Exchanges the parts that depend on rules, between two packets. Flows and what rules left in them stay; afterwards
    /// `parts` are those before, which take time to drop.
    pub(crate) fn exchange_rules(&mut self, parts: &mut RuleParts) {
        let rest = &mut self.rest;
        rest.exchange_tenants(parts.tenants.as_mut());
        if let Some(next) = &mut parts.inspector {
            rest.inspector.hand_counters_to(next);
            std::mem::swap(&mut rest.inspector, next);
        }
        // A run that began without rules looks at none until then.
        if let Some(as_asked) = parts.as_asked.as_ref().filter(|_| !rest.settings.detection) {
            Arc::make_mut(&mut rest.settings).begin_detection(as_asked);
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
        self.measure_exchanged(parts);
    }
}
