//! Long options written short: any beginning that only one option has, as getopt_long takes it; and `-q`, which has two
//! meanings.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::CommandFactory;

use crate::cli::Arguments;
use crate::elsewhere;

/// The words with each abbreviated option written out. The error names the options that one could be;
/// words that begin none are left to the parser of options.
pub fn expand(words: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let options = Options::new();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let before = |word: Option<&OsString>| word.and_then(|word| word.to_str()).is_some_and(is_queue);
    let quiet: Vec<bool> = (0..words.len())
        .map(|at| at < end && words.get(at).is_some_and(|word| word == "-q") && !before(words.get(at + 1)))
        .collect();
    let words = words.into_iter().zip(quiet);
    let words: Vec<OsString> =
        words.map(|(word, quiet)| if quiet { OsString::from("--quiet") } else { word }).collect();
    words
        .into_iter()
        .enumerate()
        .map(|(at, word)| match word.to_str().filter(|text| at < end && text.starts_with("--")) {
            Some(text) => {
                options.expand(text).map(|whole| whole.map_or_else(|| word.clone(), OsString::from))
            }
            None => Ok(word),
        })
        .collect()
}

/// Whether a word begins like one that names queues.
fn is_queue(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

/// The names of long options.
struct Options(Vec<String>);

impl Options {
    fn new() -> Self {
        let command = Arguments::command();
        let long = command.get_arguments().filter_map(|option| option.get_long());
        let names = elsewhere::names().map(str::to_owned).chain(long.map(|long| format!("--{long}")));
        Self(names.chain(["--help".to_owned()]).collect())
    }

    /// The word written out, if it is an abbreviation.
    fn expand(&self, word: &str) -> Result<Option<String>, String> {
        let (name, value) = word.split_at(word.find('=').unwrap_or(word.len()));
        if name.len() <= "--".len() || self.0.iter().any(|known| known == name) {
            return Ok(None);
        }
        let begun: BTreeSet<&str> =
            self.0.iter().map(String::as_str).filter(|known| known.starts_with(name)).collect();
        let list: Vec<&str> = begun.into_iter().collect();
        match list[..] {
            [] => Ok(None),
            [whole] => Ok(Some(format!("{whole}{value}"))),
            _ => Err(format!("The option {name} can be each of {}. Write more of it.", list.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(line: &str) -> Result<String, String> {
        let words = expand(line.split(' ').map(OsString::from).collect())?;
        Ok(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn beginnings_of_one_option_are_that_option() {
        for (line, expected) in [
            ("weir --runmod single", "weir --runmode single"),
            ("weir --runmod=single -T", "weir --runmode=single -T"),
            ("weir --init-errors", "weir --init-errors-fatal"),
            ("weir --build", "weir --build-info"),
            ("weir --list-k=csv", "weir --list-keywords=csv"),
            ("weir --pcap-buf 1", "weir --pcap-buffer-size 1"),
            ("weir --vers --hel", "weir --version --help"),
            ("weir --unix", "weir --unix-socket"),
            // Whole names, though others begin with them; what follows `--`; and what begins nothing.
            ("weir --pcap --set=a.b=c --set a=b", "weir --pcap --set=a.b=c --set a=b"),
            ("weir -r a -- --runmod", "weir -r a -- --runmod"),
            ("weir --rumode -vvv -lDIR", "weir --rumode -vvv -lDIR"),
            // Quiet, or queues of the firewall.
            ("weir -q -r a", "weir --quiet -r a"),
            ("weir -q 0:3 -q 7 -q", "weir -q 0:3 -q 7 --quiet"),
            ("weir -r a -- -q", "weir -r a -- -q"),
        ] {
            assert_eq!(expanded(line).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn beginnings_of_several_name_them() {
        let said = expanded("weir --list-app").expect_err("several");
        for name in ["--list-app", "--list-app-layer-protos", "--list-app-layer-frames"] {
            assert!(said.contains(name), "{said}");
        }
        assert!(!said.contains("--list-keywords"), "{said}");
    }
}
