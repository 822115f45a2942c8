//! `dataset` and `datarep`: a buffer as a value of a large set.

use std::path::Path;
use std::sync::Arc;

use weir_rules::value::{comma_list, key_value, parse_size};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::buffer::{Buffer, BufferCheck, Check};
use crate::builder::RuleBuilder;
use crate::dataset::{DataKind, Dataset, Description};
use crate::keyword::KeywordRow;

/// Longest name of a set.
const MAX_NAME: usize = 63;

/// The family's keywords.
pub const KEYWORDS: &[KeywordRow] = &[
    KeywordRow::new(
        "dataset",
        [
            "dataset:<isset|isnotset|set|unset>,<name>[,type <string|md5|sha256|ipv4|ip>][,load <file>]\
             [,save <file>|,state <file>][,memcap <size>][,hashsize <rows>];",
            "Whether the buffer is in a set, or puts it there or takes it out.",
            "dns.query; dataset:isset,bad-names,type string,load names.lst;",
        ],
        dataset,
    ),
    KeywordRow::new(
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

#[derive(Debug)]
struct Member {
    set: Arc<Dataset>,
    operation: Operation,
}

impl BufferCheck for Member {
    fn matches(&self, buffer: &Buffer<'_>) -> bool {
        match self.operation {
            Operation::IsSet => self.set.find(buffer.bytes).is_some(),
            Operation::IsNotSet => self.set.find(buffer.bytes).is_none(),
            Operation::Set => self.set.add(buffer.bytes, 0),
            Operation::Unset => self.set.remove(buffer.bytes),
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
    value: u16,
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
    let set = open(option, rule, name, rest, true)?;
    if matches!(operation, Operation::Set | Operation::Unset) {
        set.expect_changes();
    }
    rule.sets.push(Arc::clone(&set));
    push(option, rule, Member { set, operation })
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
    let value = value.parse().map_err(|_| value.error(format!("'{value}' is no reputation up to 65535.")))?;
    let set = open(option, rule, name, rest, false)?;
    push(option, rule, Reputation { set, comparison, value })
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

/// The set that the option names; `written`: it may be saved.
fn open(
    option: &RuleOption,
    rule: &RuleBuilder<'_>,
    name: &Spanned,
    items: &[Spanned],
    written: bool,
) -> Result<Arc<Dataset>, SyntaxError> {
    if name.is_empty() || name.len() > MAX_NAME || name.contains(char::is_whitespace) {
        return Err(name.error(format!("`{name}` is no name of a dataset.")));
    }
    let sets = &rule.environment.datasets;
    let folder = Path::new(&*rule.info.file).parent().unwrap_or(Path::new("")).to_owned();
    let mut wanted = Description::default();
    let mut state = false;
    for item in items {
        let (key, value) = key_value(item);
        let writable = || sets.writable(&value).map_err(|message| value.error(message));
        match key.as_str() {
            "type" => {
                let kind = DataKind::named(&value);
                wanted.kind = Some(kind.ok_or_else(|| value.error(format!("bad type {value}")))?);
            }
            "load" => {
                // Beside the rules, or else in the folder that the program was started in.
                let beside = folder.join(value.as_str());
                wanted.load = Some(if beside.exists() { beside } else { value.as_str().into() });
            }
            "save" if written => wanted.save = Some(writable()?),
            "state" if written => {
                wanted.save = Some(writable()?);
                state = true;
            }
            "memcap" => wanted.memcap = Some(parse_size(&value).map_err(|e| value.locate(e))?),
            "hashsize" => {
                let size = value.parse().ok().filter(|size| *size > 0);
                wanted.hash_size =
                    Some(size.ok_or_else(|| value.error(format!("'{value}' is no number of rows.")))?);
            }
            _ => return Err(item.error(format!("`{}` does not know `{item}`.", option.name))),
        }
    }
    if state {
        if wanted.load.is_some() {
            return Err(option.error("'state' can't be mixed with 'load'"));
        }
        wanted.load = wanted.save.clone().filter(|path| path.exists());
    }
    sets.open(name, &wanted).map_err(|message| option.error(message))
}
