//! Records, and a server that shows them.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::thread::JoinHandle;

use weir_view::{Limits, Server, Settings};

mod records;

pub use records::{HOSTILE, write_hostile, write_records};

/// A server on a thread of its own, which ends with it.
pub struct Running {
    /// The address with its secret.
    pub address: String,
    /// `127.0.0.1:1234`
    pub host: String,
    /// What its cookie is.
    pub cookie: String,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts one.
    pub fn start(records: &[PathBuf], captures: &[PathBuf], limits: Limits) -> Self {
        let settings = Settings {
            records: records.to_vec(),
            captures: captures.to_vec(),
            limits,
            ..Settings::default()
        };
        let (told, heard) = std::sync::mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let server = Server::open(settings).await.unwrap();
                told.send(server.address()).unwrap();
                server.run(async { drop(stopped.await) }).await.unwrap();
            });
        });
        let address = heard.recv().unwrap();
        let rest = address.strip_prefix("http://").unwrap();
        let (host, secret) = rest.split_once("/?token=").unwrap();
        let port = host.split_once(':').unwrap().1;
        let cookie = format!("weir_view_{port}={secret}");
        Self { host: host.to_owned(), cookie, stop: Some(stop), thread: Some(thread), address }
    }

    /// Sends a request as it is written, and returns status, head and body.
    pub fn send(&self, request: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(answer.len() - 4);
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut body = answer[end + 4..].to_vec();
        if head.contains("transfer-encoding: chunked") {
            body = unchunked(&body);
        }
        (status, head, body)
    }

    /// Asks as the pages do.
    pub fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        let (host, cookie) = (&self.host, &self.cookie);
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
    }

    /// Asks for JSON, which must be given.
    pub fn json(&self, path: &str) -> serde_json::Value {
        let (status, _, body) = self.get(path);
        let text = String::from_utf8_lossy(&body);
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{path}: {error}: {text}"))
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|window| window == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend(&body[end + 2..end + 2 + length]);
        body = &body[end + 2 + length + 2..];
    }
    whole
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        self.thread.take().map(JoinHandle::join);
    }
}
