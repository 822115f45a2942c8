//! The command line of Zeek, for those who start Weir under that name: what can be said without its
//! script language.

use std::path::PathBuf;

use weir_output::formats::zeek;

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ZeekCommand {
    /// The capture.
    pub read: Option<PathBuf>,
    /// Packets with wrong checksums count.
    pub ignore_checksums: bool,
    /// A capture filter.
    pub filter: Option<String>,
    /// Where the logs go; the working folder otherwise.
    pub folder: Option<PathBuf>,
    /// JSON in place of tab-separated values.
    pub json: bool,
    /// How JSON writes times: `epoch`, `millis` or `iso8601`.
    pub timestamps: Option<&'static str>,
    /// The level at which logs are compressed; zero for not at all.
    pub gzip: u8,
    /// The extension of compressed logs.
    pub gzip_extension: Option<String>,
    /// How often logs are set aside, as it was said.
    pub rotation: Option<String>,
    /// Scripts of Zeek's policy that are loaded.
    pub scripts: Vec<String>,
    /// Only tell the version.
    pub version: bool,
    /// Only tell how to call it.
    pub help: bool,
}

/// How it is called.
pub const USAGE: &str = "\
usage: zeek -r <file> [-C] [-f <filter>] [setting=value ...] [script ...]

    -r|--readfile <file>       read from the given capture file
    -C|--no-checksums          ignore checksums
    -f|--filter <filter>       capture filter in the language of tcpdump
    -v|--version               print the version and exit
    -h|--help                  this text

    LogAscii::use_json=T|F
    LogAscii::json_timestamps=JSON::TS_EPOCH|JSON::TS_MILLIS|JSON::TS_ISO8601
    LogAscii::gzip_level=0..9  anything but 0 writes .log.gz
    LogAscii::gzip_file_extension=<extension>
    Log::default_rotation_interval=<interval>    1hr, 30min, 1day
    Log::default_logdir=<folder>
    ignore_checksums=T|F

Logs are written to the working folder. Weir has no script language: -e, -s and -i are refused, and so are
scripts but some of the policy that Zeek ships with: protocols/conn/known-hosts, local and others, which
the documentation of Zeek's logs lists.
";

impl ZeekCommand {
    /// Reads the arguments behind the program's name; a sentence where one cannot be had.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut command = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = |name: &str| arguments.next().ok_or_else(|| format!("{name} needs a value."));
            match argument.as_str() {
                "-r" | "--readfile" => command.read = Some(value("-r")?.into()),
                "-f" | "--filter" => command.filter = Some(value("-f")?),
                "-C" | "--no-checksums" => command.ignore_checksums = true,
                "-v" | "--version" => command.version = true,
                "-h" | "--help" | "-?" => command.help = true,
                // No run depends on chance or on a seed.
                "-D" | "--deterministic" => {}
                "-i" | "--iface" => {
                    return Err("Weir reads captures only: use -r in place of -i.".to_owned());
                }
                "-e" | "--exec" | "-s" | "--rulefile" | "-b" | "--bare-mode" | "-a" | "--parse-only" => {
                    return Err(format!(
                        "{argument} needs Zeek's script language, which Weir does not have; rules in the \
                         Suricata language are given to weir with -S."
                    ));
                }
                flag if flag.starts_with('-') => {
                    return Err(format!(
                        "Weir has no option {flag} of Zeek's. zeek --help lists those it has."
                    ));
                }
                other => command.setting(other)?,
            }
        }
        Ok(command)
    }

    /// `name=value`; anything else would be a script.
    fn setting(&mut self, text: &str) -> Result<(), String> {
        let Some((name, value)) = text.split_once('=') else {
            if !zeek::is_script(text) {
                return Err(format!(
                    "{text} is a script, and Weir does not have Zeek's script language. Of scripts, {}.",
                    zeek::loadable()
                ));
            }
            self.scripts.push(text.to_owned());
            return Ok(());
        };
        let value = value.trim_matches('"');
        let truth = || match value {
            "T" => Ok(true),
            "F" => Ok(false),
            _ => Err(format!("{name} is T or F, not {value}.")),
        };
        match name {
            "LogAscii::use_json" => self.json = truth()?,
            "ignore_checksums" => self.ignore_checksums = truth()?,
            "Log::default_logdir" => self.folder = Some(value.into()),
            "LogAscii::gzip_level" => {
                self.gzip = match value.parse::<u8>() {
                    Ok(level @ 0..=9) => level,
                    _ => return Err(format!("LogAscii::gzip_level is a number up to 9, not {value}.")),
                }
            }
            "LogAscii::gzip_file_extension" => self.gzip_extension = Some(value.to_owned()),
            "Log::default_rotation_interval" => match zeek::interval(value) {
                Some(_) => self.rotation = Some(value.to_owned()),
                None => {
                    return Err(format!("{name} is a number and sec, min, hr or day, as 1hr, not {value}."));
                }
            },
            "LogAscii::json_timestamps" => {
                self.timestamps = Some(match value {
                    "JSON::TS_EPOCH" => "epoch",
                    "JSON::TS_MILLIS" | "JSON::TS_MILLIS_UNSIGNED" => "millis",
                    "JSON::TS_ISO8601" => "iso8601",
                    _ => {
                        return Err(format!(
                            "LogAscii::json_timestamps is JSON::TS_EPOCH, JSON::TS_MILLIS or \
                             JSON::TS_ISO8601, not {value}."
                        ));
                    }
                });
            }
            _ => {
                return Err(format!(
                    "{name} is a setting of Zeek's scripts that Weir does not have. zeek --help lists those \
                     it has."
                ));
            }
        }
        Ok(())
    }

    /// The configuration that stands for this.
    pub fn configuration(&self) -> String {
        let mut text = String::from("%YAML 1.1\n---\noutputs:\n  - zeek:\n      enabled: yes\n");
        text.push_str(if self.json { "      format: json\n" } else { "      format: tsv\n" });
        if let Some(timestamps) = self.timestamps {
            text.push_str(&format!("      timestamps: {timestamps}\n"));
        }
        let mut say = |key: &str, value: &str| text.push_str(&format!("      {key}: {value:?}\n"));
        if self.gzip > 0 {
            say("gzip", &self.gzip.to_string());
        }
        if let Some(extension) = &self.gzip_extension {
            say("gzip-extension", extension);
        }
        if let Some(interval) = &self.rotation {
            say("rotation-interval", interval);
        }
        if !self.scripts.is_empty() {
            text.push_str("      scripts:\n");
            self.scripts.iter().for_each(|script| text.push_str(&format!("        - {script:?}\n")));
        }
        text.push_str("stats:\n  enabled: no\nlogging:\n  default-log-level: error\n  outputs: []\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ZeekCommand, String> {
        ZeekCommand::parse(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn what_can_be_said() {
        let command = parse(
            "-C -r a.pcap -f port LogAscii::use_json=T LogAscii::json_timestamps=JSON::TS_ISO8601 \
             LogAscii::gzip_level=3 Log::default_logdir=logs",
        );
        let expected = ZeekCommand {
            read: Some("a.pcap".into()),
            ignore_checksums: true,
            filter: Some("port".to_owned()),
            folder: Some("logs".into()),
            json: true,
            timestamps: Some("iso8601"),
            gzip: 3,
            ..ZeekCommand::default()
        };
        assert_eq!(command, Ok(expected));
        let text = parse("LogAscii::use_json=T").unwrap().configuration();
        assert!(text.contains("format: json") && !text.contains("gzip"));
        let text = parse(
            "local misc/detect-traceroute LogAscii::gzip_level=1 Log::default_rotation_interval=1hr \
             LogAscii::gzip_file_extension=\"z\"",
        )
        .unwrap()
        .configuration();
        for line in [
            "gzip: \"1\"",
            "gzip-extension: \"z\"",
            "rotation-interval: \"1hr\"",
            "scripts:\n        - \"local\"\n        - \"misc/detect-traceroute\"\n",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn what_needs_the_script_language_is_answered() {
        let cases = [
            ("-r a.pcap site.zeek", "site.zeek is a script"),
            ("misc/dump-events", "there are local, "),
            ("Log::default_rotation_interval=soon", "as 1hr"),
            ("-r a.pcap -e print", "-e needs Zeek's script language"),
            ("-i eth0", "reads captures only"),
            ("-r", "-r needs a value"),
            ("-x", "no option -x"),
            ("Site::local_nets+={10.0.0.0/8}", "Site::local_nets+ is a setting"),
            ("LogAscii::use_json=yes", "T or F"),
            ("LogAscii::gzip_level=12", "up to 9"),
            ("LogAscii::json_timestamps=x", "JSON::TS_EPOCH"),
        ];
        for (text, expected) in cases {
            let answer = parse(text).unwrap_err();
            assert!(answer.contains(expected), "{text}: {answer}");
        }
    }
}
