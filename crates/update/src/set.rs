//! Rules of all sources as one set: each number once, disabled ones kept as comments.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::fmt;
use std::sync::Arc;

use weir_rules::{Action, Rule, parse_rule};

use crate::complaint::Complaint;
use crate::edits::{Edits, Line};
use crate::flowbits::{self, Bits};

/// Most complaints about rules of one file.
const MAX_COMPLAINTS: usize = 20;

/// Opens the file that is written.
const HEAD: &str = "# Written by `weir update`, which writes it anew: edit disable.conf, enable.conf, drop.conf, \
                    modify.conf and files of your own rules.\n\n";

/// What a rule is known by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RuleId {
    /// Generator.
    pub gid: u32,
    /// Number.
    pub sid: u32,
}

impl fmt::Display for RuleId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.gid {
            1 => write!(out, "{}", self.sid),
            gid => write!(out, "{gid}:{}", self.sid),
        }
    }
}

/// A rule, enabled or not.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is known by.
    pub id: RuleId,
    /// Revision; 0 where it has none.
    pub revision: u32,
    /// Its message.
    pub message: String,
    /// The file it is from.
    pub file: Arc<str>,
    /// Its line there.
    pub line: u32,
    /// Whether it runs.
    pub enabled: bool,
    /// It runs because others need its bits, and raises no alert.
    pub for_bits: bool,
    /// The rule, on one line, without a sign of comment.
    pub text: String,
    metadata: String,
    pub(crate) bits: Bits,
    pub(crate) is_silent: bool,
}

impl Entry {
    /// Reads a line: a rule, one behind a sign of comment, or none.
    pub fn of_line(line: &str, file: &str, number: u32) -> Result<Option<Self>, Complaint> {
        let line = line.trim();
        let text = line.trim_start_matches(['#', ' ', '\t']);
        let enabled = text.len() == line.len();
        if text.is_empty() || !(enabled || may_be_rule(text)) {
            return Ok(None);
        }
        match parse_rule(text, file, number) {
            Ok((rule, _)) => Self::of_rule(&rule, text, enabled)
                .map(Some)
                .or_else(|complaint| if enabled { Err(complaint) } else { Ok(None) }),
            Err(_) if !enabled => Ok(None),
            Err(diagnostic) => {
                let help = diagnostic.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
                let text = format!("the rule cannot be read and is left out: {}{help}", diagnostic.message);
                Err(Complaint::at(file, number, text))
            }
        }
    }

    fn of_rule(rule: &Rule, text: &str, enabled: bool) -> Result<Self, Complaint> {
        let value =
            |name: &str| rule.option(name).and_then(|option| option.value.as_ref()).map(|text| text.trim());
        let number = |name: &str| value(name).and_then(|text| text.parse::<u32>().ok());
        let Some(sid) = number("sid") else {
            let text = "the rule has no number and is left out. Give it one: sid:1000000;";
            return Err(Complaint::at(rule.file(), rule.line(), text));
        };
        let flowbits = rule.options.iter().filter(|option| option.name.eq_ignore_ascii_case("flowbits"));
        let bits = Bits::of(flowbits.filter_map(|option| option.value.as_ref()).map(|value| value.as_str()));
        Ok(Self {
            id: RuleId { gid: number("gid").unwrap_or(1), sid },
            revision: number("rev").unwrap_or(0),
            message: value("msg").unwrap_or_default().trim_matches('"').to_owned(),
            file: Arc::clone(rule.file()),
            line: rule.line(),
            enabled,
            for_bits: false,
            text: text.to_owned(),
            metadata: metadata_of(rule),
            is_silent: bits.is_silent || rule.option("noalert").is_some(),
            bits,
        })
    }

    /// Items of its metadata.
    pub fn metadata(&self) -> impl Iterator<Item = &str> {
        self.metadata.split(',').map(str::trim).filter(|item| !item.is_empty())
    }

    /// Puts another text in the place of its own; the error is a clause.
    pub(crate) fn rewrite(&mut self, text: &str) -> Result<(), String> {
        match Self::of_line(text, &self.file, self.line) {
            Ok(Some(rule)) if rule.id != self.id => Err(format!("it would become rule {}", rule.id)),
            Ok(Some(rule)) if rule.enabled => {
                *self = Self { enabled: self.enabled, for_bits: self.for_bits, ..rule };
                Ok(())
            }
            Ok(_) => Err("it would be no rule any more".to_owned()),
            Err(complaint) => Err(complaint.text),
        }
    }

    /// The rule as it is written: silent where it only sets bits for others.
    pub(crate) fn written_text(&self) -> Cow<'_, str> {
        let end = self.text.rfind(')').filter(|_| self.for_bits && !self.is_silent);
        match end.and_then(|end| self.text.split_at_checked(end)) {
            Some((front, back)) => format!("{} noalert;{back}", front.trim_end()).into(),
            None => self.text.as_str().into(),
        }
    }

    fn write(&self, out: &mut String) {
        if !self.enabled {
            out.push_str("# ");
        }
        out.push_str(&self.written_text());
        out.push('\n');
    }
}

/// Items of all options `metadata`, with commas between.
fn metadata_of(rule: &Rule) -> String {
    let options = rule.options.iter().filter(|option| option.name.eq_ignore_ascii_case("metadata"));
    let values: Vec<&str> =
        options.filter_map(|option| option.value.as_ref()).map(|value| value.as_str()).collect();
    values.join(",")
}

/// Whether a comment may hold a rule: it begins with an action.
fn may_be_rule(text: &str) -> bool {
    let word: &str = text.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
    Action::from_name(word).is_some() && text.contains('(')
}

/// Figures of what edits did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Edited {
    /// Rules that `disable.conf` disabled.
    pub disabled: usize,
    /// Rules that `enable.conf` enabled.
    pub enabled: usize,
    /// Rules that `modify.conf` changed.
    pub modified: usize,
    /// Rules that `drop.conf` made drop.
    pub dropped: usize,
    /// Rules enabled because others need their bits.
    pub for_bits: usize,
}

/// Rules, each number once, in the order of their sources.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Entry>,
    places: HashMap<RuleId, usize>,
}

impl RuleSet {
    /// The rules.
    pub fn rules(&self) -> &[Entry] {
        &self.rules
    }

    /// The rule of an id.
    pub fn get(&self, id: RuleId) -> Option<&Entry> {
        self.rules.get(*self.places.get(&id)?)
    }

    /// Returns the number of rules that run.
    pub fn enabled(&self) -> usize {
        self.rules.iter().filter(|rule| rule.enabled).count()
    }

    /// Adds the rules of a file and returns how many it has. Of rules of one number the one with the highest revision
    /// stays, of several the first.
    pub fn add(&mut self, file: &str, bytes: &[u8], complaints: &mut Vec<Complaint>) -> usize {
        let text = String::from_utf8_lossy(bytes);
        let mut found = 0;
        let mut broken = 0;
        let mut complain = |complaint: Complaint| {
            broken += 1;
            if broken <= MAX_COMPLAINTS {
                complaints.push(complaint);
            }
        };
        // Letters that stand for bytes which are none would change what a rule looks for.
        let is_whole = matches!(text, Cow::Borrowed(_));
        for (number, line) in logical_lines(&text) {
            if !is_whole && line.contains(char::REPLACEMENT_CHARACTER) && !line.trim_start().starts_with('#')
            {
                let text = "the rule is not valid UTF-8 and is left out. Write such bytes in hexadecimal: content:\"|ff|\";";
                complain(Complaint::at(file, number, text));
                continue;
            }
            match Entry::of_line(&line, file, number) {
                Ok(Some(rule)) => {
                    found += 1;
                    self.insert(rule).into_iter().for_each(&mut complain);
                }
                Ok(None) => {}
                Err(complaint) => complain(complaint),
            }
        }
        if broken > MAX_COMPLAINTS {
            let text = format!("{} rules more are left out for such reasons", broken - MAX_COMPLAINTS);
            complaints.push(Complaint::new(file, text));
        }
        found
    }

    /// Adds a rule; a complaint where another one of its number and revision says something else.
    fn insert(&mut self, rule: Entry) -> Option<Complaint> {
        let place = match self.places.entry(rule.id) {
            Slot::Occupied(place) => *place.get(),
            Slot::Vacant(slot) => {
                slot.insert(self.rules.len());
                self.rules.push(rule);
                return None;
            }
        };
        let present = self.rules.get_mut(place)?;
        if rule.revision > present.revision {
            *present = rule;
        } else if rule.revision == present.revision && rule.text != present.text {
            let text = format!(
                "rule {} is left out: {}:{} has another one of this number and revision. Give it a number of its own, or a higher rev",
                rule.id, present.file, present.line
            );
            return Some(Complaint::at(&rule.file, rule.line, text));
        }
        None
    }

    /// Edits the rules: disables, enables, makes drop, modifies, then enables what sets bits that rules wait for.
    pub fn edit(&mut self, edits: &Edits, complaints: &mut Vec<Complaint>) -> Edited {
        let mut edited = Edited::default();
        for rule in &mut self.rules {
            if edits.disable.contains(rule) && rule.enabled {
                rule.enabled = false;
                edited.disabled += 1;
            }
            if edits.enable.contains(rule) && !rule.enabled {
                rule.enabled = true;
                edited.enabled += 1;
            }
            if edits.drop.contains(rule) && drops(rule) {
                edited.dropped += 1;
            }
        }
        edited.modified = self.modify(&edits.modify, complaints);
        let needed = flowbits::needed(&self.rules);
        edited.for_bits = needed.len();
        for place in needed {
            if let Some(rule) = self.rules.get_mut(place) {
                (rule.enabled, rule.for_bits) = (true, true);
            }
        }
        edited
    }

    fn modify(&mut self, lines: &[Line], complaints: &mut Vec<Complaint>) -> usize {
        let mut modified = vec![false; self.rules.len()];
        for line in lines {
            let mut refused: Option<(RuleId, String)> = None;
            let mut count = 0;
            for (rule, is_modified) in self.rules.iter_mut().zip(&mut modified) {
                let Some(text) = line.rewritten(rule) else { continue };
                match rule.rewrite(&text) {
                    Ok(()) => *is_modified = true,
                    Err(why) => {
                        count += 1;
                        refused.get_or_insert((rule.id, why));
                    }
                }
            }
            if let Some((id, why)) = refused {
                let others = if count > 1 { format!(", as do {} others", count - 1) } else { String::new() };
                let text =
                    format!("rule {id} stays as it is{others}: {why}. Check what the line puts in its place");
                complaints.push(Complaint::at(&line.file, line.number, text));
            }
        }
        modified.into_iter().filter(|is_modified| *is_modified).count()
    }

    /// The rule that stands on a line of the text that [`RuleSet::text`] returns.
    pub fn on_line(&self, line: u32) -> Option<&Entry> {
        self.rules.get(usize::try_from(line.checked_sub(first_line())?).ok()?)
    }

    /// Disables a rule.
    pub fn disable(&mut self, id: RuleId) {
        if let Some(rule) = self.places.get(&id).and_then(|place| self.rules.get_mut(*place)) {
            rule.enabled = false;
        }
    }

    /// The file: a rule a line, those that do not run behind a sign of comment.
    pub fn text(&self) -> String {
        let mut out = HEAD.to_owned();
        self.rules.iter().for_each(|rule| rule.write(&mut out));
        out
    }
}

/// The line of the first rule in [`RuleSet::text`].
fn first_line() -> u32 {
    u32::try_from(HEAD.lines().count()).unwrap_or(0) + 1
}

/// Has an alert drop, too. Those that only set bits stay: they would drop what nobody is told of.
fn drops(rule: &mut Entry) -> bool {
    const FROM: &str = "alert";
    match rule.text.strip_prefix(FROM).filter(|_| !rule.is_silent) {
        Some(rest) => {
            rule.text = format!("drop{rest}");
            true
        }
        None => false,
    }
}

/// Lines with the number of each, those joined that end in a backslash.
fn logical_lines(text: &str) -> impl Iterator<Item = (u32, Cow<'_, str>)> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().zip(1u32..);
    std::iter::from_fn(move || {
        let (line, number) = lines.next()?;
        let Some(front) = line.trim_end().strip_suffix('\\') else { return Some((number, line.into())) };
        let mut joined = front.to_owned();
        for (line, _) in lines.by_ref() {
            match line.trim_end().strip_suffix('\\') {
                Some(more) => joined.push_str(more),
                None => {
                    joined.push_str(line);
                    break;
                }
            }
        }
        Some((number, joined.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::Files;

    fn set(text: &str) -> (RuleSet, Vec<Complaint>) {
        let mut set = RuleSet::default();
        let mut complaints = Vec::new();
        set.add("a.rules", text.as_bytes(), &mut complaints);
        (set, complaints)
    }

    fn rule(options: &str) -> String {
        format!("alert tcp any any -> any any ({options})\n")
    }

    #[test]
    fn lines_are_rules_disabled_rules_or_neither() {
        for (line, expected) in [
            (rule("sid:1;"), Ok(Some(true))),
            (format!("#{}", rule("sid:1;")), Ok(Some(false))),
            (format!("##  {}", rule("sid:1;")), Ok(Some(false))),
            ("# alert (as one says)".to_owned(), Ok(None)),
            ("# prose".to_owned(), Ok(None)),
            (String::new(), Ok(None)),
            (format!("# {}", rule("msg:\"no number\";")), Ok(None)),
            (rule("msg:\"no number\";"), Err("Give it one: sid:1000000;")),
            ("alert tcp any any".to_owned(), Err("left out")),
        ] {
            let found = Entry::of_line(&line, "a.rules", 3);
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.map(|rule| rule.enabled), expected, "{line}"),
                (Err(complaint), Err(words)) => {
                    assert!(complaint.to_string().starts_with("a.rules:3: the rule"), "{complaint}");
                    assert!(complaint.text.contains(words), "{complaint}");
                }
                (found, _) => panic!("{line}: {found:?}"),
            }
        }
    }

    #[test]
    fn of_two_rules_the_higher_revision_stays() {
        let text = rule("msg:\"a\"; sid:1; rev:2;")
            + &rule("msg:\"b\"; sid:1; rev:1;")
            + &rule("msg:\"c\"; sid:2; rev:1;")
            + &rule("msg:\"d\"; sid:2; rev:3;")
            + &rule("msg:\"e\"; sid:2; rev:3;")
            + &rule("msg:\"f\"; gid:3; sid:2;");
        let (set, complaints) = set(&text);
        let found: Vec<&str> = set.rules().iter().map(|rule| rule.message.as_str()).collect();
        assert_eq!(found, ["a", "d", "f"]);
        assert_eq!(complaints.len(), 1);
        assert!(
            complaints[0].to_string().contains("a.rules:5: rule 2 is left out: a.rules:4"),
            "{}",
            complaints[0]
        );
    }

    /// A file that holds nothing but faults is told of in a few lines.
    #[test]
    fn complaints_are_capped() {
        let (set, complaints) = set(&"alert nothing\n".repeat(1000));
        assert_eq!((set.rules().len(), complaints.len()), (0, MAX_COMPLAINTS + 1));
        assert!(complaints[MAX_COMPLAINTS].text.starts_with("980 rules more"));
    }

    #[test]
    fn edits_go_in_order() {
        let text = rule("msg:\"one\"; sid:1;")
            + &rule("msg:\"two\"; sid:2;")
            + &format!("#{}", rule("msg:\"three\"; flowbits:set,x; sid:3;"))
            + &rule("msg:\"four\"; flowbits:isset,x; sid:4;")
            + &rule("flowbits:set,y; flowbits:noalert; sid:5;");
        let (mut set, _) = set(&text);
        let mut complaints = Vec::new();
        let files = Files {
            disable: vec![("disable.conf".into(), b"1,2\n".to_vec())],
            enable: vec![("enable.conf".into(), b"2\n".to_vec())],
            drop: vec![("drop.conf".into(), b"re:.\n".to_vec())],
            modify: vec![(
                "modify.conf".into(),
                b"4 \"msg:\\\"(\\w+)\" \"msg:\\\"a \\1\"\n* sid \"no id\"\nmetadata-add 5 key value\n"
                    .to_vec(),
            )],
        };
        let edited = set.edit(&Edits::read(&files, &mut complaints), &mut complaints);
        assert_eq!(edited, Edited { disabled: 2, enabled: 1, modified: 2, dropped: 4, for_bits: 1 });
        let written = set.text();
        let lines: Vec<&str> = written.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "# drop tcp any any -> any any (msg:\"one\"; sid:1;)",
                "drop tcp any any -> any any (msg:\"two\"; sid:2;)",
                "drop tcp any any -> any any (msg:\"three\"; flowbits:set,x; sid:3; noalert;)",
                "drop tcp any any -> any any (msg:\"a four\"; flowbits:isset,x; sid:4;)",
                "alert tcp any any -> any any (flowbits:set,y; flowbits:noalert; sid:5; metadata:key value;)",
            ]
        );
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(
            complaints[0].to_string().starts_with("modify.conf:2: rule 1 stays as it is, as do 4 others"),
            "{}",
            complaints[0]
        );
        let (again, _) = {
            let mut again = RuleSet::default();
            let mut none = Vec::new();
            again.add("suricata.rules", written.as_bytes(), &mut none);
            (again, none)
        };
        assert_eq!(again.text(), written, "what is written is read as the same");
        let on_line = |line: u32| set.on_line(line).map(|rule| rule.id.sid);
        assert_eq!([1, 3, 6, 7, 8].map(on_line), [None, Some(1), Some(4), Some(5), None]);
        set.disable(RuleId { gid: 1, sid: 4 });
        assert_eq!(set.enabled(), 3);
    }

    #[test]
    fn bytes_that_are_no_letters_are_not_made_letters() {
        let mut set = RuleSet::default();
        let mut complaints = Vec::new();
        let text = [b"# caf\xe9\n".as_slice(), rule("msg:\"caf\u{e9}\"; sid:1;").as_bytes()].concat();
        set.add("a.rules", &text, &mut complaints);
        set.add("b.rules", b"alert tcp any any -> any any (content:\"\xe9\"; sid:2;)\n", &mut complaints);
        let told: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        assert_eq!((set.rules().len(), told.len()), (1, 1), "{told:?}");
        assert!(told[0].starts_with("b.rules:1: the rule is not valid UTF-8"), "{told:?}");
    }

    #[test]
    fn continued_lines_are_one() {
        let (set, _) = set(
            "alert tcp any any -> any any ( \\\n  msg:\"x\"; \\  \n sid:9;)\nalert tcp any any -> any any (sid:10;)\n",
        );
        let found: Vec<(u32, u32)> = set.rules().iter().map(|rule| (rule.id.sid, rule.line)).collect();
        assert_eq!(found, [(9, 1), (10, 4)]);
    }
}
