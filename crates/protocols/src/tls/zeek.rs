//! Zeek's ssl log, written when a connection is established or ends, and the x509 log of the
//! certificates in it. Which certificates were logged before is the sink's to know.

use weir_applayer::zeek::column::Vector;
use weir_applayer::zeek::{Handshake, News, Script, WholeFile};
use weir_applayer::{Options, ZeekLogger, ZeekLogs, ZeekSink, ZeekValue, zeek_stream};
use weir_base::Direction;

use super::certificate::sha256;
use super::names;
use super::trace::Trace;
use super::transaction::TlsTransaction;
use super::version::Version;
use crate::ocsp;

pub mod answer_events;
pub mod certificate_events;
pub mod name;
pub mod x509;

zeek_stream! {
    static STREAM: "ssl" of a connection;
    struct Row {
        version: Text,
        cipher: Text,
        curve: Text,
        server_name: Text,
        resumed: Bool,
        last_alert: Text,
        next_protocol: Text,
        established: Bool,
        ssl_history: Text,
        cert_chain_fps: Vector<Text>,
        client_cert_chain_fps: Vector<Text>,
    }
    with static MORE {
        subject: Text of ServerSubjects,
        issuer: Text of ServerSubjects,
        client_subject: Text of ClientSubjects,
        client_issuer: Text of ClientSubjects,
        sni_matches_cert: Bool of CertificateNames,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    from_start: true,
    confirms: false,
    more: &MORE,
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&STREAM, &x509::STREAM, &ocsp::STREAM], open)
};

/// Whether a script looks at what servers show of TLS.
fn wants_handshakes(sink: &dyn ZeekSink) -> bool {
    [Script::KnownCertificates, Script::ExpiringCertificates, Script::WeakKeys]
        .iter()
        .any(|script| sink.has(*script))
}

fn open(_: &dyn Options) -> Box<dyn ZeekLogger> {
    Box::new(SslLogger::named("ssl"))
}

/// Follows the handshake of one connection.
#[derive(Debug, Default)]
pub struct SslLogger {
    /// The entry of `service`.
    service: &'static str,
    logged: bool,
    /// The violation was logged.
    violated: bool,
    /// The weird of a history that is full was logged.
    filled: bool,
    /// The service was logged.
    confirmed: bool,
    /// Of a handshake that is over and did not establish anything.
    trace: Trace,
    /// A stapled answer was logged.
    stapled: bool,
    /// SHA-256 of the server's and the client's certificates.
    server_chain: Vec<String>,
    client_chain: Vec<String>,
    /// The server's own certificate, where it is to be logged.
    server_certificate: Vec<u8>,
    /// Whether the server's certificate is for the name that the client asks for.
    matches: Option<bool>,
    /// Subject and issuer of the server's and the client's own certificates, where they are to be logged.
    names: [Option<[Vec<u8>; 2]>; 2],
}

impl ZeekLogger for SslLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        if self.logged {
            return;
        }
        let Some(tx) = news.of::<TlsTransaction>() else { return };
        let trace = &tx.trace;
        if let Some(time) = trace.filled.filter(|_| !std::mem::replace(&mut self.filled, true)) {
            sink.weird_of(time, "SSL_max_ssl_history_length_reached", None, None);
        }
        if let Some(time) = trace.violated {
            if !std::mem::replace(&mut self.violated, true) {
                sink.violation(time, "not a TLS record", None);
            }
        } else if (trace.version.is_some() || trace.last_alert.is_some())
            && !std::mem::replace(&mut self.confirmed, true)
        {
            sink.service(self.service);
        }
        self.certificates(tx, sink);
        self.stapled(tx, sink);
        if trace.established {
            self.write(trace, sink);
        } else if news.complete {
            self.trace.clone_from(trace);
        }
    }

    fn has_news(&self, _: News<'_>) -> bool {
        !self.logged
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        if !self.logged && !self.trace.history.is_empty() {
            let trace = std::mem::take(&mut self.trace);
            self.write(&trace, sink);
        }
    }
}

impl SslLogger {
    /// For the protocol of this entry of `service`.
    pub fn named(service: &'static str) -> Self {
        Self { service, ..Self::default() }
    }

    /// Logs certificates when they are new.
    fn certificates(&mut self, tx: &TlsTransaction, sink: &mut dyn ZeekSink) {
        for direction in [Direction::ToClient, Direction::ToServer] {
            let is_client = direction == Direction::ToServer;
            let chain = if is_client { &mut self.client_chain } else { &mut self.server_chain };
            let side = &tx.sides[direction];
            if !chain.is_empty() || side.certificates.is_empty() {
                continue;
            }
            chain.reserve_exact(side.certificates.len());
            let is_told = sink.has(Script::ExtractedFiles) || sink.tells_files();
            for (depth, der) in side.certificates.iter().enumerate() {
                if is_told {
                    let time = side.certified_at;
                    sink.unlogged_file(&WholeFile::certificate(der, "SSL", is_client, depth as u64, time));
                }
                let fingerprint = sha256(der);
                let row = x509::Row { der, fingerprint: &fingerprint, is_host: depth == 0, is_client };
                let host = tx.trace.server_name.as_deref().filter(|_| depth == 0 && !is_client);
                // That was read already; its names tell most of the times.
                let names = side.certificate.as_ref().filter(|known| depth == 0 && known.names_hosts);
                let told =
                    host.zip(names).map(|(host, names)| x509::is_for_any(&names.alternative_names, host));
                let host = host.filter(|_| told.is_none());
                let matches = x509::write(&row, host, side.certified_at, sink);
                self.matches = told.or(matches).or(self.matches);
                chain.push(fingerprint);
            }
            let script = if is_client { Script::ClientSubjects } else { Script::ServerSubjects };
            if let Some(der) = side.certificates.first().filter(|_| sink.has(script))
                && let Some(names) = self.names.get_mut(usize::from(is_client))
            {
                *names = x509::subject_and_issuer(der);
            }
            if let (false, true, Some(der)) = (is_client, wants_handshakes(sink), side.certificates.first()) {
                self.server_certificate.clone_from(der);
            }
        }
    }

    /// Logs the answer on the server's certificate when it is new.
    fn stapled(&mut self, tx: &TlsTransaction, sink: &mut dyn ZeekSink) {
        let Some((response, time)) = tx.stapled.as_ref().filter(|_| !self.stapled) else { return };
        self.stapled = true;
        let file = WholeFile {
            bytes: response,
            source: "SSL",
            is_orig: false,
            time: *time,
            mime_type: ocsp::MIME_TYPE,
            analyzers: &["OCSP_REPLY"],
            depth: 0,
            place: None,
        };
        let fuid = sink.whole_file(&file);
        ocsp::write(response, &fuid, *time, sink);
    }

    fn write(&mut self, trace: &Trace, sink: &mut dyn ZeekSink) {
        self.logged = true;
        let version = trace.version.map(Version::zeek);
        let group = trace.group.map(names::group);
        let alert = trace.last_alert.map(names::alert);
        let certified = !self.server_chain.is_empty() || !self.client_chain.is_empty();
        let server = ZeekValue::texts(&self.server_chain);
        let client = ZeekValue::texts(&self.client_chain);
        let listed = |list| if certified { Vector::even_if_empty(list) } else { Vector::UNSET };
        let [server_names, client_names] = self.names.each_ref().map(|names| {
            let part = |place: usize| names.as_ref().and_then(|names| names.get(place)).map(Vec::as_slice);
            [part(0), part(1)]
        });
        let row = Row {
            version: version.as_deref().into(),
            cipher: trace.cipher.as_deref().into(),
            curve: group.as_deref().into(),
            server_name: trace.server_name.as_deref().into(),
            resumed: trace.resumed.into(),
            last_alert: alert.as_deref().into(),
            next_protocol: trace.next_protocol.as_deref().into(),
            established: trace.established.into(),
            ssl_history: trace.history.as_slice().into(),
            cert_chain_fps: listed(&server),
            client_cert_chain_fps: listed(&client),
            subject: server_names[0].into(),
            issuer: server_names[1].into(),
            client_subject: client_names[0].into(),
            client_issuer: client_names[1].into(),
            sni_matches_cert: self.matches.into(),
        };
        let values = row.values(|script| sink.has(script));
        sink.row(&STREAM, trace.start, &values);
        if wants_handshakes(sink) {
            self.tell(trace, sink);
        }
    }

    /// Tells of what the server showed.
    fn tell(&self, trace: &Trace, sink: &mut dyn ZeekSink) {
        let name = trace.version.map(Version::zeek);
        let fingerprint = self.server_chain.first().map(String::as_str).unwrap_or_default();
        x509::with_facts(&self.server_certificate, fingerprint, |certificate| {
            let handshake = Handshake {
                established: trace.established,
                version: trace.version.map(|version| version.0).zip(name.as_deref()),
                cipher: trace.cipher.as_deref(),
                certificate,
            };
            sink.handshake(&handshake);
        });
    }
}
