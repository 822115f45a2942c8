//! Protocol numbers of IP, by the names of IANA's registry.

#![allow(missing_docs, reason = "IANA's names say all there is to say")]

pub const HOP_BY_HOP: u8 = 0;
pub const ICMPV4: u8 = 1;
pub const IGMP: u8 = 2;
pub const IPV4: u8 = 4;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const IPV6: u8 = 41;
pub const ROUTING: u8 = 43;
pub const FRAGMENT: u8 = 44;
pub const GRE: u8 = 47;
pub const ESP: u8 = 50;
pub const AH: u8 = 51;
pub const ICMPV6: u8 = 58;
pub const NONE: u8 = 59;
pub const DESTINATION_OPTIONS: u8 = 60;
pub const SCTP: u8 = 132;
pub const MOBILITY: u8 = 135;
pub const HIP: u8 = 139;
pub const SHIM6: u8 = 140;
