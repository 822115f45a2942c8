//! Keywords with a grammar of their own: `nfs_procedure` and `nfs_version`, whose ranges hold their ends.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;
use weir_rules::value::IntegerMatch;

use super::transaction::NfsTransaction;

struct Procedure(IntegerMatch<u32>);

/// `nfs_procedure:6;`
pub fn procedure(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    Ok(Box::new(Procedure(number(option)?)))
}

impl TransactionCheck for Procedure {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        downcast::<NfsTransaction>(transaction)
            .is_some_and(|tx| tx.has_procedure(|procedure| self.0.matches(procedure)))
    }
}

struct Version(IntegerMatch<u32>);

/// `nfs_version:>2;`
pub fn version(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    Ok(Box::new(Version(number(option)?)))
}

impl TransactionCheck for Version {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        downcast::<NfsTransaction>(transaction).is_some_and(|tx| self.0.matches(tx.version))
    }
}

fn number(option: Option<&str>) -> Result<IntegerMatch<u32>, String> {
    IntegerMatch::parse_inclusive(option.unwrap_or_default()).map_err(|error| error.to_string())
}
