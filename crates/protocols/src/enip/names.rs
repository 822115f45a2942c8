//! Names of numbers (volume 1, chapters 3, 5, 6 and appendices A and B; volume 2, 2-3).

/// Commands.
pub mod command {
    /// Nothing.
    pub const NOP: u16 = 0;
    /// List of a device's services.
    pub const LIST_SERVICES: u16 = 4;
    /// List of a device's identity.
    pub const LIST_IDENTITY: u16 = 0x63;
    /// Other ways to a device.
    pub const LIST_INTERFACES: u16 = 0x64;
    /// A session begins.
    pub const REGISTER_SESSION: u16 = 0x65;
    /// A session ends.
    pub const UNREGISTER_SESSION: u16 = 0x66;
    /// A request that has a response.
    pub const SEND_RR_DATA: u16 = 0x6f;
    /// Data over a connection.
    pub const SEND_UNIT_DATA: u16 = 0x70;

    /// By name.
    pub const NAMES: &[(&str, u64)] = &[
        ("nop", NOP as u64),
        ("list_services", LIST_SERVICES as u64),
        ("list_identity", LIST_IDENTITY as u64),
        ("list_interfaces", LIST_INTERFACES as u64),
        ("register_session", REGISTER_SESSION as u64),
        ("unregister_session", UNREGISTER_SESSION as u64),
        ("send_r_r_data", SEND_RR_DATA as u64),
        ("send_unit_data", SEND_UNIT_DATA as u64),
        ("indicate_status", 0x72),
        ("cancel", 0x73),
    ];

    /// The name of a command.
    pub fn name(command: u16) -> Option<&'static str> {
        super::by_number(NAMES, command.into())
    }
}

/// General statuses, by name.
pub const STATUSES: &[(&str, u64)] = &[
    ("success", 0),
    ("invalid_cmd", 1),
    ("no_resources", 2),
    ("incorrect_data", 3),
    ("invalid_session", 0x64),
    ("invalid_length", 0x65),
    ("unsupported_prot_rev", 0x69),
    ("encap_header_error", 0x6a),
];

/// The name of how it went.
pub fn status_name(status: u32) -> Option<&'static str> {
    by_number(STATUSES, status.into())
}

fn by_number(names: &[(&'static str, u64)], number: u64) -> Option<&'static str> {
    names.iter().find(|(_, known)| *known == number).map(|(name, _)| *name)
}

fn by_key<K: Copy + Ord>(names: &[(K, &'static str)], key: K) -> Option<&'static str> {
    let place = names.binary_search_by_key(&key, |(known, _)| *known).ok()?;
    names.get(place).map(|(_, name)| *name)
}

/// The name of a kind of device.
pub fn device_type(number: u16) -> Option<&'static str> {
    by_key(DEVICE_TYPES, number)
}

/// The name of a service of CIP.
pub fn service(number: u8) -> Option<&'static str> {
    by_key(SERVICES, number)
}

/// The name of how a service went.
pub fn cip_status(number: u8) -> Option<&'static str> {
    by_key(CIP_STATUSES, number)
}

/// Returns the name of an extended status.
pub fn extended_status(number: u16) -> Option<&'static str> {
    by_key(EXTENDED_STATUSES, number)
}

/// The name of a class of objects.
pub fn class(number: u32) -> Option<&'static str> {
    by_key(CLASSES, number)
}

const DEVICE_TYPES: &[(u16, &str)] = &[
    (0, "Generic Device (deprecated)"),
    (1, "Control Station (deprecated)"),
    (2, "AC Drive Device"),
    (3, "Motor Overload"),
    (4, "Limit Switch"),
    (5, "Inductive Proximity Switch"),
    (6, "Photoelectric Sensor"),
    (7, "General Purpose Discrete I/O"),
    (8, "Encoder (deprecated)"),
    (9, "Resolver"),
    (10, "General Purpose Analog I/O (deprecated)"),
    (12, "Communications Adapter"),
    (13, "Barcode Scanner (deprecated)"),
    (14, "Programmable Logic Controller"),
    (16, "Position Controller"),
    (17, "Weigh Scale (deprecated)"),
    (18, "Message Display (deprecated)"),
    (19, "DC Drive"),
    (20, "Servo Drives (deprecated)"),
    (21, "Contactor"),
    (22, "Motor Starter"),
    (23, "Softstart Starter"),
    (24, "Human-Machine Interface"),
    (25, "Pneumatic Valve(s) (deprecated)"),
    (26, "Mass Flow Controller"),
    (27, "Pneumatic Valve(s)"),
    (28, "Vacuum Pressure Gauge"),
    (29, "Process Control Value"),
    (30, "Residual Gas Analyzer"),
    (31, "DC Power Generator"),
    (32, "RF Power Generator"),
    (33, "Turbomolecular Vacuum Pump"),
    (34, "Encoder"),
    (35, "Safety Discrete I/O Device"),
    (36, "Fluid Flow Controller"),
    (37, "CIP Motion Drive"),
    (38, "CompoNet Repeater"),
    (39, "Mass Flow Controller Enhanced"),
    (40, "CIP Modbus Device"),
    (41, "CIP Modbus Translator"),
    (42, "Safety Analog I/O Device"),
    (43, "Generic Device (keyable)"),
    (44, "Managed Ethernet Switch"),
    (45, "CIP Motion Safety Drive Device"),
    (46, "Safety Drive Device"),
    (47, "CIP Motion Encoder"),
    (48, "CIP Motion Converter"),
    (49, "CIP Motion I/O"),
    (50, "ControlNet Physical Layer Component"),
    (200, "Embedded Component"),
];

const SERVICES: &[(u8, &str)] = &[
    (0x01, "Get Attributes All"),
    (0x02, "Set Attributes All"),
    (0x03, "Get Attribute List"),
    (0x04, "Set Attribute List"),
    (0x05, "Reset"),
    (0x06, "Start"),
    (0x07, "Stop"),
    (0x08, "Create"),
    (0x09, "Delete"),
    (0x0a, "Multiple Service Packet"),
    (0x0d, "Apply Attributes"),
    (0x0e, "Get Attributes Single"),
    (0x10, "Set Attributes Single"),
    (0x11, "Find Next Object Instance"),
    (0x15, "Restore"),
    (0x16, "Save"),
    (0x17, "No Forward Open"),
    (0x18, "Get Member"),
    (0x19, "Set Member"),
    (0x1a, "Insert Member"),
    (0x1b, "Remove Member"),
    (0x1c, "Group Sync"),
    (0x1d, "Get Connection Point Member List"),
    // Those that follow mean this in the classes that have them.
    (0x4b, "Execute PCCC Service"),
    (0x4c, "Read Data"),
    (0x4d, "Write Data"),
    (0x4e, "Read Write Modify Data"),
    (0x52, "Read Data Fragmented"),
    (0x53, "Write Data Fragmented"),
    (0x54, "Forward Open"),
];

const CIP_STATUSES: &[(u8, &str)] = &[
    (0x00, "Success"),
    (0x01, "Connection Failure"),
    (0x02, "Resource Unavailable"),
    (0x03, "Invalid Parameter Value"),
    (0x04, "Path Segment Error"),
    (0x05, "Path Destination Unknown"),
    (0x06, "Partial Transfer"),
    (0x07, "Connection Lost"),
    (0x08, "Service Not Supported"),
    (0x09, "Invalid Attribute Value"),
    (0x0a, "Attribute List Error"),
    (0x0b, "Already In Requested Mode/State"),
    (0x0c, "Object State Conflict"),
    (0x0d, "Object Already Exists"),
    (0x0e, "Attribute Not Settable"),
    (0x0f, "Privilege Violation"),
    (0x10, "Device State Conflict"),
    (0x11, "Reply Data Too Large"),
    (0x12, "Fragmentation Of A Primitive Value"),
    (0x13, "Not Enough Data"),
    (0x14, "Attribute Not Supported"),
    (0x15, "Too Much Data"),
    (0x16, "Object Does Not Exist"),
    (0x17, "Service Fragmentation Sequence Not In Progress"),
    (0x18, "No Stored Attribute Data"),
    (0x19, "Store Operation Failure"),
    (0x1a, "Routing Failure, Request Packet Too Large"),
    (0x1b, "Routing Failure, Response Packet Too Large"),
    (0x1c, "Missing Attribute List Entry Data"),
    (0x1d, "Invalid Attribute Value List"),
    (0x1e, "Embedded Service Error"),
    (0x1f, "Vendor Specific Error"),
    (0x20, "Invalid Parameter"),
    (0x21, "Write-Once Value Or Medium Already Written"),
    (0x22, "Invalid Reply Received"),
    (0x23, "Buffer Overflow"),
    (0x24, "Invalid Message Format"),
    (0x25, "Key Failure In Path"),
    (0x26, "Path Size Invalid"),
    (0x27, "Unexpected Attribute In List"),
    (0x28, "Invalid Member ID"),
    (0x29, "Member Not Settable"),
    (0x2a, "Group 2 Only Server General Failure"),
    (0x2b, "Unknown Modbus Error"),
    (0x2c, "Attribute Not Gettable"),
    (0xff, "Still Processing"),
];

const EXTENDED_STATUSES: &[(u16, &str)] = &[
    (0x100, "Connection in use or duplicate Forward Open"),
    (0x103, "Transport class and trigger combination not supported"),
    (0x106, "Ownership conflict"),
    (0x107, "Target connection not found"),
    (0x108, "Invalid network connection parameter"),
    (0x109, "Invalid connection size"),
    (0x110, "Target for connection not configured"),
    (0x111, "RPI not supported"),
    (0x112, "RPI value(s) not acceptable"),
    (0x113, "Out of connections"),
    (0x114, "Vendor ID or product code mismatch"),
    (0x115, "Device type mismatch"),
    (0x116, "Revision mismatch"),
    (0x117, "Invalid produced or consumed application path"),
    (0x118, "Invalid or inconsistent configuration application path"),
    (0x119, "Non-listen only connection not opened"),
    (0x11a, "Target object out of connections"),
    (0x11b, "RPI is smaller than the production inhibit time"),
    (0x11c, "Transport class not supported"),
    (0x11d, "Production trigger not supported"),
    (0x11e, "Direction not supported"),
    (0x123, "Invalid O->T connection type"),
    (0x124, "Invalid T->O connection type"),
    (0x126, "Invalid configuration size"),
    (0x127, "Invalid O->T size"),
    (0x128, "Invalid T->O size"),
    (0x129, "Invalid configuration application path"),
    (0x12a, "Invalid consuming application path"),
    (0x12b, "Invalid producing application path"),
    (0x203, "Connection timed out"),
    (0x204, "Unconnected request timed out"),
    (0x205, "Parameter error in unconnected request"),
    (0x206, "Message too large for UnconnectedSend"),
    (0x207, "Unconnected acknowledged without reply"),
    (0x301, "No buffer memory available"),
    (0x302, "Network bandwidth not available for data"),
    (0x303, "No consumed connection ID filter available"),
    (0x311, "Port not available"),
    (0x312, "Link address not valid"),
    (0x315, "Invalid segment in connection path"),
    (0x316, "ForwardClose connection path mismatch"),
    (0x318, "Link address to self invalid"),
    (0x319, "Secondary resources unavailable"),
    (0x31a, "Rack connection already established"),
    (0x31b, "Module connection already established"),
    (0x31c, "Miscellaneous"),
    (0x31d, "Redundant connection mismatch"),
    (0x800, "Network link offline"),
    (0x810, "No target application data available"),
    (0x811, "No originator application data available"),
];

const CLASSES: &[(u32, &str)] = &[
    (0x00, ""),
    (0x01, "Identity"),
    (0x02, "Message Router"),
    (0x03, "DeviceNet"),
    (0x04, "Assembly"),
    (0x05, "Connection"),
    (0x06, "Connection Manager"),
    (0x07, "Register"),
    (0x08, "Discrete Input Point"),
    (0x09, "Discrete Output Point"),
    (0x0a, "Analog Input Point"),
    (0x0b, "Analog Output Point"),
    (0x0e, "Presence Sensing"),
    (0x0f, "Parameter"),
    (0x10, "Parameter Group"),
    (0x12, "Group"),
    (0x1d, "Discrete Input Group"),
    (0x1e, "Discrete Output Group"),
    (0x1f, "Discrete Group"),
    (0x20, "Analog Input Group"),
    (0x21, "Analog Output Group"),
    (0x22, "Analog Group"),
    (0x23, "Position Sensor"),
    (0x24, "Position Controller Supervisor"),
    (0x25, "Position Controller"),
    (0x26, "Block Sequencer"),
    (0x27, "Command Block"),
    (0x28, "Motor Data"),
    (0x29, "Control Supervisor"),
    (0x2a, "AC/DC Drive"),
    (0x2b, "Acknowledge Handler"),
    (0x2c, "Overload"),
    (0x2d, "Softstart"),
    (0x2e, "Selection"),
    (0x30, "S-Device Supervisor"),
    (0x31, "S-Analog Sensor"),
    (0x32, "S-Analog Actuator"),
    (0x33, "S-Single Stage Controller"),
    (0x34, "S-Gas Calibration"),
    (0x35, "Trip Point"),
    (0x37, "File"),
    (0x38, "S-Partial Pressure"),
    (0x39, "Safety Supervisor"),
    (0x3a, "Safety Validator"),
    (0x3b, "Safety Discrete Output Point"),
    (0x3c, "Safety Discrete Output Group"),
    (0x3d, "Safety Discrete Input Point"),
    (0x3e, "Safety Discrete Input Group"),
    (0x3f, "Safety Dual Channel Output"),
    (0x40, "S-Sensor Calibration"),
    (0x41, "Event Log"),
    (0x42, "Motion Device Axis"),
    (0x43, "Time Sync"),
    (0x44, "Modbus"),
    (0x45, "Originator Connection List"),
    (0x46, "Modbus Serial Link"),
    (0x47, "Device Level Ring (DLR)"),
    (0x48, "QoS"),
    (0x49, "Safety Analog Input Point"),
    (0x4a, "Safety Analog Input Group"),
    (0x4b, "Safety Dual Channel Analog Input"),
    (0x4c, "SERCOS III Link"),
    (0x4d, "Target Connection List"),
    (0x4e, "Base Energy"),
    (0x4f, "Electrical Energy"),
    (0x50, "Non-Electrical Energy"),
    (0x51, "Base Switch"),
    (0x52, "SNMP"),
    (0x53, "Power Management"),
    (0x54, "RSTP Bridge"),
    (0x55, "RSTP Port"),
    (0x56, "PRP/HSR Protocol"),
    (0x57, "PRP/HSR Nodes Table"),
    (0x5d, "CIP Security"),
    (0x5e, "EtherNet/IP Security"),
    (0x5f, "Certificate Management"),
    (0x67, "PCCC Class"),
    (0xf0, "ControlNet"),
    (0xf1, "ControlNet Keeper"),
    (0xf2, "ControlNet Scheduling"),
    (0xf3, "Connection Configuration"),
    (0xf4, "Port"),
    (0xf5, "TCP/IP Interface"),
    (0xf6, "Ethernet Link"),
    (0xf7, "CompoNet"),
    (0xf8, "CompoNet Repeater"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn ascends<K: Ord + Copy>(names: &[(K, &str)]) -> bool {
        names.is_sorted_by(|one, next| one.0 < next.0)
    }

    #[test]
    fn names() {
        assert!(ascends(DEVICE_TYPES) && ascends(SERVICES) && ascends(CIP_STATUSES));
        assert!(ascends(EXTENDED_STATUSES) && ascends(CLASSES));
        assert_eq!((device_type(12), device_type(11)), (Some("Communications Adapter"), None));
        assert_eq!((service(0x4c), cip_status(0xff)), (Some("Read Data"), Some("Still Processing")));
        assert_eq!(
            (extended_status(0x107), class(2)),
            (Some("Target connection not found"), Some("Message Router"))
        );
        assert_eq!(
            (command::name(0x63), status_name(0x64)),
            (Some("list_identity"), Some("invalid_session"))
        );
    }
}
