//! Certificates that scripts know already: of these the reader tells nothing, and a hook of theirs is called.

use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::builtins::{Builtin, argument, hexadecimal, row};
use crate::values::{FunctionValue, TableValue, Value};
use crate::vm::Engine;

/// The analyzer that reads certificates.
pub(super) const ANALYZER: &str = "X509";

/// What scripts know, by the SHA-256 of certificates, and the hook that is called instead of events.
#[derive(Default)]
pub(super) struct Cache {
    known: Option<Rc<TableValue>>,
    hook: Option<Rc<FunctionValue>>,
}

/// Calls the hook for a certificate that scripts know; false for others.
pub(super) fn is_known(engine: &mut Engine, file: &Value, bytes: &[u8]) -> bool {
    let cache = &engine.frameworks.files.certificates;
    let Some(known) = cache.known.clone().filter(|known| !known.is_empty()) else { return false };
    let hook = cache.hook.clone();
    let digest = Value::string(hexadecimal(&Sha256::digest(bytes)));
    let Some(entry) = known.find(&digest) else { return false };
    let now = engine.now();
    known.touch(&digest, now);
    if let Some(hook) = hook {
        // An error was reported where it happened.
        let _ = engine.run_hook(&hook, &[file.clone(), entry, digest]);
    }
    true
}

/// Functions; their declarations are in the prelude.
pub(crate) const ROWS: &[Builtin] = &[
    row("x509_set_certificate_cache", "", |e, a| {
        e.frameworks.files.certificates.known = argument(a, 0).table().cloned();
        Ok(Value::Bool(true))
    }),
    row("x509_set_certificate_cache_hit_callback", "", |e, a| {
        if let Value::Function(hook) = argument(a, 0) {
            e.frameworks.files.certificates.hook = Some(hook);
        }
        Ok(Value::Bool(true))
    }),
];
