//! The signatures that are bytes at fixed places; [`super::text`] has those that take reading.

use super::{Signature, Test, text};

const fn row(mime: &'static str, strength: i16, test: Test) -> Signature {
    Signature { mime, strength, test }
}

const fn starts(mime: &'static str, strength: i16, literal: &'static [u8]) -> Signature {
    row(mime, strength, Test::Starts(literal))
}

const fn any(mime: &'static str, strength: i16, literals: &'static [&'static [u8]]) -> Signature {
    row(mime, strength, Test::StartsAny(literals))
}

const fn at(mime: &'static str, strength: i16, parts: &'static [(usize, &'static [u8])]) -> Signature {
    row(mime, strength, Test::At(parts))
}

const fn check(
    mime: &'static str,
    strength: i16,
    first: &'static [u8],
    check: fn(&[u8]) -> bool,
) -> Signature {
    row(mime, strength, Test::Check(first, check))
}

/// First bytes of any kind.
const ANY: &[u8] = b"";

/// First bytes of markup: what stands before an element, or opens it.
const MARKUP: &[u8] = b" \t\r\n<\xef";

/// First bytes of JSON.
const JSON: &[u8] = b" \t\r\n\x0c{[\xef";

/// First bytes of scripts sent to browsers.
const SCRIPT: &[u8] = b" \t\r\nfd(<";

/// The first byte of a zip archive.
const ZIP: &[u8] = b"P";

/// The first byte of ELF.
const ELF: &[u8] = b"\x7f";

const MACH_O: &str = "application/x-mach-o-executable";
const JAVASCRIPT: &str = "application/javascript";
const CROSS_DOMAIN: &str = "text/x-cross-domain-policy";
const MAIL: &str = "message/rfc822";
const JPEG_2000: &[u8] = b"\x00\x00\x00\x0cjP  \r\n\x87\n";

/// All signatures; the order does not matter.
pub(super) static SIGNATURES: &[Signature] = &[
    // Text.
    check("text/plain", -20, ANY, text::is_plain),
    check("text/json", 1, JSON, text::is_json),
    check("text/json", 0, JSON, text::is_empty_json),
    check("application/xml", 10, MARKUP, text::is_xml),
    check("text/html", 100, MARKUP, |head| {
        text::opens_element(head, &[b"html"]) || text::is_doctype(head, b"html") || text::is_http_equiv(head)
    }),
    check("text/html", 20, MARKUP, |head| text::opens_element(head, &[b"head", b"title", b"body"])),
    check("text/rss", 90, MARKUP, |head| text::opens_element(head, &[b"rss"])),
    check("text/atom", 100, MARKUP, text::is_atom),
    check("application/soap+xml", 49, MARKUP, |head| {
        text::opens_element(head, &[b"soap:envelope", b"soap-env:envelope"])
    }),
    check("application/xml-rpc", 49, MARKUP, |head| text::opens_element(head, &[b"methodresponse>"])),
    check("image/svg+xml", 38, MARKUP, text::is_svg),
    check(CROSS_DOMAIN, 49, MARKUP, |head| text::opens_element(head, &[b"cross-domain-policy"])),
    check(CROSS_DOMAIN, 49, MARKUP, |head| text::is_doctype(head, b"cross-domain-policy")),
    starts("application/x-java-jnlp-file", 100, b"<jnlp "),
    check(JAVASCRIPT, 60, SCRIPT, text::is_javascript),
    check(JAVASCRIPT, 60, b"#", |head| text::interpreter(head, &[b"node"])),
    check("text/x-shellscript", 250, b"#", |head| {
        text::interpreter(head, &[b"sh", b"bash", b"tcsh", b"csh", b"zsh", b"fash", b"aesh", b"ksh"])
    }),
    check("text/x-perl", 60, b"#", |head| text::interpreter(head, &[b"perl"])),
    check("text/x-ruby", 60, b"#", |head| text::interpreter(head, &[b"ruby"])),
    check("text/x-python", 60, b"#", |head| text::interpreter(head, &[b"python"])),
    check("text/x-awk", 60, b"#", |head| text::interpreter(head, &[b"awk", b"gawk", b"nawk"])),
    check("text/x-tcl", 60, b"#", |head| text::interpreter(head, &[b"wish", b"tcl"])),
    check("text/x-lua", 49, b"#", |head| text::interpreter(head, &[b"lua"])),
    check("text/x-php", 60, b"#", |head| text::interpreter(head, &[b"php"])),
    check("text/x-php", 40, ANY, text::opens_php),
    check("text/x-msdos-batch", 110, b"@", text::is_echo_off),
    check("text/x-msdos-batch", 60, b"@", |head| text::starts_nocase(head, b"@rem")),
    check("text/x-msdos-batch", 70, b"@", |head| text::starts_nocase(head, b"@set ")),
    starts("text/x-m4", 40, b"dnl "),
    starts("text/calendar", 180, b"BEGIN:VCALENDAR"),
    starts("text/x-vcard", 140, b"BEGIN:VCARD"),
    starts("text/rtf", 80, b"{\\rtf"),
    any("text/x-diff", 80, &[b"diff ", b"Index: ", b"*** "]),
    check("text/x-diff", 55, ANY, text::is_unified_diff),
    check(MAIL, 150, b"Rr", |head| text::starts_nocase(head, b"return-path:")),
    check(MAIL, 160, b"Dd", |head| text::starts_nocase(head, b"delivered-to:")),
    check(MAIL, 120, b"Rr", |head| text::starts_nocase(head, b"received:")),
    starts("application/x-pem", 0, b"-----BEGIN CERTIFICATE-----"),
    starts("application/pgp-keys", 330, b"-----BEGIN PGP PUBLIC KEY BLOCK-"),
    starts("application/pgp-signature", 280, b"-----BEGIN PGP SIGNATURE-"),
    starts("application/pgp", 260, b"-----BEGIN PGP MESSAGE-"),
    starts("application/sla", 10, b"solid "),
    // Documents.
    starts("application/pdf", 80, b"%PDF-"),
    any("application/postscript", 60, &[b"%!", b"\x04%!"]),
    starts("application/msword", 50, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    starts("application/vnd.openxmlformats-officedocument", 50, b"PK\x03\x04\x14\x00\x06\x00"),
    check("application/vnd.openxmlformats-officedocument.wordprocessingml.document", 80, ZIP, |head| {
        is_office(head, b"word/")
    }),
    check("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", 80, ZIP, |head| {
        is_office(head, b"xl/")
    }),
    check("application/vnd.openxmlformats-officedocument.presentationml.presentation", 80, ZIP, |head| {
        is_office(head, b"ppt/")
    }),
    at("application/x-msaccess", 180, &[(4, b"Standard Jet DB\x00")]),
    at("application/x-msaccess", 180, &[(4, b"Standard ACE DB\x00")]),
    open_document("application/vnd.oasis.opendocument.text", |head| is_open_document(head, b"text")),
    open_document("application/vnd.oasis.opendocument.graphics", |head| is_open_document(head, b"graphics")),
    open_document("application/vnd.oasis.opendocument.presentation", |head| {
        is_open_document(head, b"presentation")
    }),
    open_document("application/vnd.oasis.opendocument.spreadsheet", |head| {
        is_open_document(head, b"spreadsheet")
    }),
    open_document("application/vnd.oasis.opendocument.chart", |head| is_open_document(head, b"chart")),
    open_document("application/vnd.oasis.opendocument.formula", |head| is_open_document(head, b"formula")),
    open_document("application/vnd.oasis.opendocument.database", |head| is_open_document(head, b"database")),
    open_document("application/vnd.oasis.opendocument.image", |head| is_open_document(head, b"image")),
    open_document("application/vnd.oasis.opendocument.text-template", |head| {
        is_open_document_of(head, b"text-template")
    }),
    open_document("application/vnd.oasis.opendocument.text-master", |head| {
        is_open_document_of(head, b"text-master")
    }),
    open_document("application/vnd.oasis.opendocument.text-web", |head| {
        is_open_document_of(head, b"text-web")
    }),
    open_document("application/vnd.oasis.opendocument.graphics-template", |head| {
        is_open_document_of(head, b"graphics-template")
    }),
    open_document("application/vnd.oasis.opendocument.presentation-template", |head| {
        is_open_document_of(head, b"presentation-template")
    }),
    open_document("application/vnd.oasis.opendocument.spreadsheet-template", |head| {
        is_open_document_of(head, b"spreadsheet-template")
    }),
    // Programs.
    starts("application/x-dosexec", 51, b"MZ"),
    check("application/x-object", 50, ELF, |head| is_elf(head, 1)),
    check("application/x-executable", 50, ELF, |head| is_elf(head, 2)),
    check("application/x-sharedlib", 50, ELF, |head| is_elf(head, 3)),
    check("application/x-coredump", 50, ELF, |head| is_elf(head, 4)),
    any(MACH_O, 100, &[b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"]),
    check(MACH_O, 100, b"\xca", |head| matches!(head, [0xca, 0xfe, 0xba, 0xbe, _, _, 0, 1..=20, ..])),
    check("application/x-java-applet", 71, b"\xca", |head| {
        matches!(head, [0xca, 0xfe, 0xba, 0xbe, _, _, _, 0x2d..=0x34, ..])
    }),
    check("application/java-archive", 100, ZIP, is_jar),
    any("application/x-shockwave-flash", 60, &[b"FWS", b"CWS", b"ZWS"]),
    starts(
        "application/x-ms-shortcut",
        49,
        b"L\x00\x00\x00\x01\x14\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00F",
    ),
    starts("application/x-elc", 10, b";ELC"),
    check("application/x-python-bytecode", 80, ANY, |head| {
        matches!(head, [_, 0x0c | 0x0d | 0xf2 | 0xed, b'\r', b'\n', ..])
    }),
    // Archives.
    check("application/x-tar", 100, ANY, is_tar),
    any("application/zip", 10, &[b"PK\x03\x04", b"PK\x07\x08PK\x03\x04"]),
    starts("application/x-rar", 70, b"Rar!"),
    starts("application/x-gzip", 100, b"\x1f\x8b"),
    starts("application/vnd.ms-cab-compressed", 110, b"MSCF\x00\x00\x00\x00"),
    any("application/x-dmg", 100, &[b"x\x01s\rbb`", b"x\xdac`\x18\x05", b"x\x01c`\x18\x05", b"x\xdas\r"]),
    starts("application/x-xar", 100, b"xar!"),
    any("application/x-rpm", 70, &[b"drpm", b"\xed\xab\xee\xdb"]),
    starts("application/x-debian-package", 171, b"!<arch>\ndebian"),
    any("application/x-stuffit", 70, &[b"SIT!", b"StuffIt"]),
    any("application/x-archive", 70, &[b"!<arch>", b"<ar>"]),
    starts("application/x-eet", 70, b"\x1e\xe7\xff\x00"),
    at("application/x-zoo", 70, &[(20, b"\xdc\xa7\xc4\xfd")]),
    any("application/x-lz4", 70, &[b"\x02\x21\x4c\x18", b"\x04\x22\x4d\x18"]),
    starts("application/x-lrzip", 1, b"LRZI"),
    starts("application/x-lzip", 70, b"LZIP"),
    check("application/x-lzh", 80, ANY, |head| {
        matches!(
            head,
            [_, _, b'-', b'l', b'h' | b'z', _, b'-', ..] | [_, _, b'-', b'p', b'm' | b'c', _, b'-', ..]
        )
    }),
    starts("application/warc", 50, b"WARC/"),
    starts("application/x-7z-compressed", 50, b"7z\xbc\xaf\x27\x1c"),
    starts("application/x-xz", 90, b"\xfd7zXZ\x00"),
    starts("application/x-arj", 50, b"\x60\xea"),
    any("application/x-cpio", 50, &[b"\x71\xc7", b"\xc7\x71"]),
    starts("application/x-compress", 50, b"\x1f\x9d"),
    starts("application/x-lzma", 71, b"\x5d\x00\x00"),
    at("application/x-ace", 100, &[(7, b"**ACE**")]),
    starts("application/x-bzip2", 60, b"BZh"),
    starts("application/vnd.ms-tnef", 100, b"\x78\x9f\x3e\x22"),
    // Images.
    any("image/tiff", 70, &[b"MM\x00\x2a", b"MM\x00\x2b", b"II\x2a\x00", b"II\x2b\x00"]),
    starts("image/gif", 70, b"GIF8"),
    starts("image/jpeg", 52, b"\xff\xd8"),
    check("image/x-ms-bmp", 50, b"B", is_bmp),
    starts("image/x-icon", 70, b"\x00\x00\x01\x00"),
    starts("image/x-cursor", 70, b"\x00\x00\x02\x00"),
    starts("image/vnd.adobe.photoshop", 70, b"8BPS"),
    starts("image/png", 110, b"\x89PNG"),
    at("image/jp2", 60, &[(4, b"ftypjp2")]),
    at("image/jp2", 50, &[(4, b"jP")]),
    at("image/jp2", 70, &[(0, JPEG_2000), (20, b"jp2 ")]),
    at("image/jpx", 70, &[(0, JPEG_2000), (20, b"jpx ")]),
    at("image/jpm", 70, &[(0, JPEG_2000), (20, b"jpm ")]),
    starts("image/x-xcursor", 70, b"Xcur"),
    starts("image/x-niff", 70, b"IIN1"),
    starts("image/x-exr", 70, b"\x76\x2f\x31\x01"),
    starts("image/x-dpx", 70, b"SDPX"),
    starts("image/x-cpi", 70, b"CPC\xb2"),
    any("image/x-olympus-orf", 70, &[b"IIRO", b"IIRS", b"MMOR"]),
    starts("image/x-x3f", 70, b"FOVb"),
    starts("image/x-paintnet", 70, b"PDN3"),
    at("image/x-coreldraw", 70, &[(0, b"RIFF"), (8, b"CDR")]),
    starts("image/x-portable-pixmap", 50, b"P7"),
    at("image/vnd.djvu", 70, &[(0, b"AT&TFORM"), (12, b"DJV")]),
    any("image/vnd.dwg", 90, &[b"AC1.", b"AC2.", b"AC10"]),
    starts("image/x-xcf", 110, b"gimp xcf"),
    starts("image/x-award-bmp", 20, b"AWBM"),
    at("image/webp", 70, &[(0, b"RIFF"), (8, b"WEBP")]),
    // Sound.
    check("audio/mpeg", 20, b"\xff", |head| {
        matches!(head, [0xff, 0xe2 | 0xe3 | 0xf2 | 0xf3 | 0xf6 | 0xf7 | 0xfa..=0xfd, ..])
    }),
    starts("audio/mpeg", 60, b"ID3"),
    at("audio/m4a", 70, &[(4, b"ftypm4a")]),
    starts("audio/midi", 70, b"MThd"),
    starts("audio/x-flac", 70, b"fLaC"),
    starts("audio/basic", 70, b".snd"),
    at("audio/x-wav", 70, &[(0, b"RIFF"), (8, b"WAVE")]),
    at("audio/x-aiff", 70, &[(0, b"FORM"), (8, b"AIFF")]),
    starts("audio/x-pn-realaudio", 70, b".ra\xfd"),
    starts("audio/amr", 70, b"#!AMR"),
    starts("application/ogg", 70, b"OggS"),
    starts("application/vnd.rn-realmedia", 70, b".RMF"),
    // Video.
    starts("video/x-flv", 60, b"FLV"),
    at("video/x-fli", 50, &[(4, b"\x11\xaf")]),
    at("video/x-flc", 50, &[(4, b"\x12\xaf")]),
    at("video/mj2", 70, &[(0, JPEG_2000), (20, b"mjp2")]),
    starts("video/x-mng", 70, b"\x8aMNG"),
    starts("video/x-jng", 70, b"\x8bJNG"),
    check("video/mpeg", 50, b"\0", |head| matches!(head, [0, 0, 1, 0xb0..=0xbb, ..])),
    starts("video/mpv", 71, b"\x00\x00\x01\xb3"),
    check("video/h264", 41, b"\0", |head| matches!(head, [0, 0, 0, 1, nal, ..] if nal & 0x1f == 7)),
    check("video/webm", 70, b"\x1a", |head| is_matroska(head, b"webm")),
    check("video/x-matroska", 110, b"\x1a", |head| is_matroska(head, b"matroska")),
    starts("video/x-sgi-movie", 70, b"MOVI"),
    at("video/quicktime", 70, &[(4, b"mdat")]),
    at("video/quicktime", 70, &[(4, b"moov")]),
    at("video/mp4", 70, &[(4, b"ftypisom")]),
    at("video/mp4", 70, &[(4, b"ftypmp41")]),
    at("video/mp4", 70, &[(4, b"ftypmp42")]),
    check("video/3gpp", 60, ANY, |head| {
        head.get(4..12).is_some_and(|brand| {
            matches!(brand, [b'f', b't', b'y', b'p', b'3', b'g', b'e' | b'g' | b'p' | b's' | b'2', _])
                || matches!(brand, b"ftypavc1" | b"ftypmmp4")
        })
    }),
    at("video/x-msvideo", 70, &[(0, b"RIFF"), (8, b"AVI ")]),
    starts("video/x-ms-asf", 70, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
    // Fonts.
    starts("application/font-woff2", 70, b"wOF2"),
    starts("application/font-woff", 70, b"wOFF"),
    starts("application/x-font-ttf", 80, b"\x00\x01\x00\x00\x00"),
    at("application/vnd.ms-fontobject", 50, &[(34, b"LP")]),
    starts("application/vnd.ms-opentype", 70, b"OTTO"),
    // Others.
    any("application/vnd.tcpdump.pcap", 70, &[b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1"]),
    at("application/vnd.tcpdump.pcap", 100, &[(0, b"\n\r\r\n"), (8, b"\x1a\x2b\x3c\x4d")]),
    at("application/vnd.tcpdump.pcap", 100, &[(0, b"\n\r\r\n"), (8, b"\x4d\x3c\x2b\x1a")]),
    check("application/ocsp-request", 71, ANY, |head| {
        is_within(head, 11..=19, b"\x06\x05\x2b\x0e\x03\x02\x1a")
    }),
    check("application/ocsp-response", 71, ANY, |head| {
        is_within(head, 11..=19, b"\x06\x09\x2b\x06\x01\x05\x05\x07\x30\x01\x01")
    }),
    starts("application/x-bittorrent", 140, b"d8:announce"),
    starts("application/x-sqlite3", 170, b"SQLite format 3"),
];

const fn open_document(mime: &'static str, fits: fn(&[u8]) -> bool) -> Signature {
    check(mime, 110, ZIP, fits)
}

/// Whether `literal` starts at one of the offsets.
fn is_within(head: &[u8], offsets: std::ops::RangeInclusive<usize>, literal: &[u8]) -> bool {
    offsets.into_iter().any(|offset| head.get(offset..).is_some_and(|rest| rest.starts_with(literal)))
}

/// Where `literal` stands first.
fn find(bytes: &[u8], literal: &[u8]) -> Option<usize> {
    bytes.windows(literal.len()).position(|window| window == literal)
}

/// ELF of this `e_type`, in either byte order.
fn is_elf(head: &[u8], kind: u8) -> bool {
    match head.get(..18) {
        Some([0x7f, b'E', b'L', b'F', 1 | 2, 1, .., low, 0]) => *low == kind,
        Some([0x7f, b'E', b'L', b'F', 1 | 2, 2, .., 0, low]) => *low == kind,
        _ => false,
    }
}

/// A bitmap whose information header has one of the known sizes.
fn is_bmp(head: &[u8]) -> bool {
    head.starts_with(b"BM") && matches!(head.get(14..16), Some([0x0c | 0x28 | 0x40 | 0x6c | 0x7c | 0x80, 0]))
}

/// A zip archive whose manifest comes first.
fn is_jar(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04")
        && head.get(4..240.min(head.len())).is_some_and(|rest| find(rest, b"META-INF/MANIFEST.MF").is_some())
}

/// A zip archive as Office writes it, with a later entry in `folder`.
fn is_office(head: &[u8], folder: &[u8]) -> bool {
    if !head.starts_with(b"PK\x03\x04") {
        return false;
    }
    let Some(name) = head.get(30..) else { return false };
    if ![&b"[Content_Types].xml"[..], b"_rels/.rels", folder].iter().any(|first| name.starts_with(first)) {
        return false;
    }
    let mut rest = name;
    while let Some(position) = find(rest, b"PK\x03\x04") {
        let entry = rest.get(position..).unwrap_or_default();
        if entry.get(30..).is_some_and(|name| name.starts_with(folder)) {
            return true;
        }
        rest = entry.get(4..).unwrap_or_default();
    }
    false
}

/// Returns the part of an OpenDocument's type after the common one; the first entry holds the type.
fn open_document_kind(head: &[u8]) -> Option<&[u8]> {
    if !head.starts_with(b"PK\x03\x04") {
        return None;
    }
    head.get(26..)?.strip_prefix(b"\x08\x00\x00\x00mimetypeapplication/vnd.oasis.opendocument.")
}

/// An OpenDocument of `kind` and no template of it.
fn is_open_document(head: &[u8], kind: &[u8]) -> bool {
    open_document_kind(head)
        .and_then(|found| found.strip_prefix(kind))
        .is_some_and(|after| !after.starts_with(b"-"))
}

/// An OpenDocument of just this `kind`.
fn is_open_document_of(head: &[u8], kind: &[u8]) -> bool {
    open_document_kind(head).is_some_and(|found| found.starts_with(kind))
}

/// An EBML document of this type.
fn is_matroska(head: &[u8], doc_type: &[u8]) -> bool {
    let Some(rest) = head.strip_prefix(b"\x1a\x45\xdf\xa3") else { return false };
    find(rest, b"B\x82").and_then(|at| rest.get(at + 3..)).is_some_and(|value| value.starts_with(doc_type))
}

/// A tar header: a name, then numbers in octal digits.
fn is_tar(head: &[u8]) -> bool {
    let Some(header) = head.get(..157) else { return false };
    let digits = |range: std::ops::Range<usize>| {
        header.get(range).is_some_and(|field| field.iter().all(|b| matches!(b, b'0'..=b'9' | b' ')))
    };
    let name = header.get(..100).unwrap_or_default();
    name.iter().all(|&b| b == 0 || (0x20..0x7f).contains(&b))
        && [100..107, 108..115, 116..123, 124..135, 136..147].into_iter().all(digits)
        && [107, 115, 123, 135, 147].iter().all(|&end| header.get(end) == Some(&0))
        && header.get(148..155).is_some_and(|sum| sum.iter().all(|b| matches!(b, b'0'..=b'9' | b' ' | 0)))
        && header.get(156).is_some_and(|kind| matches!(kind, b'0'..=b'7' | 0))
}
