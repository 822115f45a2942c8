//! The packet filter: an expression in the language of tcpdump, compiled by libpcap.
//!
//! One expression makes another program for each link type, so programs are compiled when a link
//! type is first seen, and kept. The `len` of an expression is the captured length, which differs
//! from the length on the wire only where packets were cut.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pcap::{BpfProgram, Capture, Linktype};
use weir_base::Unreadable;
use weir_packet::{LinkType, RawPacket};

/// Longest filter file read, in bytes.
pub const MAX_FILTER_FILE_LENGTH: u64 = 1 << 20;

/// Fault of a filter.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// The expression is wrong, or makes no sense on this link type.
    #[error("the filter \"{expression}\" does not compile for link type {}: {reason}. Words behind the options are a filter, in the language of tcpdump: `tcp port 80`.", .link.0)]
    Compile {
        /// The expression.
        expression: Arc<str>,
        /// The link type.
        link: LinkType,
        /// Message of libpcap.
        reason: String,
    },
    /// The filter file cannot be read.
    #[error("cannot read the filter file {}: {}.", .path.display(), Unreadable::new(.path, .reason))]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: io::Error,
    },
    /// The filter file holds no expression.
    #[error("the filter file {} has no filter in it", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The filter file is no filter file.
    #[error("the filter file {} is longer than {MAX_FILTER_FILE_LENGTH} bytes", .path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
}

/// An expression and its programs.
pub struct PacketFilter {
    expression: Arc<str>,
    programs: Vec<(LinkType, BpfProgram)>,
}

impl PacketFilter {
    /// A filter that is compiled with the first link type it meets; [`PacketFilter::check`] finds
    /// mistakes earlier.
    pub fn new(expression: &str) -> Self {
        Self { expression: expression.trim().into(), programs: Vec::new() }
    }

    /// Reads the expression from a file: lines are joined, and what follows a `#` or `;` on a line
    /// is a comment.
    pub fn from_file(path: &Path) -> Result<Self, FilterError> {
        let path = path.to_path_buf();
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_FILTER_FILE_LENGTH => {
                return Err(FilterError::TooLong { path });
            }
            _ => {}
        }
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(reason) => return Err(FilterError::Read { path, reason }),
        };
        let expression = join_lines(&text);
        if expression.is_empty() { Err(FilterError::Empty { path }) } else { Ok(Self::new(&expression)) }
    }

    /// The expression as it was given.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// Compiles the filter for `link` unless that was done before.
    pub fn check(&mut self, link: LinkType) -> Result<(), FilterError> {
        self.program(link).map(|_| ())
    }

    /// Compiles an expression as it is on Ethernet, for whoever is to know of mistakes before there are packets.
    pub fn check_on_ethernet(expression: &str) -> Result<(), FilterError> {
        Self::new(expression).check(LinkType::ETHERNET)
    }

    /// Whether the filter lets `packet` pass.
    pub fn matches(&mut self, packet: &RawPacket<'_>) -> Result<bool, FilterError> {
        self.matches_bytes(packet.link, packet.bytes)
    }

    #[inline]
    pub(crate) fn matches_bytes(&mut self, link: LinkType, bytes: &[u8]) -> Result<bool, FilterError> {
        Ok(self.program(link)?.filter(bytes))
    }

    pub(crate) fn program(&mut self, link: LinkType) -> Result<&BpfProgram, FilterError> {
        // A capture has one link type, seldom a few: a search is quicker than a map.
        let index = match self.programs.iter().position(|(known, _)| *known == link) {
            Some(index) => index,
            None => {
                let program = compile(&self.expression, link).map_err(|error| FilterError::Compile {
                    expression: Arc::clone(&self.expression),
                    link,
                    reason: reason(error),
                })?;
                self.programs.push((link, program));
                self.programs.len() - 1
            }
        };
        // The index was found or made just now.
        #[allow(clippy::indexing_slicing)]
        Ok(&self.programs[index].1)
    }
}

impl Clone for PacketFilter {
    /// Copies the expression; programs are compiled anew when they are needed.
    fn clone(&self) -> Self {
        Self { expression: Arc::clone(&self.expression), programs: Vec::new() }
    }
}

impl fmt::Debug for PacketFilter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PacketFilter").field("expression", &self.expression).finish_non_exhaustive()
    }
}

fn compile(expression: &str, link: LinkType) -> Result<BpfProgram, pcap::Error> {
    Capture::dead(data_link_type(link))?.compile(expression, true)
}

/// The text of an error of libpcap.
pub(crate) fn reason(error: pcap::Error) -> String {
    match error {
        pcap::Error::PcapError(text) => text,
        other => other.to_string(),
    }
}

/// The number that libpcap knows a link type by, which differs for raw IP.
fn data_link_type(link: LinkType) -> Linktype {
    const DLT_RAW: i32 = 12;
    match link {
        LinkType::RAW | LinkType::RAW_BSD | LinkType::RAW_OPENBSD => Linktype(DLT_RAW),
        LinkType(number) => Linktype(i32::from(number)),
    }
}

fn join_lines(text: &str) -> String {
    let lines = text.lines().map(|line| line.split(['#', ';']).next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ethernet, IPv4, UDP from port 1000 to port 53, without payload.
    fn dns_frame() -> Vec<u8> {
        let mut frame = vec![0x02; 12];
        frame.extend([0x08, 0x00]);
        frame.extend([0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        frame.extend([0x03, 0xe8, 0, 53, 0, 8, 0, 0]);
        frame
    }

    #[test]
    fn matches_by_link_type() {
        let frame = dns_frame();
        let packet = &frame[14..];
        let cases = [
            ("udp port 53", true, true),
            ("  tcp  ", false, false),
            ("", true, true),
            ("ip host 10.0.0.2 and not port 80", true, true),
            ("less 30", false, true),
        ];
        for (expression, of_frame, of_packet) in cases {
            let mut filter = PacketFilter::new(expression);
            assert_eq!(filter.matches_bytes(LinkType::ETHERNET, &frame).unwrap(), of_frame, "{expression}");
            assert_eq!(filter.matches_bytes(LinkType::RAW, packet).unwrap(), of_packet, "{expression}");
            assert_eq!(filter.matches_bytes(LinkType::ETHERNET, &frame).unwrap(), of_frame, "{expression}");
            assert_eq!(filter.programs.len(), 2, "one program for each link type");
        }
    }

    #[test]
    fn mistakes_are_quoted() {
        let cases = [
            (
                "tcp prot 80",
                LinkType::ETHERNET,
                "the filter \"tcp prot 80\" does not compile for link type 1: ",
            ),
            ("ether host 1:2:3:4:5:6", LinkType::RAW, "does not compile for link type 101: "),
            ("tcp\0", LinkType::ETHERNET, "the filter \"tcp\0\" does not compile"),
        ];
        for (expression, link, expected) in cases {
            let error = PacketFilter::new(expression).check(link).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn files_are_joined_and_stripped() {
        let cases = [
            ("tcp\nand port 80\n", "tcp and port 80"),
            ("# only the web\r\ntcp # not udp\r\n\r\n  and port 80 ; done\r\n", "tcp and port 80"),
            ("# nothing\n", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(join_lines(text), expected);
        }
    }

    #[test]
    fn unreadable_files_are_named() {
        let error = PacketFilter::from_file(Path::new("/nonexistent/filter.bpf")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the filter file /nonexistent/filter.bpf: "), "{error}");
    }
}
