//! Flows that Zeek reads in another way from somewhere on: what each of the two readings sees.

use proptest::prelude::*;
use weir_base::Direction::{ToClient, ToServer};
use weir_base::PerDirection;

use super::{Result, Step, TCP, client, cut, run, server};
use crate::audience::{Audience, Beginning, ZeekOnly};
use crate::session::tests::Flow;

const BOTH: Flow = Flow { audience: Audience::Everyone, ..TCP };
const BINARY: Flow = Flow { ports: (1000, 7), ..BOTH };

fn forked(result: &Result) -> Option<Vec<&str>> {
    result.forked.as_ref().map(|(_, said)| said.iter().map(String::as_str).collect())
}

#[test]
fn where_they_part() {
    type Row<'a> = (&'a str, &'a Flow, Vec<Step>, Option<&'a [&'a str]>);
    let rows: &[Row<'_>] = &[
        ("nowhere", &BOTH, vec![client("LINE a\nb\n"), server("+OK\n")], None),
        (
            "within a push",
            &BOTH,
            vec![client("LINE a\nPART\nb\n"), server("+OK\n"), Step::Close(ToServer)],
            Some(&["line > PART", "line > b", "line < +OK", "line > close"]),
        ),
        (
            "once",
            &BOTH,
            vec![client("LINE a\nPART\n"), client("PART\n"), server("+OK\n")],
            Some(&["line > PART", "line > PART", "line < +OK"]),
        ),
        (
            "in bytes that waited, as do others",
            &BOTH,
            vec![server("+O"), client("LINE a\nPART\nb\n"), server("K\n")],
            Some(&["line > PART", "line > b", "line < +OK"]),
        ),
        (
            "in bytes that waited, of a side that ended",
            &BINARY,
            vec![client("\x07PR"), Step::Close(ToClient), client("T\x07bbb")],
            Some(&["bin > \x07PRT", "bin > \x07bbb", "bin < close"]),
        ),
        (
            "at a gap",
            &BINARY,
            vec![client("\x07GAP\x07b"), Step::Gap(ToServer, 2), client("\x07ccc")],
            Some(&["bin > gap 4", "bin > \x07ccc"]),
        ),
        (
            "at an end",
            &BINARY,
            vec![client("\x07END\x07b"), Step::Close(ToServer), server("\x08ccc")],
            Some(&["bin > close", "bin < \x08ccc"]),
        ),
        (
            "at an end that came before the other side said anything",
            &BINARY,
            vec![Step::Close(ToClient), client("\x07END\x07bbb"), client("\x07ccc")],
            Some(&["bin < close", "bin > \x07ccc"]),
        ),
        (
            "nowhere, where a gap ends the parser",
            &BOTH,
            vec![client("LINE a\nPART END\n"), Step::Gap(ToServer, 2)],
            None,
        ),
        (
            "before a hole is filled, of which nothing is read",
            &BINARY,
            vec![client("\x07END"), Step::Lack(ToServer, 6), client("\x07bb"), client("b\x07c\x07ddd")],
            Some(&["bin > gap 6", "bin > \x07ddd"]),
        ),
        (
            "before a side that ended is read to its end",
            &BINARY,
            vec![client("\x07END"), Step::End(ToServer), Step::Close(ToServer), server("\x08bbb")],
            Some(&["bin > close", "bin < \x08bbb"]),
        ),
    ];
    for (what, flow, steps, expected) in rows {
        let result = run(flow, steps);
        assert_eq!(forked(&result).as_deref(), *expected, "{what}");
        let alone = run(&Flow { audience: Audience::Records, ports: flow.ports, ..TCP }, steps);
        assert_eq!(result.said, alone.said, "{what}");
    }
}

#[test]
fn a_hole_that_only_zeek_knows_of_leaves_no_trace() {
    let steps = [Step::Lack(ToServer, 8), Step::Close(ToServer), Step::Close(ToClient)];
    let result = run(&BOTH, &steps);
    assert!(!result.session.failed() && !result.session.is_done());
    assert_eq!(forked(&result).unwrap(), [""; 0]);
    let heard = run(&BOTH, &[&steps[..2], &[server("x\n"), Step::Close(ToClient)]].concat());
    assert!(!heard.session.failed_in(ToClient) && !heard.session.failed_in(ToServer));
}

#[test]
fn both_turn_around() {
    let flow = Flow { beginning: Beginning::Midstream, ..BINARY };
    let steps = [Step::Lack(ToClient, 8), client("\x08aaa"), server("\x07bbb\x07ccc"), server("\x07ddd")];
    let result = run(&Flow { ports: (7, 1000), ..flow }, &steps);
    assert!(result.report.reversed);
    assert_eq!(result.said, ["bin < \x08aaa", "bin > \x07bbb", "bin > \x07ccc", "bin > \x07ddd"]);
    assert_eq!(forked(&result).unwrap(), ["bin < \x08aaa", "bin > \x07ddd"]);
}

#[test]
fn what_a_parser_says_as_a_gap_ends_it_is_its_own() {
    let result = run(&TCP, &[client("LINE a\nODD END\n"), Step::Gap(ToServer, 2)]);
    assert_eq!(result.report.anomalies.iter().map(|anomaly| anomaly.name()).collect::<Vec<_>>(), ["odd"]);
    assert_eq!(result.session.failure(), Some(super::ParserFailure::Gap));
}

proptest! {
    /// From the fork on, Zeek's logs are what they are where nobody else reads.
    #[test]
    fn both_are_told_the_same_in_any_pieces(
        steps in proptest::collection::vec(
            (any::<bool>(), 0_u8..12, "(PRT|GAP|END|[a-z]{3}){1,4}"), 0..12,
        ),
        places in proptest::collection::vec(1_usize..12, 1..30),
    ) {
        let mut closed = PerDirection::<bool>::default();
        let steps: Vec<Step> = steps
            .into_iter()
            .filter_map(|(to_server, kind, text)| {
                let direction = if to_server { ToServer } else { ToClient };
                let first = if to_server { "\x07" } else { "\x08" };
                let records = text.as_bytes().chunks(3).flat_map(|chunk| [first.as_bytes(), chunk].concat());
                let is_closed = closed[direction];
                closed[direction] |= kind == 1;
                match kind {
                    _ if is_closed => None,
                    0 => Some(Step::Gap(direction, 5)),
                    1 => Some(Step::Close(direction)),
                    _ => Some(Step::Data(direction, records.collect())),
                }
            })
            .collect();
        let steps = cut(&steps, &places);
        let both = run(&BINARY, &steps);
        let rules = run(&Flow { audience: Audience::Records, ports: BINARY.ports, ..TCP }, &steps);
        prop_assert_eq!(both.said, rules.said);
        prop_assert_eq!(both.report.events, rules.report.events);
        if let Some((_, forked)) = both.forked {
            let zeek = run(&Flow { audience: Audience::Zeek(ZeekOnly::Fork), ports: BINARY.ports, ..TCP }, &steps).said;
            prop_assert!(zeek.ends_with(&forked), "{forked:?} of {zeek:?}");
        }
    }
}
