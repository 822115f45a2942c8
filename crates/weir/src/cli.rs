//! The command line: the one that Suricata users know, with a few words of Weir's own.

use std::path::PathBuf;

use clap::{ArgAction, Parser, ValueEnum};

use crate::input::Chosen;
use crate::profile::Asked;

/// A network security monitor: alerts from Suricata rules and Zeek logs from one pass over the
/// traffic.
#[derive(Parser, Clone, Debug)]
#[command(name = "weir", disable_version_flag = true, args_override_self = true, max_term_width = 80)]
#[command(
    override_usage = "weir -r CAPTURE [OPTIONS] [FILTER]\n       weir -i INTERFACE [OPTIONS] [FILTER]\n       weir COMMAND …"
)]
#[command(help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n\
    Commands (`weir help COMMAND` describes one):\n  \
    check RULES            Check rules for errors, mistakes and cost\n  \
    explain RULE CAPTURE   Show why a rule fires in a capture, or does not\n  \
    list keywords          List the keywords of rules\n  \
    bench CAPTURE          Measure time and memory, beside another build\n  \
    profile SUBJECT        Measure where time and memory of a run go\n  \
    ctl COMMAND            Give a command to a program that runs\n  \
    query SQL PATH         Ask what is in records that were written\n  \
    hunt RULES ARCHIVE     Run the rules of today over captures that were kept\n  \
    archive PATH           Keep records as Parquet, in a tenth of the space\n  \
    view PATH              Show records or a capture in a browser, or a terminal\n  \
    top                    Show what a program that listens is doing\n  \
    update                 Bring rules up to date\n\n\
    {all-args}{after-help}")]
#[command(after_help = "Examples:\n  \
    weir -r capture.pcap                        flows and protocols, in ./eve.json\n  \
    weir -r capture.pcap -S my.rules -l out/    alerts of your rules, logs in out/\n  \
    weir -r capture.pcap --zeek-logs -l out/    Zeek's logs\n  \
    weir -i eth0 -S my.rules -l out/            the same of an interface, until Ctrl-C\n  \
    weir -T -S my.rules                         check rules and configuration, stop\n  \
    weir -r captures/ -S my.rules 'port 53'     a folder of captures, only DNS\n\n\
    Exit codes:\n  \
    0  all went well\n  \
    1  nothing was done: a bad option, configuration or rules\n  \
    2  done, but some input could not be read to its end\n  \
    3  done, but some records could not be written")]
pub struct Arguments {
    #[command(flatten)]
    pub input: Chosen,

    /// Also read captures in folders below a folder
    #[arg(long, help_heading = "Input")]
    pub pcap_file_recursive: bool,

    /// Delete captures that were read to their end
    #[arg(long, help_heading = "Input")]
    pub pcap_file_delete: bool,

    /// Size of the buffer for captures (Weir maps files; accepted for compatibility)
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    pub pcap_file_buffer_size: Option<String>,

    /// Size of the buffer of each interface that libpcap listens on
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    pub pcap_buffer_size: Option<String>,

    /// File with a capture filter in the language of tcpdump
    #[arg(short = 'F', value_name = "FILE", help_heading = "Input")]
    pub filter_file: Option<PathBuf>,

    /// Check packets' checksums: none, or all; by default as the configuration says
    #[arg(short = 'k', value_name = "none|all", help_heading = "Input")]
    pub checksums: Option<Checksums>,

    /// Read captures that clients hand in at a control socket, one after the other,
    /// until one of them says shutdown
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, help_heading = "Input")]
    pub unix_socket: Option<Option<PathBuf>>,

    /// Capture filter in the language of tcpdump
    #[arg(value_name = "FILTER", help_heading = "Input")]
    pub filter: Vec<String>,

    /// Rule file to use in place of the configured ones; may be given several times
    #[arg(short = 'S', value_name = "FILE", help_heading = "Rules")]
    pub only_rules: Vec<String>,

    /// Rule file to use beside the configured ones; may be given several times
    #[arg(short = 's', value_name = "FILE", help_heading = "Rules")]
    pub rules: Vec<String>,

    /// Run a firewall with the rules of a file, in place of the configured ones
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    pub firewall_rules_exclusive: Option<PathBuf>,

    /// Do not run rules
    #[arg(long, help_heading = "Rules")]
    pub disable_detection: bool,

    /// Compute no hashes: no MD5, SHA-1 and SHA-256 of files, and no store of files
    #[arg(long, help_heading = "Rules")]
    pub disable_hashing: bool,

    /// Stop where a rule cannot be loaded
    #[arg(long, help_heading = "Rules")]
    pub init_errors_fatal: bool,

    /// Treat as errors what else are warnings: classes, references and events that are not known;
    /// for all keywords, or for those named
    #[arg(long, value_name = "all|KEYWORD,…", num_args = 0..=1, require_equals = true, default_missing_value = "all", help_heading = "Rules")]
    pub strict_rule_keywords: Option<String>,

    /// Check configuration and rules, then stop
    #[arg(short = 'T', help_heading = "Rules")]
    pub test: bool,

    /// Write reports on the rules into the folder for logs, then stop
    #[arg(long, help_heading = "Rules")]
    pub engine_analysis: bool,

    /// Folder for logs
    #[arg(short = 'l', value_name = "FOLDER", help_heading = "Output")]
    pub log_folder: Option<PathBuf>,

    /// Write into a folder where another run writes other files
    #[arg(long, help_heading = "Output")]
    pub shared_log_folder: bool,

    /// Begin logs anew that earlier runs left in the folder; without it, records
    /// are added to them
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,

    /// Write Zeek's logs: alone, or beside EVE where rules, -c or --set outputs…
    /// ask for that
    #[arg(long, value_name = "tsv|json|parquet", num_args = 0..=1, require_equals = true, default_missing_value = "tsv", help_heading = "Output")]
    pub zeek_logs: Option<ZeekFormat>,

    /// Write EVE, and Zeek's logs where they are asked for, as tables of Apache
    /// Parquet in parquet/, an hour a file
    #[arg(long, help_heading = "Output")]
    pub parquet: bool,

    /// Run a script in Zeek's language, which gets the events of the traffic; may be
    /// repeated
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub zeek_script: Vec<String>,

    /// Load rules again where a file changes that they depend on: of rules, of
    /// the configuration, or a list
    #[arg(long, help_heading = "Configuration")]
    pub watch: bool,

    /// Serve counters to Prometheus while interfaces are listened on, at
    /// http://127.0.0.1:9467/metrics, or at another address or unix:/a/socket
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, help_heading = "Output")]
    pub metrics: Option<Option<String>>,

    /// Record all that is listened to, in a folder that -R repeats; `weir
    /// record FOLDER -i eth0` is the same
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub record: Option<PathBuf>,

    /// Keep the files that were transferred, in filestore/ below the logs or in
    /// a folder
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, conflicts_with = "disable_hashing", help_heading = "Output")]
    pub extract_files: Option<Option<PathBuf>>,

    /// Tell MD5, SHA-1 and SHA-256 of all files, in EVE and in Zeek's files.log
    #[arg(long, conflicts_with = "disable_hashing", help_heading = "Output")]
    pub hash_files: bool,

    /// Write times of all logs in UTC, not in the zone of TZ or of the system
    #[arg(long, help_heading = "Output")]
    pub utc: bool,

    /// Print no summary and no progress; -q without a number is the same
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,

    /// Print the summary as text or as one JSON object
    #[arg(long, value_name = "text|json", num_args = 1, default_value = "text", help_heading = "Output")]
    pub summary: SummaryFormat,

    /// Cut no list of the summary short
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Say more about what is done; up to four times
    #[arg(short = 'v', action = ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,

    /// Configuration file; without one, the built-in default
    #[arg(short = 'c', value_name = "FILE", help_heading = "Configuration")]
    pub configuration: Option<PathBuf>,

    /// Set a configuration value
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Configuration")]
    pub set: Vec<String>,

    /// Configuration file to read over the main one; may be given several times
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    pub include: Vec<PathBuf>,

    /// Workers that share the packets; the records are the same for any number. With -i, threads
    /// for each interface
    #[arg(short = 't', long, value_name = "N", value_parser = worker_count, help_heading = "Configuration")]
    pub threads: Option<u16>,

    /// single: one worker; autofp or workers: one for each core, or as many as -t says
    #[arg(long, value_name = "single|autofp|workers", help_heading = "Configuration")]
    pub runmode: Option<String>,

    /// Go on in the background once the work has begun
    #[arg(short = 'D', long, help_heading = "Service")]
    pub daemon: bool,

    /// File with the process id, there until the run ends
    #[arg(long, value_name = "FILE", help_heading = "Service")]
    pub pidfile: Option<PathBuf>,

    /// User to become once interfaces are open (run-as.user)
    #[arg(long, value_name = "NAME", help_heading = "Service")]
    pub user: Option<String>,

    /// Group to become once interfaces are open (run-as.group)
    #[arg(long, value_name = "NAME", help_heading = "Service")]
    pub group: Option<String>,

    /// Folder of datasets' files, for names without a full path (default-data-dir)
    #[arg(long, value_name = "FOLDER", help_heading = "Configuration")]
    pub data_dir: Option<PathBuf>,

    /// Inspect as an inline engine would, with verdicts that go nowhere
    #[arg(long, help_heading = "Configuration")]
    pub simulate_ips: bool,

    /// Use no random numbers (Weir never does; accepted for compatibility)
    #[arg(long, help_heading = "Configuration")]
    pub no_random: bool,

    /// Print the configuration and stop
    #[arg(long, help_heading = "Information")]
    pub dump_config: bool,

    /// Print the keywords of rules and stop: names, csv, all with descriptions, or one by name
    #[arg(long, value_name = "csv|all|NAME", num_args = 0..=1, require_equals = true, default_missing_value = "", help_heading = "Information")]
    pub list_keywords: Option<String>,

    /// Print the application protocols and stop
    #[arg(long, help_heading = "Information")]
    pub list_app_layer_protos: bool,

    /// Print the frames of the application protocols and stop
    #[arg(long, help_heading = "Information")]
    pub list_app_layer_frames: bool,

    /// Print the states of the application protocols that rules can be about and stop
    #[arg(long, help_heading = "Information")]
    pub list_app_layer_hooks: bool,

    /// Print what rules may say they are about and stop
    #[arg(long, help_heading = "Information")]
    pub list_rule_protos: bool,

    /// Print the run modes and stop
    #[arg(long, help_heading = "Information")]
    pub list_runmodes: bool,

    /// Print the features that rules may ask for and stop
    #[arg(long, help_heading = "Information")]
    pub dump_features: bool,

    /// Print how this program was built and stop
    #[arg(long, help_heading = "Information")]
    pub build_info: bool,

    /// Print the version and stop
    #[arg(short = 'V', long = "version", help_heading = "Information")]
    pub version: bool,

    /// What `weir profile` asks of the run.
    #[arg(skip)]
    pub profile: Option<Asked>,
}

impl Arguments {
    /// The files that are read again with the rules.
    pub fn files_to_read(&self) -> Vec<PathBuf> {
        let rules = self.only_rules.iter().chain(&self.rules).map(PathBuf::from);
        let others = [&self.configuration, &self.firewall_rules_exclusive, &self.data_dir];
        rules.chain(self.include.iter().cloned()).chain(others.into_iter().flatten().cloned()).collect()
    }

    /// The capture filter, put together from its words; none where they say nothing.
    pub fn filter_text(&self) -> Option<String> {
        let words: Vec<&str> =
            self.filter.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}

/// Parses a number of workers.
fn worker_count(word: &str) -> Result<u16, String> {
    word.parse().ok().filter(|count| (1..=256).contains(count)).ok_or_else(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        format!("write a number from 1 to 256; this machine has {cores} cores")
    })
}

/// `-k`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Checksums {
    /// Wrong checksums are not noticed.
    None,
    /// Packets with wrong checksums are not reassembled.
    All,
}

/// `--zeek-logs`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ZeekFormat {
    /// Tab-separated, with header lines.
    Tsv,
    /// A JSON object a line.
    Json,
    /// Tables of Apache Parquet.
    Parquet,
}

/// `--summary`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SummaryFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_lines_that_suricata_users_type() {
        let cases = [
            "-r a.pcap",
            "-r a.pcap -S x.rules -l out -k none --runmode=single -vvvv",
            "--init-errors-fatal -l out -c suricata.yaml -r a.pcap -S a.rules -S b.rules --simulate-ips",
            "--set a.b=c --set classification-file=x --disable-detection -r a tcp port 80",
            "--list-keywords",
            "--list-keywords=csv",
            "-r a --zeek-logs=json --summary=json --quiet",
            "-r a --simulate-ips -k none -k all --simulate-ips",
            "-r a -t 4 --runmode autofp",
            "-r a --utc",
            "-k none  --no-random -r a",
            "-c/etc/suricata/suricata.yaml -lout -ra.pcap -vvv -T --set=a.b=c -knone -Sa.rules",
        ];
        for case in cases {
            let words = std::iter::once("weir").chain(case.split(' '));
            assert!(Arguments::try_parse_from(words).is_ok(), "{case}");
        }
        let parsed = Arguments::try_parse_from(["weir", "-r", "a", "tcp", "port", "80"]).expect("valid");
        assert_eq!(parsed.filter, ["tcp", "port", "80"]);
        let parsed = Arguments::try_parse_from(["weir", "", "port", "-r", "a", "80"]).expect("valid");
        assert_eq!((parsed.filter_text(), parsed.input.names.len()), (Some("port 80".to_owned()), 1));
        assert!(Arguments::try_parse_from(["weir", "-k", "some"]).is_err());
    }
}
