//! Which records of protocols scripts look at (`c$http` and others): only for these do the handlers run that keep them.
//!
//! A script that has a word of a protocol anywhere may look at its record; that it does not costs no more than the handlers.

use memchr::memmem;

use crate::vm::Engine;

/// Groups of handlers, and words in scripts that ask for them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("records:conn", &["$conn", "Conn::"]),
    ("records:http", &["$http", "HTTP::"]),
    ("records:dns", &["$dns", "DNS::"]),
    ("records:ssl", &["$ssl", "SSL::"]),
    ("records:ssh", &["$ssh", "SSH::"]),
];

/// The groups that scripts ask for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes([bool; GROUPS.len()]);

impl Wishes {
    /// Looks into a script.
    pub fn look(&mut self, text: &[u8]) {
        for (wish, (_, words)) in self.0.iter_mut().zip(GROUPS) {
            *wish |= words.iter().any(|word| memmem::find(text, word.as_bytes()).is_some());
        }
    }

    /// Switches the groups on that scripts ask for, and others off.
    pub fn apply(self, engine: &mut Engine) {
        for (wish, (group, _)) in self.0.into_iter().zip(GROUPS) {
            engine.program.groups.insert(group.into(), wish);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ask_for_groups() {
        for (text, expected) in [
            ("event new_connection(c: connection) { print c$uid; }", [false, false, false, false, false]),
            ("if ( c?$http ) print c$http$uri;", [false, true, false, false, false]),
            (
                "redef record Conn::Info += { a: string &log; }; print c$ssl;",
                [true, false, false, true, false],
            ),
        ] {
            let mut wishes = Wishes::default();
            wishes.look(text.as_bytes());
            assert_eq!(wishes.0, expected, "{text}");
        }
    }
}
