//! Rarity of a few bytes in traffic, as far as one can say without having seen it.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use ahash::AHasher;

/// Text that very many buffers contain. Bytes found here are never rare.
const COMMONPLACE: &str = "\
    GET / HTTP/1.1\r\nHost: www.\r\nUser-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 \
    (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36\r\nMozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; \
    Trident/7.0)\r\nAccept: text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8\r\n\
    Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\n\
    Referer: https://www.\r\nCookie: PHPSESSID=\r\nPOST /\r\nContent-Type: application/x-www-form-urlencoded\r\n\
    Content-Length: 0\r\nCache-Control: no-cache, max-age=0\r\nPragma: no-cache\r\n\r\nHTTP/1.1 200 OK\r\nDate: \
    GMT\r\nServer: Apache/2.4 nginx\r\nLast-Modified: \r\nETag: \r\nTransfer-Encoding: chunked\r\nX-Powered-By: \
    PHP/\r\nSet-Cookie: path=/; expires=; domain=.\r\nVary: Accept-Encoding\r\nContent-Encoding: gzip\r\nExpires: \
    \r\nLocation: http://\r\nContent-Disposition: attachment; filename=\r\nMozilla Firefox Gecko \
    <!DOCTYPE html><html><head><title></title><meta http-equiv=\"content\" name=\"\"><link rel=\"stylesheet\" \
    href=\"http://www.\"><script type=\"text/javascript\" src=\"\"></script></head><body><div class=\"\" id=\"\"> \
    <a href=\"\"><img src=\"\"><span></span></div><table><tr><td></td></form></body></html> function(var return \
    document.getElementById .com .net .org .php .html .htm .exe .js .css .png .jpg .asp index upload download \
    image login admin user pass name data file update windows microsoft google \x00\x00\x00\x00\x00\x00\
    \x01\x00\x00\x01\x00\x00\x00\x00\x00\x00 This program cannot be run in DOS mode localhost Subject: From: To: \
    multipart/form-data; boundary=------------ \x7f\x7f\x7f\x7f AAAAAAAAAA 0000000000 ========== \x20\x20\x20\x20\x20";

/// Runs of one to four bytes that are commonplace, as [`run`] makes them.
struct CommonRuns {
    runs: HashSet<u64, BuildHasherDefault<AHasher>>,
    /// A bit for each of their hashes: most runs are done with a look at it.
    hashes: Vec<u64>,
}

/// Bits of the number of a hash.
const HASH_BITS: u32 = 15;

static COMMON_RUNS: LazyLock<CommonRuns> = LazyLock::new(|| {
    let runs = (1..=4).flat_map(|width| COMMONPLACE.as_bytes().windows(width)).map(run).collect();
    let mut common = CommonRuns { runs, hashes: vec![0; (1 << HASH_BITS) / 64] };
    for &run in &common.runs {
        let (word, bit) = place(run);
        common.hashes.get_mut(word).into_iter().for_each(|word| *word |= bit);
    }
    common
});

impl CommonRuns {
    fn contains(&self, run: u64) -> bool {
        let (word, bit) = place(run);
        self.hashes.get(word).is_some_and(|word| word & bit != 0) && self.runs.contains(&run)
    }
}

/// Returns where the bit of a run is.
fn place(run: u64) -> (usize, u64) {
    let hash = run.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - HASH_BITS);
    ((hash / 64) as usize, 1 << (hash % 64))
}

/// Returns a few bytes, in lower case, as a number that differs for each such run.
fn run(bytes: &[u8]) -> u64 {
    bytes.iter().fold(1, |run, byte| run << 8 | u64::from(byte.to_ascii_lowercase()))
}

/// Returns the cost of stopping at every occurrence of `bytes`, one to four of them, in no particular unit.
pub(crate) fn cost(bytes: &[u8]) -> u32 {
    let likely =
        bytes.iter().map(|&byte| ROOTS.get(usize::from(byte)).copied().unwrap_or(0.0)).product::<f32>();
    let commonplace = if is_commonplace(bytes) { 50_000 } else { 0 };
    (likely * 1000.0) as u32 + commonplace + 1
}

/// Whether very many buffers contain `bytes`, one to four of them.
pub(crate) fn is_commonplace(bytes: &[u8]) -> bool {
    COMMON_RUNS.contains(run(bytes))
}

/// Returns how frequent a byte, in either case if it is a letter, is in network buffers: up to 255, by a coarse order
/// in which the alphabet of text protocols comes first.
pub(crate) fn frequency(byte: u8) -> u8 {
    FREQUENCIES.get(usize::from(byte)).copied().unwrap_or(0)
}

static FREQUENCIES: LazyLock<[u8; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| assumed_frequency((byte as u8).to_ascii_lowercase())));

/// Roots of the frequencies as shares of the highest.
static ROOTS: LazyLock<[f32; 256]> =
    LazyLock::new(|| FREQUENCIES.map(|byte| (f32::from(byte) / 255.0).sqrt()));

fn assumed_frequency(lower: u8) -> u8 {
    const LETTERS: &[u8] = b"etaoinsrhldcumpfgwybvkxjqz";
    match lower {
        0 => 255,
        b' ' => 250,
        b'a'..=b'z' => {
            let place = LETTERS.iter().position(|&byte| byte == lower).unwrap_or(LETTERS.len());
            240 - 5 * place as u8
        }
        b'/' | b'.' | b'-' | b':' | b'\r' | b'\n' | b'=' => 200,
        b'0'..=b'9' => 180,
        0xff => 150,
        b'!'..=b'~' => 90,
        1..=0x1f => 60,
        _ => 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_bytes_cost_less_than_common_ones() {
        let from_common_to_rare: [&[u8]; 5] = [b"HTTP", b"etaa", b"eqza", b"q#^~", b"\x93\x81\xfe\xa7"];
        assert!(from_common_to_rare.is_sorted_by(|a, b| cost(a) > cost(b)));
    }
}
