//! Events of TLS for scripts: of records, of messages of the handshake, and of their extensions.

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue, Reader};

use super::cipher;
use super::handshake::message_type;
use super::transaction::{Seen, TlsTransaction, What};

event_names! {
    /// Their names.
    const NAMES;
    CLIENT_HELLO = "ssl_client_hello",
    SERVER_HELLO = "ssl_server_hello",
    EXTENSION = "ssl_extension",
    SERVER_NAME = "ssl_extension_server_name",
    CURVES = "ssl_extension_elliptic_curves",
    POINT_FORMATS = "ssl_extension_ec_point_formats",
    SIGNATURE_ALGORITHM = "ssl_extension_signature_algorithm",
    ALPN = "ssl_extension_application_layer_protocol_negotiation",
    SUPPORTED_VERSIONS = "ssl_extension_supported_versions",
    KEY_SHARE = "ssl_extension_key_share",
    PSK_MODES = "ssl_extension_psk_key_exchange_modes",
    SIGNATURE_ALGORITHMS_CERT = "ssl_extension_signature_algorithms_cert",
    CONNECTION_ID = "ssl_extension_connection_id",
    ESTABLISHED = "ssl_established",
    ALERT = "ssl_alert",
    HANDSHAKE_MESSAGE = "ssl_handshake_message",
    CHANGE_CIPHER_SPEC = "ssl_change_cipher_spec",
    PLAINTEXT = "ssl_plaintext_data",
    ENCRYPTED = "ssl_encrypted_data",
    TICKET = "ssl_session_ticket_handshake",
    STAPLED = "ssl_stapled_ocsp",
    ECDH_SERVER = "ssl_ecdh_server_params",
    ECDH_CLIENT = "ssl_ecdh_client_params",
    RSA_CLIENT = "ssl_rsa_client_pms",
    DH_SERVER = "ssl_dh_server_params",
    DH_CLIENT = "ssl_dh_client_params",
    SERVER_SIGNATURE = "ssl_server_signature",
    CERTIFICATE_REQUEST = "ssl_certificate_request",
    HEARTBEAT = "ssl_heartbeat",
    HIDDEN = "ssl_probable_encrypted_handshake_message",
    PSK_CLIENT = "ssl_extension_pre_shared_key_client_hello",
    PSK_SERVER = "ssl_extension_pre_shared_key_server_hello",
    TIMESTAMP = "ssl_extension_signed_certificate_timestamp",
    ENCRYPTED_HELLO = "ssl_extension_encrypted_client_hello",
    FLIPPED = "ssl_connection_flipped",
}

/// The setting by which nothing is told of a connection that was established.
pub(super) const STOPS: &str = "SSL::disable_analyzer_after_detection";

/// The events.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/ssl/main",
    bodies: None,
    names: NAMES,
    open: || Box::<TlsRaiser>::default(),
};

#[derive(Debug, Default)]
struct TlsRaiser {
    established: bool,
    /// The suite that the server chose.
    suite: u16,
    /// The responder of the connection is the client.
    is_flipped: bool,
}

impl EventRaiser for TlsRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<TlsTransaction>() else { return };
        let is_over = self.established && sink.is_set(STOPS);
        for mut seen in tx.take_seen().into_iter().filter(|_| !is_over) {
            if !self.is_flipped && is_of_other_side(&seen) {
                self.is_flipped = true;
                sink.raise(FLIPPED, &[EventValue::Connection]);
            }
            if self.is_flipped {
                seen.direction = seen.direction.opposite();
            }
            self.seen(&seen, sink);
        }
        if tx.trace.established {
            self.establish(sink);
        }
    }
}

/// Returns whether a hello comes from the side that should hear it (RFC 8446 4.1).
const fn is_of_other_side(seen: &Seen) -> bool {
    use message_type as is;
    let What::Message(kind, ..) = &seen.what else { return false };
    match seen.direction {
        Direction::ToServer => matches!(*kind, is::SERVER_HELLO | is::HELLO_REQUEST),
        Direction::ToClient => matches!(*kind, is::CLIENT_HELLO),
    }
}

impl TlsRaiser {
    fn establish(&mut self, sink: &mut dyn EventSink) {
        if !std::mem::replace(&mut self.established, true) {
            sink.raise(ESTABLISHED, &[EventValue::Connection]);
        }
    }

    fn seen(&mut self, seen: &Seen, sink: &mut dyn EventSink) {
        let is_client = EventValue::Bool(seen.direction == Direction::ToServer);
        let record = |kind: u8, length: usize| {
            let numbers = [u64::from(seen.version.0), kind.into(), length as u64].map(EventValue::Count);
            let [version, kind, length] = numbers;
            [EventValue::Connection, is_client, version, kind, length]
        };
        match &seen.what {
            What::Plain(kind, length) => sink.raise(PLAINTEXT, &record(*kind, *length)),
            What::Opaque(kind, length) => sink.raise(ENCRYPTED, &record(*kind, *length)),
            What::Established => self.establish(sink),
            What::Flipped => sink.raise(FLIPPED, &[EventValue::Connection]),
            What::Hidden(length) => {
                sink.raise(HIDDEN, &[EventValue::Connection, is_client, (*length).into()]);
            }
            What::Heartbeat(length, body) => {
                let mut reader = Reader::new(body);
                let kind = reader.u8().unwrap_or(0);
                let payload = reader.u16().unwrap_or(0);
                let rest = EventValue::String(reader.rest());
                let length = EventValue::from(*length);
                let arguments =
                    [EventValue::Connection, is_client, length, kind.into(), payload.into(), rest];
                sink.raise(HEARTBEAT, &arguments);
            }
            What::ChangeCipherSpec => {
                sink.raise(CHANGE_CIPHER_SPEC, &[EventValue::Connection, is_client]);
            }
            What::Alert(level, description) => {
                let [level, description] = [*level, *description].map(|byte| EventValue::Count(byte.into()));
                sink.raise(ALERT, &[EventValue::Connection, is_client, level, description]);
            }
            What::Message(kind, body, length) => {
                // What does not fit its format has no event of its own.
                let _ = self.message(seen, *kind, body, sink);
                let arguments = [EventValue::Connection, is_client, (*kind).into(), (*length).into()];
                sink.raise(HANDSHAKE_MESSAGE, &arguments);
            }
        }
    }

    fn message(&mut self, seen: &Seen, kind: u8, body: &[u8], sink: &mut dyn EventSink) -> Option<()> {
        use message_type as is;
        let is_client = seen.direction == Direction::ToServer;
        let mut reader = Reader::new(body);
        match kind {
            is::CLIENT_HELLO if is_client => return client_hello(seen, reader, sink),
            is::SERVER_HELLO if !is_client => return self.server_hello(seen, reader, sink),
            is::NEW_SESSION_TICKET if !is_client => {
                let lifetime = reader.u32()?;
                let ticket = long(&mut reader)?;
                let arguments =
                    [EventValue::Connection, EventValue::Count(lifetime.into()), EventValue::String(ticket)];
                sink.raise(TICKET, &arguments);
            }
            is::CERTIFICATE_STATUS => {
                let (kind, length) = (reader.u8()?, reader.u24()?);
                let response = reader.take(length as usize).filter(|_| kind == 1)?;
                let arguments =
                    [EventValue::Connection, EventValue::Bool(is_client), EventValue::String(response)];
                sink.raise(STAPLED, &arguments);
            }
            is::SERVER_KEY_EXCHANGE if !is_client => return self.server_key_exchange(seen, reader, sink),
            is::CLIENT_KEY_EXCHANGE if is_client => return self.client_key_exchange(reader, sink),
            is::CERTIFICATE_REQUEST if !is_client => return certificate_request(seen, reader, sink),
            _ => {}
        }
        Some(())
    }

    fn server_hello(&mut self, seen: &Seen, mut reader: Reader<'_>, sink: &mut dyn EventSink) -> Option<()> {
        let version = reader.u16()?;
        let is_draft = version & 0xff00 == 0x7f00 && version < 0x7f16;
        let (time, random, session) = if is_draft {
            (0, reader.take(32)?, &[][..])
        } else {
            let all = reader.rest();
            let (time, _) = (reader.u32()?, reader.skip(28)?);
            (time, all.get(..32)?, short(&mut reader)?)
        };
        let suite = reader.u16()?;
        let compression = if is_draft { 0 } else { reader.u8()? };
        self.suite = suite;
        extensions(false, &mut reader, sink);
        let count = |number: u16| EventValue::Count(number.into());
        let arguments = [
            EventValue::Connection,
            count(version),
            count(seen.version.0),
            EventValue::Moment(time.into()),
            EventValue::String(random),
            EventValue::String(session),
            count(suite),
            count(compression.into()),
        ];
        sink.raise(SERVER_HELLO, &arguments);
        Some(())
    }

    /// RFC 5246 7.4.3, RFC 8422 5.4.
    fn server_key_exchange(
        &self,
        seen: &Seen,
        mut reader: Reader<'_>,
        sink: &mut dyn EventSink,
    ) -> Option<()> {
        if cipher::has_ephemeral_curve(self.suite) {
            if reader.u8()? != 3 {
                return None;
            }
            let (curve, point) = (reader.u16()?, short(&mut reader)?);
            let arguments =
                [EventValue::Connection, EventValue::Count(curve.into()), EventValue::String(point)];
            sink.raise(ECDH_SERVER, &arguments);
        } else if is_of(self.suite, &["TLS_DHE_", "TLS_DH_ANON_", "TLS_DH_anon_"]) {
            let (prime, generator, share) = (long(&mut reader)?, long(&mut reader)?, long(&mut reader)?);
            let [prime, generator, share] = [prime, generator, share].map(EventValue::String);
            sink.raise(DH_SERVER, &[EventValue::Connection, prime, generator, share]);
        } else {
            return None;
        }
        if reader.is_empty() {
            return None;
        }
        let (hash, signature) = match seen.version.names_algorithms() {
            true => (reader.u8()?, reader.u8()?),
            false => (255, 255),
        };
        let algorithms = [EventValue::Count(hash.into()), EventValue::Count(signature.into())];
        let bytes = long(&mut reader)?;
        let arguments = [EventValue::Connection, EventValue::Record(&algorithms), EventValue::String(bytes)];
        sink.raise(SERVER_SIGNATURE, &arguments);
        Some(())
    }

    /// RFC 5246 7.4.7.
    fn client_key_exchange(&self, mut reader: Reader<'_>, sink: &mut dyn EventSink) -> Option<()> {
        let (event, bytes) = if is_of(self.suite, &["TLS_ECDH"]) {
            (ECDH_CLIENT, short(&mut reader)?)
        } else if is_of(self.suite, &["TLS_DH"]) {
            (DH_CLIENT, long(&mut reader)?)
        } else if is_of(self.suite, &["TLS_RSA_"]) {
            (RSA_CLIENT, long(&mut reader)?)
        } else {
            return None;
        };
        sink.raise(event, &[EventValue::Connection, EventValue::String(bytes)]);
        Some(())
    }
}

fn is_of(suite: u16, beginnings: &[&str]) -> bool {
    let name = cipher::name(suite);
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

fn short<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u8()?;
    reader.take(length.into())
}

fn long<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u16()?;
    reader.take(length.into())
}

/// Numbers of two bytes each.
fn numbers(bytes: &[u8]) -> Vec<EventValue<'static>> {
    bytes.as_chunks::<2>().0.iter().map(|pair| EventValue::Count(u16::from_be_bytes(*pair).into())).collect()
}

/// Numbers of one byte each.
fn bytes(bytes: &[u8]) -> Vec<EventValue<'static>> {
    bytes.iter().map(|byte| EventValue::Count((*byte).into())).collect()
}

/// Pairs of hash and signature algorithm.
fn algorithms(bytes: &[u8]) -> Vec<[EventValue<'static>; 2]> {
    bytes.as_chunks::<2>().0.iter().map(|pair| pair.map(|byte| EventValue::Count(byte.into()))).collect()
}

fn client_hello(seen: &Seen, mut reader: Reader<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let version = reader.u16()?;
    let (time, random) = (reader.u32()?, reader.take(28)?);
    let session = short(&mut reader)?;
    let ciphers = numbers(long(&mut reader)?);
    let compressions = bytes(short(&mut reader)?);
    extensions(true, &mut reader, sink);
    let arguments = [
        EventValue::Connection,
        EventValue::Count(version.into()),
        EventValue::Count(seen.version.0.into()),
        EventValue::Moment(time.into()),
        EventValue::String(random),
        EventValue::String(session),
        EventValue::List(&ciphers),
        EventValue::List(&compressions),
    ];
    sink.raise(CLIENT_HELLO, &arguments);
    Some(())
}

/// RFC 5246 7.4.4.
fn certificate_request(seen: &Seen, mut reader: Reader<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let types = bytes(short(&mut reader)?);
    let pairs = if seen.version.names_algorithms() { algorithms(long(&mut reader)?) } else { Vec::new() };
    let records: Vec<EventValue<'_>> = pairs.iter().map(|pair| EventValue::Record(pair)).collect();
    let mut authorities = Vec::new();
    let mut list = Reader::new(long(&mut reader)?);
    while let Some(name) = long(&mut list) {
        authorities.push(EventValue::String(name));
    }
    let arguments = [
        EventValue::Connection,
        EventValue::Bool(false),
        EventValue::List(&types),
        EventValue::List(&records),
        EventValue::List(&authorities),
    ];
    sink.raise(CERTIFICATE_REQUEST, &arguments);
    Some(())
}

/// Raises the events of a hello's extensions.
fn extensions(is_client: bool, reader: &mut Reader<'_>, sink: &mut dyn EventSink) {
    let Some(mut list) = long(reader).map(Reader::new) else { return };
    while let (Some(code), Some(data)) = (list.u16(), long(&mut list)) {
        // One that does not fit its format has no event of its own.
        let _ = extension(is_client, code, data, sink);
        let arguments = [
            EventValue::Connection,
            EventValue::Bool(is_client),
            EventValue::Count(code.into()),
            EventValue::String(data),
        ];
        sink.raise(EXTENSION, &arguments);
    }
}

fn extension(is_client: bool, code: u16, data: &[u8], sink: &mut dyn EventSink) -> Option<()> {
    let mut reader = Reader::new(data);
    let mut tell = |event: usize, list: &[EventValue<'_>]| {
        let arguments = [EventValue::Connection, EventValue::Bool(is_client), EventValue::List(list)];
        sink.raise(event, &arguments);
    };
    match code {
        0 => {
            let mut names = Vec::new();
            let mut list = long(&mut reader).map(Reader::new).unwrap_or(reader);
            while let (Some(kind), Some(name)) = (list.u8(), long(&mut list)) {
                if kind == 0 {
                    names.push(EventValue::String(name));
                }
            }
            tell(SERVER_NAME, &names);
        }
        10 => tell(CURVES, &numbers(long(&mut reader)?)),
        11 => tell(POINT_FORMATS, &bytes(short(&mut reader)?)),
        13 => {
            let pairs = algorithms(long(&mut reader)?);
            let records: Vec<EventValue<'_>> = pairs.iter().map(|pair| EventValue::Record(pair)).collect();
            tell(SIGNATURE_ALGORITHM, &records);
        }
        16 => {
            let mut names = Vec::new();
            let mut list = Reader::new(long(&mut reader)?);
            while let Some(name) = short(&mut list) {
                names.push(EventValue::String(name));
            }
            tell(ALPN, &names);
        }
        18 => timestamps(is_client, long(&mut reader)?, sink),
        41 if is_client => shared_keys(reader, sink)?,
        41 => {
            let arguments = [EventValue::Connection, EventValue::Bool(false), reader.u16()?.into()];
            sink.raise(PSK_SERVER, &arguments);
        }
        0xfe0d if is_client && reader.u8()? == 0 => {
            let (derivation, cipher, config) = (reader.u16()?, reader.u16()?, reader.u8()?);
            let (key, payload) = (long(&mut reader)?, long(&mut reader)?);
            let arguments = [
                EventValue::Connection,
                EventValue::Bool(true),
                derivation.into(),
                cipher.into(),
                config.into(),
                EventValue::String(key),
                payload.len().into(),
            ];
            sink.raise(ENCRYPTED_HELLO, &arguments);
        }
        43 if is_client => tell(SUPPORTED_VERSIONS, &numbers(short(&mut reader)?)),
        43 => tell(SUPPORTED_VERSIONS, &[EventValue::Count(reader.u16()?.into())]),
        45 => tell(PSK_MODES, &bytes(short(&mut reader)?)),
        50 => tell(SIGNATURE_ALGORITHMS_CERT, &numbers(long(&mut reader)?)),
        51 if is_client => {
            let mut groups = Vec::new();
            let mut list = Reader::new(long(&mut reader)?);
            while let (Some(group), Some(_)) = (list.u16(), long(&mut list)) {
                groups.push(EventValue::Count(group.into()));
            }
            tell(KEY_SHARE, &groups);
        }
        51 => tell(KEY_SHARE, &[EventValue::Count(reader.u16()?.into())]),
        54 => {
            let id = EventValue::String(short(&mut reader)?);
            sink.raise(CONNECTION_ID, &[EventValue::Connection, EventValue::Bool(is_client), id]);
        }
        _ => {}
    }
    Some(())
}

/// RFC 8446 4.2.11.
fn shared_keys(mut reader: Reader<'_>, sink: &mut dyn EventSink) -> Option<()> {
    let mut list = Reader::new(long(&mut reader)?);
    let mut identities = Vec::new();
    while let (Some(identity), Some(age)) = (long(&mut list), list.u32()) {
        identities.push([EventValue::String(identity), age.into()]);
    }
    let records: Vec<EventValue<'_>> = identities.iter().map(|fields| EventValue::Record(fields)).collect();
    let mut list = Reader::new(long(&mut reader)?);
    let mut binders = Vec::new();
    while let Some(binder) = short(&mut list) {
        binders.push(EventValue::String(binder));
    }
    let (records, binders) = (EventValue::List(&records), EventValue::List(&binders));
    sink.raise(PSK_CLIENT, &[EventValue::Connection, EventValue::Bool(true), records, binders]);
    Some(())
}

/// RFC 6962 3.3.
fn timestamps(is_client: bool, list: &[u8], sink: &mut dyn EventSink) {
    let mut list = Reader::new(list);
    while let Some(timestamp) = long(&mut list) {
        // One that does not fit its format has no event.
        let _ = (|| {
            let mut reader = Reader::new(timestamp);
            let version = reader.u8()?;
            let (log, moment) = (reader.take(32)?, reader.u64()?);
            long(&mut reader)?;
            let algorithms = [reader.u8()?.into(), reader.u8()?.into()];
            let signature = long(&mut reader)?;
            let arguments = [
                EventValue::Connection,
                EventValue::Bool(is_client),
                version.into(),
                EventValue::String(log),
                EventValue::Count(moment),
                EventValue::Record(&algorithms),
                EventValue::String(signature),
            ];
            sink.raise(TIMESTAMP, &arguments);
            Some(())
        })();
    }
}

#[cfg(test)]
mod tests {
    use super::super::version::Version;
    use super::*;

    #[test]
    fn hellos_of_the_other_side() {
        use message_type as is;
        let cases = [
            (Direction::ToServer, is::CLIENT_HELLO, false),
            (Direction::ToClient, is::SERVER_HELLO, false),
            (Direction::ToClient, is::CLIENT_HELLO, true),
            (Direction::ToServer, is::SERVER_HELLO, true),
            (Direction::ToServer, is::FINISHED, false),
        ];
        for (direction, kind, expected) in cases {
            let seen =
                Seen { direction, version: Version(0x0303), what: What::Message(kind, Box::default(), 0) };
            assert_eq!(is_of_other_side(&seen), expected, "{direction:?} {kind}");
        }
    }
}
