//! The protocols as configuration and rules want them.

use std::sync::Arc;

pub(crate) use weir_applayer::registry::Enabled;
use weir_applayer::registry::Registry;
use weir_applayer::{Options, Protocol, Shared};
use weir_config::{OutputsSettings, Settings};
use weir_detect::Ruleset;
use weir_mpm::BuildError;
use weir_output::formats::eve::options::NodeOptions;

use crate::settings::RunOptions;

/// A protocol's part of the configuration, and what rules want of it.
struct ProtocolOptions<'a> {
    written: NodeOptions<'a>,
    settings: &'a Settings,
    rulesets: &'a [&'a Ruleset],
    shared: &'a Shared,
    protocol: &'static Protocol,
}

impl Options for ProtocolOptions<'_> {
    fn text(&self, path: &str) -> Option<String> {
        self.written.text(path)
    }

    fn children(&self, path: &str) -> Vec<String> {
        self.written.children(path)
    }

    fn complain(&self, path: &str, remedy: &str) {
        self.written.complain(path, remedy);
    }

    fn rules_use(&self, field: &str) -> bool {
        self.rulesets.iter().any(|ruleset| ruleset.uses(field))
    }

    fn of_protocol(&self, protocol: &str, path: &str) -> Option<String> {
        self.settings.lookup(&format!("app-layer.protocols.{protocol}.{path}"))?.value().map(str::to_owned)
    }

    fn shared(&self) -> Option<&Shared> {
        Some(self.shared)
    }

    fn rules_follow_states(&self) -> bool {
        self.rulesets.iter().any(|ruleset| ruleset.follows_states(self.protocol))
    }
}

/// Treatment of protocols that are off by default: they are read where Zeek's logs are asked for.
pub(crate) fn off_by_default(settings: &Settings, options: &RunOptions) -> Enabled {
    let written = OutputsSettings::from_settings(settings).enabled("zeek").next().is_some();
    if written || options.zeek.is_some() { Enabled::ForZeek } else { Enabled::No }
}

/// The protocols of a run.
pub(crate) struct Registries {
    /// Those that rules and records read.
    pub(crate) main: Arc<Registry>,
    /// Those in tunnels that Zeek's logs alone tell of.
    pub(crate) tunnels: Arc<Registry>,
}

/// Values that parsers share, which outlive the rules that they are made for.
#[derive(Default)]
pub(crate) struct SharedByParsers {
    main: Shared,
    tunnels: Shared,
}

/// The protocols of a run as configuration and rules want them; `complain` takes what is wrong with their settings, as
/// sentences.
pub(crate) fn registries(
    settings: &Settings,
    rulesets: &[&Ruleset],
    off_by_default: Enabled,
    shared: &SharedByParsers,
    complain: &dyn Fn(String),
) -> Result<Registries, BuildError> {
    let main = Arc::new(registry(settings, rulesets, off_by_default, &shared.main, complain)?);
    let tunnels = match off_by_default {
        Enabled::ForZeek => Arc::new(registry(settings, rulesets, off_by_default, &shared.tunnels, &|_| ())?),
        _ => Arc::clone(&main),
    };
    Ok(Registries { main, tunnels })
}

/// The protocols as configuration and rules want them. Of those that are off by default, the ones with logs of Zeek's
/// are as `off_by_default` says.
/// `complain` takes what is wrong with their settings, as sentences.
fn registry(
    settings: &Settings,
    rulesets: &[&Ruleset],
    off_by_default: Enabled,
    shared: &Shared,
    complain: &dyn Fn(String),
) -> Result<Registry, BuildError> {
    Registry::new(weir_protocols::ALL, |protocol| {
        let node = settings.lookup(&format!("app-layer.protocols.{}", protocol.eve_name));
        let written = NodeOptions::new(node, complain);
        let default = match weir_protocols::OFF_BY_DEFAULT.contains(&protocol) {
            false => Enabled::Yes,
            true if protocol.zeek.is_none() => Enabled::No,
            true => off_by_default,
        };
        (Box::new(ProtocolOptions { written, settings, rulesets, shared, protocol }), default)
    })
}
