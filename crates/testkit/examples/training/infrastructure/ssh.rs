//! SSH (RFC 4253): banners, an exchange of keys, then packets that nobody can read.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ends::{DOWN, Ends, Said, UP};

/// Messages.
const KEXINIT: u8 = 20;
const NEWKEYS: u8 = 21;
const KEX_INIT: u8 = 30;
const KEX_REPLY: u8 = 31;

const PROGRAMS: [&str; 5] = [
    "OpenSSH_9.2p1 Debian-2+deb12u2",
    "OpenSSH_8.9p1 Ubuntu-3ubuntu0.6",
    "OpenSSH_for_Windows_8.1",
    "PuTTY_Release_0.80",
    "dropbear_2022.83",
];

const KEYS: &str =
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,diffie-hellman-group14-sha256";
const CIPHERS: &str = "chacha20-poly1305@openssh.com,aes128-ctr,aes192-ctr,aes256-ctr,aes256-gcm@openssh.com";
const MACS: &str = "umac-64-etm@openssh.com,hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com";
const HOST_KEYS: &str = "ssh-ed25519,ecdsa-sha2-nistp256,rsa-sha2-512,rsa-sha2-256";

/// A connection.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::anywhere(random);
    let mut banner = || format!("SSH-2.0-{}\r\n", PROGRAMS[random.below(5) as usize]).into_bytes();
    let mut said = vec![(UP, banner()), (DOWN, banner())];
    said.extend([(UP, algorithms(random)), (DOWN, algorithms(random))]);
    said.push((UP, packet(KEX_INIT, &sized(&random.bytes(32)))));
    let host_key = [sized(b"ssh-ed25519"), sized(&random.bytes(32))].concat();
    let signature = [sized(b"ssh-ed25519"), sized(&random.bytes(64))].concat();
    let reply = [sized(&host_key), sized(&random.bytes(32)), sized(&signature)].concat();
    let reply = [packet(KEX_REPLY, &reply), packet(NEWKEYS, b"")].concat();
    said.extend([(DOWN, reply), (UP, packet(NEWKEYS, b""))]);
    secret(random, &mut said);
    ends.talk(random, begin, 22, &said)
}

/// The service, no password, some passwords until one is right, and what is done then.
fn secret(random: &mut Random, said: &mut Vec<Said>) {
    let mut lengths = vec![(44, 44), (60, 52)];
    lengths.extend((0..random.below(3)).map(|_| (148, 52)));
    lengths.push((148, 28));
    for _ in 0..random.below(20) {
        lengths.push((36 + 8 * random.below(10) as usize, 36 + 8 * random.below(120) as usize));
    }
    for (asked, answered) in lengths {
        said.extend([(UP, random.bytes(asked)), (DOWN, random.bytes(answered))]);
    }
}

fn algorithms(random: &mut Random) -> Vec<u8> {
    let mut body = random.bytes(16);
    let compression = if random.below(4) == 0 { "none,zlib@openssh.com" } else { "none" };
    let lists = [KEYS, HOST_KEYS, CIPHERS, CIPHERS, MACS, MACS, compression, compression, "", ""];
    body.extend(lists.iter().flat_map(|list| sized(list.as_bytes())));
    body.extend([0; 5]);
    packet(KEXINIT, &body)
}

fn packet(message: u8, body: &[u8]) -> Vec<u8> {
    // At least four bytes of padding, up to a multiple of eight.
    let padding = 4 + (8 - (6 + body.len() + 4) % 8) % 8;
    let length = (2 + body.len() + padding) as u32;
    [&length.to_be_bytes()[..], &[padding as u8, message], body, &vec![0; padding]].concat()
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
}
