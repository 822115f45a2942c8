//! A keyword with a grammar of its own: `ike.chosen_sa_attribute`.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::transaction::{Content, IkeTransaction};
use super::version2::{Purpose, Transform};

/// The attributes that can be asked for.
const ATTRIBUTES: &[&str] = &[
    "alg_enc",
    "alg_hash",
    "alg_auth",
    "alg_dh",
    "alg_prf",
    "sa_group_type",
    "sa_life_type",
    "sa_life_duration",
    "sa_key_length",
    "sa_field_size",
];

/// Condition on an attribute.
struct Chosen {
    attribute: &'static str,
    value: u32,
}

/// `ike.chosen_sa_attribute:alg_hash=2;`
pub fn chosen(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default();
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is no attribute and its value."))?;
    let (name, value) = (name.trim(), value.trim());
    let attribute = ATTRIBUTES
        .iter()
        .find(|known| **known == name)
        .ok_or_else(|| format!("`{name}` is no attribute: there are {}.", ATTRIBUTES.join(", ")))?;
    let value = value.parse().map_err(|_| format!("`{value}` is no number of 32 bits."))?;
    Ok(Box::new(Chosen { attribute, value }))
}

impl Chosen {
    fn fits(&self, (purpose, number): Transform) -> bool {
        let name = match purpose {
            Purpose::Encryption => "alg_enc",
            Purpose::Integrity => "alg_auth",
            Purpose::Random => "alg_prf",
            Purpose::Group => "alg_dh",
            Purpose::SequenceNumbers => return false,
        };
        name == self.attribute && u32::from(number) == self.value
    }
}

impl TransactionCheck for Chosen {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        let Some(tx) = downcast::<IkeTransaction>(transaction) else { return false };
        match &tx.content {
            Content::Version1 { message, .. } => {
                let mut attributes = message.transforms.first().into_iter().flatten();
                let found =
                    attributes.find(|found| found.key() == self.attribute && found.number().is_some());
                found.and_then(|found| found.number()) == Some(self.value)
            }
            Content::Version2 { transforms, .. } => transforms.iter().any(|&transform| self.fits(transform)),
        }
    }
}
