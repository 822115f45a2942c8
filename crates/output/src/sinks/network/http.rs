//! OpenSearch and Elasticsearch: records in requests to `_bulk`, an answer for each of them.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use weir_config::Records;
use weir_config::pipelines::{HostPort, HttpLogin, HttpSettings};

use super::backlog::{Piece, Window};
use super::connection::{CONNECT, Connection, certificates};
use super::ecs;
use super::naming::{Naming, Times};
use super::sender::{Answers, Refusal, Transport};

/// Longest wait for the answer to a request.
const ANSWER: Duration = Duration::from_secs(60);

/// Most bytes of an answer.
const ANSWER_BYTES: u64 = 64 << 20;

/// Bytes of a piece; requests have as many as their records need.
const PIECE_BYTES: usize = 1 << 20;

/// Times that records of a request are sent again of which the server said that it has no room now, and the first wait.
const RETRIES: u32 = 6;
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// What is wanted of the answer.
const PARTS: &str = "errors,items.*.status,items.*.error.type,items.*.error.reason";

/// A cluster.
pub(super) struct Http {
    settings: HttpSettings,
    agent: Option<Agent>,
    /// Records of the next request.
    lines: Vec<Vec<u8>>,
    records: Records,
    /// The index for a record.
    index: Naming,
    /// A request was taken before: what the server says of one is about its records.
    has_succeeded: bool,
}

/// What became of the records of a request.
enum Bulk {
    /// By record.
    Items(Vec<Item>),
    /// It is too large, or cannot be read.
    TooMuch(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Taken,
    /// There is no room now.
    Later(String),
    Refused(String),
}

impl Http {
    pub(super) fn new(settings: HttpSettings, records: Records) -> Self {
        let index = Naming::new(&settings.index, records, Times::Converted);
        Self { settings, agent: None, lines: Vec::new(), records, index, has_succeeded: false }
    }

    /// The target in words.
    pub(super) fn describe(settings: &HttpSettings) -> String {
        format!("{} (index {})", settings.url, settings.index)
    }

    fn body(&mut self, lines: &[&[u8]]) -> Result<Vec<u8>, Refusal> {
        let mut body = Vec::with_capacity(lines.iter().map(|line| line.len() + 64).sum());
        for line in lines {
            let index = self.index.of(line);
            body.extend_from_slice(format!("{{\"create\":{{\"_index\":\"{index}\"}}}}\n").as_bytes());
            match self.settings.ecs.then(|| ecs::convert(self.records, line)).flatten() {
                Some(converted) => body.extend_from_slice(&converted),
                None => body.extend_from_slice(line),
            }
            body.push(b'\n');
        }
        if !self.settings.gzip {
            return Ok(body);
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = encoder.write_all(&body).and_then(|()| encoder.finish());
        packed.map_err(super::connection::lost)
    }

    fn request(&mut self, lines: &[&[u8]]) -> Result<Bulk, Refusal> {
        let body = self.body(lines)?;
        let agent = self.agent.as_ref().ok_or_else(|| Refusal::new("there is no connection", "Wait"))?;
        let url = format!("{}/_bulk?filter_path={PARTS}", self.settings.url);
        let mut request = agent.post(url).header("content-type", "application/x-ndjson");
        if self.settings.gzip {
            request = request.header("content-encoding", "gzip");
        }
        request = match &self.settings.login {
            HttpLogin::None => request,
            HttpLogin::ApiKey(key) => request.header("authorization", format!("ApiKey {key}")),
            HttpLogin::Basic(user, password) => {
                let login = BASE64_STANDARD.encode(format!("{user}:{password}"));
                request.header("authorization", format!("Basic {login}"))
            }
        };
        let failed =
            |error: ureq::Error| Refusal::new(error, "See whether the server runs, and the way to it");
        let mut response = request.send(&body[..]).map_err(failed)?;
        let status = response.status().as_u16();
        let answer = response.body_mut().with_config().limit(ANSWER_BYTES).read_to_vec().map_err(failed)?;
        match status {
            200..=299 => {
                self.has_succeeded = true;
                items(&answer, lines.len()).map(Bulk::Items)
            }
            413 => Ok(Bulk::TooMuch("the request is too large for the server".to_owned())),
            400 if self.has_succeeded => Ok(Bulk::TooMuch(said(status, &answer))),
            _ => Err(Refusal::new(said(status, &answer), remedy(status))),
        }
    }

    /// Sends lines, in parts where they are too much for one request, and again those that there is no room for now.
    fn deliver(&mut self, lines: &[&[u8]], answers: &mut Answers) -> Result<(), Refusal> {
        let mut left: Vec<&[u8]> = lines.to_vec();
        for attempt in 0..=RETRIES {
            let items = match self.request(&left)? {
                Bulk::Items(items) => items,
                Bulk::TooMuch(cause) => return self.in_halves(&left, cause, answers),
            };
            let mut again = Vec::new();
            let mut why = String::new();
            for (line, item) in left.iter().zip(items) {
                match item {
                    Item::Taken => answers.taken += 1,
                    Item::Refused(cause) => {
                        answers.refused += 1;
                        let remedy = "Change the mapping of the index, or its name";
                        answers.cause.get_or_insert_with(|| Refusal::new(cause, remedy));
                    }
                    Item::Later(cause) => {
                        again.push(*line);
                        why = cause;
                    }
                }
            }
            if again.is_empty() {
                return Ok(());
            }
            if attempt == RETRIES {
                return Err(Refusal::new(why, "Give the cluster more room, or send it less"));
            }
            left = again;
            std::thread::sleep(RETRY_AFTER * (1 << attempt));
        }
        Ok(())
    }

    fn in_halves(&mut self, lines: &[&[u8]], cause: String, answers: &mut Answers) -> Result<(), Refusal> {
        if lines.len() < 2 {
            answers.refused += lines.len() as u64;
            let remedy = "Have the server take larger requests, or leave the type of record out";
            answers.cause.get_or_insert_with(|| Refusal::new(cause, remedy));
            return Ok(());
        }
        let (first, second) = lines.split_at(lines.len() / 2);
        self.deliver(first, answers)?;
        self.deliver(second, answers)
    }

    fn server(&self) -> Option<HostPort> {
        let uri: ureq::http::Uri = self.settings.url.parse().ok()?;
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        let host = uri.host()?.trim_start_matches('[').trim_end_matches(']').to_owned();
        Some(HostPort { host, port })
    }
}

impl Transport for Http {
    fn window(&self) -> Window {
        Window { piece: self.settings.batch, records: self.settings.batch, bytes: PIECE_BYTES }
    }

    fn connect(&mut self) -> Result<(), Refusal> {
        self.lines.clear();
        let server =
            self.server().ok_or_else(|| Refusal::new("the address cannot be read", "Correct http.url"))?;
        // Requests connect themselves; this says early what is wrong.
        Connection::tcp(&server)?;
        let mut config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(ANSWER))
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .user_agent("weir");
        if self.settings.url.starts_with("https:") {
            let found = certificates(self.settings.ca_file.as_deref())?;
            let found = found.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
            let authorities = RootCerts::new_with_certs(&found.collect::<Vec<_>>());
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let tls = TlsConfig::builder().root_certs(authorities);
            config = config.tls_config(tls.unversioned_rustls_crypto_provider(provider).build());
        }
        self.agent = Some(config.build().into());
        Ok(())
    }

    fn send(&mut self, piece: &Piece) -> Result<(), Refusal> {
        self.lines.extend(piece.lines().map(<[u8]>::to_vec));
        Ok(())
    }

    fn answers(&mut self, _wait: Duration) -> Result<Answers, Refusal> {
        let lines = std::mem::take(&mut self.lines);
        let mut answers = Answers::default();
        if !lines.is_empty() {
            let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            self.deliver(&lines, &mut answers)?;
        }
        Ok(answers)
    }
}

/// The items of an answer.
fn items(answer: &[u8], records: usize) -> Result<Vec<Item>, Refusal> {
    let strange = || {
        Refusal::new(
            "the answer is none of the bulk interface",
            "See whether http.url is that of OpenSearch or Elasticsearch",
        )
    };
    let answer: Value = serde_json::from_slice(answer).map_err(|_| strange())?;
    if answer.get("errors").and_then(Value::as_bool) == Some(false) {
        return Ok(vec![Item::Taken; records]);
    }
    let items = answer.get("items").and_then(Value::as_array).ok_or_else(strange)?;
    let read = |item: &Value| {
        let item = item.as_object()?.values().next()?;
        let text = |key: &str| {
            let text = item.get("error").and_then(|error| error.get(key)).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let cause = || format!("{}: {}", text("type"), text("reason"));
        Some(match item.get("status")?.as_u64()? {
            200..=299 => Item::Taken,
            429 | 500..=599 => Item::Later(cause()),
            _ => Item::Refused(cause()),
        })
    };
    let items: Option<Vec<Item>> = items.iter().map(read).collect();
    items.filter(|items| items.len() == records).ok_or_else(strange)
}

/// What the server said, shortened.
fn said(status: u16, answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer.get(..300).unwrap_or(answer)).replace(['\r', '\n'], " ");
    format!("the server answered {status}: {}", text.trim())
}

const fn remedy(status: u16) -> &'static str {
    match status {
        401 | 403 => {
            "Correct http.user and http.password, or http.api-key, and the rights of that user on the index"
        }
        404 | 405 => "Correct http.url: there is no bulk interface",
        400 => "See whether http.url is right, with https where the server wants that",
        429 | 500..=599 => "Wait, or see to the server",
        _ => "See what the server says",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_by_their_status() {
        let later = |text: &str| Item::Later(text.to_owned());
        let refused = |text: &str| Item::Refused(text.to_owned());
        for (answer, records, expected) in [
            (r#"{"errors":false}"#, 2, Some(vec![Item::Taken; 2])),
            (
                r#"{"errors":true,"items":[{"create":{"status":201}},{"create":{"status":429,"error":{"type":"a","reason":"b"}}},{"create":{"status":503}},{"create":{"status":400,"error":{"type":"mapper","reason":"c"}}}]}"#,
                4,
                Some(vec![Item::Taken, later("a: b"), later(": "), refused("mapper: c")]),
            ),
            (r#"{"errors":true,"items":[]}"#, 1, None),
            (r#"{"errors":true,"items":[7]}"#, 1, None),
            (r#"{"errors":true}"#, 1, None),
            ("<html>", 1, None),
        ] {
            assert_eq!(items(answer.as_bytes(), records).ok(), expected, "{answer}");
        }
    }
}
