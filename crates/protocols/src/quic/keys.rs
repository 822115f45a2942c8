//! The keys of Initial packets, which anyone can derive who saw a client's first one (RFC 9001 section
//! 5.2, RFC 9369 section 3.3.1), and what takes their protection off (sections 5.3 and 5.4).
//!
//! Packet numbers are taken as they are sent: of Initial packets there are never so many that more than
//! the bytes sent would count.

use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Block};
use aes_gcm::{AeadInOut, Aes128Gcm};
use hkdf::Hkdf;
use sha2::Sha256;
use weir_base::{Direction, PerDirection};

use super::version::{Protection, Version};

const KEY_LENGTH: usize = 16;
const NONCE_LENGTH: usize = 12;
const TAG_LENGTH: usize = 16;
const SECRET_LENGTH: usize = 32;

/// Offset of the sample behind the start of the packet number, and its length (RFC 9001 5.4.2).
const SAMPLE_AT: usize = 4;
const SAMPLE_LENGTH: usize = 16;

/// Bits of a long header's first byte that are protected.
const PROTECTED: u8 = 0x0f;

/// Keys of one side's Initial packets.
struct SideKeys {
    packet: Aes128Gcm,
    header: Aes128,
    nonce: [u8; NONCE_LENGTH],
}

/// Keys of both sides' Initial packets.
pub struct InitialKeys {
    sides: PerDirection<SideKeys>,
}

impl std::fmt::Debug for InitialKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InitialKeys").finish_non_exhaustive()
    }
}

/// RFC 8446 section 7.1, without a context; the label is in two parts.
fn expand<const N: usize>(secret: &Hkdf<Sha256>, [first, second]: [&str; 2]) -> Option<[u8; N]> {
    let prefix = "tls13 ";
    let label_length = u8::try_from(prefix.len() + first.len() + second.len()).ok()?;
    let lengths = [0, u8::try_from(N).ok()?, label_length];
    let info = [&lengths[..], prefix.as_bytes(), first.as_bytes(), second.as_bytes(), &[0]];
    let mut out = [0; N];
    secret.expand_multi_info(&info, &mut out).ok()?;
    Some(out)
}

impl SideKeys {
    fn derive(secret: &Hkdf<Sha256>, name: &str, label: &str) -> Option<Self> {
        let secret: [u8; SECRET_LENGTH] = expand(secret, [name, " in"])?;
        let secret = Hkdf::<Sha256>::from_prk(&secret).ok()?;
        let key: [u8; KEY_LENGTH] = expand(&secret, [label, "key"])?;
        let header: [u8; KEY_LENGTH] = expand(&secret, [label, "hp"])?;
        Some(Self {
            packet: Aes128Gcm::new(&Array(key)),
            header: Aes128::new(&Array(header)),
            nonce: expand(&secret, [label, "iv"])?,
        })
    }

    fn open<'b>(&self, packet: &[u8], number_at: usize, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
        let sample_at = number_at.checked_add(SAMPLE_AT)?;
        let sample: [u8; SAMPLE_LENGTH] =
            packet.get(sample_at..sample_at.checked_add(SAMPLE_LENGTH)?)?.try_into().ok()?;
        let mut mask = Block::from(sample);
        self.header.encrypt_block(&mut mask);
        let Array([first_mask, number_mask @ ..]) = mask;
        buffer.clear();
        buffer.extend_from_slice(packet);
        let first = buffer.first_mut()?;
        *first ^= first_mask & PROTECTED;
        let number_length = usize::from(*first & 3) + 1;
        let mut nonce = self.nonce;
        let number = buffer.get_mut(number_at..number_at + number_length)?;
        for (byte, mask) in number.iter_mut().zip(number_mask) {
            *byte ^= mask;
        }
        for (nonce, byte) in nonce.iter_mut().rev().zip(number.iter().rev()) {
            *nonce ^= byte;
        }
        let (header, protected) = buffer.split_at_mut_checked(number_at + number_length)?;
        let (content, tag) = protected.split_last_chunk_mut::<TAG_LENGTH>()?;
        let tag = Array(*tag);
        self.packet.decrypt_inout_detached(&Array(nonce), header, (&mut *content).into(), &tag).ok()?;
        Some(content)
    }
}

impl InitialKeys {
    /// From the version and the id that the client's first packet was sent to; none for versions of
    /// which it is not known how.
    pub fn derive(version: Version, destination: &[u8]) -> Option<Self> {
        let Protection { salt, label } = version.protection()?;
        let secret = Hkdf::<Sha256>::new(Some(salt), destination);
        Some(Self {
            sides: PerDirection {
                to_server: SideKeys::derive(&secret, "client", label)?,
                to_client: SideKeys::derive(&secret, "server", label)?,
            },
        })
    }

    /// The frames of a packet, which `packet` is all of; none where it is not what was sent.
    pub fn open<'b>(
        &self,
        direction: Direction,
        packet: &[u8],
        number_at: usize,
        buffer: &'b mut Vec<u8>,
    ) -> Option<&'b [u8]> {
        self.sides[direction].open(packet, number_at, buffer)
    }
}

/// The keys of a conversation. A server may answer in another version than it was spoken to in, whose keys come
/// of the same id (RFC 9369 section 4).
#[derive(Debug)]
pub struct Keyring {
    destination: Box<[u8]>,
    version: Version,
    keys: InitialKeys,
}

impl Keyring {
    /// From the client's first packet; none for versions of which it is not known how.
    pub fn new(version: Version, destination: &[u8]) -> Option<Self> {
        let keys = InitialKeys::derive(version, destination)?;
        Some(Self { destination: destination.into(), version, keys })
    }

    /// The keys of a version.
    pub fn of(&mut self, version: Version) -> Option<&InitialKeys> {
        if self.version != version {
            self.keys = InitialKeys::derive(version, &self.destination)?;
            self.version = version;
        }
        Some(&self.keys)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use weir_base::hex;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
        digits.as_chunks::<2>().0.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect()
    }

    /// A packet of `direction` around frames: `header` up to its packet number, which is added as one byte.
    pub fn protect(
        keys: &InitialKeys,
        direction: Direction,
        header: &[u8],
        number: &[u8],
        frames: &[u8],
    ) -> Vec<u8> {
        let side = &keys.sides[direction];
        let mut packet = [header, number].concat();
        let mut nonce = side.nonce;
        for (nonce, byte) in nonce.iter_mut().rev().zip(number.iter().rev()) {
            *nonce ^= byte;
        }
        let mut content = frames.to_vec();
        let tag = side
            .packet
            .encrypt_inout_detached(&Array(nonce), &packet, content.as_mut_slice().into())
            .unwrap();
        packet.extend(content);
        packet.extend(tag);
        let sample_at = header.len() + SAMPLE_AT;
        let sample: [u8; SAMPLE_LENGTH] = packet[sample_at..sample_at + SAMPLE_LENGTH].try_into().unwrap();
        let mut mask = Block::from(sample);
        side.header.encrypt_block(&mut mask);
        packet[0] ^= mask[0] & PROTECTED;
        for (index, byte) in packet[header.len()..header.len() + number.len()].iter_mut().enumerate() {
            *byte ^= mask[1 + index];
        }
        packet
    }

    /// RFC 9001 appendix A.1 and RFC 9369 appendix A.1: what is derived from one id.
    #[test]
    fn derived_keys() {
        let destination = bytes("8394c8f03e515708");
        let cases = [
            (
                Version::V1,
                "client",
                "quic ",
                "1f369613dd76d5467730efcbe3b1a22d fa044b2f42a3fd3b46fb255c 9f50449e04a0e810283a1e9933adedd2",
            ),
            (
                Version::V1,
                "server",
                "quic ",
                "cf3a5331653c364c88f0f379b6067e37 0ac1493ca1905853b0bba03e c206b8d9b9f0f37644430b490eeaa314",
            ),
            (
                Version::V2,
                "client",
                "quicv2 ",
                "8b1a0bc121284290a29e0971b5cd045d 91f73e2351d8fa91660e909f 45b95e15235d6f45a6b19cbcb0294ba9",
            ),
            (
                Version::V2,
                "server",
                "quicv2 ",
                "82db637861d55e1d011f19ea71d5d2a7 dd13c276499c0249d3310652 edf6d05c83121201b436e16877593c3a",
            ),
        ];
        for (version, name, label, expected) in cases {
            let salt = version.protection().unwrap().salt;
            let secret = Hkdf::<Sha256>::new(Some(salt), &destination);
            let secret: [u8; SECRET_LENGTH] = expand(&secret, [name, " in"]).unwrap();
            let secret = Hkdf::<Sha256>::from_prk(&secret).unwrap();
            let key: [u8; KEY_LENGTH] = expand(&secret, [label, "key"]).unwrap();
            let nonce: [u8; NONCE_LENGTH] = expand(&secret, [label, "iv"]).unwrap();
            let header: [u8; KEY_LENGTH] = expand(&secret, [label, "hp"]).unwrap();
            let derived = [hex::string(&key), hex::string(&nonce), hex::string(&header)].join(" ");
            assert_eq!(derived, expected, "{version:?} {name}");
        }
    }

    /// RFC 9001 appendix A.3 and RFC 9369 appendix A.3: a server's Initial packet.
    #[test]
    fn server_packets() {
        let frames = "02000000000600405a020000560303ee fce7f7b37ba1d1632e96677825ddf739\
            88cfc79825df566dc5430b9a045a1200 130100002e00330024001d00209d3c94\
            0d89690b84d08a60993c144eca684d10 81287c834d5311bcf32bb9da1a002b00 020304";
        let cases = [
            (
                Version::V1,
                "cf000000010008f067a5502a4262b500 4075c0d95a482cd0991cd25b0aac406a\
                 5816b6394100f37a1c69797554780bb3 8cc5a99f5ede4cf73c3ec2493a1839b3\
                 dbcba3f6ea46c5b7684df3548e7ddeb9 c3bf9c73cc3f3bded74b562bfb19fb84\
                 022f8ef4cdd93795d77d06edbb7aaf2f 58891850abbdca3d20398c276456cbc4\
                 2158407dd074ee",
            ),
            (
                Version::V2,
                "dc6b3343cf0008f067a5502a4262b500 4075d92faaf16f05d8a4398c47089698\
                 baeea26b91eb761d9b89237bbf872630 17915358230035f7fd3945d88965cf17\
                 f9af6e16886c61bfc703106fbaf3cb4c fa52382dd16a393e42757507698075b2\
                 c984c707f0a0812d8cd5a6881eaf21ce da98f4bd23f6fe1a3e2c43edd9ce7ca8\
                 4bed8521e2e140",
            ),
        ];
        for (version, packet) in cases {
            let keys = InitialKeys::derive(version, &bytes("8394c8f03e515708")).unwrap();
            let (packet, mut buffer) = (bytes(packet), Vec::new());
            let number_at = packet.len() - 0x75;
            let content = keys.open(Direction::ToClient, &packet, number_at, &mut buffer).unwrap();
            assert_eq!(content, bytes(frames), "{version:?}");
            assert!(keys.open(Direction::ToServer, &packet, number_at, &mut buffer).is_none());
            let mut changed = packet.clone();
            changed[40] ^= 1;
            assert!(keys.open(Direction::ToClient, &changed, number_at, &mut buffer).is_none());
        }
    }

    /// RFC 9001 appendix A.2 and RFC 9369 appendix A.2: the head and the tag of a client's Initial packet.
    #[test]
    fn client_packets() {
        let hello = "060040f1010000ed0303ebf8fa56f129 39b9584a3896472ec40bb863cfd3e868\
            04fe3a47f06a2b69484c000004130113 02010000c000000010000e00000b6578\
            616d706c652e636f6dff01000100000a 00080006001d00170018001000070005\
            04616c706e0005000501000000000033 00260024001d00209370b2c9caa47fba\
            baf4559fedba753de171fa71f50f1ce1 5d43e994ec74d748002b000302030400\
            0d0010000e0403050306030203080408 050806002d00020101001c0002400100\
            3900320408ffffffffffffffff050480 00ffff07048000ffff08011001048000\
            75300901100f088394c8f03e51570806 048000ffff";
        let mut frames = bytes(hello);
        frames.resize(1162, 0);
        let cases = [
            (
                Version::V1,
                "c300000001088394c8f03e5157080000449e",
                "c000000001088394c8f03e5157080000449e7b9aec34",
                "e221af44860018ab0856972e194cd934",
            ),
            (
                Version::V2,
                "d36b3343cf088394c8f03e5157080000449e",
                "d76b3343cf088394c8f03e5157080000449ea0c95e82",
                "a18b2faa745b6fe189cf772a9f84cbfc",
            ),
        ];
        for (version, header, head, tag) in cases {
            let keys = InitialKeys::derive(version, &bytes("8394c8f03e515708")).unwrap();
            let header = bytes(header);
            let packet = protect(&keys, Direction::ToServer, &header, &[0, 0, 0, 2], &frames);
            assert_eq!(packet.len(), 1200);
            let mut buffer = Vec::new();
            let content = keys.open(Direction::ToServer, &packet, header.len(), &mut buffer).unwrap();
            assert_eq!(content, frames);
            assert_eq!(hex::string(&packet[..22]), head, "{version:?}");
            assert_eq!(hex::string(&packet[packet.len() - 16..]), tag, "{version:?}");
        }
    }

    #[test]
    fn any_bytes_are_taken() {
        let keys = InitialKeys::derive(Version::V1, b"").unwrap();
        let mut buffer = Vec::new();
        for length in 0..80 {
            for number_at in [0, 1, length / 2, length, length + 1, usize::MAX] {
                assert!(
                    keys.open(Direction::ToServer, &vec![0xff; length], number_at, &mut buffer).is_none()
                );
            }
        }
        assert!(InitialKeys::derive(Version(0x1a2a_3a4a), b"").is_none());
    }
}
