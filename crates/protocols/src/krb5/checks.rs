//! A keyword with a grammar of its own: `krb5.ticket_encryption`.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::names;
use super::transaction::Krb5Transaction;

/// Most types of a rule.
const MAX_TYPES: usize = 1024;

/// Condition on the encryption of a ticket.
enum TicketEncryption {
    /// In a way that is weak, or in one that is not.
    Weak(bool),
    /// By one of these types.
    OneOf(Vec<i32>),
}

/// `krb5.ticket_encryption:weak;`, `krb5.ticket_encryption:23,rc4-hmac-exp;`
pub fn ticket_encryption(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default().trim();
    let wanted = text.strip_prefix('!').map_or(text, str::trim_start);
    if wanted == "weak" {
        return Ok(Box::new(TicketEncryption::Weak(wanted == text)));
    }
    let named = |text: &str| {
        let by_name = names::ENCRYPTION.iter().find(|(name, _)| *name == text).map(|(_, number)| *number);
        by_name.or_else(|| text.parse().ok()).ok_or_else(|| format!("`{text}` is no type of encryption."))
    };
    let texts = text.split([',', ' ']).filter(|text| !text.is_empty());
    let types = texts.map(named).collect::<Result<Vec<_>, _>>()?;
    match types.len() {
        0 => Err("A type of encryption is to be named, or `weak`.".to_owned()),
        1..=MAX_TYPES => Ok(Box::new(TicketEncryption::OneOf(types))),
        _ => Err(format!("More than {MAX_TYPES} types of encryption.")),
    }
}

impl TransactionCheck for TicketEncryption {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        let found = downcast::<Krb5Transaction>(transaction).and_then(Krb5Transaction::ticket_encryption);
        found.is_some_and(|found| match self {
            TicketEncryption::Weak(wanted) => names::is_weak(found) == *wanted,
            TicketEncryption::OneOf(types) => types.contains(&found),
        })
    }
}
