//! Dependencies of rules on others through flowbits.
//!
//! A rule that is decided packet by packet but asks for a bit that rules on transactions set is
//! inspected with the state of transactions. That holds only for bits that no rule on transactions
//! asks for itself.

use std::collections::HashMap;

use super::options::flowbits;
use super::subject::{Subject, keyword_name};
use crate::model::signature::{Kind, Signature, SignatureIndex};

/// The bits and rules that a rule depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upstream {
    /// Signature ids of the rules that set the bits.
    pub sids: Vec<u32>,
    /// The bits.
    pub names: Vec<String>,
}

/// Dependencies of all rules that have any.
#[derive(Debug, Default)]
pub struct Dependencies {
    by_rule: HashMap<SignatureIndex, Upstream>,
}

/// Rules that set a bit, and rules that check it.
#[derive(Default)]
struct Bit {
    set_by: Vec<u32>,
    asked_by: Vec<SignatureIndex>,
    asked_by_transactions: bool,
}

impl Dependencies {
    /// Of the rules of a set.
    pub fn of(signatures: &[Signature]) -> Self {
        // In the order in which the rules were loaded, as far as their ids tell.
        let mut loaded: Vec<&Signature> = signatures.iter().collect();
        loaded.sort_by_key(|signature| (signature.info.file.clone(), signature.line));
        let mut order: Vec<String> = Vec::new();
        let mut bits: HashMap<String, Bit> = HashMap::new();
        for signature in loaded {
            let subject = Subject::new(signature);
            for option in subject.options().iter().filter(|option| keyword_name(option) == "flowbits") {
                let Some((command, names)) = flowbits(option) else { continue };
                for name in names {
                    let bit = bits.entry(name.clone()).or_insert_with(|| {
                        order.push(name);
                        Bit::default()
                    });
                    note(bit, &command, signature);
                }
            }
        }
        let mut dependencies = Self::default();
        for name in order {
            if let Some(bit) = bits.get(&name) {
                dependencies.add(&name, bit);
            }
        }
        dependencies
    }

    fn add(&mut self, name: &str, bit: &Bit) {
        if bit.set_by.is_empty() || bit.asked_by_transactions {
            return;
        }
        for index in &bit.asked_by {
            let upstream = self.by_rule.entry(*index).or_default();
            for sid in &bit.set_by {
                if !upstream.sids.contains(sid) {
                    upstream.sids.push(*sid);
                }
            }
            upstream.names.push(name.to_owned());
        }
    }

    /// Of one rule.
    pub fn upstream(&self, index: SignatureIndex) -> Option<&Upstream> {
        self.by_rule.get(&index)
    }
}

fn note(bit: &mut Bit, command: &str, signature: &Signature) {
    let transactional = signature.kind == Kind::Transaction;
    match command {
        "set" | "toggle" if transactional => bit.set_by.push(signature.info.sid),
        "isset" if transactional => bit.asked_by_transactions = true,
        "isset" => bit.asked_by.push(signature.index),
        _ => {}
    }
}
