//! The command line of Zeek, for those who start Weir under that name: what can be said without its
//! script language.

use std::path::PathBuf;

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
    /// Logs are compressed.
    pub gzip: bool,
    /// Only tell the version.
    pub version: bool,
    /// Only tell how to call it.
    pub help: bool,
}

/// How it is called.
pub const USAGE: &str = "\
usage: zeek -r <file> [-C] [-f <filter>] [setting=value ...]

    -r|--readfile <file>       read from the given capture file
    -C|--no-checksums          ignore checksums
    -f|--filter <filter>       capture filter in the language of tcpdump
    -v|--version               print the version and exit
    -h|--help                  this text

    LogAscii::use_json=T|F
    LogAscii::json_timestamps=JSON::TS_EPOCH|JSON::TS_MILLIS|JSON::TS_ISO8601
    LogAscii::gzip_level=0..9  anything but 0 writes .log.gz
    Log::default_logdir=<folder>
    ignore_checksums=T|F

Logs are written to the working folder. Weir has no script language: scripts, -e, -s and -i are refused.
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
            return Err(format!(
                "{text} is a script, and Weir does not have Zeek's script language: it writes the logs of \
                 the base scripts."
            ));
        };
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
                    Ok(level @ 0..=9) => level > 0,
                    _ => return Err(format!("LogAscii::gzip_level is a number up to 9, not {value}.")),
                }
            }
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
        if self.gzip {
            text.push_str("      gzip: yes\n");
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
            gzip: true,
            ..ZeekCommand::default()
        };
        assert_eq!(command, Ok(expected));
        let text = parse("LogAscii::use_json=T").unwrap().configuration();
        assert!(text.contains("format: json") && !text.contains("gzip"));
    }

    #[test]
    fn what_needs_the_script_language_is_answered() {
        let cases = [
            ("-r a.pcap local", "local is a script"),
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
