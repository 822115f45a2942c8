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
    /// GENEVE.
    pub geneve: TunnelSettings,
    /// VN-Tag.
    pub vntag: bool,
    /// ERSPAN type I.
    pub erspan_type1: bool,
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
        let tunnel = |name: &str, enabled: bool, port: u16| -> Result<TunnelSettings, ConfigError> {
            let section = decoder.section(name);
            Ok(TunnelSettings {
                enabled: section.flag("enabled", enabled),
                ports: ports(&section, &variables, port)?,
            })
        };
        let bits = decoder.text("vxlan.reserved-bits-check");
        Ok(Self {
            teredo: tunnel("teredo", true, 3544)?,
            vxlan: tunnel("vxlan", true, 4789)?,
            vxlan_reserved_bits_check: bits
                .is_none_or(|text| text.eq_ignore_ascii_case("strict") || crate::value::is_true(text)),
            geneve: tunnel("geneve", true, 6081)?,
            vntag: decoder.flag("vntag.enabled", false),
            erspan_type1: decoder.flag("erspan.typeI.enabled", false),
            recursion_level_tracking: decoder.flag("recursion-level.use-for-tracking", true),
            max_layers: decoder.integer("max-layers", 16, 1..=255)? as u8,
        })
    }
}

fn ports(section: &Section<'_>, variables: &Variables, default: u16) -> Result<Vec<u16>, ConfigError> {
    let Some(node) = section.node().and_then(|node| node.child("ports")) else { return Ok(vec![default]) };
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
        assert_eq!(
            (shipped.teredo.ports, shipped.vxlan.ports, shipped.geneve.ports),
            (vec![3544], vec![4789], vec![6081])
        );
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
