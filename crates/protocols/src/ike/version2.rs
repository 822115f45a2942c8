//! The payloads of version 2, RFC 7296 section 3, and what is weak in what they propose.

use weir_base::Reader;

use super::anomaly::IkeAnomaly;
use super::payload::Payloads;

/// Most transforms that are kept of what a server chose.
pub const MAX_TRANSFORMS: usize = 256;

/// Most notifications that are read of a message.
const MAX_NOTIFICATIONS: usize = 64;

/// Kinds of payloads.
const NO_NEXT: u8 = 0;
const SECURITY_ASSOCIATION: u8 = 33;
const NOTIFY: u8 = 41;
const ENCRYPTED: [u8; 2] = [46, 53];

/// Notifications below this are errors.
const FIRST_STATUS: u16 = 16_384;

/// The protocol that encrypts nothing.
const AUTHENTICATION_HEADER: u8 = 2;

/// Type of a transform (RFC 7296 3.3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To encrypt.
    Encryption,
    /// Pseudo-random function.
    Random,
    /// Integrity.
    Integrity,
    /// Diffie-Hellman group.
    Group,
    /// Extended sequence numbers.
    SequenceNumbers,
}

impl Purpose {
    const fn of(kind: u8) -> Option<Self> {
        Some(match kind {
            1 => Self::Encryption,
            2 => Self::Random,
            3 => Self::Integrity,
            4 => Self::Group,
            5 => Self::SequenceNumbers,
            _ => return None,
        })
    }
}

/// A transform.
pub type Transform = (Purpose, u16);

/// Transforms that a server chose last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// Encryption algorithm.
    pub encryption: u16,
    /// The integrity algorithm.
    pub integrity: u16,
    /// The pseudo-random function.
    pub random: u16,
    /// The Diffie-Hellman group.
    pub group: u16,
    /// Whether sequence numbers are extended.
    pub sequence_numbers: u16,
}

/// Nothing: no encryption, which has a number of its own.
impl Default for Chosen {
    fn default() -> Self {
        Self { encryption: 11, integrity: 0, random: 0, group: 0, sequence_numbers: 0 }
    }
}

impl Chosen {
    /// A transform is one of those that were chosen.
    pub const fn take(&mut self, (purpose, number): Transform) {
        match purpose {
            Purpose::Encryption => self.encryption = number,
            Purpose::Random => self.random = number,
            Purpose::Integrity => self.integrity = number,
            Purpose::Group => self.group = number,
            Purpose::SequenceNumbers => self.sequence_numbers = number,
        }
    }
}

/// Content of a message.
#[derive(Debug, Default)]
pub struct Message {
    /// Types of its payloads, and that no more follows.
    pub kinds: Vec<u8>,
    /// Notification types.
    pub notifications: Vec<u16>,
    /// Number of them that are errors.
    pub errors: u32,
    /// Transforms proposed or chosen.
    pub transforms: Vec<Transform>,
}

impl Message {
    /// Reads payloads, of which the first one is `first`.
    pub fn read(first: u8, bytes: &[u8], anomaly: &mut dyn FnMut(IkeAnomaly)) -> Self {
        let mut message = Self { kinds: vec![first], ..Self::default() };
        let mut payloads = Payloads::new(bytes, first);
        for payload in payloads.by_ref() {
            message.kinds.push(payload.next);
            let read = match payload.kind {
                SECURITY_ASSOCIATION => message.association(payload.data, anomaly),
                NOTIFY => message.notification(payload.data),
                _ => Some(()),
            };
            if read.is_none() {
                anomaly(IkeAnomaly::MalformedData);
            }
            if payload.next == NO_NEXT || ENCRYPTED.contains(&payload.kind) {
                break;
            }
        }
        if payloads.has_rest() {
            anomaly(IkeAnomaly::PayloadExtraData);
        }
        message
    }

    fn notification(&mut self, bytes: &[u8]) -> Option<()> {
        let mut reader = Reader::new(bytes);
        reader.skip(2)?;
        let kind = reader.u16()?;
        self.errors += u32::from(kind < FIRST_STATUS);
        if self.notifications.len() < MAX_NOTIFICATIONS {
            self.notifications.push(kind);
        }
        Some(())
    }

    fn association(&mut self, bytes: &[u8], anomaly: &mut dyn FnMut(IkeAnomaly)) -> Option<()> {
        // Proposals and transforms are chains, too.
        for proposal in Payloads::new(bytes, 0) {
            let mut reader = Reader::new(proposal.data);
            reader.skip(1)?;
            let (protocol, spi_length) = (reader.u8()?, reader.u8()?);
            let count = reader.u8()?;
            reader.skip(spi_length.into())?;
            let mut transforms = Vec::new();
            for transform in Payloads::new(reader.rest(), 0).take(count.into()) {
                let mut reader = Reader::new(transform.data);
                let kind = reader.u8()?;
                reader.skip(1)?;
                let number = reader.u16()?;
                match Purpose::of(kind) {
                    Some(purpose) => transforms.push((purpose, number)),
                    None => anomaly(IkeAnomaly::UnknownProposal),
                }
            }
            judge(protocol, &transforms, anomaly);
            let room = MAX_TRANSFORMS.saturating_sub(self.transforms.len());
            self.transforms.extend(transforms.into_iter().take(room));
        }
        Some(())
    }
}

/// Tells what is weak in a proposal.
fn judge(protocol: u8, transforms: &[Transform], anomaly: &mut dyn FnMut(IkeAnomaly)) {
    for &(purpose, number) in transforms {
        match (purpose, number) {
            // DES, 3DES, RC5, IDEA, CAST, Blowfish and nothing.
            (Purpose::Encryption, 1..=9 | 11) => anomaly(IkeAnomaly::WeakCryptoEnc),
            (Purpose::Random | Purpose::Group, 0) => anomaly(IkeAnomaly::InvalidProposal),
            // MD5 and SHA-1.
            (Purpose::Random, 1 | 2) => anomaly(IkeAnomaly::WeakCryptoPrf),
            // These, DES, KPDK and XCBC.
            (Purpose::Integrity, 1..=7) => anomaly(IkeAnomaly::WeakCryptoAuth),
            // Of 768, 1024 and 1536 bits.
            (Purpose::Group, 1 | 2 | 5 | 22) => anomaly(IkeAnomaly::WeakCryptoDh),
            _ => {}
        }
    }
    let has = |wanted: fn(Transform) -> bool| transforms.iter().any(|&transform| wanted(transform));
    if !has(|(purpose, _)| purpose == Purpose::Group) {
        anomaly(IkeAnomaly::WeakCryptoNoDh);
    }
    if protocol == AUTHENTICATION_HEADER {
        anomaly(IkeAnomaly::NoEncryption);
    }
    let has_integrity = has(|(purpose, number)| purpose == Purpose::Integrity && number != 0);
    // CCM, GCM and ChaCha20 with Poly1305 are authenticated.
    let is_authenticated = has(|(purpose, number)| {
        purpose == Purpose::Encryption && matches!(number, 14..=16 | 18..=20 | 25..=28)
    });
    if !has_integrity && !is_authenticated {
        anomaly(IkeAnomaly::WeakCryptoNoAuth);
    }
}
