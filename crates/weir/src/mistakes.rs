//! First mistakes with the command line: what can mean one thing only is understood, anything else is
//! answered with what to type.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, CommandFactory};
use weir_base::nearest;
use weir_capture::Capability;

use crate::cli::Arguments;
use crate::commands::{WORDS, list};

/// Beginning of each sentence about a missing capture.
const NOTHING_TO_READ: &str = "There is nothing to read. Name a capture, or a folder of them: \
                               `weir -r capture.pcap`. `weir --help` lists all options and commands.";

/// Options whose value is written behind `=`, or left out; and the values they are known to have, none
/// where any word is one.
const OPTIONAL_VALUES: &[(&str, &[&str])] =
    &[("--zeek-logs", &["tsv", "json", "parquet"]), ("--list-keywords", &[])];

/// Words in place of options.
const WORDS_FOR_OPTIONS: &[(&str, &str)] = &[("help", "--help"), ("version", "--version")];

/// Words in place of options with a value, which follows them.
const WORDS_WITH_VALUES: &[(&str, &str)] = &[("record", "--record"), ("replay", "-R")];

/// Extensions of captures, and of files that are taken for one.
const CAPTURES: &[&str] = &["pcap", "pcapng", "cap", "dmp", "gz", "zst", "lz4", "xz", "bz2", "zip"];

/// The words of a command line, with values put behind the options that they follow.
pub fn rewrite(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    for word in words {
        let word_text = word.to_str().unwrap_or_default();
        let option = out.last().and_then(|last| last.to_str());
        let known = OPTIONAL_VALUES.iter().find(|(name, _)| Some(*name) == option);
        match known {
            Some((name, values)) if values.contains(&word_text) || takes_any(values, word_text) => {
                out.pop();
                out.push(OsString::from(format!("{name}={word_text}")));
            }
            _ => out.push(word),
        }
    }
    if let [_, word, _, ..] = &mut out[..]
        && let Some((_, option)) = WORDS_WITH_VALUES.iter().find(|(name, _)| *word == OsStr::new(name))
    {
        *word = OsString::from(option);
    }
    if let [_, word] = &mut out[..]
        && let Some((_, option)) = WORDS_FOR_OPTIONS.iter().find(|(name, _)| *word == OsStr::new(name))
    {
        *word = OsString::from(option);
    }
    out
}

fn takes_any(values: &[&str], word: &str) -> bool {
    values.is_empty() && !word.is_empty() && !word.starts_with('-')
}

/// Puts files that stand where the capture filter stands to where they belong: captures to `-r`, as a
/// shell's `*` gives them, and rules to `-S`. The error says what to type in place of other words.
pub fn place(arguments: &mut Arguments) -> Result<(), String> {
    let misplaced = arguments.filter.iter().take_while(|word| is_file(word, arguments)).count();
    for word in arguments.filter.drain(..misplaced) {
        let path = PathBuf::from(&word);
        match ending(&path).as_str() {
            "rules" => arguments.only_rules.push(word),
            "yaml" | "yml" if path.is_file() => {
                return Err(format!("{word} is a configuration. Name it with -c: `-c {word}`."));
            }
            _ => {
                arguments.input.source.check([(Capability::Files, word.as_str())])?;
                arguments.input.names.push(path);
            }
        }
    }
    Ok(())
}

/// Whether a word that begins a capture filter is none, but the name of a file. No filter begins with a
/// word that has a point or a slash in it.
fn is_file(word: &str, arguments: &Arguments) -> bool {
    if word.contains(char::is_whitespace) || !word.contains(['.', '/']) {
        return false;
    }
    let path = Path::new(word);
    let ending = ending(path);
    path.exists()
        || CAPTURES.contains(&ending.as_str())
        || ending == "rules"
        || arguments.input.names.is_empty()
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Returns the reason that nothing is read where a path behind `-r` is not there, as Suricata puts it.
pub fn absent(paths: &[PathBuf]) -> Result<(), String> {
    let named = paths.iter().filter(|path| path.as_os_str() != "-");
    let absent = named.filter_map(|path| Some((path.display(), path.metadata().err()?.to_string()))).next();
    absent.map_or(Ok(()), |(path, error)| {
        let reason = error.split(" (os error").next().unwrap_or_default();
        Err(format!("pcap file '{path}': {reason}"))
    })
}

/// Returns the remedy for a path behind `-r` that cannot be a capture's.
pub fn captures(paths: &[PathBuf]) -> Result<(), String> {
    for path in paths {
        let shown = path.display();
        let text = path.to_string_lossy();
        if text == "-" {
            if std::io::stdin().is_terminal() {
                return Err("Standard input is a terminal. Pipe a capture into it: \
                            `tcpdump -i eth0 -U -w - | weir -r -`."
                    .to_owned());
            }
        } else if path.exists() {
            if ending(path) == "rules" {
                return Err(format!("{shown} has rules. Name it with -S: `-S {shown}`."));
            }
        } else if text.contains("://") {
            return Err(format!(
                "Weir reads files, not addresses. Fetch it first: `curl -L {shown} | weir -r -`."
            ));
        } else if text.contains(['*', '?']) {
            return Err(format!(
                "There is no file {shown}. For all that fit the pattern leave the quotes out, or name their folder."
            ));
        } else if !text.contains('/') && Path::new("/sys/class/net").join(path).exists() {
            return Err(format!("{shown} is a network interface. Listen on it with -i: `weir -i {shown}`."));
        }
    }
    Ok(())
}

/// Returns the remedy where no capture is named.
pub fn nothing_to_read(filter: &[String]) -> String {
    match filter {
        [] => NOTHING_TO_READ.to_owned(),
        [word, ..] if Path::new(word).exists() => {
            format!("{word} is a file where a command or a filter is wanted. To read it: `weir -r {word}`.")
        }
        [word, ..] => match nearest(word, WORDS.iter().copied()) {
            Some(command) => format!("There is no command {word}. Did you mean `weir {command}`?"),
            None => format!(
                "There is no command {word}: there are {}. To read a capture: `weir -r capture.pcap`.",
                WORDS.join(", ")
            ),
        },
    }
}

/// The error of the parser of options as a sentence; none where the parser's own words are best.
pub fn sentence(error: &Error, program: &str, words: &[OsString]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        Some(ContextValue::Strings(texts)) => texts.first().map(String::as_str),
        _ => None,
    };
    let help = format!("`{program} --help` lists all.");
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let given = text(ContextKind::InvalidArg)?;
            if let Some(long) = one_dash(given, words) {
                return Some(format!("There is no option -{long}. Did you mean --{long}?"));
            }
            let meant = text(ContextKind::SuggestedArg).filter(|_| given.starts_with("--"));
            let meant = meant.map(|meant| format!(" Did you mean {meant}?")).unwrap_or_default();
            Some(format!("There is no option {given}.{meant} {help}"))
        }
        ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_none_or(str::is_empty) => {
            let option = text(ContextKind::InvalidArg)?;
            let written = option.split([' ', '[']).next().unwrap_or(option);
            Some(format!("A value is missing behind {written}: write {option}. {help}"))
        }
        ErrorKind::InvalidSubcommand => {
            let given = text(ContextKind::InvalidSubcommand)?;
            let similar = match program.contains(' ') {
                true => text(ContextKind::SuggestedSubcommand),
                false => nearest(given, WORDS.iter().copied()),
            };
            let similar = similar.map(|meant| format!("{program} {meant}"));
            let meant = similar.or_else(|| list::meant(given).filter(|_| program.ends_with(" list")));
            let meant = meant.map(|meant| format!(" Did you mean `{meant}`?")).unwrap_or_default();
            Some(format!("There is no {given} here.{meant} {help}"))
        }
        _ => None,
    }
}

/// The long option that was written with one dash, where the short ones in it are not known.
fn one_dash(given: &str, words: &[OsString]) -> Option<String> {
    let letter = given.strip_prefix('-').filter(|letter| !letter.starts_with('-'))?;
    let known = |command: &Command, name: &str| {
        command.get_arguments().any(|argument| argument.get_long() == Some(name))
    };
    words.iter().filter_map(|word| word.to_str()?.strip_prefix('-')).find_map(|word| {
        let name = word.split('=').next().unwrap_or(word);
        (name.contains(letter) && known(&Arguments::command(), name)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn values_that_follow_their_options() {
        let cases = [
            ("weir -r a --zeek-logs json", "weir -r a --zeek-logs=json"),
            ("weir --zeek-logs tsv -r a", "weir --zeek-logs=tsv -r a"),
            ("weir -r a --zeek-logs port 80", "weir -r a --zeek-logs port 80"),
            ("weir --list-keywords http.uri", "weir --list-keywords=http.uri"),
            ("weir --list-keywords -q", "weir --list-keywords -q"),
            ("weir help", "weir --help"),
            ("weir version", "weir --version"),
            ("weir -r help", "weir -r help"),
            ("weir replay folder -l out", "weir -R folder -l out"),
            ("weir record folder -i eth0", "weir --record folder -i eth0"),
            ("weir record", "weir record"),
            ("weir -r replay x", "weir -r replay x"),
        ];
        for (line, expected) in cases {
            assert_eq!(rewrite(words(line).into_iter()), words(expected), "{line}");
        }
    }

    #[test]
    fn files_where_a_filter_stands() {
        type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str], Option<&'a str>);
        let cases: [Case<'_>; 6] = [
            ("weir a.pcap", &["a.pcap"], &[], None),
            ("weir -r a.pcap b.pcap c.pcap.gz", &["a.pcap", "b.pcap", "c.pcap.gz"], &[], None),
            ("weir -r a.pcap b.pcap port 80", &["a.pcap", "b.pcap"], &[], Some("port 80")),
            ("weir -r a.pcap host 10.0.0.1", &["a.pcap"], &[], Some("host 10.0.0.1")),
            ("weir -T my.rules", &[], &["my.rules"], None),
            ("weir -S a.rules b.rules -r a.pcap", &["a.pcap"], &["a.rules", "b.rules"], None),
        ];
        for (line, read, rules, filter) in cases {
            let mut arguments = Arguments::try_parse_from(words(line)).expect(line);
            place(&mut arguments).expect(line);
            let found: Vec<&str> = arguments.input.names.iter().filter_map(|path| path.to_str()).collect();
            assert_eq!(found, read, "{line}");
            assert_eq!(arguments.only_rules, rules, "{line}");
            assert_eq!(arguments.filter_text().as_deref(), filter, "{line}");
        }
    }

    #[test]
    fn options_that_are_not_there() {
        for (line, parts) in [
            ("weir --zeek-log -r a", "There is no option --zeek-log. Did you mean --zeek-logs?"),
            ("weir -version", "There is no option -version. Did you mean --version?"),
            ("weir -r a -Z", "There is no option -Z. `weir --help` lists all."),
            ("weir -r", "A value is missing behind -r: write -r <CAPTURE>."),
        ] {
            let words = words(line);
            let error = Arguments::try_parse_from(&words).expect_err(line);
            let said = sentence(&error, "weir", &words).unwrap_or_default();
            assert!(said.starts_with(parts), "{line}: {said}");
        }
    }
}
