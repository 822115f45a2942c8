//! The checks of one list as reports show them.

use weir_base::JsonWriter;

use super::content::{ContentView, is_end};
use crate::model::buffer::bytes::{Comparison, Encoding, Read};
use crate::model::buffer::content::FastPattern;
use crate::model::buffer::{ByteJump, ByteTest, Check, Number, RegexCheck};
use crate::model::signature::{Absent, BufferMatch};

/// Said where `within` is the first thing in a buffer.
const WITHIN_IS_DEPTH: &str = "'within' option for pattern w/o previous content was converted to 'depth'";
/// Said where `distance` is the first thing in a buffer.
const DISTANCE_IS_OFFSET: &str =
    "'distance' option for pattern w/o previous content was converted to 'offset'";
/// Said of `fast_pattern:only`.
const ONLY_IS_IGNORED: &str =
    "'fast_pattern:only' option is silently ignored and is interpreted as regular 'fast_pattern'";
/// A literal that begins like a request.
const LOOKS_LIKE_REQUEST: &str = "pattern looks like it inspects HTTP, use http.request_line or http.method and \
                                  http.uri instead for improved performance";
/// A literal that begins like the header field.
const LOOKS_LIKE_USER_AGENT: &str =
    "pattern looks like it inspects HTTP, use http.user_agent or http.header for improved performance";

/// Things worth telling about a rule, in the order they were met.
pub(super) type Notes = Vec<&'static str>;

/// The checks of a list, as objects of the array that is open.
pub(super) fn write_checks(
    json: &mut JsonWriter<'_>,
    checks: &[Check],
    mpm: Option<usize>,
    notes: &mut Notes,
) {
    let mut after_content = false;
    for (position, check) in checks.iter().enumerate() {
        let folded = after_content && is_end(check);
        after_content = matches!(check, Check::Content(_));
        if folded {
            continue;
        }
        json.open_object();
        json.string("name", name(check));
        write_details(json, checks, position, mpm, notes);
        json.close_object();
    }
}

/// The checks of a buffer: those of a list, or the one of a field that is no buffer.
pub(super) fn write_buffer(
    json: &mut JsonWriter<'_>,
    buffer: &BufferMatch,
    mpm: Option<usize>,
    notes: &mut Notes,
) {
    if let Some(absent) = buffer.absent {
        json.open_object();
        json.string("name", "absent");
        json.object("absent");
        json.boolean("or_else", absent == Absent::OrElse);
        json.close_object();
        json.close_object();
    }
    if buffer.value.is_some() {
        json.open_object();
        json.string("name", buffer.name);
        json.close_object();
    }
    write_checks(json, &buffer.checks, mpm, notes);
}

fn name(check: &Check) -> &'static str {
    match check {
        Check::Content(_) => "content",
        Check::Regex(_) => "pcre",
        Check::IsDataAt(_) => "isdataat",
        Check::ByteTest(_) => "byte_test",
        Check::ByteJump(_) => "byte_jump",
        Check::ByteExtract(_) => "byte_extract",
        Check::ByteMath(_) => "byte_math",
        Check::Base64Decode(_) => "base64_decode",
        Check::Whole(check) => check.name(),
    }
}

fn write_details(
    json: &mut JsonWriter<'_>,
    checks: &[Check],
    position: usize,
    mpm: Option<usize>,
    notes: &mut Notes,
) {
    match checks.get(position) {
        Some(Check::Content(_)) => {
            let Some(view) = ContentView::at(checks, position, mpm) else { return };
            json.object("content");
            view.write(json);
            json.close_object();
            note_content(&view, notes);
        }
        Some(Check::Regex(regex)) => write_regex(json, regex),
        Some(Check::ByteJump(jump)) => write_jump(json, jump),
        Some(Check::ByteTest(test)) => write_test(json, test),
        _ => {}
    }
}

fn note_content(view: &ContentView<'_>, notes: &mut Notes) {
    let bytes = &view.content.bytes;
    let methods = [&b"GET /"[..], b"POST /", b"HEAD /", b"PUT /"];
    let line = bytes.strip_prefix(b"\n").unwrap_or(bytes);
    let all = [
        (view.content.fast_pattern == Some(FastPattern::Only), ONLY_IS_IGNORED),
        (methods.iter().any(|start| bytes.starts_with(start)), LOOKS_LIKE_REQUEST),
        (line.starts_with(b"User-Agent: "), LOOKS_LIKE_USER_AGENT),
        (view.within_is_depth(), WITHIN_IS_DEPTH),
        (view.distance_is_offset(), DISTANCE_IS_OFFSET),
    ];
    notes.extend(all.iter().filter(|(holds, _)| *holds).map(|(_, note)| *note));
}

fn write_regex(json: &mut JsonWriter<'_>, regex: &RegexCheck) {
    json.object("pcre");
    json.boolean("relative", regex.relative);
    json.boolean("relative_next", regex.followed);
    json.boolean("nocase", regex.nocase);
    json.boolean("negated", regex.negated);
    json.close_object();
}

fn write_number(json: &mut JsonWriter<'_>, key: &str, number: Number) {
    match number {
        Number::Value(value) => json.signed(key, value),
        Number::Variable(_) => json.string(key, "<var>"),
    }
}

/// The base of a number in text.
fn base(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Text(8) => "oct",
        Encoding::Text(10) => "dec",
        Encoding::Text(16) => "hex",
        _ => "unset",
    }
}

fn write_read(json: &mut JsonWriter<'_>, read: &Read) {
    write_number(json, "nbytes", read.count);
    write_number(json, "offset", read.offset);
    json.string("base", base(read.encoding));
}

/// The flags that are set: of how the number is read, and those of the keyword that stand before, between and after
/// them.
fn write_flags(json: &mut JsonWriter<'_>, read: &Read, [begin, align, end]: [bool; 3]) {
    let flags = [
        (begin, "from_beginning"),
        (read.encoding == Encoding::Little, "little_endian"),
        (read.encoding == Encoding::Big, "big_endian"),
        (matches!(read.encoding, Encoding::Text(_)), "string"),
        (read.relative, "relative"),
        (align, "align"),
        (read.encoding == Encoding::Protocol, "dce"),
        (end, "from_end"),
    ];
    json.array("flags");
    for (_, flag) in flags.iter().filter(|(set, _)| *set) {
        json.push_string(flag);
    }
    json.close_array();
}

fn write_jump(json: &mut JsonWriter<'_>, jump: &ByteJump) {
    json.object("byte_jump");
    write_read(json, &jump.read);
    json.unsigned("multiplier", jump.multiplier);
    write_number(json, "post_offset", jump.post_offset);
    write_flags(json, &jump.read, [jump.from_beginning, jump.align, jump.from_end]);
    json.close_object();
}

fn write_test(json: &mut JsonWriter<'_>, test: &ByteTest) {
    json.object("byte_test");
    write_read(json, &test.read);
    let operator = match test.comparison {
        Comparison::Less => "<",
        Comparison::Greater => ">",
        Comparison::Equal => "=",
        Comparison::LessOrEqual => "<=",
        Comparison::GreaterOrEqual => ">=",
        Comparison::And => "&",
        Comparison::Xor => "^",
    };
    json.string("op", operator);
    json.boolean("negated", test.negated);
    write_number(json, "value", test.value);
    write_flags(json, &test.read, [false; 3]);
    json.close_object();
}
