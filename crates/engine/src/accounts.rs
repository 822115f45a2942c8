//! Sums that must be equal: every packet, flow and byte is somewhere. A run checks them at its end,
//! and its summary tells where they do not hold.

use weir_base::JsonWriter;
use weir_stream::StreamAccount;

/// Packets of a run, by fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// Packets that the captures gave.
    pub read: u64,
    /// Packets that the decoder counted.
    pub taken: u64,
    /// Of those: sound, and not dropped.
    pub decoded: u64,
    /// Of those: with a damaged header, and not dropped.
    pub invalid: u64,
    /// Of those: dropped by verdict.
    pub dropped: u64,
    /// Packets, inner ones among them, that belonged to a flow.
    pub in_flows: u64,
    /// Packets of the flows that ended.
    pub of_flows: u64,
    /// Flows made.
    pub flows_made: u64,
    /// Flows ended.
    pub flows_ended: u64,
    /// Bytes of streams.
    pub streams: StreamAccount,
}

/// A sum and what it must be equal to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the sum.
    pub name: &'static str,
    /// The whole.
    pub whole: u64,
    /// The sum of its parts.
    pub parts: u64,
}

impl Identity {
    /// Whether it holds.
    pub const fn holds(&self) -> bool {
        self.whole == self.parts
    }
}

impl Accounts {
    /// Adds those of another worker.
    pub fn add(&mut self, other: &Self) {
        let streams = &other.streams;
        for (sum, more) in [
            (&mut self.read, other.read),
            (&mut self.taken, other.taken),
            (&mut self.decoded, other.decoded),
            (&mut self.invalid, other.invalid),
            (&mut self.dropped, other.dropped),
            (&mut self.in_flows, other.in_flows),
            (&mut self.of_flows, other.of_flows),
            (&mut self.flows_made, other.flows_made),
            (&mut self.flows_ended, other.flows_ended),
            (&mut self.streams.bytes, streams.bytes),
            (&mut self.streams.inspected, streams.inspected),
            (&mut self.streams.skipped, streams.skipped),
            (&mut self.streams.missing, streams.missing),
        ] {
            *sum += more;
        }
    }

    /// All sums that must be equal.
    pub const fn identities(&self) -> [Identity; 5] {
        let streams = &self.streams;
        [
            Identity { name: "packets read and taken", whole: self.read, parts: self.taken },
            Identity {
                name: "packets decoded, invalid and dropped",
                whole: self.taken,
                parts: self.decoded + self.invalid + self.dropped,
            },
            Identity { name: "packets of flows", whole: self.in_flows, parts: self.of_flows },
            Identity { name: "flows made and ended", whole: self.flows_made, parts: self.flows_ended },
            Identity {
                name: "bytes of streams inspected, skipped and missing",
                whole: streams.bytes,
                parts: streams.inspected + streams.skipped + streams.missing,
            },
        ]
    }

    /// A sentence for each sum that does not hold.
    pub fn unbalanced(&self) -> Vec<String> {
        let broken = self.identities().into_iter().filter(|identity| !identity.holds());
        broken.map(|i| format!("The accounts of {} differ: {} and {}.", i.name, i.whole, i.parts)).collect()
    }

    /// The object `accounts` of the summary.
    pub(crate) fn write_json(&self, json: &mut JsonWriter<'_>) {
        json.unsigned("packets_read", self.read);
        json.unsigned("packets_decoded", self.decoded);
        json.unsigned("packets_invalid", self.invalid);
        json.unsigned("packets_dropped", self.dropped);
        json.unsigned("packets_in_flows", self.in_flows);
        json.unsigned("flows", self.flows_made);
        json.unsigned("stream_bytes", self.streams.bytes);
        json.unsigned("stream_bytes_inspected", self.streams.inspected);
        json.unsigned("stream_bytes_skipped", self.streams.skipped);
        json.unsigned("stream_bytes_missing", self.streams.missing);
        json.array("unbalanced");
        for sentence in self.unbalanced() {
            json.push_string(&sentence);
        }
        json.close_array();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_add_up_is_told() {
        let streams = StreamAccount { bytes: 10, inspected: 6, skipped: 3, missing: 1 };
        let sound = Accounts {
            read: 3,
            taken: 3,
            decoded: 1,
            invalid: 1,
            dropped: 1,
            streams,
            ..Accounts::default()
        };
        assert_eq!(sound.unbalanced(), Vec::<String>::new());
        let broken = [
            (Accounts { read: 4, ..sound }, "read"),
            (Accounts { dropped: 0, ..sound }, "dropped"),
            (Accounts { in_flows: 1, ..sound }, "of flows"),
            (Accounts { flows_made: 1, ..sound }, "flows made"),
            (Accounts { streams: StreamAccount { missing: 0, ..streams }, ..sound }, "bytes of streams"),
        ];
        for (accounts, part) in broken {
            let told = accounts.unbalanced();
            assert!(told.len() == 1 && told[0].contains(part), "{told:?}");
        }
    }
}
