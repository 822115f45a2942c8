//! A packet: raw bytes in, a bounded stack of layers, header views and events out.
//!
//! Decoding is total: any bytes give a [`Packet`], with what was wrong recorded as events.

pub mod checksum;
pub mod decode;
pub mod defrag;
pub mod event;
pub mod flow_key;
pub mod header;
pub mod ip_protocol;
pub mod packet;
pub mod raw;
mod refusal;
mod rewrite;

pub use decode::{Decoder, DecoderCounters, DecoderSettings, PacketList};
pub use defrag::{DefragCounters, DefragSettings, Defragmenter, OverlapPolicy, Reassembled};
pub use event::{DecodeEvent, EventCounters, EventList};
pub use flow_key::FlowKey;
pub use header::{Ethernet, Icmp, Ip, Ipv4, Ipv6, Sctp, Tcp, TcpOptions, Transport, Udp, VlanTags};
pub use packet::{Layer, LayerKind, LayerStack, Origin, Packet};
pub use raw::{LinkType, RawPacket};
pub use refusal::{LONGEST_REFUSAL, Recipient};
