//! Inventory of the site: hosts, services, certificates, software; rows of the policy scripts that keep
//! account of it, each once a day.

use weir_applayer::zeek::column::Set;
use weir_applayer::zeek::{Handshake, Script, Software, SoftwareHost};
use weir_applayer::{ZeekConnection, ZeekValue};
use weir_base::{Duration, Product, Timestamp};
use weir_output::known::Claim;
use weir_output::timestamp::date_time;

use crate::connection::Connection;
use crate::notice::Notice;
use crate::rows::Rows;
use crate::streams::{self, KnownCertificateRow, KnownHostRow, KnownServiceRow, SoftwareRow};
use crate::tracking::Tracked;

/// For how long something is known.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Time before the end of a certificate from which a notice is made.
const EXPIRES_SOON: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The shortest key that is long enough, in bits.
const SHORTEST_KEY: u64 = 2048;

/// The oldest version of TLS that is good enough.
const OLDEST_VERSION: (u16, &str) = (0x0301, "TLSv10");

/// Parts of the names of cipher suites that are not safe.
const UNSAFE_CIPHERS: [&str; 2] = ["_EXPORT_", "_RC4_"];

/// Services over UDP that tell scripts of the end of a session.
const SESSIONS: [&str; 7] = ["dns", "ntp", "netbios", "syslog", "ayiya", "teredo", "gtpv1"];

/// Returns whether a service tells scripts of the end of a session.
pub(crate) fn has_sessions(service: &str) -> bool {
    SESSIONS.contains(&service)
}

impl Rows<'_> {
    /// A TCP connection was established: rows of `known_hosts`.
    pub(crate) fn known_hosts(&mut self, connection: &Connection, ts: Timestamp) {
        let mut hosts = [connection.originator().0, connection.responder().0];
        hosts.sort_unstable();
        let plan = self.plan;
        for host in hosts.into_iter().filter(|host| plan.tracks(Tracked::Hosts, *host)) {
            let claim = Claim::new(host, DAY);
            self.news(&streams::KNOWN_HOSTS, None, ts, claim, &KnownHostRow { host: host.into() }.values());
        }
    }

    /// A connection is over: a row of `known_services`, if somebody answered.
    pub(crate) fn known_service(&mut self, ended: &Connection, ts: Timestamp) {
        let (host, port) = ended.responder();
        let answered = match ended.protocol() {
            6 => is_active(ended.history()),
            17 => ended.history().contains(&b'd'),
            _ => false,
        };
        if !answered
            || !self.plan.tracks(Tracked::Services, host)
            || ended.services.as_slice() == ["ftp-data"]
        {
            return;
        }
        let names: Vec<String> = ended.services.iter().map(|name| analyzer_name(name)).collect();
        let services: Vec<ZeekValue<'_>> =
            names.iter().map(|name| ZeekValue::String(name.as_bytes())).collect();
        let claim = Claim::new((host, port, ended.protocol()), DAY);
        let claim = names.iter().fold(claim, |claim, name| claim.fact(name, ()));
        let row = KnownServiceRow {
            host: host.into(),
            port_num: port.into(),
            port_proto: ended.transport().into(),
            service: Set::even_if_empty(&services),
        };
        self.news(&streams::KNOWN_SERVICES, None, ts, claim, &row.values());
    }

    /// An end named its software: a row of `software`.
    pub(crate) fn software(&mut self, connection: &ZeekConnection<'_>, ts: Timestamp, found: &Software<'_>) {
        let ends = connection.endpoints;
        let (host, port) = match found.host {
            SoftwareHost::Client => (ends.client, None),
            SoftwareHost::Server => (ends.server, Some(ends.server_port)),
            SoftwareHost::Other(host) => (host, None),
        };
        if !self.plan.tracks(Tracked::Software, host) {
            return;
        }
        let product = Product::read(found.text);
        let [major, minor, minor2, minor3] = product.numbers;
        let row = SoftwareRow {
            host: host.into(),
            host_p: port.into(),
            software_type: found.kind.into(),
            name: product.name.as_slice().into(),
            version_major: major.into(),
            version_minor: minor.into(),
            version_minor2: minor2.into(),
            version_minor3: minor3.into(),
            version_addl: product.additional.as_deref().into(),
            unparsed_version: found.text.into(),
        };
        let claim = Claim::new(host, DAY).fact(&product.name, (product.numbers, &product.additional));
        self.news(&streams::SOFTWARE, None, ts, claim, &row.values());
    }

    /// Logs a TLS handshake with a server.
    pub(crate) fn handshake(
        &mut self,
        connection: &ZeekConnection<'_>,
        ts: Timestamp,
        handshake: &Handshake<'_>,
    ) {
        let server = connection.endpoints.server;
        let is_asked =
            |what: Tracked, script: Script| self.plan.scripts.has(script) && self.plan.tracks(what, server);
        let [known, expiring, weak] = [
            (Tracked::Certificates, Script::KnownCertificates),
            (Tracked::Expiring, Script::ExpiringCertificates),
            (Tracked::WeakKeys, Script::WeakKeys),
        ]
        .map(|(what, script)| is_asked(what, script));
        if known {
            self.known_certificate(connection, ts, handshake);
        }
        if expiring {
            self.validity(connection, ts, handshake);
        }
        if weak {
            self.weakness(connection, ts, handshake);
        }
    }

    fn known_certificate(
        &mut self,
        connection: &ZeekConnection<'_>,
        ts: Timestamp,
        handshake: &Handshake<'_>,
    ) {
        let Some(certificate) = handshake.certificate.as_ref().filter(|_| handshake.established) else {
            return;
        };
        let ends = connection.endpoints;
        let row = KnownCertificateRow {
            host: ends.server.into(),
            port_num: ends.server_port.into(),
            subject: certificate.subject.into(),
            issuer_subject: certificate.issuer.into(),
            serial: certificate.serial.into(),
        };
        let claim = Claim::new((ends.server, certificate.fingerprint), DAY);
        self.news(&streams::KNOWN_CERTS, None, ts, claim, &row.values());
    }

    /// A notice where the server's certificate is not valid, or not for long.
    fn validity(&mut self, connection: &ZeekConnection<'_>, ts: Timestamp, handshake: &Handshake<'_>) {
        let Some(certificate) = handshake.certificate.as_ref().filter(|_| handshake.established) else {
            return;
        };
        let (not_before, not_after) = certificate.validity;
        let (note, words, moment) = if not_before > ts {
            ("SSL::Certificate_Not_Valid_Yet", "isn't valid until", not_before)
        } else if not_after < ts {
            ("SSL::Certificate_Expired", "expired at", not_after)
        } else if not_after < ts.plus(EXPIRES_SOON) {
            ("SSL::Certificate_Expires_Soon", "is going to expire at", not_after)
        } else {
            return;
        };
        let subject = String::from_utf8_lossy(certificate.subject);
        let message = format!("Certificate {subject} {words} {}", moment_in_words(moment));
        let ends = connection.endpoints;
        let identifier = (ends.server, ends.server_port, certificate.fingerprint);
        self.notice(Some(connection), ts, Notice::new(note, &message).once(identifier, DAY));
    }

    /// Notices where what the server uses is not safe.
    fn weakness(&mut self, connection: &ZeekConnection<'_>, ts: Timestamp, handshake: &Handshake<'_>) {
        let server = (connection.endpoints.server, connection.endpoints.server_port);
        if let Some((number, name)) = handshake.version
            && number < OLDEST_VERSION.0
        {
            let message = format!(
                "Host uses protocol version {name} which is lower than the safe minimum {}",
                OLDEST_VERSION.1
            );
            self.notice(Some(connection), ts, Notice::new("SSL::Old_Version", &message).once(server, DAY));
        }
        if let Some(cipher) = handshake.cipher
            && UNSAFE_CIPHERS.iter().any(|part| cipher.contains(part))
        {
            let message = format!("Host established connection using unsafe cipher suite {cipher}");
            let notice = Notice::new("SSL::Weak_Cipher", &message).once((server, cipher), DAY);
            self.notice(Some(connection), ts, notice);
        }
        if let Some(certificate) = handshake.certificate.as_ref().filter(|_| handshake.established)
            && let Some(length) = certificate.key_length
            && matches!(certificate.key_type, Some("rsa" | "dsa"))
            && length < SHORTEST_KEY
        {
            let message = format!("Host uses weak certificate with {length} bit key");
            let sub = format!("Subject: {}", String::from_utf8_lossy(certificate.subject));
            let description = format!("Fingerprint: {}", certificate.fingerprint);
            let identifier = (server, certificate.fingerprint, length);
            let notice = Notice {
                sub: Some(&sub),
                file_description: Some(&description),
                ..Notice::new("SSL::Weak_Key", &message).once(identifier, DAY)
            };
            self.notice(Some(connection), ts, notice);
        }
    }
}

/// A service by the name of its analyzer: only what scripts add themselves is in lower case.
/// Returns whether the responder of a TCP connection took part in it: it shook hands, or sent anything that does not
/// refuse.
fn is_active(history: &[u8]) -> bool {
    let has = |letter: &u8| history.contains(letter);
    has(&b'h') || b"adf".iter().any(has) && !has(&b'r')
}

fn analyzer_name(service: &str) -> String {
    match service {
        "ftp-data" | "irc-dcc-data" => service.to_owned(),
        _ => service.to_ascii_uppercase(),
    }
}

/// `2024-01-31-00:00:00`
fn moment_in_words(time: Timestamp) -> String {
    let mut text = Vec::new();
    date_time(&mut text, time.local().civil, b"---::");
    text.push(b'.');
    weir_output::timestamp::digits(&mut text, u64::from(time.micros()), 6);
    String::from_utf8(text).unwrap_or_default()
}
