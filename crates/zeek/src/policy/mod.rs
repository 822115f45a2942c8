//! Findings beyond connections and their protocols, most of them of Zeek's policy scripts: what hosts run, who traces
//! routes or tries too often, odd packets, measurements.

pub(crate) mod certificates;
pub(crate) mod habits;
pub(crate) mod inventory;
pub(crate) mod measure;
pub(crate) mod odd_packet;
pub(crate) mod traceroute;
