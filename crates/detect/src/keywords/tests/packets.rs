//! Keywords on packets and flows.

use std::net::Ipv4Addr;

use weir_applayer::FlowEvent;
use weir_base::{Direction, PerDirection, Timestamp};
use weir_flow::FlowCore;
use weir_packet::header::Ipv4Options;
use weir_packet::{
    DecodeEvent, FlowKey, Icmp, Ip, Ipv4, LinkType, Packet, RawPacket, Sctp, Tcp, TcpOptions, Transport, Udp,
};

use super::{HTTP, compiled, holds_in, signature};
use crate::model::view::{FlowProtocol, PacketFacts, PacketView};

fn empty_packet() -> Packet<'static> {
    Packet::empty(&RawPacket {
        number: 1,
        time: Timestamp::new(1000, 0),
        link: LinkType::RAW,
        wire_length: 0,
        interface: 0,
        bytes: &[],
    })
}

/// The IPv4 header of the packets below.
const HEADER: [u8; 20] = [0x45, 0, 0, 40, 0, 7, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];

fn ipv4() -> Ipv4<'static> {
    Ipv4 {
        header: &HEADER,
        payload: &[],
        source: Ipv4Addr::new(10, 0, 0, 1),
        destination: Ipv4Addr::new(10, 0, 0, 2),
        protocol: 6,
        ttl: 64,
        tos: 8,
        id: 7,
        total_length: 40,
        reserved_flag: false,
        dont_fragment: false,
        more_fragments: true,
        fragment_offset: 16,
        options: Ipv4Options(Ipv4Options::LSRR),
    }
}

pub(crate) fn tcp_packet() -> Packet<'static> {
    let options = TcpOptions { mss: Some(1460), window_scale: Some(7), ..TcpOptions::default() };
    let tcp = Tcp {
        header: b"tcp-header",
        source_port: 1024,
        destination_port: 80,
        seq: 100,
        ack: 200,
        flags: Tcp::SYN | Tcp::ECE,
        window: 300,
        options,
        ..Tcp::default()
    };
    let mut packet = empty_packet();
    packet.ip = Some(Ip::V4(ipv4()));
    packet.transport = Transport::Tcp(tcp);
    packet.payload = b"payload";
    packet
}

fn icmp_packet() -> Packet<'static> {
    let icmp = Icmp { header: b"icmp", kind: 8, code: 0, id: Some(5), seq: Some(6), ..Icmp::default() };
    Packet {
        ip: Some(Ip::V4(Ipv4 { protocol: 1, ..ipv4() })),
        transport: Transport::Icmpv4(icmp),
        ..empty_packet()
    }
}

fn icmpv6_packet() -> Packet<'static> {
    let icmp = Icmp { header: b"icmp6", kind: 2, mtu: Some(1000), ..Icmp::default() };
    Packet { transport: Transport::Icmpv6(icmp), ..tcp_packet() }
}

fn sctp_packet() -> Packet<'static> {
    // A chunk of five bytes with its padding, and one of four.
    let sctp = Sctp {
        header: b"sctp",
        chunks: &[1, 0, 0, 5, 9, 0, 0, 0, 6, 0, 0, 4],
        verification_tag: 11,
        ..Sctp::default()
    };
    Packet { transport: Transport::Sctp(sctp), ..tcp_packet() }
}

fn igmp_packet() -> Packet<'static> {
    Packet { transport: Transport::Igmp(&[0x16, 0, 0, 0]), ..tcp_packet() }
}

fn udp_packet() -> Packet<'static> {
    Packet { transport: Transport::Udp(Udp { header: b"udp", ..Udp::default() }), ..tcp_packet() }
}

fn tagged_packet() -> Packet<'static> {
    let mut packet = tcp_packet();
    packet.vlan.push(100);
    packet.vlan.push(200);
    packet
}

/// A view of a packet that no rule has left anything for.
pub(super) fn view<'a>(facts: &'a PacketFacts<'a>) -> PacketView<'a> {
    PacketView { facts, transaction: None, packet_variables: &[], state: None }
}

/// Facts of a packet in no flow.
pub(super) fn facts<'a>(packet: &'a Packet<'a>) -> PacketFacts<'a> {
    PacketFacts::bare(packet, Direction::ToServer)
}

/// Whether a rule's packet checks and packet buffers hold.
fn holds(options: &str, view: &PacketView<'_>) -> bool {
    let signature = signature(options);
    signature.checks.packet.iter().all(|check| check.matches(view))
        && signature.checks.packet_buffers().all(|(_, field, buffer)| {
            (0..)
                .map_while(|index| field.read.read(view.facts.packet, index))
                .any(|bytes| holds_in(&buffer.checks, bytes))
        })
}

#[test]
fn header_keywords() {
    let mut damaged = tcp_packet();
    damaged.events.push(DecodeEvent::UDP_LEN_INVALID);
    let mut same = tcp_packet();
    same.ip = Some(Ip::V4(Ipv4 { source: Ipv4Addr::new(10, 0, 0, 2), ..ipv4() }));
    let (tcp, icmp, icmpv6) = (tcp_packet(), icmp_packet(), icmpv6_packet());
    let (sctp, igmp, udp, tagged) = (sctp_packet(), igmp_packet(), udp_packet(), tagged_packet());
    let none = empty_packet();
    let data = Packet {
        transport: Transport::Sctp(Sctp {
            chunks: b"\0\x03\0\x15...\x01\0\0\0\0\0\0\0\0first...\0\x03\0\x17...\x02\0\0\0\0\0\0\0\0second!.",
            ..Sctp::default()
        }),
        ..tcp_packet()
    };
    let mut abroad = tcp_packet();
    abroad.ip = Some(Ip::V4(Ipv4 { destination: Ipv4Addr::new(200, 0, 0, 1), ..ipv4() }));
    // An identifier, a call, RPC's version, program, version, procedure; over TCP behind a length.
    let fragment = [0x8000_0028u32, 7, 0, 2, 100_000, 2, 3, 0, 0].map(u32::to_be_bytes).concat();
    let call = Packet { payload: &fragment[4..], ..udp_packet() };
    let tcp_call = Packet { payload: &fragment, ..tcp_packet() };
    let cases: &[(&str, &Packet<'_>, bool)] = &[
        ("ttl:64;", &tcp, true),
        ("ttl:<64;", &tcp, false),
        ("ttl:>0;", &none, false),
        ("id:7;", &tcp, true),
        ("id:8;", &tcp, false),
        ("tos:8;", &tcp, true),
        ("tos:!8;", &tcp, false),
        ("ip_proto:6;", &tcp, true),
        ("ip_proto:TCP;", &tcp, true),
        ("ip_proto:!udp;", &tcp, true),
        ("ip_proto:1;", &tcp, false),
        ("fragbits:M;", &tcp, true),
        ("fragbits:MD;", &tcp, false),
        ("fragbits:*MD;", &tcp, true),
        ("fragbits:!D;", &tcp, true),
        ("fragbits:+M;", &tcp, true),
        ("fragoffset:2;", &tcp, true),
        ("fragoffset:>2;", &tcp, false),
        ("ipopts:lsrr;", &tcp, true),
        ("ipopts:any;", &tcp, true),
        ("ipopts:rr;", &tcp, false),
        ("sameip;", &same, true),
        ("sameip;", &tcp, false),
        ("l3_proto:ipv4;", &tcp, true),
        ("l3_proto:ipv6;", &tcp, false),
        ("tcp.flags:S,12;", &tcp, true),
        ("flags:S;", &tcp, false),
        ("flags:+S;", &tcp, true),
        ("flags:*SF;", &tcp, true),
        ("flags:!S;", &tcp, false),
        ("flags:!SA;", &tcp, true),
        ("flags:SE;", &tcp, true),
        ("flags:0;", &tcp, false),
        ("flags:S;", &udp, false),
        ("seq:100; ack:200; window:300;", &tcp, true),
        ("tcp.seq:101;", &tcp, false),
        ("tcp.mss:>1000;", &tcp, true),
        ("tcp.mss:<1000;", &tcp, false),
        ("tcp.wscale:7;", &tcp, true),
        ("itype:8; icode:0; icmp_id:5; icmp_seq:6;", &icmp, true),
        ("itype:7<>9;", &icmp, true),
        ("itype:8<>10;", &icmp, false),
        ("itype:8;", &tcp, false),
        ("icmpv6.mtu:<1280;", &icmpv6, true),
        ("icmpv6.mtu:<1280;", &icmp, false),
        ("igmp.type:0x16;", &igmp, true),
        ("igmp.type:0x11;", &igmp, false),
        ("sctp.vtag:11; sctp.chunk_cnt:2;", &sctp, true),
        ("sctp.chunk_type:6;", &sctp, true),
        ("sctp.chunk_type:6,0;", &sctp, false),
        ("sctp.chunk_data; content:\"second\"; startswith;", &data, true),
        ("sctp.chunk_data; content:\"first\"; endswith;", &data, true),
        ("sctp.chunk_data; content:\"third\";", &data, false),
        ("sctp.chunk_data; content:\"second\";", &tcp, false),
        ("geoip:dst,de;", &abroad, true),
        ("geoip:src,DE;", &abroad, false),
        ("geoip:any,FR,DE;", &abroad, true),
        ("geoip:both,DE;", &abroad, false),
        ("geoip:DE;", &abroad, true),
        ("geoip:dst,!FR,!IT;", &abroad, true),
        ("geoip:dst,!DE;", &abroad, false),
        ("geoip:DE;", &none, false),
        ("rpc:100000,2,3;", &call, true),
        ("rpc:100000;", &call, true),
        ("rpc:100000,*,3;", &call, true),
        ("rpc:100000,2,4;", &call, false),
        ("rpc:100000,3,*;", &call, false),
        ("rpc:100000;", &tcp_call, true),
        ("rpc:100000;", &tcp, false),
        ("vlan.id:100;", &tagged, true),
        ("vlan.id:200,0;", &tagged, false),
        ("vlan.id:200,-1;", &tagged, true),
        ("vlan.id:>99,all;", &tagged, true),
        ("vlan.layers:2;", &tagged, true),
        ("vlan.layers:0;", &tcp, true),
        ("dsize:7;", &tcp, true),
        ("dsize:>7;", &tcp, false),
        ("dsize:6<>8;", &tcp, true),
        ("decode-event:udp.len_invalid;", &damaged, true),
        ("engine-event:decoder.udp.len_invalid;", &damaged, true),
        ("decode-event:udp.len_invalid;", &tcp, false),
        ("tcp.hdr; content:\"tcp-\"; startswith;", &tcp, true),
        ("tcp.hdr; content:\"tcp-\"; startswith;", &udp, false),
        ("udp.hdr; content:\"udp\";", &udp, true),
        ("icmpv4.hdr; content:\"icmp\";", &icmp, true),
        ("icmpv6.hdr; content:\"icmp6\";", &icmpv6, true),
        ("sctp.hdr; content:\"sctp\";", &sctp, true),
        ("igmp.hdr; content:\"|16|\"; startswith;", &igmp, true),
        ("ipv4.hdr; content:\"|40 06|\"; offset:8;", &tcp, true),
        ("ipv6.hdr; content:\"|40|\";", &tcp, false),
        ("ip.src; content:\"|0a 00 00 01|\"; bsize:4;", &tcp, true),
        ("ip.dst; content:\"|0a 00 00 01|\";", &tcp, false),
        ("ether.hdr; content:\"|08 00|\";", &tcp, false),
    ];
    for (options, packet, expected) in cases {
        assert_eq!(holds(options, &view(&facts(packet))), *expected, "{options}");
    }
}

#[test]
fn checksums() {
    let mut header = HEADER;
    let sum = weir_packet::checksum::internet(&header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    let good = Packet { ip: Some(Ip::V4(Ipv4 { header: &header, ..ipv4() })), ..tcp_packet() };
    for (options, packet, expected) in [
        ("ipv4-csum:valid;", &good, true),
        ("ipv4-csum:invalid;", &good, false),
        ("ipv4-csum:invalid;", &tcp_packet(), true),
        ("udpv4-csum:invalid;", &udp_packet(), false),
        ("tcpv6-csum:invalid;", &tcp_packet(), false),
    ] {
        assert_eq!(holds(options, &view(&facts(packet))), expected, "{options}");
    }
}

#[test]
fn flow_keywords() {
    let packet = tcp_packet();
    let mut later = tcp_packet();
    later.ip = Some(Ip::V4(Ipv4 { more_fragments: false, fragment_offset: 0, ..ipv4() }));
    let key = FlowKey::of(&later).unwrap();
    let mut flow = FlowCore::new(key, &packet, 1);
    flow.last = Timestamp::new(1010, 0);
    flow.packets = PerDirection { to_server: 5, to_client: 9 };
    flow.bytes = PerDirection { to_server: 500, to_client: 9000 };
    let facts = PacketFacts {
        flow: Some(&flow),
        stream_events: &["est_syn_resend"],
        app_events: &[FlowEvent::ProtoDetectionSkipped],
        stream_sizes: (100, 4),
        protocol: FlowProtocol { protocol: Some(&HTTP), to_server: Some(&HTTP), ..FlowProtocol::default() },
        ..facts(&packet)
    };
    for (options, expected) in [
        ("flow.age:10;", true),
        ("flow.age:>10;", false),
        ("flow.pkts:toserver,5;", true),
        ("flow.pkts:either,>8;", true),
        ("flow.pkts:both,>8;", false),
        ("flow.pkts_toclient:9;", true),
        ("flow.pkts_toserver:9;", false),
        ("flow.bytes:toclient,>=9000;", true),
        ("flow.bytes_toserver:<500;", false),
        ("flow.bytes_toclient:>8kb;", true),
        ("flow.elephant:either;", false),
        ("stream_size:server,<,5;", true),
        ("stream_size:client,<,5;", false),
        ("stream_size:either,<,5;", true),
        ("stream_size:both,!=,5;", true),
        ("stream-event:est_syn_resend;", true),
        ("engine-event:stream.est_syn_resend;", true),
        ("stream-event:fin_syn;", false),
        ("app-layer-event:applayer_proto_detection_skipped;", true),
        ("app-layer-event:applayer_unexpected_protocol;", false),
        ("app-layer-protocol:http;", true),
        ("app-layer-protocol:!http;", false),
        ("app-layer-protocol:http,to_client;", false),
        ("app-layer-protocol:!http,to_client;", false),
        ("app-layer-protocol:unknown,to_client;", true),
        ("app-layer-protocol:http|unknown,either;", true),
        ("app-layer-protocol:http1,final,exact;", true),
        ("app-layer-protocol:http,exact;", false),
        ("app-layer-protocol:tls;", false),
        ("pktvar:none,\"a\";", false),
        ("app-layer-protocol:!tls;", true),
        ("app-layer-protocol:failed;", false),
    ] {
        assert_eq!(holds(options, &view(&facts)), expected, "{options}");
    }
}

#[test]
fn the_cheapest_checks_come_first() {
    use crate::model::signature::Cost::{Flow, Header, Packet, Protocol, Shared};
    for (options, costs, places) in [
        ("ttl:>1; dsize:>1;", vec![Header, Header], [0, 1].as_slice()),
        ("xbits:isset,a,track ip_src; flowbits:isset,b; dsize:>1;", vec![Header, Flow, Shared], &[2, 1, 0]),
        (
            "ipv4-csum:valid; app-layer-protocol:!http; flow.pkts:either,>1;",
            vec![Flow, Protocol, Packet],
            &[2, 1, 0],
        ),
        ("flowbits:isset,b; ttl:>1; flowbits:isnotset,c;", vec![Header, Flow, Flow], &[1, 0, 2]),
    ] {
        let compiled = compiled(options).unwrap();
        let found: Vec<_> = compiled.signature.checks.packet.iter().map(|check| check.cost()).collect();
        assert_eq!((found, &compiled.places.packet[..]), (costs, places), "{options}");
    }
}
