//! Settings of the decoder (`decoder` in the configuration).

/// Where AYIYA is spoken.
const AYIYA_PORT: u16 = 5072;

/// User data and control messages of GTP version 1.
const GTP_PORTS: [u16; 2] = [2152, 2123];

const IPV6_LENGTH: usize = 40;

/// Settings of a [`super::Decoder`]. A tunnel over UDP is looked for at the ports listed.
///
/// It has a field for each setting of `decoder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecoderSettings {
    /// Destination ports of VXLAN; empty turns it off.
    pub vxlan_ports: Vec<u16>,
    /// Whether a VXLAN header with a reserved bit set is refused.
    pub vxlan_strict_reserved_bits: bool,
    /// Destination ports of VXLAN-GPE; empty turns it off.
    pub vxlan_gpe_ports: Vec<u16>,
    /// Destination ports of GENEVE; empty turns it off.
    pub geneve_ports: Vec<u16>,
    /// Whether Teredo is looked for.
    pub teredo_enabled: bool,
    /// Ports of Teredo, either side; empty means every port.
    pub teredo_ports: Vec<u16>,
    /// Whether Teredo may have authentication headers, and bytes after a packet that carries nothing.
    pub teredo_variants: bool,
    /// Destination ports of GTP-U (2152); empty turns it off.
    pub gtp_ports: Vec<u16>,
    /// Ports of AYIYA (5072), either side; empty turns it off.
    pub ayiya_ports: Vec<u16>,
    /// Whether ERSPAN of type III, 802.11 frames in GRE, and LLC/SNAP in Ethernet are read.
    pub rare_layers: bool,
    /// Whether an IPv4 packet of no stated length, which is left to the network card that cuts it into
    /// segments, is all that was captured; it is read as no packet otherwise.
    pub unstated_length: bool,
    /// Destination ports of L2TPv2 (1701); empty turns it off.
    pub l2tp_ports: Vec<u16>,
    /// Whether it is noted where a decoder with these settings widened may find more packets.
    pub notes_more: bool,
    /// Most headers read of a packet with all its inner packets, plus one.
    pub max_layers: u8,
}

impl Default for DecoderSettings {
    fn default() -> Self {
        Self {
            vxlan_ports: vec![4789],
            vxlan_strict_reserved_bits: true,
            vxlan_gpe_ports: vec![4790],
            geneve_ports: vec![6081],
            teredo_enabled: true,
            teredo_ports: vec![3544],
            teredo_variants: false,
            gtp_ports: Vec::new(),
            ayiya_ports: Vec::new(),
            rare_layers: false,
            unstated_length: false,
            l2tp_ports: Vec::new(),
            notes_more: false,
            max_layers: 16,
        }
    }
}

impl DecoderSettings {
    /// Those of a decoder that looks into the tunnels of Zeek's logs, in addition to those that are set.
    #[must_use]
    pub fn widened(&self) -> Self {
        Self {
            vxlan_strict_reserved_bits: false,
            teredo_variants: true,
            rare_layers: true,
            ayiya_ports: vec![AYIYA_PORT],
            // By content alone: a Teredo server sends its clients on to relays at any port.
            teredo_ports: Vec::new(),
            gtp_ports: if self.gtp_ports.is_empty() { GTP_PORTS.to_vec() } else { self.gtp_ports.clone() },
            notes_more: false,
            ..self.clone()
        }
    }

    /// Whether a decoder with these settings widened may find a packet in a datagram in which one without did not.
    pub(super) fn may_hold_more(&self, ports: [u16; 2], payload: &[u8]) -> bool {
        self.notes_more
            && (self.teredo_enabled && may_be_teredo(payload)
                || self.gtp_ports.is_empty() && ports.iter().any(|port| GTP_PORTS.contains(port))
                || ports.contains(&AYIYA_PORT)
                || self.vxlan_strict_reserved_bits
                    && [&self.vxlan_ports, &self.vxlan_gpe_ports]
                        .iter()
                        .any(|set| ports.iter().any(|port| set.contains(port))))
    }
}

/// Whether a datagram begins as those of Teredo do: with an IPv6 header that fits, or with a header of
/// Teredo's own.
pub(super) fn may_be_teredo(payload: &[u8]) -> bool {
    match payload {
        [0, 0 | 1, ..] => true,
        [first, _, _, _, high, low, ..] if first >> 4 == 6 => {
            IPV6_LENGTH + usize::from(u16::from_be_bytes([*high, *low])) <= payload.len()
        }
        _ => false,
    }
}
