use super::*;
use crate::rule::{Action, ActionScope, Quotes, RuleDirection};

/// Names and values of options.
type Pairs = &'static [(&'static str, Option<&'static str>)];

fn only(text: &str) -> Rule {
    let found = parse_rules(text, "test.rules");
    assert!(found.diagnostics.is_empty(), "{text}: {:?}", found.diagnostics);
    assert_eq!(found.rules.len(), 1, "{text}");
    found.rules.into_iter().next().unwrap()
}

#[test]
fn headers() {
    for (text, expected) in [
        ("alert tcp any any -> any any (sid:1;)", "tcp|any|any|->|any|any"),
        (
            "alert tcp $HOME_NET any -> [1.2.3.0/24, !1.2.3.4,$X] [80,8000: 9000,!8080] (sid:1;)",
            "tcp|$HOME_NET|any|->|[1.2.3.0/24, !1.2.3.4,$X]|[80,8000: 9000,!8080]",
        ),
        ("drop  http\t!$A :1024 <> !1.2.3.4 1024: (sid:1;)", "http|!$A|:1024|<>|!1.2.3.4|1024:"),
        ("alert tcp 10.0.0.0/8,1.1.1.1 any => [::1] !80 (sid:1;)", "tcp|10.0.0.0/8,1.1.1.1|any|=>|[::1]|!80"),
        (
            "alert tcp ![[1.1.1.1 , 2.2.2.2], 3.3.3.3] any -> any any (sid:1;)",
            "tcp|![[1.1.1.1 , 2.2.2.2], 3.3.3.3]|any|->|any|any",
        ),
    ] {
        let rule = only(text);
        let parts = [
            &*rule.protocol.name,
            &*rule.source,
            &*rule.source_ports,
            rule.direction.sign(),
            &*rule.destination,
            &*rule.destination_ports,
        ];
        assert_eq!(parts.join("|"), expected);
        assert_eq!(&**rule.text(), text);
    }
    assert_eq!(only("alert tls any any => any any (sid:1;)").direction, RuleDirection::Transaction);
}

#[test]
fn actions_and_hooks() {
    for (text, action, scope, further, name, hook) in [
        ("ALERT tcp", Action::Alert, None, 0, "tcp", None),
        ("rejectboth IP", Action::RejectBoth, None, 0, "IP", None),
        ("drop:flow tcp:all", Action::Drop, Some(ActionScope::Flow), 0, "tcp", Some("all")),
        (
            "accept:hook,alert http1:<request_line",
            Action::Accept,
            Some(ActionScope::Hook),
            1,
            "http1",
            Some("<request_line"),
        ),
        (
            "accept:flow,pass:flow,alert http2:global:request_started",
            Action::Accept,
            Some(ActionScope::Flow),
            2,
            "http2",
            Some("global:request_started"),
        ),
        ("config:packet pkthdr", Action::Config, Some(ActionScope::Packet), 0, "pkthdr", None),
        ("accept:tx dns", Action::Accept, Some(ActionScope::Transaction), 0, "dns", None),
    ] {
        let rule = only(&format!("{text} any any -> any any (sid:1;)"));
        assert_eq!((rule.action.action, rule.action.scope), (action, scope), "{text}");
        assert_eq!(rule.further_actions.len(), further, "{text}");
        assert_eq!(rule.protocol.name, name, "{text}");
        assert_eq!(rule.protocol.hook.as_deref(), hook, "{text}");
    }
}

#[test]
fn options() {
    let cases: &[(&str, Pairs)] = &[
        ("()", &[]),
        ("( )", &[]),
        ("(sid:1;)", &[("sid", Some("1"))]),
        (
            "( msg : \"a:b\" ;nocase; sid: 1 ; )",
            &[("msg", Some("\"a:b\"")), ("nocase", None), ("sid", Some("1"))],
        ),
        (r#"(content:!"a\;b\"c\\"; x:;)"#, &[("content", Some(r#"!"a\;b\"c\\""#)), ("x", None)]),
        (r#"(pcre:"/a(b)/"; sid:1;)"#, &[("pcre", Some("\"/a(b)/\"")), ("sid", Some("1"))]),
        ("(a;b)c;)", &[("a", None), ("b)c", None)]),
    ];
    for (text, expected) in cases {
        let rule = only(&format!("alert tcp any any -> any any {text}"));
        let found: Vec<_> = rule.options.iter().map(|o| (o.name.as_str(), o.value.as_deref())).collect();
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn arguments() {
    use Quotes::{Mandatory, Never, Optional};
    for (value, negation, quotes, expected) in [
        ("\"abc\"", true, Mandatory, Some((false, "abc"))),
        ("! \"abc\"", true, Mandatory, Some((true, "abc"))),
        ("!\"abc\"", false, Optional, Some((false, "!\"abc\""))),
        ("abc", true, Optional, Some((false, "abc"))),
        ("!abc", false, Never, Some((false, "!abc"))),
        ("abc", true, Mandatory, None),
        ("\"abc\"", true, Never, None),
        ("\"abc", true, Mandatory, None),
        ("\"", true, Mandatory, None),
        ("\"\"", true, Mandatory, None),
        ("!", true, Optional, None),
        ("", true, Optional, None),
    ] {
        let rule = only(&format!("alert tcp any any -> any any (k:{value};)"));
        let found = rule.options[0].argument(negation, quotes);
        let found = found.as_ref().ok().map(|argument| (argument.negated, argument.text.as_str()));
        assert_eq!(found, expected, "{value} {negation} {quotes:?}");
    }
}

#[test]
fn known_messages() {
    for (value, message) in [
        (
            "\"AA\" depth:20",
            "bad option value formatting (possible missing semicolon) for keyword content: '\"AA\" depth:20'",
        ),
        (
            "!\"a.net",
            "bad option value formatting (possible missing semicolon) for keyword content: '!\"a.net'",
        ),
        ("\"\"", "bad input for keyword content: '\"\"'"),
        ("!", "invalid formatting or malformed option to content keyword: 'content'"),
        ("a", "invalid formatting to content keyword: value must be double quoted 'content'"),
    ] {
        let rule = only(&format!("alert tcp any any -> any any (content:{value};)"));
        assert_eq!(rule.options[0].argument(true, Quotes::Mandatory).unwrap_err().message, message);
    }
    let rule = only("alert tcp any any -> any any (nocase:1; nocase;)");
    assert_eq!(
        rule.options[0].no_argument().unwrap_err().message,
        "unexpected option to nocase keyword: 'nocase'"
    );
    assert_eq!(rule.options[1].no_argument(), Ok(()));
}

#[test]
fn wrong_rules_are_told_by_place() {
    for (text, place, words) in [
        ("alrt tcp any any -> any any (sid:1;)", (1, 1), "An invalid action \"alrt\" was given"),
        (
            "alert:stream tcp any any -> any any (sid:1;)",
            (1, 7),
            "invalid action scope 'stream' in action 'alert:stream': scope only supported for actions 'drop', 'pass' and 'reject'",
        ),
        ("alert, tcp any any -> any any (sid:1;)", (1, 7), "An invalid action \"\" was given"),
        ("alert tcp any any <- any any (sid:1;)", (1, 19), "\"<-\" is not a valid direction modifier"),
        (
            "alert tcp any any any any (sid:1;)",
            (1, 19),
            "\"any\" is not a valid direction modifier, \"->\" and \"<>\" are supported.",
        ),
        ("alert tcp: any any -> any any (sid:1;)", (1, 7), "no hook"),
        ("alert tcp any any", (1, 18), "before its direction"),
        ("alert", (1, 6), "before its protocol"),
        ("alert tcp any any -> any any", (1, 29), "no rule options"),
        ("alert tcp any any -> any any any (sid:1;)", (1, 30), "`(` should open"),
        ("alert tcp any any -> any any(sid:1;)", (1, 29), "white space is missing"),
        ("alert tcp ! 1.2.3.4 any -> any any (sid:1;)", (1, 11), "between `!` and what it negates"),
        ("alert tcp any any -> any any (msg:\"\u{1}\"; sid:1;)", (1, 36), "invalid (control) characters"),
        ("alert tcp any any -> any any (sid:1)", (1, 31), "no terminating"),
        ("alert tcp any any -> any any (sid:1;;)", (1, 37), "unknown rule keyword ''."),
        ("alert tcp any any -> any any (:1;)", (1, 31), "unknown rule keyword ''."),
        ("alert tcp any any -> any any (content:\"a\\\";\\\n   sid:1)", (2, 4), "no terminating"),
        ("alert tcp any any -> any any (msg:\"\u{e9}\"; x", (1, 40), "no terminating"),
    ] {
        let found = parse_rules(text, "test.rules");
        assert!(found.rules.is_empty(), "{text}");
        let [diagnostic] = found.diagnostics.as_slice() else { panic!("{text}: {:?}", found.diagnostics) };
        assert!(diagnostic.message.contains(words), "{text}: {diagnostic}");
        assert_eq!((diagnostic.line, diagnostic.column), place, "{text}: {diagnostic}");
    }
}

#[test]
fn a_file_with_everything() {
    let text = b"\xef\xbb\xbf# Caf\xe9\r\nalert tcp any any -> any any (sid:1;)\r\n\r\n\
        broken\r\nalert tcp any any -> any any (\\\r\n  msg:\"two\"; \\  \r\n  sid:2;)\r\n\
        alert tcp any any -> any any (msg:\"\xff\"; sid:3;)\n; old comment\n alert tcp any any -> any any (sid:4;)\n\
        #alert tcp any any -> any any (sid:5;)\n\talert udp any any -> any any (sid:6;\n";
    let found = parse_rules(text, "all.rules");
    let rules: Vec<_> =
        found.rules.iter().map(|rule| (rule.line(), &*rule.options.last().unwrap().name)).collect();
    assert_eq!(rules, [(2, "sid"), (5, "sid"), (12, "sid")]);
    let second = &found.rules[1];
    assert_eq!(&**second.text(), "alert tcp any any -> any any (  msg:\"two\";   sid:2;)");
    let sid = second.option("sid").unwrap();
    let diagnostic = second.error(sid.value.as_ref().unwrap().error("x"));
    assert_eq!(diagnostic.to_string(), "all.rules:7:7: x");
    let told: Vec<_> = found.diagnostics.iter().map(|told| (told.line, told.column, told.severity)).collect();
    use crate::Severity::{Error, Warning};
    assert_eq!(told, [(4, 1, Error), (8, 36, Error), (10, 1, Warning), (12, 37, Warning)]);
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read(text in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
        let found = parse_rules(&text, "any.rules");
        let lines = text.split(|byte| *byte == b'\n').count();
        proptest::prop_assert!(found.rules.len() + found.diagnostics.len() <= lines);
    }

    #[test]
    fn any_rule_like_text_is_read(text in "(alert|drop) [a-z:]{1,5} [a-z0-9!\\[\\],$: ]{0,20} (->|<>) [\\PC]{0,20}\\([a-z:;\"\\\\()! |\\n]{0,60}") {
        let found = parse_rules(&text, "any.rules");
        for diagnostic in &found.diagnostics {
            proptest::prop_assert!(!diagnostic.render(crate::Colour::Off).is_empty());
        }
        for option in found.rules.iter().flat_map(|rule| &rule.options) {
            proptest::prop_assert!(!option.name.is_empty());
        }
    }
}
