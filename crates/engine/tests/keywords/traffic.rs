//! The traffic that the rows are about: the sample capture of the project, and packets made here.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use weir_base::Timestamp;
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;

/// A request whose every part the rows know.
const REQUEST: &[u8] = b"POST /Shop%20Front/cart.php?item=42 HTTP/1.1\r\nHost: Shop.Example\r\n\
    User-Agent: tester/1.0\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\nAccept-Language: en\r\n\
    Referer: http://ref.example/\r\nCookie: QUJDREVG\r\nConnection: close\r\n\
    Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 17\r\n\r\nname=bob&age=0042";

/// Its answer.
const ANSWER: &[u8] =
    b"HTTP/1.1 302 Found\r\nServer: maker/2.0\r\nLocation: /next\r\nContent-Type: text/plain\r\n\
    Content-Length: 5\r\nConnection: close\r\n\r\nhello";

/// An envelope with two recipients.
const ENVELOPE: &[u8] =
    b"MAIL FROM:<from@a.example>\r\nRCPT TO:<first@b.example>\r\nRCPT TO:<second@b.example>\r\nDATA\r\n";

/// The mail in it.
const MAIL: &[u8] =
    b"Received: from one\r\nReceived: from two\r\nFrom: From <f@a>\r\nTo: to@b\r\nCc: cc@b\r\n\
    Subject: Offer\r\nDate: Sat, 1 Jan\r\nMessage-ID: <id@a>\r\nX-Mailer: mailer/1\r\n\r\n\
    See http://shop.example/x now.\r\n.\r\n";

/// An invitation by SIP to a session that it describes.
const INVITATION: &[u8] = b"INVITE sip:bob@b.example SIP/2.0\r\nVia: SIP/2.0/UDP a.example\r\n\
    v: SIP/2.0/UDP c.example\r\nf: <sip:al@a.example>;tag=1\r\nTo: <sip:bob@b.example>\r\nUser-Agent: phone/1\r\n\
    c: application/sdp\r\nContent-Length: 287\r\n\r\nv=0\r\no=al 1 2 IN IP4 10.2.0.1\r\ns=talk\r\ni=about lunch\r\n\
    u=http://a.example/talk\r\ne=al@a.example\r\np=+1 555 0100\r\nc=IN IP4 10.2.0.1\r\nb=AS:64\r\nt=100 200\r\n\
    r=7d 1h 0 25h\r\nz=150 -1h 200 0\r\nk=prompt\r\na=sendrecv\r\nm=audio 9 RTP/AVP 0\r\ni=sound\r\nc=IN IP4 10.2.0.9\r\n\
    k=clear:key\r\na=rtpmap:0 PCMU/8000\r\n";

/// The captures, in the order in which they are read.
pub fn captures(folder: &Path) -> Vec<PathBuf> {
    let mut frames: Vec<TimedFrame> = Conversation::new("10.1.0.1:40000", "10.1.0.2:80")
        .handshake()
        .client_sends(REQUEST)
        .server_sends(ANSWER)
        .close()
        .frames();
    let text = b"first QUJDREVG \x00\x05abcde 0123 \x1f end";
    frames.extend(
        Conversation::new("10.1.0.1:41000", "10.1.0.2:9999")
            .handshake()
            .client_sends(text)
            .server_sends(b"bye")
            .close()
            .frames(),
    );
    frames.extend(shell());
    frames.extend(web_socket());
    frames.extend(sensor());
    frames.extend(database());
    frames.extend(directory());
    frames.extend(tickets());
    frames.extend(desktop());
    frames.extend(remote_call());
    frames.extend(shares());
    frames.extend(streams());
    frames.extend(resolver());
    frames.extend(controller());
    frames.extend(share());
    frames.extend(device());
    frames.extend(outstation());
    for (server, host, squeezed) in
        [("10.1.0.3:80", "Host: a\r\n", gzip(b"squeezed")), ("10.1.0.4:80", "", zlib(b"squeezed"))]
    {
        let mut request =
            format!("POST / HTTP/1.1\r\n{host}Content-Length: {}\r\n\r\n", squeezed.len()).into_bytes();
        request.extend(squeezed);
        frames.extend(
            Conversation::new("10.1.0.1:42000", server)
                .handshake()
                .client_sends(&request)
                .server_sends(b"HTTP/1.1 204 No Content\r\n\r\n")
                .close()
                .frames(),
        );
    }
    frames.extend(
        Conversation::new("10.1.0.1:43000", "10.1.0.5:25")
            .handshake()
            .server_sends(b"220 mx.b.example ESMTP\r\n")
            .client_sends(b"EHLO client.example\r\n")
            .server_sends(b"250-mx.b.example\r\n250 PIPELINING\r\n")
            .client_sends(ENVELOPE)
            .server_sends(b"250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n")
            .client_sends(MAIL)
            .server_sends(b"250 ok\r\n")
            .close()
            .frames(),
    );
    let time = frames.last().map(|frame| frame.time).unwrap_or_default();
    let packets = [
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.2")
            .ttl(7)
            .tos(8)
            .ip_id(77)
            .udp(5000, 6000)
            .payload(b"datagram"),
        Frame::ethernet().ether_type(0x0800).payload([0x45, 0, 0, 4]),
        Frame::ethernet().vlan(5).vlan(9).ipv4("10.2.0.3", "10.2.0.4").udp(5000, 6000).payload(b"tagged"),
        Frame::ethernet().ipv4("10.2.0.1", "10.2.0.2").icmpv4(8, 0, [0, 3, 0, 9]).payload(b"ping"),
        Frame::ethernet().ipv4("10.2.0.9", "10.2.0.9").udp(1, 2).payload(b"land"),
        Frame::ethernet().ipv4("10.2.0.1", "10.2.0.5").fragment(16, true).protocol(17).payload([1; 32]),
        Frame::ethernet().ipv4("10.2.0.1", "10.2.0.6").ip_options(&[7, 3, 4, 0]).udp(1, 2).payload(b"route"),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.7")
            .tcp(3000, 4000)
            .seq(1111)
            .ack(2222)
            .flags(0x02)
            .window(3333)
            .tcp_options(&[2, 4, 5, 0x64, 3, 3, 7, 0]),
        Frame::ethernet().ipv6("fd00::1", "fd00::2").udp(5000, 6000).payload(b"six"),
        Frame::ethernet().ipv6("fd00::1", "fd00::2").icmpv6(2, 0, [0, 0, 5, 0]).payload([0x60; 48]),
        Frame::ethernet().ipv6("fd00::1", "fd00::2").tcp(3000, 4000).flags(0x02),
        Frame::ethernet()
            .ipv4("10.2.0.1", "224.0.0.1")
            .protocol(2)
            .payload([0x11, 0, 0xee, 0xff, 0, 0, 0, 0]),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.8")
            .sctp(36412, 36412, 99)
            .payload([1, 0, 0, 20, 0, 0, 0, 1, 0, 0, 16, 0, 0, 1, 0, 1, 0, 0, 0, 1]),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.11")
            .sctp(36412, 36412, 99)
            .payload(b"\x00\x03\x00\x18\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00chunked!"),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.10")
            .udp(700, 111)
            .payload(b"\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x86\xa0\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.46")
            .udp(4600, 443)
            .payload(b"\xc3Q046\x50connect!\x00\x00\x00\x01hash of this\xa0\x01\x00\x2bCHLO\x02\x00\x00\x00SNI\x00\x09\x00\x00\x00UAID\x13\x00\x00\x00q.exampletester/1.0"),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.53")
            .udp(5300, 53)
            .payload(b"\x00\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x01b\x00\x00\x01\x00\x01"),
        Frame::ethernet()
            .ipv4("10.2.0.53", "10.2.0.1")
            .udp(53, 5300)
            .payload(b"\x00\x07\x84\x00\x00\x01\x00\x00\x00\x01\x00\x00\x01a\x01b\x00\x00\x01\x00\x01\x02ns\x01b\x00\x00\x02\x00\x01\x00\x00\x00\x01\x00\x03\x01c\x00"),
        Frame::ethernet()
            .ipv4("10.2.0.1", "224.0.0.251")
            .udp(5353, 5353)
            .payload(b"\x00\x00\x84\x00\x00\x01\x00\x01\x00\x01\x00\x01\x01q\x05local\x00\x00\x0c\x00\x01\x02an\x05local\x00\x00\x0c\x00\x01\x00\x00\x00\x78\x00\x04\x02to\x00\x02au\x05local\x00\x00\x01\x00\x01\x00\x00\x00\x78\x00\x04\xc0\x00\x02\x01\x02ad\x05local\x00\x00\x01\x00\x01\x00\x00\x00\x78\x00\x04\xc0\x00\x02\x02"),
        Frame::ethernet().ipv4("10.2.0.1", "10.2.0.60").udp(5060, 5060).payload(INVITATION),
        Frame::ethernet()
            .ipv4("10.2.0.60", "10.2.0.1")
            .udp(5060, 5060)
            .payload(b"SIP/2.0 486 Busy Here\r\nTo: <sip:bob@b.example>\r\n\r\n"),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.61")
            .udp(5061, 162)
            .payload(b"0/\x02\x01\x00\x04\x06public\xa4\x22\x06\x06+\x06\x01\x04\x01\x09@\x04\xc0\x00\x02\x01\x02\x01\x03\x02\x01\x00C\x01\x000\x090\x07\x06\x02+\x06\x02\x01\x05"),
        Frame::ethernet().ipv4("10.1.0.1", "10.1.0.13").udp(46_700, 123).payload(clock()),
        Frame::ethernet().ipv4("10.1.0.12", "10.1.0.1").udp(67, 68).payload(lease()),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.62")
            .udp(5061, 161)
            .payload(b"0G\x02\x01\x030\x0c\x02\x01\x01\x02\x01\x09\x04\x01\x00\x02\x01\x03\x04\x1b0\x19\x04\x06engine\x02\x01\x01\x02\x01\x02\x04\x05admin\x04\x00\x04\x000\x17\x04\x06engine\x04\x00\xa8\x0b\x02\x01\x07\x02\x01\x00\x02\x01\x000\x00"),
        Frame::ethernet()
            .ipv4("10.2.0.1", "10.2.0.63")
            .udp(500, 500)
            .payload(b"\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\0\0\0\0\x04\x10\x02\0\0\0\0\0\0\0\0\x37\x0a\0\0\x0apublic\x0d\0\0\x09nonce\0\0\0\x08\xde\xad\xbe\xef"),
        Frame::ethernet()
            .ipv4("10.2.0.63", "10.2.0.1")
            .udp(500, 500)
            .payload(b"\x01\x02\x03\x04\x05\x06\x07\x08\x11\x12\x13\x14\x15\x16\x17\x18\x01\x10\x02\0\0\0\0\0\0\0\0\x40\0\0\0\x24\0\0\0\x01\0\0\0\x01\0\0\0\x18\x01\x01\0\x01\0\0\0\x10\x01\x01\0\0\x80\x01\0\x07\x80\x02\0\x02"),
        Frame::ethernet().ipv4("10.3.0.1", "10.3.0.2").ip_checksum(0xdead).udp(1, 2).payload(b"bad"),
        Frame::ethernet().ipv4("10.3.0.1", "10.3.0.2").udp(1, 2).transport_checksum(0xdead).payload(b"bad"),
    ];
    frames.extend(packets.iter().map(|packet| TimedFrame { time, bytes: packet.build() }));
    frames.extend(file_transfer());
    let own = folder.join("own.pcap");
    fs::write(&own, pcap(ETHERNET, &frames)).expect("a capture");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample/sample.pcap");
    vec![sample, own]
}

/// A control connection of FTP, and the connection for data that it agrees on: after the sample's time, as
/// agreements are forgotten soon.
fn file_transfer() -> Vec<TimedFrame> {
    let mut control = Conversation::new("10.1.0.1:44000", "10.1.0.6:21")
        .at(Timestamp::new(1_800_000_000, 0))
        .handshake()
        .server_sends(b"220 (maker)\r\n");
    for (command, reply) in [
        ("USER bob", "331 who"),
        ("PORT 10,1,0,7,4,1", "200 there"),
        ("RETR list.txt", "150 wait\r\n226 done"),
        ("QUIT", "221 bye"),
    ] {
        control = control.client_sends(format!("{command}\r\n")).server_sends(format!("{reply}\r\n"));
    }
    let mut frames = control.close().frames();
    let data = Conversation::new("10.1.0.6:20", "10.1.0.1:1025")
        .at(Timestamp::new(1_800_000_001, 0))
        .handshake()
        .client_sends(b"a list")
        .close();
    frames.extend(data.frames());
    frames
}

/// A conversation in SSH, as far as it is in the clear.
fn shell() -> Vec<TimedFrame> {
    let packet =
        |message: u8, body: &[u8]| [&(body.len() as u32 + 2).to_be_bytes()[..], &[0, message], body].concat();
    let lists = ["k1,k2", "key", "c1", "c2", "m1", "m2", "p1", "p2", "", ""];
    let lists = lists.map(|list| [&(list.len() as u32).to_be_bytes()[..], list.as_bytes()].concat());
    let offer = packet(20, &[&[7; 16][..], &lists.concat(), &[0; 5]].concat());
    Conversation::new("10.1.0.1:43000", "10.1.0.5:2222")
        .handshake()
        .server_sends(b"SSH-2.0-maker_2.0 of tests\r\n")
        .client_sends(b"SSH-1.99-tester_1.0\r\n")
        .client_sends(&offer)
        .server_sends(&offer)
        .server_sends(packet(21, b""))
        .client_sends(packet(21, b""))
        .client_sends(b"secret")
        .server_sends(b"secret")
        .close()
        .frames()
}

/// Frames of WebSocket, behind the exchange that leads to it: two of a message, and a compressed one.
fn web_socket() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:45000", "10.1.0.8:80")
        .handshake()
        .client_sends(
            b"GET /chat HTTP/1.1\r\nHost: chat.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        )
        .server_sends(
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        )
        .client_sends(b"\x01\x86\x01\x02\x03\x04igohn\"")
        .client_sends(b"\x80\x0cmasked hello")
        .server_sends(b"\xc9\x00")
        .close()
        .frames()
}

/// A sensor that speaks MQTT 5.0: it publishes one value and asks for others, for a while.
fn sensor() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:46000", "10.1.0.9:1883")
        .handshake()
        .client_sends(
            b"\x10\x35\0\x04MQTT\x05\xc6\0\x3c\0\0\x08sensor-1\0\0\x09last/will\0\x04gone\0\x04user\0\x06secret",
        )
        .server_sends(b"\x20\x03\x01\0\0")
        .client_sends(b"\x3a\x14\0\x09hall/heat\0\x01\0")
        .client_sends(b"21.5 C")
        .server_sends(b"\x40\x03\0\x01\x10")
        .client_sends(b"\x82\x0c\0\x02\0\0\x06hall/#\0")
        .server_sends(b"\x90\x04\0\x02\0\0")
        .client_sends(b"\xa2\x0b\0\x03\0\0\x06hall/#")
        .server_sends(b"\xb0\x04\0\x03\0\0")
        .client_sends(b"\xe0\0")
        .close()
        .frames()
}

/// A query of PostgreSQL.
fn database() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:46000", "10.1.0.9:5432")
        .handshake()
        .client_sends(b"\0\0\0\x12\0\x03\0\0user\0bob\0\0")
        .server_sends(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")
        .client_sends(b"Q\0\0\0\x18select * from stock\0")
        .server_sends(b"C\0\0\0\x0dSELECT 0\0Z\0\0\0\x05I")
        .close()
        .frames()
}

/// A handshake of RFB.
fn desktop() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:47000", "10.1.0.10:5900")
        .handshake()
        .server_sends(b"RFB 003.008\n")
        .client_sends(b"RFB 003.008\n")
        .server_sends(b"\x01\x02")
        .client_sends(b"\x02")
        .server_sends([1; 16])
        .client_sends([2; 16])
        .server_sends([0; 4])
        .client_sends(b"\x01")
        .server_sends([&[0; 20][..], b"\0\0\0\x04desk"].concat())
        .close()
        .frames()
}

/// A call of DCE/RPC, behind a bind.
fn remote_call() -> Vec<TimedFrame> {
    let message = |kind: u8, call: u8, body: &[u8]| {
        [&[5, 0, kind, 3, 0x10, 0, 0, 0, 16 + body.len() as u8, 0, 0, 0, call, 0, 0, 0], body].concat()
    };
    let services = b"\x81\xbb\x7a\x36\x44\x98\xf1\x35\xad\x32\x98\xf0\x38\x00\x10\x03\x02\0\0\0";
    let offer = [&[0; 8][..], b"\x01\0\0\0", b"\0\0\x01\0", services, &[7; 20]].concat();
    let answer = [&[0; 8][..], b"\x04\x00135\0\0\0", b"\x01\0\0\0", &[0; 24]].concat();
    Conversation::new("10.1.0.1:48000", "10.1.0.11:135")
        .handshake()
        .client_sends(message(11, 1, &offer))
        .server_sends(message(12, 1, &answer))
        .client_sends(message(0, 2, b"\0\0\0\0\0\0\x0f\0services\x01\x02"))
        .server_sends(message(2, 2, b"\0\0\0\0\0\0\0\0handle"))
        .close()
        .frames()
}

/// Registers of a controller are written by Modbus.
fn controller() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:49000", "10.1.0.12:502")
        .handshake()
        .client_sends(b"\0\x01\0\0\0\x0b\x09\x10\0\x01\0\x02\x04\x12\x34\x56\x78")
        .server_sends(b"\0\x01\0\0\0\x06\x09\x10\0\x01\0\x02")
        .close()
        .frames()
}

/// A device that speaks EtherNet/IP says who it is and what it offers, and refuses an attribute.
fn device() -> Vec<TimedFrame> {
    let message =
        |command: u8, data: &[u8]| [&[command, 0, data.len() as u8, 0][..], &[0; 20], data].concat();
    let unit = |service: &[u8]| {
        let head =
            [&[0; 6][..], b"\x02\0\xa1\0\x04\0abcd\xb1\0", &[service.len() as u8 + 2, 0, 1, 0]].concat();
        message(0x70, &[&head, service].concat())
    };
    let identity = [
        &b"\x01\0\x0c\0\x26\0\x01\0"[..],
        &[0; 16],
        b"\x2f\0\x0c\0\x3a\0\x04\x03\x30\0\x8e\x4d\x52\0\x04NX-1\x03",
    ]
    .concat();
    let offered = b"\x01\0\0\x01\x14\0\x01\0\x20\x01Communications\0\0";
    Conversation::new("10.1.0.1:49500", "10.1.0.13:44818")
        .handshake()
        .client_sends(message(0x63, b""))
        .server_sends(message(0x63, &identity))
        .client_sends(message(4, b""))
        .server_sends(message(4, offered))
        .client_sends(unit(b"\x0e\x03\x20\x01\x24\x01\x30\x07"))
        .server_sends(unit(b"\x8e\0\x01\x01\x07\x01"))
        .close()
        .frames()
}

/// An output of an outstation is written by DNP3.
fn outstation() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:49600", "10.1.0.14:20000")
        .handshake()
        .client_sends(
            b"\x05\x64\x18\xc4\x04\x00\x03\x00\x75\xc0\xc0\xc1\x02\x0c\x01\x17\x01\x0a\
              \x41\x02\x03\x00\x00\x00\x04\x00\xf4\xb0\x00\x00\x05\xd9\x10",
        )
        .server_sends(
            b"\x05\x64\x11\x44\x04\x00\x03\x00\x3a\x8e\xc0\xc1\x81\x90\x02\x01\x02\x00\
              \x03\x04\x81\x01\xea\x20",
        )
        .close()
        .frames()
}

/// A stream of HTTP/2, and settings before it.
fn streams() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:48000", "10.1.0.12:3000")
        .handshake()
        .client_sends(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x02\0\0\0\0")
        .server_sends(b"\0\0\0\x04\0\0\0\0\0")
        .client_sends(b"\0\0\x10\x01\x25\0\0\0\x01\0\0\0\0\x63\x3f\x01\x82\x84\x00\x03x-a\x01b")
        .server_sends(b"\0\0\x01\x01\x05\0\0\0\x01\x88")
        .client_sends(b"\0\0\x04\x08\0\0\0\0\0\0\0\x10\0\0\0\x08\x07\0\0\0\0\0\0\0\0\x01\0\0\0\x0b")
        .close()
        .frames()
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let [high, low] = (payload.len() as u16).to_be_bytes();
    [&[0, high, low, kind, flags, 0, 0, 0, stream], payload].concat()
}

/// DNS over HTTP/2: a question in a body with its answer, and one that is too long.
fn resolver() -> Vec<TimedFrame> {
    let block = |fields: &[(&str, &str)]| {
        let mut bytes = Vec::new();
        for (name, value) in fields {
            bytes.push(0);
            for text in [name, value] {
                bytes.push(text.len() as u8);
                bytes.extend(text.as_bytes());
            }
        }
        bytes
    };
    let content = ("content-type", "application/dns-message");
    let post = block(&[(":method", "POST"), (":path", "/dns-query"), content]);
    let ok = block(&[(":status", "200"), content]);
    let question = b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x04weir\x04test\0\0\x01\0\x01";
    let answer = [
        &b"\0\x07\x81\x80\0\x01\0\x01\0\0\0\0"[..],
        &question[12..],
        b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x01",
    ]
    .concat();
    let long = frame(0, 0, 3, &[0; 1 << 14]).repeat(2);
    Conversation::new("10.7.0.1:48000", "10.7.0.2:443")
        .handshake()
        .client_sends([b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), frame(4, 0, 0, b"")].concat())
        .server_sends(frame(4, 0, 0, b""))
        .client_sends([frame(1, 4, 1, &post), frame(0, 1, 1, question)].concat())
        .server_sends([frame(1, 4, 1, &ok), frame(0, 1, 1, &answer)].concat())
        .client_sends([frame(1, 4, 3, &post), long.clone()].concat())
        .client_sends([long, frame(0, 1, 3, b"")].concat())
        .close()
        .frames()
}

/// A user of SMB, a share of pipes and one of files.
fn shares() -> Vec<TimedFrame> {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let message = |command: u8, answers: bool, tree: u8, number: u8, body: &[u8]| {
        let mut bytes = vec![0; 68];
        bytes[2..4].copy_from_slice(&(64 + body.len() as u16).to_be_bytes());
        bytes[4..9].copy_from_slice(b"\xfeSMB\x40");
        (bytes[16], bytes[20], bytes[28], bytes[40], bytes[44]) = (command, answers.into(), number, tree, 1);
        bytes.extend_from_slice(body);
        bytes
    };
    let (domain, user) = (utf16("OFFICE"), utf16("Alice"));
    let mut token = b"NTLMSSP\0\x03\0\0\0".to_vec();
    for (length, place) in [(0, 64), (0, 64), (domain.len(), 64), (user.len(), 76), (0, 86), (0, 86)] {
        token.extend([length as u8, 0, length as u8, 0, place, 0, 0, 0]);
    }
    token.extend([1, 0, 0, 0]);
    token.extend([&domain[..], &user, &[0]].concat());
    let setup = [&[25, 0][..], &[0; 10], &[88, 0, token.len() as u8, 0], &[0; 8], &token].concat();
    let connect = |share: &str| {
        let share = utf16(share);
        [&[9, 0, 0, 0, 72, 0, share.len() as u8, 0][..], &share].concat()
    };
    let connected = |kind: u8| [&[16, 0, kind][..], &[0; 13]].concat();
    Conversation::new("10.1.0.1:49000", "10.1.0.12:445")
        .handshake()
        .client_sends(message(1, false, 0, 1, &setup))
        .server_sends(message(1, true, 0, 1, &[9, 0, 0, 0, 72, 0, 0, 0]))
        .client_sends(message(3, false, 0, 2, &connect(r"\\server\IPC$")))
        .server_sends(message(3, true, 1, 2, &connected(2)))
        .client_sends(message(3, false, 0, 3, &connect(r"\\server\files")))
        .server_sends(message(3, true, 2, 3, &connected(1)))
        .client_sends(message(13, false, 0, 4, &[4, 0, 0, 0]))
        .server_sends(message(13, true, 0, 4, &[4, 0, 0, 0]))
        .close()
        .frames()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("room");
    encoder.finish().expect("room")
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("room");
    encoder.finish().expect("room")
}

/// Whether the payload has eight bytes.
const LENGTH: &str = "
function init() return {payload = true} end
function match(args) if #args.payload == 8 then return 1 end return 0 end
";

/// Each byte xored with the number given.
const MASK: &str = "
function transform(input, args)
    local key = tonumber(args[1])
    local masked = input:gsub('.', function(byte) return string.char(byte:byte() ~ key) end)
    return masked, #masked
end
";

/// Files that the rules name.
pub fn lists(folder: &Path) {
    for (name, text) in [
        ("agents.lst", "dGVzdGVyLzEuMA==\n"),
        ("agents.json", "{\"seen\": [{\"agent\": {\"is\": \"tester/1.0\"}, \"of\": \"tests\"}]}"),
        ("reps.lst", "dGVzdGVyLzEuMA==,5\n"),
        ("md5.lst", "5d41402abc4b2a76b9719d911017c592\n"),
        ("sha1.lst", "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d\n"),
        ("sha256.lst", "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n"),
        ("categories.txt", "1,Bad,bad hosts\n"),
        ("hosts.txt", "10.2.0.1,1,100\n"),
        ("length.lua", LENGTH),
        ("mask.lua", MASK),
    ] {
        fs::write(folder.join(name), text).expect("a list");
    }
}

/// A look-up by version 3 of NFS.
fn share() -> Vec<TimedFrame> {
    let mark = b"\x80\0\0\x3c";
    let head =
        b"\0\0\0\x07\0\0\0\0\0\0\0\x02\0\x01\x86\xa3\0\0\0\x03\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let arguments = b"\0\0\0\x04root\0\0\0\x08file.txt";
    let reply = b"\x80\0\0\x20\0\0\0\x07\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\0";
    Conversation::new("10.1.0.1:46600", "10.1.0.13:2049")
        .handshake()
        .client_sends([&mark[..], head, arguments].concat())
        .server_sends(reply)
        .close()
        .frames()
}

/// A search of LDAP that finds an entry, and then too many.
fn directory() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:46500", "10.1.0.10:389")
        .handshake()
        .client_sends(b"05\x02\x01\x02c0\x04\x0adc=example\x0a\x01\x02\x0a\x01\x00\x02\x01\x01\x02\x01\x00\x01\x01\x00\x87\x0bobjectClass0\x06\x04\x04mail")
        .server_sends(b"0$\x02\x01\x02d\x1f\x04\x04cn=a0\x170\x15\x04\x04mail1\x0d\x04\x0ba@b.example")
        .server_sends(b"0\x14\x02\x01\x02e\x0f\x0a\x01\x04\x04\x00\x04\x08too many")
        .close()
        .frames()
}

/// A ticket for a service that is encrypted with RC4, and a service that is not known, by Kerberos.
fn tickets() -> Vec<TimedFrame> {
    Conversation::new("10.1.0.1:46600", "10.1.0.11:88")
        .handshake()
        .client_sends(b"\0\0\0rlp0n\xa1\x03\x02\x01\x05\xa2\x03\x02\x01\x0c\xa4b0`\xa0\x07\x03\x05\0@\x80\0\0\xa1\x110\x0f\xa0\x03\x02\x01\x01\xa1\x080\x06\x1b\x04user\xa2\x09\x1b\x07EXAMPLE\xa3\x180\x16\xa0\x03\x02\x01\x01\xa1\x0f0\x0d\x1b\x04cifs\x1b\x05files\xa5\x11\x18\x0f20370913024805Z\xa7\x03\x02\x01\x09\xa8\x050\x03\x02\x01\x17")
        .server_sends(b"\0\0\0\x84m\x82\0\x800~\xa0\x03\x02\x01\x05\xa1\x03\x02\x01\x0d\xa3\x09\x1b\x07EXAMPLE\xa4\x110\x0f\xa0\x03\x02\x01\x01\xa1\x080\x06\x1b\x04user\xa5Aa?0=\xa0\x03\x02\x01\x05\xa1\x09\x1b\x07EXAMPLE\xa2\x180\x16\xa0\x03\x02\x01\x01\xa1\x0f0\x0d\x1b\x04cifs\x1b\x05files\xa3\x110\x0f\xa0\x03\x02\x01\x17\xa2\x08\x04\x06secret\xa6\x110\x0f\xa0\x03\x02\x01\x12\xa2\x08\x04\x06secret")
        .client_sends(b"\0\0\0rlp0n\xa1\x03\x02\x01\x05\xa2\x03\x02\x01\x0c\xa4b0`\xa0\x07\x03\x05\0@\x80\0\0\xa1\x110\x0f\xa0\x03\x02\x01\x01\xa1\x080\x06\x1b\x04user\xa2\x09\x1b\x07EXAMPLE\xa3\x180\x16\xa0\x03\x02\x01\x01\xa1\x0f0\x0d\x1b\x04cifs\x1b\x05other\xa5\x11\x18\x0f20370913024805Z\xa7\x03\x02\x01\x09\xa8\x050\x03\x02\x01\x17")
        .server_sends(b"\0\0\0P~N0L\xa0\x03\x02\x01\x05\xa1\x03\x02\x01\x1e\xa4\x11\x18\x0f20150101000000Z\xa5\x03\x02\x01\x01\xa6\x03\x02\x01\x07\xa9\x09\x1b\x07EXAMPLE\xaa\x180\x16\xa0\x03\x02\x01\x01\xa1\x0f0\x0d\x1b\x04cifs\x1b\x05other")
        .close()
        .frames()
}

/// What a server of DHCP gives a client for an hour.
fn lease() -> Vec<u8> {
    let mut message = vec![2, 1, 6, 0, 0, 0, 0, 9];
    message.resize(236, 0);
    message.extend(
        b"\x63\x82\x53\x63\x35\x01\x05\x33\x04\0\0\x0e\x10\x3a\x04\0\0\x07\x08\x3b\x04\0\0\x0c\x4e\xff",
    );
    message
}

/// A server of NTP that tells its own time.
fn clock() -> Vec<u8> {
    let mut message = b"\x24\x02\x06\xec\0\0\0\0\0\0\0\0LOCL".to_vec();
    message.resize(48, 0);
    message
}
