//! Requests of clients: the first line and the headers of HTTP/1.0 and 1.1 (RFC 9112). A body is never read.
//!
//! Limits: [`MAX_REQUEST`] bytes and [`MAX_HEADERS`] headers.

/// Most bytes of a request.
pub(super) const MAX_REQUEST: usize = 8192;

/// Most headers of a request.
const MAX_HEADERS: usize = 64;

/// Media type of OpenMetrics.
const OPEN_METRICS: &str = "application/openmetrics-text";

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Page {
    /// `/metrics`, in this form.
    Metrics(Form),
    /// `/health`
    Health,
}

/// Forms of metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// OpenMetrics 1.0.
    Open,
    /// The text format 0.0.4 of Prometheus.
    Plain,
}

/// Outcome of reading what a client has sent so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Read {
    /// More is to come.
    Incomplete,
    /// A page is asked for; without its content where the method is HEAD.
    Page(Page, bool),
    /// This status is the answer.
    Refused(&'static str),
}

/// Reads a request.
pub(super) fn read(bytes: &[u8]) -> Read {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) if bytes.len() < MAX_REQUEST => return Read::Incomplete,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            return Read::Refused("431 Request Header Fields Too Large");
        }
        Err(httparse::Error::Version) => return Read::Refused("505 HTTP Version Not Supported"),
        Err(_) => return Read::Refused("400 Bad Request"),
    }
    let is_bare = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Read::Refused("405 Method Not Allowed"),
    };
    let path = request.path.unwrap_or_default();
    let page = match path.split(['?', '#']).next() {
        Some("/metrics") => {
            let accepted = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case("accept"));
            Page::Metrics(form(accepted.map(|header| header.value)))
        }
        Some("/health") => Page::Health,
        _ => return Read::Refused("404 Not Found"),
    };
    Read::Page(page, is_bare)
}

/// The form that a client likes best by its `Accept` (RFC 9110, 12.5.1): OpenMetrics has to be asked for.
fn form<'a>(accepted: impl Iterator<Item = &'a [u8]>) -> Form {
    let (mut open, mut plain) = (0.0_f32, 0.0_f32);
    for range in accepted.flat_map(|value| value.split(|byte| *byte == b',')) {
        let Ok(range) = std::str::from_utf8(range) else { continue };
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let weight = weight.map_or(1.0, |weight| weight.trim().parse::<f32>().unwrap_or(0.0));
        let best = if kind.eq_ignore_ascii_case(OPEN_METRICS) {
            &mut open
        } else if kind.eq_ignore_ascii_case("text/plain") {
            &mut plain
        } else {
            continue;
        };
        *best = best.max(weight);
    }
    if open > 0.0 && open >= plain { Form::Open } else { Form::Plain }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn requests_are_read() {
        let metrics = |form| Read::Page(Page::Metrics(form), false);
        let long = format!("GET /metrics HTTP/1.1\r\nA: {}", "a".repeat(MAX_REQUEST));
        let many = format!("GET /metrics HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS + 1));
        for (sent, expected) in [
            ("", Read::Incomplete),
            ("GET /metrics HTTP/1.1\r\nHost: a\r\n", Read::Incomplete),
            ("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", metrics(Form::Plain)),
            ("GET /metrics?a=b HTTP/1.0\n\n", metrics(Form::Plain)),
            ("HEAD /metrics HTTP/1.1\r\n\r\n", Read::Page(Page::Metrics(Form::Plain), true)),
            ("GET /health HTTP/1.1\r\n\r\nmore", Read::Page(Page::Health, false)),
            ("GET / HTTP/1.1\r\n\r\n", Read::Refused("404 Not Found")),
            ("GET /metrics/ HTTP/1.1\r\n\r\n", Read::Refused("404 Not Found")),
            ("POST /metrics HTTP/1.1\r\n\r\n", Read::Refused("405 Method Not Allowed")),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Read::Refused("505 HTTP Version Not Supported")),
            ("\x16\x03\x01\x02\x00", Read::Refused("400 Bad Request")),
            (&long[..MAX_REQUEST], Read::Refused("431 Request Header Fields Too Large")),
            (&many, Read::Refused("431 Request Header Fields Too Large")),
        ] {
            assert_eq!(read(sent.as_bytes()), expected, "{sent:.60}");
        }
    }

    #[test]
    fn the_form_is_what_is_liked_best() {
        for (accept, expected) in [
            ("*/*", Form::Plain),
            ("text/plain", Form::Plain),
            ("application/openmetrics-text", Form::Open),
            (
                "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                Form::Open,
            ),
            ("application/openmetrics-text;q=0.2, text/plain; Q=0.9", Form::Plain),
            ("application/openmetrics-text;q=0", Form::Plain),
            ("application/openmetrics-text;q=much", Form::Plain),
            (",;;,", Form::Plain),
        ] {
            let request = format!("GET /metrics HTTP/1.1\r\naccept: {accept}\r\n\r\n");
            assert_eq!(read(request.as_bytes()), Read::Page(Page::Metrics(expected), false), "{accept}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), accept in "[ -~]{0,80}") {
            let _ = read(&bytes);
            let request = format!("GET /metrics HTTP/1.1\r\nAccept: {accept}\r\n\r\n");
            prop_assert!(matches!(read(request.as_bytes()), Read::Page(Page::Metrics(_), false)));
        }
    }
}
