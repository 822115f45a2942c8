//! Any bytes as a configuration file: the reader, the dump, the list of unknown settings and
//! every typed part must come to an end without a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_config::{
    DecoderSettings, DefragSettings, DetectSettings, EveSettings, FlowSettings, HostOsPolicy,
    LoggingSettings, Settings, StreamSettings, unknown_keys,
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(settings) = Settings::from_text(bytes, "fuzz", &["outputs.1.eve-log.enabled=yes"]) else { return };
    let _ = settings.dump();
    let _ = unknown_keys(&settings);
    let _ = StreamSettings::from_settings(&settings, true);
    let _ = FlowSettings::from_settings(&settings);
    let _ = DefragSettings::from_settings(&settings);
    let _ = DecoderSettings::from_settings(&settings);
    let _ = DetectSettings::from_settings(&settings);
    let _ = HostOsPolicy::from_settings(&settings);
    let _ = LoggingSettings::from_settings(&settings);
    let _ = EveSettings::from_settings(&settings);
});
