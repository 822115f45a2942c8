//! `filemd5`, `filesha1`, `filesha256`: lists of digests that files are looked up in.
//!
//! A list is a text file beside the rule file: one digest in hexadecimal at the start of each line,
//! as `md5sum` and its like write it.

use std::path::Path;

use weir_applayer::{Field, File, Transaction, TransactionCheck};
use weir_base::{Direction, Pipes, Unreadable, hex, named_file};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use super::file::{files, push_check};
use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;

/// Most digests of a list.
const MAX_DIGESTS: usize = 1 << 25;
/// Longest list, in bytes.
const MAX_LIST: u64 = 1 << 32;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "filemd5",
        ["filemd5:[!]<file>;", "The MD5 of a file is in the list, or is not.", "filemd5:known-bad.md5;"],
        |option, rule| compile(option, rule, &MD5, File::md5),
    ),
    Keyword::new(
        "filesha1",
        ["filesha1:[!]<file>;", "The SHA-1 of a file is in the list, or is not.", "filesha1:known-bad.sha1;"],
        |option, rule| compile(option, rule, &SHA1, File::sha1),
    ),
    Keyword::new(
        "filesha256",
        [
            "filesha256:[!]<file>;",
            "The SHA-256 of a file is in the list, or is not.",
            "filesha256:known-bad.sha256;",
        ],
        |option, rule| compile(option, rule, &SHA256, File::sha256),
    ),
];

static MD5: Field = files("filemd5", "The MD5 of the transaction's files.");
static SHA1: Field = files("filesha1", "The SHA-1 of the transaction's files.");
static SHA256: Field = files("filesha256", "The SHA-256 of the transaction's files.");

/// The check; the digests are sorted.
struct DigestList<const N: usize> {
    digests: Vec<[u8; N]>,
    negated: bool,
    read: fn(&File) -> Option<[u8; N]>,
}

impl<const N: usize> TransactionCheck for DigestList<N> {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        let files = transaction.meta().current_files(direction);
        files.filter_map(self.read).any(|digest| self.digests.binary_search(&digest).is_ok() != self.negated)
    }
}

fn compile<const N: usize>(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    field: &'static Field,
    read: fn(&File) -> Option<[u8; N]>,
) -> Result<(), SyntaxError> {
    let argument = option.argument(true, Quotes::Optional)?;
    let beside = Path::new(&*rule.info.file).parent().unwrap_or(Path::new(""));
    let path = beside.join(argument.text.as_str());
    let text = named_file::read(&path, Pipes::Refuse, MAX_LIST).map_err(|error| {
        let reason = Unreadable::new(&path, &error);
        argument.text.error(format!("The list {} cannot be read: {reason}.", path.display()))
    })?;
    rule.demands.lists = true;
    let digests = parse_list(&text, &argument.text)?;
    push_check(option, rule, field, DigestList { digests, negated: argument.negated, read })
}

fn parse_list<const N: usize>(text: &[u8], name: &Spanned) -> Result<Vec<[u8; N]>, SyntaxError> {
    let mut digests = Vec::new();
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            continue;
        }
        let Some(digest) = parse_digest(line) else {
            return Err(name.error(format!("Line {} of the list has no digest of {N} bytes.", index + 1)));
        };
        if digests.len() >= MAX_DIGESTS {
            return Err(name.error(format!("The list has more than {MAX_DIGESTS} digests.")));
        }
        digests.push(digest);
    }
    digests.sort_unstable();
    digests.dedup();
    Ok(digests)
}

fn parse_digest<const N: usize>(line: &[u8]) -> Option<[u8; N]> {
    let mut digest = [0; N];
    for (byte, pair) in digest.iter_mut().zip(line.get(..2 * N)?.chunks_exact(2)) {
        for &digit in pair {
            *byte = (*byte << 4) | hex::value(digit)?;
        }
    }
    // More digits would be another kind of digest.
    let more = line.get(2 * N).copied().and_then(hex::value);
    more.is_none().then_some(digest)
}

#[cfg(test)]
mod tests {
    use weir_rules::Span;

    use super::*;

    #[test]
    fn lists() {
        let name = Spanned::new(&"list".into(), Span::new(0, 4));
        for (text, expected) in [
            ("", Some(0)),
            ("# comment\n0102030a  a.exe\n\n0102030B\r\n0102030a\n", Some(2)),
            ("0102\n", None),
            ("0102030405060708\n", None),
            ("zz02030a\n", None),
        ] {
            let found = parse_list::<4>(text.as_bytes(), &name).ok().map(|digests| digests.len());
            assert_eq!(found, expected, "{text}");
        }
    }
}
