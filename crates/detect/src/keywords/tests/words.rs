//! The words in which rules are refused, which users and their tools know.

use super::{compile_in, compiled, environment};
use crate::builder::Environment;

fn refusal(environment: &Environment, header: &str, options: &str) -> String {
    match compile_in(environment, header, options) {
        Ok(_) => String::new(),
        Err(failure) => failure.diagnostic.message.to_string(),
    }
}

#[test]
fn of_contents_and_their_modifiers() {
    const MIXED: &str = "can't use a relative keyword like within/distance with a absolute relative keyword like \
                         depth/offset for the same content.";
    const NEGATED: &str = "fast_pattern; cannot be used with negated content, along with relative modifiers";
    const ONLY: &str = "fast_pattern: only; cannot be used with negated content or with any of the relative modifiers \
                        like distance, within, offset, depth";
    let mut wrong = Vec::new();
    for (options, expected) in [
        ("offset:5;", "offset needs preceding content option."),
        ("within:5;", "within needs preceding content option"),
        ("nocase;", "nocase needs preceding content option"),
        ("startswith;", "startswith needs a preceding content option."),
        ("content:\"a\"; http.uri; offset:5;", "offset needs preceding content option."),
        ("content:\"a\"; http.uri; fast_pattern; content:\"b\";", ""),
        ("content:\"a\"; nocase; nocase;", "can't use multiple nocase modifiers with the same content"),
        ("content:\"a\"; depth:x;", "unknown byte_ keyword var seen in depth - x."),
        ("content:\"a\"; within:x;", "unknown byte_ keyword var seen in within - x"),
        ("content:\"a\"; offset:65536;", "invalid value for offset: 65536."),
        ("content:\"a\"; distance:1048577;", "invalid value for distance: 1048577"),
        (
            "content:\"abc\"; within:2;",
            "within argument \"2\" is less than the content length \"3\" which is invalid, since this will never \
             match.  Invalidating signature",
        ),
        ("content:\"a\"; startswith; depth:5;", "can't use multiple depths for the same content."),
        ("content:\"a\"; startswith; offset:5;", "can't use offset with startswith."),
        ("content:\"a\"; startswith; distance:5;", MIXED),
        (
            "content:\"a\"; startswith; startswith;",
            "can't use multiple depth/startswith settings for the same content.",
        ),
        ("content:\"a\"; within:5; startswith;", MIXED),
        ("content:\"a\"; offset:5; startswith;", "can't mix offset with startswith."),
        ("content:!\"a\"; depth:5; fast_pattern;", NEGATED),
        ("content:!\"a\"; within:5; fast_pattern:0,1;", NEGATED),
        ("content:!\"a\"; fast_pattern:only;", ONLY),
        ("content:\"a\"; offset:5; fast_pattern:only;", ONLY),
        (
            "content:!\"a\"; fast_pattern; within:5;",
            "can't have a relative negated keyword set along with a fast_pattern",
        ),
        (
            "content:!\"a\"; fast_pattern; startswith;",
            "can't have a relative negated keyword set along with a 'fast_pattern'.",
        ),
        (
            "content:\"a\"; fast_pattern:only; distance:5;",
            "can't have a relative keyword set along with a fast_pattern:only;",
        ),
        (
            "content:\"abc\"; fast_pattern:1,5;",
            "Fast pattern (length + offset (6)) exceeds pattern length (3)",
        ),
        (
            "content:\"abc\"; fast_pattern; fast_pattern;",
            "can't use multiple fast_pattern options for the same content",
        ),
        ("content:\"abc\"; http_foo;", "unknown rule keyword 'http_foo'."),
        ("depth:;", "invalid formatting or malformed option to depth keyword: 'depth'"),
        ("content:\"a\"; nocase:1;", "unexpected option to nocase keyword: 'nocase'"),
        ("content:a;", "invalid formatting to content keyword: value must be double quoted 'content'"),
        ("content:\"a|41\";", "Invalid hex code assembly in content - a|41.  Invalidating signature."),
        ("content:\"a|4z\";", "Invalid hex code in content - a|4z, hex z. Invalidating signature."),
        ("content:\"a\\b\";", "'\\' has to be escaped"),
    ] {
        let found = compiled(options).err().map(|failure| failure.diagnostic.message.to_string());
        let found = found.unwrap_or_default();
        if found != expected {
            wrong.push(format!("{options}: {found}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn of_numbers_sizes_and_places() {
    let mut wrong = Vec::new();
    for (options, expected) in [
        ("isdataat:65536;", "isdataat out of range"),
        ("isdataat:x;", "Unknown byte_extract var seen in isdataat - x"),
        ("dsize:1; dsize:2;", "Can't use 2 or more dsizes in the same sig.  Invalidating signature."),
        ("byte_test:1,~,1,0;", "Invalid operator"),
        ("byte_test:1,>,1,0,odd;", "Unknown value: \"odd\""),
        ("byte_test:1,>,1,0,hex;", "Cannot use a base without \"string\": 1,>,1,0,hex"),
        ("byte_jump:1,0,odd;", "Unknown option: \"odd\""),
        (
            "byte_jump:1,0,from_end,from_beginning;",
            "'from_end' and 'from_beginning' cannot be used in the same byte_jump statement",
        ),
        // The later of two byte orders counts.
        ("byte_test:1,>,1,0,little,big;", ""),
        ("byte_jump:1,0,big,little;", ""),
        ("absent;", "no buffer for absent keyword"),
        ("http.uri; absent:maybe;", "unhandled value for absent keyword: maybe"),
        ("http.uri; content:\"a\"; absent;", "absent must come first right after buffer"),
        (
            "http.uri; absent; content:\"a\";",
            "signature can't have a buffer tested absent and tested with other keywords such as content",
        ),
        (
            "http.uri; absent:or_else;",
            "signature with absent: or_else expects other keywords to test on such as content",
        ),
        (
            "http.uri; content:\"a\"; dsize:1;",
            "Signature combines packet specific matches (like dsize, flags, ttl) with stream / state matching by \
             matching on app layer proto (like using http_* keywords).",
        ),
        ("http.uri; content:\"a\"; flow:to_client;", "rule 1 mixes keywords with conflicting directions"),
        (
            "http.uri; pcrexform:\"(a)(b)\"; content:\"a\";",
            "pcrexform needs exactly one substring capture, found 2",
        ),
        (
            "http.uri; pcrexform:\"ab\"; content:\"a\";",
            "pcrexform needs exactly one substring capture, found 0",
        ),
        (
            "flow:to_server,established,only_stream,no_frag;",
            "parse error, ret -1, string to_server,established,only_stream,no_frag",
        ),
        ("flow:odd;", "invalid flow option \"odd\""),
        ("flow:not_established,stateless;", ""),
        ("flowbits:set;", "\"set\" is not a valid setting for flowbits."),
        ("flowbits:odd,a;", "ERROR: flowbits action \"odd\" is not supported."),
        ("pcre:\"/(/\";", "pcre2 compile of \"/(/\" failed at offset 1: missing closing parenthesis"),
        ("pcre:\"a\";", "pcre parse error: a"),
        ("pcre:\"/a/q\";", "unknown regex modifier 'q'"),
        ("rev:x;", "invalid character as arg to rev keyword"),
        ("rev:4294967296;", "rev value to high, max 4294967295"),
        ("rev:1; rev:2;", "duplicated 'rev' keyword detected"),
        ("decode-event:odd;", "unknown decode event \"decoder.odd\""),
    ] {
        let found = compiled(options).err().map(|failure| failure.diagnostic.message.to_string());
        let found = found.unwrap_or_default();
        if found != expected {
            wrong.push(format!("{options}: {found}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn of_headers_and_events() {
    let known = Environment { stream_events: vec!["est_synack_resend_with_diff_ack"], ..environment() };
    for (header, options, expected) in [
        ("tcp:odd any any -> any any", "", "protocol \"tcp\" does not support hook \"odd\""),
        (
            "odd any any -> any any",
            "",
            "protocol \"odd\" cannot be used in a signature.  Either detection for this protocol is not yet supported \
             OR detection has been disabled for protocol through the yaml option \
             app-layer.protocols.odd.detection-enabled",
        ),
        ("tcp any any -> any any", "stream-event:odd;", "unknown decode event \"stream.odd\""),
        ("tcp any any -> any any", "stream-event:est_synack_resend_with_different_ack;", ""),
        ("tcp any any -> any any", "stream-event:est_synack_resend_with_diff_ack;", ""),
        (
            "tcp-stream any any -> any any",
            "content:\"a\"; dsize:1;",
            "can't mix packet keywords with tcp-stream or flow:only_stream.  Invalidating signature.",
        ),
    ] {
        assert_eq!(refusal(&known, header, options), expected, "{header} {options}");
    }
}
