//! Types that are text: markup behind any number of comments, JSON, scripts.

/// Removes a byte order mark of UTF-8.
fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
}

/// Removes blanks and line ends.
fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = text {
        text = rest;
    }
    text
}

/// Whether `text` starts with `lower`, which is in lower case, in either case.
pub(super) fn starts_nocase(text: &[u8], lower: &[u8]) -> bool {
    text.get(..lower.len()).is_some_and(|start| start.eq_ignore_ascii_case(lower))
}

/// Both names of a unified comparison of files and the first of its changes, each in a line behind the one before.
pub(super) fn is_unified_diff(head: &[u8]) -> bool {
    let parts: [&[u8]; 5] = [b"--- ", b"\n", b"+++ ", b"\n", b"@@"];
    let mut rest = head;
    parts.iter().all(|part| {
        let found = memchr::memmem::find(rest, part).and_then(|at| rest.get(at + part.len()..));
        rest = found.unwrap_or_default();
        found.is_some()
    })
}

/// Ten characters of ASCII text, perhaps behind a byte order mark.
pub(super) fn is_plain(head: &[u8]) -> bool {
    const MARKS: [&[u8]; 5] =
        [b"\xef\xbb\xbf", b"\x00\x00\xfe\xff", b"\xff\xfe\x00\x00", b"\xfe\xff", b"\xff\xfe"];
    let text = MARKS.iter().find_map(|mark| head.strip_prefix(*mark)).unwrap_or(head);
    text.get(..10).is_some_and(|start| start.iter().all(|b| matches!(b, 0x09..=0x0d | 0x20..=0x7e)))
}

/// Skips what may stand before markup's first element: blanks and comments.
fn without_comments(text: &[u8]) -> &[u8] {
    let mut text = trim(text);
    while text.starts_with(b"<!--") {
        let Some(end) = text.windows(3).position(|window| window == b"-->") else { return text };
        text = trim(text.get(end + 3..).unwrap_or_default());
    }
    text
}

/// Returns the bytes behind `<` of the first element or document type.
fn element(head: &[u8]) -> Option<&[u8]> {
    let mut text = without_comments(without_mark(head));
    if text.starts_with(b"<?xml ") {
        let end = text.windows(2).position(|window| window == b"?>")?;
        text = without_comments(text.get(end + 2..)?);
    }
    text.strip_prefix(b"<")
}

/// Markup that opens with one of these elements, which are in lower case.
pub(super) fn opens_element(head: &[u8], names: &[&[u8]]) -> bool {
    element(head).is_some_and(|element| names.iter().any(|name| starts_nocase(element, name)))
}

/// Markup of this document type.
pub(super) fn is_doctype(head: &[u8], name: &[u8]) -> bool {
    let Some(element) = element(head) else { return false };
    starts_nocase(element, b"!doctype ")
        && starts_nocase(element.get(9..).unwrap_or_default().trim_ascii_start(), name)
}

/// Markup that opens with `<meta http-equiv`.
pub(super) fn is_http_equiv(head: &[u8]) -> bool {
    let Some(element) = element(head) else { return false };
    starts_nocase(element, b"meta ")
        && starts_nocase(element.get(5..).unwrap_or_default().trim_ascii_start(), b"http-equiv")
}

/// An Atom feed, or RSS with Atom's elements.
pub(super) fn is_atom(head: &[u8]) -> bool {
    let Some(element) = element(head) else { return false };
    let end = element.iter().position(|&b| b == b'>').unwrap_or(element.len());
    let tag = element.get(..end).unwrap_or_default();
    let holds = |literal: &[u8]| tag.windows(literal.len()).any(|window| window == literal);
    (starts_nocase(tag, b"rss") && holds(b"xmlns:atom"))
        || (starts_nocase(tag, b"feed") && holds(b"http://www.w3.org/2005/Atom"))
}

/// An XML declaration.
pub(super) fn is_xml(head: &[u8]) -> bool {
    without_comments(without_mark(head)).starts_with(b"<?xml ")
}

/// An XML declaration, and `<svg` behind it.
pub(super) fn is_svg(head: &[u8]) -> bool {
    is_xml(head) && head.windows(4).any(|window| window == b"<svg")
}

/// Returns the bytes after a quoted text that is not empty.
fn after_quoted(text: &[u8]) -> Option<&[u8]> {
    let inner = text.strip_prefix(b"\"")?;
    let end = inner.iter().position(|&b| b == b'"').filter(|&end| end > 0)?;
    inner.get(end + 1..)
}

/// Returns the bytes after `true`, `false` or a number.
fn after_scalar(text: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = text.strip_prefix(b"true").or_else(|| text.strip_prefix(b"false")) {
        return Some(rest);
    }
    let digits = text.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    text.first().filter(|b| b.is_ascii_digit()).and_then(|_| text.get(digits..))
}

/// An object with a first member, or an array with a first value and more.
pub(super) fn is_json(head: &[u8]) -> bool {
    let text = trim(without_mark(head));
    if let Some(object) = text.strip_prefix(b"{") {
        let object = trim(object);
        let bare = || {
            let length =
                object.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\\')).count();
            object.first().filter(|b| b.is_ascii_alphabetic()).and_then(|_| object.get(length..))
        };
        let value =
            after_quoted(object).or_else(bare).and_then(|rest| trim(rest).strip_prefix(b":")).map(trim);
        return value.is_some_and(|value| {
            matches!(value, [b'"' | b'[' | b'{' | b'0'..=b'9', ..])
                || value.starts_with(b"true")
                || value.starts_with(b"false")
        });
    }
    text.strip_prefix(b"[").map(trim).is_some_and(|array| {
        matches!(array, [b'{' | b'[', ..])
            || after_quoted(array)
                .or_else(|| after_scalar(array))
                .is_some_and(|rest| trim(rest).starts_with(b","))
    })
}

/// Nothing but `{}` or `[]`.
pub(super) fn is_empty_json(head: &[u8]) -> bool {
    matches!(without_mark(head).trim_ascii(), b"{}" | b"[]")
}

/// Idioms that scripts sent to browsers start with.
pub(super) fn is_javascript(head: &[u8]) -> bool {
    let text = trim(head);
    if text.starts_with(b"for (;;);") || text.starts_with(b"document.write") {
        return true;
    }
    if let Some(body) = text.strip_prefix(b"(function()") {
        let body = body.iter().find(|&byte| !matches!(byte, b' ' | b'\t' | b'\n'));
        return body == Some(&b'{');
    }
    if let Some(body) = text.strip_prefix(b"<script>") {
        return [&b"var "[..], b"function "].iter().any(|word| trim(body).starts_with(word));
    }
    if !starts_nocase(text, b"<script ") {
        return false;
    }
    let attribute = trim(text.get(8..).unwrap_or_default());
    let Some(equals) = attribute.iter().take(16).position(|&b| b == b'=') else { return false };
    let (name, value) = attribute.split_at(equals);
    let mut value = value.get(1..).unwrap_or_default();
    if let [b'\'' | b'"', rest @ ..] = value {
        value = rest;
    }
    if starts_nocase(value, b"text/") {
        value = value.get(5..).unwrap_or_default();
    }
    (name.eq_ignore_ascii_case(b"type") || name.eq_ignore_ascii_case(b"language"))
        && starts_nocase(value, b"javascript")
}

/// A first line that names one of these programs, below a folder that ends in `bin`.
pub(super) fn interpreter(head: &[u8], names: &[&[u8]]) -> bool {
    let Some(line) = head.strip_prefix(b"#!") else { return false };
    // One to fifteen characters come before `bin/`.
    let line = line.get(..80).unwrap_or(line);
    let line = line.split(|&b| b == b'\n').next().unwrap_or_default();
    let Some(folder) = line.windows(4).take(16).position(|window| window == b"bin/").filter(|&at| at > 0)
    else {
        return false;
    };
    let program = line.get(folder + 4..).unwrap_or_default();
    let program = match program.strip_prefix(b"env") {
        Some(after) if after.first().is_some_and(u8::is_ascii_whitespace) => after.trim_ascii_start(),
        _ => program,
    };
    names.iter().any(|name| program.starts_with(name))
}

/// PHP in the first line.
pub(super) fn opens_php(head: &[u8]) -> bool {
    let line = head.get(..memchr::memchr(b'\n', head).unwrap_or(head.len())).unwrap_or_default();
    memchr::memchr_iter(b'<', line).any(|at| line.get(at..).is_some_and(|rest| rest.starts_with(b"<?php")))
}

/// `@echo off`.
pub(super) fn is_echo_off(head: &[u8]) -> bool {
    let Some(command) = head.strip_prefix(b"@").map(<[u8]>::trim_ascii_start) else { return false };
    starts_nocase(command, b"echo ")
        && starts_nocase(command.get(5..).unwrap_or_default().trim_ascii_start(), b"off")
}
