//! Measures every back end over sets of several sizes, in GB/s of one thread's processor time.
//!
//! `cargo run --release --example matchers -p weir-mpm [sizes…]`

#![allow(clippy::indexing_slicing)]

use std::time::{Duration, Instant};

use weir_mpm::{Backend, Literal, MatchScratch, MultiMatcher, PatternSet};

const BACKENDS: [Backend; 6] = [
    Backend::Memmem,
    Backend::Teddy,
    Backend::DoubleArray,
    Backend::Fingerprint,
    Backend::Hyperscan,
    Backend::Auto,
];
const SIZES: [usize; 12] = [1, 2, 3, 8, 16, 32, 64, 128, 200, 500, 2_000, 20_000];
/// Buffers as a prefilter sees them.
const BUFFER_LENGTHS: [usize; 3] = [64, 1024, 16 * 1024];
const HAYSTACK_BYTES: usize = 8 << 20;
const SPENT_PER_FIGURE: Duration = Duration::from_millis(250);

fn main() {
    let chosen: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    let sizes = if chosen.is_empty() { SIZES.to_vec() } else { chosen };
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let haystack = haystack(&mut numbers);
    println!("GB/s, buffers of {BUFFER_LENGTHS:?} bytes; milliseconds to build; KiB; patterns found");
    for size in sizes {
        let literals = literals(size, &mut numbers);
        for backend in BACKENDS {
            measure(&literals, backend, &haystack);
        }
    }
}

fn measure(literals: &[Literal], backend: Backend, haystack: &[u8]) {
    if backend == Backend::Memmem && literals.len() > 64 {
        return;
    }
    let started = Instant::now();
    let Ok(matcher) = MultiMatcher::build(literals.to_vec(), backend) else { return };
    let build = started.elapsed();
    let mut scratch = MatchScratch::for_matchers([&matcher]);
    let mut found = PatternSet::with_bound(matcher.id_bound());
    let mut figures = String::new();
    let mut sum = 0;
    for length in BUFFER_LENGTHS {
        sum = scan(&matcher, haystack, length, &mut scratch, &mut found);
        let started = Instant::now();
        let mut bytes = 0usize;
        while started.elapsed() < SPENT_PER_FIGURE {
            scan(&matcher, haystack, length, &mut scratch, &mut found);
            bytes += haystack.len();
        }
        figures += &format!("{:>7.2}", bytes as f64 / started.elapsed().as_nanos() as f64);
    }
    println!(
        "{:>6} {:<12}{figures} {:>8.1} {:>8} {sum:>8}  {:?}",
        literals.len(),
        format!("{backend:?}"),
        build.as_secs_f64() * 1e3,
        matcher.memory() / 1024,
        matcher.backend()
    );
}

/// Scans the haystack in buffers of `length` and counts the distinct patterns of each.
fn scan(
    matcher: &MultiMatcher,
    haystack: &[u8],
    length: usize,
    scratch: &mut MatchScratch,
    found: &mut PatternSet,
) -> usize {
    let mut sum = 0;
    for buffer in haystack.chunks(length) {
        matcher.find_set(buffer, scratch, found);
        sum += found.len();
        found.clear();
    }
    sum
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

/// Words, heads of HTTP requests and binary runs in turn.
fn haystack(numbers: &mut Numbers) -> Vec<u8> {
    let mut haystack = Vec::with_capacity(HAYSTACK_BYTES + 4096);
    while haystack.len() < HAYSTACK_BYTES {
        match numbers.below(4) {
            0 => haystack.extend((0..512).map(|_| numbers.below(256) as u8)),
            1 => {
                for _ in 0..120 {
                    for _ in 0..1 + numbers.below(9) {
                        haystack.push(numbers.letter());
                    }
                    haystack.push(b' ');
                }
            }
            _ => {
                let page = numbers.below(100_000);
                haystack.extend_from_slice(
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
            }
        }
    }
    haystack
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
