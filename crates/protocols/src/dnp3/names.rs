//! Function codes (IEEE 1815 4.2.2.5) and internal indications (4.2.2.6) by name.

/// Confirm.
pub const CONFIRM: u8 = 0;
/// A response that nobody asked for.
pub const UNSOLICITED_RESPONSE: u8 = 130;

/// Function codes, by name.
pub const FUNCTIONS: &[(&str, u64)] = &[
    ("confirm", CONFIRM as u64),
    ("read", 1),
    ("write", 2),
    ("select", 3),
    ("operate", 4),
    ("direct_operate", 5),
    ("direct_operate_nr", 6),
    ("immed_freeze", 7),
    ("immed_freeze_nr", 8),
    ("freeze_clear", 9),
    ("freeze_clear_nr", 10),
    ("freeze_at_time", 11),
    ("freeze_at_time_nr", 12),
    ("cold_restart", 13),
    ("warm_restart", 14),
    ("initialize_data", 15),
    ("initialize_appl", 16),
    ("start_appl", 17),
    ("stop_appl", 18),
    ("save_config", 19),
    ("enable_unsolicited", 20),
    ("disable_unsolicited", 21),
    ("assign_class", 22),
    ("delay_measure", 23),
    ("record_current_time", 24),
    ("open_file", 25),
    ("close_file", 26),
    ("delete_file", 27),
    ("get_file_info", 28),
    ("authenticate_file", 29),
    ("abort_file", 30),
    ("activate_config", 31),
    ("authenticate_req", 32),
    ("authenticate_err", 33),
    ("response", 129),
    ("unsolicited_response", UNSOLICITED_RESPONSE as u64),
    ("authenticate_resp", 131),
];

/// Internal indications, by name.
pub const INDICATIONS: &[(&str, u16)] = &[
    ("device_restart", 0x8000),
    ("device_trouble", 0x4000),
    ("local_control", 0x2000),
    ("need_time", 0x1000),
    ("class_3_events", 0x0800),
    ("class_2_events", 0x0400),
    ("class_1_events", 0x0200),
    ("all_stations", 0x0100),
    ("reserved_1", 0x0080),
    ("reserved_2", 0x0040),
    ("config_corrupt", 0x0020),
    ("already_executing", 0x0010),
    ("event_buffer_overflow", 0x0008),
    ("parameter_error", 0x0004),
    ("object_unknown", 0x0002),
    ("no_func_code_support", 0x0001),
];

/// Zeek's name of a function code.
pub fn zeek_function(code: u8) -> String {
    let known = FUNCTIONS.iter().find(|(_, known)| *known == u64::from(code));
    known.map_or_else(|| format!("unknown-{code}"), |(name, _)| name.to_uppercase())
}
