//! TLS 1.3 and 1.2 as they look from outside: hellos, then records that nobody can read.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ends::{DOWN, Ends, Said, UP};
use crate::words::host;

const HANDSHAKE: u8 = 22;
const CHANGE_CIPHER_SPEC: u8 = 20;
const APPLICATION_DATA: u8 = 23;

/// A connection.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let said = said(random);
    Ends::anywhere(random).talk(random, begin, 443, &said)
}

/// What both ends of one say.
pub fn said(random: &mut Random) -> Vec<Said> {
    let name = host(random);
    let is_newest = random.below(3) > 0;
    let hello = client_hello(random, &name, is_newest);
    let mut answer = record(HANDSHAKE, &server_hello(random, is_newest));
    answer.extend(record(CHANGE_CIPHER_SPEC, &[1]));
    answer.extend(application_data(random, 3000));
    let mut finished = record(CHANGE_CIPHER_SPEC, &[1]);
    finished.extend(application_data(random, 80));
    let mut said = vec![(UP, record(HANDSHAKE, &hello)), (DOWN, answer), (UP, finished)];
    for _ in 0..random.below(6) {
        let (asked, answered) = (200 + random.below(1500) as usize, random.below(30_000) as usize);
        said.push((UP, application_data(random, asked)));
        said.push((DOWN, application_data(random, answered)));
    }
    said
}

fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3][..], &(body.len() as u16).to_be_bytes(), body].concat()
}

/// Records of at most 16 KB.
fn application_data(random: &mut Random, length: usize) -> Vec<u8> {
    random.bytes(length).chunks(16_000).flat_map(|part| record(APPLICATION_DATA, part)).collect()
}

fn handshake(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32).to_be_bytes();
    [&[kind][..], &length[1..], body].concat()
}

fn extension(kind: u16, body: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &(body.len() as u16).to_be_bytes(), body].concat()
}

/// A list with its length before it.
fn list(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u16).to_be_bytes()[..], body].concat()
}

fn client_hello(random: &mut Random, name: &str, is_newest: bool) -> Vec<u8> {
    let mut body = vec![3, 3];
    body.extend(random.bytes(32));
    body.push(32);
    body.extend(random.bytes(32));
    let ciphers: [u16; 9] = [0x1301, 0x1302, 0x1303, 0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8];
    body.extend(list(&ciphers.map(u16::to_be_bytes).concat()));
    body.extend([1, 0]);
    let mut server_name = vec![0];
    server_name.extend(list(name.as_bytes()));
    let mut extensions = extension(0, &list(&server_name));
    extensions.extend(extension(10, &list(&[0, 29, 0, 23, 0, 24])));
    extensions.extend(extension(11, &[1, 0]));
    extensions.extend(extension(13, &list(&[4, 3, 8, 4, 4, 1, 5, 3, 8, 5, 5, 1])));
    extensions.extend(extension(16, &list(b"\x02h2\x08http/1.1")));
    if is_newest {
        extensions.extend(extension(43, &[4, 3, 4, 3, 3]));
        let mut share = vec![0, 29];
        share.extend(list(&random.bytes(32)));
        extensions.extend(extension(51, &list(&share)));
    }
    body.extend(list(&extensions));
    handshake(1, &body)
}

fn server_hello(random: &mut Random, is_newest: bool) -> Vec<u8> {
    let mut body = vec![3, 3];
    body.extend(random.bytes(32));
    body.push(32);
    body.extend(random.bytes(32));
    body.extend(if is_newest { [0x13, 0x01, 0] } else { [0xc0, 0x2f, 0] });
    let extensions = match is_newest {
        true => extension(43, &[3, 4]),
        false => extension(16, &list(b"\x08http/1.1")),
    };
    body.extend(list(&extensions));
    handshake(2, &body)
}
