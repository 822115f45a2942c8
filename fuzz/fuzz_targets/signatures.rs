//! Any bytes as a rule file, through the compiler and the linter: what keywords make of their values, what
//! is found, and the fixes, which leave nothing worse than it was.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use weir_detect::FieldCatalogue;
use weir_detect::compile::{Environment, compile};
use weir_lint::fix::rewrite;
use weir_lint::{Policy, RuleText, check};
use weir_rules::side::{Classifications, References};
use weir_rules::{Colour, Resolver, VariableMap, parse_rules};

/// Made once, for that takes longer than most rules.
static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| Environment {
    classifications: Classifications::parse("config classification: bad,Bad,1", "").0,
    references: References::parse("config reference: url http://", "").0,
    ..Environment::bare(FieldCatalogue::new(weir_protocols::ALL))
});

/// How many of the rules compile.
fn good(text: &[u8], environment: &Environment, resolver: &mut Resolver<'_>) -> usize {
    let found = parse_rules(text, "fuzz.rules");
    found.rules.iter().filter(|rule| compile(rule, environment, resolver).is_ok()).count()
}

fuzz_target!(|text: &[u8]| {
    let mut variables = VariableMap::default();
    for (name, value) in [("HOME_NET", "10.0.0.0/8"), ("EXTERNAL_NET", "!$HOME_NET")] {
        variables.addresses.insert(name.into(), value.into());
    }
    variables.ports.insert("HTTP_PORTS".into(), "[80,8080]".into());
    let mut resolver = Resolver::new(&variables);
    let environment = &*ENVIRONMENT;
    let file = RuleText { file: "fuzz.rules".into(), text: text.to_vec() };
    let before = good(text, environment, &mut resolver);
    for finding in check(std::slice::from_ref(&file), environment, &mut resolver).findings {
        let _ = finding.diagnostic.render(Colour::On);
    }
    if let Some(fixed) = rewrite(&file, environment, &mut resolver, &Policy::default()) {
        assert!(good(&fixed.text, environment, &mut resolver) >= before, "a fix breaks a rule");
    }
});
