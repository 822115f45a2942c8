//! Kafka, by librdkafka: it keeps records of a partition in order, and repeats what brokers did not acknowledge.

use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext, PurgeConfig};
use weir_config::Records;
use weir_config::pipelines::{HostPort, KafkaKey, KafkaSettings};

use super::backlog::{Piece, Window};
use super::connection::{CONNECT, Connection};
use super::lines::{flow_of, text_of};
use super::naming::{Naming, Times};
use super::sender::{Answers, Refusal, Transport};

/// Records on their way.
const RECORDS: u32 = 10_000;

/// Bytes of a piece.
const PIECE_BYTES: usize = 256 * 1024;

/// Remedies where brokers cannot be had, by words of what the library says of them.
const REMEDIES: [(&str, &str); 7] = [
    (
        "might require SASL",
        "Write mechanism, username and password of kafka.sasl, or name the brokers' port for those without",
    ),
    ("SASL", "Correct mechanism, username and password of kafka.sasl, and the rights of that user"),
    ("SSL listener", "Write kafka.tls with enabled: yes, or name the brokers' port without TLS"),
    (UNTRUSTED, AUTHORITY),
    (
        "SSL alert",
        "Name a certificate that the brokers trust, and its key, as kafka.tls.certificate and kafka.tls.key",
    ),
    ("SSL handshake", "See whether the brokers' port is one with TLS"),
    ("Connect to", "Start the brokers, or correct kafka.brokers"),
];

/// Words of the library about a broker whose certificate does not hold, whatever is wrong with it.
const UNTRUSTED: &str = "certificate verify failed";

/// Remedy where it is not known who signed a broker's certificate.
const AUTHORITY: &str = "Name the certificate of the authority that signed the brokers' as kafka.tls.ca-file";

/// Remedy where the certificate itself is wrong.
const CERTIFICATE: &str =
    "Give the brokers a certificate that is in force and has the names that kafka.brokers has";

/// Remedy where nothing more is known.
const AWAY: &str = "Start the brokers, or correct kafka.brokers, and tls and sasl where brokers want them";

/// Brokers of Kafka.
pub(super) struct Kafka {
    settings: KafkaSettings,
    records: Records,
    /// The topic for a record.
    topic: Naming,
    producer: Option<BaseProducer<Deliveries>>,
    /// Number of the next record on this producer.
    next: usize,
}

/// What was delivered, by number: the first one is that of the record which is waited for longest.
#[derive(Clone, Default)]
struct Deliveries(Arc<Mutex<Delivered>>);

#[derive(Default)]
struct Delivered {
    first: usize,
    results: VecDeque<Option<Result<(), RDKafkaErrorCode>>>,
    /// Cause for which the latest connection to a broker failed.
    trouble: Option<String>,
}

impl Deliveries {
    fn with<T>(&self, act: impl FnOnce(&mut Delivered) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what became of the record of this number.
    fn note(&self, number: usize, result: Result<(), RDKafkaErrorCode>) {
        self.with(|delivered| {
            let place = number.checked_sub(delivered.first);
            if let Some(slot) = place.and_then(|place| delivered.results.get_mut(place)) {
                *slot = Some(result);
            }
        });
    }
}

impl ClientContext for Deliveries {
    /// Says nothing: results and errors say all, and records that stay without one.
    fn log(&self, _level: rdkafka::config::RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        if error.rdkafka_error_code() != Some(RDKafkaErrorCode::AllBrokersDown) {
            self.with(|delivered| delivered.trouble = Some(reason.to_owned()));
        }
    }
}

impl ProducerContext for Deliveries {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, number: usize) {
        let result = match result {
            Ok(_) => Ok(()),
            Err((error, _)) => Err(error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Unknown)),
        };
        self.note(number, result);
    }
}

impl Kafka {
    pub(super) fn new(settings: KafkaSettings, records: Records) -> Self {
        let topic = Naming::new(&settings.topic, records, Times::AsTheyStand);
        Self { settings, records, topic, producer: None, next: 0 }
    }

    fn key<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let flow = || flow_of(self.records, line);
        match self.settings.key {
            KafkaKey::None => None,
            KafkaKey::Flow => flow(),
            KafkaKey::CommunityId => text_of(line, b"\"community_id\":").map(str::as_bytes).or_else(flow),
        }
    }

    /// Hands a record to the library.
    fn hand_over(&mut self, producer: &BaseProducer<Deliveries>, line: &[u8]) -> Result<(), Refusal> {
        producer.context().with(|delivered| delivered.results.push_back(None));
        let number = self.next;
        self.next += 1;
        let key = self.key(line);
        let mut record =
            BaseRecord::<[u8], [u8], usize>::with_opaque_to(self.topic.of(line), number).payload(line);
        record.key = key;
        let Err((error, _)) = producer.send(record) else { return Ok(()) };
        match error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Unknown) {
            RDKafkaErrorCode::QueueFull => {
                Err(Refusal::new(error, "Raise queue.buffering.max.kbytes in kafka.options"))
            }
            // Like that of a delivery.
            code => {
                producer.context().note(number, Err(code));
                Ok(())
            }
        }
    }

    /// Says why no broker answers, by the latest of what the library was told.
    fn away(&self, producer: &BaseProducer<Deliveries>, error: &KafkaError) -> Refusal {
        producer.poll(Duration::ZERO);
        match producer.context().with(|delivered| delivered.trouble.take()) {
            Some(trouble) if trouble.contains(UNTRUSTED) => {
                self.untrusted(&trouble).unwrap_or_else(|| explained(&trouble))
            }
            Some(trouble) => explained(&trouble),
            None => Refusal::new(error, AWAY),
        }
    }

    /// Says what is wrong with a broker's certificate, which the library does not: connects for that.
    fn untrusted(&self, trouble: &str) -> Option<Refusal> {
        let broker = broker_of(trouble)?;
        let mut options = self.settings.options.iter().rev();
        let ca_file = options.find(|(name, _)| name == "ssl.ca.location").map(|(_, path)| Path::new(path));
        let Refusal { cause, .. } = Connection::tls(&broker, ca_file).err()?;
        if !cause.contains("peer certificate") {
            return None;
        }
        let is_of_broker = ["xpired", "not valid", "NotValid"].iter().any(|words| cause.contains(words));
        Some(Refusal::new(format!("{broker}: {cause}"), if is_of_broker { CERTIFICATE } else { AUTHORITY }))
    }

    /// Opens the files that options name, since the library does not say which one it could not read.
    fn look_at_files(&self) -> Result<(), Refusal> {
        const UNREADABLE: &str =
            "Correct ca-file, certificate and key of kafka.tls; this user must have the right to read them";
        let is_file = |name: &str| name.starts_with("ssl.") && name.ends_with(".location");
        // The library looks for certificates of authorities itself where it is to probe.
        let files = self.settings.options.iter().filter(|(name, path)| is_file(name) && path != "probe");
        for (_, path) in files {
            File::open(path).map_err(|error| Refusal::new(format!("{path}: {error}"), UNREADABLE))?;
        }
        Ok(())
    }

    fn producer(&self) -> Result<&BaseProducer<Deliveries>, Refusal> {
        self.producer.as_ref().ok_or_else(|| Refusal::new("there is no connection", "Wait"))
    }
}

impl Transport for Kafka {
    fn window(&self) -> Window {
        Window { piece: RECORDS, records: RECORDS, bytes: PIECE_BYTES }
    }

    fn connect(&mut self) -> Result<(), Refusal> {
        if let Some(producer) = self.producer.take() {
            producer.purge(PurgeConfig::default().queue().inflight());
        }
        self.next = 0;
        self.look_at_files()?;
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.settings.brokers)
            .set("client.id", "weir")
            .set("linger.ms", "5");
        for (name, value) in &self.settings.options {
            config.set(name, value);
        }
        const WRONG: &str = "Correct the settings of kafka in the configuration";
        let producer: BaseProducer<Deliveries> =
            config.create_with_context(Deliveries::default()).map_err(|error| Refusal::new(error, WRONG))?;
        let answer = producer.client().fetch_metadata(self.topic.fixed(), CONNECT);
        answer.map_err(|error| self.away(&producer, &error))?;
        self.producer = Some(producer);
        Ok(())
    }

    fn send(&mut self, piece: &Piece) -> Result<(), Refusal> {
        // Taken out for as long as records are handed over: names and keys are of the same target.
        let producer = self.producer.take().ok_or_else(|| Refusal::new("there is no connection", "Wait"))?;
        let result = piece.lines().try_for_each(|line| self.hand_over(&producer, line));
        self.producer = Some(producer);
        result
    }

    fn answers(&mut self, wait: Duration) -> Result<Answers, Refusal> {
        let producer = self.producer()?;
        producer.poll(wait);
        let mut answers = Answers::default();
        producer.context().with(|delivered| {
            while let Some(Some(result)) = delivered.results.front() {
                match result {
                    Ok(()) => answers.taken += 1,
                    Err(code) if is_final(*code) => {
                        answers.refused += 1;
                        let remedy = "Have the topic and librdkafka take larger records (message.max.bytes), or leave them out";
                        answers.cause.get_or_insert_with(|| Refusal::new(code, remedy));
                    }
                    Err(code) => {
                        answers.stop = Some(Refusal::new(code, "See whether the brokers run, and what their logs say"));
                        break;
                    }
                }
                delivered.results.pop_front();
                delivered.first += 1;
            }
        });
        Ok(answers)
    }
}

/// Whether it is said of this one record, so that it would be said again.
const fn is_final(code: RDKafkaErrorCode) -> bool {
    matches!(
        code,
        RDKafkaErrorCode::MessageSizeTooLarge
            | RDKafkaErrorCode::InvalidMessage
            | RDKafkaErrorCode::InvalidMessageSize
            | RDKafkaErrorCode::InvalidRecord
    )
}

/// A cause of the library's, with its remedy.
fn explained(trouble: &str) -> Refusal {
    let remedy =
        REMEDIES.iter().find(|(words, _)| trouble.contains(words)).map_or(AWAY, |(_, remedy)| remedy);
    // The time it took and the state of the library help nobody.
    let cause = trouble.split(" (after ").next().unwrap_or(trouble);
    Refusal::new(cause.trim_end_matches([' ', ':']).replace("/bootstrap:", ":"), remedy)
}

/// The broker that something is said of: `sasl_ssl://127.0.0.1:9093/bootstrap: …`.
fn broker_of(trouble: &str) -> Option<HostPort> {
    let (_, address) = trouble.split_once("://")?;
    let (host, port) = address.split('/').next()?.rsplit_once(':')?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some(HostPort { host: host.to_owned(), port: port.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_library_says_is_told_with_what_helps() {
        for (trouble, cause, remedy, broker) in [
            (
                "sasl_ssl://a:9/bootstrap: SASL authentication error: Authentication failed: Invalid username or password (after 302ms in state AUTH_REQ, 1 identical error(s) suppressed)",
                "sasl_ssl://a:9: SASL authentication error: Authentication failed: Invalid username or password",
                "Correct mechanism, username and password of kafka.sasl",
                Some("a:9"),
            ),
            (
                "ssl://[2001:db8::1]:9/bootstrap: Receive failed: error:0A000412:SSL routines::sslv3 alert bad certificate: SSL alert number 42 (after 2ms in state APIVERSION_QUERY)",
                "ssl://[2001:db8::1]:9: Receive failed: error:0A000412:SSL routines::sslv3 alert bad certificate: SSL alert number 42",
                "Name a certificate that the brokers trust",
                Some("[2001:db8::1]:9"),
            ),
            (
                "b:9/bootstrap: Disconnected while requesting ApiVersion: might be caused by incorrect security.protocol configuration (connecting to a SSL listener?) or broker version is < 0.10 (see api.version.request) (after 1ms in state APIVERSION_QUERY)",
                "b:9: Disconnected while requesting ApiVersion: might be caused by incorrect security.protocol configuration (connecting to a SSL listener?) or broker version is < 0.10 (see api.version.request)",
                "Write kafka.tls with enabled: yes",
                None,
            ),
            (
                "b:9/bootstrap: Connect to ipv4#127.0.0.1:9 failed: Connection refused (after 0ms in state CONNECT)",
                "b:9: Connect to ipv4#127.0.0.1:9 failed: Connection refused",
                "Start the brokers, or correct kafka.brokers",
                None,
            ),
            ("b:9/1: something else", "b:9/1: something else", AWAY, None),
        ] {
            let found = explained(trouble);
            assert_eq!(found.cause, cause);
            assert!(found.remedy.starts_with(remedy), "{}", found.remedy);
            assert_eq!(broker_of(trouble).map(|broker| broker.to_string()).as_deref(), broker);
        }
    }
}
