//! The literal that a prefilter can look for.

use weir_detect::buffer::Check;
use weir_detect::builder::List;
use weir_detect::signature::PrefilterPlace;

use crate::finding::Finding;
use crate::lints;
use crate::subject::Subject;

/// A literal of so many bytes is in most traffic.
const SHORT: usize = 2;

/// Whether there is a literal, and whether it narrows anything.
pub(super) fn literal(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    match &subject.compiled.signature.prefilter {
        Some(prefilter) => {
            let list = match prefilter.place {
                PrefilterPlace::Payload => List::Payload,
                PrefilterPlace::Buffer(index) => List::Buffer(index),
            };
            short(subject, list, prefilter.content, findings);
        }
        None => none(subject, findings),
    }
}

fn short(subject: &Subject<'_>, list: List, index: usize, findings: &mut Vec<Finding>) {
    let Some(content) = subject.compiled.signature.prefilter_content() else { return };
    let length = content.prefilter_bytes().len();
    if length > SHORT {
        return;
    }
    let place = subject.list_name(list);
    let bytes = if length == 1 { "byte" } else { "bytes" };
    let message = format!("The prefilter looks for this literal of {length} {bytes} in {place}.");
    let longer = subject.contents().iter().any(|placed| {
        !placed.content.negated && placed.content.bytes.len() > SHORT && placed.list != List::Decoded
    });
    let help = if longer {
        "mark a longer content with `fast_pattern`"
    } else {
        "add a longer content that is there too whenever the rule is to match"
    };
    let span = subject.span(list, index);
    findings.push(Finding::at(&lints::SHORT_FAST_PATTERN, subject.rule, span, message).help(help));
}

fn none(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let mut contents = false;
    let mut negated = None;
    let mut regex = None;
    let mut other = None;
    for list in subject.lists() {
        for (index, check) in subject.checks(list).iter().enumerate() {
            let place = (list, index);
            match check {
                Check::Content(content) if content.negated => negated = negated.or(Some(place)),
                Check::Content(_) => contents = true,
                Check::Regex(_) => regex = regex.or(Some(place)),
                _ => other = other.or(Some(place)),
            }
        }
    }
    // A content that no prefilter can use, as those on packet headers and decoded bytes.
    let (lint, place, message) = match (regex, negated, other) {
        (Some(place), None, _) if !contents => (
            &lints::PCRE_WITHOUT_CONTENT,
            place,
            "Nothing but this expression tells whether the rule matches these bytes.",
        ),
        (None, Some(place), None) if !contents => (
            &lints::NEGATED_CONTENT_ONLY,
            place,
            "All that the rule asks of the bytes is what they must not have.",
        ),
        (regex, negated, other) => {
            let Some(place) = regex.or(negated).or(other) else { return };
            let message = "No content of the rule can be looked for ahead of this.";
            (&lints::NO_FAST_PATTERN, place, message)
        }
    };
    let span = subject.span(place.0, place.1);
    findings.push(
        Finding::at(lint, subject.rule, span, message)
            .help("add a `content` of bytes that are there whenever the rule is to match"),
    );
}
