//! Kafka, by librdkafka: it keeps records of a partition in order, and repeats what brokers did not acknowledge.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext, PurgeConfig};
use weir_config::Records;
use weir_config::pipelines::{KafkaKey, KafkaSettings};

use super::backlog::{Piece, Window};
use super::connection::CONNECT;
use super::lines::{flow_of, text_of};
use super::naming::{Naming, Times};
use super::sender::{Answers, Refusal, Transport};

/// Records on their way.
const RECORDS: u32 = 10_000;

/// Bytes of a piece.
const PIECE_BYTES: usize = 256 * 1024;

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
    /// What it has to say is said by results, and by what stays without.
    fn log(&self, _level: rdkafka::config::RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, _error: KafkaError, _reason: &str) {}
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
        const AWAY: &str =
            "Start the brokers, or correct kafka.brokers, and tls and sasl where brokers want them";
        let client = producer.client();
        client.fetch_metadata(self.topic.fixed(), CONNECT).map_err(|error| Refusal::new(error, AWAY))?;
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
