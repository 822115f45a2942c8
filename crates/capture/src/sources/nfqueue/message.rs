//! Messages between the kernel's queues and a program (`nfnetlink_queue`).

use weir_base::Timestamp;

/// Bytes of the header of a message (`struct nlmsghdr`) and of what follows it (`struct nfgenmsg`).
const HEADER: usize = 16;
const GENERAL: usize = 4;

/// Bytes of the header of an attribute (`struct nlattr`).
const ATTRIBUTE: usize = 4;

/// Bits of an attribute's type that are none of it.
const FLAGS_OF_TYPE: u16 = 0xc000;

/// Verdicts of the kernel.
pub const DROP: u32 = 0;
pub const ACCEPT: u32 = 1;
pub const QUEUE: u32 = 3;
pub const REPEAT: u32 = 4;

/// A packet in a message.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Queued {
    /// Its number in the queue.
    pub id: u32,
    /// Its mark.
    pub mark: u32,
    /// When it came, where that is known.
    pub time: Option<Timestamp>,
    /// Where it stands in the message.
    pub start: usize,
    /// Its bytes.
    pub length: usize,
    /// Its bytes before it was cut.
    pub whole: usize,
    /// Its checksum is to be filled in.
    pub unfilled: bool,
}

/// Reads the packet of a message; none in those of other kinds.
pub fn read(message: &[u8]) -> Option<Queued> {
    let length = word(message, 0)? as usize;
    let kind = half(message, 4)?;
    if kind != number_of(libc::NFQNL_MSG_PACKET) {
        return None;
    }
    let message = message.get(..length)?;
    let mut queued = Queued::default();
    let mut has_number = false;
    let mut at = HEADER + GENERAL;
    while let (Some(length), Some(kind)) = (half(message, at), half(message, at + 2)) {
        let length = usize::from(length);
        let Some(value) = message.get(at + ATTRIBUTE..at + length) else { break };
        match libc::c_int::from(kind & !FLAGS_OF_TYPE) {
            libc::NFQA_PACKET_HDR => {
                queued.id = big(value, 0)?;
                has_number = true;
            }
            libc::NFQA_MARK => queued.mark = big(value, 0)?,
            libc::NFQA_TIMESTAMP => {
                // The upper halves of both are zero until 2106.
                let (seconds, micros) = (big(value, 4)?, big(value, 12)?);
                queued.time = Some(Timestamp::new(seconds.into(), micros.saturating_mul(1000)));
            }
            libc::NFQA_PAYLOAD => (queued.start, queued.length) = (at + ATTRIBUTE, value.len()),
            libc::NFQA_CAP_LEN => queued.whole = big(value, 0)? as usize,
            libc::NFQA_SKB_INFO => {
                queued.unfilled = big(value, 0)? & libc::NFQA_SKB_CSUMNOTREADY as u32 != 0;
            }
            _ => {}
        }
        at += length.next_multiple_of(4);
    }
    queued.whole = queued.whole.max(queued.length);
    has_number.then_some(queued)
}

/// Returns the error number in an answer of the kernel: zero where all is well, none in other messages.
pub fn answer(message: &[u8]) -> Option<i32> {
    (half(message, 4)? == libc::NLMSG_ERROR as u16)
        .then(|| word(message, HEADER).map(|code| -(code as i32)))?
}

fn number_of(message: libc::c_int) -> u16 {
    (libc::NFNL_SUBSYS_QUEUE << 8 | message) as u16
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_ne_bytes(*bytes))
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

/// Messages to the kernel, one behind the other.
#[derive(Debug, Default)]
pub struct Outgoing {
    bytes: Vec<u8>,
    /// Where the last message begins.
    last: usize,
}

impl Outgoing {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The messages.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins a message about a queue; `flags` beside that it is a request.
    fn begin(&mut self, message: libc::c_int, queue: u16, flags: libc::c_int) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.last = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.extend_from_slice(&number_of(message).to_ne_bytes());
        self.bytes.extend_from_slice(&((libc::NLM_F_REQUEST | flags) as u16).to_ne_bytes());
        self.bytes.extend_from_slice(&[0; 8]);
        self.bytes.extend_from_slice(&[libc::AF_UNSPEC as u8, 0]);
        self.bytes.extend_from_slice(&queue.to_be_bytes());
    }

    /// Adds an attribute to the message.
    fn attribute(&mut self, kind: libc::c_int, parts: &[&[u8]]) {
        let length = ATTRIBUTE + parts.iter().map(|part| part.len()).sum::<usize>();
        self.bytes.extend_from_slice(&(length as u16).to_ne_bytes());
        self.bytes.extend_from_slice(&(kind as u16).to_ne_bytes());
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// Ends the message.
    fn end(&mut self) {
        let length = (self.bytes.len() - self.last) as u32;
        if let Some(field) = self.bytes.get_mut(self.last..self.last + 4) {
            field.copy_from_slice(&length.to_ne_bytes());
        }
    }

    /// Asks for a queue, or gives it back (`NFQNL_CFG_CMD_*`).
    pub fn command(&mut self, queue: u16, command: libc::c_int) {
        self.begin(libc::NFQNL_MSG_CONFIG, queue, libc::NLM_F_ACK);
        self.attribute(libc::NFQA_CFG_CMD, &[&[command as u8, 0, 0, 0]]);
        self.end();
    }

    /// Asks for packets with so many of their bytes.
    pub fn copy(&mut self, queue: u16, bytes: u32) {
        self.begin(libc::NFQNL_MSG_CONFIG, queue, libc::NLM_F_ACK);
        self.attribute(libc::NFQA_CFG_PARAMS, &[&bytes.to_be_bytes(), &[libc::NFQNL_COPY_PACKET as u8]]);
        self.end();
    }

    /// Says how many packets may wait.
    pub fn longest(&mut self, queue: u16, packets: u32) {
        self.begin(libc::NFQNL_MSG_CONFIG, queue, libc::NLM_F_ACK);
        self.attribute(libc::NFQA_CFG_QUEUE_MAXLEN, &[&packets.to_be_bytes()]);
        self.end();
    }

    /// Sets flags of a queue (`NFQA_CFG_F_*`).
    pub fn flags(&mut self, queue: u16, flags: libc::c_int) {
        self.begin(libc::NFQNL_MSG_CONFIG, queue, libc::NLM_F_ACK);
        let flags = (flags as u32).to_be_bytes();
        self.attribute(libc::NFQA_CFG_FLAGS, &[&flags]);
        self.attribute(libc::NFQA_CFG_MASK, &[&flags]);
        self.end();
    }

    /// Decides of packets.
    pub fn verdict(&mut self, queue: u16, decided: &Decided<'_>) {
        let message = match decided.all_before {
            true => libc::NFQNL_MSG_VERDICT_BATCH,
            false => libc::NFQNL_MSG_VERDICT,
        };
        self.begin(message, queue, 0);
        self.attribute(libc::NFQA_VERDICT_HDR, &[&decided.verdict.to_be_bytes(), &decided.id.to_be_bytes()]);
        if let Some(mark) = decided.mark {
            self.attribute(libc::NFQA_MARK, &[&mark.to_be_bytes()]);
        }
        if let Some(bytes) = decided.bytes {
            self.attribute(libc::NFQA_PAYLOAD, &[bytes]);
        }
        self.end();
    }
}

/// A verdict on a packet, or on all that wait up to it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Decided<'a> {
    /// The number of the packet.
    pub id: u32,
    /// The verdict.
    pub verdict: u32,
    /// The mark that it gets.
    pub mark: Option<u32>,
    /// The bytes with which it goes on.
    pub bytes: Option<&'a [u8]>,
    /// It is about those before it, too.
    pub all_before: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet as the kernel sends it.
    fn packet() -> Vec<u8> {
        let mut message = Outgoing::default();
        message.begin(libc::NFQNL_MSG_PACKET, 3, 0);
        message.attribute(libc::NFQA_PACKET_HDR, &[&7u32.to_be_bytes(), &[8, 0, 1]]);
        message.attribute(libc::NFQA_MARK, &[&9u32.to_be_bytes()]);
        message.attribute(libc::NFQA_TIMESTAMP, &[&5u64.to_be_bytes(), &6u64.to_be_bytes()]);
        message.attribute(libc::NFQA_SKB_INFO, &[&1u32.to_be_bytes()]);
        message.attribute(libc::NFQA_CAP_LEN, &[&1500u32.to_be_bytes()]);
        message.attribute(libc::NFQA_PAYLOAD, &[b"packet"]);
        message.end();
        message.bytes
    }

    #[test]
    fn packets_are_read() {
        let message = packet();
        let queued = read(&message).expect("a packet");
        assert_eq!((queued.id, queued.mark, queued.whole, queued.unfilled), (7, 9, 1500, true));
        assert_eq!(queued.time, Some(Timestamp::new(5, 6000)));
        assert_eq!(&message[queued.start..queued.start + queued.length], b"packet");
        for end in 0..message.len() {
            assert_eq!(read(&message[..end]), None);
        }
        assert_eq!(answer(&message), None);
    }

    #[test]
    fn verdicts_follow_each_other() {
        let mut messages = Outgoing::default();
        let dropped = Decided { id: 1, verdict: DROP, ..Decided::default() };
        messages.verdict(3, &dropped);
        messages.verdict(3, &Decided { id: 2, verdict: ACCEPT, bytes: Some(b"abc"), ..dropped });
        messages.verdict(3, &Decided { id: 9, verdict: REPEAT, mark: Some(4), all_before: true, ..dropped });
        let mut rest = messages.bytes();
        let mut kinds = Vec::new();
        while let Some(length) = word(rest, 0) {
            kinds.push((half(rest, 4).map(|kind| kind & 0xff), length));
            rest = &rest[(length as usize).next_multiple_of(4)..];
        }
        assert_eq!(kinds, [(Some(1), 32), (Some(1), 40), (Some(3), 40)]);
    }
}
