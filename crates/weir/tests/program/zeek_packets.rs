//! What scripts hear of packets, tunnels and connections, and what their settings change: scripts with what they print.

use weir_base::Timestamp;
use weir_testkit::{Conversation, Frame, TimedFrame, capture_file, tcp_flags};

use crate::run::Folder;

/// Frames, one a second.
fn each_second(frames: impl IntoIterator<Item = Vec<u8>>) -> Vec<TimedFrame> {
    let frames = frames.into_iter().zip(1..);
    frames.map(|(bytes, second)| TimedFrame { time: Timestamp::new(second, 0), bytes }).collect()
}

/// A script that prints from its events, what the packets are, and what it prints.
struct Case {
    script: &'static str,
    frames: fn() -> Vec<TimedFrame>,
    printed: &'static str,
}

fn arp(operation: u8, sender: [u8; 6]) -> Vec<u8> {
    let head = [0, 1, 8, 0, 6, 4, 0, operation];
    let body = [&head[..], &sender, &[10, 0, 0, 1], &[0; 6], &[10, 0, 0, 2]].concat();
    Frame::ethernet().ether_type(0x0806).payload(body).build()
}

fn datagram(port: u16, payload: &[u8]) -> Vec<u8> {
    Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(2000, port).payload(payload).build()
}

fn between(source: &str, destination: &str, payload: &[u8]) -> Vec<u8> {
    Frame::bare().ipv4(source, destination).udp(1000, 1001).payload(payload).build()
}

fn segment(flags: u8, seq: u32, id: u16, payload: &[u8]) -> Vec<u8> {
    let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").ip_id(id);
    frame.tcp(1000, 80).flags(flags).seq(seq).ack(1).payload(payload).build()
}

const CASES: &[(&str, Case)] = &[
    (
        "arp",
        Case {
            script: "event arp_request(s: string, d: string, spa: addr, sha: string, tpa: addr, tha: string)
                { print \"request\", s, d, spa, sha, tpa, tha; }
                event arp_reply(s: string, d: string, spa: addr, sha: string, tpa: addr, tha: string)
                { print \"reply\", spa, tpa; }
                event bad_arp(spa: addr, sha: string, tpa: addr, tha: string, why: string) { print spa, sha, why; }",
            frames: || {
                let own = weir_testkit::frame::SOURCE_MAC;
                each_second([arp(1, own), arp(2, own), arp(9, own), arp(1, [3; 6])])
            },
            printed: "request, 02:00:00:00:00:01, 02:00:00:00:00:02, 10.0.0.1, 02:00:00:00:00:01, 10.0.0.2, 00:00:00:00:00:00\n\
                reply, 10.0.0.1, 10.0.0.2\n\
                10.0.0.1, 02:00:00:00:00:01, unimplemented-arp-opcode (9)\n\
                10.0.0.1, 03:03:03:03:03:03, weird-arp-sha\n",
        },
    ),
    (
        "extension_headers",
        Case {
            script: "event ipv6_ext_headers(c: connection, p: pkt_hdr)
                { for ( i in p$ip6$exts ) print p$ip6$exts[i]$id, p$ip6$exts[i]$dstopts$options[0]$otype; }
                event esp_packet(p: pkt_hdr) { print p$ip6$exts[0]$esp; }",
            frames: || {
                let options = [0, 1, 4, 0, 0, 0, 0];
                let ip = || Frame::ethernet().ipv6("2001:db8::1", "2001:db8::2");
                let esp = ip().protocol(50).payload([0, 0, 0, 7, 0, 0, 0, 8, 1, 2, 3, 4]).build();
                each_second([ip().extension(60, &options).udp(1, 2).payload("a").build(), esp])
            },
            printed: "60, 1\n[spi=7, seq=8]\n",
        },
    ),
    (
        "gtp",
        Case {
            script: "event new_gtpv1_state(c: connection) { print \"new\", c$id$resp_p; }
                event gtpv1_message(c: connection, hdr: gtpv1_hdr) { print hdr$msg_type, hdr$teid, hdr?$seq; }
                event gtpv1_g_pdu_packet(c: connection, hdr: gtpv1_hdr, inner: pkt_hdr) { print inner$udp$sport; }
                event gtpv1_delete_pdp_ctx_request(c: connection, hdr: gtpv1_hdr, e: gtp_delete_pdp_ctx_request_elements)
                { print e$nsapi, e$teardown_ind; }
                event new_connection(c: connection)
                { if ( c?$tunnel ) print c$tunnel[0]$tunnel_type, c$tunnel[0]$cid$resp_p; }",
            frames: || {
                let inner = between("10.1.0.1", "10.1.0.2", b"a");
                let length = u16::try_from(inner.len()).unwrap().to_be_bytes();
                let user = [&[0x30, 0xff][..], &length, &[0, 0, 0, 9], &inner].concat();
                let delete = [0x32, 20, 0, 8, 0, 0, 0, 9, 0, 1, 0, 0, 19, 0xff, 20, 0xf5];
                each_second([datagram(2152, &user), datagram(2152, &delete)])
            },
            printed: "new, 2152/udp\n255, 9, F\n1000/udp\nTunnel::GTPv1, 2152/udp\n20, 9, T\n5, T\n",
        },
    ),
    (
        "tunnel_changed",
        Case {
            script: "event tunnel_changed(c: connection, e: EncapsulatingConnVector)
                { print c$id$resp_h, |e|, e[0]$tunnel_type, e[0]$cid$orig_h; }",
            frames: || {
                let packet = |outer: &str| {
                    let outer = Frame::ethernet().ipv4(outer, "10.0.0.9").gre();
                    outer.ipv4("10.1.0.1", "10.1.0.2").udp(1000, 1001).payload("a").build()
                };
                each_second([packet("10.0.0.1"), packet("10.0.0.1"), packet("10.0.0.3")])
            },
            printed: "10.1.0.2, 1, Tunnel::GRE, 10.0.0.3\n",
        },
    ),
    (
        "max_depth",
        Case {
            script: "redef Tunnel::max_depth = 1;
                event flow_weird(name: string, src: addr, dst: addr, addl: string, source: string) { print name, src; }
                event new_connection(c: connection) { print c$id$resp_h; }",
            frames: || {
                let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.9").gre().ipv4("10.1.0.1", "10.1.0.9").gre();
                each_second([frame.ipv4("10.2.0.1", "10.2.0.9").udp(1, 2).payload("a").build()])
            },
            printed: "exceeded_tunnel_max_depth_in_tunnel, 10.1.0.1\n",
        },
    ),
    (
        "retransmissions",
        Case {
            script: "event tcp_rexmit(c: connection, is_orig: bool, seq: count, len: count, in_flight: count, window: count)
                { print is_orig, seq, len; }
                event conn_stats(c: connection, os: endpoint_stats, rs: endpoint_stats)
                { print os$num_pkts, os$num_rxmit, os$num_rxmit_bytes, rs$num_pkts; }
                event new_connection_contents(c: connection) { print \"contents\"; }",
            frames: || {
                let data = tcp_flags::ACK;
                each_second([
                    segment(tcp_flags::SYN, 0, 1, b""),
                    segment(data, 1, 2, b"abc"),
                    segment(data, 1, 3, b"abc"),
                ])
            },
            printed: "contents\nT, 1, 3\n3, 1, 3, 0\n",
        },
    ),
    (
        "checksums",
        Case {
            script: "redef ignore_checksums_nets = { 10.0.0.1/32 };
                event udp_request(u: connection) { print u$id$orig_h; }",
            frames: || {
                let from = |source: &str| {
                    let frame = Frame::ethernet().ipv4(source, "10.0.0.9").udp(1, 2).payload("a");
                    frame.transport_checksum(0x1234).build()
                };
                each_second([from("10.0.0.1"), from("10.0.0.2")])
            },
            printed: "10.0.0.1\n",
        },
    ),
    (
        "dropped_packets",
        Case {
            script: "event zeek_init() { print install_src_addr_filter(10.0.0.1, 0, 1.0); }
                event new_connection(c: connection) { print c$id$orig_h; }",
            frames: || {
                let from = |source: &str| Frame::ethernet().ipv4(source, "10.0.0.9").udp(1, 2).payload("a").build();
                each_second([from("10.0.0.1"), from("10.0.0.2")])
            },
            printed: "T\n10.0.0.2\n",
        },
    ),
    (
        "discarded_packets",
        Case {
            script: "function discarder_check_udp(p: pkt_hdr, d: string): bool { return d == \"b\"; }
                event new_packet(c: connection, p: pkt_hdr) { print p$udp$sport; }",
            frames: || {
                let with = |port: u16, payload: &str| {
                    Frame::ethernet().ipv4("10.0.0.1", "10.0.0.9").udp(port, 2).payload(payload).build()
                };
                each_second([with(1, "a"), with(2, "b"), with(3, "c")])
            },
            printed: "1/udp\n3/udp\n",
        },
    ),
    (
        "expected_connections",
        Case {
            script: "event zeek_init()
                { Analyzer::schedule_analyzer(0.0.0.0, 10.0.0.9, 2/udp, Analyzer::ANALYZER_SYSLOG, 1hr); }
                event scheduled_analyzer_applied(c: connection, a: Analyzer::Tag) { print c$id$orig_p, a; }",
            frames: || {
                let to = |port: u16| {
                    Frame::ethernet().ipv4("10.0.0.1", "10.0.0.9").udp(1, port).payload("a").build()
                };
                each_second([to(2), to(3)])
            },
            printed: "1/udp, Analyzer::ANALYZER_SYSLOG\n",
        },
    ),
    (
        "vlans_tell_apart",
        Case {
            script: "@load frameworks/conn_key/vlan_fivetuple
                event new_connection(c: connection)
                { print c$id$ctx?$vlan ? c$id$ctx$vlan : 0, lookup_connection(c$id)$uid == c$uid; }",
            frames: || {
                let of = |frame: Frame| frame.ipv4("10.0.0.1", "10.0.0.9").udp(1, 2).payload("a").build();
                each_second([of(Frame::ethernet()), of(Frame::ethernet().vlan(42)), of(Frame::ethernet().vlan(42))])
            },
            printed: "0, T\n42, T\n",
        },
    ),
    (
        "contents_of_datagrams",
        Case {
            script: "redef udp_content_ports += { 9/udp };
                event udp_contents(u: connection, is_orig: bool, contents: string) { print contents; }
                event net_done(t: time) { print \"done\", t; }",
            frames: || each_second([datagram(9, b"a"), datagram(10, b"b")]),
            printed: "a\ndone, 2.0\n",
        },
    ),
    (
        "calls_without_a_reply",
        Case {
            script: "redef rpc_timeout = 1.5 sec;
                event zeek_init() { Analyzer::register_for_port(Analyzer::ANALYZER_PORTMAPPER, 111/udp); }
                event rpc_call(c: connection, xid: count, prog: count, ver: count, proc: count, call_len: count)
                { print \"call\", xid; }
                event rpc_dialogue(c: connection, prog: count, ver: count, proc: count, status: rpc_status,
                    start_time: time, call_len: count, reply_len: count) { print status, start_time; }
                event connection_timeout(c: connection) { print \"timeout\", network_time(); }
                event connection_state_remove(c: connection) { print \"over\"; }",
            frames: || {
                let call = |number: u32| {
                    let words = [number, 0, 2, 100_000, 2, 0, 0, 0, 0, 0];
                    datagram(111, &words.map(u32::to_be_bytes).concat())
                };
                each_second([call(1), call(2), call(3)])
            },
            printed: "call, 1\ncall, 2\ntimeout, 2.5\nRPC_TIMEOUT, 1.0\nRPC_TIMEOUT, 2.0\nover\ncall, 3\n\
                      RPC_TIMEOUT, 3.0\nover\n",
        },
    ),
];

#[test]
fn scripts_hear_of_packets() {
    for (name, case) in CASES {
        let folder = Folder::new(&format!("zeek_packets_{name}"));
        let capture = folder.write("a.pcap", capture_file::pcap(1, &(case.frames)()));
        let script = folder.write("a.zeek", case.script);
        let run = folder.command_as("zeek", &["-b", "-r", &capture, &script]);
        assert_eq!(run.stdout, case.printed, "{name}: {}", run.said());
    }
}

#[test]
fn packets_are_written_and_filters_compiled() {
    let folder = Folder::new("zeek_packets_written");
    let frames = Conversation::new("10.0.0.1:1000", "10.0.0.2:80").handshake().close().frames();
    let capture = folder.write("a.pcap", capture_file::pcap(1, &frames));
    let script = folder.write(
        "a.zeek",
        "redef enum PcapFilterID += { A };
        event zeek_init()
            { print Pcap::precompile_pcap_filter(A, \"tcp\"), Pcap::precompile_pcap_filter(A, \"kaputt\"), \"syntax\" in Pcap::error(); }",
    );
    let written = folder.path("b.pcap");
    let run = folder.command_as("zeek", &["-b", "-r", &capture, "-w", &written.to_string_lossy(), &script]);
    assert_eq!(run.stdout, "T, F, T\n", "{}", run.said());
    let [read, written] = [std::path::PathBuf::from(capture), written].map(std::fs::read);
    let (read, written) = (read.expect("a capture"), written.expect("a capture"));
    assert_eq!(read.get(24..), written.get(24..));
}
