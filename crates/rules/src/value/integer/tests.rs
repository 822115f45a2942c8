use super::*;

/// Text, what it reads as, numbers that meet it, numbers that do not.
type Case = (&'static str, IntegerMatch<u32>, &'static [u32], &'static [u32]);

#[test]
fn comparisons() {
    use IntegerMatch::*;
    let cases: &[Case] = &[
        ("19", Equal(19), &[19], &[18, 20]),
        (" =0x13 ", Equal(19), &[19], &[18]),
        ("!0x14", NotEqual(20), &[19], &[20]),
        ("!= 20", NotEqual(20), &[19], &[20]),
        (">21", Greater(21), &[22], &[21]),
        ("> 21", Greater(21), &[22], &[21]),
        (">=21", GreaterOrEqual(21), &[21], &[20]),
        ("<22", Less(22), &[21], &[22]),
        ("<=22", LessOrEqual(22), &[22], &[23]),
        ("19-22", Between(19, 22), &[20, 21], &[19, 22]),
        ("19 <> 22", Between(19, 22), &[20, 21], &[19, 22]),
        ("!19-22", NotBetween(19, 22), &[19, 22], &[20, 21]),
        ("&0xc0=0x80", MaskEqual { mask: 0xc0, value: 0x80 }, &[0x80, 0xbf], &[0xc0, 0]),
        ("&0xc0 != 0", MaskNotEqual { mask: 0xc0, value: 0 }, &[0x40, 0xc0], &[0x3f]),
        (">1kb", Greater(1024), &[1025], &[1024]),
    ];
    for (text, expected, met, missed) in cases {
        assert_eq!(IntegerMatch::parse(text).as_ref(), Ok(expected), "{text}");
        assert!(met.iter().all(|number| expected.matches(*number)), "{text}");
        assert!(missed.iter().all(|number| !expected.matches(*number)), "{text}");
    }
}

#[test]
fn wrong_comparisons() {
    for (text, start, end) in [
        ("", 0, 0),
        ("a", 0, 1),
        ("5a", 1, 2),
        ("256", 0, 3),
        ("1kb", 0, 3),
        (">255", 0, 4),
        ("<0", 0, 2),
        (">=0", 0, 3),
        ("<=255", 0, 5),
        ("5-6", 0, 3),
        ("6-5", 0, 3),
        ("5-", 2, 2),
        ("&0xc0=2", 0, 7),
        ("&0x10", 0, 5),
        ("!&0xc0=0x80", 1, 11),
        ("=>5", 1, 3),
        ("5 5", 2, 3),
        ("99999999999999999999", 0, 20),
    ] {
        let error = IntegerMatch::<u8>::parse(text).expect_err(text);
        assert_eq!(error.span, Span::new(start, end), "{text}: {error}");
    }
}

#[test]
fn inclusive_ranges() {
    let range = IntegerMatch::<u8>::parse_inclusive("5-6").unwrap();
    assert!([5, 6].into_iter().all(|number| range.matches(number)) && !range.matches(4) && !range.matches(7));
    let outside = IntegerMatch::<u8>::parse_inclusive("!5-6").unwrap();
    assert!(outside.matches(4) && !outside.matches(5));
    assert!(IntegerMatch::<u8>::parse_inclusive("6-6").is_err());
}

#[test]
fn names() {
    let opcode =
        |name: &str| [("text", 1), ("ping", 9)].iter().find(|(known, _)| *known == name).map(|(_, v)| *v);
    for (text, expected) in [
        ("text", Some(IntegerMatch::<u8>::Equal(1))),
        ("!ping", Some(IntegerMatch::NotEqual(9))),
        (" ! ping ", Some(IntegerMatch::NotEqual(9))),
        (">3", Some(IntegerMatch::Greater(3))),
        ("pong", None),
    ] {
        assert_eq!(IntegerMatch::parse_named(text, opcode).ok(), expected, "{text}");
    }
}

#[test]
fn bit_names() {
    let flag = |name: &str| {
        [("fin", 0x80), ("comp", 0x40)].iter().find(|(known, _)| *known == name).map(|(_, v)| *v)
    };
    for (text, expected) in [
        ("fin,!comp", Some(IntegerMatch::<u8>::MaskEqual { mask: 0xc0, value: 0x80 })),
        (" fin ", Some(IntegerMatch::MaskEqual { mask: 0x80, value: 0x80 })),
        ("&0xc0=0x80", Some(IntegerMatch::MaskEqual { mask: 0xc0, value: 0x80 })),
        ("128", Some(IntegerMatch::Equal(128))),
        ("fin,fin", None),
        ("fin,rst", None),
        ("", None),
    ] {
        assert_eq!(IntegerMatch::parse_bit_names(text, flag).ok(), expected, "{text}");
    }
}
