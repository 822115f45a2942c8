//! SMTP and POP3: commands that nobody answers, messages of many parts, addresses and files, long lines.

use weir_base::Direction;

use super::{Attack, client_sends, connection};
use crate::wire::Wire;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "smtp-commands",
        what: "SMTP: commands that are never answered: commands that wait for a reply",
        unit: "commands",
        size: 4000,
        write: |wire, count| {
            connection(wire, 25, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                (0..count).for_each(|_| connection.client(wire, b"NOOP\r\n"));
            });
        },
    },
    Attack {
        name: "smtp-resets",
        what: "SMTP: messages begun and given up, four thousand commands at a time, then their replies",
        unit: "commands",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 25, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                connection.client(wire, b"HELO a\r\n");
                connection.server(wire, b"250 ok\r\n");
                for _ in 0..count.div_ceil(400) {
                    connection.client(wire, &b"MAIL FROM:<a>\r\nRSET\r\n".repeat(200));
                    connection.server(wire, &b"250 ok\r\n".repeat(400));
                }
            });
        },
    },
    Attack {
        name: "smtp-go-aheads",
        what: "SMTP: commands that wait, each answered as DATA is: the search for that",
        unit: "commands",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 25, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                for _ in 0..count.div_ceil(4000) {
                    connection.client(wire, &b"NOOP\r\n".repeat(4000));
                    connection.server(wire, &b"354 go\r\n".repeat(4000));
                }
            });
        },
    },
    Attack {
        name: "smtp-recipients",
        what: "SMTP: recipients of one message: what is kept of it, and looked at anew",
        unit: "recipients",
        size: 4000,
        write: |wire, count| {
            connection(wire, 25, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                connection.client(wire, b"HELO a\r\nMAIL FROM:<a@b>\r\n");
                connection.server(wire, b"250 ok\r\n250 ok\r\n");
                for number in 0..count {
                    connection.client(wire, format!("RCPT TO:<{number}@c>\r\n").as_bytes());
                    connection.server(wire, b"250 ok\r\n");
                }
            });
        },
    },
    Attack {
        name: "smtp-files",
        what: "SMTP: a message of very many small files, then lines: files that are looked at for each packet",
        unit: "files",
        size: 1000,
        write: |wire, count| {
            message(wire, |line| {
                line("Content-Type: multipart/mixed; boundary=\"x\"\r\n\r\n");
                (0..count).for_each(|number| {
                    line(&format!(
                        "--x\r\nContent-Disposition: attachment; filename=\"{number}\"\r\n\r\n{number}\r\n"
                    ));
                });
            });
        },
    },
    Attack {
        name: "smtp-boundaries",
        what: "SMTP: parts in parts as deep as is read, then lines that may be the end of one",
        unit: "lines",
        size: 20_000,
        write: |wire, count| {
            message(wire, |line| {
                line("Content-Type: multipart/mixed; boundary=\"b00\"\r\n\r\n");
                for depth in 1..40 {
                    let outer = depth - 1;
                    line(&format!(
                        "--b{outer:02}\r\nContent-Type: multipart/mixed; boundary=\"b{depth:02}\"\r\n\r\n"
                    ));
                }
                (0..count.div_ceil(200)).for_each(|_| line(&"--b\r\n".repeat(200)));
            });
        },
    },
    Attack {
        name: "smtp-fields",
        what: "SMTP: header fields of one message: what is kept, and the search for those that are read",
        unit: "fields",
        size: 20_000,
        write: |wire, count| {
            message(wire, |line| {
                (0..count.div_ceil(100))
                    .for_each(|_| line(&"Received: from a ([192.0.2.1])\r\n".repeat(100)));
                line("\r\n");
            });
        },
    },
    Attack {
        name: "smtp-addresses",
        what: "SMTP: very many addresses in fields of one message: what is kept of them without repeats",
        unit: "addresses",
        size: 20_000,
        write: |wire, count| {
            message(wire, |line| {
                (0..count.div_ceil(50)).for_each(|group| {
                    let list: Vec<String> = (0..50).map(|one| format!("{}@a", 50 * group + one)).collect();
                    line(&format!("To: {}\r\n", list.join(",")));
                });
            });
        },
    },
    Attack {
        name: "smtp-urls",
        what: "SMTP: a text that is nearly nothing but addresses of pages: what is found and kept",
        unit: "addresses",
        size: 20_000,
        write: |wire, count| {
            message(wire, |line| {
                line("\r\n");
                (0..count.div_ceil(100)).for_each(|group| {
                    let text: String =
                        (0..100).map(|one| format!("http://{}.a ", 100 * group + one)).collect();
                    line(&format!("{text}\r\n"));
                });
            });
        },
    },
    Attack {
        name: "smtp-parameters",
        what: "SMTP: fields with very many parameters: the search for one of them",
        unit: "parameters",
        size: 20_000,
        write: |wire, count| {
            message(wire, |line| {
                line("Content-Type: multipart/mixed; boundary=\"x\"\r\n\r\n");
                (0..count.div_ceil(400)).for_each(|_| {
                    line(&format!("--x\r\nContent-Type: a/b{}\r\n\r\n", ";a=b".repeat(400)));
                });
            });
        },
    },
    Attack {
        name: "smtp-mails",
        what: "SMTP: mails of one line on one connection: what is kept of each as a file",
        unit: "mails",
        size: 2000,
        write: |wire, count| {
            connection(wire, 25, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                connection.client(wire, b"HELO a\r\n");
                connection.server(wire, b"250 ok\r\n");
                for number in 0..count.div_ceil(10) {
                    for one in 0..10 {
                        connection.client(wire, b"MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n");
                        connection.server(wire, b"250 ok\r\n250 ok\r\n354 go\r\n");
                        let id = 10 * number + one;
                        connection
                            .client(wire, format!("Message-ID: <{id}@x>\r\n\r\n{id}\r\n.\r\n").as_bytes());
                        connection.server(wire, b"250 ok\r\n");
                    }
                }
            });
        },
    },
    Attack {
        name: "smtp-mails-open",
        what: "SMTP: connections whose mail never ends: what waits of each until its kind is known",
        unit: "connections",
        size: 500,
        write: |wire, count| {
            for number in 0..count {
                let mut connection = wire.connect((20_000 + (number % 40_000) as u16, 25));
                connection.server(wire, b"220 ready\r\n");
                connection.client(wire, b"HELO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n");
                connection.server(wire, b"250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n");
                connection
                    .client(wire, &[&b"Subject: x\r\n\r\n"[..], &b"line of a mail\r\n".repeat(85)].concat());
            }
        },
    },
    Attack {
        name: "smtp-bytewise",
        what: "SMTP: a line without end in segments of one byte: how often what waits is searched",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 25, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                connection.sends_bytewise(wire, Direction::ToServer, &vec![b'x'; count as usize]);
            });
        },
    },
    Attack {
        name: "pop3-commands",
        what: "POP3: commands that are never answered: transactions that wait",
        unit: "commands",
        size: 4000,
        write: |wire, count| client_sends(wire, 110, count, |_| b"NOOP\r\n".to_vec()),
    },
    Attack {
        name: "pop3-lines",
        what: "POP3: a list without end: what is kept of an answer, and looked at anew",
        unit: "lines",
        size: 4000,
        write: |wire, count| {
            connection(wire, 110, |connection, wire| {
                connection.server(wire, b"+OK ready\r\n");
                connection.client(wire, b"LIST\r\n");
                connection.server(wire, b"+OK\r\n");
                (0..count).for_each(|_| connection.server(wire, b"1 2\r\n"));
            });
        },
    },
    Attack {
        name: "pop3-gaps",
        what: "POP3: commands that wait, with a hole before each answer: what a hole ends",
        unit: "answers",
        size: 2000,
        write: |wire, count| {
            connection(wire, 110, |connection, wire| {
                connection.server(wire, b"+OK ready\r\n");
                for _ in 0..count {
                    connection.client(wire, b"NOOP\r\nNOOP\r\n");
                    connection.loses(Direction::ToClient, 1);
                    connection.server(wire, b"+OK\r\n");
                    connection.acknowledges(wire, Direction::ToServer);
                }
            });
        },
    },
];

/// The text of a message, which `write` sends in pieces.
fn message(wire: &mut Wire<'_>, write: impl FnOnce(&mut dyn FnMut(&str))) {
    connection(wire, 25, |connection, wire| {
        connection.server(wire, b"220 ready\r\n");
        connection.client(wire, b"HELO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n");
        connection.server(wire, b"250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n");
        write(&mut |text| connection.client(wire, text.as_bytes()));
    });
}
