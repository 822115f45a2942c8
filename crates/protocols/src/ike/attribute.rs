//! The attributes of a transform of version 1, RFC 2408 3.3 and RFC 2409 appendix A.

use weir_base::Reader;

/// Most attributes that are read of a transform.
pub const MAX_ATTRIBUTES: usize = 64;

/// The value of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number.
    Number(u32),
    /// Bytes that are no number of 32 bits.
    Bytes(Vec<u8>),
}

/// An attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// Type.
    pub kind: u16,
    /// Value.
    pub value: Value,
}

impl Attribute {
    /// Reads one: in two bytes, or in as many as these say.
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (kind, short) = (reader.u16()?, reader.u16()?);
        let value = if kind & 0x8000 != 0 {
            Value::Number(short.into())
        } else if short == 4 {
            Value::Number(reader.u32()?)
        } else {
            Value::Bytes(reader.take(short.into())?.to_vec())
        };
        Some(Self { kind: kind & 0x7fff, value })
    }

    /// Those of a transform, as far as they can be read.
    pub fn list(bytes: &[u8]) -> Vec<Self> {
        let mut reader = Reader::new(bytes);
        std::iter::from_fn(|| Self::read(&mut reader)).take(MAX_ATTRIBUTES).collect()
    }

    /// Returns the key of its type.
    pub fn key(&self) -> &'static str {
        KEYS.get(usize::from(self.kind)).copied().unwrap_or("unknown")
    }

    /// The number.
    pub const fn number(&self) -> Option<u32> {
        match self.value {
            Value::Number(number) => Some(number),
            Value::Bytes(_) => None,
        }
    }

    /// Returns the name of its value.
    pub fn name(&self) -> &'static str {
        let names = match self.kind {
            1 => ENCRYPTION,
            2 => HASHES,
            3 => METHODS,
            4 => GROUPS,
            11 => LIFE_TYPES,
            _ => &[],
        };
        let index = self.number().and_then(|number| usize::try_from(number).ok());
        index.and_then(|index| names.get(index)).copied().unwrap_or(UNKNOWN)
    }
}

const UNKNOWN: &str = "Unknown";

const KEYS: &[&str] = &[
    "unknown",
    "alg_enc",
    "alg_hash",
    "alg_auth",
    "alg_dh",
    "sa_group_type",
    "sa_group_prime",
    "sa_group_generator_one",
    "sa_group_generator_two",
    "sa_group_curve_a",
    "sa_group_curve_b",
    "sa_life_type",
    "sa_life_duration",
    "alg_prf",
    "sa_key_length",
    "sa_field_size",
    "sa_group_order",
];

const ENCRYPTION: &[&str] = &[
    UNKNOWN,
    "EncDesCbc",
    "EncIdeaCbc",
    "EncBlowfishCbc",
    "EncRc5R16B64Cbc",
    "EncTripleDesCbc",
    "EncCastCbc",
    "EncAesCbc",
    "EncCamelliaCbc",
];

const HASHES: &[&str] =
    &[UNKNOWN, "HashMd5", "HashSha", "HashTiger", "HashSha2_256", "HashSha2_384", "HashSha2_512"];

const METHODS: &[&str] = &[
    UNKNOWN,
    "AuthPreSharedKey",
    "AuthDssSignatures",
    "AuthRsaSignatures",
    "AuthEncryptionWithRsa",
    "AuthRevisedEncryptionWithRsa",
    "AuthReserved",
    "AuthReserved",
    "AuthReserved",
    "AuthEcdsaSha256",
    "AuthEcdsaSha384",
    "AuthEcdsaSha512",
];

const GROUPS: &[&str] = &[
    UNKNOWN,
    "GroupDefault768BitModp",
    "GroupAlternate1024BitModpGroup",
    "GroupEc2nOnGp2p155",
    "GroupEc2nOnGp2p185",
    "GroupModp1536Bit",
    "GroupEc2nOverGf2p163",
    "GroupEc2nOverGf2p163",
    "GroupEc2nOverGf2p283",
    "GroupEc2nOverGf2p283",
    "GroupEc2nOverGf2p409",
    "GroupEc2nOverGf2p409",
    "GroupEc2nOverGf2p571",
    "GroupEc2nOverGf2p571",
    "GroupModp2048Bit",
    "GroupModp3072Bit",
    "GroupModp4096Bit",
    "GroupModp6144Bit",
    "GroupModp8192Bit",
    "GroupRandomEcp256",
    "GroupRandomEcp384",
    "GroupRandomEcp521",
    "GroupModp1024With160BitPrime",
    "GroupModp2048With224BitPrime",
    "GroupModp2048With256BitPrime",
    "GroupRandomEcp192",
    "GroupRandomEcp224",
    "GroupBrainpoolEcp224",
    "GroupBrainpoolEcp256",
    "GroupBrainpoolEcp384",
    "GroupBrainpoolEcp512",
];

const LIFE_TYPES: &[&str] = &[UNKNOWN, "LifeTypeSeconds", "LifeTypeKilobytes"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes() {
        let cases: &[(&[u8], &str, &str, Option<u32>)] = &[
            (b"\x80\x01\0\x07", "alg_enc", "EncAesCbc", Some(7)),
            (b"\x80\x01\0\x09", "alg_enc", "Unknown", Some(9)),
            (b"\x80\x04\0\x1e", "alg_dh", "GroupBrainpoolEcp512", Some(30)),
            (b"\x80\x0b\0\x02", "sa_life_type", "LifeTypeKilobytes", Some(2)),
            (b"\0\x0c\0\x04\0\x01\x51\x80", "sa_life_duration", "Unknown", Some(86_400)),
            (b"\0\x06\0\x02ab", "sa_group_prime", "Unknown", None),
            (b"\x80\x63\0\x02", "unknown", "Unknown", Some(2)),
        ];
        for (bytes, key, name, number) in cases {
            let list = Attribute::list(bytes);
            let [attribute] = list.as_slice() else { panic!("{bytes:02x?}") };
            assert_eq!((attribute.key(), attribute.name(), attribute.number()), (*key, *name, *number));
        }
        assert_eq!(Attribute::list(b"\0\x06\0\x09ab"), []);
        assert_eq!(Attribute::list(&[0; 4 * (MAX_ATTRIBUTES + 9)]).len(), MAX_ATTRIBUTES);
    }
}
