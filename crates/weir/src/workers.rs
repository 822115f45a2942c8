//! Numbers of workers and threads that share the work.

use weir_config::{RunMode, Settings};

use crate::cli::Arguments;

/// Number of workers that share the work, as it is asked for.
#[derive(Clone, Copy)]
pub struct Workers {
    /// `runmode`, of the command line or the configuration.
    mode: Option<RunMode>,
    /// `-t`
    asked: Option<u16>,
}

impl Workers {
    /// Reads what the command line and the configuration say.
    pub fn new(arguments: &Arguments, settings: &Settings) -> Result<Self, String> {
        let mode = RunMode::from_settings(settings).map_err(|error| error.to_string())?;
        Ok(Self { mode, asked: arguments.threads })
    }

    /// Returns the number of threads for each interface, where one is asked for.
    pub fn of_interface(self) -> Option<u16> {
        if self.mode == Some(RunMode::Single) { Some(1) } else { self.asked }
    }

    /// Returns the number of workers that read files; one where none is asked for.
    pub fn of_files(self) -> usize {
        match (self.mode, self.asked) {
            (Some(RunMode::Single), _) => 1,
            (_, Some(count)) => count.into(),
            (Some(RunMode::Shared), None) => std::thread::available_parallelism().map_or(1, usize::from),
            (None, None) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_asked_for() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for (mode, asked, of_interface, of_files) in [
            ("", None, None, 1),
            ("", Some(3), Some(3), 3),
            ("auto", None, None, 1),
            ("single", None, Some(1), 1),
            ("Single", Some(3), Some(1), 1),
            ("workers", None, None, cores),
            ("autofp", Some(3), Some(3), 3),
        ] {
            let text = format!("%YAML 1.1\n---\nrunmode: {mode}\n");
            let settings = Settings::from_text(text.as_bytes(), "t.yaml", &[] as &[&str]).unwrap();
            let workers = Workers { mode: RunMode::from_settings(&settings).unwrap(), asked };
            assert_eq!(
                (workers.of_interface(), workers.of_files()),
                (of_interface, of_files),
                "{mode} {asked:?}"
            );
        }
    }
}
