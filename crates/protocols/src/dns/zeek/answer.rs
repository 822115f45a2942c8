//! The text of an answer in Zeek's dns log.

use std::fmt::Arguments;
use std::io::Write;
use std::net::Ipv6Addr;

use weir_base::hex;

use super::super::message::Record;
use super::super::name::Name;
use super::super::rdata::{RData, types};

/// Appends the text of a record. Where there is none, the answer is whether Zeek takes note of it all the same.
pub fn append(record: &Record, out: &mut Vec<u8>) -> bool {
    match &record.data {
        RData::A(octets) => address(*octets, out),
        RData::Aaaa(octets) => write(out, format_args!("{}", Ipv6Addr::from(*octets))),
        RData::Name(name) => match record.rrtype {
            types::NS | types::CNAME | types::PTR => lower(name, out),
            _ => unknown(record.rrtype, out),
        },
        RData::Mx { exchange, .. } => lower(exchange, out),
        RData::Soa(soa) => lower(&soa.mname, out),
        RData::Srv(srv) => lower(&srv.target, out),
        RData::Text(strings) => strings_text(record.rrtype, strings, out),
        RData::Rrsig { covered, signer, .. } => {
            write(out, format_args!("RRSIG {covered} "));
            if signer.text.is_empty() {
                out.extend_from_slice(b"<Root>");
            } else {
                lower(signer, out);
            }
        }
        RData::Dnskey { algorithm, .. } => write(out, format_args!("DNSKEY {algorithm}")),
        RData::Ds { algorithm, digest_type } => write(out, format_args!("DS {algorithm} {digest_type}")),
        RData::Nsec(next) => {
            out.extend_from_slice(b"NSEC ");
            lower(&record.name, out);
            out.push(b' ');
            lower(next, out);
        }
        RData::Sshfp { fingerprint, .. } => write(out, format_args!("SSHFP: {}", hex::string(fingerprint))),
        RData::Loc { precisions: [size, horizontal, vertical] } => {
            write(out, format_args!("LOC: {size} {horizontal} {vertical}"));
        }
        RData::Naptr(naptr) => {
            write(out, format_args!("NAPTR {} {}", naptr.order, naptr.preference));
            for part in [&naptr.flags, &naptr.service, &naptr.regexp] {
                if !part.is_empty() {
                    out.push(b' ');
                    out.extend(part);
                }
            }
            if !naptr.replacement.text.is_empty() {
                out.push(b' ');
                lower(&naptr.replacement, out);
            }
        }
        RData::Hinfo { .. } | RData::Svcb { .. } | RData::Caa { .. } | RData::Opt(_) => return false,
        RData::Pair(_) | RData::Raw(_) => return raw(record.rrtype, out),
    }
    true
}

/// Types without a form of their own; data that does not fit its type is passed over.
fn raw(rrtype: u16, out: &mut Vec<u8>) -> bool {
    match rrtype {
        types::NSEC3 => out.extend_from_slice(b"NSEC3"),
        types::NSEC3PARAM => out.extend_from_slice(b"NSEC3PARAM"),
        types::WKS => {}
        types::A | types::AAAA | types::A6 | types::NS | types::CNAME | types::PTR => return false,
        types::SOA | types::MX | types::TXT | types::SPF | types::SRV | types::HINFO => return false,
        types::SVCB | types::HTTPS | types::CAA | types::OPT | types::TSIG | types::TKEY => return false,
        types::RRSIG | types::DNSKEY | types::DS | types::NSEC | types::SSHFP | types::LOC => return false,
        types::NAPTR | types::NIMLOC => return false,
        other => unknown(other, out),
    }
    true
}

fn write(out: &mut Vec<u8>, text: Arguments<'_>) {
    // Writing to a vector cannot fail.
    let _ = out.write_fmt(text);
}

fn unknown(rrtype: u16, out: &mut Vec<u8>) {
    write(out, format_args!("<unknown type={rrtype}>"));
}

fn lower(name: &Name, out: &mut Vec<u8>) {
    out.extend(name.text.iter().map(u8::to_ascii_lowercase));
}

fn address(octets: [u8; 4], out: &mut Vec<u8>) {
    for (index, octet) in octets.into_iter().enumerate() {
        if index > 0 {
            out.push(b'.');
        }
        out.extend_from_slice(itoa::Buffer::new().format(octet).as_bytes());
    }
}

/// Each string with its length, `TXT 3 abc TXT 1 d`.
fn strings_text(rrtype: u16, strings: &[Vec<u8>], out: &mut Vec<u8>) {
    let kind = if rrtype == types::SPF { "SPF" } else { "TXT" };
    for (index, string) in strings.iter().enumerate() {
        let separator = if index == 0 { "" } else { " " };
        write(out, format_args!("{separator}{kind} {} ", string.len()));
        out.extend(string);
    }
}
