//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum MqttAnomaly {
        /// A CONNACK that no CONNECT asked for.
        MissingConnect = "missing_connect",
        /// A PUBACK, PUBREC, PUBREL or PUBCOMP of nothing that was published.
        MissingPublish = "missing_publish",
        /// A SUBACK that no SUBSCRIBE asked for.
        MissingSubscribe = "missing_subscribe",
        /// An UNSUBACK that no UNSUBSCRIBE asked for.
        MissingUnsubscribe = "missing_unsubscribe",
        /// A CONNECT in a session.
        DoubleConnect = "double_connect",
        /// A message before the session.
        UnintroducedMessage = "unintroduced_message",
        /// A quality of service that there is not.
        InvalidQosLevel = "invalid_qos_level",
        /// A message that waits for an answer has no number: none that can be read is without.
        MissingMsgId = "missing_msg_id",
        /// A type of message that there is not.
        UnassignedMsgType = "unassigned_msg_type",
        /// Too much waits for an answer: the oldest one waits no more.
        TooManyTransactions = "too_many_transactions",
        /// A transaction has more messages than `max-messages`: no more answers to it are waited for.
        TooManyMessages = "too_many_messages",
        /// Bytes that make no sense.
        MalformedTraffic = "malformed_traffic",
    }
}
