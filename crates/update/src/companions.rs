//! Data that rules ask for: lists of datasets and scripts that lie beside a rule file in its source.
//!
//! A name counts where it is relative and stays within the folder of rules; it is written there under that name.

use std::collections::{BTreeMap, HashMap};

use weir_rules::parse_rule;

use crate::archive::{File, inner_name};
use crate::complaint::Complaint;
use crate::set::Entry;

/// Options that name a file as their whole value.
const SCRIPTS: &[&str] = &["lua", "luajit"];
/// Options of which one item is `load FILE`.
const SETS: &[&str] = &["dataset", "datarep"];

/// Files of sources that rules may ask for, each with the folder of its rule files.
#[derive(Debug, Default)]
pub struct Companions {
    /// By rule file, the number of its source.
    sources: HashMap<String, usize>,
    files: Vec<HashMap<String, Vec<u8>>>,
}

impl Companions {
    /// Takes in what is no rule file of a source.
    pub fn add(&mut self, files: Vec<File>, rule_files: &[String]) {
        let source = self.files.len();
        self.sources.extend(rule_files.iter().map(|name| (name.clone(), source)));
        self.files.push(files.into_iter().map(|file| (file.name, file.bytes)).collect());
    }

    /// The files that enabled rules ask for, by the name under which these do.
    pub fn asked(&self, rules: &[Entry], complaints: &mut Vec<Complaint>) -> BTreeMap<String, Vec<u8>> {
        let mut asked: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for rule in rules.iter().filter(|rule| rule.enabled) {
            for name in names(rule) {
                let Some(bytes) = self.beside(rule, &name) else { continue };
                match asked.get(&name).map(|present| present == bytes) {
                    None => {
                        asked.insert(name, bytes.clone());
                    }
                    Some(true) => {}
                    Some(false) => {
                        let text = format!(
                            "rule {} reads {name} of another source, which has a file of that name too. Rename one of them",
                            rule.id
                        );
                        complaints.push(Complaint::at(&rule.file, rule.line, text));
                    }
                }
            }
        }
        asked
    }

    /// A file beside that of the rule, or in the folder of its source.
    fn beside(&self, rule: &Entry, name: &str) -> Option<&Vec<u8>> {
        let files = self.files.get(*self.sources.get(&*rule.file)?)?;
        let folder = rule.file.rsplit_once('/').map(|(folder, _)| folder);
        let beside = folder.and_then(|folder| files.get(&format!("{folder}/{name}")));
        beside.or_else(|| files.get(name))
    }
}

/// Names of files that a rule asks for, as far as they are inner names.
fn names(rule: &Entry) -> Vec<String> {
    let may = SCRIPTS.iter().chain(SETS).any(|word| rule.text.contains(word));
    let Some((parsed, _)) = may.then(|| parse_rule(&rule.text, "", 1).ok()).flatten() else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for option in &parsed.options {
        let Some(value) = &option.value else { continue };
        let name = option.name.to_ascii_lowercase();
        let value = value.trim_start_matches('!').trim();
        if SCRIPTS.contains(&name.as_str()) {
            names.extend(inner_name(value));
        } else if SETS.contains(&name.as_str()) {
            let load = value.split(',').find_map(|item| item.trim().strip_prefix("load "));
            names.extend(load.and_then(|name| inner_name(name.trim())));
        }
    }
    // Those of the set itself are not a source's to choose.
    names.retain(|name| {
        !name.ends_with(".rules")
            && !name.ends_with(".config")
            && !name.starts_with("previous/")
            && !name.starts_with('.')
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::RuleSet;

    #[test]
    fn only_files_that_rules_ask_for_are_taken() {
        let rule = |options: &str, sid: u32| format!("alert dns any any -> any any ({options} sid:{sid};)\n");
        let text = rule("lua:a.lua;", 1)
            + &rule("dns.query; dataset:isset,bad,type string,load lists/bad.lst;", 2)
            + &rule("lua:../up.lua;", 3)
            + &rule("lua:/etc/passwd;", 4)
            + &rule("lua:suricata.rules;", 5)
            + &rule("lua:absent.lua;", 6)
            + &format!("#{}", rule("lua:off.lua;", 7));
        let file = |name: &str| File { name: name.to_owned(), bytes: name.as_bytes().to_vec() };
        let mut set = RuleSet::default();
        set.add("rules/x.rules", text.as_bytes(), &mut Vec::new());
        let mut companions = Companions::default();
        let names =
            ["rules/a.lua", "lists/bad.lst", "up.lua", "rules/suricata.rules", "rules/off.lua", "unasked"];
        companions.add(names.map(file).to_vec(), &["rules/x.rules".to_owned()]);
        let asked = companions.asked(set.rules(), &mut Vec::new());
        assert_eq!(asked.keys().collect::<Vec<_>>(), ["a.lua", "lists/bad.lst"]);
    }
}
