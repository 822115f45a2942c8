//! Checks on the files of a transaction.

use std::sync::Arc;

use weir_applayer::{Access, Field, FileState, Progress, Transaction, TransactionCheck};
use weir_base::Direction;
use weir_rules::value::{IntegerMatch, parse_pattern};
use weir_rules::{Quotes, RuleOption, Span, SyntaxError};

use crate::builder::keyword::Keyword;
use crate::builder::{RuleBuilder, direction_of};
use crate::model::buffer::{Check, Content};
use crate::model::signature::{FieldRow, ValueMatch};

/// The sticky buffer of file names.
const FILE_NAME: &str = "file.name";

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "filename",
        [
            "filename:[!]\"<part>\";",
            "The name of a file has this in it, in either case.",
            "filename:\"invoice\";",
        ],
        |option, rule| name_part(option, rule, |part| (part, false)),
    ),
    Keyword::new(
        "fileext",
        ["fileext:[!]\"<extension>\";", "The extension of a file, in either case.", "fileext:\"pdf\";"],
        |option, rule| {
            name_part(option, rule, |mut extension| {
                extension.insert(0, b'.');
                (extension, true)
            })
        },
    ),
    Keyword::new(
        "filesize",
        ["filesize:<comparison>;", "The size of a file; units are KB, MB and GB.", "filesize:>1MB;"],
        file_size,
    ),
    Keyword::new(
        "file.magic",
        [
            "file.magic;",
            "Sticky buffer: what a file is, in the words of libmagic, which must be installed.",
            "file.magic; content:\"PDF document\";",
        ],
        |option, rule| {
            let direction = direction_of(option)?;
            let rows = descriptions(option, rule)?;
            rule.select(option, DESCRIPTION.name, &rows, direction)
        },
    )
    .also(&["file_magic"]),
    Keyword::new(
        "filemagic",
        [
            "filemagic:[!]\"<part>\";",
            "What a file is, in the words of libmagic, has this in it, in either case.",
            "filemagic:\"PDF document\";",
        ],
        |option, rule| {
            let rows = descriptions(option, rule)?;
            part(option, rule, &rows, |part| (part, false))
        },
    ),
];

/// Field that `file.magic` looks at.
static DESCRIPTION: Field = Field {
    access: Access::FileDescription,
    ..files("file.magic", "What the transaction's files are, in words.")
};

/// The rows of `file.magic`.
fn descriptions(option: &RuleOption, rule: &RuleBuilder<'_>) -> Result<Vec<FieldRow>, SyntaxError> {
    if let Some(reason) = &*rule.environment.no_descriptions {
        return Err(option.name.error(format!("`{}` cannot be used: {reason}.", option.name)));
    }
    rows(option, rule, &DESCRIPTION)
}

/// A content in the names of files: what `make` gives for the option's bytes, and whether the name
/// must end with it.
fn name_part(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    make: fn(Vec<u8>) -> (Vec<u8>, bool),
) -> Result<(), SyntaxError> {
    let environment = rule.environment;
    let Some((_, rows)) = environment.fields.find(FILE_NAME) else { return Err(no_files(option)) };
    part(option, rule, rows, make)
}

/// Looks in any text that files have.
fn part(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    rows: &[FieldRow],
    make: fn(Vec<u8>) -> (Vec<u8>, bool),
) -> Result<(), SyntaxError> {
    let argument = option.argument(true, Quotes::Optional)?;
    let bytes = parse_pattern(&argument.text).map_err(|error| argument.text.locate(error))?;
    let (bytes, ends_with) = make(bytes);
    let mut content = Content::new(bytes, argument.negated);
    content.nocase = true;
    content.ends_with = ends_with;
    let list = rule.list_of(option, rows)?;
    rule.push_check_to(option, list, Check::Content(Box::new(content)))
}

fn no_files(option: &RuleOption) -> SyntaxError {
    option.name.error(format!("`{}` needs a protocol that carries files, and none is there.", option.name))
}

/// `filesize`
struct FileSize(IntegerMatch<u64>);

impl TransactionCheck for FileSize {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        transaction.meta().current_files(direction).any(|file| match file.state {
            FileState::Closed => self.0.matches(file.size),
            // Of a file that was not seen to its end only a lower bound is known.
            FileState::Truncated | FileState::Error => match self.0 {
                IntegerMatch::Greater(size) => file.size > size,
                IntegerMatch::GreaterOrEqual(size) => file.size >= size,
                _ => false,
            },
            FileState::Open => false,
        })
    }
}

/// Field that `filesize` looks at.
static FILES: Field = files("filesize", "The size of the transaction's files.");

fn file_size(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let mut text = option.argument(false, Quotes::Optional)?.text;
    let mut direction = None;
    // A rule on both directions of a transaction may say whose files are meant.
    for (word, named) in [("to_server", Direction::ToServer), ("to_client", Direction::ToClient)] {
        let rest = text.strip_prefix(word).map(str::trim_start).and_then(|rest| rest.strip_prefix(','));
        if let Some(rest) = rest {
            text = text.slice(Span::new(text.len() - rest.len(), text.len())).trimmed();
            direction = Some(named);
            break;
        }
    }
    let comparison = IntegerMatch::parse(&text).map_err(|error| text.locate(error))?;
    push_check(option, rule, &FILES, FileSize(comparison))?;
    if let Some(buffer) = rule.checks.buffers.last_mut() {
        buffer.direction = direction;
    }
    Ok(())
}

/// `filestore` without a direction: there is a file to store.
struct AnyFile;

impl TransactionCheck for AnyFile {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        transaction.meta().current_files(direction).next().is_some()
    }
}

/// Field that `filestore` looks at.
static ANY_FILE: Field = files("filestore", "The transaction's files, whatever they are.");

/// Adds the condition that there is a file in the rule's direction.
pub(super) fn require_file(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    push_check(option, rule, &ANY_FILE, AnyFile)
}

/// Adds a check on the files of all protocols that carry some; `field` names it.
pub(super) fn push_check(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    field: &'static Field,
    check: impl TransactionCheck + 'static,
) -> Result<(), SyntaxError> {
    let rows = rows(option, rule, field)?;
    rule.push_value(option, field.name, &rows, ValueMatch::Check(Arc::new(check)))
}

/// The field of all protocols that carry files.
fn rows(
    option: &RuleOption,
    rule: &RuleBuilder<'_>,
    field: &'static Field,
) -> Result<Vec<FieldRow>, SyntaxError> {
    let carries = |access: &Access| matches!(access, Access::FileData | Access::FileName);
    let protocols = rule.environment.fields.protocols().iter();
    let rows: Vec<FieldRow> = protocols
        .filter(|protocol| protocol.fields.iter().any(|field| carries(&field.access)))
        .map(|&protocol| FieldRow { protocol, field })
        .collect();
    if rows.is_empty() { Err(no_files(option)) } else { Ok(rows) }
}

/// A row that stands for the files of any protocol.
pub(super) const fn files(name: &'static str, doc: &'static str) -> Field {
    let access = Access::Check(|_| Err("Checks on files are keywords of their own.".to_owned()));
    Field::both(name, Progress(0), access).doc(doc)
}
