//! The configuration of MQTT: `app-layer.protocols.mqtt`.

use weir_applayer::Options;
use weir_applayer::options::parse_size;
use weir_applayer::session::PENDING_MAX;

use super::header::MAX_HEADER;

/// Longest message that is read, where nothing is said.
const MAX_MESSAGE: u64 = 1 << 20;

/// Most transactions of a flow, where nothing is said.
const MAX_TRANSACTIONS: usize = 4096;

/// Most messages of a transaction, where nothing is said.
const MAX_MESSAGES: usize = 1024;

/// Most topics of a message that rules look at, where nothing is said.
const MAX_TOPICS: u32 = 100;

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `max-msg-length`
    pub max_message: usize,
    /// `max-tx`
    pub max_transactions: usize,
    /// `max-messages`
    pub max_messages: usize,
    /// Topics that rules look at.
    pub topics: TopicLimits,
}

/// Most topics that rules look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TopicLimits {
    /// `subscribe-topic-match-limit`
    pub subscribe: u32,
    /// `unsubscribe-topic-match-limit`
    pub unsubscribe: u32,
}

impl Default for TopicLimits {
    fn default() -> Self {
        Self { subscribe: MAX_TOPICS, unsubscribe: MAX_TOPICS }
    }
}

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        let wrong = |path: &str| {
            options.complain(path, &format!("Invalid value for mqtt.{path}, the default is used"));
        };
        // A message is kept until it is whole.
        let most = PENDING_MAX - MAX_HEADER;
        let path = "max-msg-length";
        let written = options.text(path).and_then(|text| {
            let size = parse_size(&text);
            if size.is_none() {
                wrong(path);
            }
            size
        });
        let max_message = usize::try_from(written.unwrap_or(MAX_MESSAGE)).unwrap_or(usize::MAX);
        if max_message > MAX_MESSAGE as usize {
            options.complain(path, "no more than 1 MiB of a message is read");
        }
        let number = |path: &str, default: usize| {
            options.text(path).map_or(default, |text| {
                text.trim().parse().unwrap_or_else(|_| {
                    wrong(path);
                    default
                })
            })
        };
        // Nothing and less stand for all of them.
        let limit = |path: &str| match options.text(path).map(|text| text.trim().parse::<i64>()) {
            None => MAX_TOPICS,
            Some(Ok(count)) if count <= 0 => u32::MAX,
            Some(Ok(count)) => u32::try_from(count).unwrap_or(u32::MAX),
            Some(Err(_)) => {
                wrong(path);
                MAX_TOPICS
            }
        };
        Self {
            max_message: max_message.min(most),
            max_transactions: number("max-tx", MAX_TRANSACTIONS),
            max_messages: number("max-messages", MAX_MESSAGES),
            topics: TopicLimits {
                subscribe: limit("subscribe-topic-match-limit"),
                unsubscribe: limit("unsubscribe-topic-match-limit"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Settings as Texts;

    #[test]
    fn by_text() {
        let most = PENDING_MAX - MAX_HEADER;
        type Case<'a> = (&'a [(&'a str, &'a str)], (usize, usize, u32, u32));
        let cases: &[Case<'_>] = &[
            (&[], (most, 4096, 100, 100)),
            (&[("max-msg-length", "50"), ("max-tx", "1000")], (50, 1000, 100, 100)),
            (
                &[("subscribe-topic-match-limit", "2"), ("unsubscribe-topic-match-limit", "-1")],
                (most, 4096, 2, u32::MAX),
            ),
            (&[("max-msg-length", "2mb"), ("may-complain", "")], (most, 4096, 100, 100)),
            (&[("max-msg-length", "x"), ("max-tx", "x"), ("may-complain", "")], (most, 4096, 100, 100)),
            (&[("subscribe-topic-match-limit", "x"), ("may-complain", "")], (most, 4096, 100, 100)),
        ];
        for (texts, expected) in cases {
            let Settings { max_message, max_transactions, topics, .. } = Settings::read(&Texts(texts));
            let found = (max_message, max_transactions, topics.subscribe, topics.unsubscribe);
            assert_eq!(found, *expected, "{texts:?}");
        }
    }
}
