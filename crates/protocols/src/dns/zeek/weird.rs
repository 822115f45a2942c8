//! Weirds of a message.
//!
//! Zeek reads the questions and the answers only, and takes a record for as long as its own fields are, whatever
//! length is stated: behind a record that is odd everything may look so. Limits: jumps of one name ([`MAX_JUMPS`]),
//! and what a datagram, or a message of two bytes' length, can hold.

use weir_applayer::zeek::{Oddity, Watch, Watching};
use weir_base::Reader;

use super::super::rdata::types;
use super::{MAX_QUESTIONS, NETBIOS_PORT};
use crate::dns::message::Header;

/// Weirds of datagrams to the ports of DNS and its kin.
pub static WATCH: Watch = Watch {
    transport: weir_applayer::Transport::Udp,
    ports: &[53, NETBIOS_PORT, 5353, 5355],
    most: None,
    midway: false,
    look: |_, payload, port, _, tell| {
        let mut tell = |name, addl| tell(Oddity { name, addl, source: "DNS" });
        let _ = look(payload, port == NETBIOS_PORT, &mut tell);
        Watching::On
    },
};

/// Most pointers of one name that are followed.
const MAX_JUMPS: u8 = 128;

/// Most bytes of a name, and how many are too many.
const MAX_NAME: usize = 512;
const LONG_NAME: usize = 255;

/// Longest label of DNS.
const MAX_LABEL: usize = 63;

const PARAMETER_ALPN: u16 = 1;
const PARAMETER_PORT: u16 = 3;

/// A type that stands for a signature's state in BIND.
const BINDS: u16 = 65_534;

/// Zeek's name of an oddity, and what more there is to say of it.
pub type Odd = (&'static str, Option<String>);

/// Takes oddities.
type Tell<'a> = &'a mut dyn FnMut(&'static str, Option<String>);

/// Returns the weirds of a message of a stream, each once.
pub fn of_message(message: &[u8], port: u16) -> Vec<Odd> {
    let mut found: Vec<Odd> = Vec::new();
    let _ = look(message, port == NETBIOS_PORT, &mut |name, addl| {
        if found.iter().all(|(known, _)| *known != name) {
            found.push((name, addl));
        }
    });
    found
}

/// Whether all questions and answers can be read, by which a connection counts as one of DNS.
pub fn is_whole(message: &[u8], port: u16) -> bool {
    look(message, port == NETBIOS_PORT, &mut |_, _| {}).is_some()
}

/// Tells of all that is odd about a message; none where its questions and answers cannot all be read.
fn look(message: &[u8], is_netbios: bool, tell: Tell<'_>) -> Option<()> {
    let mut walk = Walk { message, at: 0, is_netbios, tell };
    let Some(header) = Header::read(message) else {
        walk.tell("DNS_truncated_len_lt_hdr_len");
        return None;
    };
    if header.questions > MAX_QUESTIONS {
        walk.tell("DNS_Conn_count_too_large");
        return None;
    }
    walk.at = super::super::message::HEADER_LENGTH;
    (0..header.questions).try_for_each(|_| walk.question())?;
    (0..header.answers).try_for_each(|_| walk.answer())
}

/// Where the reading stands.
struct Walk<'a, 'b> {
    message: &'a [u8],
    at: usize,
    is_netbios: bool,
    tell: Tell<'b>,
}

impl<'a> Walk<'a, '_> {
    fn tell(&mut self, name: &'static str) {
        (self.tell)(name, None);
    }

    fn tell_of(&mut self, name: &'static str, what: impl Into<u32>) {
        (self.tell)(name, Some(what.into().to_string()));
    }

    fn rest(&self) -> &'a [u8] {
        self.message.get(self.at..).unwrap_or_default()
    }

    /// A number of two bytes; zero where they are not there.
    fn u16(&mut self) -> u16 {
        let number = Reader::new(self.rest()).u16();
        self.at += if number.is_some() { 2 } else { 0 };
        number.unwrap_or_default()
    }

    /// Reads a number of four bytes.
    fn u32(&mut self) -> u32 {
        let number = Reader::new(self.rest()).u32();
        self.at += if number.is_some() { 4 } else { 0 };
        number.unwrap_or_default()
    }

    /// As many bytes, or what is there of them.
    fn take(&mut self, length: usize) -> &'a [u8] {
        let rest = self.rest();
        let taken = rest.get(..length).unwrap_or(rest);
        self.at += taken.len();
        taken
    }

    fn question(&mut self) -> Option<()> {
        self.name();
        if self.rest().len() < 4 {
            self.tell("DNS_truncated_quest_too_short");
            return None;
        }
        self.at += 4;
        Some(())
    }

    /// Passes over a name.
    fn name(&mut self) {
        let (mut at, end) = (self.at, self.message.len());
        self.labels(&mut at, end, 0, MAX_JUMPS);
        self.at = at;
    }

    /// Passes over the labels of a name from `at` on, `length` bytes of which are known; answers how many then are.
    fn labels(&mut self, at: &mut usize, end: usize, length: usize, jumps: u8) -> usize {
        let mut total = length;
        while let Some((&first, behind)) = self.message.get(*at..end).and_then(<[u8]>::split_first) {
            let begin = *at;
            *at += 1;
            let Some(&second) = behind.first() else { break };
            let label = usize::from(first);
            if label == 0 {
                break;
            }
            if first & 0xc0 == 0xc0 {
                *at += 1;
                let mut target = usize::from(u16::from_be_bytes([first & 0x3f, second]));
                if target >= begin {
                    self.tell("DNS_label_forward_compress_offset");
                } else if jumps > 0 {
                    total = self.labels(&mut target, begin, total, jumps - 1);
                }
                break;
            }
            if label > end - *at {
                self.tell("DNS_label_len_gt_pkt");
                *at = end;
                break;
            }
            if label > MAX_LABEL && !self.is_netbios {
                self.tell("DNS_label_too_long");
                break;
            }
            if label >= MAX_NAME.saturating_sub(total) {
                self.tell("DNS_label_len_gt_name_len");
                break;
            }
            total += label + 1;
            *at += label;
        }
        if total.saturating_sub(length) >= LONG_NAME {
            self.tell("DNS_NAME_too_long");
        }
        total
    }

    fn answer(&mut self) -> Option<()> {
        self.name();
        if self.rest().len() < 4 {
            self.tell("DNS_truncated_ans_too_short");
            return None;
        }
        let rrtype = self.u16();
        self.u16();
        self.u32();
        let length = usize::from(self.u16());
        if length > self.rest().len() {
            self.tell("DNS_truncated_RR_rdlength_lt_len");
            return None;
        }
        if length == 0 && !self.rest().is_empty() {
            self.tell("DNS_zero_rdlength");
            return None;
        }
        self.data(rrtype, length)
    }

    /// The data of a record, of so many bytes.
    fn data(&mut self, rrtype: u16, length: usize) -> Option<()> {
        let begin = self.at;
        match rrtype {
            types::A | types::AAAA => {
                if length != if rrtype == types::A { 4 } else { 16 } {
                    self.tell("DNS_RR_bad_length");
                    return None;
                }
                self.at += length;
            }
            types::A6 => self.at += self.rest().len().min(16),
            types::NS | types::CNAME | types::PTR => self.name_of(begin, length, 0),
            types::MX => self.name_of(begin, length, 1),
            types::SRV if !self.is_netbios => self.name_of(begin, length, 3),
            types::SOA => {
                self.name();
                self.name();
                if self.rest().len() < 20 {
                    return None;
                }
                self.at += 20;
                self.check_length(begin, length);
            }
            // What these say is not passed over.
            types::WKS | types::SRV => {}
            types::HINFO => self.strings(length, 2)?,
            types::TXT | types::SPF => self.strings(length, usize::MAX)?,
            types::CAA => {
                let tag = usize::from(self.u16() & 0xff);
                if tag + 2 >= length {
                    self.tell("DNS_CAA_char_str_past_rdlen");
                    return None;
                }
                self.at = begin + length;
            }
            types::RRSIG => self.signature(length)?,
            types::DNSKEY => self.key(length)?,
            types::NSEC => {
                self.name();
                self.bitmaps(begin, length, "DNSSEC_NSEC_bitmapLen0");
            }
            types::NSEC3 => {
                if self.rest().len() < 6 {
                    return None;
                }
                self.at += 4;
                for _ in 0..2 {
                    let size = self.take(1).first().copied().unwrap_or_default();
                    self.take(usize::from(size));
                }
                self.bitmaps(begin, length, "DNSSEC_NSEC3_bitmapLen0");
            }
            types::DS => self.digest(length)?,
            types::LOC => {
                if self.rest().len() < 15 {
                    return None;
                }
                let version = self.u16() >> 8;
                if version != 0 {
                    self.tell_of("DNS_LOC_version_unrecognized", version);
                }
                self.take(14);
            }
            types::SVCB | types::HTTPS => self.service(begin, length)?,
            types::NIMLOC
            | types::OPT
            | types::TSIG
            | types::SSHFP
            | types::NSEC3PARAM
            | types::NAPTR
            | BINDS => {
                self.at += length;
            }
            unknown => {
                self.tell_of("DNS_RR_unknown_type", unknown);
                self.at += length;
            }
        }
        Some(())
    }

    /// A name behind so many numbers is all that a record says.
    fn name_of(&mut self, begin: usize, length: usize, numbers: usize) {
        (0..numbers).for_each(|_| {
            self.u16();
        });
        self.name();
        self.check_length(begin, length);
    }

    fn check_length(&mut self, begin: usize, length: usize) {
        if self.at - begin != length {
            self.tell("DNS_RR_length_mismatch");
        }
    }

    /// Strings, each behind its length, at most so many; nothing may stand behind them.
    fn strings(&mut self, length: usize, most: usize) -> Option<()> {
        let mut left = length;
        for _ in 0..most {
            let Some(&[size, ..]) = self.rest().get(..left) else { break };
            let size = usize::from(size);
            (self.at, left) = (self.at + 1, left - 1);
            if size > left {
                self.tell("DNS_TXT_char_str_past_rdlen");
                break;
            }
            (self.at, left) = (self.at + size, left - size);
        }
        (left == 0).then_some(())
    }

    /// Sets of types, as windows of bits.
    fn bitmaps(&mut self, begin: usize, length: usize, empty: &'static str) {
        while self.at < begin + length && !self.rest().is_empty() {
            let [window, size] = self.u16().to_be_bytes();
            if size == 0 {
                return self.tell_of(empty, window);
            }
            self.take(usize::from(size));
        }
    }

    fn signature(&mut self, length: usize) -> Option<()> {
        let begin = self.at;
        if self.rest().len() < 18 {
            return None;
        }
        self.u16();
        let algorithm = (self.u16() >> 8) as u8;
        self.take(14);
        self.name();
        self.take((begin + length).saturating_sub(self.at));
        let name = match algorithm {
            1 => "DNSSEC_RRSIG_NotRecommended_ZoneSignAlgo",
            252 => "DNSSEC_RRSIG_Indirect_ZoneSignAlgo",
            253 => "DNSSEC_RRSIG_PrivateDNS_ZoneSignAlgo",
            254 => "DNSSEC_RRSIG_PrivateOID_ZoneSignAlgo",
            _ if is_algorithm(algorithm) => return Some(()),
            _ => "DNSSEC_RRSIG_unknown_ZoneSignAlgo",
        };
        self.tell_of(name, algorithm);
        Some(())
    }

    fn key(&mut self, length: usize) -> Option<()> {
        if self.rest().len() < 4 {
            return None;
        }
        let flags = self.u16();
        let [protocol, algorithm] = self.u16().to_be_bytes();
        self.take(length.saturating_sub(4));
        // All but the flags of a zone's key, of one that was revoked, and of one that leads in.
        if flags & !0x0181 != 0 {
            self.tell_of("DNSSEC_DNSKEY_Invalid_Flag", flags);
        }
        if flags & 0x0181 == 0x0181 {
            self.tell_of("DNSSEC_DNSKEY_Revoked_KSK", flags);
        }
        if protocol != 3 {
            self.tell_of("DNSSEC_DNSKEY_Invalid_Protocol", protocol);
        }
        let name = match algorithm {
            1 => "DNSSEC_DNSKEY_NotRecommended_ZoneSignAlgo",
            252 => "DNSSEC_DNSKEY_Indirect_ZoneSignAlgo",
            253 => "DNSSEC_DNSKEY_PrivateDNS_ZoneSignAlgo",
            254 => "DNSSEC_DNSKEY_PrivateOID_ZoneSignAlgo",
            _ if is_algorithm(algorithm) => return Some(()),
            _ => "DNSSEC_DNSKEY_unknown_ZoneSignAlgo",
        };
        self.tell_of(name, algorithm);
        Some(())
    }

    fn digest(&mut self, length: usize) -> Option<()> {
        if self.rest().len() < 4 {
            return None;
        }
        self.u16();
        let [_, kind] = self.u16().to_be_bytes();
        self.take(length.saturating_sub(4));
        match kind {
            0 => self.tell_of("DNSSEC_DS_ReservedDigestType", kind),
            1..=4 => {}
            _ => self.tell_of("DNSSEC_DS_unknown_DigestType", kind),
        }
        Some(())
    }

    /// A service's priority, target and parameters.
    fn service(&mut self, begin: usize, length: usize) -> Option<()> {
        if self.rest().len() < 3 {
            self.tell("DNS_SVBC_wrong_length");
            return None;
        }
        self.u16();
        self.name();
        let end = begin + length;
        let mut parameters = Reader::new(self.message.get(self.at..end).unwrap_or_default());
        self.at = self.at.max(end);
        while let (Some(key), Some(size)) = (parameters.u16(), parameters.u16()) {
            let Some(value) = parameters.take(size.into()) else { break };
            match key {
                PARAMETER_ALPN if !is_string_list(value) => self.tell("DNS_SVCB_alpn_length_invalid"),
                PARAMETER_PORT if value.len() != 2 => self.tell("DNS_SVCB_port_length_invalid"),
                _ => {}
            }
        }
        Some(())
    }
}

/// Whether zones may be signed by an algorithm of this number.
const fn is_algorithm(number: u8) -> bool {
    matches!(number, 2..=8 | 10 | 12..=16)
}

/// Whether the value is strings, each behind its length, and nothing else.
fn is_string_list(value: &[u8]) -> bool {
    let mut reader = Reader::new(value);
    while let Some(length) = reader.u8() {
        if reader.skip(usize::from(length)).is_none() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_are_whole() {
        let header =
            |questions: u8, answers: u8| [&[0, 7, 0x84, 0, 0, questions, 0, answers][..], &[0; 4]].concat();
        let (question, answer) = (&b"\x01a\0\0\x01\0\x01"[..], &b"\0\0\x01\0\x01\0\0\0\x09\0\x04abcd"[..]);
        let cases: [(Vec<u8>, bool); 6] = [
            ([&header(1, 1), question, answer].concat(), true),
            ([&header(1, 0), question].concat(), true),
            ([&header(1, 2), question, answer].concat(), false),
            ([&header(2, 0), question].concat(), false),
            ([&header(1, 1), question, b"\0\0\x01\0\x01\0\0\0\x09\0\0abcd"].concat(), false),
            (header(26, 0), false),
        ];
        for (message, expected) in cases {
            assert_eq!(is_whole(&message, 53), expected, "{message:?}");
        }
    }
}
