//! The readers of headers, one file a protocol; each is a method of [`super::walk::Walk`].

mod arp;
mod backbone_tag;
mod chdlc;
mod erspan;
mod esp;
mod ethernet;
mod geneve;
mod gre;
mod gtp;
mod icmpv4;
mod icmpv6;
mod ieee80211;
mod igmp;
mod ipv4;
mod ipv4_options;
mod ipv6;
mod ipv6_extensions;
mod l2tp;
mod linux_cooked;
mod loopback;
mod mpls;
mod nflog;
mod nsh;
mod ppp;
mod pppoe;
mod quoted;
mod raw;
mod sctp;
mod tcp;
mod tcp_options;
mod teredo;
mod udp;
mod vlan;
mod vxlan;

pub(in crate::decode) use ethernet::ether_type;
pub(in crate::decode) use ipv4::ip_protocol;
