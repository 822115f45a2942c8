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

/// Whether a server is likely at a port.
pub(super) fn likely(protocol: u8, port: u16) -> bool {
    let list: &[u16] = match protocol {
        6 => &TCP,
        17 => &UDP,
        _ => &[],
    };
    list.binary_search(&port).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(TCP.is_sorted() && UDP.is_sorted());
        assert!(likely(6, 80) && likely(17, 53) && !likely(17, 80) && !likely(6, 1024) && !likely(1, 53));
    }
}
