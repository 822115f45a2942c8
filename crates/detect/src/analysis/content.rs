//! A literal as reports show it.

use weir_base::JsonWriter;

use crate::model::buffer::content::FastPattern;
use crate::model::buffer::{Check, Content, Number, Reach};

/// A literal in its list.
pub(super) struct ContentView<'a> {
    /// The literal.
    pub content: &'a Content,
    /// The prefilter looks for it.
    pub is_mpm: bool,
    /// No check before it could be what `distance` and `within` count from.
    pub first: bool,
    /// `isdataat:!1,relative` follows, which says the same as `endswith`.
    pub ends: bool,
}

impl<'a> ContentView<'a> {
    /// The literal at `position` of `checks`.
    pub fn at(checks: &'a [Check], position: usize, mpm: Option<usize>) -> Option<Self> {
        let Some(Check::Content(content)) = checks.get(position) else { return None };
        let before = checks.get(..position).unwrap_or_default();
        Some(Self {
            content,
            is_mpm: mpm == Some(position),
            first: before.iter().all(|check| matches!(check, Check::Whole(_))),
            ends: checks.get(position + 1).is_some_and(is_end),
        })
    }

    /// Whether `within` was read as `depth`.
    pub fn within_is_depth(&self) -> bool {
        self.first && self.content.within.is_some()
    }

    /// Whether `distance` was read as `offset`.
    pub fn distance_is_offset(&self) -> bool {
        self.first && self.content.distance.is_some()
    }

    fn place(&self) -> Place {
        let content = self.content;
        if self.first && content.is_relative() {
            let offset = content.distance.filter(|distance| *distance != Number::Value(0));
            return Place {
                offset,
                depth: content.within.map(|w| plus(w, content.distance)),
                ..Place::default()
            };
        }
        Place {
            offset: content.offset.filter(|_| !content.starts_with),
            depth: content.depth.map(|depth| plus(depth, content.offset)),
            distance: content.distance,
            within: content.within,
        }
    }

    /// Whether finding the literal decides it: nothing about its place is left to check.
    fn decided_when_found(&self) -> bool {
        let content = self.content;
        let place = self.place();
        self.is_mpm
            && !content.negated
            && !content.ends_with
            && !self.ends
            && !content.followed
            && place == Place::default()
            && !matches!(content.fast_pattern, Some(FastPattern::Chop { .. }))
    }

    /// The fields of an object `content`.
    pub fn write(&self, json: &mut JsonWriter<'_>) {
        let content = self.content;
        // Where case does not matter, reports show none.
        let bytes = if content.nocase { content.bytes.to_ascii_lowercase() } else { content.bytes.to_vec() };
        json.string("pattern", pattern(&bytes));
        json.unsigned("length", content.bytes.len() as u64);
        json.boolean("nocase", content.nocase);
        json.boolean("negated", content.negated);
        json.boolean("starts_with", content.starts_with);
        json.boolean("ends_with", content.ends_with || self.ends);
        json.boolean("is_mpm", self.is_mpm);
        json.boolean("no_double_inspect", self.decided_when_found());
        let place = self.place();
        let numbers = [
            ("offset", place.offset),
            ("depth", place.depth),
            ("distance", place.distance),
            ("within", place.within),
        ];
        for (key, number) in numbers {
            match number {
                Some(Number::Value(value)) => json.signed(key, value),
                Some(Number::Variable(_)) => json.string(key, "<var>"),
                None => {}
            }
        }
        json.boolean("fast_pattern", content.fast_pattern.is_some());
        json.boolean("relative_next", content.followed && !self.ends);
    }
}

/// Where a literal may lie.
#[derive(Default, PartialEq, Eq)]
struct Place {
    offset: Option<Reach>,
    depth: Option<Reach>,
    distance: Option<Reach>,
    within: Option<Reach>,
}

/// A bound that counts from the buffer's start, given one that counts from `offset`.
fn plus(bound: Reach, offset: Option<Reach>) -> Reach {
    match (bound, offset) {
        (Number::Value(bound), Some(Number::Value(offset))) => Number::Value(bound.saturating_add(offset)),
        (bound, _) => bound,
    }
}

/// Whether the check says that the buffer ends where the content before it does.
pub(super) fn is_end(check: &Check) -> bool {
    matches!(check, Check::IsDataAt(at) if at.negated && at.relative && at.at == Number::Value(1))
}

/// Bytes as rules write them: what is no visible character in hexadecimal between bars.
pub(super) fn pattern(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut in_hex = false;
    for &byte in bytes {
        if byte.is_ascii_graphic() && !matches!(byte, b'|' | b'"' | b';' | b'\\' | b':') {
            if std::mem::take(&mut in_hex) {
                text.push('|');
            }
            text.push(char::from(byte));
        } else {
            text.push(if in_hex { ' ' } else { '|' });
            in_hex = true;
            text.push_str(&format!("{byte:02X}"));
        }
    }
    if in_hex {
        text.push('|');
    }
    text
}
