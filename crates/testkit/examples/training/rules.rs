//! Rules as people write them: a literal or two, some with a regular expression, few of which match.

use std::io::{self, Write};

use weir_testkit::Random;

use crate::words::word;

/// Words that rules use: many more than the traffic does.
const VOCABULARY: u64 = 60_000;

/// Writes so many.
pub fn write(mut out: impl Write, count: u64) -> io::Result<()> {
    let mut random = Random::new(11);
    for sid in 1..=count {
        let (one, two) = (word(random.below(VOCABULARY)), word(random.below(VOCABULARY)));
        let (head, body) = match random.below(15) {
            0 => (
                "http $HOME_NET any -> $EXTERNAL_NET any",
                format!("http.uri; content:\"/{one}/{two}\"; nocase;"),
            ),
            1 => (
                "http $HOME_NET any -> $EXTERNAL_NET any",
                format!(
                    "http.method; content:\"POST\"; http.uri; content:\"{one}.php\"; endswith; pcre:\"/{one}\\.php$/i\";"
                ),
            ),
            2 => (
                "http $HOME_NET any -> $EXTERNAL_NET any",
                format!("http.user_agent; content:\"{one}/\"; startswith;"),
            ),
            3 => (
                "http $EXTERNAL_NET any -> $HOME_NET any",
                format!("flow:established,to_client; file.data; content:\"{one} {two}\"; within:2000;"),
            ),
            4 => ("http $HOME_NET any -> any any", format!("http.host; content:\"{one}.{two}.com\";")),
            5 | 6 => (
                "tls $HOME_NET any -> $EXTERNAL_NET any",
                format!("tls.sni; content:\"{one}.net\"; endswith;"),
            ),
            7 | 8 => (
                "dns $HOME_NET any -> any any",
                format!("dns.query; dotprefix; content:\".{one}.org\"; endswith; nocase;"),
            ),
            9 => (
                "tcp $EXTERNAL_NET any -> $HOME_NET any",
                format!(
                    "flow:established,to_client; content:\"|{:02x} {:02x} 00|{one}\"; content:\"{two}\"; distance:4; within:80;",
                    random.below(256),
                    random.below(256)
                ),
            ),
            10 => (
                "tcp $HOME_NET any -> $EXTERNAL_NET ![80,443]",
                format!("flow:established,to_server; content:\"{one}\"; depth:40; isdataat:10,relative;"),
            ),
            11 => (
                "smb $HOME_NET any -> $HOME_NET any",
                format!("smb.share; content:\"|5c|{one}\"; nocase; endswith;"),
            ),
            12 => (
                "tcp any any -> $HOME_NET 445",
                format!(
                    "flow:established,to_server; content:\"SMB\"; offset:5; depth:3; content:\"{one}\"; distance:60;"
                ),
            ),
            13 => (
                "krb5 $HOME_NET any -> any 88",
                format!("krb5.cname; content:\"{one}\"; startswith; krb5_msg_type:{};", 10 + random.below(4)),
            ),
            _ => (
                "tcp any any -> $HOME_NET 25",
                format!("content:\"Subject|3a 20|{one}\"; nocase; fast_pattern;"),
            ),
        };
        writeln!(
            out,
            "alert {head} (msg:\"TRAINING {one} {two}\"; {body} classtype:misc-activity; sid:{sid}; rev:1;)"
        )?;
    }
    Ok(())
}
