//! The algorithms that a side offers (RFC 4253 7.1), what two sides agree on, and hassh, the fingerprint
//! of what one offers.

use md5::{Digest, Md5};
use weir_base::{Direction, PerDirection, Reader, hex};

/// Random bytes before the lists.
const COOKIE: usize = 16;

/// Number of lists.
const LISTS: usize = 10;

/// A list of algorithms, by its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// Key exchange algorithms.
    Kex,
    /// Kinds of the server's key.
    HostKey,
    /// Ciphers of what is sent in a direction.
    Cipher(Direction),
    /// Message authentication codes.
    Mac(Direction),
    /// Compression.
    Compression(Direction),
    /// Languages.
    Language(Direction),
}

impl List {
    const fn place(self) -> usize {
        match self {
            List::Kex => 0,
            List::HostKey => 1,
            List::Cipher(direction) => 2 + direction as usize,
            List::Mac(direction) => 4 + direction as usize,
            List::Compression(direction) => 6 + direction as usize,
            List::Language(direction) => 8 + direction as usize,
        }
    }
}

/// The algorithms that a side offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyExchange {
    body: Box<[u8]>,
    /// Where each list begins and ends in the body.
    lists: [(u32, u32); LISTS],
}

impl KeyExchange {
    /// Bytes that it takes beside itself.
    pub fn memory(&self) -> usize {
        self.body.len()
    }

    /// Reads the message behind its number.
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(body);
        reader.skip(COOKIE)?;
        let mut lists = [(0, 0); LISTS];
        for list in &mut lists {
            let length = reader.u32()?;
            let start = u32::try_from(body.len() - reader.rest().len()).ok()?;
            reader.skip(usize::try_from(length).ok()?)?;
            *list = (start, start + length);
        }
        let end = lists.last().map_or(0, |&(_, end)| end as usize);
        Some(Self { body: body.get(..end)?.into(), lists })
    }

    /// The random bytes before the lists.
    pub fn cookie(&self) -> &[u8] {
        self.body.get(..COOKIE).unwrap_or_default()
    }

    /// The names of a list, with commas between them.
    pub fn list(&self, list: List) -> &[u8] {
        let Some(&(start, end)) = self.lists.get(list.place()) else { return &[] };
        self.body.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The names of a list.
    pub fn names(&self, list: List) -> impl Iterator<Item = &[u8]> {
        self.list(list).split(|&byte| byte == b',')
    }
}

/// Algorithms offered by a side that sends in one direction, and their MD5: hassh for clients, hasshServer for servers,
/// after Salesforce's specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hassh {
    /// The lists, with semicolons between them.
    pub string: Vec<u8>,
    /// The MD5 of that.
    pub hash: String,
}

impl Hassh {
    /// The fingerprint of the side that sends in `direction`.
    pub fn of(offer: &KeyExchange, direction: Direction) -> Self {
        let lists = [List::Kex, List::Cipher(direction), List::Mac(direction), List::Compression(direction)];
        let string = lists.map(|list| offer.list(list)).join(&b';');
        let hash = hex::string(&Md5::digest(&string));
        Self { string, hash }
    }
}

/// Algorithms that both sides offer.
#[derive(Clone, Copy, Debug)]
pub struct Offers<'a> {
    /// The client's and the server's.
    pub sides: PerDirection<&'a KeyExchange>,
}

impl<'a> Offers<'a> {
    /// The client's first name that the server has, too. Lists are read no further than
    /// [`MAX_NAMES`](Self::MAX_NAMES).
    pub fn agreed(self, list: List) -> Option<&'a [u8]> {
        let PerDirection { to_server: client, to_client: server } = self.sides;
        let mut names = client.names(list).take(Self::MAX_NAMES).filter(|name| !name.is_empty());
        names.find(|name| server.names(list).take(Self::MAX_NAMES).any(|other| other == *name))
    }

    /// Most names of a list that are compared.
    pub const MAX_NAMES: usize = 256;

    /// Whether keys are exchanged in a group that the server chooses.
    pub fn exchanges_groups(self) -> bool {
        self.agreed(List::Kex).is_some_and(|name| name.starts_with(b"diffie-hellman-group-exchange-"))
    }

    /// Whether keys are exchanged with RSA.
    pub fn uses_rsa(self) -> bool {
        self.agreed(List::Kex).is_some_and(|name| matches!(name, b"rsa1024-sha1" | b"rsa2048-sha256"))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A message with these lists behind its number.
    pub(crate) fn build(lists: [&str; 8]) -> Vec<u8> {
        let mut body = vec![7; COOKIE];
        for list in lists.iter().chain(&["", ""]) {
            body.extend_from_slice(&(list.len() as u32).to_be_bytes());
            body.extend_from_slice(list.as_bytes());
        }
        body.extend_from_slice(&[0; 5]);
        body
    }

    #[test]
    fn fingerprints_of_both_sides() {
        let offer =
            KeyExchange::read(&build(["kex,k2", "rsa", "cu", "cd", "mu", "md", "none", "zlib"])).unwrap();
        for (direction, string) in
            [(Direction::ToServer, "kex,k2;cu;mu;none"), (Direction::ToClient, "kex,k2;cd;md;zlib")]
        {
            let hassh = Hassh::of(&offer, direction);
            assert_eq!(hassh.string, string.as_bytes());
            assert_eq!(hassh.hash, hex::string(&Md5::digest(string)));
        }
        assert_eq!(offer.list(List::HostKey), b"rsa");
    }

    #[test]
    fn messages_that_end_early() {
        let whole = build(["kex", "rsa", "a", "b", "c", "d", "e", "f"]);
        for length in 0..whole.len() - 5 {
            assert_eq!(KeyExchange::read(&whole[..length]), None, "{length}");
        }
        assert!(KeyExchange::read(&whole[..whole.len() - 5]).is_some());
    }

    #[test]
    fn the_clients_first_choice_counts() {
        let offer = |kex| KeyExchange::read(&build([kex, "", "", "", "", "", "", ""])).unwrap();
        for (client, server, expected) in
            [("a,b", "b,a", Some("a")), ("x,b", "b,a", Some("b")), ("x", "b,a", None), ("", "", None)]
        {
            let sides = PerDirection { to_server: &offer(client), to_client: &offer(server) };
            let agreed = Offers { sides }.agreed(List::Kex);
            assert_eq!(agreed, expected.map(str::as_bytes), "{client} {server}");
        }
    }
}
