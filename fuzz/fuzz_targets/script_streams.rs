//! Any bytes as the two streams, or the datagrams, of a protocol that only scripts ask for. The first byte chooses the protocol, and
//! by its highest bit datagrams; each piece begins with a byte that has its side in the highest bit and its length in the others. An
//! empty piece of a stream is a hole.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_base::EventValue;
use weir_base::event::StreamFindings;
use weir_protocols::STREAM_READERS;

/// Counts what is told. Each set of expressions has one word, as sites have them.
#[derive(Default)]
struct Told(usize);

impl StreamFindings for Told {
    fn raise(&mut self, event: &'static str, arguments: &[EventValue<'_>]) {
        assert!(!event.is_empty());
        self.0 += arguments.len();
    }

    fn weird(&mut self, name: &'static str, addl: &str) {
        self.0 += name.len() + addl.len();
    }

    fn weird_of_connection(&mut self, name: &'static str, addl: &str) {
        self.weird(name, addl);
    }

    fn is_set(&self, setting: &str) -> bool {
        setting.len().is_multiple_of(2)
    }

    fn now(&self) -> f64 {
        0.0
    }

    fn count(&self, _setting: &str) -> Option<u64> {
        None
    }

    fn matches(&self, setting: &str, text: &[u8]) -> Option<usize> {
        let word: &[u8] = match setting {
            "login_prompts" => b"login:",
            "login_failure_msgs" => b"incorrect",
            "login_success_msgs" => b"Last",
            "login_timeouts" => b"timed out",
            "skip_authentication" => b"WELCOME",
            "direct_login_prompts" => b"TERMINAL?",
            _ => return None,
        };
        let at = text.windows(word.len()).position(|part| part == word)?;
        Some(at + word.len())
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, mut rest)) = data.split_first() else { return };
    let Some(reader) = STREAM_READERS.get(usize::from(*choice & 0x7f) % STREAM_READERS.len()) else { return };
    let mut open = (reader.open)();
    let mut told = Told::default();
    while let Some((head, behind)) = rest.split_first() {
        let (piece, next) = behind.split_at_checked(usize::from(head & 0x7f)).unwrap_or((behind, &[]));
        let is_orig = head & 0x80 == 0;
        match (choice & 0x80 != 0, piece.is_empty()) {
            (true, _) => open.datagram(is_orig, piece, &mut told),
            (false, true) => open.gap(is_orig),
            (false, false) => open.data(is_orig, piece, &mut told),
        }
        rest = next;
    }
    open.end(&mut told);
});
