//! Names that scripts add to the http log: of header fields, of a target's parameters, of cookies.

use weir_applayer::zeek::{Script, ZeekSink};

use super::super::headers::Headers;
use super::super::octets::{head, trim};
use super::super::transaction::HttpTransaction;

/// Names of one kind that are shown at most.
const MAX_NAMES: usize = 200;

/// Names of each kind, if there is anything to take them from and the script is loaded that adds them.
pub(super) struct Names {
    pub(super) client_headers: Option<Vec<Vec<u8>>>,
    pub(super) server_headers: Option<Vec<Vec<u8>>>,
    pub(super) uri: Option<Vec<Vec<u8>>>,
    pub(super) cookies: Option<Vec<Vec<u8>>>,
}

impl Names {
    /// Those of a transaction.
    pub(super) fn of(tx: &HttpTransaction, sink: &dyn ZeekSink) -> Self {
        let headers = &tx.request.headers;
        let if_loaded = |script, found: &dyn Fn() -> Option<Vec<Vec<u8>>>| {
            sink.has(script).then(found).flatten().filter(|names| !names.is_empty())
        };
        let is_shown = |setting, unset| sink.settings().map_or(unset, |settings| settings.is_set(setting));
        let of_headers = |setting, unset, headers: &Headers| {
            let is_shown = is_shown(setting, unset);
            if_loaded(Script::HeaderNames, &|| is_shown.then(|| upper(headers)))
        };
        Self {
            client_headers: of_headers("HTTP::log_client_header_names", true, headers),
            server_headers: of_headers("HTTP::log_server_header_names", false, &tx.response.headers),
            uri: if_loaded(Script::UriVariables, &|| {
                tx.target().filter(|_| tx.has_request).map(|target| keys(target, b"?&"))
            }),
            cookies: if_loaded(Script::CookieVariables, &|| {
                headers.value(b"cookie").map(|cookies| keys(cookies, b";"))
            }),
        }
    }
}

/// The names of header fields as they came, repeated ones, too, in capitals.
fn upper(headers: &Headers) -> Vec<Vec<u8>> {
    headers.sent().take(MAX_NAMES).map(|field| field.name.to_ascii_uppercase()).collect()
}

/// The names before the equals signs of parts that `separators` divide.
fn keys(text: &[u8], separators: &[u8]) -> Vec<Vec<u8>> {
    text.split(|byte| separators.contains(byte))
        .take(MAX_NAMES)
        .map(|part| trim(head(part, memchr::memchr(b'=', part).unwrap_or(part.len()))).to_vec())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[test]
    fn names_stand_before_equals_signs() {
        let cases: [(&[u8], &[u8], &[&str]); 4] = [
            (b"/a?b=1&c=2&d", b"?&", &["/a", "b", "c", "d"]),
            (b"/", b"?&", &["/"]),
            (b"id=1; theme=dark;x", b";", &["id", "theme", "x"]),
            (b"a=b=c", b";", &["a"]),
        ];
        for (text, separators, expected) in cases {
            let found: Vec<String> =
                keys(text, separators).iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect();
            assert_eq!(found, expected);
        }
    }
}
