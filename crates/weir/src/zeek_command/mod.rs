//! The command line of Zeek, for those who start Weir under that name: what can be said without its
//! script language.

mod script;
pub mod scripts;
mod setting;

use std::path::{Path, PathBuf};

use weir_capture::{Capability, SOURCES, SourceKind};
use weir_zeek::{SeedKey, seed_key};

/// The variable of the environment that names a file of seeds.
const SEED_VARIABLE: &str = "ZEEK_SEED_FILE";

/// Options of the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ZeekCommand {
    /// The captures.
    pub reads: Vec<PathBuf>,
    /// Interfaces to listen on.
    pub interfaces: Vec<String>,
    /// Name of the source that listens, where one of them says it.
    pub listens_by: Option<&'static str>,
    /// Packets with wrong checksums count.
    pub ignore_checksums: bool,
    /// A capture filter.
    pub filter: Option<String>,
    /// File of seeds.
    pub seeds: Option<PathBuf>,
    /// Where the logs go; the working folder otherwise.
    pub folder: Option<PathBuf>,
    /// JSON in place of tab-separated values.
    pub json: bool,
    /// Format of times in JSON: `epoch`, `millis` or `iso8601`.
    pub timestamps: Option<&'static str>,
    /// The level at which logs are compressed; zero for not at all.
    pub gzip: u8,
    /// The extension of compressed logs.
    pub gzip_extension: Option<String>,
    /// Interval of rotation, as it was given.
    pub rotation: Option<String>,
    /// Networks of the site.
    pub local_nets: Vec<String>,
    /// Zones of the site's names.
    pub local_zones: Vec<String>,
    /// Timeouts of connections, by Zeek's names, as they were given.
    pub timeouts: Vec<(String, String)>,
    /// Private addresses are not the site's.
    pub private_is_foreign: bool,
    /// Scripts of Zeek's policy that are loaded.
    pub scripts: Vec<String>,
    /// Extraction of files.
    pub extract: Extraction,
    /// Settings of script files that were passed over, in sentences.
    pub remarks: Vec<String>,
    /// Number of those that are scripts that are nowhere; the others are values, and scripts that what runs scripts has.
    pub unknown_scripts: usize,
    /// Only tell the version.
    pub version: bool,
    /// Only list the plugins.
    pub plugins: bool,
    /// Only print the usage.
    pub help: bool,
}

/// Options for extracting files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// Where to.
    pub folder: Option<PathBuf>,
    /// Most bytes of a file.
    pub limit: Option<u64>,
    /// Missing bytes do not count.
    pub leaves_missing_out: bool,
}

/// Usage.
pub const USAGE: &str = "\
usage: zeek -r <file>|-i <interface> [-C] [-f <filter>] [setting=value ...] [script ...]

    -r|--readfile <file>       read from the given capture file
    -i|--iface <interface>     listen on the given interface, which may begin with af_packet::,
                               pcap:: or af_xdp::
    -C|--no-checksums          ignore checksums
    -f|--filter <filter>       capture filter in the language of tcpdump
    -G|--load-seeds <file>     have ids of connections follow from the seeds in a file
    -e|--exec <statements>     @load and redef statements, as below
    -N|--print-plugins         print what is built in and exit
    -v|--version               print the version and exit
    -h|--help                  this text

    LogAscii::use_json=T|F
    LogAscii::json_timestamps=JSON::TS_EPOCH|JSON::TS_MILLIS|JSON::TS_ISO8601
    LogAscii::gzip_level=0..9  anything but 0 writes .log.gz
    LogAscii::gzip_file_extension=<extension>
    Log::default_rotation_interval=<interval>    1hr, 30min, 1day
    Log::default_logdir=<folder>
    Site::local_nets+={<network>, ...}           also = and -=
    Site::local_zones+={<zone>, ...}             the same of names
    Site::private_address_space_is_local=T|F
    FileExtract::prefix=<folder>                 where extract-all-files writes
    FileExtract::default_limit=<bytes>           most of a file; 0 for all of it
    FileExtract::default_limit_includes_missing=T|F
    ignore_checksums=T|F
    tcp_inactivity_timeout=<interval>            also udp_, icmp_, unknown_ip_
    tcp_attempt_delay=<interval>                 also tcp_close_delay, tcp_reset_delay,
                                                 dns_session_timeout

Logs are written to the working folder. A script is a file in Zeek's language, or one of some of the policy that Zeek
ships with (protocols/conn/known-hosts, local and others, which the documentation of Zeek's logs lists). With -r or -i
scripts get the events of the traffic; the documentation of Zeek scripts says which.

    -b|--bare-mode             load only what every script needs
    -a|--parse-only            read scripts, do not run them
    --dump                     print the code of scripts, do not run them
";

/// Options of one letter with the words that stand for them.
const WORDS: [(&str, char); 21] = [
    ("readfile", 'r'),
    ("filter", 'f'),
    ("no-checksums", 'C'),
    ("version", 'v'),
    ("help", 'h'),
    ("print-plugins", 'N'),
    ("deterministic", 'D'),
    ("time", 'Q'),
    ("watchdog", 'W'),
    ("optimize", 'O'),
    ("load-seeds", 'G'),
    ("save-seeds", 'H'),
    ("prefix", 'p'),
    ("iface", 'i'),
    ("exec", 'e'),
    ("rulefile", 's'),
    ("bare-mode", 'b'),
    ("parse-only", 'a'),
    ("writefile", 'w'),
    ("event-trace", 'E'),
    ("pseudo-realtime", 't'),
];

impl ZeekCommand {
    /// Reads the arguments behind the program's name; a sentence where one cannot be had.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut command = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            if let Some(word) = argument.strip_prefix("--").filter(|word| !word.is_empty()) {
                let (name, mut value) =
                    word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value.to_owned())));
                let letter = WORDS.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter);
                command.option(letter.unwrap_or_default(), &argument, &mut || {
                    value.take().or_else(|| arguments.next())
                })?;
            } else if let Some(letters) = argument.strip_prefix('-').filter(|rest| !rest.is_empty()) {
                // Several may stand behind one dash, and the value right behind the last one.
                let mut letters = letters.chars();
                while let Some(letter) = letters.next() {
                    command.option(letter, &format!("-{letter}"), &mut || {
                        let rest: String = letters.by_ref().collect();
                        if rest.is_empty() { arguments.next() } else { Some(rest) }
                    })?;
                }
            } else if let Some((name, value)) = argument.split_once('=') {
                command.set(name, value)?;
            } else {
                command.script(&argument, Path::new(""), 0)?;
            }
        }
        Ok(command)
    }

    fn option(
        &mut self,
        letter: char,
        said: &str,
        value: &mut dyn FnMut() -> Option<String>,
    ) -> Result<(), String> {
        let mut value = || value().ok_or_else(|| format!("{said} needs a value."));
        match letter {
            'r' => self.reads.push(value()?.into()),
            'f' => self.filter = Some(value()?),
            'C' => self.ignore_checksums = true,
            'v' => self.version = true,
            'h' | '?' => self.help = true,
            'N' => self.plugins = true,
            'e' => self.statements(&value()?, None, 0)?,
            // No run depends on chance or on a seed, and scripts are compiled as they are.
            'D' | 'Q' | 'W' => {}
            'G' => self.seeds = Some(value()?.into()),
            'H' | 'O' | 'p' => drop(value()?),
            'i' => self.listen(&value()?)?,
            's' | 'b' | 'a' | 'E' => {
                return Err(format!(
                    "{said} needs Zeek's script language, which Weir runs without packets only; rules in the \
                     Suricata language are given to weir with -S."
                ));
            }
            _ => {
                return Err(format!("Weir has no option {said} of Zeek's. zeek --help lists those it has."));
            }
        }
        Ok(())
    }
}

impl ZeekCommand {
    /// Takes a value of `-i`: an interface, perhaps behind the word for a source.
    fn listen(&mut self, value: &str) -> Result<(), String> {
        let (source, interface) = interface(value)?;
        if let (Some(source), Some(known)) = (source, self.listens_by)
            && source != known
        {
            return Err(format!(
                "Weir listens by {known} or by {source}, not by both: choose one for all interfaces."
            ));
        }
        self.listens_by = source.or(self.listens_by);
        self.interfaces.push(interface);
        Ok(())
    }

    /// Returns the source that listens.
    pub fn source(&self) -> Result<&'static SourceKind, String> {
        let is_meant = |source: &&SourceKind| self.listens_by.is_none_or(|name| source.name == name);
        let mut sources = live_sources().map(|(_, source)| source);
        sources.find(is_meant).ok_or_else(|| "Weir listens on no interface of this system.".to_owned())
    }
}

/// The sources that listen, by the words of Zeek for them: the first one is meant where no word is.
fn live_sources() -> impl Iterator<Item = (String, &'static SourceKind)> {
    let live = SOURCES.iter().filter(|source| source.capabilities.contains(&Capability::Live));
    live.filter_map(|source| Some((source.section?.name.replace('-', "_"), *source)))
}

/// Returns the interface that a value of `-i` names, and the source, if it does so.
fn interface(value: &str) -> Result<(Option<&'static str>, String), String> {
    let Some((word, interface)) = value.split_once("::") else { return Ok((None, value.to_owned())) };
    match live_sources().find(|(known, _)| known == word) {
        Some((_, source)) => Ok((Some(source.name), interface.to_owned())),
        None => {
            let known: Vec<String> = live_sources().map(|(word, _)| format!("{word}::INTERFACE")).collect();
            Err(format!("Weir does not listen by {word}: write -i INTERFACE, or {}.", known.join(" or ")))
        }
    }
}

/// Returns the key that ids of connections follow from, where a file of seeds is named.
///
/// # Errors
///
/// A sentence about a file that cannot be used.
pub fn seed(command: &ZeekCommand) -> Result<Option<SeedKey>, String> {
    let named = command.seeds.clone().or_else(|| std::env::var_os(SEED_VARIABLE).map(PathBuf::from));
    let Some(path) = named else { return Ok(None) };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("The seeds {} cannot be read: {error}.", path.display()))?;
    match seed_key(&text) {
        Some(key) => Ok(Some(key)),
        None => Err(format!("The seeds {} are not 21 numbers, one a line.", path.display())),
    }
}

/// Returns the list of built-in analyzers, in the form of Zeek's list of plugins.
pub fn plugins() -> String {
    let names = weir_engine::reference::zeek_services().into_iter().map(str::to_ascii_uppercase);
    let analyzers = names.map(|name| format!("Zeek::{name} - {name} analyzer (built-in)\n"));
    analyzers.chain(["Zeek::AsciiWriter - ASCII log writer (built-in)\n".to_owned()]).collect()
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
            reads: vec!["a.pcap".into()],
            ignore_checksums: true,
            filter: Some("port".to_owned()),
            folder: Some("logs".into()),
            json: true,
            timestamps: Some("iso8601"),
            gzip: 3,
            ..ZeekCommand::default()
        };
        assert_eq!(command, Ok(expected));
    }

    #[test]
    fn options_stand_in_any_form() {
        let expected = ZeekCommand {
            reads: vec!["a.pcap".into()],
            ignore_checksums: true,
            json: true,
            scripts: vec!["local".to_owned()],
            ..ZeekCommand::default()
        };
        for text in [
            "-Cr a.pcap local LogAscii::use_json=T",
            "local -Cra.pcap LogAscii::use_json=T",
            "--no-checksums --readfile a.pcap LogAscii::use_json=T local",
            "--readfile=a.pcap -C -D -O ZAM local LogAscii::use_json=T",
        ] {
            assert_eq!(parse(text).as_ref(), Ok(&expected), "{text}");
        }
        let statements = "redef LogAscii::use_json = T; @load local";
        let arguments = ["-C", "-r", "a.pcap", "-e", statements].map(str::to_owned);
        assert_eq!(ZeekCommand::parse(arguments), Ok(expected));
        let seeds = parse("-r a.pcap -G seeds").map(|command| command.seeds);
        assert_eq!(seeds, Ok(Some("seeds".into())));
    }

    #[test]
    fn interfaces() {
        let command = parse("-i eth0 --iface=af_packet::eth1 local").expect("valid");
        assert_eq!(command.interfaces, ["eth0", "eth1"]);
        for (text, expected) in [
            ("-i eth0", live_sources().next().map(|(_, source)| source.name)),
            ("-i pcap::eth0 -i eth1", Some("pcap")),
            ("-i eth1 -i pcap::eth0 -i pcap::eth2", Some("pcap")),
        ] {
            assert_eq!(
                parse(text).expect("valid").source().ok().map(|source| source.name),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn what_needs_the_script_language_is_answered() {
        let cases = [
            ("-r a.pcap site.zeek", "site.zeek is no file"),
            ("misc/dump-events", "there are local, "),
            ("-r a.pcap -e print", "needs what runs scripts"),
            ("-b -r a.pcap", "-b needs Zeek's script language"),
            ("-i pcap::eth0 -i af_packet::eth1", "not by both"),
            ("-i udp::0.0.0.0:4789:vxlan", "not listen by udp"),
            ("-r", "-r needs a value"),
            ("--readfile", "--readfile needs a value"),
            ("-x", "no option -x"),
            ("--cluster", "no option --cluster"),
            ("-Cx", "no option -x"),
        ];
        for (text, expected) in cases {
            let answer = parse(text).unwrap_err();
            assert!(answer.contains(expected), "{text}: {answer}");
        }
    }
}
