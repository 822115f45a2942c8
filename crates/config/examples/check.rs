//! Reads configuration files and says what is wrong with them:
//! `cargo run -p weir-config --example check -- suricata.yaml ...`

use std::path::Path;
use std::process::ExitCode;

use weir_config::{
    ConfigError, DatasetSettings, DecoderSettings, DefragSettings, DetectSettings, DnsSettings, EveSettings,
    FlowSettings, FtpSettings, HostOsPolicy, HttpSettings, LoggingSettings, ProtocolSettings, Settings,
    SmtpSettings, SshSettings, StatsSettings, StreamSettings, TlsSettings, unknown_keys,
};

fn main() -> ExitCode {
    let mut failed = false;
    for file in std::env::args().skip(1) {
        match check(Path::new(&file)) {
            Ok(sentences) => sentences.iter().for_each(|sentence| println!("{file}: {sentence}")),
            Err(error) => {
                failed = true;
                println!("{file}: {error}");
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn check(path: &Path) -> Result<Vec<String>, ConfigError> {
    let settings = Settings::load::<&str>(path, &[])?;
    StreamSettings::from_settings(&settings, false)?;
    FlowSettings::from_settings(&settings)?;
    DefragSettings::from_settings(&settings)?;
    DecoderSettings::from_settings(&settings)?;
    DetectSettings::from_settings(&settings)?;
    DatasetSettings::from_settings(&settings)?;
    HostOsPolicy::from_settings(&settings)?;
    HttpSettings::from_settings(&settings)?;
    DnsSettings::from_settings(&settings)?;
    TlsSettings::from_settings(&settings)?;
    SshSettings::from_settings(&settings)?;
    SmtpSettings::from_settings(&settings)?;
    FtpSettings::from_settings(&settings);
    for name in ProtocolSettings::names(&settings) {
        ProtocolSettings::from_settings(&settings, &name)?;
    }
    LoggingSettings::from_settings(&settings)?;
    StatsSettings::from_settings(&settings)?;
    EveSettings::from_settings(&settings)?;
    let unknown = unknown_keys(&settings);
    let mut sentences: Vec<String> =
        unknown.iter().map(|key| format!("{} ({})", key.sentence(), key.location)).collect();
    sentences.extend(settings.take_warnings().iter().map(ToString::to_string));
    Ok(sentences)
}
