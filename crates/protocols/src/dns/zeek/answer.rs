//! The text of an answer in Zeek's dns log.

use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

use weir_base::hex;

use super::super::message::Record;
use super::super::name::Name;
use super::super::rdata::{RData, types};

/// The text of a record. Empty: Zeek takes note of it without showing it; none: it does not.
pub fn text(record: &Record) -> Option<Vec<u8>> {
    Some(match &record.data {
        RData::A(address) => Ipv4Addr::from(*address).to_string().into(),
        RData::Aaaa(address) => Ipv6Addr::from(*address).to_string().into(),
        RData::Name(name) => match record.rrtype {
            types::NS | types::CNAME | types::PTR => lower(name),
            _ => unknown(record.rrtype),
        },
        RData::Mx { exchange, .. } => lower(exchange),
        RData::Soa(soa) => lower(&soa.mname),
        RData::Srv(srv) => lower(&srv.target),
        RData::Text(strings) => strings_text(record.rrtype, strings),
        RData::Rrsig { covered, signer, .. } => {
            let mut text = format!("RRSIG {covered} ").into_bytes();
            text.extend(if signer.text.is_empty() { b"<Root>".to_vec() } else { lower(signer) });
            text
        }
        RData::Dnskey { algorithm, .. } => format!("DNSKEY {algorithm}").into(),
        RData::Ds { algorithm, digest_type } => format!("DS {algorithm} {digest_type}").into(),
        RData::Nsec(next) => [b"NSEC ", &lower(&record.name)[..], b" ", &lower(next)].concat(),
        RData::Sshfp { fingerprint, .. } => format!("SSHFP: {}", hex::string(fingerprint)).into(),
        RData::Loc { precisions: [size, horizontal, vertical] } => {
            format!("LOC: {size} {horizontal} {vertical}").into()
        }
        RData::Naptr(naptr) => {
            let mut text = format!("NAPTR {} {}", naptr.order, naptr.preference).into_bytes();
            let replacement = lower(&naptr.replacement);
            for part in [&naptr.flags, &naptr.service, &naptr.regexp, &replacement] {
                if !part.is_empty() {
                    text.push(b' ');
                    text.extend(part);
                }
            }
            text
        }
        RData::Hinfo { .. } | RData::Svcb { .. } | RData::Caa { .. } | RData::Opt(_) => return None,
        RData::Pair(_) | RData::Raw(_) => return raw(record),
    })
}

/// Types without a form of their own; data that does not fit its type is passed over.
fn raw(record: &Record) -> Option<Vec<u8>> {
    match record.rrtype {
        types::NSEC3 => Some(b"NSEC3".to_vec()),
        types::NSEC3PARAM => Some(b"NSEC3PARAM".to_vec()),
        types::WKS => Some(Vec::new()),
        types::A | types::AAAA | types::A6 | types::NS | types::CNAME | types::PTR => None,
        types::SOA | types::MX | types::TXT | types::SPF | types::SRV | types::HINFO => None,
        types::SVCB | types::HTTPS | types::CAA | types::OPT | types::TSIG | types::TKEY => None,
        types::RRSIG | types::DNSKEY | types::DS | types::NSEC | types::SSHFP | types::LOC => None,
        types::NAPTR | types::NIMLOC => None,
        other => Some(unknown(other)),
    }
}

fn unknown(rrtype: u16) -> Vec<u8> {
    format!("<unknown type={rrtype}>").into()
}

fn lower(name: &Name) -> Vec<u8> {
    name.text.to_ascii_lowercase()
}

/// Each string with its length, `TXT 3 abc TXT 1 d`.
fn strings_text(rrtype: u16, strings: &[Vec<u8>]) -> Vec<u8> {
    let kind = if rrtype == types::SPF { "SPF" } else { "TXT" };
    let mut text = Vec::new();
    for string in strings {
        let separator = if text.is_empty() { "" } else { " " };
        let mut head = String::new();
        // Writing to a string cannot fail.
        let _ = write!(head, "{separator}{kind} {} ", string.len());
        text.extend(head.into_bytes());
        text.extend(string);
    }
    text
}
