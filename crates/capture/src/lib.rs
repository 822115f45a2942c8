//! Where packets come from: the [`Source`] contract, the sources, and the packet filter.
//!
//! A source lends a [`Batch`] of packets that borrow from it: from a mapped file, a ring, or a
//! chunk buffer. Nothing is allocated per packet, and nothing copied but what libpcap hands out.
//!
//! `unsafe` appears where memory is mapped (a file, the ring of an interface) and lent, and where the system is called for packets.

pub mod batch;
pub mod error;
pub mod fate;
pub mod filter;
pub mod shunt;
pub mod source;
pub mod sources;
mod wait;

pub use batch::{Batch, Origin};
pub use error::{ArchiveFault, Damage, SourceError};
pub use fate::{Fate, Fates, Message, Side};
pub use filter::{FilterError, PacketFilter};
pub use shunt::{Counts, Place as ShuntPlace, Refusal, Shunt, ShuntKey};
pub use source::{Checksums, CommentReading, PacketComment, PacketSlot, Source, SourceStats};
pub use sources::pcap_file::{
    ArchivedCaptures, CaptureReader, KIND as CAPTURE_FILES, MAX_COMMENT_LENGTH, PIPE_WAIT, PcapFile,
};
pub use sources::recording::{Event, Group, Recorder, Recording, groups};
pub use sources::{
    Capability, Folders, LiveRequest, LiveSources, Open, OpenLive, OpenSources, Request, SOURCES,
    SectionOption, SourceKind, Stance, Standing,
};
