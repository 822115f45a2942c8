//! Who may ask, and what browsers may do with the answers.
//!
//! The server stands on the machine's own address, which every program and every page in its browsers reaches. A secret in
//! the printed address keeps other programs out; the check of `Host` pages whose name was made to mean this machine (DNS
//! rebinding); and the policies of the answers any script or picture that a record might bring.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

/// Bytes of a secret.
const SECRET: usize = 32;
/// What browsers may do: run the server's own scripts, and nothing else.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The secret, and the port that it is for.
#[derive(Clone, Debug)]
pub struct Guard {
    secret: String,
    port: u16,
}

impl Guard {
    /// A new secret.
    pub fn new(port: u16) -> Result<Self, String> {
        let mut bytes = [0; SECRET];
        getrandom::fill(&mut bytes).map_err(|error| format!("The system gives no random bytes: {error}."))?;
        Ok(Self { secret: bytes.iter().map(|byte| format!("{byte:02x}")).collect(), port })
    }

    /// The address for who may ask.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.secret)
    }

    /// Cookies are shared by all ports of a host, so that each has a name of its own.
    fn cookie(&self) -> String {
        format!("weir_view_{}", self.port)
    }

    fn is_secret(&self, said: &str) -> bool {
        self.secret.as_bytes().ct_eq(said.as_bytes()).into()
    }

    /// Whether the request's host is this machine by a name that nobody else can give it.
    fn is_local(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        let Ok(host) = host.to_str() else { return false };
        ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
            let port = host.get(..name.len()).filter(|begin| begin.eq_ignore_ascii_case(name));
            port.and_then(|_| host.get(name.len()..)).is_some_and(|rest| rest == format!(":{}", self.port))
        })
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie();
        let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(key, value)| key == name && self.is_secret(value))
    }

    /// Refuses a request, or lets it through.
    fn refusal(&self, request: &Request) -> Option<Response> {
        if !self.is_local(request.headers()) {
            let said = "This server answers to 127.0.0.1 alone.\n";
            return Some((StatusCode::MISDIRECTED_REQUEST, said).into_response());
        }
        if request.method() != Method::GET {
            let allow = [(header::ALLOW, HeaderValue::from_static("GET"))];
            let said = "Records are read here, nothing else.\n";
            return Some((StatusCode::METHOD_NOT_ALLOWED, allow, said).into_response());
        }
        let query = request.uri().query().unwrap_or_default();
        let said = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        match said {
            Some(said) if self.is_secret(said) => {
                let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie(), self.secret);
                // Digits and letters are always a header's value.
                let cookie = HeaderValue::from_str(&cookie).unwrap_or(HeaderValue::from_static(""));
                let headers =
                    [(header::SET_COOKIE, cookie), (header::LOCATION, HeaderValue::from_static("/"))];
                Some((StatusCode::SEE_OTHER, headers).into_response())
            }
            None if self.has_cookie(request.headers()) => None,
            _ => {
                let said = "Please open the address that `weir view` printed, with its token.\n";
                Some((StatusCode::FORBIDDEN, said).into_response())
            }
        }
    }
}

/// Refuses who may not ask, and tells browsers what they may do.
pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let mut response = match guard.refusal(&request) {
        None => next.run(request).await,
        Some(refusal) => refusal,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard { secret: "ab12".to_owned(), port: 8080 }
    }

    #[test]
    fn secrets_are_long_and_never_the_same() {
        let (one, other) = (Guard::new(1).unwrap(), Guard::new(1).unwrap());
        assert_eq!(one.secret.len(), 64);
        assert_ne!(one.secret, other.secret);
    }

    #[test]
    fn hosts() {
        let cases = [
            (&["127.0.0.1:8080"][..], true),
            (&["localhost:8080"], true),
            (&["LOCALHOST:8080"], true),
            (&["[::1]:8080"], true),
            (&["127.0.0.1:8081"], false),
            (&["127.0.0.1"], false),
            (&["localhost.evil.example:8080"], false),
            (&["evil.example:8080"], false),
            (&["127.0.0.1:8080@evil.example"], false),
            (&["127.0.0.1:8080", "evil.example"], false),
            (&[""], false),
            (&[], false),
        ];
        for (hosts, expected) in cases {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(header::HOST, host.parse().unwrap());
            }
            assert_eq!(guard().is_local(&headers), expected, "{hosts:?}");
        }
    }

    #[test]
    fn cookies() {
        let cases = [
            ("weir_view_8080=ab12", true),
            ("a=b; weir_view_8080=ab12; c=d", true),
            ("weir_view_8080=zz; weir_view_8080=ab12", true),
            ("weir_view_8080=ab1", false),
            ("weir_view_8080=ab123", false),
            ("weir_view_8081=ab12", false),
            ("xweir_view_8080=ab12", false),
            ("ab12", false),
            ("", false),
        ];
        for (cookie, expected) in cases {
            let headers = HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_static(cookie))]);
            assert_eq!(guard().has_cookie(&headers), expected, "{cookie}");
        }
    }
}
