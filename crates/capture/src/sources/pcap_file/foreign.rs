//! Files that are handed to Weir as captures and are none: named by their first bytes, with what to do about them.

/// Formats by what their files begin with, in words, and what to do with such a file.
const KNOWN: &[(&[u8], &str, &str)] = &[
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    (b"MSCF", "a cabinet archive", UNPACK),
    (b"PK\x03\x04", "a ZIP archive in a pipe", "Save it to a file and read that"),
    (b"PK", "a part of a ZIP archive", UNPACK),
    (b"\x1f\x9d", "compressed by `compress`", UNPACK),
    (b"\x5d\0\0", "compressed by LZMA alone", "Unpack it with `xz -d --format=lzma` and read what comes out"),
    (b"snoop\0\0\0", "a snoop capture", CONVERT),
    (b"GMBU", "a capture of Network Monitor", CONVERT),
    (b"RTSS", "a capture of Network Monitor", CONVERT),
    (b"TRSNIFF data    \x1a", "a capture of Sniffer", CONVERT),
    (b"XCP\0", "a capture of NetXRay", CONVERT),
    (b"iptrace ", "a capture of iptrace", CONVERT),
    (b"btsnoop\0", "a capture of Bluetooth", CONVERT),
    (b"%YAML", "a configuration", "Name it with -c"),
    (b"{", "JSON", NAME),
    (b"<!DOCTYPE", "an HTML page", PAGE),
    (b"<!doctype", "an HTML page", PAGE),
    (b"<html", "an HTML page", PAGE),
    (b"<HTML", "an HTML page", PAGE),
    (b"<?xml", "XML", NAME),
    (b"#separator", "a log of Zeek", NAME),
    (b"alert ", "rules", "Name them with -S"),
    (b"\x7fELF", "a program", NAME),
    (b"MZ", "a program of Windows", NAME),
    (b"%PDF", "a PDF document", NAME),
];

/// Where the magic of tar stands, and what it is.
const TAR: (usize, &[u8]) = (257, b"ustar");

const UNPACK: &str = "Unpack it with `7z x` and read what comes out";
const CONVERT: &str = "Change it with `editcap -F pcapng` (of Wireshark) and read what comes out";
const PAGE: &str =
    "It was saved in place of the capture: fetch that again, and log in first where that is needed";
const NAME: &str = "Name a capture: pcap or pcapng, plain or in gzip, zstd, lz4, xz, bzip2 or ZIP";
const TRACE: &str = "An ETL trace of Windows becomes a capture with `etl2pcapng`; other formats with \
                     `editcap -F pcapng`, if Wireshark knows them";

/// Bytes shown of what nobody knows.
const SHOWN: usize = 8;

/// Describes a file that begins so, as a clause, and what to do about it.
pub(super) fn describe(beginning: &[u8]) -> (String, &'static str) {
    let known = KNOWN.iter().find(|(magic, _, _)| beginning.starts_with(magic));
    if let Some((_, name, remedy)) = known {
        return (format!("it is {name}"), remedy);
    }
    let (at, magic) = TAR;
    if beginning.get(at..).is_some_and(|rest| rest.starts_with(magic)) {
        return ("it is a tar archive".to_owned(), "Unpack it with `tar -xf` and read the folder");
    }
    let sample = beginning.get(..beginning.len().min(512)).unwrap_or_default();
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte >= 0x80;
    if sample.iter().all(is_text) {
        return ("it begins with text".to_owned(), NAME);
    }
    let shown = sample.get(..sample.len().min(SHOWN)).unwrap_or_default();
    let mut digits = Vec::new();
    weir_base::hex::append_separated(&mut digits, shown, b' ');
    (format!("it begins with the bytes {}", String::from_utf8_lossy(&digits)), TRACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_by_what_they_begin_with() {
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        let cases: [(&[u8], &str, &str); 9] = [
            (b"7z\xbc\xaf\x27\x1c\0\x04", "it is a 7z archive", "7z x"),
            (b"Rar!\x1a\x07\x01\0", "it is a RAR archive", "7z x"),
            (b"snoop\0\0\0\0\0\0\x02", "it is a snoop capture", "editcap -F pcapng"),
            (b"<!DOCTYPE html>", "it is an HTML page", "fetch that again"),
            (b"alert tcp any any", "it is rules", "-S"),
            (b"Dear reader,", "it begins with text", "Name a capture"),
            (b"\0\x10\0\0\0\0", "it begins with the bytes 00 10 00 00 00 00", "etl2pcapng"),
            (&tar, "it is a tar archive", "tar -xf"),
            (b"", "it begins with text", "Name a capture"),
        ];
        for (beginning, found, remedy) in cases {
            let said = describe(beginning);
            assert!(said.0 == found && said.1.contains(remedy), "{found}: {said:?}");
        }
    }
}
