//! Ports at which servers are likely, by which Zeek tells the originator of a connection whose
//! beginning was not seen.

const TCP: [u16; 66] = [
    21, 22, 25, 53, 79, 80, 81, 88, 102, 110, 113, 135, 137, 139, 143, 389, 443, 445, 502, 563, 585, 587,
    614, 631, 636, 989, 990, 992, 993, 995, 1080, 1434, 1812, 1883, 2811, 3128, 3268, 3306, 3389, 5060, 5061,
    5222, 5223, 5269, 5353, 5355, 5432, 5900, 5901, 5902, 5903, 5904, 5905, 5906, 5907, 5908, 5909, 6379,
    6666, 6667, 6668, 6669, 8000, 8080, 8888, 20000,
];

const UDP: [u16; 24] = [
    53, 67, 69, 88, 123, 137, 161, 162, 389, 443, 514, 784, 1812, 2123, 2152, 3389, 3544, 4789, 5060, 5072,
    5353, 5355, 6081, 20000,
];

/// Ports at which servers are likely, in order.
#[derive(Clone, Debug)]
pub(crate) struct Ports {
    tcp: Box<[u16]>,
    udp: Box<[u16]>,
}

impl Default for Ports {
    /// Those of all of Zeek's default scripts.
    fn default() -> Self {
        Self { tcp: TCP.into(), udp: UDP.into() }
    }
}

impl Ports {
    /// Those that scripts name, as `80/tcp`; other words count for nothing.
    pub(crate) fn of<'a>(words: impl Iterator<Item = &'a [u8]>) -> Self {
        let (mut tcp, mut udp) = (Vec::new(), Vec::new());
        for word in words {
            let mut parts = std::str::from_utf8(word).unwrap_or_default().split('/');
            let port = parts.next().and_then(|port| port.parse().ok());
            match (port, parts.next()) {
                (Some(port), Some("tcp")) => tcp.push(port),
                (Some(port), Some("udp")) => udp.push(port),
                _ => {}
            }
        }
        tcp.sort_unstable();
        udp.sort_unstable();
        Self { tcp: tcp.into(), udp: udp.into() }
    }

    /// Whether a server is likely at a port.
    pub(super) fn likely(&self, protocol: u8, port: u16) -> bool {
        let list: &[u16] = match protocol {
            6 => &self.tcp,
            17 => &self.udp,
            _ => &[],
        };
        list.binary_search(&port).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(TCP.is_sorted() && UDP.is_sorted());
        let ports = Ports::default();
        let likely = |protocol, port| ports.likely(protocol, port);
        assert!(likely(6, 80) && likely(17, 53) && !likely(17, 80) && !likely(6, 1024) && !likely(1, 53));
    }

    #[test]
    fn scripts_name_ports() {
        let words = ["8443/tcp", "80/tcp", "53/udp", "8/icmp", "70000/tcp", "x", ""];
        let ports = Ports::of(words.iter().map(|word| word.as_bytes()));
        for (protocol, port, expected) in
            [(6, 80, true), (6, 8443, true), (17, 53, true), (6, 53, false), (17, 80, false), (1, 8, false)]
        {
            assert_eq!(ports.likely(protocol, port), expected, "{protocol} {port}");
        }
    }
}
