//! Rules, and what is found in them.

use weir_config::{DEFAULT_CLASSIFICATION, DEFAULT_REFERENCE};
use weir_detect::FieldCatalogue;
use weir_detect::compile::Environment;
use weir_rules::side::{Classifications, References};
use weir_rules::{Colour, Resolver, VariableMap};

use crate::{Policy, RuleText, Severity, check, fix, output};

fn environment() -> Environment {
    Environment {
        classifications: Classifications::parse(DEFAULT_CLASSIFICATION, "").0,
        references: References::parse(DEFAULT_REFERENCE, "").0,
        ..Environment::bare(FieldCatalogue::new(weir_protocols::ALL))
    }
}

fn file(text: &str) -> RuleText {
    RuleText { file: "my.rules".to_owned(), text: text.as_bytes().to_vec() }
}

fn names(text: &str) -> Vec<&'static str> {
    let variables = VariableMap::default();
    let checked = check(&[file(text)], &environment(), &mut Resolver::new(&variables));
    checked.findings.iter().map(|finding| finding.lint.name).collect()
}

/// A rule on HTTP requests with what every rule should have.
fn http(options: &str) -> String {
    format!(
        "alert http any any -> any any (msg:\"m\"; flow:established,to_server; {options} classtype:bad-unknown; sid:1; rev:1;)"
    )
}

/// A rule on the bytes of TCP, to a port.
fn tcp(options: &str) -> String {
    format!(
        "alert tcp any any -> any 99 (msg:\"m\"; flow:established,to_server; {options} classtype:bad-unknown; sid:1; rev:1;)"
    )
}

#[test]
fn what_is_found_in_one_rule() {
    let whole = |header: &str, options: &str| format!("alert {header} ({options})");
    let cases: Vec<(String, &[&str])> = vec![
        (http("http.uri; content:\"/admin\";"), &[]),
        ("alert tcp any any -> any any".to_owned(), &["not-a-rule"]),
        ("alert tcp any any -> any any (msg:\"m\"; sid:1)".to_owned(), &["missing-semicolon"]),
        (" alert tcp any any -> any any (sid:1;)".to_owned(), &["leading-space"]),
        (http("contents:\"a\";"), &["unknown-keyword"]),
        (http("ndpi-protocol:HTTP;"), &["unsupported-keyword"]),
        (whole("gopher any any -> any any", "sid:1;"), &["unknown-protocol"]),
        (whole("tcp $NOT_SET any -> any any", "sid:1;"), &["bad-address"]),
        (tcp("content:\"a\"; depth:many;"), &["bad-value"]),
        (tcp("content:\"abcd; ef\";"), &["unescaped-semicolon"]),
        (tcp("dsize:3; dsize:4;"), &["duplicate-option"]),
        (tcp("nocase; content:\"abcd\";"), &["modifier-without-content"]),
        (tcp("http_uri; content:\"abcd\";"), &["modifier-without-content"]),
        (tcp("content:\"abcd\"; content:\"efgh\"; within:2;"), &["unreachable-within"]),
        (tcp("dsize:3; content:\"abcdef\";"), &["unreachable-content"]),
        (http("http.host; content:\"Example.COM\";"), &["case-never-matches"]),
        (http("http.stat_code; content:\"200\";"), &["contradictory-flow"]),
        (http("dsize:>3; http.uri; content:\"abcd\";"), &["dsize-with-stream"]),
        (whole("tcp any any -> any any", "msg:\"m\";"), &["rule-without-sid"]),
        (http("requires:version >= 99; http.uri; content:\"abcd\";"), &["requirement-not-met"]),
        (
            whole("http any any -> any any", "flow:to_server; http.uri; content:\"abcd\"; sid:1;"),
            &["rule-without-msg", "rule-without-rev", "rule-without-classtype"],
        ),
        (
            whole(
                "http any any -> any any",
                "msg:\"m\"; flow:to_server; http.uri; content:\"abcd\"; reference:nobody,1; classtype:nothing; sid:1; rev:1;",
            ),
            &["unknown-reference", "unknown-classtype"],
        ),
        (http("http.uri; content:\"abcd\"; reference:cve,1; reference:cve,1;"), &["duplicate-option"]),
        (http("http.uri; pcre:\"/ab+c/\";"), &["pcre-without-content"]),
        (http("http.uri; content:!\"abcd\";"), &["negated-content-only"]),
        (http("http.uri; bsize:>9;"), &["no-fast-pattern"]),
        (tcp("byte_test:1,>,4,0;"), &["no-fast-pattern"]),
        (http("http.uri; content:\"ab\";"), &["short-fast-pattern"]),
        (http("http.uri; content:\"ab\"; fast_pattern; content:\"abcdef\";"), &["short-fast-pattern"]),
        (http("http.uri; content:\"abc\";"), &[]),
        (tcp("content:\"abcd\"; byte_extract:1,0,size,relative;"), &["unused-byte-variable"]),
        (tcp("content:\"abcd\"; byte_extract:1,0,size,relative; content:\"efgh\"; distance:size;"), &[]),
        (
            whole(
                "http any any -> any any",
                "msg:\"m\"; http.header; content:\"abcd\"; classtype:bad-unknown; sid:1; rev:1;",
            ),
            &["both-directions-http"],
        ),
        (http("content:\"abcd\";"), &["raw-content-in-http"]),
        (
            whole(
                "tcp any any -> any any",
                "msg:\"m\"; content:\"abcd\"; classtype:bad-unknown; sid:1; rev:1;",
            ),
            &["content-without-flow", "port-any-content-only"],
        ),
        (http("http.uri; content:\"abcd\"; distance:0;"), &["relative-to-nothing"]),
        (http("http.uri; content:\"abcd\"; content:\"efgh\"; distance:0;"), &[]),
        (http("http.uri; content:\"abcd\"; content:\"abcd\";"), &["repeated-content"]),
        (http("http.uri; content:\"abcd\"; content:\"ABCD\"; nocase;"), &[]),
        // The second one begins the search for the third one anew.
        (
            http("http.uri; content:\"abcd\"; content:\"ef\"; content:\"abcd\"; content:\"gh\"; distance:0;"),
            &[],
        ),
        (http("http.uri; content:\"/1234\"; nocase;"), &["redundant-nocase"]),
        (http("http.host; content:\"example\"; nocase;"), &["contradictory-parts"]),
        (http("http.uri; content:\"abcd\"; nocase;"), &[]),
        (http("content:\"abcd\"; http_uri;"), &["deprecated-spelling"]),
        (http("uricontent:\"abcd\";"), &["deprecated-spelling"]),
        (http("content:\"abcd\"; http_uri; pcre:\"/ab.d/U\";"), &["deprecated-spelling"]),
    ];
    for (rule, expected) in cases {
        assert_eq!(names(&rule), expected, "{rule}");
    }
}

#[test]
fn what_is_found_between_rules() {
    let with = |sid: u32, options: &str| {
        http(&format!("http.uri; content:\"abcd\"; {options}")).replace("sid:1;", &format!("sid:{sid};"))
    };
    let cases: &[(&[&str], &[&str])] = &[
        (&["flowbits:set,one;", "flowbits:isset,one;"], &[]),
        (&["flowbits:isset,one;"], &["flowbit-never-set"]),
        (&["flowbits:set,one;"], &["flowbit-never-tested"]),
        (&["flowbits:set,one;", "flowbits:isset,two|one;"], &[]),
        (&["flowbits:set,one;", "flowbits:isnotset,one;"], &[]),
        // Each kind has names of its own.
        (
            &["xbits:set,one,track ip_src;", "flowbits:isset,one;"],
            &["flowbit-never-tested", "flowbit-never-set"],
        ),
    ];
    for (rules, expected) in cases {
        let text: Vec<String> = rules.iter().zip(1..).map(|(options, sid)| with(sid, options)).collect();
        assert_eq!(names(&text.join("\n")), *expected, "{rules:?}");
    }
    assert_eq!(names(&[with(1, ""), with(1, "")].join("\n")), ["duplicate-sid"]);
    assert_eq!(names(&[with(1, ""), with(1, "gid:2;")].join("\n")), [""; 0]);
}

#[test]
fn what_is_rewritten() {
    let variables = VariableMap::default();
    let mut resolver = Resolver::new(&variables);
    let environment = environment();
    // The older spellings do not look at HTTP/2.
    let http1 = |options| http(options).replacen("alert http ", "alert http1 ", 1);
    let cases: Vec<(String, Option<String>)> = vec![
        (http("http.uri; content:\"abcd\";"), None),
        (
            http(
                "content:\"abcd\"; nocase; http_uri; content:\"ef\"; http_uri; distance:0; pcre:\"/x+/Ui\";",
            ),
            Some(http1("http.uri; content:\"abcd\"; nocase; content:\"ef\"; distance:0; pcre:\"/x+/i\";")),
        ),
        (
            http("content:\"POST\"; http_method; content:\"/a\"; http_uri; content:\"abcd\"; offset:3;"),
            Some(http1(
                "content:\"abcd\"; offset:3; http.method; content:\"POST\"; http.uri; content:\"/a\";",
            )),
        ),
        (http("uricontent:\"abcd\"; nocase;"), Some(http1("http.uri; content:\"abcd\"; nocase;"))),
        // Rules with a sticky buffer already are reported, and left to their author.
        (http("content:\"abcd\"; http_uri; http.method; content:\"POST\";"), None),
        (
            http("http.uri; content:\"/1234\"; nocase; content:\"abcd\";"),
            Some(http("http.uri; content:\"/1234\"; content:\"abcd\";")),
        ),
        (
            "alert tcp any any -> any any (msg:\"m\"; sid:1)".to_owned(),
            Some("alert tcp any any -> any any (msg:\"m\"; sid:1;)".to_owned()),
        ),
        (
            "alert tcp any any -> any any (msg:\"a; b\"; sid:1;)".to_owned(),
            Some("alert tcp any any -> any any (msg:\"a\\; b\"; sid:1;)".to_owned()),
        ),
        (
            "  alert tcp any any -> any any (sid:1;)".to_owned(),
            Some("alert tcp any any -> any any (sid:1;)".to_owned()),
        ),
        (
            "alert tcp any any -> any any (sid:1;".to_owned(),
            Some("alert tcp any any -> any any (sid:1;)".to_owned()),
        ),
        // Nothing is rewritten that does not load then.
        ("alert tcp any any -> any any (contents:\"a\"; sid:1)".to_owned(), None),
    ];
    for (rule, expected) in cases {
        let text = format!("# a comment\r\n{rule}\r\n\n");
        let fixed = fix::rewrite(&file(&text), &environment, &mut resolver, &Policy::default());
        let fixed = fixed.map(|fixed| String::from_utf8(fixed.text).expect("text"));
        assert_eq!(fixed, expected.map(|rule| format!("# a comment\r\n{rule}\r\n\n")), "{rule}");
    }
}

#[test]
fn what_is_allowed_and_denied() {
    let variables = VariableMap::default();
    let text = http("http.uri; content:\"ab\"; content:\"1\"; nocase;");
    let found = |allow: &[&str], deny: &[&str]| {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let policy = Policy::new(&own(allow), &own(deny)).expect("names that exist");
        let mut checked = check(&[file(&text)], &environment(), &mut Resolver::new(&variables));
        policy.apply(&mut checked.findings);
        checked.findings.iter().map(|f| (f.lint.name, f.severity)).collect::<Vec<_>>()
    };
    let (short, nocase) = ("short-fast-pattern", "redundant-nocase");
    assert_eq!(found(&[], &[]), [(short, Severity::Warning), (nocase, Severity::Hint)]);
    assert_eq!(found(&[short], &[nocase]), [(nocase, Severity::Error)]);
    assert_eq!(found(&[], &["warnings"]), [(short, Severity::Error), (nocase, Severity::Hint)]);
    assert!(Policy::new(&["nothing".to_owned()], &[]).is_err());
}

#[test]
fn how_findings_are_written() {
    let variables = VariableMap::default();
    let text = format!("\n{}\n", http("http.uri; content:\"ab\";"));
    let checked = check(&[file(&text)], &environment(), &mut Resolver::new(&variables));
    let plain = output::text(&checked.findings[0], Colour::Off);
    assert!(plain.starts_with("warning[short-fast-pattern]: The prefilter looks for"), "{plain}");
    assert!(plain.contains("my.rules:2:") && plain.contains("^^^^") && !plain.contains('\u{1b}'), "{plain}");
    assert!(output::text(&checked.findings[0], Colour::On).contains('\u{1b}'));

    let json: serde_json::Value = serde_json::from_slice(&output::json(&checked, 1)).expect("JSON");
    assert_eq!((&json["warnings"], &json["rules"]), (&1.into(), &1.into()));
    let finding = &json["findings"][0];
    assert_eq!((&finding["line"], &finding["sid"]), (&2.into(), &1.into()));
    let column = finding["column"].as_u64().expect("a column") as usize;
    assert!(text.lines().nth(1).expect("the rule")[column - 1..].starts_with("content:\"ab\""));

    let sarif: serde_json::Value = serde_json::from_slice(&output::sarif(&checked, "1")).expect("JSON");
    assert_eq!(
        (&sarif["version"], &sarif["runs"][0]["tool"]["driver"]["name"]),
        (&"2.1.0".into(), &"weir check".into())
    );
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"short-fast-pattern".into(), &"warning".into()));
    let rule = &sarif["runs"][0]["tool"]["driver"]["rules"]
        [result["ruleIndex"].as_u64().expect("an index") as usize];
    assert_eq!(rule["id"], result["ruleId"]);
    assert!(result["message"]["text"].is_string());
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"my.rules".into(), &2.into())
    );
}
