//! Terminals, desktops, proxies and chats: Telnet, SSH, RFB, RDP, SOCKS, IRC.

use weir_base::Direction;

use super::bytes::framed;
use super::{Attack, client_sends, connection};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "telnet-commands",
        what: "Telnet: commands of three bytes, many in a segment: frames",
        unit: "commands",
        size: 40_000,
        write: |wire, count| client_sends(wire, 23, count.div_ceil(450), |_| b"\xff\xfb\x01".repeat(450)),
    },
    Attack {
        name: "telnet-prompts",
        what: "Telnet: prompts without end: what is told of logins",
        unit: "prompts",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 23, |connection, wire| {
                connection.client(wire, b"\xff\xfb\x01");
                for _ in 0..count.div_ceil(100) {
                    connection.server(wire, &b"login: ".repeat(100));
                    connection.client(wire, &b"a\r\n".repeat(100));
                }
            });
        },
    },
    Attack {
        name: "ssh-packets",
        what: "SSH: packets without content before keys are exchanged, many in a segment",
        unit: "packets",
        size: 40_000,
        write: |wire, count| {
            connection(wire, 22, |connection, wire| {
                connection.server(wire, b"SSH-2.0-a\r\n");
                connection.client(wire, b"SSH-2.0-b\r\n");
                let packets = b"\0\0\0\x02\0\x02".repeat(240);
                (0..count.div_ceil(240)).for_each(|_| connection.client(wire, &packets));
            });
        },
    },
    Attack {
        name: "ssh-offers",
        what: "SSH: lists of very many ways to exchange keys: what is kept and hashed",
        unit: "offers",
        size: 100,
        write: |wire, count| {
            connection(wire, 22, |connection, wire| {
                connection.server(wire, b"SSH-2.0-a\r\n");
                connection.client(wire, b"SSH-2.0-b\r\n");
                let list = framed(&b"a,".repeat(1500));
                let body = [&[4, 20][..], &[0; 16], &list.repeat(10), &[0; 5], &[0; 4]].concat();
                (0..count).for_each(|_| connection.client(wire, &framed(&body)));
            });
        },
    },
    Attack {
        name: "ssh-opaque",
        what: "SSH: encrypted packets of one byte: attempts to log in that are counted by their lengths",
        unit: "packets",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 22, |connection, wire| {
                connection.server(wire, b"SSH-2.0-a\r\n");
                connection.client(wire, b"SSH-2.0-b\r\n");
                let keys = b"\0\0\0\x0c\x0a\x15\0\0\0\0\0\0\0\0\0\0";
                connection.client(wire, keys);
                connection.server(wire, keys);
                (0..count).for_each(|_| connection.server(wire, b"x"));
            });
        },
    },
    Attack {
        name: "rfb-bytewise",
        what: "RFB: the name of a desktop in segments of one byte: how often what waits is read",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 5900, |connection, wire| {
                connection.server(wire, b"RFB 003.008\n");
                connection.client(wire, b"RFB 003.008\n");
                connection.server(wire, b"\x01\x01");
                connection.client(wire, b"\x01");
                connection.server(wire, &[0; 4]);
                connection.client(wire, b"\x01");
                let head = [&b"\x03\x20\x02\x58"[..], &[0; 16], &(count as u32).to_be_bytes()].concat();
                let desktop = [head, vec![b'x'; count as usize]].concat();
                connection.sends_bytewise(wire, Direction::ToClient, &desktop);
            });
        },
    },
    Attack {
        name: "rdp-packets",
        what: "RDP: packets of the transport that carry nothing, many in a segment",
        unit: "packets",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 3389, |connection, wire| {
                connection.client(wire, b"\x03\0\0\x0b\x06\xe0\0\0\0\0\0");
                let packets = b"\x03\0\0\x07\x02\xf0\x80".repeat(200);
                (0..count.div_ceil(200)).for_each(|_| connection.client(wire, &packets));
            });
        },
    },
    Attack {
        name: "rdp-requests",
        what: "RDP: requests for a connection again and again: transactions",
        unit: "requests",
        size: 10_000,
        write: |wire, count| {
            client_sends(wire, 3389, count.div_ceil(100), |_| b"\x03\0\0\x0b\x06\xe0\0\0\0\0\0".repeat(100));
        },
    },
    Attack {
        name: "socks-bytewise",
        what: "SOCKS: names without end in segments of one byte: how often what waits is read",
        unit: "connections",
        size: 20,
        write: |wire, count| {
            for number in 0..count {
                let mut connection = wire.connect((40_000 + number as u16, 1080));
                connection.client(wire, b"\x05\x02\x01\x02");
                connection.server(wire, b"\x05\x02");
                let request = [&b"\x01\xff"[..], &[b'x'; 255], b"\xff", &[b'x'; 255]].concat();
                connection.sends_bytewise(wire, Direction::ToServer, &request);
            }
        },
    },
    Attack {
        name: "irc-lines",
        what: "IRC: lines of commands, many in a segment: messages that wait to be logged",
        unit: "lines",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 6667, |connection, wire| {
                connection.client(wire, b"NICK a\r\nUSER a 0 * :a\r\n");
                (0..count.div_ceil(100)).for_each(|_| connection.client(wire, &b"JOIN #a\r\n".repeat(100)));
            });
        },
    },
    Attack {
        name: "irc-channels",
        what: "IRC: lines that join very many channels: rows of Zeek's log",
        unit: "channels",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 6667, |connection, wire| {
                connection.client(wire, b"NICK a\r\nUSER a 0 * :a\r\n");
                let line = format!("JOIN {}\r\n", vec!["#a"; 300].join(","));
                (0..count.div_ceil(300)).for_each(|_| connection.client(wire, line.as_bytes()));
            });
        },
    },
    Attack {
        name: "irc-offers",
        what: "IRC: offers of files at ever new ports: connections that are announced and never come",
        unit: "offers",
        size: 4000,
        write: |wire, count| {
            connection(wire, 6667, |connection, wire| {
                connection.client(wire, b"NICK a\r\nUSER a 0 * :a\r\n");
                for number in 0..count {
                    // 198.51.100.7 as a number.
                    let port = 1024 + number % 60_000;
                    let line = format!("PRIVMSG b :\x01DCC SEND f 3325256711 {port} 9\x01\r\n");
                    connection.client(wire, line.as_bytes());
                }
            });
        },
    },
];
