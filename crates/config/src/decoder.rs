//! `decoder`: which ports carry tunnels, and how deep packets may lie in packets.

use crate::error::ConfigError;
use crate::settings::{Section, Settings};
use crate::vars::Variables;

/// Most UDP ports that one tunnel is looked for on.
const MAX_TUNNEL_PORTS: usize = 4;

/// A tunnel over UDP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunnelSettings {
    /// Looked for at all.
    pub enabled: bool,
    /// Destination ports.
    pub ports: Vec<u16>,
}

/// `decoder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecoderSettings {
    /// Teredo; without ports, on all.
    pub teredo: TunnelSettings,
    /// VXLAN.
    pub vxlan: TunnelSettings,
    /// Reserved bits of VXLAN must be zero.
    pub vxlan_reserved_bits_check: bool,
    /// VXLAN-GPE.
    pub vxlan_gpe: TunnelSettings,
    /// GENEVE.
    pub geneve: TunnelSettings,
    /// User packets of mobile networks.
    pub gtp: TunnelSettings,
    /// L2TP, version 2.
    pub l2tp: TunnelSettings,
    /// Packets in packets of different depth are different flows.
    pub recursion_level_tracking: bool,
    /// Most layers of a packet.
    pub max_layers: u8,
}

impl DecoderSettings {
    /// Reads `decoder`, with port variables resolved.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let decoder = settings.section("decoder");
        let variables = Variables::from_settings(settings);
        let tunnel = |name: &str, enabled: bool, ports_by_default: &[u16]| {
            let section = decoder.section(name);
            Ok::<_, ConfigError>(TunnelSettings {
                enabled: section.flag("enabled", enabled),
                ports: ports(&section, &variables, ports_by_default)?,
            })
        };
        let bits = decoder.text("vxlan.reserved-bits-check");
        Ok(Self {
            teredo: tunnel("teredo", true, &[])?,
            vxlan: tunnel("vxlan", true, &[4789])?,
            vxlan_reserved_bits_check: bits
                .is_some_and(|text| text.eq_ignore_ascii_case("strict") || crate::value::is_true(text)),
            vxlan_gpe: tunnel("vxlan-gpe", true, &[4790])?,
            geneve: tunnel("geneve", true, &[6081])?,
            gtp: tunnel("gtp", false, &[2152])?,
            l2tp: tunnel("l2tp", false, &[1701])?,
            recursion_level_tracking: decoder.flag("recursion-level.use-for-tracking", true),
            max_layers: decoder.integer("max-layers", 16, 1..=255)? as u8,
        })
    }
}

fn ports(section: &Section<'_>, variables: &Variables, default: &[u16]) -> Result<Vec<u16>, ConfigError> {
    let Some(node) = section.node().and_then(|node| node.child("ports")) else { return Ok(default.to_vec()) };
    let expected = "a list of at most four ports";
    let mut ports = Vec::new();
    for text in node.texts() {
        let resolved = variables.resolve_ports(text).ok_or_else(|| section.wrong("ports", expected))?;
        for part in
            resolved.trim_matches(['[', ']']).split(',').map(str::trim).filter(|part| !part.is_empty())
        {
            if part.eq_ignore_ascii_case("any") {
                return Ok(Vec::new());
            }
            ports.push(part.parse::<u16>().map_err(|_| section.wrong("ports", expected))?);
        }
    }
    if ports.len() > MAX_TUNNEL_PORTS {
        return Err(section.wrong("ports", expected));
    }
    Ok(ports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunnel_ports() {
        let shipped = DecoderSettings::from_settings(&Settings::built_in::<&str>(&[]).unwrap()).unwrap();
        for (tunnel, enabled, port) in [
            (shipped.teredo, true, 3544),
            (shipped.vxlan, true, 4789),
            (shipped.vxlan_gpe, true, 4790),
            (shipped.geneve, true, 6081),
            (shipped.gtp, false, 2152),
            (shipped.l2tp, false, 1701),
        ] {
            assert_eq!((tunnel.enabled, tunnel.ports), (enabled, vec![port]));
        }
        let bare = DecoderSettings::from_settings(
            &Settings::from_text(b"", "t", &["decoder.teredo.enabled=yes"]).unwrap(),
        );
        let bare = bare.unwrap();
        assert_eq!(
            (bare.teredo.ports, bare.vxlan.ports),
            (vec![], vec![4789]),
            "Teredo is looked for on all ports"
        );
        assert!(!bare.vxlan_reserved_bits_check);
        for (text, expected) in [
            ("4789", Some(vec![4789])),
            ("[4789, 8472]", Some(vec![4789, 8472])),
            ("any", Some(vec![])),
            ("$UNKNOWN", None),
            ("70000", None),
            ("[1,2,3,4,5]", None),
        ] {
            let settings = Settings::from_text(b"", "t", &[format!("decoder.vxlan.ports={text}")]).unwrap();
            let found = DecoderSettings::from_settings(&settings).ok().map(|decoder| decoder.vxlan.ports);
            assert_eq!(found, expected, "{text}");
        }
    }
}
