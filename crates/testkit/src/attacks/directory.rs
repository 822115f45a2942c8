//! LDAP, Kerberos, SNMP and RADIUS: requests that nobody answers, and elements of ASN.1 in and behind each other.

use weir_base::Direction;

use super::bytes::{element, framed, integer};
use super::{Attack, client_datagrams, client_sends, client_sends_bytewise, connection};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "ldap-searches",
        what: "LDAP: searches that are never answered: transactions that wait",
        unit: "searches",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 389, count, |number| search(number as u32, &element(0x87, b"cn")))
        },
    },
    Attack {
        name: "ldap-entries",
        what: "LDAP: entries of one search: what is kept of a transaction, and looked at anew",
        unit: "entries",
        size: 4000,
        write: |wire, count| {
            connection(wire, 389, |connection, wire| {
                connection.client(wire, &search(7, &element(0x87, b"cn")));
                let entry = element(0x64, &[element(4, b"dc=x"), element(0x30, b"")].concat());
                let entry = element(0x30, &[integer(7), entry].concat());
                (0..count).for_each(|_| connection.server(wire, &entry));
            });
        },
    },
    Attack {
        name: "ldap-filters",
        what: "LDAP: filters in filters: how deep they are read, and what is written of them",
        unit: "filters",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 389, count.div_ceil(30), |number| {
                let deep = (0..30).fold(element(0x87, b"a"), |inner, _| element(0xa2, &inner));
                search(number as u32, &deep)
            });
        },
    },
    Attack {
        name: "ldap-bytewise",
        what: "LDAP: a long request in segments of one byte: how often what waits is read",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            let name = vec![b'x'; count as usize];
            client_sends_bytewise(wire, 389, &search(1, &element(0x87, &name)));
        },
    },
    Attack {
        name: "krb5-requests",
        what: "Kerberos: requests of one flow that are never answered: transactions, and rows of Zeek's log",
        unit: "requests",
        size: 4000,
        write: |wire, count| client_datagrams(wire, 88, count, |number| kerberos(number as u32)),
    },
    Attack {
        name: "krb5-stream",
        what: "Kerberos: the same over TCP, many in a segment",
        unit: "requests",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 88, count.div_ceil(10), |_| framed(&kerberos(7)).repeat(10));
        },
    },
    Attack {
        name: "krb5-applications",
        what: "Kerberos: what clients and applications say, with tickets as many as fit: what scripts are told of each",
        unit: "messages",
        size: 4000,
        write: |wire, count| client_datagrams(wire, 88, count, of_application),
    },
    Attack {
        name: "snmp-requests",
        what: "SNMP: requests of one flow that are never answered: transactions",
        unit: "requests",
        size: 4000,
        write: |wire, count| client_datagrams(wire, 161, count, |_| snmp(1)),
    },
    Attack {
        name: "snmp-variables",
        what: "SNMP: requests for many variables: what is kept and written of each",
        unit: "variables",
        size: 20_000,
        write: |wire, count| client_datagrams(wire, 161, count.div_ceil(120), |_| snmp(120)),
    },
    Attack {
        name: "radius-requests",
        what: "RADIUS: requests of one flow that are never answered, with as many attributes as fit",
        unit: "requests",
        size: 1000,
        write: |wire, count| {
            client_datagrams(wire, 1812, count, |number| {
                let attributes = [&[1, 2][..]; 600].concat();
                let length = 20 + attributes.len() as u16;
                [&[1, number as u8][..], &length.to_be_bytes(), &[0; 16], &attributes].concat()
            });
        },
    },
    Attack {
        name: "radius-answers",
        what: "RADIUS: answers without requests: rows of Zeek's log",
        unit: "answers",
        size: 4000,
        write: |wire, count| {
            (0..count).for_each(|number| {
                let message = [&[if number == 0 { 1 } else { 2 }, 7, 0, 20][..], &[0; 16]].concat();
                let direction = if number == 0 { Direction::ToServer } else { Direction::ToClient };
                wire.udp((40_000, 1812), direction, &message);
            });
        },
    },
];

/// A search of the whole tree.
fn search(id: u32, filter: &[u8]) -> Vec<u8> {
    let parts = [
        element(4, b"dc=x"),
        element(10, &[2]),
        element(10, &[0]),
        integer(0),
        integer(0),
        element(1, &[0]),
        filter.to_vec(),
        element(0x30, b""),
    ];
    element(0x30, &[integer(id), element(0x63, &parts.concat())].concat())
}

/// A part of a sequence.
fn part(number: u8, content: Vec<u8>) -> Vec<u8> {
    element(0xa0 | number, &content)
}

fn text(text: &[u8]) -> Vec<u8> {
    element(0x1b, text)
}

/// The name of a principal.
fn name(name: &[u8]) -> Vec<u8> {
    element(0x30, &[part(0, element(2, &[1])), part(1, element(0x30, &text(name)))].concat())
}

/// In turn the kinds of messages between a client and an application (RFC 4120 5.5 to 5.8).
fn of_application(number: u64) -> Vec<u8> {
    let encrypted = || element(0x30, &[part(0, element(2, &[18])), part(2, element(4, &[7; 8]))].concat());
    let ticket = [part(0, element(2, &[5])), part(1, text(b"A")), part(2, name(b"b")), part(3, encrypted())];
    let ticket = element(0x61, &element(0x30, &ticket.concat()));
    let host = element(0x30, &[part(0, element(2, &[2])), part(1, element(4, &[192, 0, 2, 1]))].concat());
    let (kind, parts) = match number % 5 {
        0 => (14, vec![part(2, element(3, &[0; 5])), part(3, ticket), part(4, encrypted())]),
        1 => (15, vec![part(2, encrypted())]),
        2 => {
            let body = [part(0, element(4, &[9; 1000])), part(3, integer(7)), part(4, host)];
            (20, vec![part(2, element(0x30, &body.concat())), part(3, element(0x30, b""))])
        }
        3 => (21, vec![part(3, encrypted())]),
        _ => (22, vec![part(2, element(0x30, &ticket.repeat(18))), part(3, encrypted())]),
    };
    let head = [part(0, element(2, &[5])), part(1, element(2, &[kind]))];
    element(0x60 | kind, &element(0x30, &[head.concat(), parts.concat()].concat()))
}

/// An AS-REQ.
fn kerberos(nonce: u32) -> Vec<u8> {
    let body = [
        part(0, element(3, &[0, 0x40, 0x81, 0, 0x10])),
        part(1, name(b"alice")),
        part(2, text(b"EXAMPLE.COM")),
        part(3, name(b"krbtgt")),
        part(5, element(0x18, b"20370913024805Z")),
        part(7, integer(nonce)),
        part(8, element(0x30, &element(2, &[18]))),
    ];
    let message =
        [part(1, element(2, &[5])), part(2, element(2, &[10])), part(4, element(0x30, &body.concat()))];
    element(0x6a, &element(0x30, &message.concat()))
}

/// A GetRequest of version 2c.
fn snmp(variables: usize) -> Vec<u8> {
    let variable = element(0x30, &[element(6, &[0x2b, 6, 1, 2, 1]), element(5, b"")].concat());
    let request =
        [element(2, &[7]), element(2, &[0]), element(2, &[0]), element(0x30, &variable.repeat(variables))];
    let message = [element(2, &[1]), element(4, b"public"), element(0xa0, &request.concat())];
    element(0x30, &message.concat())
}
