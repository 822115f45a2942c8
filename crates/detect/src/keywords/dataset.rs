//! `dataset` and `datarep`: a buffer as a value of a large set.

use std::path::Path;
use std::sync::Arc;

use weir_rules::value::{comma_list, key_value, parse_size};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::alert::AlertContext;
use crate::model::buffer::{Buffer, BufferCheck, BufferScratch, Check};
use crate::state::dataset::{Addition, DataKind, Dataset, Description, JsonFormat};

/// Longest name of a set.
const MAX_NAME: usize = 63;

/// Longest key of a context.
const MAX_CONTEXT_KEY: usize = 32;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "dataset",
        [
            "dataset:<isset|isnotset|set|unset>,<name>[,type <string|md5|sha256|ipv4|ip>][,load <file>]\
             [,save <file>|,state <file>][,memcap <size>][,hashsize <rows>][,format <csv|json|ndjson>]\
             [,value_key <key>[.<key>]][,array_key <key>[.<key>]][,context_key <key>][,remove_key]\
             [,match subdomain];",
            "Whether the buffer is in a set, or puts it there or takes it out. Values of a file of JSON come with \
             objects, which alerts show as `alert.context`. With `match subdomain`, `.mail.example` is looked for as \
             `.mail.example` and as `.example`.",
            "dns.query; dataset:isset,bad-names,type string,load names.lst;",
        ],
        dataset,
    ),
    Keyword::new(
        "datarep",
        [
            "datarep:<name>,<operator>,<value>[,load <file>][,type <string|md5|sha256|ipv4|ip>]\
             [,memcap <size>][,hashsize <rows>];",
            "Compares the reputation that a set gives the buffer. Operators are < > and ==.",
            "dns.query; datarep:names,>,200,load names.rep,type string;",
        ],
        reputation,
    ),
];

#[derive(Clone, Copy, Debug)]
enum Operation {
    IsSet,
    IsNotSet,
    Set,
    Unset,
}

/// Values of the set that a buffer can stand for.
#[derive(Clone, Copy, Debug, Default)]
enum Reach {
    /// Its own.
    #[default]
    Value,
    /// Its own as a domain, and those of the domains above, each with the point before it.
    Domains,
}

#[derive(Debug)]
struct Member {
    set: Arc<Dataset>,
    operation: Operation,
    reach: Reach,
    /// Key of the value's object in the alert.
    context_key: Option<Arc<str>>,
}

impl Member {
    /// The value of the set that the buffer stands for.
    fn member<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        if self.set.find(bytes).is_some() {
            return Some(bytes);
        }
        let Reach::Domains = self.reach else { return None };
        let points = bytes.iter().enumerate().skip(1).filter(|(_, byte)| **byte == b'.');
        points.filter_map(|(at, _)| bytes.get(at..)).find(|domain| self.set.find(domain).is_some())
    }
}

impl BufferCheck for Member {
    fn matches(&self, buffer: &Buffer<'_>) -> bool {
        match self.operation {
            Operation::IsSet => self.member(buffer.bytes).is_some(),
            Operation::IsNotSet => self.member(buffer.bytes).is_none(),
            Operation::Set => self.set.add(buffer.bytes, 0) == Addition::New,
            Operation::Unset => self.set.remove(buffer.bytes),
        }
    }

    fn holds(&self, buffer: &Buffer<'_>, _: usize, scratch: &mut BufferScratch) -> bool {
        match (&self.context_key, self.operation) {
            (Some(key), Operation::IsSet) => {
                let found = self.member(buffer.bytes).and_then(|value| self.set.object(value));
                let Some(object) = found else { return false };
                scratch.keep_context(AlertContext { key: Arc::clone(key), json: object });
                true
            }
            (_, Operation::Set) => {
                let added = self.set.add(buffer.bytes, 0);
                scratch.datasets_full += u64::from(added == Addition::NoRoom);
                added == Addition::New
            }
            _ => self.matches(buffer),
        }
    }

    fn name(&self) -> &'static str {
        "dataset"
    }
}

#[derive(Clone, Copy, Debug)]
enum Comparison {
    Less,
    Greater,
    Equal,
}

#[derive(Debug)]
struct Reputation {
    set: Arc<Dataset>,
    comparison: Comparison,
    value: u32,
}

impl BufferCheck for Reputation {
    fn matches(&self, buffer: &Buffer<'_>) -> bool {
        self.set.find(buffer.bytes).is_some_and(|found| match self.comparison {
            Comparison::Less => found < self.value,
            Comparison::Greater => found > self.value,
            Comparison::Equal => found == self.value,
        })
    }

    fn name(&self) -> &'static str {
        "datarep"
    }
}

fn dataset(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let [word, name, rest @ ..] = items.as_slice() else {
        return Err(text.error("`dataset` needs at least an operation and a name."));
    };
    let operation = match word.as_str() {
        "isset" => Operation::IsSet,
        "isnotset" => Operation::IsNotSet,
        "set" => Operation::Set,
        "unset" => Operation::Unset,
        _ => {
            return Err(word
                .error(format!("unknown command '{word}'."))
                .with_help("write isset, isnotset, set or unset"));
        }
    };
    let (objects, rest) = Objects::parts(rest)?;
    let changes = matches!(operation, Operation::Set | Operation::Unset);
    let json = objects.format(option)?;
    let set = open(option, rule, name, &rest, Some(json))?;
    if changes && set.has_objects() {
        return Err(word.error("a set of JSON takes isset and isnotset only."));
    }
    if objects.context_key.is_some() && !set.has_objects() {
        return Err(option.error("`context_key` needs `format json` or `format ndjson`."));
    }
    if changes {
        set.expect_changes();
    }
    rule.checks.sets.push(Arc::clone(&set));
    if matches!(objects.reach, Reach::Domains) && (changes || set.kind() != DataKind::Text) {
        return Err(option.error("`match subdomain` is for isset and isnotset, and for sets of type string."));
    }
    push(option, rule, Member { set, operation, reach: objects.reach, context_key: objects.context_key })
}

fn reputation(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let items = comma_list(&text);
    let [name, sign, value, rest @ ..] = items.as_slice() else {
        return Err(text.error("`datarep` needs at least a name, an operator and a value."));
    };
    let comparison = match sign.as_str() {
        "<" => Comparison::Less,
        ">" => Comparison::Greater,
        "==" => Comparison::Equal,
        _ => return Err(sign.error(format!("`{sign}` is no operator of `datarep`: < > or ==."))),
    };
    let value =
        value.parse::<u16>().map_err(|_| value.error(format!("'{value}' is no reputation up to 65535.")))?;
    let set = open(option, rule, name, rest, None)?;
    if set.has_objects() {
        return Err(name.error(format!("the values of dataset {name} have no reputations.")));
    }
    push(option, rule, Reputation { set, comparison, value: value.into() })
}

fn push(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    check: impl BufferCheck + 'static,
) -> Result<(), SyntaxError> {
    if !rule.in_buffer() {
        return Err(option
            .name
            .error(format!("`{}` needs a sticky buffer before it.", option.name))
            .with_help("write `dns.query; dataset:isset,…;`"));
    }
    rule.push_check(option, Check::Whole(Box::new(check)))
}

/// Keys of an option for the objects of a file of JSON, and how values are looked for.
#[derive(Default)]
struct Objects {
    lines: Option<bool>,
    value_key: Option<Spanned>,
    array_key: Option<Spanned>,
    context_key: Option<Arc<str>>,
    remove_key: bool,
    reach: Reach,
}

impl Objects {
    /// Takes them from the option's items; gives the others.
    fn parts(items: &[Spanned]) -> Result<(Self, Vec<Spanned>), SyntaxError> {
        let (mut objects, mut others) = (Self::default(), Vec::new());
        for item in items {
            let (key, value) = key_value(item);
            match key.as_str() {
                "format" => {
                    objects.lines = match value.as_str() {
                        "csv" => None,
                        "json" => Some(false),
                        "ndjson" => Some(true),
                        _ => {
                            return Err(value
                                .error(format!("unknown format '{value}'."))
                                .with_help("write csv, json or ndjson"));
                        }
                    };
                }
                "value_key" => objects.value_key = Some(path(value)?),
                "array_key" => objects.array_key = Some(path(value)?),
                "context_key" => objects.context_key = Some(context_key(&value)?),
                "remove_key" if value.is_empty() => objects.remove_key = true,
                "match" if value == "subdomain" => objects.reach = Reach::Domains,
                "match" => return Err(value.error(format!("unknown match mode '{value}'."))),
                _ => others.push(item.clone()),
            }
        }
        Ok((objects, others))
    }

    /// Form of its JSON, if it is JSON.
    fn format(&self, option: &RuleOption) -> Result<Option<JsonFormat>, SyntaxError> {
        let Some(lines) = self.lines else {
            return match &self.value_key.as_ref().or(self.array_key.as_ref()) {
                Some(key) => Err(key.error("keys need `format json` or `format ndjson`.")),
                None if self.remove_key => {
                    Err(option.error("`remove_key` needs `format json` or `format ndjson`."))
                }
                None => Ok(None),
            };
        };
        let Some(value_key) = &self.value_key else {
            return Err(option.error("`dataset` needs a value_key for a file of JSON."));
        };
        if let Some(key) = self.array_key.as_ref().filter(|_| lines) {
            return Err(key.error("`array_key` is for `format json` only."));
        }
        Ok(Some(JsonFormat {
            lines,
            value_key: value_key.to_string(),
            array_key: self.array_key.as_ref().map(ToString::to_string),
            remove_key: self.remove_key,
        }))
    }
}

/// Keys with points between them.
fn path(text: Spanned) -> Result<Spanned, SyntaxError> {
    if text.split('.').any(str::is_empty) {
        return Err(text.error(format!("`{text}` is no key of JSON.")));
    }
    Ok(text)
}

fn context_key(text: &Spanned) -> Result<Arc<str>, SyntaxError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() || text.len() > MAX_CONTEXT_KEY || !text.chars().all(plain) {
        return Err(text.error(format!("`{text}` is no key for a context.")).with_help(format!(
            "write up to {MAX_CONTEXT_KEY} letters, digits, underscores, hyphens and points"
        )));
    }
    Ok(text.as_str().into())
}

/// The set that the option names. `json`: none for sets that are never saved; else how it is JSON.
fn open(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    name: &Spanned,
    items: &[Spanned],
    json: Option<Option<JsonFormat>>,
) -> Result<Arc<Dataset>, SyntaxError> {
    if name.is_empty() || name.len() > MAX_NAME || name.contains(char::is_whitespace) {
        return Err(name.error(format!("`{name}` is no name of a dataset.")));
    }
    let environment = rule.environment;
    rule.demands.lists = true;
    let sets = &environment.datasets;
    let folder = Path::new(&*rule.info.file).parent().unwrap_or(Path::new("")).to_owned();
    let written = json.is_some();
    let mut wanted = Description { json: json.flatten(), ..Description::default() };
    let mut state = false;
    let mut files: Vec<String> = Vec::new();
    for item in items {
        let (key, value) = key_value(item);
        if matches!(key.as_str(), "load" | "save" | "state") {
            if files.iter().any(|file| *file == key.as_str()) {
                return Err(item.error(format!("'{key}' can only appear once")));
            }
            files.push(key.as_str().to_owned());
        }
        let writable = || sets.writable(&value).map_err(|message| value.error(message));
        match key.as_str() {
            "type" => {
                let kind = DataKind::named(&value);
                wanted.kind = Some(kind.ok_or_else(|| value.error(format!("bad type {value}")))?);
            }
            "load" => {
                // Beside the rules, or else where those of the configuration are.
                let beside = folder.join(value.as_str());
                wanted.load = Some(if beside.exists() { beside } else { sets.readable(&value) });
            }
            "save" if written => wanted.save = Some(writable()?),
            "state" if written => {
                wanted.save = Some(writable()?);
                state = true;
            }
            "memcap" => {
                wanted.memcap = parse_size(&value).ok();
                if wanted.memcap.is_none() {
                    rule.warn(item.error(format!("invalid value for memcap: {value}, resetting to default")));
                }
            }
            "hashsize" => {
                wanted.hash_size = value.parse().ok().filter(|size| *size > 0);
                if wanted.hash_size.is_none() {
                    rule.warn(
                        item.error(format!("invalid value for hashsize: {value}, resetting to default")),
                    );
                }
            }
            _ => return Err(item.error(format!("`{}` does not know `{item}`.", option.name))),
        }
    }
    if state {
        if files.len() > 1 {
            return Err(option.error("'state' can not be mixed with 'load' and 'save'"));
        }
        wanted.load = wanted.save.clone().filter(|path| path.exists());
    }
    if wanted.json.is_some() && (wanted.save.is_some() || wanted.load.is_none()) {
        return Err(option.error("a set of JSON needs `load`, and can't be saved."));
    }
    sets.open(name, &wanted).map_err(|message| option.error(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::dataset::Datasets;

    #[test]
    fn domains_above_count_where_they_are_asked_for() {
        let wanted = Description { kind: Some(DataKind::Text), ..Description::default() };
        let set = Datasets::default().open("evil", &wanted).unwrap();
        set.add(b".evil.com", 0);
        for (reach, value, expected) in [
            (Reach::Domains, ".evil.com", Some(".evil.com")),
            (Reach::Domains, ".mail.evil.com", Some(".evil.com")),
            (Reach::Domains, "a.b.evil.com", Some(".evil.com")),
            (Reach::Domains, ".notevil.com", None),
            (Reach::Domains, ".com", None),
            (Reach::Domains, "", None),
            (Reach::Value, ".mail.evil.com", None),
        ] {
            let member =
                Member { set: Arc::clone(&set), operation: Operation::IsSet, reach, context_key: None };
            assert_eq!(member.member(value.as_bytes()), expected.map(str::as_bytes), "{value}");
        }
    }
}
