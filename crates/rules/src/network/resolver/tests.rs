use super::*;

fn variables() -> VariableMap {
    let map = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<HashMap<_, _>>()
    };
    VariableMap {
        addresses: map(&[
            ("HOME_NET", "[192.168.0.0/16,10.0.0.0/8]"),
            ("EXTERNAL_NET", "!$HOME_NET"),
            ("EVERYWHERE", "any"),
            ("SERVERS", "$HOME_NET"),
            ("MOST", "[10.0.0.0/8, !10.1.0.0/16]"),
            ("A", "[$B,1.1.1.1]"),
            ("B", "$A"),
            ("BROKEN", "[1.2.3.4,5.6.7]"),
        ]),
        ports: map(&[
            ("HTTP_PORTS", "80"),
            ("SHELLCODE_PORTS", "!80"),
            ("FILE_PORTS", "[$HTTP_PORTS,110,143]"),
        ]),
    }
}

fn probe(set: &AddressSet) -> String {
    ["10.0.0.5", "10.1.1.1", "192.168.1.1", "8.8.8.8", "::1"]
        .into_iter()
        .filter(|address| set.contains(address.parse().unwrap()))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn addresses() {
    let variables = variables();
    let mut resolver = Resolver::new(&variables);
    for (text, expected) in [
        ("any", "10.0.0.5 10.1.1.1 192.168.1.1 8.8.8.8 ::1"),
        ("ANY", "10.0.0.5 10.1.1.1 192.168.1.1 8.8.8.8 ::1"),
        ("0/0", "10.0.0.5 10.1.1.1 192.168.1.1 8.8.8.8"),
        ("::/0", "::1"),
        ("$HOME_NET", "10.0.0.5 10.1.1.1 192.168.1.1"),
        ("$SERVERS", "10.0.0.5 10.1.1.1 192.168.1.1"),
        ("!$HOME_NET", "8.8.8.8 ::1"),
        ("! $HOME_NET", "8.8.8.8 ::1"),
        ("$EXTERNAL_NET", "8.8.8.8 ::1"),
        ("!$EXTERNAL_NET", "10.0.0.5 10.1.1.1 192.168.1.1"),
        ("[$EVERYWHERE,!10.0.0.0/8]", "192.168.1.1 8.8.8.8 ::1"),
        ("[!10.0.0.0/8,!8.8.8.8]", "192.168.1.1 ::1"),
        ("[10.0.0.0/8,!10.1.0.0/16]", "10.0.0.5"),
        ("[$MOST, 8.8.8.8]", "10.0.0.5 8.8.8.8"),
        ("[10.0.0.0/8,![10.1.0.0/16,10.0.0.5]]", ""),
        ("[10.0.0.0/8,![10.1.0.0/16,!10.1.1.1]]", "10.0.0.5"),
        ("10.0.0.5,8.8.8.0-8.8.8.9", "10.0.0.5 8.8.8.8"),
        ("[[10.0.0.5,[::1]],!::1]", "10.0.0.5"),
    ] {
        let set = resolver.addresses(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(probe(&set), expected, "{text}");
    }
    assert!(resolver.addresses("any").unwrap().is_any());
    assert!(resolver.addresses("[0.0.0.0/0,::/0]").unwrap().is_any());
    assert!(!resolver.addresses("0.0.0.0/0").unwrap().is_any());
}

#[test]
fn wrong_addresses() {
    let variables = variables();
    let mut resolver = Resolver::new(&variables);
    for (text, start, end, words) in [
        ("", 0, 1, "missing"),
        ("!any", 0, 4, "!any"),
        ("[!any]", 1, 5, "!any"),
        ("!$EVERYWHERE", 0, 12, "No address is left"),
        ("[10.0.0.0/8,!10.0.0.0/7]", 0, 24, "No address is left"),
        ("!$MOST", 0, 6, "No address is left"),
        ("[10.0.0.1,$NOWHERE]", 10, 18, "not defined"),
        ("$A", 0, 2, "defined by itself: A -> B -> A"),
        ("[::1,$BROKEN]", 5, 12, "In the value of $BROKEN: `5.6.7`"),
        ("[1.2.3.4", 0, 8, "not closed"),
        ("1.2.3.4]", 7, 8, "out of place"),
        ("[1.2.3.4,]", 9, 10, "missing"),
        ("[]", 1, 2, "missing"),
        ("!!1.2.3.4", 1, 9, "not a valid"),
        ("$", 0, 1, "name of a variable"),
        ("[1.2.3.4[5.6.7.8]]", 0, 8, "not closed"),
    ] {
        let error = resolver.addresses(text).expect_err(text);
        assert!(error.message.contains(words), "{text}: {error}");
        assert_eq!(error.span, Span::new(start, end), "{text}: {error}");
    }
    let deep = "[".repeat(100_000);
    assert!(resolver.addresses(&deep).unwrap_err().message.contains("nested"));
}

#[test]
fn ports() {
    let variables = variables();
    let mut resolver = Resolver::new(&variables);
    for (text, expected) in [
        ("any", "0-65535"),
        ("80", "80-80"),
        ("!80", "0-79 81-65535"),
        (":1024", "0-1024"),
        ("1024:", "1024-65535"),
        ("[80,8000:9000,!8080]", "80-80 8000-8079 8081-9000"),
        ("[80: 82]", "80-82"),
        ("[1:80,![2,4]]", "1-1 3-3 5-80"),
        ("$SHELLCODE_PORTS", "0-79 81-65535"),
        ("!$SHELLCODE_PORTS", "80-80"),
        ("[$FILE_PORTS,!110]", "80-80 143-143"),
        ("![21,25,110]", "0-20 22-24 26-109 111-65535"),
        ("80,81", "80-81"),
    ] {
        let set = resolver.ports(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let ranges: Vec<String> =
            set.ranges().iter().map(|(first, last)| format!("{first}-{last}")).collect();
        assert_eq!(ranges.join(" "), expected, "{text}");
    }
    for text in ["!any", "[80,!80]", "![0:65535]", "65536", "$HOME_NET", "80-90", "[80"] {
        resolver.ports(text).expect_err(text);
    }
}

#[test]
fn equal_sets_are_shared() {
    let variables = variables();
    let mut resolver = Resolver::new(&variables);
    let home = resolver.addresses("$HOME_NET").unwrap();
    for text in ["$HOME_NET", "$SERVERS", "[10.0.0.0/8,192.168.0.0/16]"] {
        assert!(Arc::ptr_eq(&home, &resolver.addresses(text).unwrap()), "{text}");
    }
}

#[test]
fn variables_that_double_do_not_grow() {
    let mut variables = VariableMap::default();
    variables.addresses.insert("V0".into(), "[1.1.1.1,!2.2.2.2]".into());
    for level in 1..60 {
        let below = level - 1;
        variables.addresses.insert(format!("V{level}"), format!("[$V{below},$V{below}]"));
    }
    let mut resolver = Resolver::new(&variables);
    let set = resolver.addresses("$V59").unwrap();
    assert_eq!(set.v4().ranges(), [(0x0101_0101, 0x0101_0101)]);
}

#[test]
fn negation_is_seen_through_variables() {
    let variables = variables();
    let resolver = Resolver::new(&variables);
    for (text, expected) in [
        ("any", false),
        ("$HOME_NET", false),
        ("!10.0.0.1", true),
        ("[10.0.0.0/8,!10.1.1.1]", true),
        ("$EXTERNAL_NET", true),
        ("[1.1.1.1,$MOST]", true),
        ("$SERVERS", false),
        ("$A", false),
        ("$NOBODY", false),
    ] {
        assert_eq!(resolver.negates(text), expected, "{text}");
    }
}
