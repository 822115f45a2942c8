//! Words and names, made of syllables.

use weir_testkit::Random;

const SYLLABLES: [&str; 32] = [
    "ba", "ke", "lo", "mi", "nu", "pra", "ste", "vor", "win", "xa", "tel", "sor", "qui", "mag", "len", "kor",
    "jin", "hol", "gra", "fen", "dor", "cel", "bri", "ath", "ost", "une", "ire", "emp", "ard", "olk", "yst",
    "zer",
];

/// How many words the traffic uses. Rules use many more, so that few of them match.
pub const SPOKEN: u64 = 600;

/// The word of a number, of two to four syllables.
pub fn word(number: u64) -> String {
    let mut random = Random::new(number.wrapping_mul(0x51ed));
    let count = 2 + random.below(3);
    (0..count).map(|_| SYLLABLES[random.below(SYLLABLES.len() as u64) as usize]).collect()
}

/// A word of the traffic.
pub fn spoken(random: &mut Random) -> String {
    word(random.below(SPOKEN))
}

/// A name of a host.
pub fn host(random: &mut Random) -> String {
    const ENDS: [&str; 5] = ["com", "net", "org", "example", "co.uk"];
    let end = ENDS[random.below(ENDS.len() as u64) as usize];
    match random.below(3) {
        0 => format!("{}.{end}", spoken(random)),
        1 => format!("www.{}.{end}", spoken(random)),
        _ => format!("{}-{}.{}.{end}", spoken(random), random.below(100), spoken(random)),
    }
}

/// So many bytes of text, a line here and there.
pub fn text(random: &mut Random, length: usize) -> String {
    let mut text = String::with_capacity(length + 16);
    while text.len() < length {
        text += &spoken(random);
        text += match random.below(12) {
            0 => "\r\n",
            1 => "</p>\n<p>",
            _ => " ",
        };
    }
    text
}

/// A file's bytes, at most so many: text, or what begins as a document, a picture or a program does.
pub fn content(random: &mut Random, most: u64) -> Vec<u8> {
    const BEGINNINGS: [&[u8]; 4] =
        [b"%PDF-1.7\n", b"PK\x03\x04\x14\0\x06\0", b"\x89PNG\r\n\x1a\n", b"MZ\x90\0\x03"];
    let length = random.below(most) as usize + 1;
    match BEGINNINGS.get(random.below(6) as usize) {
        Some(beginning) => [beginning, &random.bytes(length)[..]].concat(),
        None => text(random, length).into_bytes(),
    }
}
