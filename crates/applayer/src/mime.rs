//! The MIME type of a file by its first bytes, named as Zeek names it and found with the precedence
//! that Zeek gives: of the signatures that fit, the strongest counts, and of equals the one whose
//! name sorts first.

mod table;
mod text;

use std::cmp::Reverse;
use std::sync::{LazyLock, OnceLock};

/// The beginning of files of a type.
#[derive(Clone, Copy)]
enum Test {
    /// With these bytes.
    Starts(&'static [u8]),
    /// With any of these.
    StartsAny(&'static [&'static [u8]]),
    /// With these bytes at these offsets.
    At(&'static [(usize, &'static [u8])]),
    /// In a way that takes a function to tell; only with one of these bytes, where there are any.
    Check(&'static [u8], fn(&[u8]) -> bool),
}

impl Test {
    fn fits(self, head: &[u8]) -> bool {
        match self {
            Test::Starts(literal) => head.starts_with(literal),
            Test::StartsAny(literals) => literals.iter().any(|literal| head.starts_with(literal)),
            Test::At(parts) => parts
                .iter()
                .all(|&(offset, literal)| head.get(offset..).is_some_and(|rest| rest.starts_with(literal))),
            Test::Check(_, check) => check(head),
        }
    }

    /// Whether a file with this first byte can fit.
    fn may_begin_with(self, byte: u8) -> bool {
        let begins = |literal: &[u8]| literal.first().is_none_or(|&first| first == byte);
        match self {
            Test::Starts(literal) => begins(literal),
            Test::StartsAny(literals) => literals.iter().any(|literal| begins(literal)),
            Test::At(parts) => parts.iter().all(|&(offset, literal)| offset > 0 || begins(literal)),
            Test::Check(first, _) => first.is_empty() || first.contains(&byte),
        }
    }
}

/// One way to recognise a type.
struct Signature {
    mime: &'static str,
    strength: i16,
    test: Test,
}

/// All signatures, the one that counts most first.
static ORDERED: LazyLock<Vec<&'static Signature>> = LazyLock::new(|| {
    let mut ordered: Vec<&Signature> = table::SIGNATURES.iter().collect();
    ordered.sort_by_key(|signature| (Reverse(signature.strength), signature.mime));
    ordered
});

/// Those of them that can fit a file, by its first byte.
static BY_FIRST_BYTE: [OnceLock<Vec<&'static Signature>>; 256] = [const { OnceLock::new() }; 256];

/// The type that the first bytes of a file show; none where they show nothing.
pub fn recognise(head: &[u8]) -> Option<&'static str> {
    let byte = *head.first()?;
    let fitting = || ORDERED.iter().copied().filter(|s| s.test.may_begin_with(byte)).collect();
    let candidates = BY_FIRST_BYTE.get(usize::from(byte))?.get_or_init(fitting);
    candidates.iter().find(|signature| signature.test.fits(head)).map(|signature| signature.mime)
}

#[cfg(test)]
mod tests {
    use super::table::SIGNATURES;
    use super::{Reverse, Signature, Test, recognise};

    #[test]
    fn types() {
        let cases: &[(&[u8], Option<&str>)] = &[
            (b"", None),
            (b"hi\r\n", None),
            (b"hello world", Some("text/plain")),
            (b"\xef\xbb\xbfhello world", Some("text/plain")),
            (b"hello \x00world", None),
            (b"gr\xc3\xbc\xc3\x9fe an alle", None),
            (b"A mail, and:\n--- a/file\n+++ b/file\n@@ -1 +1 @@\n", Some("text/x-diff")),
            (b"A mail, and:\n--- a\n+++ b\nno change", Some("text/plain")),
            (b"<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">", Some("text/html")),
            (b"\n <!-- a --> <!-- b -->\n<Html><head>", Some("text/html")),
            (b"<?xml version=\"1.0\"?>\n<!DOCTYPE html>", Some("text/html")),
            (b"<?xml version=\"1.0\"?>\n<note>", Some("application/xml")),
            (b"<?xml version=\"1.0\"?><rss version=\"2.0\">", Some("text/rss")),
            (b"<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\">", Some("text/atom")),
            (b"<soap:Envelope xmlns:soap=\"x\">", Some("application/soap+xml")),
            (b"<SOAP-ENV:Envelope>", Some("application/soap+xml")),
            (b"<cross-domain-policy>", Some("text/x-cross-domain-policy")),
            (b"<?xml version=\"1.0\"?><svg width=\"1\">", Some("image/svg+xml")),
            (b"<body onload=\"x()\">", Some("text/html")),
            (b"<meta http-equiv=\"refresh\">", Some("text/html")),
            (b"{\"key\": \"value\"}", Some("text/json")),
            (b" { \"key\" : 12 }", Some("text/json")),
            (b"[1.5, 2]", Some("text/json")),
            (b"[{\"a\":1}]", Some("text/json")),
            (b"{}", Some("text/json")),
            (b"[ words in brackets ]", Some("text/plain")),
            (b"document.write('x');", Some("application/javascript")),
            (b"<script type=\"text/javascript\">", Some("application/javascript")),
            (b"for (;;);{\"a\":1}", Some("application/javascript")),
            (b"(function() {", Some("application/javascript")),
            (b"(function()\r\n{", Some("text/plain")),
            (b"#!/bin/sh\necho", Some("text/x-shellscript")),
            (b"#!/usr/bin/env python3\n", Some("text/x-python")),
            (b"#! /usr/bin/perl -w\n", Some("text/x-perl")),
            (b"some text <?php echo 1;", Some("text/x-php")),
            (b"@echo off\r\n", Some("text/x-msdos-batch")),
            (b"GIF89a\x01\x00", Some("image/gif")),
            (b"\x89PNG\r\n\x1a\n", Some("image/png")),
            (b"\xff\xd8\xff\xe0\x00\x10JFIF", Some("image/jpeg")),
            (b"\x00\x00\x01\x00\x02\x00", Some("image/x-icon")),
            (b"RIFF\x24\x00\x00\x00WEBPVP8 ", Some("image/webp")),
            (b"RIFF\x24\x00\x00\x00WAVEfmt ", Some("audio/x-wav")),
            (b"BM\x36\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00", Some("image/x-ms-bmp")),
            (b"MZ\x90\x00\x03", Some("application/x-dosexec")),
            (
                b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e",
                Some("application/x-executable"),
            ),
            (
                b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3e",
                Some("application/x-sharedlib"),
            ),
            (b"\xcf\xfa\xed\xfe\x07", Some("application/x-mach-o-executable")),
            (b"\xca\xfe\xba\xbe\x00\x00\x00\x34", Some("application/x-java-applet")),
            (b"\xca\xfe\xba\xbe\x00\x00\x00\x02", Some("application/x-mach-o-executable")),
            (b"%PDF-1.7\n", Some("application/pdf")),
            (b"{\\rtf1\\ansi", Some("text/rtf")),
            (b"PK\x03\x04\x14\x00\x00\x00", Some("application/zip")),
            (b"PK\x03\x04\x14\x00\x06\x00", Some("application/vnd.openxmlformats-officedocument")),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Some("application/msword")),
            (b"\x1f\x8b\x08\x00", Some("application/x-gzip")),
            (b"BZh91AY", Some("application/x-bzip2")),
            (b"7z\xbc\xaf\x27\x1c", Some("application/x-7z-compressed")),
            (b"Rar!\x1a\x07", Some("application/x-rar")),
            (b"MSCF\x00\x00\x00\x00", Some("application/vnd.ms-cab-compressed")),
            (b"CWS\x09", Some("application/x-shockwave-flash")),
            (b"FLV\x01", Some("video/x-flv")),
            (b"\x00\x00\x00\x18ftypmp42", Some("video/mp4")),
            (b"\x00\x00\x00\x18moov", Some("video/quicktime")),
            (b"\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", Some("video/webm")),
            (b"OggS\x00", Some("application/ogg")),
            (b"ID3\x03\x00", Some("audio/mpeg")),
            (b"wOFF\x00\x01", Some("application/font-woff")),
            (b"\x00\x01\x00\x00\x00\x0f", Some("application/x-font-ttf")),
            (b"\xd4\xc3\xb2\xa1\x02\x00", Some("application/vnd.tcpdump.pcap")),
            (b"-----BEGIN CERTIFICATE-----\n", Some("application/x-pem")),
            (b"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b", None),
        ];
        for (head, expected) in cases {
            assert_eq!(recognise(head), *expected, "{:?}", String::from_utf8_lossy(head));
        }
    }

    /// With any first byte in place of its own, a file is what it would be if all signatures were tried.
    #[test]
    fn first_bytes_leave_out_nothing_that_fits() {
        let heads: [&[u8]; 9] = [
            b"?!DOCTYPE HTML>",
            b"?<html>",
            b"?<?xml version=\"1.0\"?><svg width=\"1\">",
            b"?\"key\": \"value\"}",
            b"?{\"key\": \"value\"}",
            b"?[1.5, 2]",
            b"?xbb\xbf<html>",
            b"?!/bin/sh\necho",
            b"?eceived: from",
        ];
        let mut heads: Vec<Vec<u8>> = heads.iter().map(|head| head.to_vec()).collect();
        for signature in SIGNATURES {
            let literals = match signature.test {
                Test::Starts(literal) => vec![literal],
                Test::StartsAny(literals) => literals.to_vec(),
                Test::At(_) | Test::Check(..) => vec![],
            };
            heads.extend(literals.into_iter().map(<[u8]>::to_vec));
        }
        for mut head in heads {
            for first in 0..=u8::MAX {
                head[0] = first;
                let fits = |signature: &&Signature| signature.test.fits(&head);
                let all = SIGNATURES.iter().filter(fits).min_by_key(|s| (Reverse(s.strength), s.mime));
                assert_eq!(recognise(&head), all.map(|s| s.mime), "{:?}", String::from_utf8_lossy(&head));
            }
        }
    }

    #[test]
    fn containers_are_told_by_what_they_hold() {
        let zip = |header: &[u8], name: &str, next: &str| {
            let mut head = b"PK\x03\x04".to_vec();
            head.extend_from_slice(header);
            head.resize(30, 1);
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b"content PK\x03\x04");
            head.resize(head.len() + 26, 1);
            head.extend_from_slice(next.as_bytes());
            head
        };
        let cases = [
            ("[Content_Types].xml", "word/document.xml", "…wordprocessingml.document"),
            ("_rels/.rels", "xl/workbook.xml", "…spreadsheetml.sheet"),
            ("ppt/a.xml", "ppt/b.xml", "…presentationml.presentation"),
        ];
        for (name, next, expected) in cases {
            let expected = expected.replace('…', "application/vnd.openxmlformats-officedocument.");
            assert_eq!(recognise(&zip(b"\x14\x00\x06\x00", name, next)), Some(&*expected), "{name}");
        }
        assert_eq!(recognise(&zip(b"", "a.txt", "word/")), Some("application/zip"));

        let mut document = b"PK\x03\x04\x14\x00".to_vec();
        document.resize(26, 0);
        document.extend_from_slice(b"\x08\x00\x00\x00mimetypeapplication/vnd.oasis.opendocument.text");
        for (tail, expected) in [("PK", "text"), ("-template", "text-template"), ("-master", "text-master")] {
            let head = [&document[..], tail.as_bytes()].concat();
            let expected = format!("application/vnd.oasis.opendocument.{expected}");
            assert_eq!(recognise(&head), Some(&*expected));
        }

        let mut tar = b"file.txt".to_vec();
        tar.resize(100, 0);
        tar.extend_from_slice(b"0000644\x000001750\x000001750\x0000000000012\x0014371573120\x00012345\x00 0");
        assert_eq!(recognise(&tar), Some("application/x-tar"));
    }

    #[test]
    fn hostile_heads_take_no_time() {
        let heads = [
            "<!--".repeat(1024),
            "<!-- -->".repeat(512),
            " ".repeat(4096),
            "[\"a\",".repeat(800),
            "<?xml ".repeat(600),
            "#!".repeat(2048),
        ];
        for head in heads {
            assert_ne!(recognise(head.as_bytes()), Some("application/zip"));
        }
    }
}
