//! The firewall's log (NFLOG): packets that its rules hand out, by libpcap.

use weir_config::nflog;

use super::{LivePcap, SourceKind};
use crate::SourceError;
use crate::sources::{Capability, LiveRequest, LiveSources, Open, OpenLive, SectionOption, Stance, Standing};

/// The section of the configuration.
const SECTION: &str = "nflog";

/// Groups of the firewall's log.
pub static KIND: SourceKind = SourceKind {
    name: SECTION,
    option: None,
    value: "GROUP",
    help: "Groups of the firewall's log to listen on",
    capabilities: &[Capability::Live, Capability::Filters],
    section: Some(SectionOption {
        name: SECTION,
        argument: "nflog-section",
        help: "Listen on a group of the firewall's log, or on those of the section nflog",
    }),
    run_mode: "NFLOG",
    against_loss: "A larger buffer-size (section nflog) helps against bursts.",
    open: Open::AtOnce(OpenLive {
        open,
        stance: |_| Ok(Stance::Beside),
        goes_on_needing: Some(Standing::Nothing),
    }),
};

/// Opens all groups.
fn open(request: &LiveRequest<'_>) -> LiveSources {
    let named = request.names.iter().map(|name| name.to_string_lossy().into_owned());
    let mut groups: Vec<String> = named.collect();
    if groups.is_empty() {
        groups = nflog::groups(request.settings);
    }
    if groups.is_empty() {
        return Err(SourceError::NoInterface { option: "--nflog=GROUP", section: SECTION });
    }
    let listen = |group: &String| {
        let settings = nflog::settings_of(request.settings, group)?;
        LivePcap::listening(settings, request.filter_of(None))
    };
    groups.iter().map(listen).collect()
}
