//! Names that scripts add to the http log: of header fields, of a target's parameters, of cookies.

use weir_applayer::zeek::{MoreColumns, Script, ZeekSink, ZeekType};

use super::super::octets::{head, trim};
use super::super::transaction::HttpTransaction;
use super::STREAM;

/// Names of one kind that are shown at most.
const MAX_NAMES: usize = 200;

const NAMES: ZeekType = ZeekType::Vector(&ZeekType::String);

/// The columns.
pub(super) const MORE: &[MoreColumns] = &[
    MoreColumns {
        stream: &STREAM,
        script: Script::HeaderNames,
        columns: &[("client_header_names", NAMES), ("server_header_names", NAMES)],
    },
    MoreColumns { stream: &STREAM, script: Script::UriVariables, columns: &[("uri_vars", NAMES)] },
    MoreColumns { stream: &STREAM, script: Script::CookieVariables, columns: &[("cookie_vars", NAMES)] },
];

/// The names of one column, if there is anything to take them from.
type Names = Option<Vec<Vec<u8>>>;

/// The values of the columns of those scripts that are loaded.
pub(super) fn of(tx: &HttpTransaction, sink: &dyn ZeekSink) -> Vec<Names> {
    let mut found = Vec::new();
    let headers = &tx.request.headers;
    if sink.has(Script::HeaderNames) {
        let names: Vec<Vec<u8>> =
            headers.iter().take(MAX_NAMES).map(|(name, _)| name.to_ascii_uppercase()).collect();
        // Those of the server are left out unless another setting of Zeek asks for them.
        found.extend([Some(names).filter(|names| !names.is_empty()), None]);
    }
    if sink.has(Script::UriVariables) {
        found.push(tx.target().filter(|_| tx.has_request).map(|target| keys(target, b"?&")));
    }
    if sink.has(Script::CookieVariables) {
        found.push(headers.value(b"cookie").map(|cookies| keys(cookies, b";")));
    }
    found
}

/// What stands before the equals signs of parts that `separators` divide.
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
