//! Errors of sources, as sentences that name the file and the place.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use weir_base::Unreadable;
use weir_config::ConfigError;

use crate::filter::FilterError;
#[cfg(target_os = "linux")]
use crate::sources::af_packet::PairFault;

/// A source could not be opened, or not be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The system does not let us open the file.
    #[error("cannot open {}: {}.", .path.display(), Unreadable::new(.path, .reason))]
    Open {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: io::Error,
    },
    /// A directory where a file is wanted.
    #[error("{} is a directory, not a capture file", .path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// A directory without a single capture file.
    #[error("the directory {} has no capture file in it. Name another one, or read those below it, too, with --pcap-file-recursive.", .path.display())]
    NoCaptures {
        /// The directory.
        path: PathBuf,
    },
    /// A file without a byte.
    #[error("{} is empty: not even the header of a capture file is there", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The first bytes belong to no capture format.
    #[error("{} is not a capture file: {found}. {remedy}.", .path.display())]
    NotACapture {
        /// The file.
        path: PathBuf,
        /// Likely content by the first bytes, as a clause.
        found: String,
        /// Remedy, as a sentence without its full stop.
        remedy: &'static str,
    },
    /// An archive without captures, or with one that cannot be read.
    #[error("the ZIP archive {} {}: {fault}.", .path.display(), member_clause(.member))]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The member; empty where the archive itself is at fault.
        member: String,
        /// Fault of the archive.
        fault: ArchiveFault,
    },
    /// The file breaks off or contradicts itself.
    #[error("{} is damaged at byte {offset}{}: {damage}; packets read before it: {packets}", .path.display(), if *.compressed { " of the uncompressed data" } else { "" })]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damaged record begins, from 0, counted after decompression.
        offset: u64,
        /// Whether the file is compressed.
        compressed: bool,
        /// Packets in the file before the damage, those the filter kept back included.
        packets: u64,
        /// Damage at that place.
        damage: Damage,
    },
    /// The system broke off reading.
    #[error("cannot read {} past byte {offset}: {reason}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Bytes read before.
        offset: u64,
        /// Error of the system.
        reason: io::Error,
    },
    /// An interface cannot be listened on.
    #[error("cannot listen on {name}: cannot {attempt}: {reason}.{remedy}")]
    Interface {
        /// The interface.
        name: String,
        /// The attempt that failed, as a clause.
        attempt: &'static str,
        /// Error of the system.
        reason: io::Error,
        /// Remedy, as a sentence behind a space; empty where there is none.
        remedy: Cow<'static, str>,
    },
    /// An interface whose packets begin with an unknown header.
    #[error(
        "cannot listen on {name}: its packets are of hardware type {hardware}, which is not read. `--pcap={name}` may know it."
    )]
    Hardware {
        /// The interface.
        name: String,
        /// The type (`ARPHRD_*`).
        hardware: u16,
    },
    /// An interface whose packets begin with a header that is not read.
    #[error("cannot listen on {name}: its packets are of link type {link}, which is not read.")]
    Link {
        /// The interface.
        name: String,
        /// The type, as libpcap numbers it.
        link: i32,
    },
    /// No interface is named.
    #[error(
        "there is no interface to listen on: name one with {option}, or in the section {section} of the configuration."
    )]
    NoInterface {
        /// The option that names one.
        option: &'static str,
        /// The section.
        section: &'static str,
    },
    /// A card cannot be read by DPDK.
    #[cfg(feature = "dpdk")]
    #[error("cannot read {name} by DPDK: cannot {attempt}: {reason}.{remedy}")]
    Dpdk {
        /// The card.
        name: String,
        /// The attempt that failed, as a clause.
        attempt: String,
        /// Error of DPDK or of the system.
        reason: io::Error,
        /// Remedy, as a sentence behind a space.
        remedy: &'static str,
    },
    /// Packets of an interface cannot be forwarded.
    #[cfg(target_os = "linux")]
    #[error("cannot forward what {name} takes in: {fault}")]
    Pair {
        /// The interface.
        name: String,
        /// The reason.
        fault: PairFault,
    },
    /// A word that names no queues of the firewall.
    #[error("There is no queue {text}: name one, as in -q 0, or several, as in -q 0:3; 256 at most.")]
    Queue {
        /// The word.
        text: String,
    },
    /// A file that no recording has.
    #[error("{} is no recording: name a folder that --record made.", .path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
    },
    /// Several recordings, or none.
    #[error("One recording is repeated at a time: name one folder.")]
    Recordings,
    /// The settings of an interface are wrong.
    #[error("{0}")]
    Settings(#[from] ConfigError),
    /// The filter does not suit the packets of this source.
    #[error("{}: {reason}", .path.display())]
    Filter {
        /// The file.
        path: PathBuf,
        /// Fault of the filter.
        reason: FilterError,
    },
}

fn member_clause(member: &str) -> String {
    match member {
        "" => "cannot be read".to_owned(),
        member => format!("has {member}, which cannot be read"),
    }
}

/// Fault of an archive.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArchiveFault {
    /// A password is asked for.
    #[error(
        "it is encrypted. Unpack it with `7z x -pPASSWORD`: the password of samples mostly is `infected`, \
             or on the page they are from"
    )]
    Encrypted,
    /// It is compressed in a way that is not read.
    #[error(
        "it is packed by method {method}, where stored, deflate and bzip2 are read. Unpack it with `7z x`"
    )]
    Method {
        /// The method (PKWARE APPNOTE 4.4.5).
        method: u16,
    },
    /// No member is a capture.
    #[error("there is no capture in it. `unzip -l` lists what there is")]
    NoCapture,
    /// It breaks off or contradicts itself.
    #[error("{reason}. Fetch it again, or try to repair it with `zip -FF`")]
    Damaged {
        /// Fault.
        reason: String,
    },
}

/// Damage at one place of a capture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Damage {
    /// The file ends inside of a header, record or block.
    #[error("the file ends inside of {what}, {left} of {wanted} bytes are there")]
    Truncated {
        /// Part that is cut short.
        what: &'static str,
        /// Its length in bytes, as far as it is known.
        wanted: u64,
        /// Bytes of it that are there.
        left: u64,
    },
    /// A pcap header of a version that nobody writes.
    #[error("pcap version {major}.{minor} is unknown")]
    Version {
        /// The major version.
        major: u16,
        /// The minor version.
        minor: u16,
    },
    /// A captured length that no packet has.
    #[error("a packet of {length} bytes is longer than the {limit} allowed")]
    PacketLength {
        /// The length that is stated.
        length: u32,
        /// The longest allowed.
        limit: u32,
    },
    /// A pcapng section without a byte order.
    #[error("a section header has {found:#010x} for its byte-order magic")]
    ByteOrder {
        /// Number found instead, read as big-endian.
        found: u32,
    },
    /// A pcapng block with an impossible length.
    #[error("a block of type {kind:#x} says it is {length} bytes long")]
    BlockLength {
        /// The type of the block.
        kind: u32,
        /// The length that is stated.
        length: u32,
    },
    /// The two lengths of a pcapng block differ.
    #[error("a block says it is {head} bytes long at its head and {tail} at its tail")]
    BlockTail {
        /// The length at the head.
        head: u32,
        /// The length at the tail.
        tail: u32,
    },
    /// A captured length that runs past its pcapng block.
    #[error("a packet of {length} bytes does not fit its block")]
    PacketOverrun {
        /// The captured length that is stated.
        length: u32,
    },
    /// A packet of an interface that was not described.
    #[error("a packet is of interface {interface}, and {known} interfaces are described")]
    Interface {
        /// The interface of the packet.
        interface: u32,
        /// Number of interfaces that the section has described.
        known: u32,
    },
    /// More pcapng interfaces than are kept.
    #[error("a section describes more than {limit} interfaces")]
    Interfaces {
        /// The most that are kept.
        limit: usize,
    },
    /// The compressed data is at fault.
    #[error("the {format} data cannot be decompressed ({reason})")]
    Compression {
        /// The compression.
        format: &'static str,
        /// Message of the decompressor.
        reason: String,
    },
}
