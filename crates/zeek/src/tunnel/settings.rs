//! Settings of scripts about tunnels.

use weir_base::event::ScriptSettings;

use super::TEREDO;

/// Changes of tunnel of a connection before a weird is logged.
const MAX_CHANGES: u32 = 5;

/// The settings, by Zeek's names in `Tunnel`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TunnelSettings {
    /// `max_depth`; none where the decoder's own bound is all.
    max_depth: Option<u64>,
    /// `max_changes_per_connection`
    pub(crate) max_changes: u32,
    /// `delay_teredo_confirmation`
    delays_teredo: bool,
    /// `delay_gtp_confirmation`
    delays_gtp: bool,
}

impl Default for TunnelSettings {
    fn default() -> Self {
        Self { max_depth: None, max_changes: MAX_CHANGES, delays_teredo: true, delays_gtp: false }
    }
}

impl TunnelSettings {
    /// Reads the settings of scripts.
    pub(crate) fn of(settings: &ScriptSettings) -> Self {
        let changes = settings.count("Tunnel::max_changes_per_connection");
        Self {
            max_depth: settings.count("Tunnel::max_depth"),
            max_changes: changes.map_or(MAX_CHANGES, |most| u32::try_from(most).unwrap_or(u32::MAX)),
            delays_teredo: settings.is_set("Tunnel::delay_teredo_confirmation"),
            delays_gtp: settings.is_set("Tunnel::delay_gtp_confirmation"),
        }
    }

    /// Returns whether a packet in so many tunnels is not looked into for another one.
    pub(crate) fn is_deepest(&self, depth: u8) -> bool {
        self.max_depth.is_some_and(|most| u64::from(depth) >= most)
    }

    /// Returns whether nothing is looked at in so many tunnels.
    pub(crate) fn is_too_deep(&self, depth: u8) -> bool {
        self.max_depth.is_some_and(|most| u64::from(depth) > most)
    }

    /// Returns whether both ends are to show a tunnel before it counts as a service.
    pub(crate) fn waits_for_both(&self, service: &str) -> bool {
        match service {
            TEREDO => self.delays_teredo,
            "gtpv1" => self.delays_gtp,
            _ => false,
        }
    }
}
