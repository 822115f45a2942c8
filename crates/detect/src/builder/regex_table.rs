//! The regular expressions of a ruleset, each compiled once: many rules have the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use weir_mpm::{CompileError, Regex, RegexLimits, RegexOptions};
use weir_rules::RuleHash;

/// All that makes an expression what it is.
type Written = (Box<[u8]>, RegexOptions, RegexLimits);

/// Expressions by how they are written. Locked while rules are compiled, never on the packet path.
#[derive(Debug, Default)]
pub struct RegexTable {
    known: Mutex<HashMap<Written, Arc<Regex>, RuleHash>>,
}

impl RegexTable {
    /// The expression, compiled when it is asked for the first time.
    pub fn compile(
        &self,
        expression: &str,
        options: RegexOptions,
        limits: RegexLimits,
    ) -> Result<Arc<Regex>, CompileError> {
        let written: Written = (expression.as_bytes().into(), options, limits);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(regex) = known.get(&written) {
            return Ok(Arc::clone(regex));
        }
        let regex = Arc::new(Regex::new(expression.as_bytes(), options, limits)?);
        known.insert(written, Arc::clone(&regex));
        Ok(regex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_are_one() {
        let table = RegexTable::default();
        let caseless = RegexOptions { caseless: true, ..RegexOptions::default() };
        let compile = |expression, options, limits| table.compile(expression, options, limits).unwrap();
        let (plain, limits) = (RegexOptions::default(), RegexLimits::default());
        let first = compile("a+", plain, limits);
        for (other, same) in [
            (compile("a+", plain, limits), true),
            (compile("a*", plain, limits), false),
            (compile("a+", caseless, limits), false),
            (compile("a+", plain, RegexLimits::UNLIMITED), false),
        ] {
            assert_eq!(Arc::ptr_eq(&first, &other), same, "{other:?}");
        }
        assert!(table.compile("(", plain, limits).is_err());
    }
}
