//! The sources, one folder each.

pub mod pcap_file;
