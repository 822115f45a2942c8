//! `flowbits.json` and `patterns.json`: what all rules together set, ask for and search.

use std::collections::BTreeMap;

use weir_base::JsonWriter;

use super::options::flowbits;
use super::rule::buffer_name;
use super::subject::{Literal, Subject, keyword_name};
use crate::model::buffer::{Check, Content};
use crate::model::signature::{PrefilterPlace, Signature};

/// Commands of rules on a bit, in the order in which they are counted.
const COMMANDS: [&str; 5] = ["set", "unset", "toggle", "isset", "isnotset"];

/// The order in which the rules that do so are listed, and the names of the lists.
const LISTS: [(&str, &str); 5] =
    [("set", "sets"), ("isset", "isset"), ("isnotset", "isnotset"), ("unset", "unset"), ("toggle", "toggle")];

/// Appends an object with one entry for each bit: how often rules do what with it, and which rules.
pub fn write_flowbits(signatures: &[Signature], out: &mut Vec<u8>) {
    let mut bits: BTreeMap<String, [Vec<u32>; COMMANDS.len()]> = BTreeMap::new();
    for signature in signatures {
        let subject = Subject::new(signature);
        for option in subject.options().iter().filter(|option| keyword_name(option) == "flowbits") {
            let Some((command, names)) = flowbits(option) else { continue };
            let Some(place) = COMMANDS.iter().position(|known| *known == command) else { continue };
            for name in names {
                if let Some(sids) = bits.entry(name).or_default().get_mut(place) {
                    sids.push(signature.info.sid);
                }
            }
        }
    }
    let mut json = JsonWriter::new(out);
    json.open_object();
    json.array("flowbits");
    for (id, (name, rules)) in bits.iter().enumerate() {
        json.open_object();
        json.string("name", name);
        json.unsigned("internal_id", id as u64 + 1);
        for (command, sids) in COMMANDS.iter().zip(rules) {
            json.unsigned(&format!("{command}_cnt"), sids.len() as u64);
        }
        for (command, list) in LISTS {
            let place = COMMANDS.iter().position(|known| *known == command);
            let sids = place.and_then(|place| rules.get(place)).filter(|sids| !sids.is_empty());
            if let Some(sids) = sids {
                json.array(list);
                sids.iter().for_each(|sid| json.push_unsigned(u64::from(*sid)));
                json.close_array();
            }
        }
        json.close_object();
    }
    json.close_array();
    json.close_object();
}

/// Key that tells literals apart: the bytes, and the words beside them.
type Key = (Vec<u8>, [(&'static str, bool); 5]);

/// Counts of a literal: how often it is written, and how often it is the one that the prefilter looks for.
#[derive(Default)]
struct Uses {
    written: u64,
    searched: u64,
}

/// Appends an object with a list of buffers, and of each the literals that rules have for it, each with how many do.
pub fn write_patterns(signatures: &[Signature], out: &mut Vec<u8>) {
    let mut buffers: BTreeMap<String, BTreeMap<Key, Uses>> = BTreeMap::new();
    for signature in signatures {
        let subject = Subject::new(signature);
        let searched = subject.literal();
        let places = (0..signature.checks.buffers.len()).map(PrefilterPlace::Buffer);
        for place in std::iter::once(PrefilterPlace::Payload).chain(places) {
            for (position, check) in subject.checks(&place).iter().enumerate() {
                let Check::Content(content) = check else { continue };
                let literal = Literal { place: place.clone(), position };
                let buffer = buffer_name(&subject, &literal).into_owned();
                let uses = buffers.entry(buffer).or_default().entry(key(content)).or_default();
                uses.written += 1;
                uses.searched += u64::from(subject.literal_in(searched.as_ref(), &place) == Some(position));
            }
        }
    }
    let mut json = JsonWriter::new(out);
    json.open_object();
    json.array("buffers");
    for (list, (buffer, literals)) in buffers.iter().enumerate() {
        json.open_object();
        json.string("name", buffer);
        json.unsigned("list_id", list as u64);
        json.array("patterns");
        for ((bytes, flags), uses) in literals {
            json.open_object();
            json.string("pattern", super::content::pattern(bytes));
            json.unsigned("patlen", bytes.len() as u64);
            json.unsigned("cnt", uses.written);
            json.unsigned("mpm", uses.searched);
            json.object("flags");
            flags.iter().for_each(|(name, is_set)| json.boolean(name, *is_set));
            json.close_object();
            json.close_object();
        }
        json.close_array();
        json.close_object();
    }
    json.close_array();
    json.close_object();
}

fn key(content: &Content) -> Key {
    let bytes = if content.nocase { content.bytes.to_ascii_lowercase() } else { content.bytes.to_vec() };
    let flags = [
        ("nocase", content.nocase),
        ("negated", content.negated),
        ("depth", content.depth.is_some() || content.starts_with),
        ("offset", content.offset.is_some()),
        ("endswith", content.ends_with),
    ];
    (bytes, flags)
}
