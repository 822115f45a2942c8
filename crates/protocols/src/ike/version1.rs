//! The payloads of version 1, RFC 2408 3.4 to 3.16, and what both sides have said by them.

use weir_base::{Direction, PerDirection, Reader, hex};

use super::anomaly::IkeAnomaly;
use super::attribute::Attribute;
use super::payload::Payloads;

/// Most transforms that are read of a message.
pub const MAX_TRANSFORMS: usize = 256;

/// Most names of vendors that are read of a message.
const MAX_VENDORS: usize = 64;

/// Kinds of payloads.
const SECURITY_ASSOCIATION: u8 = 1;
const PROPOSAL: u8 = 2;
const TRANSFORM: u8 = 3;
const KEY_EXCHANGE: u8 = 4;
const NONCE: u8 = 10;
const VENDOR: u8 = 13;

/// Number of the IPsec domain of interpretation (RFC 2407).
const IPSEC: u32 = 1;

/// Content of a message.
#[derive(Debug, Default)]
pub struct Message {
    /// The kinds of payloads, each once, as they come.
    pub kinds: Vec<u8>,
    /// Domain of interpretation.
    pub domain: Option<u32>,
    /// The public value of the exchange of keys.
    pub key_exchange: Vec<u8>,
    /// The nonce.
    pub nonce: Vec<u8>,
    /// Transforms proposed or chosen.
    pub transforms: Vec<Vec<Attribute>>,
    /// The names of vendors' extensions, in hexadecimal digits.
    pub vendors: Vec<Vec<u8>>,
}

impl Message {
    /// Reads payloads, of which the first one is `first`.
    pub fn read(first: u8, bytes: &[u8], anomaly: &mut dyn FnMut(IkeAnomaly)) -> Self {
        let mut message = Self::default();
        message.note(first);
        let mut payloads = Payloads::new(bytes, first);
        for payload in payloads.by_ref() {
            message.note(payload.kind);
            match payload.kind {
                SECURITY_ASSOCIATION if message.association(payload.data).is_none() => {
                    anomaly(IkeAnomaly::MalformedData);
                }
                KEY_EXCHANGE => message.key_exchange = payload.data.to_vec(),
                NONCE => message.nonce = payload.data.to_vec(),
                VENDOR if message.vendors.len() < MAX_VENDORS => {
                    let mut text = Vec::with_capacity(payload.data.len() * 2);
                    hex::append(&mut text, payload.data);
                    message.vendors.push(text);
                }
                _ => {}
            }
        }
        if payloads.has_rest() {
            anomaly(IkeAnomaly::PayloadExtraData);
        }
        message
    }

    /// A message whose payloads are encrypted, of which the first one would be `first`.
    pub fn encrypted(first: u8) -> Self {
        Self { kinds: vec![first], ..Self::default() }
    }

    fn note(&mut self, kind: u8) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    /// Whether an association is negotiated by it.
    pub fn has_association(&self) -> bool {
        self.kinds.contains(&SECURITY_ASSOCIATION)
    }

    fn association(&mut self, bytes: &[u8]) -> Option<()> {
        let mut reader = Reader::new(bytes);
        let domain = reader.u32()?;
        self.domain = Some(domain);
        if domain != IPSEC {
            return Some(());
        }
        reader.skip(4)?;
        for payload in Payloads::new(reader.rest(), PROPOSAL) {
            self.note(payload.kind);
            if payload.kind == PROPOSAL {
                self.proposal(payload.data)?;
            }
        }
        Some(())
    }

    fn proposal(&mut self, bytes: &[u8]) -> Option<()> {
        let mut reader = Reader::new(bytes);
        reader.skip(2)?;
        let spi_length = reader.u8()?;
        reader.skip(1)?;
        reader.skip(spi_length.into())?;
        for payload in Payloads::new(reader.rest(), TRANSFORM) {
            self.note(payload.kind);
            if payload.kind == TRANSFORM && self.transforms.len() < MAX_TRANSFORMS {
                self.transforms.push(Attribute::list(payload.data.get(4..)?));
            }
        }
        Some(())
    }
}

/// Latest values of a side.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The public value of the exchange of keys.
    pub key_exchange: Vec<u8>,
    /// The nonce.
    pub nonce: Vec<u8>,
    /// Number of transforms that it proposed or chose.
    pub count: u64,
    /// The first of them.
    pub transform: Vec<Attribute>,
}

/// Latest values of both sides.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Domain of interpretation.
    pub domain: Option<u32>,
    /// The sides, by the direction in which they send.
    pub sides: PerDirection<Side>,
}

impl State {
    /// Takes a message whose payloads are not encrypted.
    pub fn take(&mut self, direction: Direction, message: &Message, anomaly: &mut dyn FnMut(IkeAnomaly)) {
        self.domain = message.domain.or(self.domain);
        let side = &mut self.sides[direction];
        if message.has_association() {
            // Another exchange begins, which has nothing to do with the one before.
            *side = Side::default();
        }
        let count = side.count + message.transforms.len() as u64;
        if direction == Direction::ToClient && side.count <= 1 && count > 1 {
            anomaly(IkeAnomaly::MultipleServerProposal);
        }
        side.key_exchange.clone_from(&message.key_exchange);
        side.nonce.clone_from(&message.nonce);
        if side.count == 0
            && let Some(first) = message.transforms.first()
        {
            side.transform.clone_from(first);
        }
        side.count = count;
    }
}
