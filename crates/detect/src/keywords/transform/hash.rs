//! Hashes, as raw bytes.

use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;

pub(super) fn to_md5(input: &[u8], output: &mut Vec<u8>) {
    output.extend_from_slice(&Md5::digest(input));
}

pub(super) fn to_sha1(input: &[u8], output: &mut Vec<u8>) {
    output.extend_from_slice(&Sha1::digest(input));
}

pub(super) fn to_sha256(input: &[u8], output: &mut Vec<u8>) {
    output.extend_from_slice(&Sha256::digest(input));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        let cases: [(super::super::Apply, &str); 3] = [
            (to_md5, "900150983cd24fb0d6963f7d28e17f72"),
            (to_sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (to_sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ];
        for (apply, expected) in cases {
            let mut output = Vec::new();
            apply(b"abc", &mut output);
            assert_eq!(weir_base::hex::string(&output), expected);
        }
    }
}
