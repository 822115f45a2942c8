//! In which row of a table a value lies: sets are written row by row, as Suricata writes them where it is
//! told to use no random numbers. The function is Bob Jenkins' lookup3 (2006), begun with zero.

/// The row of `value` in a table of so many rows.
pub(super) fn row(value: &[u8], rows: u32) -> u32 {
    hash(value) % rows.max(1)
}

fn hash(value: &[u8]) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(value.len() as u32);
    let (mut a, mut b, mut c) = (start, start, start);
    // The last block is mixed in another way, also where it is full.
    let full = value.len().saturating_sub(1) / 12 * 12;
    let (blocks, last) = value.split_at_checked(full).unwrap_or((&[], value));
    for block in blocks.chunks_exact(12) {
        add(&mut a, &mut b, &mut c, block);
        mix(&mut a, &mut b, &mut c);
    }
    if last.is_empty() {
        return c;
    }
    add(&mut a, &mut b, &mut c, last);
    finish(a, b, c)
}

fn add(a: &mut u32, b: &mut u32, c: &mut u32, block: &[u8]) {
    for (sum, bytes) in [a, b, c].into_iter().zip(block.chunks(4)) {
        let mut word = [0; 4];
        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        *sum = sum.wrapping_add(u32::from_le_bytes(word));
    }
}

fn mix(a: &mut u32, b: &mut u32, c: &mut u32) {
    let step = |x: &mut u32, y: &mut u32, z: &mut u32, bits: u32| {
        *x = x.wrapping_sub(*z) ^ z.rotate_left(bits);
        *z = z.wrapping_add(*y);
    };
    step(a, b, c, 4);
    step(b, c, a, 6);
    step(c, a, b, 8);
    step(a, b, c, 16);
    step(b, c, a, 19);
    step(c, a, b, 4);
}

fn finish(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    let step = |x: &mut u32, y: u32, bits: u32| *x = (*x ^ y).wrapping_sub(y.rotate_left(bits));
    step(&mut c, b, 14);
    step(&mut a, c, 11);
    step(&mut b, a, 25);
    step(&mut c, b, 16);
    step(&mut a, c, 4);
    step(&mut b, a, 14);
    step(&mut c, b, 24);
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_its_author_publishes() {
        let cases: [(&[u8], u32); 2] = [(b"", 0xdead_beef), (b"Four score and seven years ago", 0x1777_0551)];
        for (value, expected) in cases {
            assert_eq!(hash(value), expected);
        }
    }

    #[test]
    fn rows() {
        let cases: [(&[u8], u32); 3] = [(b"param", 3213), (b"param2", 2544), (b"param3", 1894)];
        for (value, expected) in cases {
            assert_eq!(row(value, 4096), expected);
        }
        assert_eq!(row(b"x", 0), 0);
    }
}
