//! Integer keywords that fields declare: a comparison, with an index where the keyword takes one
//! (`ldap.responses.operation:search_result_done,-1`), or names of bits (`websocket.flags:fin,!comp`).

use std::sync::Arc;

use weir_rules::value::{IntegerIndex, IntegerListMatch, IntegerMatch, Unsigned};
use weir_rules::{Spanned, SyntaxError};

use crate::model::signature::ValueMatch;

/// Reads the option of an integer of `bits` bits whose values may have `names`, with an index where it may be `indexed`.
pub fn parse(
    value: &Spanned,
    bits: u8,
    names: &'static [(&'static str, u64)],
    indexed: bool,
) -> Result<ValueMatch, SyntaxError> {
    if !indexed && value.contains(',') {
        return Err(value.error("This keyword compares one number, and takes no index."));
    }
    // Read once in the field's own width, for an error where a number does not fit it.
    match bits {
        0..=8 => fits::<u8>(value, names)?,
        9..=16 => fits::<u16>(value, names)?,
        17..=32 => fits::<u32>(value, names)?,
        _ => {}
    }
    let list = read::<u64>(value, names)?;
    Ok(match list {
        // One value that fits is enough: no need to gather them all.
        IntegerListMatch { comparison, index: IntegerIndex::Any } => {
            ValueMatch::Integer(Arc::new(move |number| comparison.matches(number)))
        }
        list => ValueMatch::IntegerList(list),
    })
}

/// Reads the option of an integer of `bits` bits, some of which have `names`.
pub fn parse_flags(
    value: &Spanned,
    bits: u8,
    names: &'static [(&'static str, u64)],
) -> Result<ValueMatch, SyntaxError> {
    let comparison = match bits {
        0..=8 => flags::<u8>(value, names),
        9..=16 => flags::<u16>(value, names),
        17..=32 => flags::<u32>(value, names),
        _ => flags::<u64>(value, names),
    }?;
    Ok(ValueMatch::Integer(comparison))
}

fn flags<T: Unsigned + Send + Sync + 'static>(
    value: &Spanned,
    names: &'static [(&'static str, u64)],
) -> Result<Arc<dyn Fn(u64) -> bool + Send + Sync>, SyntaxError> {
    let by_name = |name: &str| number(names, name).and_then(T::from_u64);
    let found = IntegerMatch::<T>::parse_bit_names(value, by_name).map_err(|error| value.locate(error))?;
    Ok(Arc::new(move |number| T::from_u64(number).is_some_and(|number| found.matches(number))))
}

fn number(names: &[(&str, u64)], name: &str) -> Option<u64> {
    names.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, number)| *number)
}

fn fits<T: Unsigned>(value: &Spanned, names: &'static [(&'static str, u64)]) -> Result<(), SyntaxError> {
    read::<T>(value, names).map(|_| ())
}

fn read<T: Unsigned>(
    value: &Spanned,
    names: &'static [(&'static str, u64)],
) -> Result<IntegerListMatch<T>, SyntaxError> {
    let by_name = |name: &str| number(names, name).and_then(T::from_u64);
    IntegerListMatch::parse(value, by_name).map_err(|error| value.locate(error))
}

#[cfg(test)]
mod tests {
    use weir_rules::Span;

    use super::*;

    #[test]
    fn values_and_lists() {
        const NAMES: &[(&str, u64)] = &[("query", 0), ("update", 5)];
        // The option, the field's width, and what it says of the values 1, 5, 9.
        for (text, bits, expected) in [
            ("5", 8, Some(true)),
            ("update", 8, Some(true)),
            ("!QUERY,all", 8, Some(true)),
            (">2", 8, Some(true)),
            (">2,all", 8, Some(false)),
            ("9,-1", 16, Some(true)),
            ("count 3", 32, None),
            ("256", 8, None),
            ("256", 16, Some(false)),
            ("70000", 16, None),
            ("nonsense", 8, None),
        ] {
            let value = Spanned::new(&text.into(), Span::new(0, text.len()));
            let found = parse(&value, bits, NAMES, true).ok().map(|test| match test {
                ValueMatch::Integer(test) => [1, 5, 9].into_iter().any(|number| test(number)),
                ValueMatch::IntegerList(list) => list.matches(&[1, 5, 9]),
                ValueMatch::Check(_) => false,
            });
            assert_eq!(found, expected, "{text} in {bits} bits");
        }
    }

    #[test]
    fn an_index_where_it_may_be() {
        for (text, indexed, expected) in
            [("5", false, true), ("5,all", true, true), ("5,all", false, false), ("5,any", false, false)]
        {
            let value = Spanned::new(&text.into(), Span::new(0, text.len()));
            assert_eq!(parse(&value, 8, &[], indexed).is_ok(), expected, "{text} {indexed}");
        }
    }

    #[test]
    fn bits_by_name() {
        const NAMES: &[(&str, u64)] = &[("fin", 0x80), ("comp", 0x40)];
        // The option, and what it says of 0x80 and 0xc0.
        for (text, expected) in [
            ("fin", Some([true, true])),
            ("FIN, !comp", Some([true, false])),
            ("!fin", Some([false, false])),
            ("128", Some([true, false])),
            ("&0x40=0x40", Some([false, true])),
            ("256", None),
            ("fin,last", None),
        ] {
            let value = Spanned::new(&text.into(), Span::new(0, text.len()));
            let found = parse_flags(&value, 8, NAMES).ok().map(|test| match test {
                ValueMatch::Integer(test) => [0x80, 0xc0].map(|number| test(number)),
                _ => [false; 2],
            });
            assert_eq!(found, expected, "{text}");
        }
    }
}
