//! YAML that is read, and YAML that is refused.

use super::*;

fn show(node: &Yaml) -> String {
    match &node.kind {
        Kind::Scalar { text: None, .. } => "null".to_owned(),
        Kind::Scalar { text: Some(text), include } => {
            format!("{}{text}", if *include { "!" } else { "" })
        }
        Kind::Sequence(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
        Kind::Mapping(entries) => {
            let entries: Vec<_> = entries.iter().map(|(k, v)| format!("{}:{}", show(k), show(v))).collect();
            format!("{{{}}}", entries.join(" "))
        }
    }
}

#[test]
fn text_stays_text() {
    for (yaml, expected) in [
        ("a: yes", "{a:yes}"),
        ("a: 0777", "{a:0777}"),
        ("a: 1_000", "{a:1_000}"),
        ("a: ~", "{a:null}"),
        ("a:", "{a:null}"),
        ("a: NULL", "{a:null}"),
        ("a: \"~\"", "{a:~}"),
        ("a: ''", "{a:}"),
        ("a: 1\na: 2", "{a:1 a:2}"),
        ("- a\n- b: c", "[a {b:c}]"),
        ("a: !include x.yaml", "{a:!x.yaml}"),
        ("a: &n [1, 2]\nb: *n", "{a:[1 2] b:[1 2]}"),
        ("a: [ \"!$HOME_NET\", any ]", "{a:[!$HOME_NET any]}"),
    ] {
        let documents = parse(&format!("%YAML 1.1\n---\n{yaml}\n"), "t").unwrap();
        assert_eq!(documents.iter().map(show).collect::<String>(), expected, "{yaml}");
    }
}

/// YAML that libyaml takes, whether or not the standard would.
#[test]
fn all_that_libyaml_takes() {
    for (yaml, expected) in [
        // Lists that go on at the indentation of their key, or before it.
        ("a:\n  custom: [accept,\n  via]\n  x: 1", "{a:{custom:[accept via] x:1}}"),
        ("a:\n  custom: [accept,\n  via\n  ]\n  x: 1", "{a:{custom:[accept via] x:1}}"),
        ("a:\n  b:\n    custom: [accept,\nvia]", "{a:{b:{custom:[accept via]}}}"),
        ("a:\n  m: {x: 1,\n  y: 2}", "{a:{m:{x:1 y:2}}}"),
        ("a:\n  - custom: [x,\n  y]\n  - b", "{a:[{custom:[x y]} b]}"),
        ("a: [\n  # one\n  b,\n# two\n  c,\n]", "{a:[b c]}"),
        // Tabs between tokens, and comments that touch them.
        ("a:\tb\t# c\nd: [x,\t y]", "{a:b d:[x y]}"),
        ("a: [x,\n\ty]", "{a:[x y]}"),
        ("a: [b]#c\nd: \"e\"#f\ng: h#i", "{a:[b] d:e g:h#i}"),
        // Texts over lines.
        ("a:\n  b: \"x\n  y\"", "{a:{b:x y}}"),
        ("a: b\n  c\nd: e", "{a:b c d:e}"),
        ("a: |\n  x\n   y\n\n  z\nb: 1", "{a:x\n y\n\nz\n b:1}"),
        ("a: >-\n  x\n  y\nb: 1", "{a:x y b:1}"),
        ("a: |\n  x", "{a:x}"),
        // Keys.
        ("\"a b\": 1\n'c: d': 2\n? e\n: 3", "{a b:1 c: d:2 e:3}"),
        ("a: {b, c: d}\ne: [f: g]", "{a:{b:null c:d} e:[{f:g}]}"),
        // Tags, anchors, merges.
        ("a: !!str 1\nb: !local x\nc: !<tag:x> y", "{a:1 b:x c:y}"),
        ("a: &n\n  k: 1\n  l: 2\nb:\n  <<: *n\n  l: 3", "{a:{k:1 l:2} b:{l:3 k:1}}"),
        ("a: &n {k: 1}\nb: &m {k: 2, l: 3}\nc:\n  <<: [*n, *m]", "{a:{k:1} b:{k:2 l:3} c:{k:1 l:3}}"),
        ("a: &n 1\nb: *n\nc: &n 2\nd: *n", "{a:1 b:1 c:2 d:2}"),
        // Line ends and document ends.
        ("a: b\r\nc:\r\n  - d\r\n", "{a:b c:[d]}"),
        ("a: b\n...", "{a:b}"),
        ("a: b\n...\n---\nc: d", "{a:b}{c:d}"),
        ("a: b\n---\nc: d", "{a:b}{c:d}"),
        ("a:\n- b\n- c: d\n  e: f", "{a:[b {c:d e:f}]}"),
    ] {
        let documents = parse(&format!("%YAML 1.1\n---\n{yaml}"), "t");
        let documents = documents.unwrap_or_else(|error| panic!("{yaml:?}: {error}"));
        assert_eq!(documents.iter().map(show).collect::<String>(), expected, "{yaml:?}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (yaml, expected) in [
        (
            "a: [b, c\nd: e\n",
            "t, line 2, column 2: did not find expected ',' or ']' while parsing a flow sequence that begins at line 1, column 4",
        ),
        ("a:\n\tb: c\n", "t, line 2, column 1: found character that cannot start any token"),
        ("a:\n\tb: c\n", "(a tab stands there; indent with spaces)"),
        ("a:\n  b: c\n d: e\n", "t, line 3, column 2: did not find expected key"),
        ("a: \"b\n", "t, line 2, column 1: found unexpected end of stream while scanning a quoted scalar"),
        ("a: b: c\n", "t, line 1, column 5: mapping values are not allowed in this context"),
        ("rule-files:\n  - *rules\n", "t, line 2, column 5: the alias *rules names nothing"),
        ("a: %b\n", "t, line 1, column 4: found character that cannot start any token"),
        ("%FOO\n---\na: b\n", "found unknown directive name"),
    ] {
        let error = parse(yaml, "t").expect_err(yaml).to_string();
        assert!(error.contains(expected), "{yaml:?}: {error}");
    }
}

#[test]
fn places_count_from_one() {
    let documents = parse("%YAML 1.1\n---\nab:\n  cd: ef\n", "t").unwrap();
    let Kind::Mapping(outer) = &documents[0].kind else { panic!("not a mapping") };
    let Kind::Mapping(inner) = &outer[0].1.kind else { panic!("not a mapping") };
    assert_eq!(inner[0].1.location.to_string(), "t, line 4, column 7");
}

#[test]
fn limits_hold() {
    let deep = format!("%YAML 1.1\n---\n{}", "[".repeat(5000));
    assert!(parse(&deep, "t").is_err());
    let mut laughs = String::from("%YAML 1.1\n---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for n in 1..12 {
        let aliases = vec![format!("*a{}", n - 1); 10].join(",");
        laughs.push_str(&format!("a{n}: &a{n} [{aliases}]\n"));
    }
    assert!(matches!(parse(&laughs, "t"), Err(ConfigError::Limit { .. })));
    assert!(matches!(
        parse("a: &x [*x]", "t"),
        Err(ConfigError::Structure { .. } | ConfigError::Syntax { .. })
    ));
}

#[test]
fn version_is_asked_for() {
    for (text, good) in [
        ("%YAML 1.1\n---\n", true),
        ("# a comment\n\n%YAML 1.1\n---\na: b\n", true),
        ("", true),
        ("# only a comment\n", true),
        ("a: b\n", false),
        ("---\na: b\n", false),
        ("%YAML 1.2\n---\na: b\n", false),
    ] {
        assert_eq!(check_version(text, "t").is_ok(), good, "{text:?}");
    }
}

#[test]
fn encodings_are_told_apart() {
    assert_eq!(decode(b"caf\xe9"), ("café".to_owned(), true));
    assert_eq!(decode("café".as_bytes()), ("café".to_owned(), false));
    assert_eq!(decode(b"\xef\xbb\xbfa"), ("a".to_owned(), false));
    assert_eq!(decode(b"\xff\xfea\0\xe9\0"), ("aé".to_owned(), false));
    assert_eq!(decode(b"\xfe\xff\0a\0\xe9"), ("aé".to_owned(), false));
}
