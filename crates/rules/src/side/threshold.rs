//! threshold.config: `suppress`, `threshold` / `event_filter` and `rate_filter` lines.
//!
//! Each is a word followed by `key value` pairs between commas. gen_id 0 stands for every generator and
//! sig_id 0 for every rule of it.

use super::line::for_each_line;
use crate::diagnostic::{Diagnostic, SyntaxError};
use crate::text::{Origin, Span, Spanned};
use crate::value::key_value;

/// Key by which alerts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Track {
    /// `by_src`: source address.
    Source,
    /// `by_dst`: destination address.
    Destination,
    /// `by_both`: the pair of addresses, either way.
    Both,
    /// `by_rule`: the rule alone.
    Rule,
    /// `by_flow`: flow.
    Flow,
}

/// Address that a suppression checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SuppressTrack {
    /// `by_src`
    Source,
    /// `by_dst`
    Destination,
    /// `by_either`
    Either,
}

/// Rule for thinning out alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThresholdType {
    /// At most `count` alerts in `seconds`.
    Limit,
    /// An alert for every `count` matches in `seconds`.
    Threshold,
    /// One alert in `seconds`, after `count` matches.
    Both,
}

/// Action that a rate filter gives a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NewAction {
    /// `alert`
    Alert,
    /// `drop`
    Drop,
    /// `pass`
    Pass,
    /// `reject`
    Reject,
    /// `log`: accepted, without effect.
    Log,
    /// `sdrop`: accepted, without effect.
    SilentDrop,
}

/// Effect of a line.
#[derive(Clone, Debug)]
pub enum ThresholdRule {
    /// No alerts, or none for some addresses.
    Suppress {
        /// Address that is checked, and the expression it must be in; without it no alert at all.
        addresses: Option<(SuppressTrack, Spanned)>,
    },
    /// `threshold` or `event_filter`: fewer alerts.
    Threshold {
        /// Type.
        kind: ThresholdType,
        /// Counted by what.
        track: Track,
        /// Number of alerts.
        count: u32,
        /// In what time.
        seconds: u32,
    },
    /// Another action once a rate is reached.
    RateFilter {
        /// Counted by what.
        track: Track,
        /// Number of matches.
        count: u32,
        /// In what time.
        seconds: u32,
        /// The action from then on.
        new_action: NewAction,
        /// For how many seconds.
        timeout: u32,
    },
}

/// One line.
#[derive(Clone, Debug)]
pub struct ThresholdEntry {
    /// Generator id; 0 is every generator.
    pub gid: u32,
    /// Signature id; 0 is every signature.
    pub sid: u32,
    /// Effect.
    pub rule: ThresholdRule,
    /// Where it came from, for diagnostics about its addresses.
    pub origin: Origin,
}

/// The lines of a file.
#[derive(Clone, Debug, Default)]
pub struct ThresholdFile {
    /// Lines that could be read, in order.
    pub entries: Vec<ThresholdEntry>,
    /// Faults of the others.
    pub diagnostics: Vec<Diagnostic>,
}

impl ThresholdFile {
    /// Reads a file; `file` is only its name for diagnostics.
    pub fn parse(text: impl AsRef<[u8]>, file: &str) -> Self {
        let mut entries = Vec::new();
        let diagnostics = for_each_line(text.as_ref(), file, |line, origin| {
            entries.push(parse_entry(line, origin)?);
            Ok(())
        });
        Self { entries, diagnostics }
    }
}

const TRACKS: &[(&str, Track)] = &[
    ("by_src", Track::Source),
    ("by_dst", Track::Destination),
    ("by_both", Track::Both),
    ("by_rule", Track::Rule),
    ("by_flow", Track::Flow),
];

const SUPPRESS_TRACKS: &[(&str, SuppressTrack)] = &[
    ("by_src", SuppressTrack::Source),
    ("by_dst", SuppressTrack::Destination),
    ("by_either", SuppressTrack::Either),
];

const TYPES: &[(&str, ThresholdType)] = &[
    ("limit", ThresholdType::Limit),
    ("threshold", ThresholdType::Threshold),
    ("both", ThresholdType::Both),
];

const NEW_ACTIONS: &[(&str, NewAction)] = &[
    ("alert", NewAction::Alert),
    ("drop", NewAction::Drop),
    ("pass", NewAction::Pass),
    ("reject", NewAction::Reject),
    ("log", NewAction::Log),
    ("sdrop", NewAction::SilentDrop),
];

fn parse_entry(line: &Spanned, origin: &Origin) -> Result<ThresholdEntry, SyntaxError> {
    let (command, rest) = key_value(line);
    let parse_rule = match command.as_str() {
        "suppress" => parse_suppress,
        "threshold" | "event_filter" => parse_threshold,
        "rate_filter" => parse_rate_filter,
        other => {
            return Err(command
                .error(format!("`{other}` does not begin a line of this file."))
                .with_help("lines begin with suppress, threshold, event_filter or rate_filter"));
        }
    };
    let mut pairs = Pairs::read(&command, &rest)?;
    let gid = pairs.number("gen_id")?;
    let sid = pairs.number("sig_id")?;
    let rule = parse_rule(&mut pairs)?;
    pairs.finish()?;
    if gid == 0 && sid != 0 {
        return Err(line
            .error("With gen_id 0, which is every generator, sig_id must be 0 too.")
            .with_help("rules have gen_id 1 unless they say otherwise"));
    }
    Ok(ThresholdEntry { gid, sid, rule, origin: origin.clone() })
}

fn parse_suppress(pairs: &mut Pairs) -> Result<ThresholdRule, SyntaxError> {
    if !pairs.has("track") && !pairs.has("ip") {
        return Ok(ThresholdRule::Suppress { addresses: None });
    }
    let track = pairs.choice("track", SUPPRESS_TRACKS)?;
    Ok(ThresholdRule::Suppress { addresses: Some((track, pairs.take("ip")?)) })
}

fn parse_threshold(pairs: &mut Pairs) -> Result<ThresholdRule, SyntaxError> {
    Ok(ThresholdRule::Threshold {
        kind: pairs.choice("type", TYPES)?,
        track: pairs.choice("track", TRACKS)?,
        count: pairs.count()?,
        seconds: pairs.number("seconds")?,
    })
}

fn parse_rate_filter(pairs: &mut Pairs) -> Result<ThresholdRule, SyntaxError> {
    Ok(ThresholdRule::RateFilter {
        track: pairs.choice("track", TRACKS)?,
        count: pairs.count()?,
        seconds: pairs.number("seconds")?,
        new_action: pairs.choice("new_action", NEW_ACTIONS)?,
        timeout: pairs.number("timeout")?,
    })
}

/// The `key value` pairs of a line that were not asked for yet.
struct Pairs {
    command: Spanned,
    pairs: Vec<(Spanned, Spanned)>,
}

impl Pairs {
    fn read(command: &Spanned, text: &Spanned) -> Result<Self, SyntaxError> {
        let mut pairs: Vec<(Spanned, Spanned)> = Vec::new();
        for item in split_outside_brackets(text) {
            let (key, value) = key_value(&item);
            if key.is_empty() || value.is_empty() {
                let shown = if item.is_empty() { text } else { &item };
                return Err(shown.error("Here a key with its value is missing."));
            }
            if pairs.iter().any(|(other, _)| *other == *key) {
                return Err(key.error(format!("`{key}` stands twice.")));
            }
            pairs.push((key, value));
        }
        Ok(Self { command: command.clone(), pairs })
    }

    fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(other, _)| other == key)
    }

    fn take(&mut self, key: &str) -> Result<Spanned, SyntaxError> {
        match self.pairs.iter().position(|(other, _)| other == key) {
            Some(at) => Ok(self.pairs.remove(at).1),
            None => Err(self.command.error(format!("The `{}` has no `{key}`.", self.command))),
        }
    }

    fn number(&mut self, key: &str) -> Result<u32, SyntaxError> {
        let value = self.take(key)?;
        value.parse().map_err(|_| value.error(format!("`{value}` is not a number for `{key}`.")))
    }

    /// The number of alerts, which is not zero.
    fn count(&mut self) -> Result<u32, SyntaxError> {
        match self.number("count")? {
            0 => Err(self.command.error("rate filter count should be > 0")),
            count => Ok(count),
        }
    }

    fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Result<T, SyntaxError> {
        let value = self.take(key)?;
        match choices.iter().find(|(name, _)| value.eq_ignore_ascii_case(name)) {
            Some((_, choice)) => Ok(*choice),
            None => {
                let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
                Err(value
                    .error(format!("`{value}` can not be given for `{key}`."))
                    .with_help(format!("`{key}` takes {}", names.join(", "))))
            }
        }
    }

    fn finish(self) -> Result<(), SyntaxError> {
        match self.pairs.first() {
            None => Ok(()),
            Some((key, _)) => Err(key.error(format!("`{}` takes no `{key}`.", self.command))),
        }
    }
}

/// The items between commas that stand in no bracket.
fn split_outside_brackets(text: &Spanned) -> Vec<Spanned> {
    let mut items = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                items.push(text.slice(Span::new(start, at)).trimmed());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(text.slice(Span::new(start, text.len())).trimmed());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let found = ThresholdFile::parse(text, "threshold.config");
        match (found.entries.as_slice(), found.diagnostics.as_slice()) {
            ([entry], []) => {
                let rule = match &entry.rule {
                    ThresholdRule::Suppress { addresses: None } => "all".to_owned(),
                    ThresholdRule::Suppress { addresses: Some((track, text)) } => format!("{track:?} {text}"),
                    ThresholdRule::Threshold { kind, track, count, seconds } => {
                        format!("{kind:?} {track:?} {count} {seconds}")
                    }
                    ThresholdRule::RateFilter { track, count, seconds, new_action, timeout } => {
                        format!("{track:?} {count} {seconds} {new_action:?} {timeout}")
                    }
                };
                format!("{}:{} {rule}", entry.gid, entry.sid)
            }
            ([], [diagnostic]) => format!("error {}:{}", diagnostic.line, diagnostic.column),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn entries() {
        for (text, expected) in [
            ("suppress gen_id 1, sig_id 2002087", "1:2002087 all"),
            ("suppress gen_id 0, sig_id 0, track by_src, ip 209.132.180.67", "0:0 Source 209.132.180.67"),
            (
                "suppress gen_id 1, sig_id 3, track by_either, ip [10.0.0.0/8, $X]",
                "1:3 Either [10.0.0.0/8, $X]",
            ),
            ("suppress gen_id 1, sig_id 3, track by_dst, ip 10.0.0.0/8", "1:3 Destination 10.0.0.0/8"),
            (
                "threshold gen_id 1, sig_id 10, type both, track by_flow, count 5, seconds 60",
                "1:10 Both Flow 5 60",
            ),
            (
                "event_filter gen_id 1,sig_id 10,type limit,\\\n track by_src,count 1,seconds 5",
                "1:10 Limit Source 1 5",
            ),
            (
                "rate_filter gen_id 1, sig_id 9, track by_rule, count 100, seconds 60, new_action alert, timeout 30",
                "1:9 Rule 100 60 Alert 30",
            ),
            ("this is not correct", "error 1:1"),
            ("# c\n\nsupress gen_id 1, sig_id 2", "error 3:1"),
            ("suppress gen_id 1", "error 1:1"),
            ("suppress gen_id 1, sig_id x", "error 1:27"),
            ("suppress gen_id 0, sig_id 2", "error 1:1"),
            ("suppress gen_id 1, sig_id 2, track by_src", "error 1:1"),
            ("suppress gen_id 1, sig_id 2, track by_rule, ip 1.1.1.1", "error 1:36"),
            ("suppress gen_id 1, sig_id 2,", "error 1:10"),
            ("suppress gen_id 1, sig_id 2, sig_id 3", "error 1:30"),
            ("suppress gen_id 1, sig_id 2, count 3", "error 1:30"),
            ("threshold gen_id 1, sig_id 1, type all, track by_src, count 1, seconds 1", "error 1:36"),
            (
                "threshold gen_id 1, sig_id 1, type Limit, track BY_SRC, count 1, seconds 1",
                "1:1 Limit Source 1 1",
            ),
            ("threshold gen_id 1, sig_id 1, type limit, track by_src, count 0, seconds 1", "error 1:1"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
