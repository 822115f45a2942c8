//! PostgreSQL, MySQL and Redis: queries that nobody answers, answers without end, deep and long values.

use weir_base::Direction;

use super::{Attack, client_sends, client_sends_bytewise, connection};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "pgsql-queries",
        what: "PostgreSQL: queries that are never answered: transactions that wait",
        unit: "queries",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 5432, count, |number| match number {
                0 => startup(),
                _ => lettered(b'Q', b"SELECT 1;\0"),
            });
        },
    },
    Attack {
        name: "pgsql-rows",
        what: "PostgreSQL: rows of one answer, many in a segment: what is kept of an answer",
        unit: "rows",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 5432, |connection, wire| {
                connection.client(wire, &[startup(), lettered(b'Q', b"SELECT 1;\0")].concat());
                let rows = lettered(b'D', b"\0\0").repeat(200);
                (0..count.div_ceil(200)).for_each(|_| connection.server(wire, &rows));
            });
        },
    },
    Attack {
        name: "pgsql-gaps",
        what: "PostgreSQL: a thousand queries that wait, then answers with a hole before each: what a hole ends",
        unit: "answers",
        size: 4000,
        write: |wire, count| {
            connection(wire, 5432, |connection, wire| {
                connection.client(wire, &startup());
                (0..1000).for_each(|_| connection.client(wire, &lettered(b'Q', b"SELECT 1;\0")));
                for _ in 0..count {
                    connection.client(wire, &lettered(b'Q', b"SELECT 1;\0"));
                    connection.loses(Direction::ToClient, 1);
                    connection.server(wire, &lettered(b'Z', b"I"));
                    connection.acknowledges(wire, Direction::ToServer);
                }
            });
        },
    },
    Attack {
        name: "pgsql-bytewise",
        what: "PostgreSQL: a long query in segments of one byte: how often what waits is read",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            let query = [vec![b' '; count as usize], vec![0]].concat();
            client_sends_bytewise(wire, 5432, &[startup(), lettered(b'Q', &query)].concat());
        },
    },
    Attack {
        name: "mysql-commands",
        what: "MySQL: commands that are never answered: messages that wait to be logged",
        unit: "commands",
        size: 4000,
        write: |wire, count| {
            connection(wire, 3306, |connection, wire| {
                connection.server(wire, &mysql_greeting());
                connection.client(wire, &packet(1, &[&[0, 2, 0, 0][..], &[0; 28], b"root\0\0"].concat()));
                connection.server(wire, &packet(2, &[0, 0, 0, 2, 0, 0, 0]));
                (0..count).for_each(|_| connection.client(wire, &packet(0, b"\x03SELECT 1")));
            });
        },
    },
    Attack {
        name: "redis-commands",
        what: "Redis: short commands, many in a segment, without replies: rows of Zeek's log that wait",
        unit: "commands",
        size: 20_000,
        write: |wire, count| client_sends(wire, 6379, count.div_ceil(200), |_| b"SET a 1\r\n".repeat(200)),
    },
    Attack {
        name: "redis-deep",
        what: "Redis: replies of lists in lists, as deep as is read: what each element costs",
        unit: "elements",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 6379, |connection, wire| {
                connection.client(wire, b"SET a 1\r\n");
                connection.server(wire, &[b"*1\r\n".repeat(62), b"*1000000\r\n".to_vec()].concat());
                (0..count.div_ceil(300)).for_each(|_| connection.server(wire, &b":1\r\n".repeat(300)));
            });
        },
    },
    Attack {
        name: "redis-bytewise",
        what: "Redis: a line without end in segments of one byte: how often what waits is searched",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 6379, |connection, wire| {
                connection.client(wire, b"SET a 1\r\n");
                connection.sends_bytewise(
                    wire,
                    Direction::ToClient,
                    &[b"+".to_vec(), vec![b'x'; count as usize]].concat(),
                );
            });
        },
    },
];

/// A message of PostgreSQL with its letter and length.
fn lettered(letter: u8, body: &[u8]) -> Vec<u8> {
    [&[letter][..], &(body.len() as u32 + 4).to_be_bytes(), body].concat()
}

/// Makes the startup message of a PostgreSQL client.
fn startup() -> Vec<u8> {
    let body = b"\0\x03\0\0user\0bob\0\0";
    [&(body.len() as u32 + 4).to_be_bytes()[..], body].concat()
}

/// A packet of MySQL.
fn packet(number: u8, body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_le_bytes()[..3], &[number], body].concat()
}

/// Makes the initial handshake packet of a MySQL server.
fn mysql_greeting() -> Vec<u8> {
    let body = [
        &b"\x0a8.0\0\x01\0\0\0challeng\0\xff\xff\x21\x02\0\x08\x08\x15"[..],
        &[0; 10],
        &[1; 13],
        b"mysql_native_password\0",
    ];
    packet(0, &body.concat())
}
