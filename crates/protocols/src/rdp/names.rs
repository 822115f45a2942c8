//! Names of numbers: builds of Windows, layouts of keyboards (MS-LCID 2.2), and values of MS-RDPBCGR by
//! number.

/// A layout of a keyboard, as records and as Zeek's log call it.
struct Layout {
    number: u16,
    tag: &'static str,
    zeek: &'static str,
}

const fn layout(number: u16, tag: &'static str, zeek: &'static str) -> Layout {
    Layout { number, tag, zeek }
}

fn find(number: u32) -> Option<&'static Layout> {
    let number = u16::try_from(number).ok()?;
    let place = LAYOUTS.binary_search_by_key(&number, |layout| layout.number).ok()?;
    LAYOUTS.get(place)
}

/// The language of a layout, by its tag.
pub fn language(number: u32) -> Option<&'static str> {
    find(number).map(|layout| layout.tag)
}

/// Zeek's name of a layout.
pub fn zeek_layout(number: u32) -> String {
    if let Some(layout) = find(number) {
        return layout.zeek.to_owned();
    }
    match find(number & 0xffff) {
        Some(layout) => format!("{} (Best Guess for {number})", layout.zeek),
        None => format!("keyboard-{number}"),
    }
}

/// The release of Windows of a build.
pub const fn windows(build: u32) -> Option<&'static str> {
    Some(match build {
        528 => "Windows NT 3.1",
        807 => "Windows NT 3.5",
        1057 => "Windows NT 3.51",
        1381 => "Windows NT 4.0",
        2195 => "Windows 2000",
        2600 => "Windows XP",
        3790 => "Windows Server 2003",
        6000 => "Windows Vista RTM",
        6001 => "Windows Vista SP1",
        6002 => "Windows Vista SP2",
        7600 => "Windows 7 RTM",
        7601 => "Windows 7 SP1",
        9200 => "Windows 8",
        9600 => "Windows 8.1",
        10240 => "Windows 10 TH1",
        10586 => "Windows 10 TH2",
        14393 => "Windows 10 RS1",
        15063 => "Windows 10 RS2",
        16299 => "Windows 10 RS3",
        17134 => "Windows 10 RS4",
        17763 => "Windows 10 RS5",
        _ => return None,
    })
}

/// The version of the protocol.
pub const fn version(number: u32) -> Option<&'static str> {
    Some(match number {
        0x8_0001 => "v4",
        0x8_0004 => "v5",
        0x8_0005 => "v10.0",
        0x8_0006 => "v10.1",
        0x8_0007 => "v10.2",
        0x8_0008 => "v10.3",
        0x8_0009 => "v10.4",
        0x8_000a => "v10.5",
        0x8_000b => "v10.6",
        0x8_000c => "v10.7",
        _ => return None,
    })
}

/// The kind of a keyboard.
pub const fn keyboard(number: u32) -> Option<&'static str> {
    Some(match number {
        1 => "xt",
        2 => "ico",
        3 => "at",
        4 => "enhanced",
        5 => "1050",
        6 => "9140",
        7 => "jp",
        _ => return None,
    })
}

/// Returns the name of a connection type (MS-RDPBCGR 2.2.1.3.2).
pub const fn connection_hint(number: u8) -> Option<&'static str> {
    Some(match number {
        1 => "modem",
        2 => "low_broadband",
        3 => "satellite",
        4 => "high_broadband",
        5 => "wan",
        6 => "lan",
        7 => "autodetect",
        _ => return None,
    })
}

/// Returns the name of a security protocol (MS-RDPBCGR 2.2.1.2.1).
pub const fn protocol(number: u32) -> Option<&'static str> {
    Some(match number {
        0 => "rdp",
        1 => "ssl",
        2 => "hybrid",
        4 => "rds_tls",
        8 => "hybrid_ex",
        _ => return None,
    })
}

/// Returns the reason that there is no connection.
pub const fn failure(number: u32) -> Option<&'static str> {
    Some(match number {
        1 => "ssl required by server",
        2 => "ssl not allowed by server",
        3 => "ssl cert not on server",
        4 => "inconsistent flags",
        5 => "hybrid required by server",
        6 => "ssl with user auth required by server",
        _ => return None,
    })
}

/// Names of the client capability flags (MS-RDPBCGR 2.2.1.3.2).
pub const CAPABILITIES: &[(u16, &str)] = &[
    (0x1, "support_errinfo_pdf"),
    (0x2, "want_32bpp_session"),
    (0x4, "support_statusinfo_pdu"),
    (0x8, "strong_asymmetric_keys"),
    (0x20, "valid_connection_type"),
    (0x40, "support_monitor_layout_pdu"),
    (0x80, "support_netchar_autodetect"),
    (0x100, "support_dynvc_gfx_protocol"),
    (0x200, "support_dynamic_time_zone"),
    (0x400, "support_heartbeat_pdu"),
];

/// By number, in order.
const LAYOUTS: &[Layout] = &[
    layout(0x0401, "ar-SA", "Arabic - Saudi Arabia"),
    layout(0x0402, "bg-BG", "Bulgarian"),
    layout(0x0403, "ca-ES", "Catalan"),
    layout(0x0404, "zh-TW", "Chinese - Taiwan"),
    layout(0x0405, "cs-CZ", "Czech"),
    layout(0x0406, "da-DK", "Danish"),
    layout(0x0407, "de-DE", "German - Germany"),
    layout(0x0408, "el-GR", "Greek"),
    layout(0x0409, "en-US", "English - United States"),
    layout(0x040a, "es-ES_tradnl", "Spanish - Spain (Traditional Sort)"),
    layout(0x040b, "fi-FI", "Finnish"),
    layout(0x040c, "fr-FR", "French - France"),
    layout(0x040d, "he-IL", "Hebrew"),
    layout(0x040e, "hu-HU", "Hungarian"),
    layout(0x040f, "is-IS", "Icelandic"),
    layout(0x0410, "it-IT", "Italian - Italy"),
    layout(0x0411, "ja-JP", "Japanese"),
    layout(0x0412, "ko-KR", "Korean"),
    layout(0x0413, "nl-NL", "Dutch - Netherlands"),
    layout(0x0414, "nb-NO", "Norwegian (Bokmal)"),
    layout(0x0415, "pl-PL", "Polish"),
    layout(0x0416, "pt-BR", "Portuguese - Brazil"),
    layout(0x0417, "rm-CH", "Rhaeto-Romanic"),
    layout(0x0418, "ro-RO", "Romanian"),
    layout(0x0419, "ru-RU", "Russian"),
    layout(0x041a, "hr-HR", "Croatian"),
    layout(0x041b, "sk-SK", "Slovak"),
    layout(0x041c, "sq-AL", "Albanian - Albania"),
    layout(0x041d, "sv-SE", "Swedish"),
    layout(0x041e, "th-TH", "Thai"),
    layout(0x041f, "tr-TR", "Turkish"),
    layout(0x0420, "ur-PK", "Urdu"),
    layout(0x0421, "id-ID", "Indonesian"),
    layout(0x0422, "uk-UA", "Ukrainian"),
    layout(0x0423, "be-BY", "Belarusian"),
    layout(0x0424, "sl-SI", "Slovenian"),
    layout(0x0425, "et-EE", "Estonian"),
    layout(0x0426, "lv-LV", "Latvian"),
    layout(0x0427, "lt-LT", "Lithuanian"),
    layout(0x0429, "fa-IR", "Farsi"),
    layout(0x042a, "vi-VN", "Vietnamese"),
    layout(0x042b, "hy-AM", "Armenian - Armenia"),
    layout(0x042d, "eu-ES", "Basque"),
    layout(0x0436, "af-ZA", "Afrikaans - South Africa"),
    layout(0x0437, "ka-GE", "Georgian"),
    layout(0x0438, "fo-FO", "Faroese"),
    layout(0x0439, "hi-IN", "Hindi"),
    layout(0x043a, "mt-MT", "Maltese"),
    layout(0x043e, "ms-MY", "Malay - Malaysia"),
    layout(0x043f, "kk-KZ", "Kazakh"),
    layout(0x0445, "bn-IN", "Bengali (India)"),
    layout(0x0449, "ta-IN", "Tamil"),
    layout(0x044a, "te-IN", "Telugu"),
    layout(0x0452, "cy-GB", "Welsh"),
    layout(0x0456, "gl-ES", "Galician"),
    layout(0x0461, "ne-NP", "Nepali"),
    layout(0x0801, "ar-IQ", "Arabic - Iraq"),
    layout(0x0804, "zh-CN", "Chinese - People's Republic of China"),
    layout(0x0807, "de-CH", "German - Switzerland"),
    layout(0x0809, "en-GB", "English - United Kingdom"),
    layout(0x080a, "es-MX", "Spanish - Mexico"),
    layout(0x080c, "fr-BE", "French - Belgium"),
    layout(0x0810, "it-CH", "Italian - Switzerland"),
    layout(0x0813, "nl-BE", "Dutch - Belgium"),
    layout(0x0814, "nn-NO", "Norwegian (Nynorsk)"),
    layout(0x0816, "pt-PT", "Portuguese - Portugal"),
    layout(0x081d, "sv-FI", "Swedish - Finland"),
    layout(0x0c01, "ar-EG", "Arabic - Egypt"),
    layout(0x0c04, "zh-HK", "Chinese - Hong Kong SAR"),
    layout(0x0c07, "de-AT", "German - Austria"),
    layout(0x0c09, "en-AU", "English - Australia"),
    layout(0x0c0a, "es-ES", "Spanish - Spain (Modern Sort)"),
    layout(0x0c0c, "fr-CA", "French - Canada"),
    layout(0x1004, "zh-SG", "Chinese - Singapore"),
    layout(0x1009, "en-CA", "English - Canada"),
    layout(0x100c, "fr-CH", "French - Switzerland"),
    layout(0x1409, "en-NZ", "English - New Zealand"),
    layout(0x1809, "en-IE", "English - Ireland"),
    layout(0x1c09, "en-ZA", "English - South Africa"),
    layout(0x240a, "es-CO", "Spanish - Colombia"),
    layout(0x280a, "es-PE", "Spanish - Peru"),
    layout(0x2c0a, "es-AR", "Spanish - Argentina"),
    layout(0x340a, "es-CL", "Spanish - Chile"),
    layout(0x4009, "en-IN", "English - India"),
    layout(0x4809, "en-SG", "English - Singapore"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts() {
        assert!(LAYOUTS.is_sorted_by(|one, next| one.number < next.number));
        assert_eq!((language(0x409), language(0x1_0409)), (Some("en-US"), None));
        for (number, expected) in
            [(1033, "English - United States"), (263_198, "Thai (Best Guess for 263198)"), (1, "keyboard-1")]
        {
            assert_eq!(zeek_layout(number), expected);
        }
    }
}
