//! Which records of protocols scripts look at (`c$http` and others), and which of the engine's logs they have a part in: only
//! for these do the handlers run that keep the records, and write the logs in place of the engine.
//!
//! A script that has a word of a protocol anywhere may look at its record; that it does not costs no more than the handlers.

use std::collections::HashSet;

use memchr::memmem;

use crate::vm::Engine;

/// A group of handlers.
struct Group {
    name: &'static str,
    /// The log of the engine that they write in its place.
    log: Option<&'static str>,
    /// Words in scripts that ask for them.
    words: &'static [&'static str],
}

const fn records(name: &'static str, words: &'static [&'static str]) -> Group {
    Group { name, log: None, words }
}

const fn log(name: &'static str, log: &'static str, words: &'static [&'static str]) -> Group {
    Group { name, log: Some(log), words }
}

/// The groups.
const GROUPS: [Group; 12] = [
    records("records:conn", &["$conn", "Conn::", "Log::active_streams"]),
    records("records:http", &["$http", "HTTP::", "Log::active_streams"]),
    records("records:dns", &["$dns", "DNS::", "Log::active_streams"]),
    records("records:ssl", &["$ssl", "SSL::", "Log::active_streams"]),
    records("records:ssh", &["$ssh", "SSH::", "Log::active_streams"]),
    log("log:conn", "conn", &["Conn::LOG", "Conn::log_", "Conn::Info", "Log::active_streams"]),
    log("log:http", "http", &["HTTP::LOG", "HTTP::log_", "HTTP::Info", "Log::active_streams"]),
    log("log:dns", "dns", &["DNS::LOG", "DNS::log_", "DNS::Info", "Log::active_streams"]),
    log("log:ssl", "ssl", &["SSL::LOG", "SSL::log_", "SSL::Info", "Log::active_streams"]),
    log("log:ssh", "ssh", &["SSH::LOG", "SSH::log_", "SSH::Info", "Log::active_streams"]),
    log("log:files", "files", &["Files::LOG", "Files::log_", "Files::Info", "Log::active_streams"]),
    log("log:weird", "weird", &["Weird::"]),
];

/// Logs that scripts write by functions of their own, in place of the engine.
const BY_FUNCTIONS: [Group; 3] = [
    log("", "notice", &["NOTICE", "Notice::"]),
    log("", "software", &["Software::"]),
    log("", "reporter", &["Reporter::"]),
];

/// The groups that scripts ask for.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    groups: [bool; GROUPS.len()],
    by_functions: [bool; BY_FUNCTIONS.len()],
}

impl Wishes {
    /// Looks into a script.
    pub fn look(&mut self, text: &[u8]) {
        let asks =
            |group: &Group| group.words.iter().any(|word| memmem::find(text, word.as_bytes()).is_some());
        self.groups.iter_mut().zip(&GROUPS).for_each(|(wish, group)| *wish |= asks(group));
        self.by_functions.iter_mut().zip(&BY_FUNCTIONS).for_each(|(wish, group)| *wish |= asks(group));
    }

    /// Switches the groups on that scripts ask for, and others off where there are packets.
    pub fn apply(&self, engine: &mut Engine) {
        for (wish, group) in self.groups.iter().zip(&GROUPS) {
            engine.program.groups.insert(group.name.into(), *wish || !engine.has_packets);
        }
    }

    /// Returns the engine's logs that scripts write in its place.
    pub fn logs(&self) -> HashSet<String> {
        let groups = self.groups.iter().zip(&GROUPS).chain(self.by_functions.iter().zip(&BY_FUNCTIONS));
        groups.filter(|(wish, _)| **wish).filter_map(|(_, group)| group.log.map(str::to_owned)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ask_for_groups() {
        for (text, expected) in [
            ("event new_connection(c: connection) { print c$uid; }", vec![]),
            ("if ( c?$http ) print c$http$uri;", vec!["records:http"]),
            ("redef record Conn::Info += { a: string &log; };", vec!["records:conn", "log:conn"]),
            ("event SSL::log_ssl(rec: SSL::Info) {}", vec!["records:ssl", "log:ssl"]),
        ] {
            let mut wishes = Wishes::default();
            wishes.look(text.as_bytes());
            let found: Vec<&str> = wishes
                .groups
                .iter()
                .zip(&GROUPS)
                .filter(|(wish, _)| **wish)
                .map(|(_, group)| group.name)
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn logs_have_one_writer() {
        let mut wishes = Wishes::default();
        wishes.look(b"NOTICE([$note=A]); Log::add_filter(HTTP::LOG, f);");
        let mut logs: Vec<String> = wishes.logs().into_iter().collect();
        logs.sort();
        assert_eq!(logs, ["http", "notice"]);
    }
}
