//! Paths, answers and timestamps of certificates that are made here, with keys that are made here.

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::der::{Parts, append, tag};
use super::{Certificate, answer, path, timestamp};

const ECDSA: &[u8] = b"\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02";
const KEY: &[u8] = b"\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07";
const SHA1: &[u8] = b"\x30\x07\x06\x05\x2b\x0e\x03\x02\x1a";

/// The moment of most tests, between the years 2020 and 2030.
const NOW: i64 = 1_750_000_000;

fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    append(&mut out, tag, &parts.concat());
    out
}

/// Someone with a name and a key.
struct Owner {
    name: Vec<u8>,
    key: EcdsaKeyPair,
}

impl Owner {
    fn new(name: &str) -> Self {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pair.as_ref(), &random).unwrap();
        let part = der(tag::SEQUENCE, &[b"\x06\x03\x55\x04\x03", &der(0x0c, &[name.as_bytes()])]);
        Self { name: der(tag::SEQUENCE, &[&der(0x31, &[&part])]), key }
    }

    fn key_info(&self) -> Vec<u8> {
        der(tag::SEQUENCE, &[KEY, &der(tag::BITS, &[&[0], self.key.public_key().as_ref()])])
    }

    fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.key.sign(&SystemRandom::new(), bytes).unwrap().as_ref().to_vec()
    }

    /// Makes a certificate of somebody.
    fn certify(&self, whom: &Self, made: &Made<'_>) -> Vec<u8> {
        let algorithm = der(tag::SEQUENCE, &[ECDSA]);
        let time = |year: &str| der(tag::GENERALIZED_TIME, &[year.as_bytes(), b"0101000000Z"]);
        let validity = der(tag::SEQUENCE, &[&time(made.years.0), &time(made.years.1)]);
        let mut parts = vec![
            der(tag::EXPLICIT_0, &[&der(tag::INTEGER, &[&[2]])]),
            der(tag::INTEGER, &[&[made.serial]]),
            algorithm.clone(),
            self.name.clone(),
            validity,
            whom.name.clone(),
            whom.key_info(),
        ];
        let extensions = made.extensions.concat();
        if !extensions.is_empty() {
            parts.push(der(tag::EXPLICIT_3, &[&der(tag::SEQUENCE, &[&extensions])]));
        }
        let signed = der(tag::SEQUENCE, &[&parts.concat()]);
        let signature = self.sign(&signed);
        der(tag::SEQUENCE, &[&signed, &algorithm, &der(tag::BITS, &[&[0], &signature])])
    }

    /// Makes an answer on the certificate of a number.
    fn answer(&self, issuer: &[u8], serial: u8, status: &[u8], sent: &[&[u8]]) -> Vec<u8> {
        let issuer = Parts::of(issuer).unwrap();
        let digest = |bytes: &[u8]| der(tag::OCTETS, &[&Sha1::digest(bytes)]);
        let number = der(tag::INTEGER, &[&[serial]]);
        let id = der(tag::SEQUENCE, &[SHA1, &digest(issuer.subject), &digest(issuer.key), &number]);
        let time = |year: &str| der(tag::GENERALIZED_TIME, &[year.as_bytes(), b"0101000000Z"]);
        let next = der(tag::EXPLICIT_0, &[&time("2026")]);
        let single = der(tag::SEQUENCE, &[&id, status, &time("2025"), &next]);
        let responder = der(tag::EXPLICIT_1, &[&self.name]);
        let data = der(tag::SEQUENCE, &[&responder, &time("2025"), &der(tag::SEQUENCE, &[&single])]);
        let signature = der(tag::BITS, &[&[0], &self.sign(&data)]);
        let sent = der(tag::EXPLICIT_0, &[&der(tag::SEQUENCE, sent)]);
        let basic = der(tag::SEQUENCE, &[&data, &der(tag::SEQUENCE, &[ECDSA]), &signature, &sent]);
        let kind = b"\x06\x09\x2b\x06\x01\x05\x05\x07\x30\x01\x01";
        let bytes = der(tag::SEQUENCE, &[kind, &der(tag::OCTETS, &[&basic])]);
        der(tag::SEQUENCE, &[&der(tag::ENUMERATED, &[&[0]]), &der(tag::EXPLICIT_0, &[&bytes])])
    }
}

/// What a certificate is made with.
struct Made<'a> {
    serial: u8,
    years: (&'a str, &'a str),
    extensions: Vec<Vec<u8>>,
}

fn plain() -> Made<'static> {
    Made { serial: 1, years: ("2020", "2030"), extensions: Vec::new() }
}

fn extension(oid: &[u8], is_critical: bool, value: &[u8]) -> Vec<u8> {
    let critical: &[u8] = if is_critical { b"\x01\x01\xff" } else { b"" };
    der(tag::SEQUENCE, &[&der(tag::OID, &[oid]), critical, &der(tag::OCTETS, &[value])])
}

fn authority(most: Option<u8>) -> Made<'static> {
    let most = most.map(|most| der(tag::INTEGER, &[&[most]])).unwrap_or_default();
    let constraints = der(tag::SEQUENCE, &[b"\x01\x01\xff", &most]);
    Made { extensions: vec![extension(b"\x55\x1d\x13", true, &constraints)], ..plain() }
}

#[test]
fn paths_to_roots() {
    let [root, middle, low, server] = ["Root", "Middle", "Low", "server"].map(Owner::new);
    let other = Owner::new("Root");
    let root_der = root.certify(&root, &authority(None));
    let other_der = other.certify(&other, &authority(None));
    let middle_der = root.certify(&middle, &authority(None));
    let low_der = middle.certify(&low, &authority(None));
    let short_der = root.certify(&middle, &authority(Some(0)));
    let plain_der = root.certify(&middle, &plain());
    let own = middle.certify(&server, &plain());
    let deep = low.certify(&server, &plain());
    let own_name = server.certify(&server, &plain());
    let odd =
        middle.certify(&server, &Made { extensions: vec![extension(b"\x2a\x03", true, b"")], ..plain() });
    let roots: &[&[u8]] = &[&root_der];
    let old = Made { years: ("2020", "2024"), ..plain() };
    let old = middle.certify(&server, &old);
    let young = middle.certify(&server, &Made { years: ("2029", "2030"), ..plain() });
    let old_middle = root.certify(&middle, &Made { years: ("2020", "2024"), ..authority(None) });
    // What was signed, the rest of the chain, the roots, and the code or the length of the path.
    type Case<'a> = (&'a [u8], &'a [&'a [u8]], &'a [&'a [u8]], Result<usize, i64>);
    let cases: &[Case<'_>] = &[
        (&own, &[&middle_der], roots, Ok(3)),
        (&own, &[&root_der, &middle_der], roots, Ok(3)),
        (&deep, &[&low_der, &middle_der], roots, Ok(4)),
        (&root_der, &[], roots, Ok(1)),
        (&middle_der, &[], roots, Ok(2)),
        (&own, &[], roots, Err(path::code::NO_LOCAL_ISSUER)),
        (&own, &[&middle_der], &[], Err(path::code::NO_LOCAL_ISSUER)),
        (&own, &[&middle_der, &root_der], &[], Err(path::code::SELF_SIGNED_IN_CHAIN)),
        (&own, &[], &[&middle_der], Err(path::code::NO_ISSUER)),
        (&own_name, &[], roots, Err(path::code::SELF_SIGNED)),
        (&own, &[&middle_der], &[&other_der], Err(path::code::BAD_SIGNATURE)),
        (&own, &[&plain_der], roots, Err(path::code::INVALID_AUTHORITY)),
        (&deep, &[&low_der, &short_der], roots, Err(path::code::LENGTH_EXCEEDED)),
        (&own, &[&short_der], roots, Ok(3)),
        (&odd, &[&middle_der], roots, Err(path::code::UNKNOWN_CRITICAL)),
        (&old, &[&middle_der], roots, Err(path::code::EXPIRED)),
        (&young, &[&middle_der], roots, Err(path::code::NOT_YET_VALID)),
        (&own, &[&old_middle], roots, Err(path::code::EXPIRED)),
        (&own, &[&old_middle, &middle_der], roots, Ok(3)),
    ];
    for (number, (first, others, roots, expected)) in cases.iter().enumerate() {
        let found = path::find(Certificate::read(first).unwrap(), others, roots, NOW);
        assert_eq!(found.map(|path| path.len()), *expected, "{number}");
    }
}

#[test]
fn long_chains_end() {
    let root = Owner::new("0");
    let root_der = root.certify(&root, &authority(None));
    let (mut above, mut others) = (root, vec![]);
    for number in 1..=path::MAX_DEPTH + 1 {
        let next = Owner::new(&number.to_string());
        others.push(above.certify(&next, &authority(None)));
        above = next;
    }
    let others: Vec<&[u8]> = others.iter().rev().map(Vec::as_slice).collect();
    let find = |chain: &[&[u8]]| {
        let found = path::find(Certificate::read(chain[0]).unwrap(), &chain[1..], &[&root_der], NOW);
        found.map(|path| path.len())
    };
    assert_eq!(find(&others), Err(path::code::TOO_LONG));
    assert_eq!(find(&others[2..]), Ok(path::MAX_DEPTH));
}

#[test]
fn answers() {
    let [root, middle, server, delegate, stranger] =
        ["Root", "Middle", "server", "Delegate", "Stranger"].map(Owner::new);
    let root_der = root.certify(&root, &authority(None));
    let middle_der = root.certify(&middle, &authority(None));
    let own = middle.certify(&server, &Made { serial: 7, ..plain() });
    let may_sign = extension(b"\x55\x1d\x25", false, b"\x30\x0a\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x09");
    let delegate_der = middle.certify(&delegate, &Made { extensions: vec![may_sign], ..plain() });
    let stranger_der = middle.certify(&stranger, &plain());
    let good = der(tag::GOOD, &[]);
    let revoked = der(tag::EXPLICIT_1, &[&der(tag::GENERALIZED_TIME, &[b"20240101000000Z"])]);
    let unknown = der(0x82, &[]);
    let mut broken = middle.answer(&middle_der, 7, &good, &[]);
    let length = broken.len();
    // Within the signature, in front of the empty list of certificates.
    broken[length - 8] ^= 1;
    let chain: &[&[u8]] = &[&own, &middle_der];
    let cases = [
        (middle.answer(&middle_der, 7, &good, &[]), NOW, (0, "good")),
        (middle.answer(&middle_der, 7, &revoked, &[]), NOW, (1, "revoked")),
        (middle.answer(&middle_der, 7, &unknown, &[]), NOW, (2, "unknown")),
        (delegate.answer(&middle_der, 7, &good, &[&delegate_der]), NOW, (0, "good")),
        (
            stranger.answer(&middle_der, 7, &good, &[&stranger_der]),
            NOW,
            (-1, "OCSP responder is not authorized"),
        ),
        (
            stranger.answer(&middle_der, 7, &good, &[]),
            NOW,
            (-1, "unable to get issuer certificate of the OCSP response"),
        ),
        (middle.answer(&middle_der, 8, &good, &[]), NOW, (-1, "OCSP response is not for the certificate")),
        (broken, NOW, (-1, "OCSP response signature failure")),
        (middle.answer(&middle_der, 7, &good, &[]), 1_600_000_000, (-1, "OCSP response is not yet valid")),
        (middle.answer(&middle_der, 7, &good, &[]), 1_800_000_000, (-1, "OCSP response has expired")),
        (der(tag::SEQUENCE, &[&der(tag::ENUMERATED, &[&[3]])]), NOW, (-2, "trylater")),
        (b"nothing".to_vec(), NOW, (-1, "OCSP parsing failed")),
    ];
    for (answer, at, expected) in cases {
        assert_eq!(answer::verify(chain, &answer, &[&root_der], at), expected);
        for length in 0..answer.len() {
            let (code, _) = answer::verify(chain, &answer[..length], &[&root_der], at);
            assert_ne!(code, 0, "{length}");
        }
    }
    let answer = middle.answer(&middle_der, 7, &good, &[]);
    assert_eq!(answer::verify(chain, &answer, &[], NOW), (20, "unable to get local issuer certificate"));
    assert_eq!(answer::verify(&[], &answer, &[], NOW), (-1, "no certificates"));
}

#[test]
fn timestamps() {
    let [middle, server, log] = ["Middle", "server", "log"].map(Owner::new);
    let oid = b"\x2b\x06\x01\x04\x01\xd6\x79\x02\x04\x02";
    let other = extension(b"\x2a\x03", false, b"x");
    let made = |extensions: Vec<Vec<u8>>| middle.certify(&server, &Made { extensions, ..plain() });
    let within = made(vec![extension(oid, false, b"timestamps"), other.clone()]);
    let before = made(vec![other]);
    // What is signed of a certificate is its first part.
    let content = |whole: &[u8]| {
        let mut reader = weir_base::Reader::new(whole);
        let whole = super::der::element(&mut reader).unwrap();
        super::der::element(&mut weir_base::Reader::new(whole.content)).unwrap().whole.to_vec()
    };
    let issuer = Sha256::digest(middle.key_info()).to_vec();
    let length = |bytes: &[u8]| (bytes.len() as u32).to_be_bytes()[1..].to_vec();
    let head = |entry: u8| [&[0, 0][..], &9u64.to_be_bytes(), &[0, entry]].concat();
    let content = content(&before);
    let of_before = [head(1), issuer.clone(), length(&content), content, vec![0, 0]].concat();
    let of_whole = [head(0), length(&within), within.clone(), vec![0, 0]].concat();
    let key = log.key_info();
    for (signed, moment, issuer, expected) in [
        (&of_before, 9, &issuer[..], true),
        (&of_whole, 9, b"", true),
        (&of_whole, 8, b"", false),
        (&of_before, 9, b"", false),
        (&of_whole, 9, &issuer[..], false),
    ] {
        let found = timestamp::is_valid(&within, &key, &log.sign(signed), moment, issuer);
        assert_eq!(found, expected);
    }
    assert!(!timestamp::is_valid(&within, b"no key", &log.sign(&of_whole), 9, b""));
    for length in 0..within.len() {
        assert!(!timestamp::is_valid(&within[..length], &key, &log.sign(&of_whole), 9, b""));
    }
}
