//! Kerberos (RFC 4120): a client gets a ticket to get tickets, and some of those, over UDP and TCP.

use weir_base::{Duration, Timestamp};
use weir_testkit::{Random, TimedFrame};

use super::{REALM, computer, server_name};
use crate::ber::{element, integer, octets, part, sequence};
use crate::ends::{DOWN, Ends, UP};
use crate::words::spoken;

/// Kinds of messages.
const AS_REQ: u8 = 10;
const AS_REP: u8 = 11;
const TGS_REQ: u8 = 12;
const TGS_REP: u8 = 13;
const AP_REQ: u8 = 14;
const ERROR: u8 = 30;

/// What goes wrong.
const UNKNOWN_CLIENT: u32 = 6;
const UNKNOWN_SERVICE: u32 = 7;
const WRONG_PASSWORD: u32 = 24;
const PASSWORD_NEEDED: u32 = 25;

/// What is told before a request: who asks, a password, the kinds of encryption, whether groups are wanted.
const HINT_TICKET: u32 = 1;
const HINT_TIME: u32 = 2;
const HINT_KINDS: u32 = 19;
const HINT_GROUPS: u32 = 128;

/// Kinds of encryption: AES with 256 bits, and RC4.
const AES: u32 = 18;
const RC4: u32 = 23;

/// A client logs in, and mostly asks for services then.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let user = if random.below(4) == 0 { format!("{}$", computer(random)) } else { spoken(random) };
    let (mut frames, mut time) = (Vec::new(), begin);
    let mut said = log_in(random, &user);
    for _ in 0..random.below(4) {
        said.push(service(random, &user));
    }
    for (asked, answered) in said {
        frames.extend(exchange(random, ends, time, &asked, &answered));
        time = time.plus(Duration::from_millis(100 + random.below(200)));
    }
    frames
}

/// Datagrams where they are short, a connection where they are not.
fn exchange(
    random: &mut Random,
    ends: Ends,
    begin: Timestamp,
    asked: &[u8],
    answered: &[u8],
) -> Vec<TimedFrame> {
    let is_short = asked.len().max(answered.len()) < 1400;
    if is_short && random.below(2) == 0 {
        return ends.datagrams(random, begin, 88).asks(asked).answers(answered).frames();
    }
    let framed = |message: &[u8]| [&(message.len() as u32).to_be_bytes(), message].concat();
    ends.talk(random, begin, 88, &[(UP, framed(asked)), (DOWN, framed(answered))])
}

/// Requests and their answers: without a password, then with one.
fn log_in(random: &mut Random, user: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let service = ["krbtgt", REALM];
    let groups = hint(HINT_GROUPS, &sequence(&[part(0, &[1, 1, 0xff])]));
    let plain = request(random, AS_REQ, std::slice::from_ref(&groups), Some(user), &service);
    if random.below(12) == 0 {
        return vec![(plain, error(random, UNKNOWN_CLIENT, &service, None))];
    }
    let kinds = sequence(&[sequence(&[part(0, &integer(AES)), part(1, &text(&format!("{REALM}{user}")))])]);
    let kinds = sequence(&[hint(HINT_KINDS, &kinds)]);
    let needed = error(random, PASSWORD_NEEDED, &service, Some(&kinds));
    let proof = hint(HINT_TIME, &encrypted(random, AES, 56));
    let with_password = request(random, AS_REQ, &[proof, groups], Some(user), &service);
    let answered = match random.below(10) {
        0 => error(random, WRONG_PASSWORD, &service, None),
        _ => reply(random, AS_REP, user, &service, AES),
    };
    vec![(plain, needed), (with_password, answered)]
}

/// A ticket for a service.
fn service(random: &mut Random, user: &str) -> (Vec<u8>, Vec<u8>) {
    let kind = ["cifs", "ldap", "host", "HTTP", "MSSQLSvc"][random.below(5) as usize];
    let server = server_name(random);
    let service = [kind, &*server];
    let shown = application_request(random, REALM, &["krbtgt", REALM]);
    let asked = request(random, TGS_REQ, &[hint(HINT_TICKET, &shown)], None, &service);
    let answered = match random.below(10) {
        0 => error(random, UNKNOWN_SERVICE, &service, None),
        1 => reply(random, TGS_REP, user, &service, RC4),
        _ => reply(random, TGS_REP, user, &service, AES),
    };
    (asked, answered)
}

/// What shows a ticket to a service.
pub fn application_request(random: &mut Random, realm: &str, service: &[&str]) -> Vec<u8> {
    let parts = [
        part(0, &integer(5)),
        part(1, &integer(AP_REQ.into())),
        part(2, &element(3, &[0, 0x20, 0, 0, 0])),
        part(3, &ticket(random, realm, service, AES)),
        part(4, &encrypted(random, AES, 150)),
    ];
    message(AP_REQ, &parts)
}

fn ticket(random: &mut Random, realm: &str, service: &[&str], kind: u32) -> Vec<u8> {
    let length = 300 + random.below(700) as usize;
    let parts = [
        part(0, &integer(5)),
        part(1, &text(realm)),
        part(2, &name(2, service)),
        part(3, &encrypted(random, kind, length)),
    ];
    message(1, &parts)
}

fn request(
    random: &mut Random,
    kind: u8,
    hints: &[Vec<u8>],
    client: Option<&str>,
    service: &[&str],
) -> Vec<u8> {
    // Forwardable, renewable, canonicalize.
    let mut body = vec![part(0, &element(3, &[0, 0x40, 0x81, 0, 0x10]))];
    body.extend(client.map(|client| part(1, &name(1, &[client]))));
    body.extend([
        part(2, &text(REALM)),
        part(3, &name(2, service)),
        part(5, &moment("20370913024805Z")),
        part(6, &moment("20370913024805Z")),
        part(7, &integer(random.number() as u32 >> 1)),
        part(8, &sequence(&[AES, 17, RC4].map(integer))),
    ]);
    let parts = [
        part(1, &integer(5)),
        part(2, &integer(kind.into())),
        part(3, &sequence(hints)),
        part(4, &sequence(&body)),
    ];
    message(kind, &parts)
}

fn reply(random: &mut Random, kind: u8, client: &str, service: &[&str], ticket_kind: u32) -> Vec<u8> {
    let parts = [
        part(0, &integer(5)),
        part(1, &integer(kind.into())),
        part(3, &text(REALM)),
        part(4, &name(1, &[client])),
        part(5, &ticket(random, REALM, service, ticket_kind)),
        part(6, &encrypted(random, AES, 270)),
    ];
    message(kind, &parts)
}

fn error(random: &mut Random, code: u32, service: &[&str], data: Option<&[u8]>) -> Vec<u8> {
    let mut parts = vec![
        part(0, &integer(5)),
        part(1, &integer(ERROR.into())),
        part(4, &moment("20231114221320Z")),
        part(5, &integer(random.below(1_000_000) as u32)),
        part(6, &integer(code)),
        part(9, &text(REALM)),
        part(10, &name(2, service)),
    ];
    parts.extend(data.map(|data| part(12, &octets(data))));
    message(ERROR, &parts)
}

fn message(kind: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    element(0x60 | kind, &sequence(parts))
}

fn hint(kind: u32, value: &[u8]) -> Vec<u8> {
    sequence(&[part(1, &integer(kind)), part(2, &octets(value))])
}

fn encrypted(random: &mut Random, kind: u32, length: usize) -> Vec<u8> {
    sequence(&[part(0, &integer(kind)), part(1, &integer(2)), part(2, &octets(random.bytes(length)))])
}

fn name(kind: u32, parts: &[&str]) -> Vec<u8> {
    let parts: Vec<_> = parts.iter().map(|part| text(part)).collect();
    sequence(&[part(0, &integer(kind)), part(1, &sequence(&parts))])
}

fn text(text: &str) -> Vec<u8> {
    element(0x1b, text.as_bytes())
}

fn moment(time: &str) -> Vec<u8> {
    element(0x18, time.as_bytes())
}
