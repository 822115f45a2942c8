//! `pcrexform`: what a regular expression catches.

use std::cell::RefCell;

use weir_mpm::{Regex, RegexOptions, RegexScratch};
use weir_rules::{Quotes, RuleOption, Span, SyntaxError};

use super::identity;
use crate::builder::RuleBuilder;
use crate::model::transform::Transform;

thread_local! {
    /// Transforms are given buffers only, so each worker's thread keeps what they match with.
    static SCRATCH: RefCell<RegexScratch> = RefCell::new(RegexScratch::new());
}

pub(super) fn pcrexform(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Mandatory)?.text;
    let regex = Regex::new(text.as_bytes(), RegexOptions::default(), rule.environment.regex_limits).map_err(
        |error| {
            let at = error.offset.min(text.len());
            let place = text.slice(Span::new(at, text.len().max(at + 1)));
            place.error(format!("The regular expression is wrong here: {}.", error.message))
        },
    )?;
    match regex.capture_count() {
        1 => {}
        found => {
            return Err(text
                .error(format!("pcrexform needs exactly one substring capture, found {found}"))
                .with_help("put what is to be kept in parentheses, and write `(?:…)` for other groups"));
        }
    }
    let apply =
        move |input: &[u8], output: &mut Vec<u8>| output.extend_from_slice(&first_group(&regex, input));
    rule.push_transform(option, Transform::new(identity(option), apply))
}

/// A buffer in which nothing is caught stays as it is.
fn first_group(regex: &Regex, input: &[u8]) -> Vec<u8> {
    SCRATCH.with_borrow_mut(|scratch| {
        let found = regex.find_at(input, 0, scratch).ok().flatten();
        let range = found.and_then(|captures| captures.group(1));
        range.and_then(|range| input.get(range)).unwrap_or(input).to_vec()
    })
}

#[cfg(test)]
mod tests {
    use weir_mpm::RegexLimits;

    use super::*;

    #[test]
    fn the_first_group_is_kept() {
        let regex =
            Regex::new(br"[a-zA-Z]+\s+(.*)\s+HTTP", RegexOptions::default(), RegexLimits::default()).unwrap();
        for (input, expected) in [("GET /dropper.php HTTP/1.1", "/dropper.php"), ("nothing", "nothing")] {
            assert_eq!(first_group(&regex, input.as_bytes()), expected.as_bytes());
        }
    }
}
