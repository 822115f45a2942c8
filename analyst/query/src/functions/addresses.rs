//! Questions about addresses.

use std::net::IpAddr;
use std::sync::Arc;

use arrow::array::Int64Array;
use arrow::datatypes::DataType;
use datafusion::logical_expr::ScalarUDF;
use ipnet::IpNet;

use super::{Arguments, function};

/// The functions.
pub(super) fn functions() -> Vec<ScalarUDF> {
    let text = || DataType::Utf8;
    vec![
        function("cidr_match", vec![text(), text()], DataType::Boolean, cidr_match),
        function("is_private", vec![text()], DataType::Boolean, |arguments| {
            arguments.truths(|row| Some(is_private(address(arguments, row)?)))
        }),
        function("ip_version", vec![text()], DataType::Int64, |arguments| {
            let version = |row| Some(if address(arguments, row)?.is_ipv4() { 4 } else { 6 });
            Arc::new((0..arguments.rows()).map(version).collect::<Int64Array>())
        }),
    ]
}

fn address(arguments: &Arguments, row: usize) -> Option<IpAddr> {
    arguments.text(0, row)?.parse().ok()
}

fn cidr_match(arguments: &Arguments) -> arrow::array::ArrayRef {
    // Networks are the same for nearly all rows.
    let latest = std::cell::RefCell::new((String::new(), Vec::new()));
    arguments.truths(|row| {
        let (address, networks) = (address(arguments, row)?, arguments.text(1, row)?);
        let mut latest = latest.borrow_mut();
        if latest.0 != networks {
            *latest = (networks.to_owned(), networks_of(networks));
        }
        Some(latest.1.iter().any(|network| network.contains(&address)))
    })
}

/// Networks and single addresses, behind one another with commas. What is neither is in no network.
fn networks_of(text: &str) -> Vec<IpNet> {
    let network = |word: &str| word.parse().ok().or_else(|| word.parse::<IpAddr>().ok().map(IpNet::from));
    text.split([',', ' ']).filter(|word| !word.is_empty()).filter_map(network).collect()
}

/// Whether an address is of a network that is not routed in the Internet: RFC 1918, RFC 4193, loopback and link-local ones.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_private() || v4.is_loopback() || v4.is_link_local(),
        IpAddr::V6(v6) => {
            let mapped = v6.to_ipv4_mapped().is_some_and(|v4| is_private(v4.into()));
            mapped || v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::value;

    #[test]
    fn addresses() {
        let cases = [
            ("cidr_match('10.1.2.3', '10.0.0.0/8')", "true"),
            ("cidr_match('11.1.2.3', '10.0.0.0/8, 11.1.2.3')", "true"),
            ("cidr_match('fe80::1', '10.0.0.0/8,fe80::/10')", "true"),
            ("cidr_match('12.1.2.3', '10.0.0.0/8')", "false"),
            ("cidr_match('12.1.2.3', 'nonsense')", "false"),
            ("cidr_match('nonsense', '10.0.0.0/8')", ""),
            ("cidr_match(null, '10.0.0.0/8')", ""),
            ("is_private('192.168.1.1')", "true"),
            ("is_private('::ffff:10.0.0.1')", "true"),
            ("is_private('fd00::1')", "true"),
            ("is_private('8.8.8.8')", "false"),
            ("ip_version('8.8.8.8')", "4"),
            ("ip_version('::1')", "6"),
        ];
        for (expression, expected) in cases {
            assert_eq!(value(expression), expected, "{expression}");
        }
    }
}
