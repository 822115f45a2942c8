//! Extensions of TLS hellos as EVE records show them: by the names of their registry, some with what they
//! say.

use weir_base::{Direction, JsonWriter, Reader};

use crate::tls::hello::{ClientHello, ServerHello};
use crate::tls::version::Version;

const SERVER_NAME: u16 = 0;
const SIGNATURE_ALGORITHMS: u16 = 13;
const ALPN: u16 = 16;
const SUPPORTED_VERSIONS: u16 = 43;

/// Names from number 0 on, of IANA's registry.
const NAMES: &[&str] = &[
    "server_name",
    "max_fragment_length",
    "client_certificate_url",
    "trusted_ca_keys",
    "truncated_hmac",
    "status_request",
    "user_mapping",
    "client_authz",
    "server_authz",
    "cert_type",
    "supported_groups",
    "ec_point_formats",
    "srp",
    "signature_algorithms",
    "use_srtp",
    "heartbeat",
    "alpn",
    "status_request_v2",
    "signed_certificate_timestamp",
    "client_certificate_type",
    "server_certificate_type",
    "padding",
    "encrypt_then_mac",
    "extended_master_secret",
    "token_binding",
    "cached_info",
    "tls_lts",
    "compress_certificate",
    "record_size_limit",
    "pwd_protect",
    "pwd_clear",
    "password_salt",
    "ticket_pinning",
    "tls_cert_with_extern_psk",
    "delegated_credentials",
    "session_ticket",
    "TLMSP",
    "TLMSP_proxying",
    "TLMSP_delegate",
    "supported_ekt_ciphers",
    "",
    "pre_shared_key",
    "early_data",
    "supported_versions",
    "cookie",
    "psk_key_exchange_modes",
    "",
    "certificate_authorities",
    "oid_filters",
    "post_handshake_auth",
    "signature_algorithms_cert",
    "key_share",
    "transparency_info",
    "connection_id_deprecated",
    "connection_id",
    "external_id_hash",
    "external_session_id",
    "quic_transport_parameters",
    "ticket_request",
    "dnssec_chain",
];

fn name(number: u16) -> Option<&'static str> {
    match number {
        13172 => Some("next_protocol_negotiation"),
        65281 => Some("renegotiation_info"),
        _ => NAMES.get(usize::from(number)).copied().filter(|name| !name.is_empty()),
    }
}

/// A hello of either side.
#[derive(Debug)]
pub enum Hello {
    /// The client's.
    Client(ClientHello),
    /// The server's.
    Server(ServerHello),
}

impl Hello {
    /// Reads the first message of a direction's handshake: its hello, once all of it is there; nothing where
    /// it is another message.
    pub fn read(direction: Direction, handshake: &[u8]) -> Option<Self> {
        const CLIENT_HELLO: u8 = 1;
        const SERVER_HELLO: u8 = 2;
        let mut reader = Reader::new(handshake);
        let kind = reader.u8()?;
        let length = usize::try_from(reader.u24()?).ok()?;
        let body = reader.take(length)?;
        // What is odd about a hello is no event of this protocol.
        let mut oddities = Vec::new();
        match (kind, direction) {
            (CLIENT_HELLO, Direction::ToServer) => ClientHello::read(body, &mut oddities).map(Self::Client),
            (SERVER_HELLO, Direction::ToClient) => ServerHello::read(body, &mut oddities).map(Self::Server),
            _ => None,
        }
    }

    /// Its extensions' numbers in order.
    pub fn extensions(&self) -> &[u16] {
        match self {
            Self::Client(hello) => &hello.extensions,
            Self::Server(hello) => &hello.extensions,
        }
    }

    /// Writes the list of extensions.
    pub fn write_extensions(&self, json: &mut JsonWriter<'_>) {
        if self.extensions().is_empty() {
            return;
        }
        json.objects("extensions", self.extensions(), |json, &number| {
            json.optional_string("name", name(number));
            json.unsigned("type", number);
            let before = json.position();
            json.array("values");
            let any = self.write_values(number, json);
            json.close_array();
            if !any {
                json.rewind(before);
            }
        });
    }

    /// Writes what an extension says; whether there is anything.
    fn write_values(&self, number: u16, json: &mut JsonWriter<'_>) -> bool {
        match (number, self) {
            (SERVER_NAME, Self::Client(hello)) => {
                hello.server_name.iter().for_each(|name| json.push_string(name));
                hello.server_name.is_some()
            }
            (ALPN, Self::Client(ClientHello { alpns, .. }) | Self::Server(ServerHello { alpns, .. })) => {
                alpns.iter().for_each(|alpn| json.push_string(alpn));
                !alpns.is_empty()
            }
            (SIGNATURE_ALGORITHMS, Self::Client(hello)) => {
                hello.signature_algorithms.iter().for_each(|number| json.push_string(number.to_string()));
                !hello.signature_algorithms.is_empty()
            }
            (SUPPORTED_VERSIONS, Self::Client(hello)) => {
                hello.versions.iter().for_each(|&version| json.push_string(version_name(version)));
                !hello.versions.is_empty()
            }
            (SUPPORTED_VERSIONS, Self::Server(hello)) => {
                json.push_string(version_name(hello.version));
                true
            }
            _ => false,
        }
    }
}

/// A version by the name that users know from these records.
fn version_name(version: Version) -> String {
    match version {
        Version::SSL3 => "Ssl30".to_owned(),
        Version::TLS10 => "Tls10".to_owned(),
        Version::TLS11 => "Tls11".to_owned(),
        Version::TLS12 => "Tls12".to_owned(),
        Version::TLS13 => "Tls13".to_owned(),
        Version(draft @ 0x7f12..=0x7f17) => format!("Tls13Draft{}", draft & 0xff),
        Version(other) => format!("TlsVersion({other} / 0x{other:x})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::hello::tests::{client_hello, extension, server_hello, server_name_extension, sized};

    /// A handshake message.
    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let [_, length @ ..] = (body.len() as u32).to_be_bytes();
        [&[kind][..], &length, body].concat()
    }

    #[test]
    fn extensions() {
        let client = client_hello(
            0x0303,
            &[0x1301],
            &[
                server_name_extension(b"a.example"),
                extension(16, &sized(b"\x02h3")),
                extension(13, &sized(&[4, 3])),
                extension(43, &[4, 0x1a, 0x1a, 3, 4]),
                extension(0x1a1a, &[]),
                extension(57, &[1]),
            ],
        );
        let server = server_hello(0x0303, 0x1301, &[extension(43, &[3, 4]), extension(51, &[0, 29])]);
        let cases = [
            (
                Direction::ToServer,
                message(1, &client),
                r#"{"extensions":[{"name":"server_name","type":0,"values":["a.example"]},{"name":"alpn","type":16,"values":["h3"]},{"name":"signature_algorithms","type":13,"values":["1027"]},{"name":"supported_versions","type":43,"values":["TlsVersion(6682 / 0x1a1a)","Tls13"]},{"type":6682},{"name":"quic_transport_parameters","type":57}]}"#,
            ),
            (
                Direction::ToClient,
                message(2, &server),
                r#"{"extensions":[{"name":"supported_versions","type":43,"values":["Tls13"]},{"name":"key_share","type":51}]}"#,
            ),
        ];
        for (direction, message, expected) in cases {
            let hello = Hello::read(direction, &message).unwrap();
            let mut out = Vec::new();
            let mut json = JsonWriter::new(&mut out);
            json.open_object();
            hello.write_extensions(&mut json);
            json.close_object();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
            assert!(Hello::read(direction.opposite(), &message).is_none());
            assert!(Hello::read(direction, &message[..message.len() - 1]).is_none());
        }
    }

    #[test]
    fn names() {
        let cases = [
            (9, Some("cert_type")),
            (41, Some("pre_shared_key")),
            (40, None),
            (51, Some("key_share")),
            (59, Some("dnssec_chain")),
            (60, None),
            (65281, Some("renegotiation_info")),
        ];
        for (number, expected) in cases {
            assert_eq!(name(number), expected);
        }
    }
}
