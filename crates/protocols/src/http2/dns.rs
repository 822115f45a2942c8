//! DNS over HTTP/2 (RFC 8484): the message of a side, which is its body, or the parameter `dns` of a request's
//! target. Limits: [`MAX_MESSAGE`], [`MAX_PARAMETER`].

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use weir_applayer::Transaction;
use weir_base::{Direction, hex};

use super::anomaly::Http2Anomaly;
use super::transaction::Http2Transaction;
use crate::dns::message::Message;
use crate::dns::transaction::DnsTransaction;

/// Longest message (RFC 8484 6).
pub const MAX_MESSAGE: usize = 65_535;

/// Longest parameter of a target that is read: a field that was sent once may stand in many requests.
pub const MAX_PARAMETER: usize = 4096;

const MEDIA_TYPE: &[u8] = b"application/dns-message";

/// Without padding, as RFC 8484 has it, or with it.
const ENCODING: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// DNS carried by a side.
#[derive(Debug, Default)]
pub(super) enum Carried {
    /// Nothing, or nothing more.
    #[default]
    Nothing,
    /// Its body is a message, of which so much came.
    Body(Vec<u8>),
    /// A message, and how many bytes it takes.
    Message(Box<(DnsTransaction, usize)>),
}

/// Signs of DNS in a side's header fields, of those that were looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signs {
    /// Its type was given.
    has_type: bool,
    /// It takes messages.
    accepts: bool,
    /// The field with the target, as long as its parameter was not looked at.
    target: Option<u16>,
    /// There is a target.
    has_target: bool,
}

impl Carried {
    /// Bytes that it holds.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Body(bytes) => bytes.len(),
            Self::Message(message) => message.1,
        }
    }

    /// The message.
    pub(super) fn message(&self) -> Option<&dyn Transaction> {
        match self {
            Self::Message(message) => Some(&message.0),
            Self::Nothing | Self::Body(_) => None,
        }
    }

    /// The message that bytes are, where they are one that goes this way.
    fn read(bytes: &[u8], direction: Direction) -> Self {
        match Message::read(bytes).filter(|message| !message.malformed && message.header.goes(direction)) {
            Some(message) => {
                let size = size_of::<DnsTransaction>() + message.size() + bytes.len();
                Self::Message(Box::new((DnsTransaction::of(message, direction, false), size)))
            }
            None => Self::Nothing,
        }
    }

    /// The body ended.
    pub(super) fn finish(&mut self, direction: Direction) {
        if let Self::Body(bytes) = self {
            *self = Self::read(bytes, direction);
        }
    }
}

impl Http2Transaction {
    /// Looks at what a side's header fields, from `first` on, say of DNS: the first type and target count.
    pub(super) fn look_for_dns(&mut self, direction: Direction, first: usize) {
        let message = &mut self.messages[direction];
        if !matches!(message.carried, Carried::Nothing) {
            return;
        }
        let signs = &mut message.signs;
        for (index, field) in message.fields.iter().enumerate().skip(first) {
            match field.name.len() {
                5 if !signs.has_target && field.name.eq_ignore_ascii_case(b":path") => {
                    (signs.has_target, signs.target) = (true, u16::try_from(index).ok());
                }
                6 if field.name.eq_ignore_ascii_case(b"accept") => {
                    signs.accepts |= accepts_messages(&field.value);
                }
                12 if !signs.has_type && field.name.eq_ignore_ascii_case(b"content-type") => {
                    signs.has_type = true;
                    if is_message(&field.value) {
                        message.carried = Carried::Body(Vec::new());
                        return;
                    }
                }
                _ => {}
            }
        }
        let asks = direction == Direction::ToServer && signs.accepts;
        let Some(target) = signs.target.take_if(|_| asks) else { return };
        let Some(target) = message.fields.get(usize::from(target)) else { return };
        let Some(parameter) = parameter(&target.value) else { return };
        if parameter.len() > MAX_PARAMETER {
            return self.note(Http2Anomaly::DnsRequestTooLong);
        }
        if let Ok(bytes) = ENCODING.decode(plain(parameter)) {
            message.carried = Carried::read(&bytes, direction);
        }
    }

    /// More of a side's body.
    pub(super) fn push_dns(&mut self, direction: Direction, bytes: &[u8]) {
        let carried = &mut self.messages[direction].carried;
        let Carried::Body(before) = carried else { return };
        if before.len() + bytes.len() <= MAX_MESSAGE {
            return before.extend_from_slice(bytes);
        }
        *carried = Carried::Nothing;
        self.note(match direction {
            Direction::ToServer => Http2Anomaly::DnsRequestTooLong,
            Direction::ToClient => Http2Anomaly::DnsResponseTooLong,
        });
    }
}

/// Whether a media type, perhaps with parameters, is that of messages.
fn is_message(value: &[u8]) -> bool {
    let media_type = value.split(|byte| *byte == b';').next().unwrap_or_default();
    media_type.trim_ascii().eq_ignore_ascii_case(MEDIA_TYPE)
}

fn accepts_messages(value: &[u8]) -> bool {
    value.split(|byte| *byte == b',').any(is_message)
}

/// The parameter `dns` of a target.
fn parameter(path: &[u8]) -> Option<&[u8]> {
    let query = path.splitn(2, |byte| *byte == b'?').nth(1)?;
    query.split(|byte| *byte == b'&').find_map(|parameter| parameter.strip_prefix(b"dns="))
}

/// Base64 for URLs of what is spelt in the alphabet for other places, or with escapes.
fn plain(parameter: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(parameter.len());
    let mut rest = parameter;
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        let byte = match (first, behind) {
            (b'%', [high, low, behind @ ..]) => match (hex::value(*high), hex::value(*low)) {
                (Some(high), Some(low)) => {
                    rest = behind;
                    high << 4 | low
                }
                _ => first,
            },
            _ => first,
        };
        plain.push(match byte {
            b'+' | b' ' => b'-',
            b'/' => b'_',
            other => other,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        for (value, is, accepts) in [
            ("application/dns-message", true, true),
            ("Application/DNS-Message ; charset=x", true, true),
            ("text/html, application/dns-message;q=0.5", false, true),
            ("application/dns-json", false, false),
            ("application/dns-message2", false, false),
            ("", false, false),
        ] {
            assert_eq!(is_message(value.as_bytes()), is, "{value}");
            assert_eq!(accepts_messages(value.as_bytes()), accepts, "{value}");
        }
    }

    #[test]
    fn parameters_of_targets() {
        for (path, expected) in [
            ("/dns-query?dns=-_-_", Some(&[0xfb, 0xff, 0xbf][..])),
            ("/?a=1&dns=%2b/-%5F", Some(&[0xfb, 0xff, 0xbf])),
            ("/dns-query?dns=AQ==", Some(&[1])),
            ("/dns-query?dns=AQ", Some(&[1])),
            ("/dns-query?dns=%", None),
            ("/dns-query?dns=", Some(&[])),
            ("/dns-query?xdns=AQ", None),
            ("/dns=AQ", None),
        ] {
            let found = parameter(path.as_bytes()).and_then(|text| ENCODING.decode(plain(text)).ok());
            assert_eq!(found.as_deref(), expected, "{path}");
        }
    }
}
