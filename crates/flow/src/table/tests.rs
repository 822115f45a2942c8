//! The table against expectations, and against a naive map of flows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use weir_base::{Counters, Direction, Timestamp};
use weir_packet::Icmp;
use weir_packet::header::Embedded;

use super::*;
use crate::elephant::ElephantSettings;
use crate::packets::{Made, icmp, key, tcp, tunnel, udp};

fn table(change: impl FnOnce(&mut FlowSettings)) -> FlowTable<u64> {
    let mut settings = FlowSettings { prealloc: 0, ..FlowSettings::default() };
    change(&mut settings);
    FlowTable::new(settings)
}

fn ended_at(table: &mut FlowTable<u64>, second: u64) -> Vec<u64> {
    let mut ended = Vec::new();
    table.hand_out_ended(&mut |flow| ended.push(flow.core.first_packet));
    table.expire(Timestamp::new(second, 0), &mut |flow| ended.push(flow.core.first_packet));
    ended
}

fn echo(kind: u8) -> Icmp<'static> {
    Icmp { kind, ..Icmp::default() }
}

#[test]
fn a_host_that_asks_itself_is_the_client() {
    let host = "10.0.0.1";
    let mut table = table(|_| {});
    for (number, kind) in [(1, 8), (2, 0)] {
        let found = table.lookup(&icmp(host, host, echo(kind)).packet(number, 0), |_| 0).unwrap();
        assert_eq!((found.direction, found.created), (Direction::ToServer, number == 1));
    }
}

#[test]
fn both_directions_meet() {
    let cases = [
        (tcp("10.0.0.1", 1000, "10.0.0.2", 80), tcp("10.0.0.2", 80, "10.0.0.1", 1000), false),
        (udp("10.0.0.1", 1000, "10.0.0.2", 53), udp("10.0.0.2", 53, "10.0.0.1", 1000), true),
        (icmp("10.0.0.1", "10.0.0.2", echo(8)), icmp("10.0.0.2", "10.0.0.1", echo(0)), true),
    ];
    for (there, back, established) in cases {
        let mut table = table(|_| {});
        let first = table.lookup(&there.packet(1, 0), |core| core.id.0).unwrap();
        assert!(first.created && !first.established);
        assert_eq!(first.direction, Direction::ToServer);
        let second = table.lookup(&back.packet(2, 1), |_| 0).unwrap();
        assert_eq!(
            (second.index, second.direction, second.created),
            (first.index, Direction::ToClient, false)
        );
        assert_eq!(second.established, established);
        let flow = table.flow(first.index).unwrap();
        assert_eq!(flow.session, flow.core.id.0);
        let fetched = |packet: &Packet<'_>| {
            let key = table.key(packet).unwrap();
            table.fetch(&key);
            table.fetched(&key).map(|flow| flow.session)
        };
        assert_eq!(fetched(&back.packet(3, 2)), Some(flow.session));
        assert_eq!(fetched(&udp("10.0.0.9", 7, "10.0.0.2", 9).packet(4, 2)), None);
        assert_eq!(
            (flow.core.total_packets(), flow.core.total_bytes(), flow.core.age_seconds()),
            (2, 120, 1)
        );
    }
}

#[test]
fn other_flows_do_not() {
    let mut table = table(|_| {});
    let made = [
        tcp("10.0.0.1", 1000, "10.0.0.2", 80),
        udp("10.0.0.1", 1000, "10.0.0.2", 80),
        tcp("10.0.0.1", 80, "10.0.0.2", 1000),
        tcp("10.0.0.1", 1001, "10.0.0.2", 80),
    ];
    for (number, made) in (1..).zip(&made) {
        assert!(table.lookup(&made.packet(number, 0), |_| 0).unwrap().created);
    }
    let mut tagged = made[0].packet(9, 0);
    tagged.vlan.push(5);
    assert!(table.lookup(&tagged, |_| 0).unwrap().created);
    let mut inner = made[0].packet(9, 0);
    inner.recursion = 1;
    assert!(table.lookup(&inner, |_| 0).unwrap().created);
    assert_eq!(table.len(), 6);
}

#[test]
fn vlan_and_tunnel_depth_may_be_left_out_of_the_key() {
    let mut table = table(|s| (s.track_vlan, s.track_recursion) = (false, false));
    let made = tcp("10.0.0.1", 1000, "10.0.0.2", 80);
    let mut tagged = made.packet(1, 0);
    tagged.vlan.push(5);
    let first = table.lookup(&tagged, |_| 0).unwrap();
    let mut inner = made.packet(2, 0);
    inner.recursion = 1;
    assert_eq!(table.lookup(&inner, |_| 0).unwrap().index, first.index);
    assert_eq!(table.flow(first.index).unwrap().core.vlan().as_slice(), [5]);
}

#[test]
fn untracked_packets_have_no_flow() {
    let mut table = table(|_| {});
    let mut packet = tcp("10.0.0.1", 1000, "10.0.0.2", 80).packet(1, 0);
    packet.transport = Transport::None;
    assert_eq!(table.lookup(&packet, |_| 0), Err(NoFlow::NotTracked));
    assert!(table.is_empty());
}

#[test]
fn icmp_errors_go_where_they_are_told() {
    let query = udp("10.0.0.1", 1000, "10.0.0.2", 53);
    let quoted = key(&query.packet(1, 0));
    let embedded = Embedded {
        source: quoted.source,
        destination: quoted.destination,
        protocol: 17,
        source_port: 1000,
        destination_port: 53,
    };
    let error =
        icmp("10.0.0.9", "10.0.0.1", Icmp { kind: 3, code: 3, embedded: Some(embedded), ..Icmp::default() });
    let mut own = table(|_| {});
    own.lookup(&query.packet(1, 0), |_| 0).unwrap();
    assert!(own.lookup(&error.packet(2, 0), |_| 0).unwrap().created);

    let mut joined = table(|s| s.icmp_errors = IcmpErrors::QuotedFlow);
    assert_eq!(joined.lookup(&error.packet(1, 0), |_| 0), Err(NoFlow::NotTracked));
    let flow = joined.lookup(&query.packet(2, 0), |_| 0).unwrap();
    let found = joined.lookup(&error.packet(3, 0), |_| 0).unwrap();
    assert_eq!((found.index, found.direction), (flow.index, Direction::ToClient));
    assert!(!found.established, "an error is no answer");
    let exceeded = Icmp { kind: 11, embedded: Some(embedded), ..Icmp::default() };
    let error = icmp("10.0.0.9", "10.0.0.1", exceeded);
    assert_eq!(joined.lookup(&error.packet(4, 0), |_| 0), Err(NoFlow::NotTracked));
}

#[test]
fn protocols_of_one_direction() {
    let mut table = table(|_| {});
    let there = table.lookup(&tunnel("10.0.0.1", "10.0.0.2").packet(1, 0), |_| 0).unwrap();
    let back = table.lookup(&tunnel("10.0.0.2", "10.0.0.1").packet(2, 0), |_| 0).unwrap();
    assert_eq!((there.index, back.direction, back.established), (back.index, Direction::ToServer, false));
}

#[test]
fn timeouts_follow_protocol_and_state() {
    let there = udp("10.0.0.1", 1000, "10.0.0.2", 53);
    let back = udp("10.0.0.2", 53, "10.0.0.1", 1000);
    let syn = tcp("10.0.0.1", 1000, "10.0.0.2", 80);
    let cases: [(&[&Made], Option<FlowState>, u64); 6] = [
        (&[&there], None, 30),
        (&[&there, &back], None, 300),
        (&[&syn], None, 60),
        (&[&syn], Some(FlowState::Established), 600),
        (&[&syn], Some(FlowState::Closed), 60),
        (&[&syn], Some(FlowState::Bypassed), 100),
    ];
    for (made, state, timeout) in cases {
        let mut table = table(|_| {});
        for (number, made) in (1..).zip(made) {
            let found = table.lookup(&made.packet(number, 1000), |_| 0).unwrap();
            if let Some(state) = state {
                table.set_state(found.index, state);
            }
        }
        assert_eq!(ended_at(&mut table, 1000 + timeout - 1), []);
        assert_eq!(ended_at(&mut table, 1000 + timeout + 2), [1], "{state:?}");
        assert_eq!(table.counters().active, 0);
    }
}

#[test]
fn flows_that_end_at_once_come_in_order_of_creation() {
    let mut table = table(|_| {});
    let at = [(1, 105), (2, 103), (3, 103), (4, 100)];
    for (number, second) in at {
        table
            .lookup(&udp("10.0.0.1", number, "10.0.0.2", 53).packet(u64::from(number), second), |_| 0)
            .unwrap();
    }
    // The last is used again and lives longer than the rest.
    table.lookup(&udp("10.0.0.1", 4, "10.0.0.2", 53).packet(9, 120), |_| 0).unwrap();
    assert_eq!(ended_at(&mut table, 140), [1, 2, 3]);
    assert_eq!(ended_at(&mut table, 100_000), [4]);
}

#[test]
fn a_flow_found_too_late_is_another() {
    let mut table = table(|_| {});
    let made = udp("10.0.0.1", 1, "10.0.0.2", 53);
    let first = table.lookup(&made.packet(1, 0), |_| 0).unwrap();
    let second = table.lookup(&made.packet(2, 31), |_| 0).unwrap();
    assert!(second.created && first.index != second.index);
    assert!(table.flow(first.index).is_none(), "a stale index finds nothing");
    assert_eq!(ended_at(&mut table, 31), [1]);
    assert_eq!(table.counters().wrk_flows_evicted, 1);
}

#[test]
fn a_reused_tuple_leaves_the_old_counts() {
    let mut table = table(|_| {});
    let made = tcp("10.0.0.1", 1, "10.0.0.2", 80);
    table.lookup(&made.packet(1, 0), |_| 0).unwrap();
    let packet = made.packet(2, 10);
    let old = table.lookup(&packet, |_| 0).unwrap();
    let new = table.replace(old.index, &packet, |_| 0).unwrap();
    assert!(new.created);
    let mut ended = Vec::new();
    table.hand_out_ended(&mut |flow| ended.push(flow));
    assert_eq!(ended.len(), 1);
    let core = &ended[0].core;
    assert_eq!((core.total_packets(), core.last), (1, Timestamp::new(0, 0)));
    assert_eq!(core.end_reason, Some(EndReason::TcpReuse));
    assert_eq!(table.counters().tcp_reuse, 1);
}

#[test]
fn swapping_exchanges_all_that_has_a_direction() {
    let mut table = table(|_| {});
    let made = tcp("10.0.0.1", 1, "10.0.0.2", 80);
    let found = table.lookup(&made.packet(1, 0), |_| 0).unwrap();
    table.flow_mut(found.index).unwrap().core.swap();
    let core = &table.flow(found.index).unwrap().core;
    assert_eq!((core.packets.to_server, core.packets.to_client), (0, 1));
    assert_eq!(core.key.source_port, 80);
    assert!(core.flags.contains(FlowFlags::TO_CLIENT_SEEN | FlowFlags::SWAPPED));
    assert!(!core.flags.contains(FlowFlags::TO_SERVER_SEEN));
    assert_eq!(table.lookup(&made.packet(2, 0), |_| 0).unwrap().direction, Direction::ToClient);
}

#[test]
fn memory_is_kept_within_the_cap() {
    let room = 100;
    let mut table = table(|s| s.memcap = FlowTable::<u64>::flow_bytes() * room);
    let mut ended = 0;
    for number in 1..=1000u64 {
        let made = udp("10.0.0.1", number as u16, "10.0.0.2", 53);
        table.lookup(&made.packet(number, number / 100), |_| 0).unwrap();
        assert!(table.len() as u64 <= room);
        if number % 50 == 0 {
            table.hand_out_ended(&mut |flow| {
                assert_eq!(flow.core.end_reason, Some(EndReason::Forced));
                ended += 1;
            });
        }
    }
    assert_eq!(ended + table.len(), 1000);
    assert!(table.emergency());
    assert_eq!(table.counters().get_used, 900);
    assert_eq!(ended_at(&mut table, 100).len(), 100);
    assert!(!table.emergency());
    assert_eq!((table.counters().emergency_entered, table.counters().emergency_over), (1, 1));
}

/// While memory for sessions is short, new flows end old ones, and no timeouts get longer again.
#[test]
fn flows_make_room_for_sessions() {
    let mut table = table(|_| {});
    let fill = |table: &mut FlowTable<u64>, ports: std::ops::Range<u16>| {
        for port in ports {
            let made = udp("10.0.0.1", port, "10.0.0.2", 53);
            table.lookup(&made.packet(u64::from(port), 100), |_| 0).unwrap();
        }
    };
    fill(&mut table, 0..100);
    table.press(true);
    fill(&mut table, 100..110);
    assert_eq!((table.len(), table.counters().get_used, table.emergency()), (70, 40, true));
    let mut ended = Vec::new();
    table.hand_out_ended(&mut |flow| ended.push((flow.core.first_packet, flow.core.end_reason)));
    assert_eq!(ended, (0..40).map(|port| (port, Some(EndReason::Forced))).collect::<Vec<_>>());
    table.expire(Timestamp::new(101, 0), &mut |_| {});
    assert!(table.is_pressed() && table.emergency());
    table.press(false);
    fill(&mut table, 110..120);
    table.expire(Timestamp::new(102, 0), &mut |_| {});
    assert_eq!((table.len(), table.emergency()), (80, false));
}

#[test]
fn in_need_all_flows_have_the_shorter_timeouts() {
    // Each state, the protocol, and how long a flow lives in need.
    let cases = [
        (udp("10.0.0.1", 1, "10.0.0.2", 53), FlowState::New, 10),
        (udp("10.0.0.1", 1, "10.0.0.2", 53), FlowState::Established, 100),
        (udp("10.0.0.1", 1, "10.0.0.2", 53), FlowState::Bypassed, 50),
        (tcp("10.0.0.1", 1, "10.0.0.2", 80), FlowState::New, 5),
        (tcp("10.0.0.1", 1, "10.0.0.2", 80), FlowState::Established, 100),
        (tcp("10.0.0.1", 1, "10.0.0.2", 80), FlowState::Closed, 10),
        (tcp("10.0.0.1", 1, "10.0.0.2", 80), FlowState::Bypassed, 50),
        (icmp("10.0.0.1", "10.0.0.2", echo(8)), FlowState::New, 10),
    ];
    for (made, state, timeout) in cases {
        let mut table = table(|s| s.memcap = FlowTable::<u64>::flow_bytes() * 100);
        // What fills the table is due first, and makes room for itself.
        for number in 2..=102 {
            let other = udp("10.0.9.9", number, "10.0.0.2", 53);
            table.lookup(&other.packet(u64::from(number), 990), |_| 0).unwrap();
        }
        assert!(table.emergency());
        let found = table.lookup(&made.packet(200, 1000), |_| 0).unwrap();
        table.set_state(found.index, state);
        // Memory stays short: the mode lasts.
        table.settings.memcap = 1;
        let ends = |table: &mut FlowTable<u64>, second| ended_at(table, second).contains(&200);
        assert!(!ends(&mut table, 1000 + timeout - 1), "{state:?}");
        assert!(ends(&mut table, 1000 + timeout + 2), "{state:?}");
        assert!(table.is_empty() && !table.emergency());
        assert_eq!((table.counters().emergency_entered, table.counters().emergency_over), (1, 1));
    }
}

#[test]
fn how_flows_end() {
    let made = |port| tcp("10.0.0.1", port, "10.0.0.2", 80);
    let mut table = table(|s| s.memcap = FlowTable::<u64>::flow_bytes() * 3);
    for port in 1..=4 {
        table.lookup(&made(port).packet(u64::from(port), 100), |_| 0).unwrap();
    }
    // The first made room for the fourth; the second's ports are used again.
    let again = made(2).packet(5, 101);
    let old = table.lookup(&again, |_| 0).unwrap().index;
    table.replace(old, &again, |_| 0).unwrap();
    let mut ends = Vec::new();
    let mut note = |flow: Flow<u64>| {
        let core = flow.core;
        ends.push((
            core.first_packet,
            core.end_reason.unwrap().name(),
            core.flags.contains(FlowFlags::EMERGENCY),
        ));
    };
    table.hand_out_ended(&mut note);
    // In need a TCP flow is new for five seconds; the third is seen again.
    table.lookup(&made(3).packet(6, 104), |_| 0).unwrap();
    table.expire(Timestamp::new(108, 0), &mut note);
    table.drain(&mut note);
    let expected = [
        (1, "forced", true),
        (2, "tcp_reuse", true),
        (4, "timeout", true),
        (5, "timeout", true),
        (3, "shutdown", false),
    ];
    assert_eq!(ends, expected);
    let counters = table.counters();
    assert_eq!((counters.recycled, counters.active, counters.total), (5, 0, 5));
    assert_eq!((counters.get_used, counters.tcp_reuse, counters.mgr_flows_evicted), (1, 1, 2));
    assert_eq!(counters.end_state_new, 5);
}

#[test]
fn a_cap_below_one_flow_gives_none() {
    let mut table = table(|s| s.memcap = 1);
    assert_eq!(table.lookup(&udp("10.0.0.1", 1, "10.0.0.2", 53).packet(1, 0), |_| 0), Err(NoFlow::Memcap));
    assert_eq!(table.counters().memcap, 1);
}

#[test]
fn elephants_are_told_once() {
    let mut table =
        table(|s| s.elephant = Some(ElephantSettings { bytes: 100, interval_seconds: 10, bypass: false }));
    let made = udp("10.0.0.1", 1, "10.0.0.2", 53);
    let found = [1, 2, 3, 4].map(|number| table.lookup(&made.packet(number, 0), |_| 0).unwrap());
    let flow = table.flow(found[0].index).unwrap();
    assert!(flow.core.flags.contains(FlowFlags::ELEPHANT_TO_SERVER));
    assert_eq!(table.counters().elephant, 1);
}

#[test]
fn counters_have_the_names_users_graph() {
    let mut names = Vec::new();
    FlowCounters::default().visit(&mut |name: &str, _| names.push(name.to_string()));
    for name in ["flow.total", "flow.tcp_reuse", "flow.emerg_mode_entered", "flow.end.state.established"] {
        assert!(names.iter().any(|n| n == name), "{name}");
    }
}

#[test]
fn an_idle_flow_is_small() {
    assert!(FlowTable::<Option<Box<u64>>>::flow_bytes() <= 512);
}

/// One flow as a map keeps it.
#[derive(Clone, Debug)]
struct Model {
    first: u64,
    last: u64,
    both: bool,
    forward: bool,
}

proptest! {
    #[test]
    fn behaves_as_a_map_of_flows(steps in proptest::collection::vec((0u16..6, any::<bool>(), 0u64..120), 1..200)) {
        let mut table = table(|_| {});
        let mut model: BTreeMap<u16, Model> = BTreeMap::new();
        let (mut ended, mut expected) = (Vec::new(), Vec::new());
        let mut now = 1000;
        for (number, &(port, forward, wait)) in (1u64..).zip(&steps) {
            now += wait;
            let made = if forward {
                udp("10.0.0.1", port, "10.0.0.2", 53)
            } else {
                udp("10.0.0.2", 53, "10.0.0.1", port)
            };
            let found = table.lookup(&made.packet(number, now), |_| 0).unwrap();
            let limit = |m: &Model| if m.both { 300 } else { 30 };
            if model.get(&port).is_some_and(|m| m.last + limit(m) < now) {
                expected.push(model.remove(&port).unwrap().first);
            }
            prop_assert_eq!(found.created, !model.contains_key(&port));
            let entry = model.entry(port).or_insert(Model { first: number, last: now, both: false, forward });
            entry.last = now;
            entry.both |= entry.forward != forward;
            let direction = if entry.forward == forward { Direction::ToServer } else { Direction::ToClient };
            prop_assert_eq!(found.direction, direction);
            table.expire(Timestamp::new(now, 0), &mut |flow| ended.push(flow.core.first_packet));
            // Flows that only the timer finds are gone from the model when the table says so.
            model.retain(|_, m| {
                let gone = ended.contains(&m.first) && !expected.contains(&m.first);
                assert!(!gone || m.last + limit(m) < now);
                if gone {
                    expected.push(m.first);
                }
                !gone
            });
        }
        table.drain(&mut |flow| ended.push(flow.core.first_packet));
        expected.extend(model.values().map(|m| m.first));
        ended.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(ended, expected);
    }
}
