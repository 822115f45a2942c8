//! Conversations with toy protocols: what is recognised, what the parser sees, what is reported.

mod readings;

use proptest::prelude::*;
use weir_base::Direction::{ToClient, ToServer};
use weir_base::{Direction, PerDirection, Timestamp};

use super::*;
use crate::audience::ZeekOnly;
use crate::parser::Parser;
use crate::toy::{self, Said};
use crate::transaction::downcast;

/// Something that happens to a flow.
#[derive(Clone, Debug)]
enum Step {
    Data(Direction, Vec<u8>),
    Gap(Direction, u64),
    Close(Direction),
    /// Bytes are missing that may yet come.
    Lack(Direction, u64),
    /// A side ended, of which not all may have been read.
    End(Direction),
}

fn client(text: &str) -> Step {
    Step::Data(ToServer, text.bytes().collect())
}

fn server(text: &str) -> Step {
    Step::Data(ToClient, text.bytes().collect())
}

/// Outcome of a flow.
struct Result {
    session: AppSession,
    report: SessionReport,
    counters: AppLayerCounters,
    /// Bytes that the parsers saw: `protocol direction text`.
    said: Vec<String>,
    times: Vec<u64>,
    /// Bytes that the fork's parsers saw, where the session forked, and behind how many of
    /// the others that was.
    forked: Option<(usize, Vec<String>)>,
}

fn said(parser: &dyn Parser, said: &mut Vec<String>, times: &mut Vec<u64>) {
    let mut next = 0;
    while let Some(transaction) = parser.next_from(next) {
        let Said { direction, text, time, .. } = downcast(transaction).unwrap();
        let arrow = if *direction == ToServer { '>' } else { '<' };
        said.push(format!("{} {arrow} {text}", parser.protocol().name));
        times.push(time.0);
        next = transaction.meta().id + 1;
    }
}

struct Flow {
    transport: Transport,
    ports: (u16, u16),
    beginning: Beginning,
    announced: Option<Expected>,
    audience: Audience,
}

const TCP: Flow = Flow {
    transport: Transport::Tcp,
    ports: (1000, 2000),
    beginning: Beginning::Seen,
    announced: None,
    audience: Audience::Records,
};

/// All that was said to the parsers of a session.
fn told(session: &AppSession, report: &SessionReport) -> (Vec<String>, Vec<u64>) {
    let (mut texts, mut times) = (Vec::new(), Vec::new());
    for parser in report.retired.iter().map(|parser| &**parser).chain(session.parser()) {
        said(parser, &mut texts, &mut times);
    }
    (texts, times)
}

fn run(flow: &Flow, steps: &[Step]) -> Result {
    run_in(flow, steps, SessionScratch::default())
}

fn run_in(flow: &Flow, steps: &[Step], mut scratch: SessionScratch) -> Result {
    let registry = toy::registry();
    let mut counters = AppLayerCounters::new(&registry);
    let mut report = SessionReport::default();
    let mut session = match steps {
        [Step::Lack(..), ..] => AppSession::unheard(),
        _ => AppSession::new(),
    };
    if let Some(announced) = flow.announced.clone() {
        session.announce(announced);
    }
    let mut endpoints = toy::endpoints(flow.transport, flow.ports.0, flow.ports.1);
    let mut offsets = PerDirection::<u64>::default();
    let mut turned = false;
    let (mut zeek_only, mut zeek_only_report) = (AppLayerCounters::new(&registry), SessionReport::default());
    let mut behind = None;
    for (index, step) in steps.iter().enumerate() {
        let turn = |direction: Direction| if turned { direction.opposite() } else { direction };
        let arrivals;
        let (direction, to, piece) = match step {
            Step::Data(direction, bytes) if flow.transport == Transport::Udp => {
                (*direction, Recipients::All, Piece::Datagram(bytes))
            }
            Step::Data(direction, bytes) => {
                let offset = offsets[*direction];
                arrivals = [(offset, Timestamp(index as u64 + 1))];
                offsets[*direction] += bytes.len() as u64;
                (*direction, Recipients::All, Piece::Data { offset, bytes, arrivals: &arrivals })
            }
            Step::Gap(direction, length) => {
                let offset = offsets[*direction];
                offsets[*direction] += length;
                (*direction, Recipients::All, Piece::Gap { offset, length: *length })
            }
            Step::Close(direction) => (*direction, Recipients::All, Piece::End),
            Step::Lack(direction, length) => {
                let offset = offsets[*direction];
                (*direction, Recipients::ZeekEarly, Piece::Gap { offset, length: *length })
            }
            Step::End(direction) => (*direction, Recipients::ZeekEarly, Piece::End),
        };
        let delivery = Delivery { direction: turn(direction), to, piece };
        let mut cx = SessionContext {
            registry: &registry,
            endpoints,
            time: Timestamp(1000),
            files: &FileSettings::default(),
            order: &Turn::alone(),
            frames: None,
            beginning: flow.beginning,
            audience: if session.is_forked() { Audience::Records } else { flow.audience },
            counters: &mut counters,
            scratch: &mut scratch,
            report: &mut report,
        };
        session.take(&mut cx, delivery);
        endpoints = cx.endpoints;
        let delivery = if report.reversed == turned { delivery } else { delivery.reversed() };
        turned = report.reversed;
        if session.is_forked() {
            behind.get_or_insert_with(|| told(&session, &report).0.len());
            let mut cx = SessionContext {
                registry: &registry,
                endpoints,
                time: Timestamp(1000),
                files: &FileSettings::default(),
                order: &Turn::alone(),
                frames: None,
                beginning: flow.beginning,
                audience: Audience::Zeek(ZeekOnly::Fork),
                counters: &mut zeek_only,
                scratch: &mut scratch,
                report: &mut zeek_only_report,
            };
            session.follow_fork(&mut cx, delivery);
        }
        // Flows of one worker share it.
        assert!(scratch.requests.is_empty() && scratch.anomalies.is_empty() && scratch.fork.is_none());
    }
    let (texts, times) = told(&session, &report);
    let forked = behind.zip(session.fork_mut().map(|forked| told(forked, &zeek_only_report).0));
    Result { session, report, counters, said: texts, times, forked }
}

/// A row of a table: the steps, the protocol in the end, what parsers saw, the events.
type Row<'a> = (&'a str, Vec<Step>, Option<&'a str>, &'a [&'a str], &'a [FlowEvent]);

fn check(flow: &Flow, rows: &[Row<'_>]) {
    for (what, steps, protocol, said, events) in rows {
        let result = run(flow, steps);
        assert_eq!(result.session.protocol().map(|p| p.name), *protocol, "{what}");
        assert_eq!(result.said, *said, "{what}");
        assert_eq!(result.report.events, *events, "{what}");
    }
}

#[test]
fn one_protocol() {
    use FlowEvent::*;
    check(
        &TCP,
        &[
            (
                "in pieces",
                vec![
                    client("LI"),
                    client("NE one\ntw"),
                    client("o\n"),
                    server("+OK\n"),
                    Step::Close(ToServer),
                ],
                Some("line"),
                &["line > LINE one", "line > two", "line < +OK", "line > close"],
                &[],
            ),
            (
                "the side that spoke first is parsed first",
                vec![server("welcome\n"), client("LINE a\n")],
                Some("line"),
                &["line < welcome", "line > LINE a"],
                &[DetectProtocolOnlyOneDirection],
            ),
            (
                "the other side is held until it is decided",
                vec![client("LINE a\n"), server("+"), client("b\n"), server("OK\n")],
                Some("line"),
                &["line > LINE a", "line > b", "line < +OK"],
                &[],
            ),
            (
                "at its end it is what the other side is",
                vec![client("LINE a\n"), server("A"), Step::Close(ToClient), Step::Close(ToServer)],
                Some("line"),
                &["line > LINE a", "line < close", "line > close"],
                &[],
            ),
            (
                "another protocol on the other side",
                vec![client("LINE a\n"), server("ANSWER\n")],
                Some("line"),
                &["line > LINE a", "line < ANSWER"],
                &[MismatchProtocolBothDirections],
            ),
            (
                "the wrong side first",
                vec![server("ANSWER\n"), client("ASK\n")],
                Some("ask"),
                &[],
                &[WrongDirectionFirstData],
            ),
            (
                "garbage of the wrong side first",
                vec![server("nonsense\n"), client("ASK\n"), client("ASK\n")],
                Some("ask"),
                &[],
                &[WrongDirectionFirstData],
            ),
            ("nothing known", vec![client("nonsense\n"), server("nonsense\n")], None, &[], &[]),
            ("closed before anything", vec![Step::Close(ToServer), Step::Close(ToClient)], None, &[], &[]),
            (
                "one side that never speaks",
                vec![client(&"x".repeat(60_000)), client(&"x".repeat(60_000)), server("+OK\n")],
                None,
                &[],
                &[ProtoDetectionSkipped],
            ),
        ],
    );
}

#[test]
fn change_of_protocol() {
    use FlowEvent::*;
    check(
        &TCP,
        &[
            (
                "to the one announced, in the same segment",
                vec![client("LINE a\nUPGRADE tls\n\x16\x03xy"), server("\x16\x03zz")],
                Some("tls"),
                &[
                    "line > LINE a",
                    "line > UPGRADE tls",
                    "line > close",
                    "line < close",
                    "tls > \x16\x03xy",
                    "tls < \x16\x03zz",
                ],
                &[],
            ),
            (
                "by what a client says first",
                vec![server("+OK\n"), client("UPGRADE tls\n"), client("\x16\x03xy"), server("\x16\x03zz")],
                Some("tls"),
                &[
                    "line < +OK",
                    "line > UPGRADE tls",
                    "line > close",
                    "line < close",
                    "tls > \x16\x03xy",
                    "tls < \x16\x03zz",
                ],
                &[DetectProtocolOnlyOneDirection],
            ),
            (
                "to one that the parser turns out to read, with the same transactions",
                vec![client("LINE a\nRENAME\n"), client("LINE b\n"), server("+OK\n")],
                Some("ask"),
                &["ask > LINE a", "ask > RENAME", "ask > LINE b", "ask < +OK"],
                &[],
            ),
            (
                "to whatever is found",
                vec![client("LINE a\nUPGRADE\nA"), client("SK\n")],
                Some("ask"),
                &["line > LINE a", "line > UPGRADE", "line > close", "line < close", "ask > ASK"],
                &[],
            ),
            (
                "behind line ends that are left",
                vec![client("LINE a\nUPGRADE\n\r"), server("\r\n"), client("\nASK\n")],
                Some("ask"),
                &["line > LINE a", "line > UPGRADE", "line > close", "line < close", "ask > ASK"],
                &[],
            ),
            (
                "to another one than announced",
                vec![client("LINE UP\nUPGRADE tls\n"), client("ASK\n")],
                Some("ask"),
                &["line > LINE UP", "line > UPGRADE tls", "line > close", "line < close", "ask > ASK"],
                &[UnexpectedProtocol, NoTlsAfterStarttls],
            ),
            (
                "to nothing known",
                vec![client("LINE UP\nUPGRADE tls\n"), client("nonsense\n"), server("nonsense\n")],
                None,
                &["line > LINE UP", "line > UPGRADE tls", "line > close", "line < close"],
                &[NoTlsAfterStarttls],
            ),
            (
                "to one that nothing recognises",
                vec![client("LINE UP\nUPGRADE hidden\nabcdef"), client("gh")],
                Some("hidden"),
                &[
                    "line > LINE UP",
                    "line > UPGRADE hidden",
                    "line > close",
                    "line < close",
                    "hidden > abcd",
                    "hidden > efgh",
                ],
                &[],
            ),
        ],
    );
    let upgraded = run(&TCP, &[client("LINE a\nUPGRADE\nASK\n")]);
    assert_eq!(upgraded.session.original(), Some(&toy::LINE));
    assert_eq!(upgraded.report.retired.len(), 1);
}

#[test]
fn changes_are_bounded() {
    let steps: Vec<_> = (0..20).map(|_| client("LINE a\nUPGRADE\n")).collect();
    let result = run(&TCP, &steps);
    assert_eq!(result.session.upgrades(), UPGRADES_MAX);
    assert_eq!(result.session.failure(), Some(ParserFailure::Internal));
}

#[test]
fn gaps() {
    let binary = Flow { ports: (1000, 7), ..TCP };
    check(
        &binary,
        &[
            (
                "told, with what was left before",
                vec![client("\x07aaa\x07b"), Step::Gap(ToServer, 10), client("\x07ccc")],
                Some("bin"),
                &["bin > \x07aaa", "bin > gap 12", "bin > \x07ccc"],
                &[],
            ),
            (
                "not told where the protocol takes none",
                vec![client("LINE a\n"), Step::Gap(ToServer, 10), client("b\n")],
                Some("line"),
                &["line > LINE a", "line > close", "line < close"],
                &[],
            ),
            (
                "before anything was recognised",
                vec![client("LIN"), Step::Gap(ToServer, 1), client("LINE a\n"), server("+OK\n")],
                None,
                &[],
                &[],
            ),
            (
                "on the side that is not recognised yet",
                vec![client("\x07aaa"), Step::Gap(ToClient, 4), server("\x08bbb")],
                Some("bin"),
                &["bin > \x07aaa", "bin < gap 4", "bin < \x08bbb"],
                &[],
            ),
        ],
    );
}

#[test]
fn datagrams_that_are_refused_are_counted() {
    let mut result = run(
        &Flow { transport: Transport::Udp, ports: (1000, 7), ..TCP },
        &[client("\x07aaa"), client("\x07NO!"), client("\x07bbb")],
    );
    assert_eq!(result.said, ["bin > \x07aaa", "bin > \x07bbb"]);
    assert_eq!((result.session.failure(), result.report.failed), (None, Some(ParserFailure::Datagram)));
    let counted = *result.counters.of(result.session.protocol_id().unwrap(), Transport::Udp).unwrap();
    assert_eq!(counted.parser_errors, 1);
}

#[test]
fn failures_end_the_parser_and_are_counted() {
    let cases = [
        (vec![client("LINE a\nBAD\nb\n"), client("c\n")], ParserFailure::Parser),
        (vec![client("LINE a\nHUGE\nb\n"), client("c\n")], ParserFailure::Internal),
        (vec![client("LINE a\n"), Step::Gap(ToServer, 1), client("c\n")], ParserFailure::Gap),
        (
            vec![client("LINE a\n"), client(&"x".repeat(PENDING_MAX + 1)), client("x")],
            ParserFailure::Internal,
        ),
    ];
    for (steps, failure) in cases {
        let mut result = run(&TCP, &steps);
        assert_eq!(result.session.failure(), Some(failure));
        assert!(result.session.is_done() && !result.said.iter().any(|said| said.ends_with("> c")));
        let counted = *result.counters.of(result.session.protocol_id().unwrap(), Transport::Tcp).unwrap();
        assert_eq!(counted.flows, 1);
        let errors = [counted.gap_errors, counted.parser_errors, counted.internal_errors];
        let expected = [ParserFailure::Gap, ParserFailure::Parser, ParserFailure::Internal];
        assert_eq!(errors, expected.map(|kind| u64::from(kind == failure)));
    }
}

#[test]
fn what_waited_for_the_other_side_is_read_whatever_that_said() {
    let steps = [server("BAD\n"), client("LINE a\n"), client("b\n")];
    let result = run(&TCP, &steps);
    assert_eq!(result.session.failure(), Some(ParserFailure::Parser));
    assert_eq!(result.said.iter().filter(|said| said.contains('>')).collect::<Vec<_>>(), ["line > LINE a"]);
}

#[test]
fn what_a_flow_keeps_is_counted_and_bounded() {
    let steps: Vec<_> = std::iter::once(client("LINE a\n")).chain((0..99).map(|_| client("b\n"))).collect();
    let waiting = [client("LINE a\n"), client(&"x".repeat(50_000))];
    // What all sessions may take beside themselves, what happens, and how many lines are read.
    let cases: [(usize, &[Step], Option<usize>); 4] = [
        (1 << 20, &steps, Some(100)),
        (4000, &steps, None),
        (1 << 20, &waiting, Some(1)),
        (4000, &waiting, None),
    ];
    for (room, steps, lines) in cases {
        // One flow has as much as it leaves free.
        let all = SessionMemory::new(2 * (size_of::<AppSession>() + BESIDE_SESSION + room) as u64);
        let scratch = SessionScratch::with_memory(all.clone(), Arc::new(Memory::new(0)));
        let memory = all.main;
        let mut result = run_in(&TCP, steps, scratch);
        let counted = *result.counters.of(result.session.protocol_id().unwrap(), Transport::Tcp).unwrap();
        let failed = lines.is_none();
        assert_eq!(result.session.failure(), failed.then_some(ParserFailure::Memory));
        assert_eq!(result.report.events.contains(&FlowEvent::MemcapReached), failed);
        assert_eq!((counted.alloc_errors, memory.refused()), (failed.into(), failed.into()));
        assert_eq!((result.report.retired.len(), result.session.parser().is_none()), (failed.into(), failed));
        let read = result.said.iter().filter(|said| !said.ends_with("close")).count();
        assert!(lines.map_or(read > 0 && read < 100, |lines| read == lines), "{read} {lines:?}");
        let least = size_of::<AppSession>() as u64;
        let most = least + (BESIDE_SESSION + room) as u64;
        assert!((least..=most).contains(&memory.used()), "{}", memory.used());
        drop(result);
        assert_eq!((memory.used(), all.zeek_only.used()), (0, 0));
    }
}

#[test]
fn requests_and_anomalies_reach_the_engine() {
    let result = run(&TCP, &[client("LINE a\nODD\nEXPECT\nSTOP\nnever\n"), server("+OK\n")]);
    assert_eq!(result.said, ["line > LINE a", "line > ODD", "line > EXPECT", "line > STOP", "line < +OK"]);
    assert!(matches!(
        result.report.requests[..],
        [Request::Expect { port: 5, .. }, Request::StopParsing(ToServer)]
    ));
    assert_eq!(result.report.anomalies.iter().map(|anomaly| anomaly.name()).collect::<Vec<_>>(), ["odd"]);
    assert!(result.session.is_stopped(ToServer) && !result.session.is_done());
    let mut counters = result.counters;
    let counted = *counters.of(result.session.protocol_id().unwrap(), Transport::Tcp).unwrap();
    assert_eq!(counted.transactions, 5);
}

#[test]
fn anomalies_without_a_transaction_are_lost() {
    let flow = Flow { ports: (1000, 7), transport: Transport::Udp, ..TCP };
    for (steps, expected) in [(&[client("\x07NO!")][..], 0), (&[client("\x07abc"), client("\x07NO!")], 1)] {
        assert_eq!(run(&flow, steps).report.anomalies.len(), expected, "{steps:?}");
    }
}

#[test]
fn an_announced_flow_is_what_was_announced() {
    let announced = Some(Expected {
        protocol: "hidden",
        tag: b"3"[..].into(),
        patience: weir_base::Duration::from_secs(1),
    });
    check(
        &Flow { announced, ..TCP },
        &[
            (
                "when it is nothing else",
                vec![server("abcdef"), server("gh"), Step::Close(ToClient)],
                Some("hidden"),
                &["hidden > tag 3", "hidden < abcd", "hidden < efgh", "hidden < close"],
                &[],
            ),
            ("but not when it is", vec![client("LINE a\n")], Some("line"), &["line > LINE a"], &[]),
        ],
    );
}

#[test]
fn datagrams() {
    let udp = |ports| Flow { transport: Transport::Udp, ports, ..TCP };
    let rows: &[Row<'_>] = &[
        (
            "each side",
            vec![client("\x07aaa"), server("\x08bbb"), client("x")],
            Some("bin"),
            &["bin > \x07aaa", "bin < \x08bbb"],
            &[],
        ),
        ("one try by side", vec![client("?"), client("\x07aaa")], None, &[], &[]),
        (
            "the other side may still tell",
            vec![client("?"), server("\x08bbb"), client("\x07aaa")],
            Some("bin"),
            &["bin < \x08bbb", "bin > \x07aaa"],
            &[],
        ),
    ];
    check(&udp((1000, 7)), rows);
    let failed = run(&udp((1000, 7)), &[client("?"), server("?"), client("\x07aaa")]);
    assert!(failed.session.failed() && failed.counters.failed_udp == 1);
    let first = run(&udp((1000, 7)), &[client("?")]);
    assert!(first.session.failed() && first.counters.failed_udp == 1);
    let answered = run(&udp((1000, 7)), &[client("\x07aaa"), server("?")]).session;
    assert_eq!(answered.protocol_of(ToClient).map(|p| p.name), Some("bin"), "an answer like none");
    let told = run(&udp((1000, 7)), &[client("?"), server("\x08bbb")]).session;
    assert!(!told.failed() && told.failed_in(ToServer) && !told.failed_in(ToClient));
    let steps = [client("\x08aaa"), server("\x07bbb")];
    let seen = run(&udp((7, 1000)), &steps);
    assert!(
        !seen.report.reversed && seen.session.failed() && seen.said.is_empty(),
        "the first to speak is the client"
    );
    let zeek = run(&Flow { audience: Audience::Everyone, ..udp((7, 1000)) }, &steps);
    assert!(!zeek.report.reversed && zeek.session.failed() && zeek.said.is_empty());
    let said = ["bin < \x08aaa", "bin > \x07bbb"].map(str::to_owned).into();
    assert_eq!(zeek.forked, Some((0, said)), "but for Zeek's logs");
    let reversed = run(&Flow { beginning: Beginning::Midstream, ..udp((7, 1000)) }, &steps);
    assert!(reversed.report.reversed);
    assert_eq!(reversed.said, ["bin < \x08aaa", "bin > \x07bbb"]);
}

#[test]
fn a_client_that_says_too_little_is_not_waited_for() {
    for (steps, expected) in [
        (&[client("?"), server("???????")][..], true),
        (&[client("???????"), server("?")], false),
        (&[server("???????")], false),
        (&[client("LIN"), server("???????")], true),
    ] {
        assert_eq!(run(&TCP, steps).session.failed(), expected, "{steps:?}");
    }
}

#[test]
fn a_side_of_which_the_parser_makes_no_sense_stays_what_it_was_taken_for() {
    for (text, failed) in [("?????\n", true), ("BAD\nBAD\n", false)] {
        let found = run(&TCP, &[client(text), server("+OK\n")]);
        assert_eq!(found.report.events, [FlowEvent::DetectProtocolOnlyOneDirection], "{text}");
        assert_eq!(found.session.failed_in(ToServer), failed, "{text}");
        assert_eq!(found.session.failure().is_some(), !failed, "{text}");
    }
}

#[test]
fn an_empty_datagram_settles_what_its_side_speaks() {
    let udp = Flow { transport: Transport::Udp, ..TCP };
    let found = run(&udp, &[client(""), client("\x07abc")]);
    assert!(found.session.failed() && found.session.failed_in(ToServer));
    assert_eq!(found.said, [""; 0]);
    let zeek = Flow { audience: Audience::Zeek(ZeekOnly::Fork), ports: (1000, 7), ..udp };
    let found = run(&zeek, &[client(""), client("\x07abc")]);
    assert_eq!(found.said.len(), 1);
}

#[test]
fn what_ends_before_it_told_is_not_nothing_known() {
    let short = [client("LI"), server("x"), Step::Close(ToServer), Step::Close(ToClient)];
    let short = run(&TCP, &short);
    assert!(!short.session.failed() && short.counters.failed_tcp == 0);
    assert!(!short.session.failed_in(ToServer) && !short.session.failed_in(ToClient));
    let other = run(&TCP, &[client("LINE a\n"), server("+"), Step::Close(ToClient)]).session;
    assert_eq!(other.protocol_of(ToClient).map(|p| p.name), Some("line"));
    let nothing = run(&TCP, &[client("nonsense\n"), server("nonsense\n")]).session;
    assert!(nothing.failed() && nothing.failed_in(ToServer) && nothing.failed_in(ToClient));
}

#[test]
fn midstream_flows() {
    let midstream = Flow { beginning: Beginning::Midstream, ..TCP };
    let reversed = run(&midstream, &[client("+OK\n"), server("LINE a\n")]);
    assert!(reversed.report.reversed);
    assert_eq!(reversed.said, ["line < +OK", "line > LINE a"]);
    let lost = run(&midstream, &[client("the rest of it\n"), server("+OK\n")]);
    assert!(lost.session.failed() && lost.said.is_empty());
    let unheard = run(&midstream, &[Step::Close(ToServer), server("+OK\n")]);
    assert_eq!(unheard.said, ["line < +OK", "line > close"]);
}

#[test]
fn bytes_keep_the_time_of_their_capture() {
    let result = run(&TCP, &[client("LI"), client("NE a\nb"), client("\nc\n")]);
    assert_eq!(result.said, ["line > LINE a", "line > b", "line > c"]);
    assert_eq!(result.times, [1, 2, 3]);
}

#[test]
fn the_last_look_at_what_was_left() {
    let binary = Flow { ports: (1000, 7), ..TCP };
    let result =
        run(&binary, &[client("\x07aaa\x07b"), client("c"), Step::Close(ToServer), Step::Close(ToServer)]);
    assert_eq!(result.said, ["bin > \x07aaa", "bin > close"]);
    assert_eq!(result.session.parser().unwrap().created(), 2);
}

#[test]
fn a_session_is_small() {
    let size = size_of::<AppSession>();
    assert!(size <= 248, "{size}");
}

/// Cuts each step's bytes at the given places.
fn cut(steps: &[Step], places: &[usize]) -> Vec<Step> {
    let mut places = places.iter().cycle();
    let mut pieces = Vec::new();
    for step in steps {
        let Step::Data(direction, bytes) = step else {
            pieces.push(step.clone());
            continue;
        };
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((*places.next().unwrap()).clamp(1, rest.len()));
            pieces.push(Step::Data(*direction, piece.to_vec()));
            rest = after;
        }
    }
    pieces
}

proptest! {
    #[test]
    fn any_segmentation_gives_the_same_transactions(
        places in proptest::collection::vec(1_usize..12, 1..30),
        lines in proptest::collection::vec("[a-z]{0,9}", 0..12),
    ) {
        let whole = [
            client(&format!("LINE a\n{}\nUPGRADE tls\n", lines.join("\n"))),
            client("\x16\x03abcdefgh"),
            server("\x16\x03ijklmnopq"),
            Step::Close(ToServer),
            Step::Close(ToClient),
        ];
        let expected = run(&TCP, &whole);
        let pieces = run(&TCP, &cut(&whole, &places));
        prop_assert_eq!(pieces.said, expected.said);
        prop_assert_eq!(pieces.report.events, expected.report.events);
        prop_assert_eq!(pieces.counters.failed_tcp, 0);
    }

    #[test]
    fn any_steps_end_without_a_panic(
        steps in proptest::collection::vec(
            (any::<bool>(), 0_u8..6, "(LINE |ASK|UPGRADE|UPGRADE tls|\\+OK|ANSWER|BAD|STOP|[a-z])?\n?"),
            0..40,
        ),
        midstream in any::<bool>(),
    ) {
        let steps: Vec<_> = steps
            .into_iter()
            .map(|(to_server, kind, text)| {
                let direction = if to_server { ToServer } else { ToClient };
                match kind {
                    0 => Step::Gap(direction, 5),
                    1 => Step::Close(direction),
                    _ => Step::Data(direction, text.into_bytes()),
                }
            })
            .collect();
        let beginning = if midstream { Beginning::Midstream } else { Beginning::Seen };
        let result = run(&Flow { beginning, ..TCP }, &steps);
        prop_assert!(result.session.upgrades() <= UPGRADES_MAX);
        prop_assert!(result.report.retired.len() <= usize::from(UPGRADES_MAX));
    }
}
