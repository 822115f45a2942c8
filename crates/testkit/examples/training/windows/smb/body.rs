//! The bodies of messages of SMB 2 and 3 (MS-SMB2 2.2).

use weir_testkit::Random;

use super::super::utf16;

/// The number of an open file.
pub type FileId = [u8; 16];

/// In a chain, the file that was opened before.
pub const FILE_OF_CHAIN: FileId = [0xff; 16];

/// Kinds of shares.
pub const FILES: u8 = 1;
pub const PIPES: u8 = 2;

/// What is said of something that failed.
pub const ERROR: [u8; 9] = [9, 0, 0, 0, 0, 0, 0, 0, 0];

/// What is said of a file that was closed.
pub const CLOSED: [u8; 60] = {
    let mut body = [0; 60];
    body[0] = 60;
    body
};

/// What is set of a file (MS-FSCC 2.4).
pub enum Class {
    Rename = 10,
    Disposition = 13,
    EndOfFile = 20,
}

/// The length of the header, from which places are counted.
const HEADER: usize = 64;

/// Most that is read or written at once.
const MOST: u32 = 1 << 20;

/// A message with its length before it, as it is sent over TCP.
pub fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes(), message].concat()
}

/// A body: what is fixed, then something whose place and length stand at its end.
fn placed(fixed: &[u8], after: &[u8], data: &[u8]) -> Vec<u8> {
    let start = HEADER + fixed.len() + 4 + after.len();
    [fixed, &(start as u16).to_le_bytes(), &(data.len() as u16).to_le_bytes(), after, data].concat()
}

/// An offer of dialects by version 1.
pub fn old_offer() -> Vec<u8> {
    let dialects = ["NT LM 0.12", "SMB 2.002", "SMB 2.???"];
    let listed: Vec<u8> = dialects.iter().flat_map(|name| format!("\x02{name}\0").into_bytes()).collect();
    let head = b"\xffSMB\x72\0\0\0\0\x18\x53\xc8\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xfe\0\0\0\0\0";
    framed(&[&head[..], &(listed.len() as u16).to_le_bytes(), &listed].concat())
}

/// An offer of dialects, with what version 3.1.1 adds: hashes and ways to encrypt.
pub fn negotiate(random: &mut Random) -> Vec<u8> {
    let dialects: [u16; 5] = [0x0202, 0x0210, 0x0300, 0x0302, 0x0311];
    let mut body = vec![36, 0, 5, 0, 1, 0, 0, 0, 0x7f, 0, 0, 0];
    body.extend(random.bytes(16));
    let end = 36 + 2 * dialects.len();
    let contexts = (HEADER + end).next_multiple_of(8) as u32;
    body.extend(contexts.to_le_bytes());
    body.extend([2, 0, 0, 0]);
    body.extend(dialects.map(u16::to_le_bytes).concat());
    body.resize(contexts as usize - HEADER, 0);
    body.extend([1, 0, 38, 0, 0, 0, 0, 0, 1, 0, 32, 0, 1, 0]);
    body.extend(random.bytes(32));
    body.extend([0, 0]);
    body.extend([2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 2, 0]);
    body
}

/// The choice of a dialect, and the ways to log in.
pub fn negotiated(random: &mut Random, dialect: u16, token: &[u8]) -> Vec<u8> {
    let mut fixed = vec![65, 0, 1, 0];
    fixed.extend(dialect.to_le_bytes());
    fixed.extend([0, 0]);
    fixed.extend(random.bytes(16));
    fixed.extend([0x2f, 0, 0, 0]);
    fixed.extend([MOST; 3].map(u32::to_le_bytes).concat());
    fixed.extend(time(random).to_le_bytes());
    fixed.extend([0; 8]);
    placed(&fixed, &[0; 4], token)
}

pub fn setup(token: &[u8]) -> Vec<u8> {
    placed(&[25, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0], &[0; 8], token)
}

pub fn set_up(token: &[u8]) -> Vec<u8> {
    placed(&[9, 0, 0, 0], &[], token)
}

pub fn connect(share: &str) -> Vec<u8> {
    placed(&[9, 0, 0, 0], &[], &utf16(share))
}

pub fn connected(kind: u8) -> Vec<u8> {
    [&[16, 0, kind, 0][..], &[0; 8], &0x001f_01ffu32.to_le_bytes()].concat()
}

pub fn create(name: &str, disposition: u32, options: u32) -> Vec<u8> {
    let mut fixed = vec![57, 0, 0, 0xff, 2, 0, 0, 0];
    fixed.extend([0; 16]);
    // Access, attributes, sharing.
    fixed.extend([0x0012_0089, 0x80, 7].map(u32::to_le_bytes).concat());
    fixed.extend([disposition, options].map(u32::to_le_bytes).concat());
    placed(&fixed, &[0; 8], &utf16(name))
}

/// A file of some size that is now open, and what is said of it.
pub fn created(random: &mut Random, size: u64) -> (FileId, Vec<u8>) {
    let mut file = [0; 16];
    file.copy_from_slice(&random.bytes(16));
    let mut body = vec![89, 0, 0, 0, 1, 0, 0, 0];
    (0..4).for_each(|_| body.extend(time(random).to_le_bytes()));
    body.extend(size.next_multiple_of(4096).to_le_bytes());
    body.extend(size.to_le_bytes());
    body.extend([0x20, 0, 0, 0, 0, 0, 0, 0]);
    body.extend(file);
    body.extend([0; 8]);
    (file, body)
}

pub fn close(file: &FileId) -> Vec<u8> {
    [&[24, 0, 1, 0, 0, 0, 0, 0][..], file].concat()
}

pub fn read(file: &FileId, offset: u64, length: u32) -> Vec<u8> {
    [&[49, 0, 80, 0][..], &length.to_le_bytes(), &offset.to_le_bytes(), file, &[0; 17]].concat()
}

pub fn read_answer(data: &[u8]) -> Vec<u8> {
    [&[17, 0, 80, 0][..], &(data.len() as u32).to_le_bytes(), &[0; 8], data].concat()
}

pub fn write(file: &FileId, offset: u64, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_le_bytes();
    [&[49, 0, 112, 0][..], &length, &offset.to_le_bytes(), file, &[0; 16], data].concat()
}

pub fn written(count: u32) -> Vec<u8> {
    [&[17, 0, 0, 0][..], &count.to_le_bytes(), &[0; 8]].concat()
}

pub fn ioctl(function: u32, file: &FileId, data: &[u8]) -> Vec<u8> {
    let place = [120, data.len() as u32, 0, 120, 0, 1024, 1, 0].map(u32::to_le_bytes).concat();
    [&[57, 0, 0, 0][..], &function.to_le_bytes(), file, &place, data].concat()
}

pub fn ioctl_answer(function: u32, file: &FileId, data: &[u8]) -> Vec<u8> {
    let place = [112, 0, 112, data.len() as u32, 0, 0].map(u32::to_le_bytes).concat();
    [&[49, 0, 0, 0][..], &function.to_le_bytes(), file, &place, data].concat()
}

/// All that is known of a file is asked for.
pub fn query_info(file: &FileId) -> Vec<u8> {
    let asked = [1024, 0, 0, 0, 0].map(u32::to_le_bytes).concat();
    [&[41, 0, 1, 34][..], &asked, file].concat()
}

pub fn info(data: &[u8]) -> Vec<u8> {
    [&[9, 0, 72, 0][..], &(data.len() as u32).to_le_bytes(), data].concat()
}

pub fn set_info(file: &FileId, class: Class, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_le_bytes();
    [&[33, 0, 1, class as u8][..], &length, &[96, 0, 0, 0, 0, 0, 0, 0], file, data].concat()
}

pub fn rename(to: &str) -> Vec<u8> {
    let name = utf16(to);
    [&[0; 16][..], &(name.len() as u32).to_le_bytes(), &name].concat()
}

/// All files of a directory are asked for.
pub fn query_directory(file: &FileId) -> Vec<u8> {
    [&[33, 0, 37, 0, 0, 0, 0, 0][..], file, &[96, 0, 2, 0, 0, 0, 1, 0], &utf16("*")].concat()
}

/// Files of a directory (MS-FSCC 2.4.17).
pub fn directory(names: &[String]) -> Vec<u8> {
    let mut listed = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let name = utf16(name);
        let length = (104 + name.len()).next_multiple_of(8);
        let next = if place + 1 < names.len() { length as u32 } else { 0 };
        let mut entry = next.to_le_bytes().to_vec();
        entry.resize(56, 0);
        entry.extend([0x20, 0, 0, 0]);
        entry.extend((name.len() as u32).to_le_bytes());
        entry.resize(104, 0);
        entry.extend(name);
        entry.resize(length, 0);
        listed.extend(entry);
    }
    info(&listed)
}

/// Some time in 2022 or 2023, as Windows counts it.
fn time(random: &mut Random) -> u64 {
    (11_644_473_600 + 1_640_995_200 + random.below(58_000_000)) * 10_000_000
}
