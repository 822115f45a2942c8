//! IPv4 options (RFC 791, RFC 1108, RFC 2113, RFC 4782, and the CIPSO draft).

use super::super::walk::Walk;
use crate::event::DecodeEvent;
use crate::header::Ipv4Options;

const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const RECORD_ROUTE: u8 = 7;
const QUICK_START: u8 = 25;
const TIMESTAMP: u8 = 68;
const SECURITY: u8 = 130;
const LOOSE_ROUTE: u8 = 131;
const EXTENDED_SECURITY: u8 = 133;
const COMMERCIAL_SECURITY: u8 = 134;
const STREAM_ID: u8 = 136;
const STRICT_ROUTE: u8 = 137;
const ROUTER_ALERT: u8 = 148;

/// Lengths with type and length byte.
const SECURITY_LENGTH: usize = 11;
const EXTENDED_SECURITY_LEAST: usize = 3;
const STREAM_ID_LENGTH: usize = 4;
const ROUTER_ALERT_LENGTH: usize = 4;
const QUICK_START_LEAST: usize = 8;
const ROUTE_LEAST: usize = 3;
const TIMESTAMP_LEAST: usize = 5;
const COMMERCIAL_SECURITY_LEAST: usize = 10;

/// Looks at one option, type and length included.
type Check = fn(&[u8]) -> Result<(), DecodeEvent>;

impl<'a> Walk<'_, 'a> {
    /// Reads the options of a header. Damage inside one raises an event and the next is read; an
    /// option that runs past the header ends the list.
    pub(super) fn ipv4_options(&mut self, bytes: &'a [u8]) -> Ipv4Options {
        if !bytes.len().is_multiple_of(8) {
            self.note(DecodeEvent::IPV4_OPT_PAD_REQUIRED);
        }
        let mut seen = Ipv4Options::default();
        let mut rest = bytes;
        while let Some((&kind, after)) = rest.split_first() {
            match kind {
                END => {
                    seen.0 |= Ipv4Options::EOL;
                    break;
                }
                NO_OPERATION => {
                    seen.0 |= Ipv4Options::NOP;
                    rest = after;
                }
                _ => {
                    let Some(&length) = after.first() else {
                        self.raise(DecodeEvent::IPV4_OPT_EOL_REQUIRED);
                        break;
                    };
                    let option = rest.split_at_checked(usize::from(length));
                    let Some((option, after)) = option.filter(|(option, _)| option.len() >= 2) else {
                        self.raise(DecodeEvent::IPV4_OPT_INVALID_LEN);
                        break;
                    };
                    rest = after;
                    self.ipv4_option(kind, option, &mut seen);
                }
            }
        }
        seen
    }

    fn ipv4_option(&mut self, kind: u8, option: &[u8], seen: &mut Ipv4Options) {
        let (bit, check): (u16, Check) = match kind {
            RECORD_ROUTE => (Ipv4Options::RR, route),
            LOOSE_ROUTE => (Ipv4Options::LSRR, route),
            STRICT_ROUTE => (Ipv4Options::SSRR, route),
            TIMESTAMP => (Ipv4Options::TS, timestamp),
            QUICK_START => (Ipv4Options::QS, |option| length_is(option.len() >= QUICK_START_LEAST)),
            SECURITY => (Ipv4Options::SEC, |option| length_is(option.len() == SECURITY_LENGTH)),
            EXTENDED_SECURITY => {
                (Ipv4Options::ESEC, |option| length_is(option.len() >= EXTENDED_SECURITY_LEAST))
            }
            COMMERCIAL_SECURITY => (Ipv4Options::CIPSO, commercial_security),
            STREAM_ID => (Ipv4Options::SATID, |option| length_is(option.len() == STREAM_ID_LENGTH)),
            ROUTER_ALERT => (Ipv4Options::RTRALT, |option| length_is(option.len() == ROUTER_ALERT_LENGTH)),
            _ => {
                self.raise(DecodeEvent::IPV4_OPT_INVALID);
                return;
            }
        };
        if seen.0 & bit != 0 {
            self.note(DecodeEvent::IPV4_OPT_DUPLICATE);
            return;
        }
        match check(option) {
            Ok(()) => seen.0 |= bit,
            Err(event) => self.raise(event),
        }
    }
}

const fn length_is(right: bool) -> Result<(), DecodeEvent> {
    if right { Ok(()) } else { Err(DecodeEvent::IPV4_OPT_INVALID_LEN) }
}

/// Record route and the source routes: a pointer, counted from 1, into a list of addresses.
fn route(option: &[u8]) -> Result<(), DecodeEvent> {
    length_is(option.len() >= ROUTE_LEAST)?;
    let pointer = usize::from(option.get(2).copied().unwrap_or(0));
    if pointer < 4 || !pointer.is_multiple_of(4) || pointer > option.len() + 1 {
        return Err(DecodeEvent::IPV4_OPT_MALFORMED);
    }
    Ok(())
}

/// Timestamps, alone or with addresses as the flags say.
fn timestamp(option: &[u8]) -> Result<(), DecodeEvent> {
    length_is(option.len() >= TIMESTAMP_LEAST)?;
    let pointer = usize::from(option.get(2).copied().unwrap_or(0));
    let with_address = matches!(option.get(3).copied().unwrap_or(0) & 0x0f, 1 | 3);
    let record = if with_address { 8 } else { 4 };
    match pointer.checked_sub(TIMESTAMP_LEAST) {
        Some(used) if used.is_multiple_of(record) && pointer <= option.len() + 1 => Ok(()),
        _ => Err(DecodeEvent::IPV4_OPT_MALFORMED),
    }
}

/// CIPSO: a domain of interpretation, then tags of types 1, 2, 5, 6 and 7.
fn commercial_security(option: &[u8]) -> Result<(), DecodeEvent> {
    length_is(option.len() >= COMMERCIAL_SECURITY_LEAST)?;
    let malformed = DecodeEvent::IPV4_OPT_MALFORMED;
    let mut rest = option.get(6..).unwrap_or_default();
    while !rest.is_empty() {
        let length = usize::from(*rest.get(1).ok_or(malformed)?);
        if length < 4 {
            return Err(malformed);
        }
        let (tag, after) = rest.split_at_checked(length).ok_or(malformed)?;
        match tag {
            // The byte after the length aligns, and is zero.
            [1 | 2 | 5 | 6, _, 0, ..] | [7, ..] => {}
            _ => return Err(malformed),
        }
        rest = after;
    }
    Ok(())
}
