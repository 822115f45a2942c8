//! Messages, put together.

/// A session, a share, a message.
pub(super) type Ids = (u64, u32, u64);

pub(super) const IDS: Ids = (1, 1, 1);

/// Wraps bytes for the session service.
pub(super) fn session(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

/// A message of version 2 without what stands before it; `next` is where the next one of the chain stands.
pub(super) fn link(command: u16, status: u32, flags: u32, next: u32, ids: Ids, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xfeSMB\x40\0\0\0".to_vec();
    bytes.extend(status.to_le_bytes());
    bytes.extend(command.to_le_bytes());
    bytes.extend([1, 0]);
    bytes.extend(flags.to_le_bytes());
    bytes.extend(next.to_le_bytes());
    bytes.extend(ids.2.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(ids.1.to_le_bytes());
    bytes.extend(ids.0.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(body);
    bytes
}

/// A request of version 2.
pub(super) fn two(command: u16, status: u32, ids: Ids, body: &[u8]) -> Vec<u8> {
    session(&link(command, status, 0, 0, ids, body))
}

/// An answer of version 2.
pub(super) fn two_answer(command: u16, status: u32, ids: Ids, body: &[u8]) -> Vec<u8> {
    session(&link(command, status, 1, 0, ids, body))
}

/// Messages of version 2 in a chain.
pub(super) fn chain(flags: u32, links: &[(u16, Ids, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (place, (command, ids, body)) in links.iter().enumerate() {
        let mut body = body.clone();
        body.resize(body.len().next_multiple_of(8), 0);
        let next = if place + 1 < links.len() { 64 + body.len() as u32 } else { 0 };
        bytes.extend(link(*command, 0, flags, next, *ids, &body));
    }
    session(&bytes)
}

pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A body of version 2: what is fixed, then a text or a token whose place and length stand at its end.
fn placed(fixed: &[u8], after: &[u8], data: &[u8]) -> Vec<u8> {
    let start = 64 + fixed.len() + 4 + after.len();
    [fixed, &(start as u16).to_le_bytes(), &(data.len() as u16).to_le_bytes(), after, data].concat()
}

pub(super) fn negotiate(dialects: &[u16]) -> Vec<u8> {
    let mut body =
        [&[36, 0][..], &(dialects.len() as u16).to_le_bytes(), &[0; 8], &[9; 16], &[0; 8]].concat();
    dialects.iter().for_each(|dialect| body.extend(dialect.to_le_bytes()));
    body
}

pub(super) fn negotiated(dialect: u16, max: u32) -> Vec<u8> {
    let max = max.to_le_bytes();
    [&[65, 0, 1, 0][..], &dialect.to_le_bytes(), &[0, 0], &[8; 16], &[0; 4], &max, &max, &max, &[0; 24]]
        .concat()
}

pub(super) fn setup(token: &[u8]) -> Vec<u8> {
    placed(&[25, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], &[0; 8], token)
}

pub(super) fn set_up(token: &[u8]) -> Vec<u8> {
    placed(&[9, 0, 0, 0], &[], token)
}

pub(super) fn connect(share: &str) -> Vec<u8> {
    placed(&[9, 0, 0, 0], &[], &utf16(share))
}

pub(super) fn connected(kind: u8) -> Vec<u8> {
    [&[16, 0, kind][..], &[0; 13]].concat()
}

pub(super) fn create(name: &str, disposition: u32, options: u32) -> Vec<u8> {
    let fixed = [&[57, 0][..], &[0; 34], &disposition.to_le_bytes(), &options.to_le_bytes()].concat();
    placed(&fixed, &[0; 8], &utf16(name))
}

/// The number of a file.
pub(super) fn number(file: u8) -> [u8; 16] {
    [file; 16]
}

pub(super) fn created(file: u8, size: u64) -> Vec<u8> {
    let time = 116_444_736_000_000_000u64 + 1_600_000_000 * 10_000_000;
    let mut body = vec![89, 0, 0, 0, 1, 0, 0, 0];
    (0..4).for_each(|later| body.extend((time + later * 10_000_000).to_le_bytes()));
    body.extend(size.to_le_bytes());
    body.extend(size.to_le_bytes());
    body.extend([0; 8]);
    body.extend(number(file));
    body.extend([0; 8]);
    body
}

pub(super) fn close(file: u8) -> Vec<u8> {
    [&[24, 0, 0, 0, 0, 0, 0, 0][..], &number(file)].concat()
}

pub(super) fn read(file: u8, offset: u64, length: u32) -> Vec<u8> {
    let offset = offset.to_le_bytes();
    [&[49, 0, 0, 0][..], &length.to_le_bytes(), &offset, &number(file), &[0; 17]].concat()
}

pub(super) fn read_answer(data: &[u8]) -> Vec<u8> {
    [&[17, 0, 80, 0][..], &(data.len() as u32).to_le_bytes(), &[0; 8], data].concat()
}

pub(super) fn write(file: u8, offset: u64, data: &[u8]) -> Vec<u8> {
    let (length, offset) = ((data.len() as u32).to_le_bytes(), offset.to_le_bytes());
    [&[49, 0, 112, 0][..], &length, &offset, &number(file), &[0; 16], data].concat()
}

pub(super) fn set_info(file: u8, level: u8, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_le_bytes();
    [&[33, 0, 1, level][..], &length, &[96, 0, 0, 0, 0, 0, 0, 0], &number(file), data].concat()
}

pub(super) fn ioctl(function: u32, file: u8, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_le_bytes();
    let head = [&[57, 0, 0, 0][..], &function.to_le_bytes(), &number(file)].concat();
    [&head[..], &120u32.to_le_bytes(), &length, &[0; 24], data].concat()
}

pub(super) fn ioctl_answer(function: u32, file: u8, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_le_bytes();
    let head = [&[49, 0, 0, 0][..], &function.to_le_bytes(), &number(file), &[0; 8]].concat();
    [&head[..], &112u32.to_le_bytes(), &length, &[0; 8], data].concat()
}

/// A message of version 1 with texts in ASCII: a request, or an answer with a status.
pub(super) fn one(command: u8, flags: u8, blocks: &[u8]) -> Vec<u8> {
    one_of(command, flags, 0, blocks)
}

pub(super) fn one_of(command: u8, flags: u8, status: u32, blocks: &[u8]) -> Vec<u8> {
    let mut bytes = b"\xffSMB".to_vec();
    bytes.push(command);
    bytes.extend(status.to_le_bytes());
    bytes.push(flags);
    bytes.extend(0x4000u16.to_le_bytes());
    bytes.extend([0; 12]);
    // The share, the process, the user, the message.
    bytes.extend([5, 0, 1, 0, 6, 0, 7, 0]);
    bytes.extend(blocks);
    session(&bytes)
}

/// A block of version 1.
pub(super) fn block(words: &[u8], bytes: &[u8]) -> Vec<u8> {
    [&[(words.len() / 2) as u8], words, &(bytes.len() as u16).to_le_bytes(), bytes].concat()
}

/// Words of a block that may have one behind it, which it has not.
pub(super) fn last(words: &[u8]) -> Vec<u8> {
    [&[0xff, 0, 0, 0][..], words].concat()
}
