//! TCP options (RFC 9293 3.2, RFC 7323, RFC 2018, RFC 7413, RFC 2385, RFC 5925).

use super::super::walk::Walk;
use crate::event::DecodeEvent;
use crate::header::TcpOptions;

const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const MD5: u8 = 19;
const AUTHENTICATION: u8 = 29;
const FAST_OPEN: u8 = 34;
const EXPERIMENT_1: u8 = 253;
const EXPERIMENT_2: u8 = 254;

/// Marks a fast-open cookie in an experimental option (RFC 7413, appendix A).
const FAST_OPEN_MAGIC: [u8; 2] = [0xf9, 0x89];
/// A segment has room for four blocks of eight bytes.
const SACK_BYTES_MAX: usize = 32;
const MD5_BYTES: usize = 16;
const AUTHENTICATION_BYTES_MIN: usize = 2;
/// Lengths that a cookie can have; none at all asks for one.
const COOKIE_BYTES: std::ops::RangeInclusive<usize> = 4..=16;

impl<'a> Walk<'_, 'a> {
    /// Reads the options of a header. One of a wrong size or present twice raises an event and is
    /// passed over; one that runs past the header ends the list and makes the packet invalid.
    pub(super) fn tcp_options(&mut self, bytes: &'a [u8]) -> TcpOptions<'a> {
        let mut options = TcpOptions::default();
        let mut rest = bytes;
        while let Some((&kind, after)) = rest.split_first() {
            match kind {
                END => break,
                NO_OPERATION => rest = after,
                _ => {
                    let Some(&length) = after.first() else { break };
                    let Some((option, after)) = rest.split_at_checked(usize::from(length)) else {
                        self.raise(DecodeEvent::TCP_OPT_INVALID_LEN);
                        break;
                    };
                    let Some(value) = option.get(2..) else {
                        self.raise(DecodeEvent::TCP_OPT_INVALID_LEN);
                        break;
                    };
                    rest = after;
                    self.tcp_option(kind, value, &mut options);
                }
            }
        }
        options
    }

    fn tcp_option(&mut self, kind: u8, value: &'a [u8], options: &mut TcpOptions<'a>) {
        match (kind, value) {
            (TIMESTAMPS, &[a, b, c, d, e, f, g, h]) => {
                let pair = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
                self.set_once(&mut options.timestamp, pair);
            }
            (MAXIMUM_SEGMENT_SIZE, &[high, low]) => {
                self.set_once(&mut options.mss, u16::from_be_bytes([high, low]));
            }
            (WINDOW_SCALE, &[shift]) => self.set_once(&mut options.window_scale, shift),
            (SACK_PERMITTED, []) => {
                if options.sack_permitted {
                    self.note(DecodeEvent::TCP_OPT_DUPLICATE);
                }
                options.sack_permitted = true;
            }
            // Some hosts send one without blocks.
            (SACK, []) => {}
            (SACK, blocks) if blocks.len() <= SACK_BYTES_MAX && blocks.len().is_multiple_of(8) => {
                if options.sack.is_empty() {
                    options.sack = blocks;
                } else {
                    self.note(DecodeEvent::TCP_OPT_DUPLICATE);
                }
            }
            (FAST_OPEN, cookie) if is_cookie(cookie) => self.set_once(&mut options.fast_open, cookie),
            (EXPERIMENT_1 | EXPERIMENT_2, experiment) => {
                if let Some(cookie) = experiment.strip_prefix(&FAST_OPEN_MAGIC) {
                    if is_cookie(cookie) {
                        self.set_once(&mut options.fast_open, cookie);
                    } else {
                        self.note(DecodeEvent::TCP_OPT_INVALID_LEN);
                    }
                }
            }
            (MD5, digest) if digest.len() == MD5_BYTES => {}
            (AUTHENTICATION, code) if code.len() >= AUTHENTICATION_BYTES_MIN => {}
            (
                TIMESTAMPS | MAXIMUM_SEGMENT_SIZE | WINDOW_SCALE | SACK_PERMITTED | SACK | FAST_OPEN | MD5
                | AUTHENTICATION,
                _,
            ) => self.note(DecodeEvent::TCP_OPT_INVALID_LEN),
            _ => {}
        }
    }

    fn set_once<T>(&mut self, slot: &mut Option<T>, value: T) {
        if slot.is_some() {
            self.note(DecodeEvent::TCP_OPT_DUPLICATE);
        } else {
            *slot = Some(value);
        }
    }
}

fn is_cookie(bytes: &[u8]) -> bool {
    bytes.is_empty() || (COOKIE_BYTES.contains(&bytes.len()) && bytes.len().is_multiple_of(2))
}
