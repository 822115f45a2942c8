//! Contents with their modifiers, and numbers read from the bytes.

use weir_detect::buffer::{Check, Content};

use crate::finding::Finding;
use crate::fix::Fix;
use crate::lints;
use crate::subject::Subject;

/// `distance` and `within` of what comes first.
pub(super) fn relative_to_nothing(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for placed in subject.contents() {
        if placed.index > 0 || !placed.content.is_relative() {
            continue;
        }
        let modifiers = subject.modifiers(placed.list, placed.index);
        let Some(option) = modifiers.iter().find(|o| matches!(o.name.as_str(), "distance" | "within")) else {
            continue;
        };
        let list = subject.list_name(placed.list);
        let message =
            format!("`{}` counts from the start of {list}: nothing is matched there before.", option.name);
        findings.push(
            Finding::at(&lints::RELATIVE_TO_NOTHING, subject.rule, option.span, message)
                .help("write `offset` for `distance` and `depth` for `within`, or leave `distance:0` out"),
        );
    }
}

/// Whether a content has no place of its own, so that it is found at its first occurrence.
fn is_anywhere(content: &Content) -> bool {
    !content.negated
        && !content.is_relative()
        && content.offset.is_none()
        && content.depth.is_none()
        && !content.starts_with
        && !content.ends_with
}

/// Finds contents that are repeated.
pub(super) fn repeated(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for list in subject.lists() {
        let checks = subject.checks(list);
        let content_at = |index: usize| match checks.get(index) {
            Some(Check::Content(content)) if is_anywhere(content) => Some(&**content),
            _ => None,
        };
        for index in 1..checks.len() {
            let Some(content) = content_at(index) else { continue };
            // What is relative to it begins at its first occurrence again.
            if checks.get(index + 1).is_some_and(Check::is_relative) {
                continue;
            }
            let same = |other: &Content| other.bytes == content.bytes && (other.nocase <= content.nocase);
            if !(0..index).any(|earlier| content_at(earlier).is_some_and(same)) {
                continue;
            }
            let place = subject.list_name(list);
            let message =
                format!("The same content was asked of {place} before, and is found where that is.");
            findings.push(
                Finding::at(&lints::REPEATED_CONTENT, subject.rule, subject.span(list, index), message)
                    .help("add `distance:0;` where a second occurrence is meant, or leave it out"),
            );
        }
    }
}

/// `nocase` without letters.
pub(super) fn redundant_nocase(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for placed in subject.contents() {
        if !placed.content.nocase || placed.content.bytes.iter().any(u8::is_ascii_alphabetic) {
            continue;
        }
        let modifiers = subject.modifiers(placed.list, placed.index);
        let Some(option) = modifiers.iter().find(|option| option.name == "nocase") else { continue };
        let message = "The content has no letters.".to_owned();
        findings.push(
            Finding::at(&lints::REDUNDANT_NOCASE, subject.rule, option.span, message)
                .help("leave `nocase;` out")
                .with_fix(Fix::without_option(subject.rule, option)),
        );
    }
}

/// Byte variables that nothing reads.
pub(super) fn unused_variables(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let options = &subject.rule.options;
    for (position, option) in options.iter().enumerate() {
        let Some(value) = &option.value else { continue };
        let name = match option.name.as_str() {
            "byte_extract" => value.split(',').nth(2).map(str::trim),
            "byte_math" => {
                value.split(',').find_map(|item| item.trim().strip_prefix("result")).map(str::trim)
            }
            _ => continue,
        };
        let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
        let reads = |text: &str| {
            text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
                .any(|word| word == name)
        };
        let used = options.iter().enumerate().any(|(other, option)| {
            other != position && option.value.as_ref().is_some_and(|value| reads(value))
        });
        if !used {
            let message = format!("Nothing in the rule uses `{name}`.");
            findings.push(
                Finding::at(&lints::UNUSED_BYTE_VARIABLE, subject.rule, option.span, message)
                    .help("use it in a later option (`distance`, `byte_test`, …), or leave this one out"),
            );
        }
    }
}
