//! FTP and TFTP: commands that nobody answers, replies without end, connections that are announced.

use weir_base::Direction;

use super::{Attack, client_datagrams, connection};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "ftp-commands",
        what: "a thousand commands that are never answered, then lines of the first one's reply",
        unit: "lines",
        size: 4000,
        write: |wire, count| {
            connection(wire, 21, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                (0..900).for_each(|_| connection.client(wire, b"NOOP\r\n"));
                (0..count).for_each(|_| connection.server(wire, b"150 wait\r\n"));
            });
        },
    },
    Attack {
        name: "ftp-options",
        what: "a command without end, of Telnet's commands: what is counted of it and not kept",
        unit: "commands",
        size: 400_000,
        write: |wire, count| {
            connection(wire, 21, |connection, wire| {
                connection.client(wire, b"SIZE ");
                (0..count.div_ceil(400)).for_each(|_| connection.client(wire, &b"\xff\xfb\x01".repeat(400)));
            });
        },
    },
    Attack {
        name: "ftp-replies",
        what: "lines of one reply: what is kept of it, and looked at anew",
        unit: "lines",
        size: 4000,
        write: |wire, count| {
            connection(wire, 21, |connection, wire| {
                connection.client(wire, b"FEAT\r\n");
                (0..count).for_each(|_| connection.server(wire, b"211-more\r\n"));
            });
        },
    },
    Attack {
        name: "ftp-ports",
        what: "PORT and LIST for ever new ports: connections that are announced and never come",
        unit: "ports",
        size: 4000,
        write: |wire, count| {
            connection(wire, 21, |connection, wire| {
                for number in 0..count {
                    let (high, low) = (number >> 8 & 0xff, number & 0xff);
                    let port = format!("PORT 198,51,100,7,{high},{low}\r\nLIST\r\n");
                    connection.client(wire, port.as_bytes());
                    connection.server(wire, b"200 ok\r\n150 ok\r\n226 ok\r\n");
                }
            });
        },
    },
    Attack {
        name: "ftp-bytewise",
        what: "lines of 4000 bytes in segments of one byte: how often what waits is searched",
        unit: "bytes",
        size: 40_000,
        write: |wire, count| {
            connection(wire, 21, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                for _ in 0..count.div_ceil(4000) {
                    let line = [&b"NOOP "[..], &[b'x'; 3993], b"\r\n"].concat();
                    connection.sends_bytewise(wire, Direction::ToServer, &line);
                    connection.server(wire, b"200 ok\r\n");
                }
            });
        },
    },
    Attack {
        name: "tftp-requests",
        what: "requests on one flow: transactions",
        unit: "requests",
        size: 4000,
        write: |wire, count| {
            client_datagrams(wire, 69, count, |number| format!("\0\x01file{number}\0octet\0").into_bytes());
        },
    },
    Attack {
        name: "tftp-names",
        what: "requests with names of a packet's length: what is kept of them",
        unit: "requests",
        size: 1000,
        write: |wire, count| {
            client_datagrams(wire, 69, count, |_| [&b"\0\x01"[..], &[b'x'; 1400], b"\0octet\0"].concat());
        },
    },
];
