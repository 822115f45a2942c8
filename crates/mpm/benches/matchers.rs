//! Measures matchers: GB in a second of one thread's processor time, by the number of literals and the text.
//!
//! `cargo bench -p weir-mpm` prints the table of docs/performance.md: what Weir takes by itself, Hyperscan where it is built in, and
//! the crate aho-corasick. `-- all` prints all back ends, `-- NUMBER…` other numbers of literals. The last column is the rate
//! of the worst text that is known for the set as a share of that of HTTP; below a third the exit code is 1.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used)]

use std::process::ExitCode;
use std::time::Duration;

use aho_corasick::{AhoCorasick, MatchKind};
use rustix::time::{ClockId, clock_gettime};
use weir_mpm::{Backend, Literal, MatchScratch, MultiMatcher, PatternSet};

const COUNTS: [usize; 4] = [20, 200, 2_000, 20_000];
/// Buffers as a prefilter sees them.
const BUFFER: usize = 1024;
const TEXT: usize = 4 << 20;
/// Processor time for a figure, which is the best of so many.
const SPENT: Duration = Duration::from_millis(60);
const TRIES: usize = 5;
/// Literals that the worst text is made of, one after the other.
const WORST_LITERALS: usize = 24;
/// The least share of the rate of HTTP that any text has.
const FLOOR: f64 = 1.0 / 3.0;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let counts = if chosen.is_empty() { COUNTS.to_vec() } else { chosen };
    let others: &[Backend] = if words.iter().any(|word| word == "all") {
        &[Backend::Memmem, Backend::Teddy, Backend::DoubleArray, Backend::Fingerprint, Backend::Hyperscan]
    } else {
        &[Backend::Hyperscan]
    };
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let texts = [("HTTP", http(&mut numbers)), ("TLS", tls(&mut numbers)), ("random", random(&mut numbers))];
    let names: String = others.iter().map(|backend| format!(" {backend:?} |")).collect();
    println!("| literals | text | Weir |{names} aho-corasick | of HTTP |");
    println!("|---:|---|---:|{}---:|---:|", "---:|".repeat(others.len()));
    let mut is_slow = false;
    for count in counts {
        let literals = literals(count, &mut numbers);
        let own = Matcher::own(&literals, Backend::Auto);
        let worst = worst(&literals, own.as_ref());
        let mut matchers = vec![own];
        matchers.extend(others.iter().map(|backend| Matcher::own(&literals, *backend)));
        matchers.push(Matcher::aho_corasick(&literals));
        let mut of_http = None;
        for (name, text) in texts.iter().map(|(name, text)| (*name, text)).chain([("worst", &worst)]) {
            let mut rates: Vec<Option<f64>> = vec![None; matchers.len()];
            // In turns, so that what else the machine does is shared.
            for _ in 0..TRIES {
                for (matcher, rate) in matchers.iter().zip(&mut rates) {
                    let Some(matcher) = matcher else { continue };
                    *rate = Some(matcher.rate(text, SPENT).max(rate.unwrap_or(0.0)));
                }
            }
            let share = rates[0].unwrap_or(0.0) / *of_http.get_or_insert(rates[0].unwrap_or(0.0));
            is_slow |= share < FLOOR;
            let figures: String = rates
                .iter()
                .map(|rate| rate.map_or_else(|| " |".to_owned(), |rate| format!(" {rate:.2} |")))
                .collect();
            println!("| {count} | {name} |{figures} {share:.2} |");
        }
    }
    if is_slow {
        eprintln!("matchers: a text is slower than a third of HTTP");
    }
    ExitCode::from(u8::from(is_slow))
}

/// A matcher that is measured.
enum Matcher {
    Own(Box<MultiMatcher>),
    /// Of literals as they are written, since it knows one way for all.
    AhoCorasick(Box<AhoCorasick>),
}

impl Matcher {
    /// None where the back end cannot take the set, or is not built in.
    fn own(literals: &[Literal], backend: Backend) -> Option<Self> {
        if backend == Backend::Memmem && literals.len() > 64 {
            return None;
        }
        MultiMatcher::build(literals.to_vec(), backend).ok().map(|matcher| Self::Own(Box::new(matcher)))
    }

    fn aho_corasick(literals: &[Literal]) -> Option<Self> {
        let patterns = literals.iter().map(|literal| &literal.bytes);
        let matcher = AhoCorasick::builder().match_kind(MatchKind::Standard).build(patterns).ok()?;
        Some(Self::AhoCorasick(Box::new(matcher)))
    }

    /// Searches a text in buffers for so long. Returns GB in a second.
    fn rate(&self, text: &[u8], spent: Duration) -> f64 {
        let mut bytes = 0_usize;
        let mut matches = 0_usize;
        let started = processor_time();
        let mut scratch = match self {
            Self::Own(matcher) => MatchScratch::for_matchers([&**matcher]),
            Self::AhoCorasick(_) => MatchScratch::new(),
        };
        let mut found = PatternSet::with_bound(match self {
            Self::Own(matcher) => matcher.id_bound(),
            Self::AhoCorasick(_) => 0,
        });
        for (number, buffer) in text.chunks(BUFFER).cycle().enumerate() {
            match self {
                Self::Own(matcher) => {
                    matcher.find_set(buffer, &mut scratch, &mut found);
                    matches += found.len();
                    found.clear();
                }
                Self::AhoCorasick(matcher) => matches += matcher.find_overlapping_iter(buffer).count(),
            }
            bytes += buffer.len();
            if number % 64 == 63 && processor_time() - started >= spent {
                break;
            }
        }
        std::hint::black_box(matches);
        bytes as f64 / (processor_time() - started).as_nanos() as f64
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Returns the text that takes longest of those that are known: literals without their last byte, all of them in turn or
/// one over and over, so that each place looks as if one began.
fn worst(literals: &[Literal], matcher: Option<&Matcher>) -> Vec<u8> {
    let cut = |literal: &Literal| literal.bytes[..literal.bytes.len() - 1].to_vec();
    let all = literals.iter().flat_map(cut).collect::<Vec<u8>>();
    let single = literals.iter().step_by((literals.len() / WORST_LITERALS).max(1)).map(cut);
    let heads = single.clone().map(|bytes| bytes[..bytes.len().min(4)].to_vec());
    let candidates = single.chain(heads).chain([all, vec![0], vec![b' ']]);
    let texts = candidates.map(|bytes| repeated(&bytes));
    let rate = |text: &Vec<u8>| matcher.map_or(0.0, |matcher| matcher.rate(text, SPENT / 6));
    texts.map(|text| (rate(&text), text)).min_by(|one, other| one.0.total_cmp(&other.0)).unwrap().1
}

fn repeated(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().cycle().take(TEXT).collect()
}

/// Half words as rules look for them, half mixed bytes; 4 to 20 bytes, 30 % in any case.
fn literals(count: usize, numbers: &mut Numbers) -> Vec<Literal> {
    (0..count as u32)
        .map(|id| {
            let length = 4 + numbers.below(17);
            let bytes: Vec<u8> = match numbers.below(2) {
                0 => (0..length).map(|_| numbers.letter()).collect(),
                _ => (0..length).map(|_| 33 + numbers.below(94) as u8).collect(),
            };
            Literal::new(bytes, numbers.below(10) < 3, id)
        })
        .collect()
}

/// Heads of requests, and pages of words.
fn http(numbers: &mut Numbers) -> Vec<u8> {
    let mut text = Vec::with_capacity(TEXT + 4096);
    while text.len() < TEXT {
        let page = numbers.below(100_000);
        text.extend_from_slice(
            format!(
                "GET /static/page/{page}?id={} HTTP/1.1\r\nHost: www.example{}.com\r\n\
                 User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n\
                 Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
                 Accept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\n\
                 Cookie: session={:016x}\r\n\r\n",
                numbers.below(1000),
                numbers.below(50),
                numbers.0
            )
            .as_bytes(),
        );
        for _ in 0..100 {
            for _ in 0..1 + numbers.below(9) {
                text.push(numbers.letter());
            }
            text.push(b' ');
        }
    }
    text
}

/// Hellos with names, certificates, and records that nobody can read.
fn tls(numbers: &mut Numbers) -> Vec<u8> {
    let mut text = Vec::with_capacity(TEXT + 65_536);
    while text.len() < TEXT {
        text.extend_from_slice(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
        text.extend((0..64).map(|_| numbers.below(256) as u8));
        text.extend_from_slice(b"\x13\x01\x13\x02\x13\x03\xc0\x2b\xc0\x2f\xc0\x2c\xc0\x30\x00\x00");
        text.extend_from_slice(format!("www.example{}.com", numbers.below(1000)).as_bytes());
        for _ in 0..3 {
            text.extend_from_slice(b"0\x82\x05\x1a\xa0\x03\x02\x01\x02\x02\x10");
            for attribute in [3_u8, 6, 10, 11] {
                text.extend_from_slice(&[0x31, 0x0b, 0x30, 0x09, 0x06, 0x03, 0x55, 0x04, attribute, 0x13]);
                text.extend((0..12).map(|_| numbers.letter()));
            }
            text.extend((0..700).map(|_| numbers.below(256) as u8));
        }
        for _ in 0..12 {
            text.extend_from_slice(b"\x17\x03\x03\x05\x78");
            text.extend((0..1400).map(|_| numbers.below(256) as u8));
        }
    }
    text
}

fn random(numbers: &mut Numbers) -> Vec<u8> {
    (0..TEXT).map(|_| numbers.below(256) as u8).collect()
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// A lower-case letter, as often as English has it.
    fn letter(&mut self) -> u8 {
        const LETTERS: &[u8] = b"eeeeeeettttttaaaaaooooiiiinnnnsssshhhrrrddlluucmwfgypbvkjxqz";
        LETTERS[self.below(LETTERS.len() as u64) as usize]
    }
}
