//! The directory over LDAP (RFC 4511): who asks, what is looked for, what is changed; and the datagrams by which a
//! client finds its domain (MS-ADTS 6.3.3).

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use super::{REALM, ROOT, computer, tokens};
use crate::ber::{element, integer, octets, sequence, unsigned, wide_element};
use crate::ends::{DOWN, Ends, Said, UP};
use crate::words::{spoken, text};

/// Operations.
const BIND: u8 = 0x60;
const BOUND: u8 = 0x61;
const UNBIND: u8 = 0x42;
const SEARCH: u8 = 0x63;
const ENTRY: u8 = 0x64;
const DONE: u8 = 0x65;
const MODIFY: u8 = 0x66;
const ADD: u8 = 0x68;
const DELETE: u8 = 0x4a;

/// Results.
const SUCCESS: u32 = 0;
const IN_PROGRESS: u32 = 14;
const NO_SUCH_OBJECT: u32 = 32;
const WRONG_PASSWORD: u32 = 49;
const NOT_ALLOWED: u32 = 50;

const ATTRIBUTES: [&str; 8] = [
    "cn",
    "mail",
    "memberOf",
    "sAMAccountName",
    "objectSid",
    "telephoneNumber",
    "displayName",
    "userAccountControl",
];

/// A connection, or a datagram that looks for the domain.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    if random.below(3) == 0 {
        return domain(random, ends, begin);
    }
    let (mut said, is_sealed, is_in) = log_in(random);
    if is_sealed {
        sealed(random, &mut said);
    } else if is_in {
        for id in 3..4 + random.below(8) as u32 {
            said.extend(step(random, id));
        }
        said.push((UP, message(20, UNBIND, &[])));
    }
    let port = if random.below(5) == 0 { 3268 } else { 389 };
    ends.talk(random, begin, port, &said)
}

/// What is said until the client is known, whether nobody can read on then, and whether it is let in.
fn log_in(random: &mut Random) -> (Vec<Said>, bool, bool) {
    let user = format!("CN={},CN=Users,{ROOT}", spoken(random));
    match random.below(4) {
        0 => {
            let shown = tokens::ticket(random);
            let accepted = tokens::answer(0, b"");
            (vec![(UP, sasl(1, &shown)), (DOWN, bound(1, SUCCESS, &accepted))], true, true)
        }
        1 => {
            let (asked, shown) = (tokens::challenge(random), tokens::authenticate(random));
            let said = vec![
                (UP, sasl(1, &tokens::negotiate())),
                (DOWN, bound(1, IN_PROGRESS, &asked)),
                (UP, sasl(2, &shown)),
                (DOWN, bound(2, SUCCESS, &tokens::answer(0, b""))),
            ];
            (said, false, true)
        }
        _ => {
            let code = if random.below(8) == 0 { WRONG_PASSWORD } else { SUCCESS };
            let password = element(0x80, spoken(random).as_bytes());
            let asked = message(1, BIND, &[integer(3), octets(user), password]);
            (vec![(UP, asked), (DOWN, result(1, BOUND, code))], false, code == SUCCESS)
        }
    }
}

/// A step of a session: mostly a search.
fn step(random: &mut Random, id: u32) -> Vec<Said> {
    let name = format!("CN={},OU={},{ROOT}", spoken(random), spoken(random));
    let code = [SUCCESS, SUCCESS, NO_SUCH_OBJECT, NOT_ALLOWED][random.below(4) as usize];
    match random.below(8) {
        0 => {
            let change = sequence(&[enumerated(2), attribute(random, "telephoneNumber")]);
            let asked = message(id, MODIFY, &[octets(name), sequence(&[change])]);
            vec![(UP, asked), (DOWN, result(id, MODIFY + 1, code))]
        }
        1 => {
            let attributes = [attribute(random, "objectClass"), attribute(random, "cn")];
            let asked = message(id, ADD, &[octets(name), sequence(&attributes)]);
            vec![(UP, asked), (DOWN, result(id, ADD + 1, code))]
        }
        2 => {
            let asked = sequence(&[integer(id), element(DELETE, name.as_bytes())]);
            vec![(UP, asked), (DOWN, result(id, 0x6b, code))]
        }
        _ => search(random, id),
    }
}

fn search(random: &mut Random, id: u32) -> Vec<Said> {
    let who = spoken(random);
    let filter = match random.below(4) {
        0 => element(0x87, b"objectClass"),
        1 => equals("sAMAccountName", &who),
        2 => {
            // Whose name begins so.
            let names = sequence(&[element(0x80, &who.as_bytes()[..2])]);
            element(0xa4, &[octets("cn"), names].concat())
        }
        _ => {
            let either = element(0xa1, &[equals("mail", &who), equals("cn", &who)].concat());
            element(0xa0, &[equals("objectCategory", "person"), either].concat())
        }
    };
    let chosen: Vec<_> = ATTRIBUTES.iter().filter(|_| random.below(2) == 0).collect();
    let wanted: Vec<_> = chosen.iter().map(octets).collect();
    let asked = [octets(ROOT), enumerated(2), enumerated(0), integer(1000), integer(120), boolean(false)];
    let asked = message(id, SEARCH, &[&asked[..], &[filter, sequence(&wanted)]].concat());
    let mut answered = Vec::new();
    for _ in 0..random.below(6) {
        let name = format!("CN={},OU={},{ROOT}", spoken(random), spoken(random));
        let attributes: Vec<_> = chosen.iter().map(|name| attribute(random, name)).collect();
        answered.extend(answer(id, ENTRY, &[octets(name), sequence(&attributes)]));
    }
    answered.extend(result(id, DONE, SUCCESS));
    vec![(UP, asked), (DOWN, answered)]
}

/// Messages inside of tokens of Kerberos that are encrypted (RFC 4121 4.2.6.2).
fn sealed(random: &mut Random, said: &mut Vec<Said>) {
    for number in 0..1 + random.below(5) {
        for (direction, flags) in [(UP, 6), (DOWN, 7)] {
            let head = [&[5, 4, flags, 0xff, 0, 0, 0, 28][..], &number.to_be_bytes()].concat();
            let length = 90 + random.below(900) as usize;
            let token = [head, random.bytes(length)].concat();
            said.push((direction, [&(token.len() as u32).to_be_bytes()[..], &token].concat()));
        }
    }
}

/// Where the domain's controllers are.
fn domain(random: &mut Random, ends: Ends, begin: Timestamp) -> Vec<TimedFrame> {
    let host = computer(random);
    let wanted = [
        equals("DnsDomain", &REALM.to_lowercase()),
        equals("Host", &host),
        element(0xa3, &[octets("NtVer"), octets([0x16, 0, 0, 0])].concat()),
    ];
    let id = 1 + random.below(200) as u32;
    let filter = element(0xa0, &wanted.concat());
    let asked = [octets(""), enumerated(0), enumerated(0), integer(0), integer(0), boolean(false)];
    let asked = message(id, SEARCH, &[&asked[..], &[filter, sequence(&[octets("Netlogon")])]].concat());
    let told = element(0x31, &octets([&[0x17, 0, 0, 0, 0xfd, 0xf3][..], &random.bytes(110)].concat()));
    let attributes = sequence(&[sequence(&[octets("Netlogon"), told])]);
    let entry = answer(id, ENTRY, &[octets(""), attributes]);
    let done = result(id, DONE, SUCCESS);
    ends.datagrams(random, begin, 389).asks(asked).answers([entry, done].concat()).frames()
}

fn message(id: u32, operation: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    sequence(&[integer(id), element(operation, &parts.concat())])
}

fn answer(id: u32, operation: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    let operation = wide_element(operation, &parts.concat());
    wide_element(0x30, &[integer(id), operation].concat())
}

fn result(id: u32, operation: u8, code: u32) -> Vec<u8> {
    let told = if code == SUCCESS { "" } else { "0000208D: NameErr: DSID-03100241, problem 2001" };
    answer(id, operation, &[unsigned(10, code), octets(""), octets(told)])
}

fn sasl(id: u32, token: &[u8]) -> Vec<u8> {
    let shown = element(0xa3, &[octets("GSS-SPNEGO"), octets(token)].concat());
    message(id, BIND, &[integer(3), octets(""), shown])
}

fn bound(id: u32, code: u32, token: &[u8]) -> Vec<u8> {
    answer(id, BOUND, &[unsigned(10, code), octets(""), octets(""), element(0x87, token)])
}

fn attribute(random: &mut Random, name: &str) -> Vec<u8> {
    let values: Vec<_> = (0..=random.below(2)).flat_map(|_| octets(text(random, 20))).collect();
    sequence(&[octets(name), element(0x31, &values)])
}

fn equals(name: &str, value: &str) -> Vec<u8> {
    element(0xa3, &[octets(name), octets(value)].concat())
}

fn enumerated(value: u32) -> Vec<u8> {
    unsigned(10, value)
}

fn boolean(value: bool) -> Vec<u8> {
    element(1, &[if value { 0xff } else { 0 }])
}
