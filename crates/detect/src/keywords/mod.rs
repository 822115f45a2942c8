//! The keywords that a field row cannot say, by family. A keyword is one row of its family's table,
//! or a file of its own where it needs more than a screen.

mod action;
pub(crate) mod app_layer_protocol;
pub(crate) mod app_layer_state;
mod asn1;
mod base64;
mod bit_command;
mod bytes;
mod checksum;
pub mod content;
mod dataset;
mod entropy;
mod event;
pub(crate) mod file;
mod file_hash;
mod flow;
mod flowbits;
mod flowint;
mod frame;
mod geoip;
mod header_integer;
pub mod integer;
mod ip;
mod iprep;
pub mod known;
mod meta;
pub mod notes;
mod packet_buffer;
mod payload;
mod pcre;
mod rate;
pub mod requires;
mod rpc;
mod script;
pub mod shared_bits;
mod tag;
mod transform;
mod transport;
mod variable;

use std::collections::HashMap;
use std::sync::OnceLock;

use weir_rules::RuleHash;

use crate::builder::keyword::Keyword;

/// The tables, one for each family.
const FAMILIES: &[&[Keyword]] = &[
    action::KEYWORDS,
    app_layer_protocol::KEYWORDS,
    app_layer_state::KEYWORDS,
    asn1::KEYWORDS,
    base64::KEYWORDS,
    bytes::KEYWORDS,
    checksum::KEYWORDS,
    content::KEYWORDS,
    dataset::KEYWORDS,
    entropy::KEYWORDS,
    event::KEYWORDS,
    file::KEYWORDS,
    file_hash::KEYWORDS,
    flow::KEYWORDS,
    flowbits::KEYWORDS,
    flowint::KEYWORDS,
    frame::KEYWORDS,
    geoip::KEYWORDS,
    ip::KEYWORDS,
    iprep::KEYWORDS,
    meta::KEYWORDS,
    packet_buffer::KEYWORDS,
    payload::KEYWORDS,
    pcre::KEYWORDS,
    rate::KEYWORDS,
    requires::KEYWORDS,
    rpc::KEYWORDS,
    script::KEYWORDS,
    shared_bits::KEYWORDS,
    tag::KEYWORDS,
    transform::KEYWORDS,
    transport::KEYWORDS,
    variable::KEYWORDS,
];

/// All keywords of this crate.
pub fn all() -> impl Iterator<Item = &'static Keyword> {
    FAMILIES.iter().copied().flatten()
}

/// The keyword of that name or alias.
pub fn find(name: &str) -> Option<&'static Keyword> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Keyword, RuleHash>> = OnceLock::new();
    let named = |keyword: &'static Keyword| keyword.names().map(move |name| (name, keyword));
    BY_NAME.get_or_init(|| all().flat_map(named).collect()).get(name).copied()
}

#[cfg(test)]
pub(crate) mod tests;
