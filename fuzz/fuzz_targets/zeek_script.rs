//! Any bytes as a Zeek script, a file of signatures, a pattern and a log's value: readers, checker, compiler, verifier,
//! printer.
//!
//! Scripts are not run. Initial values are, so that texts with names of functions that reach the system are passed over.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_script::frameworks::log::{Separators, ascii_value};
use weir_script::patterns::{Pattern, StreamPatterns};
use weir_script::signatures::reader::read;
use weir_script::types::Types;
use weir_script::values::Value;
use weir_script::verify::verify;
use weir_script::{Driver, Script};

/// Words of functions that start commands, or write, move and remove files.
const OUTWARD: [&str; 12] = [
    "system", "exec", "open", "unlink", "rename", "mkdir", "rmdir", "rotate", "write", "setenv", "dump",
    "exit",
];

fuzz_target!(|text: &[u8]| {
    let shown = String::from_utf8_lossy(text);
    if OUTWARD.iter().any(|word| shown.contains(word)) {
        return;
    }
    let mut driver = Driver::new(Some("/nonexistent"));
    driver.engine.output.captured = Some((Vec::new(), String::new()));
    driver.read(&[Script::Text("fuzz.zeek".to_owned(), text.to_vec())]);
    driver.report_unused();
    for function in &driver.engine.program.functions {
        for body in function.bodies.iter() {
            assert_eq!(verify(&body.code), Ok(()), "{}", function.name);
        }
    }
    let _ = weir_script::dump::program(&driver.engine);

    if let Ok(pattern) = Pattern::parse(&shown, "") {
        let _ = pattern.find(text, 0);
    }

    if let Ok(rules) = read(text, "fuzz.sig", &driver.engine) {
        let patterns: Vec<String> =
            rules.into_iter().flat_map(|rule| rule.patterns).map(|(_, pattern)| pattern).collect();
        if let Ok(mut machine) = StreamPatterns::new(&patterns) {
            let mut state = machine.begin(&mut |_, _| ());
            text.chunks(7).for_each(|piece| machine.feed(&mut state, piece, &mut |_, _| ()));
            machine.end(&state);
        }
    }

    let separators = Separators {
        column: b"\t".to_vec(),
        set: b",".to_vec(),
        empty: b"(empty)".to_vec(),
        unset: b"-".to_vec(),
        keeps_utf8: true,
    };
    let mut out = Vec::new();
    ascii_value(&Value::string(text), &Types::default(), &separators, &mut out);
    assert!(!out.contains(&b'\t') && !out.contains(&b'\n') && !out.is_empty());
});
