//! Fragments that overlap. Places and lengths count in blocks of eight bytes, the unit of fragments;
//! what the host reads is written with one letter for each block.

use crate::Frame;

/// The policies of fragments, by the names that are usual for them.
pub const FRAGMENT_POLICIES: [&str; 7] = ["bsd", "bsd-right", "linux", "first", "last", "solaris", "windows"];

/// Bytes of a block.
const BLOCK: usize = 8;

/// A fragment: its first block, how many there are, what they are filled with, and whether it says
/// to be the last.
#[derive(Clone, Copy, Debug)]
pub struct Piece(pub u16, pub usize, pub char, pub bool);

impl Piece {
    /// Returns the bytes that it carries.
    pub fn bytes(&self) -> Vec<u8> {
        vec![self.2 as u8; self.1 * BLOCK]
    }

    /// As an IPv4 packet.
    pub fn ipv4(&self) -> Vec<u8> {
        Frame::bare()
            .ipv4("10.0.0.1", "10.0.0.2")
            .ip_id(7)
            .fragment(self.0 * BLOCK as u16, !self.3)
            .protocol(253)
            .payload(self.bytes())
            .build()
    }

    /// As an IPv6 packet.
    pub fn ipv6(&self) -> Vec<u8> {
        let [high, low] = ((self.0 * BLOCK as u16) | u16::from(!self.3)).to_be_bytes();
        let fragment = [0, high, low, 0, 0, 0, 7];
        Frame::bare().ipv6("::1", "::2").extension(44, &fragment).payload(self.bytes()).build()
    }
}

/// A case of one packet's fragments.
#[derive(Clone, Debug)]
pub struct FragmentCase {
    /// Case in a few words.
    pub name: &'static str,
    /// The fragments in the order sent.
    pub pieces: Vec<Piece>,
    /// Reading of the host, by its policy; an empty list of policies stands for all others.
    reads: Vec<(&'static [&'static str], &'static str)>,
}

impl FragmentCase {
    fn new(name: &'static str, pieces: &[Piece], reads: &[(&'static [&'static str], &'static str)]) -> Self {
        Self { name, pieces: pieces.to_vec(), reads: reads.to_vec() }
    }

    /// Returns the reading of a host of this policy, a letter for each block.
    pub fn reads(&self, policy: &str) -> &'static str {
        let listed = self.reads.iter().find(|(policies, _)| policies.contains(&policy));
        let others = || self.reads.iter().find(|(policies, _)| policies.is_empty());
        listed.or_else(others).map(|(_, bytes)| *bytes).unwrap_or_else(|| panic!("{}: {policy}", self.name))
    }

    /// The letters of a payload's blocks.
    pub fn letters(payload: &[u8]) -> String {
        payload.chunks(BLOCK).map(|block| char::from(block[0])).collect()
    }
}

/// Every way in which `n` can lie over `ooo`, which came first and is at 2. What comes before and
/// after both is sent last.
fn over(
    name: &'static str,
    new: (u16, usize),
    reads: &[(&'static [&'static str], &'static str)],
) -> FragmentCase {
    let (start, end) = (new.0.min(2), (new.0 + new.1 as u16).max(5));
    let after = Piece(end, usize::from(7 - end), 'z', true);
    let pieces =
        [Piece(2, 3, 'o', false), Piece(new.0, new.1, 'n', false), Piece(0, start.into(), 'a', false), after];
    FragmentCase::new(name, &pieces, reads)
}

/// The cases.
pub fn fragment_cases() -> Vec<FragmentCase> {
    vec![
        over(
            "begins before, ends before",
            (1, 3),
            &[(&["bsd", "linux", "last"], "annnozz"), (&[], "anooozz")],
        ),
        over(
            "begins before, ends with it",
            (1, 4),
            &[(&["bsd", "linux", "last", "solaris"], "annnnzz"), (&[], "anooozz")],
        ),
        over("begins before, ends after", (1, 5), &[(&["first", "bsd-right"], "anooonz"), (&[], "annnnnz")]),
        over(
            "begins with it, ends before",
            (2, 2),
            &[(&["bsd-right", "linux", "last"], "aannozz"), (&[], "aaooozz")],
        ),
        over("the same place", (2, 3), &[(&["bsd-right", "linux", "last"], "aannnzz"), (&[], "aaooozz")]),
        over(
            "begins with it, ends after",
            (2, 4),
            &[(&["bsd-right", "linux", "last"], "aannnnz"), (&[], "aaooonz")],
        ),
        over("begins after, ends before", (3, 1), &[(&["bsd-right", "last"], "aaonozz"), (&[], "aaooozz")]),
        over("begins after, ends with it", (3, 2), &[(&["bsd-right", "last"], "aaonnzz"), (&[], "aaooozz")]),
        over("begins after, ends after", (3, 3), &[(&["bsd-right", "last"], "aaonnnz"), (&[], "aaooonz")]),
        FragmentCase::new(
            "the series of Novak and Sturges",
            &[
                Piece(0, 3, 'A', false),
                Piece(4, 2, 'B', false),
                Piece(6, 3, 'C', false),
                Piece(10, 1, 'D', false),
                Piece(13, 2, 'E', false),
                Piece(15, 3, 'F', false),
                Piece(18, 2, 'G', false),
                Piece(20, 2, 'H', false),
                Piece(22, 1, 'I', false),
                Piece(1, 4, 'J', false),
                Piece(6, 3, 'K', false),
                Piece(9, 3, 'L', false),
                Piece(12, 3, 'M', false),
                Piece(16, 1, 'N', false),
                Piece(19, 1, 'O', false),
                Piece(20, 1, 'P', false),
                Piece(22, 2, 'Q', true),
            ],
            &[
                (&["bsd"], "AAAJJBCCCLLLMMMFFFGGHHIQ"),
                (&["bsd-right"], "AJJJBBKKKLDLMEEFNFGOPHQQ"),
                (&["linux"], "AAAJJBKKKLLLMMMFFFGGPHQQ"),
                (&["windows"], "AAAJBBCCCLLLMEEFFFGGHHIQ"),
                (&["solaris"], "AAAJBBCCCLLLMMMFFFGGHHIQ"),
                (&["first"], "AAAJBBCCCLDLMEEFFFGGHHIQ"),
                (&["last"], "AJJJJBKKKLLLMMMFNFGOPHQQ"),
            ],
        ),
        FragmentCase::new(
            "the series of Shankar and Paxson",
            &[
                Piece(0, 3, '1', false),
                Piece(4, 2, '2', false),
                Piece(6, 3, '3', false),
                Piece(1, 4, '4', false),
                Piece(6, 3, '5', false),
                Piece(9, 3, '6', true),
            ],
            &[
                (&["bsd"], "111442333666"),
                (&["bsd-right"], "144422555666"),
                (&["linux"], "111442555666"),
                (&["last"], "144442555666"),
                (&[], "111422333666"),
            ],
        ),
        FragmentCase::new(
            "over the begin of the last one",
            &[Piece(1, 3, 'E', true), Piece(0, 3, 'M', false)],
            &[(&["bsd", "linux", "last"], "MMME"), (&[], "MEEE")],
        ),
        FragmentCase::new(
            "the last one first, then over each other",
            &[
                Piece(3, 2, 'A', true),
                Piece(1, 2, 'B', false),
                Piece(2, 2, 'C', false),
                Piece(0, 1, 'D', false),
            ],
            &[(&["bsd", "linux"], "DBBCA"), (&["bsd-right"], "DBCAA"), (&["last"], "DBCCA"), (&[], "DBBAA")],
        ),
        FragmentCase::new(
            "over one, with a hole before it",
            &[
                Piece(0, 3, 'A', false),
                Piece(5, 6, 'B', false),
                Piece(3, 6, 'C', false),
                Piece(11, 2, 'D', true),
            ],
            &[(&["bsd", "linux", "last"], "AAACCCCCCBBDD"), (&[], "AAACCBBBBBBDD")],
        ),
        FragmentCase::new(
            "more after the last one",
            &[Piece(2, 1, 'C', false), Piece(0, 1, 'A', false), Piece(1, 1, 'B', true)],
            &[(&[], "AB")],
        ),
        FragmentCase::new(
            "two that say to be the last",
            &[Piece(2, 1, 'C', true), Piece(1, 1, 'B', true), Piece(0, 1, 'A', false)],
            &[(&[], "AB")],
        ),
        FragmentCase::new(
            "two that say to be the last, the nearer one first",
            &[Piece(1, 1, 'B', true), Piece(2, 1, 'C', true), Piece(0, 1, 'A', false)],
            &[(&[], "AB")],
        ),
        FragmentCase::new(
            "the end first",
            &[
                Piece(3, 1, 'D', true),
                Piece(2, 1, 'C', false),
                Piece(1, 1, 'B', false),
                Piece(0, 1, 'A', false),
            ],
            &[(&[], "ABCD")],
        ),
    ]
}
