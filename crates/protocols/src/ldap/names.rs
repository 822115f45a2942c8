//! Names of numbers.

/// Operations, by the number of their tag.
pub mod operation {
    /// A client says who it is.
    pub const BIND_REQUEST: u8 = 0;
    /// The answer to that.
    pub const BIND_RESPONSE: u8 = 1;
    /// The conversation ends.
    pub const UNBIND_REQUEST: u8 = 2;
    /// A search begins.
    pub const SEARCH_REQUEST: u8 = 3;
    /// An entry was found.
    pub const SEARCH_RESULT_ENTRY: u8 = 4;
    /// The search is over.
    pub const SEARCH_RESULT_DONE: u8 = 5;
    /// An entry is to change.
    pub const MODIFY_REQUEST: u8 = 6;
    /// The answer to that.
    pub const MODIFY_RESPONSE: u8 = 7;
    /// An entry is to be added.
    pub const ADD_REQUEST: u8 = 8;
    /// The answer to that.
    pub const ADD_RESPONSE: u8 = 9;
    /// An entry is to go.
    pub const DEL_REQUEST: u8 = 10;
    /// The answer to that.
    pub const DEL_RESPONSE: u8 = 11;
    /// An entry is to be named otherwise.
    pub const MOD_DN_REQUEST: u8 = 12;
    /// The answer to that.
    pub const MOD_DN_RESPONSE: u8 = 13;
    /// Whether an entry has a value.
    pub const COMPARE_REQUEST: u8 = 14;
    /// The answer to that.
    pub const COMPARE_RESPONSE: u8 = 15;
    /// An answer is not wanted any more.
    pub const ABANDON_REQUEST: u8 = 16;
    /// Where else to search.
    pub const SEARCH_RESULT_REFERENCE: u8 = 19;
    /// An operation of a later standard.
    pub const EXTENDED_REQUEST: u8 = 23;
    /// The answer to that.
    pub const EXTENDED_RESPONSE: u8 = 24;
    /// A part of such an answer.
    pub const INTERMEDIATE_RESPONSE: u8 = 25;

    /// Operations by name.
    pub const NAMES: &[(&str, u64)] = &[
        ("bind_request", 0),
        ("bind_response", 1),
        ("unbind_request", 2),
        ("search_request", 3),
        ("search_result_entry", 4),
        ("search_result_done", 5),
        ("modify_request", 6),
        ("modify_response", 7),
        ("add_request", 8),
        ("add_response", 9),
        ("del_request", 10),
        ("del_response", 11),
        ("mod_dn_request", 12),
        ("mod_dn_response", 13),
        ("compare_request", 14),
        ("compare_response", 15),
        ("abandon_request", 16),
        ("search_result_reference", 19),
        ("extended_request", 23),
        ("extended_response", 24),
        ("intermediate_response", 25),
    ];

    /// The name of an operation.
    pub fn name(operation: u8) -> &'static str {
        let found = NAMES.iter().find(|(_, number)| *number == u64::from(operation));
        found.map_or("unknown", |(name, _)| name)
    }

    /// Whether a client asks for it.
    pub const fn is_request(operation: u8) -> bool {
        matches!(
            operation,
            BIND_REQUEST
                | UNBIND_REQUEST
                | SEARCH_REQUEST
                | MODIFY_REQUEST
                | ADD_REQUEST
                | DEL_REQUEST
                | MOD_DN_REQUEST
                | COMPARE_REQUEST
                | ABANDON_REQUEST
                | EXTENDED_REQUEST
        )
    }

    /// Whether it says what became of a request: the last of its answers.
    pub const fn is_result(operation: u8) -> bool {
        matches!(
            operation,
            BIND_RESPONSE
                | SEARCH_RESULT_DONE
                | MODIFY_RESPONSE
                | ADD_RESPONSE
                | DEL_RESPONSE
                | MOD_DN_RESPONSE
                | COMPARE_RESPONSE
                | EXTENDED_RESPONSE
        )
    }

    /// Whether Zeek does not look at what it says.
    pub const fn is_opaque(operation: u8) -> bool {
        matches!(
            operation,
            ADD_REQUEST | COMPARE_REQUEST | MOD_DN_REQUEST | INTERMEDIATE_RESPONSE | SEARCH_RESULT_REFERENCE
        )
    }
}

/// Result codes, by name.
pub const RESULT_CODES: &[(&str, u64)] = &[
    ("success", 0),
    ("operations_error", 1),
    ("protocol_error", 2),
    ("time_limit_exceeded", 3),
    ("size_limit_exceeded", 4),
    ("compare_false", 5),
    ("compare_true", 6),
    ("auth_method_not_supported", 7),
    ("stronger_auth_required", 8),
    ("referral", 10),
    ("admin_limit_exceeded", 11),
    ("unavailable_critical_extension", 12),
    ("confidentiality_required", 13),
    ("sasl_bind_in_progress", 14),
    ("no_such_attribute", 16),
    ("undefined_attribute_type", 17),
    ("inappropriate_matching", 18),
    ("constraint_violation", 19),
    ("attribute_or_value_exists", 20),
    ("invalid_attribute_syntax", 21),
    ("no_such_object", 32),
    ("alias_problem", 33),
    ("invalid_dns_syntax", 34),
    ("is_leaf", 35),
    ("alias_dereferencing_problem", 36),
    ("inappropriate_authentication", 48),
    ("invalid_credentials", 49),
    ("insufficient_access_rights", 50),
    ("busy", 51),
    ("unavailable", 52),
    ("unwilling_to_perform", 53),
    ("loop_detect", 54),
    ("sort_control_missing", 60),
    ("offset_range_error", 61),
    ("naming_violation", 64),
    ("object_class_violation", 65),
    ("not_allowed_on_non_leaf", 66),
    ("not_allowed_on_rdn", 67),
    ("entry_already_exists", 68),
    ("object_class_mods_prohibited", 69),
    ("results_too_large", 70),
    ("affects_multiple_dsas", 71),
    ("control_error", 76),
    ("other", 80),
    ("server_down", 81),
    ("local_error", 82),
    ("encoding_error", 83),
    ("decoding_error", 84),
    ("timeout", 85),
    ("auth_unknown", 86),
    ("filter_error", 87),
    ("user_canceled", 88),
    ("param_error", 89),
    ("no_memory", 90),
    ("connect_error", 91),
    ("not_supported", 92),
    ("control_not_found", 93),
    ("no_results_returned", 94),
    ("more_results_to_return", 95),
    ("client_loop", 96),
    ("referral_limit_exceeded", 97),
    ("invalid_response", 100),
    ("ambiguous_response", 101),
    ("tls_not_supported", 112),
    ("intermediate_response", 113),
    ("unknown_type", 114),
    ("canceled", 118),
    ("no_such_operation", 119),
    ("too_late", 120),
    ("cannot_cancel", 121),
    ("assertion_failed", 122),
    ("authorization_denied", 123),
    ("e_sync_refresh_required", 4096),
    ("no_operation", 16_654),
];

/// Kinds of changes of an entry, by number.
const CHANGES: &[(&str, u64)] = &[("add", 0), ("delete", 1), ("replace", 2)];

/// Returns the name of a result code for records.
pub fn result_code(code: u32) -> String {
    named(RESULT_CODES, code)
}

/// The kind of a change, as records write it.
pub fn change(kind: u32) -> String {
    named(CHANGES, kind)
}

fn named(names: &[(&str, u64)], number: u32) -> String {
    let found = names.iter().find(|(_, known)| *known == u64::from(number));
    found.map_or_else(|| number.to_string(), |(name, _)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!((result_code(0), result_code(9)), ("success".into(), "9".into()));
        assert_eq!((change(2), change(3)), ("replace".into(), "3".into()));
        assert_eq!((operation::name(19), operation::name(20)), ("search_result_reference", "unknown"));
    }
}
