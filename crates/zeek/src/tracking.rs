//! Hosts that policies look at, by the settings of scripts that name them.

use std::net::IpAddr;

use weir_base::event::ScriptSettings;

use crate::site::Site;

/// A policy that looks at some hosts only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tracked {
    /// Hosts that are known.
    Hosts,
    /// Services that are known.
    Services,
    /// Certificates that are known.
    Certificates,
    /// Certificates that are not valid at the time.
    Expiring,
    /// Short keys and old versions.
    WeakKeys,
    /// Software.
    Software,
}

/// Settings of the policies, in order.
const SETTINGS: [&str; 6] = [
    "Known::host_tracking",
    "Known::service_tracking",
    "Known::cert_tracking",
    "SSL::notify_certs_expiration",
    "SSL::notify_weak_keys",
    "Software::asset_tracking",
];

/// The hosts that are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Hosts {
    #[default]
    Local,
    Remote,
    All,
    None,
}

/// The hosts that each policy looks at; those of the site where scripts say nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tracking([Hosts; SETTINGS.len()]);

impl Tracking {
    /// Reads the settings of scripts.
    pub(crate) fn of(settings: &ScriptSettings) -> Self {
        Self(SETTINGS.map(|name| match settings.choice(name) {
            Some("REMOTE_HOSTS") => Hosts::Remote,
            Some("ALL_HOSTS") => Hosts::All,
            Some("NO_HOSTS") => Hosts::None,
            _ => Hosts::Local,
        }))
    }

    /// Returns whether a policy looks at a host.
    pub(crate) fn has(&self, what: Tracked, site: &Site, host: IpAddr) -> bool {
        match self.0.get(what as usize).copied().unwrap_or_default() {
            Hosts::Local => site.is_local(host),
            Hosts::Remote => !site.is_local(host),
            Hosts::All => true,
            Hosts::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_look_at_what_scripts_say() {
        let mut settings = ScriptSettings::default();
        let choices = [("Known::host_tracking", "REMOTE_HOSTS"), ("Software::asset_tracking", "ALL_HOSTS")];
        settings.choices.extend(choices.map(|(name, choice)| (name.to_owned(), choice.to_owned())));
        settings.choices.insert("SSL::notify_weak_keys".to_owned(), "NO_HOSTS".to_owned());
        let (tracking, site) = (Tracking::of(&settings), Site::default());
        for (what, expected) in [
            (Tracked::Hosts, [false, true]),
            (Tracked::Services, [true, false]),
            (Tracked::WeakKeys, [false, false]),
            (Tracked::Software, [true, true]),
        ] {
            let hosts: [IpAddr; 2] = [[10, 0, 0, 1].into(), [11, 0, 0, 1].into()];
            assert_eq!(hosts.map(|host| tracking.has(what, &site, host)), expected, "{what:?}");
        }
    }
}
