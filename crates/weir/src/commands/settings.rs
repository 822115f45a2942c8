//! The options on configuration that commands share.

use std::path::PathBuf;

use clap::Args;
use weir_config::Settings;

/// Where settings come from.
#[derive(Args, Debug)]
pub struct ConfigurationArguments {
    /// Configuration file, for variables and lists; without one, the built-in default
    #[arg(short = 'c', value_name = "FILE", help_heading = "Configuration")]
    configuration: Option<PathBuf>,

    /// Set a configuration value
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Configuration")]
    set: Vec<String>,
}

impl ConfigurationArguments {
    /// The settings.
    pub fn settings(&self) -> Result<Settings, String> {
        match &self.configuration {
            Some(path) => Settings::load(path, &self.set),
            None => Settings::built_in(&self.set),
        }
        .map_err(|error| error.to_string())
    }
}
