//! Vendors by the numbers that ODVA gave them: those whose devices are met most.

/// The name of a vendor.
pub fn name(number: u16) -> Option<&'static str> {
    let place = VENDORS.binary_search_by_key(&number, |(known, _)| *known).ok()?;
    VENDORS.get(place).map(|(_, name)| *name)
}

const VENDORS: &[(u16, &str)] = &[
    (1, "Rockwell Automation/Allen-Bradley"),
    (3, "Honeywell Inc."),
    (5, "Rockwell Automation/Reliance Elec."),
    (7, "SMC Corporation"),
    (8, "Molex Incorporated"),
    (12, "Banner Engineering Corp."),
    (26, "Festo Corporation"),
    (40, "Wago Corporation"),
    (43, "BALLUFF Inc."),
    (46, "ABB Industrial Systems"),
    (47, "Omron Corporation"),
    (48, "Turck Inc."),
    (50, "Real Time Automation (C&ID)"),
    (57, "Pepperl + Fuchs"),
    (68, "Eaton Electrical"),
    (75, "ABB Robotics Products AB"),
    (77, "Rockwell Software Inc."),
    (82, "Mitsubishi Electric Automation Inc."),
    (83, "OPTO-22"),
    (86, "Horner Electric"),
    (90, "HMS Industrial Networks AB"),
    (94, "Advantech Co. Ltd."),
    (95, "Square D Company"),
    (97, "Danfoss"),
    (100, "Bosch Rexroth Corporation, Pneumatics"),
    (108, "Beckhoff Automation GmbH"),
    (109, "National Instruments"),
    (121, "KUKA Roboter GmbH"),
    (143, "GE Industrial Systems"),
    (145, "Siemens Energy & Automation/Drives"),
    (161, "Mitsubishi Electric Corporation"),
    (176, "Red Lion Controls"),
    (181, "Pilz GmbH & Co"),
    (243, "Schneider Automation Inc."),
    (250, "Yokogawa Electric Corporation"),
    (256, "Turck"),
    (257, "Control Techniques PLC"),
    (283, "Hilscher GmbH"),
    (287, "Bosch Rexroth Corporation, Indramat"),
    (309, "Prosoft Technology"),
    (315, "SEW Eurodrive GmbH"),
    (326, "GE Fanuc Automation North America Inc."),
    (345, "Endress + Hauser"),
    (356, "Fanuc Robotics America"),
    (367, "Keyence Corporation"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(VENDORS.is_sorted_by(|one, next| one.0 < next.0));
        assert_eq!((name(47), name(2)), (Some("Omron Corporation"), None));
    }
}
