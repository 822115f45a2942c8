//! Configuration as a protocol or record writer sees it: text by dotted path, below its own key.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// Values that the parsers of several protocols share, one of each type. Each is made by the protocol that is
/// configured first.
#[derive(Default)]
pub struct Shared(Mutex<Vec<Arc<dyn Any + Send + Sync>>>);

impl Shared {
    /// The one of this type, made where it is not there yet.
    pub fn get_or_make<T: Any + Send + Sync>(&self, make: impl FnOnce() -> Arc<T>) -> Arc<T> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find_map(|one| Arc::clone(one).downcast::<T>().ok());
        known.unwrap_or_else(|| {
            let made = make();
            all.push(Arc::<T>::clone(&made));
            made
        })
    }
}

/// Read-only access to a part of the configuration.
///
/// For a protocol the root is `app-layer.protocols.<name>`; for an EVE record writer it is the
/// event type's entry of `types`.
pub trait Options {
    /// The scalar at `path` (`libhtp.default-config.request-body-limit`), as written.
    fn text(&self, path: &str) -> Option<String>;

    /// The keys or list indices directly below `path`.
    fn children(&self, path: &str) -> Vec<String>;

    /// Reports a value that cannot be used; `remedy` says what was done instead.
    fn complain(&self, path: &str, remedy: &str);

    /// Whether a rule looks at the field of this name: what `auto` often stands for.
    fn rules_use(&self, field: &str) -> bool {
        let _ = field;
        false
    }

    /// The scalar at `path` of another protocol, whose settings hold for both.
    fn of_protocol(&self, protocol: &str, path: &str) -> Option<String> {
        let _ = (protocol, path);
        None
    }

    /// Returns the values that protocols have in common; none where this one is by itself.
    fn shared(&self) -> Option<&Shared> {
        None
    }

    /// Whether a rule is about a state of the protocol, so that transactions are to be followed to their end.
    fn rules_follow_states(&self) -> bool {
        false
    }

    /// A truth value as YAML 1.1 users write it: yes, true, on, 1 and their opposites.
    fn flag(&self, path: &str, default: bool) -> bool {
        let Some(text) = self.text(path) else { return default };
        match text.to_ascii_lowercase().as_str() {
            "yes" | "true" | "on" | "1" => true,
            "no" | "false" | "off" | "0" => false,
            _ => {
                self.complain(path, "it should be yes or no; the default is used");
                default
            }
        }
    }

    /// A number, with an optional unit of bytes (`kb`, `mb`, `gb` and their `iB` forms, by 1024).
    fn size(&self, path: &str, default: u64) -> u64 {
        let Some(text) = self.text(path) else { return default };
        parse_size(&text).unwrap_or_else(|| {
            self.complain(path, "it should be a size such as 100kb; the default is used");
            default
        })
    }

    /// The scalars of the list at `path`.
    fn list(&self, path: &str) -> Vec<String> {
        self.children(path).iter().filter_map(|child| self.text(&format!("{path}.{child}"))).collect()
    }
}

/// Nothing is configured: every question gets its default.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOptions;

impl Options for NoOptions {
    fn text(&self, _: &str) -> Option<String> {
        None
    }
    fn children(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
    fn complain(&self, _: &str, _: &str) {}
}

/// `10`, `64kb`, `1 MiB`, `1gb` in bytes.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim() {
        "" | "b" => 1,
        "kb" | "kib" | "k" => 1 << 10,
        "mb" | "mib" | "m" => 1 << 20,
        "gb" | "gib" | "g" => 1 << 30,
        _ => return None,
    };
    match number.parse::<u64>() {
        Ok(whole) => whole.checked_mul(factor),
        Err(_) => number.parse::<f64>().ok().map(|part| (part * factor as f64) as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        let cases = [
            ("10", Some(10)),
            ("64kb", Some(65_536)),
            ("1 MiB", Some(1 << 20)),
            ("1.5kb", Some(1536)),
            ("2gb", Some(2 << 30)),
            ("ten", None),
            ("", None),
            ("5 parsecs", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_size(text), expected, "{text}");
        }
    }
}
