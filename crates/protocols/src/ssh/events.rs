//! Events of SSH for scripts.

use md5::{Digest, Md5};
use sha2::Sha256;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_applayer::{HeardMessage, event_names};
use weir_base::{Direction, EventValue, PerDirection, Reader, hex};

use super::key_exchange::{KeyExchange, List, Offers};
use super::parser::heard;
use super::record::message;
use super::transaction::SshTransaction;
use super::zeek::fingerprint;

event_names! {
    /// Their names.
    const NAMES;
    CLIENT_VERSION = "ssh_client_version",
    SERVER_VERSION = "ssh_server_version",
    CAPABILITIES = "ssh_capabilities",
    HOST_KEY = "ssh2_server_host_key",
    HOST_KEY_HASH = "ssh_server_host_key",
    HOST_KEY_FINGERPRINT = "ssh_server_host_key_fingerprint",
    AUTH_ATTEMPTED = "ssh_auth_attempted",
    AUTH_SUCCESSFUL = "ssh_auth_successful",
    BEFORE_BANNER = "ssh_server_pre_banner_data",
    ENCRYPTED_PACKET = "ssh_encrypted_packet",
    FIRST_VERSION_KEY = "ssh1_server_host_key",
    DH_INIT = "ssh2_dh_gex_init",
    DH_PARAMETERS = "ssh2_dh_server_params",
    ECC_INIT = "ssh2_ecc_init",
    ECC_KEY = "ssh2_ecc_key",
    GSS_INIT = "ssh2_gss_init",
    GSS_ERROR = "ssh2_gss_error",
    RSA_SECRET = "ssh2_rsa_secret",
}

/// Setting by which nothing more is read once a client was let in.
const STOPS: &str = "SSH::disable_analyzer_after_detection";

/// The events.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/ssh/main",
    bodies: None,
    names: NAMES,
    open: || Box::<SshRaiser>::default(),
};

#[derive(Debug, Default)]
struct SshRaiser {
    versions: PerDirection<bool>,
    capabilities: PerDirection<bool>,
    has_key: bool,
    attempts: u64,
    admitted: bool,
    /// Nothing more is told.
    is_over: bool,
}

impl EventRaiser for SshRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<SshTransaction>() else { return };
        let (before, messages): (Vec<_>, Vec<_>) =
            tx.meta.heard.take().into_iter().partition(|message| message.kind == heard::BEFORE);
        for message in before {
            let line = EventValue::String(&message.bytes);
            sink.raise(BEFORE_BANNER, &[EventValue::Connection, line]);
        }
        for (direction, event) in
            [(Direction::ToServer, CLIENT_VERSION), (Direction::ToClient, SERVER_VERSION)]
        {
            if let Some(banner) = &tx.sides[direction].banner
                && !std::mem::replace(&mut self.versions[direction], true)
            {
                sink.raise(event, &[EventValue::Connection, EventValue::String(banner.line())]);
            }
        }
        for direction in Direction::BOTH {
            if let Some(offer) = &tx.sides[direction].offer
                && !std::mem::replace(&mut self.capabilities[direction], true)
                && sink.wants(CAPABILITIES)
            {
                capabilities(offer, direction, sink);
            }
        }
        if !self.is_over {
            self.exchange(tx, &messages, sink);
        }
        if let Some(key) = tx.host_key.as_deref()
            && !std::mem::replace(&mut self.has_key, true)
        {
            host_key(key, sink);
        }
        self.authentication(tx, sink);
        self.is_over |= self.admitted && sink.is_set(STOPS);
    }
}

impl SshRaiser {
    /// Raises the events of the messages that exchange keys, and of what is encrypted.
    fn exchange(&mut self, tx: &SshTransaction, messages: &[HeardMessage], sink: &mut dyn EventSink) {
        let way = tx.offers().map(Way::of).unwrap_or_default();
        for message in messages {
            let is_orig = message.direction == Direction::ToServer;
            // What does not fit its format has no event.
            let _ = match message.kind {
                heard::ENCRYPTED => encrypted(message, is_orig, sink),
                heard::FIRST_VERSION_KEY => first_version_key(&message.bytes, sink),
                kind => exchanged(way, kind, &message.bytes, is_orig, sink),
            };
            let is_reply = matches!(kind_of_reply(way), Some(kind) if kind == message.kind);
            if let (true, Some(key)) = (is_reply && !self.has_key, tx.host_key.as_deref()) {
                self.has_key = true;
                host_key(key, sink);
                if way == Way::EllipticCurve {
                    let _ = server_point(&message.bytes, is_orig, sink);
                }
            }
        }
    }

    fn authentication(&mut self, tx: &SshTransaction, sink: &mut dyn EventSink) {
        let is_admitted = tx.authentication.success == Some(true);
        let failed = tx.authentication.attempts.saturating_sub(u64::from(is_admitted));
        while self.attempts < failed {
            self.attempts += 1;
            sink.raise(AUTH_ATTEMPTED, &[EventValue::Connection, EventValue::Bool(false)]);
        }
        if is_admitted && !std::mem::replace(&mut self.admitted, true) {
            sink.raise(AUTH_ATTEMPTED, &[EventValue::Connection, EventValue::Bool(true)]);
            let without = tx.authentication.attempts == 0;
            sink.raise(AUTH_SUCCESSFUL, &[EventValue::Connection, EventValue::Bool(without)]);
        }
    }
}

/// Ways of exchanging keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Way {
    /// Another one, or none yet.
    #[default]
    Unknown,
    /// Diffie-Hellman in a known group (RFC 4253 8).
    Group,
    /// Diffie-Hellman in a group that the server chooses (RFC 4419).
    ChosenGroup,
    /// Elliptic curves (RFC 5656, RFC 8731).
    EllipticCurve,
    /// GSS-API (RFC 4462).
    Gss,
    /// RSA (RFC 4432).
    Rsa,
}

impl Way {
    /// Returns the way that both sides agreed on.
    fn of(offers: Offers<'_>) -> Self {
        let name = offers.agreed(List::Kex).unwrap_or_default();
        let begins = |start: &str| name.starts_with(start.as_bytes());
        match name {
            b"rsa1024-sha1" | b"rsa2048-sha256" => Self::Rsa,
            _ if begins("diffie-hellman-group-exchange-") => Self::ChosenGroup,
            _ if begins("diffie-hellman-group") => Self::Group,
            _ if begins("gss-") => Self::Gss,
            b"ecmqv-sha2" => Self::EllipticCurve,
            _ if begins("ecdh-sha2-") || begins("curve25519-sha256") => Self::EllipticCurve,
            _ => Self::Unknown,
        }
    }
}

/// Returns the number of the message that has the server's key.
const fn kind_of_reply(way: Way) -> Option<u8> {
    match way {
        Way::Group | Way::EllipticCurve => Some(message::KEX_REPLY),
        Way::ChosenGroup => Some(message::GROUP_EXCHANGE_REPLY),
        Way::Rsa => Some(message::RSA_PUBLIC_KEY),
        Way::Unknown | Way::Gss => None,
    }
}

/// Takes a string behind its length.
fn string<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u32()?;
    reader.take(usize::try_from(length).ok()?)
}

fn encrypted(message: &HeardMessage, is_orig: bool, sink: &mut dyn EventSink) -> Option<()> {
    let length = Reader::new(&message.bytes).u64()?;
    sink.raise(ENCRYPTED_PACKET, &[EventValue::Connection, is_orig.into(), length.into()]);
    Some(())
}

/// Raises the events of a message of a way of exchanging keys.
fn exchanged(way: Way, kind: u8, body: &[u8], is_orig: bool, sink: &mut dyn EventSink) -> Option<()> {
    let c = EventValue::Connection;
    let mut reader = Reader::new(body);
    match (way, kind) {
        (Way::Group, 30) | (Way::ChosenGroup, 32) => {
            string(&mut reader)?;
            sink.raise(DH_INIT, &[c, is_orig.into()]);
        }
        (Way::ChosenGroup, 31) => {
            let (p, g) = (string(&mut reader)?, string(&mut reader)?);
            sink.raise(DH_PARAMETERS, &[c, p.into(), g.into()]);
        }
        (Way::EllipticCurve, 30) => {
            let point = string(&mut reader)?;
            sink.raise(ECC_KEY, &[c, is_orig.into(), point.into()]);
            sink.raise(ECC_INIT, &[c, is_orig.into()]);
        }
        (Way::Gss, 30) => {
            string(&mut reader)?;
            sink.raise(GSS_INIT, &[c, is_orig.into()]);
        }
        (Way::Gss, 33) => host_key(string(&mut reader)?, sink),
        (Way::Gss, 34) => {
            let (major, minor) = (reader.u32()?, reader.u32()?);
            sink.raise(GSS_ERROR, &[c, major.into(), minor.into(), string(&mut reader)?.into()]);
        }
        (Way::Rsa, 31) => {
            string(&mut reader)?;
            sink.raise(RSA_SECRET, &[c, is_orig.into()]);
        }
        _ => {}
    }
    Some(())
}

/// Raises the event of the server's part of an exchange with elliptic curves, which is behind its key.
fn server_point(body: &[u8], is_orig: bool, sink: &mut dyn EventSink) -> Option<()> {
    let mut reader = Reader::new(body);
    string(&mut reader)?;
    sink.raise(ECC_KEY, &[EventValue::Connection, is_orig.into(), string(&mut reader)?.into()]);
    Some(())
}

/// Takes a number of the first version behind its length in bits.
fn number<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let bits = reader.u16()?;
    reader.take(usize::from(bits).div_ceil(8))
}

/// Raises the events of the keys of a server that speaks the first version.
fn first_version_key(body: &[u8], sink: &mut dyn EventSink) -> Option<()> {
    let mut reader = Reader::new(body);
    // A cookie, and the key that is changed every hour.
    reader.skip(8 + 4)?;
    number(&mut reader)?;
    number(&mut reader)?;
    reader.skip(4)?;
    let (exponent, modulus) = (number(&mut reader)?, number(&mut reader)?);
    let key = [modulus, exponent].concat();
    let digest = Sha256::digest(&key);
    let mut text = Vec::new();
    // As Zeek shows it: the beginning of its SHA-256 in place of MD5.
    hex::append_separated(&mut text, digest.get(..16).unwrap_or_default(), b':');
    let c = EventValue::Connection;
    sink.raise(HOST_KEY_HASH, &[c, EventValue::String(&text)]);
    sink.raise(HOST_KEY_FINGERPRINT, &[c, EventValue::text(&fingerprint(&key))]);
    sink.raise(FIRST_VERSION_KEY, &[c, modulus.into(), exponent.into()]);
    Some(())
}

fn host_key(key: &[u8], sink: &mut dyn EventSink) {
    if sink.wants(HOST_KEY_HASH) {
        let mut text = Vec::new();
        hex::append_separated(&mut text, &Md5::digest(key), b':');
        sink.raise(HOST_KEY_HASH, &[EventValue::Connection, EventValue::String(&text)]);
    }
    sink.raise(HOST_KEY, &[EventValue::Connection, EventValue::String(key)]);
    let text = fingerprint(key);
    sink.raise(HOST_KEY_FINGERPRINT, &[EventValue::Connection, EventValue::text(&text)]);
}

/// Raises `ssh_capabilities`.
fn capabilities(offer: &KeyExchange, direction: Direction, sink: &mut dyn EventSink) {
    let names = |list: List| -> Vec<EventValue<'_>> {
        // An empty list has no name.
        offer.names(list).filter(|name| !name.is_empty()).map(EventValue::String).collect()
    };
    let pair = |list: fn(Direction) -> List| Direction::BOTH.map(|side| names(list(side)));
    let (exchanges, keys) = (names(List::Kex), names(List::HostKey));
    let [ciphers, macs, compressions, languages] =
        [List::Cipher as fn(Direction) -> List, List::Mac, List::Compression, List::Language].map(pair);
    let lists = [&ciphers, &macs, &compressions, &languages]
        .map(|pair| pair.each_ref().map(|names| EventValue::List(names)));
    let [ciphers, macs, compressions, spoken] = lists.each_ref().map(|pair| EventValue::Record(pair));
    let speaks = languages.iter().any(|names| !names.is_empty());
    let fields = [
        EventValue::List(&exchanges),
        EventValue::List(&keys),
        ciphers,
        macs,
        compressions,
        if speaks { spoken } else { EventValue::Unset },
        EventValue::Bool(direction == Direction::ToClient),
    ];
    let arguments = [EventValue::Connection, EventValue::String(offer.cookie()), EventValue::Record(&fields)];
    sink.raise(CAPABILITIES, &arguments);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Events;

    fn sized(parts: &[&[u8]]) -> Vec<u8> {
        parts.iter().flat_map(|part| [&(part.len() as u32).to_be_bytes()[..], part].concat()).collect()
    }

    #[test]
    fn messages_of_each_way() {
        let error = [&[0, 0, 0, 1, 0, 0, 0, 2][..], &sized(&[b"no", b"en"])].concat();
        type Case<'a> = (Way, u8, Vec<u8>, bool, &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (Way::Group, 30, sized(&[b"e"]), true, &["ssh2_dh_gex_init c T"]),
            (Way::ChosenGroup, 31, sized(&[b"p", b"g"]), false, &["ssh2_dh_server_params c p g"]),
            (Way::ChosenGroup, 32, sized(&[b"e"]), true, &["ssh2_dh_gex_init c T"]),
            (Way::ChosenGroup, 34, vec![0; 12], true, &[]),
            (Way::EllipticCurve, 30, sized(&[b"q"]), false, &["ssh2_ecc_key c F q", "ssh2_ecc_init c F"]),
            (Way::Gss, 30, sized(&[b"token", b"e"]), true, &["ssh2_gss_init c T"]),
            (Way::Gss, 34, error, false, &["ssh2_gss_error c 1 2 no"]),
            (Way::Rsa, 31, sized(&[b"secret"]), true, &["ssh2_rsa_secret c T"]),
            (Way::Unknown, 30, sized(&[b"e"]), true, &[]),
            (Way::Group, 30, vec![0, 0, 0, 9, 1], true, &[]),
        ];
        for (way, kind, body, is_orig, expected) in cases {
            let mut sink = Events::new(NAMES);
            let _ = exchanged(*way, *kind, body, *is_orig, &mut sink);
            assert_eq!(sink.raised, *expected, "{way:?} {kind}");
        }
    }

    #[test]
    fn keys_of_the_first_version() {
        let number = |bytes: &[u8]| [&(bytes.len() as u16 * 8).to_be_bytes()[..], bytes].concat();
        let parts = [number(b"e"), number(b"nn"), vec![0; 4], number(b"E"), number(b"MM")].concat();
        let body = [&[7; 12][..], &parts].concat();
        let mut sink = Events::new(NAMES);
        assert_eq!(first_version_key(&body, &mut sink), Some(()));
        let names: Vec<&str> = sink.raised.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(names, ["ssh_server_host_key", "ssh_server_host_key_fingerprint", "ssh1_server_host_key"]);
        assert_eq!(sink.raised.last().map(String::as_str), Some("ssh1_server_host_key c MM E"));
        for length in 0..body.len() {
            assert_eq!(first_version_key(&body[..length], &mut sink), None, "{length}");
        }
    }
}
