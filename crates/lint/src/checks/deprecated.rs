//! Older spellings of buffers: content modifiers, `uricontent`, flags of `pcre`, names with `_`.

use weir_detect::buffer::Check;
use weir_detect::builder::List;
use weir_detect::fields::FieldUse;
use weir_detect::signature::Target;
use weir_rules::{Resolver, RuleOption, Span};

use crate::finding::Finding;
use crate::fix::{Edit, Fix, same_meaning};
use crate::lints;
use crate::subject::Subject;

/// Flags of `pcre` that name a buffer.
const BUFFER_FLAGS: &str = "UIPQHDMCSYVWZ";

/// An option in an older spelling.
struct Older {
    span: Span,
    old: String,
    new: String,
    /// Only the name is another.
    renamed: bool,
}

/// The older spellings of a rule, as one finding.
pub(crate) fn deprecated(subject: &Subject<'_>, resolver: &mut Resolver<'_>) -> Option<Finding> {
    let older: Vec<Older> = subject
        .rule
        .options
        .iter()
        .enumerate()
        .filter_map(|(at, option)| older(subject, at, option))
        .collect();
    let first = older.first()?;
    let more = match older.len() - 1 {
        0 => String::new(),
        count => format!(" There are {count} more in this rule."),
    };
    let message = format!("`{}` is an older spelling of `{}`.{more}", first.old, first.new);
    let fix = if older.iter().all(|older| older.renamed) {
        let rename = |older: &Older| Edit { span: older.span, text: older.new.clone() };
        Some(Fix::new(older.iter().map(rename).collect()))
    } else {
        sticky(subject, &older)
    };
    let fix = fix.and_then(|fix| {
        let narrowed = http1_only(subject, &fix);
        [Some(fix), narrowed].into_iter().flatten().find(|fix| same_meaning(subject, fix, resolver))
    });
    Some(
        Finding::at(&lints::DEPRECATED_SPELLING, subject.rule, first.span, message)
            .help(format!("write `{};` before what looks at it", first.new))
            .with_fix(fix),
    )
}

/// Turns the fix of a rule on `http` into one on `http1`: the older spellings do not look at HTTP/2.
fn http1_only(subject: &Subject<'_>, fix: &Fix) -> Option<Fix> {
    let protocol = &subject.rule.protocol.name;
    let narrowed = Edit { span: protocol.span(), text: "http1".to_owned() };
    let edits = fix.edits.iter().cloned().chain([narrowed]).collect();
    (protocol.as_str() == "http").then(|| Fix::new(edits))
}

fn older(subject: &Subject<'_>, position: usize, option: &RuleOption) -> Option<Older> {
    let name = option.name.as_str();
    let older = |new: &str, renamed| {
        Some(Older { span: option.name.span(), old: name.to_owned(), new: new.to_owned(), renamed })
    };
    if name == "uricontent" {
        return older("http.uri", false);
    }
    if name == "pcre" {
        let (body, flags) = flags(option)?;
        let flag = flags.chars().find(|flag| BUFFER_FLAGS.contains(*flag))?;
        let (list, _) = list_of(subject, position)?;
        let List::Buffer(index) = list else { return None };
        let new = subject.compiled.signature.checks.buffers.get(index)?.name.to_owned();
        let span = Span::new(body, body + flags.len());
        return Some(Older { span, old: format!("/{flag}"), new, renamed: false });
    }
    let (kind, rows) = subject.environment.fields.find(name)?;
    let canonical = rows.first()?.field.name;
    match kind {
        FieldUse::Modifier => older(canonical, false),
        _ if name != canonical && canonical.contains('.') && !name.contains('.') => older(canonical, true),
        _ => None,
    }
}

/// The flags of a `pcre` option, and where they begin in the rule's text.
fn flags(option: &RuleOption) -> Option<(usize, &str)> {
    let value = option.value.as_ref()?;
    let start = value.rfind('/')? + 1;
    let end =
        value.get(start..)?.find(|c: char| !c.is_ascii_alphabetic()).map_or(value.len(), |at| start + at);
    Some((value.span().start + start, value.get(start..end)?))
}

fn list_of(subject: &Subject<'_>, position: usize) -> Option<(List, usize)> {
    let found = subject.compiled.places.checks.iter().find(|(_, _, option)| *option == position);
    found.map(|(list, index, _)| (*list, *index))
}

/// The rule with sticky buffers: the options that check bytes, gathered by buffer, in their order.
fn sticky(subject: &Subject<'_>, older: &[Older]) -> Option<Fix> {
    let rule = subject.rule;
    let buffers = &subject.compiled.signature.checks.buffers;
    let mixed = rule.options.iter().any(|option| {
        let name = option.name.as_str();
        matches!(
            name,
            "pkt_data" | "base64_decode" | "base64_data" | "byte_extract" | "byte_math" | "replace"
        ) || matches!(subject.environment.fields.find(name), Some((FieldUse::Sticky, _)))
    });
    let plain = buffers.iter().all(|buffer| {
        matches!(buffer.target, Target::Transaction(_))
            && buffer.transforms.is_empty()
            && buffer.absent.is_none()
            && buffer.direction.is_none()
    });
    if mixed || !plain || !rule.origin.is_one_line() {
        return None;
    }
    let mut taken = vec![false; rule.options.len()];
    let mut parts = Vec::new();
    for list in subject.lists() {
        let checks: &[Check] = subject.checks(list);
        if checks.is_empty() {
            continue;
        }
        if let List::Buffer(index) = list {
            parts.push(buffers.get(index)?.name.to_owned());
        }
        for index in 0..checks.len() {
            let position = subject.position(list, index)?;
            parts.push(check_text(subject, rule.options.get(position)?, older)?);
            *taken.get_mut(position)? = true;
            for (offset, modifier) in subject.modifiers(list, index).iter().enumerate() {
                *taken.get_mut(position + 1 + offset)? = true;
                if !older.iter().any(|older| older.span == modifier.name.span()) {
                    parts.push(text_of(subject, modifier.span)?.to_owned());
                }
            }
        }
    }
    let first = taken.iter().position(|taken| *taken)?;
    let last = taken.iter().rposition(|taken| *taken)?;
    let between = rule.options.get(first..=last)?.iter().zip(taken.get(first..=last)?);
    for (option, _) in between.filter(|(_, taken)| !**taken) {
        parts.push(text_of(subject, option.span)?.to_owned());
    }
    let span = Span::new(rule.options.get(first)?.span.start, rule.options.get(last)?.span.end);
    Some(Fix::new(vec![Edit { span, text: parts.join("; ") }]))
}

/// An option that checks bytes, without the buffer that it names itself.
fn check_text(subject: &Subject<'_>, option: &RuleOption, older: &[Older]) -> Option<String> {
    let text = text_of(subject, option.span)?;
    if option.name == "uricontent" {
        return text.strip_prefix("uri").map(str::to_owned);
    }
    let Some((start, flags)) = flags(option).filter(|_| option.name == "pcre") else {
        return Some(text.to_owned());
    };
    if !older.iter().any(|older| older.span == Span::new(start, start + flags.len())) {
        return Some(text.to_owned());
    }
    let kept: String = flags.chars().filter(|flag| !BUFFER_FLAGS.contains(*flag)).collect();
    let before = text_of(subject, Span::new(option.span.start, start))?;
    let after = text_of(subject, Span::new(start + flags.len(), option.span.end))?;
    Some(format!("{before}{kept}{after}"))
}

fn text_of<'a>(subject: &Subject<'a>, span: Span) -> Option<&'a str> {
    subject.rule.origin.text.get(span.start..span.end)
}
