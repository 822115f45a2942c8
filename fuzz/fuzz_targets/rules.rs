//! Any bytes as a rule file and as the files beside it: rules, their sets and their diagnostics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_rules::side::{Classifications, References, ThresholdFile};
use weir_rules::value::{IntegerListMatch, IntegerMatch, parse_pattern, unescape};
use weir_rules::{Colour, Quotes, Resolver, VariableMap, parse_rules};

fuzz_target!(|text: &[u8]| {
    let found = parse_rules(text, "fuzz.rules");
    let mut variables = VariableMap::default();
    for (name, value) in [("HOME_NET", "[10.0.0.0/8,!10.1.0.0/16]"), ("A", "$B"), ("B", "$A")] {
        variables.addresses.insert(name.into(), value.into());
        variables.ports.insert(name.into(), "[80,$A]".into());
    }
    let mut resolver = Resolver::new(&variables);
    for rule in &found.rules {
        for addresses in [&rule.source, &rule.destination] {
            match resolver.addresses(addresses) {
                Ok(set) => assert!(!set.v4().is_empty() || !set.v6().is_empty()),
                Err(error) => drop(rule.error(addresses.locate(error)).render(Colour::Off)),
            }
        }
        for ports in [&rule.source_ports, &rule.destination_ports] {
            if let Ok(set) = resolver.ports(ports) {
                assert!(set.ranges().iter().all(|(first, _)| set.contains(*first)));
            }
        }
        for option in &rule.options {
            if let Ok(argument) = option.argument(true, Quotes::Optional) {
                let _ = unescape(&argument.text);
                let _ = parse_pattern(&argument.text);
                let _ = IntegerMatch::<u16>::parse(&argument.text);
                let _ = IntegerListMatch::<u8>::parse(&argument.text, |_| None);
            }
        }
    }
    for diagnostic in &found.diagnostics {
        let _ = diagnostic.render(Colour::On);
    }
    let _ = Classifications::parse(text, "fuzz.config");
    let _ = References::parse(text, "fuzz.config");
    let _ = ThresholdFile::parse(text, "fuzz.config");
});
