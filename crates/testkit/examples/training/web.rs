//! HTTP/1.1: pages, forms, downloads, several requests on one connection.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::conversation;
use crate::words::{host, spoken, text};

const AGENTS: [&str; 5] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0",
    "curl/8.4.0",
    "python-requests/2.31.0",
    "Microsoft-CryptoAPI/10.0",
];

/// A connection with some requests.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let port = [80, 80, 80, 8080, 8000][random.below(5) as usize];
    let mut talk = conversation(random, begin, port).handshake();
    let (name, agent) = (host(random), AGENTS[random.below(5) as usize]);
    for _ in 0..=random.below(5) {
        talk = talk.client_sends(request(random, &name, agent)).server_sends(answer(random));
    }
    talk.close().frames()
}

fn request(random: &mut Random, name: &str, agent: &str) -> String {
    let mut path = format!("/{}/{}", spoken(random), spoken(random));
    path += [".html", ".php", ".js", "", ".png"][random.below(5) as usize];
    if random.below(2) == 0 {
        path += &format!("?{}={}&id={}%20x", spoken(random), spoken(random), random.below(100_000));
    }
    let fields = format!(
        "Host: {name}\r\nUser-Agent: {agent}\r\nAccept: text/html,application/xhtml+xml,*/*;q=0.8\r\n\
         Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: identity\r\nConnection: keep-alive\r\n\
         Referer: http://{name}/{}\r\nCookie: session={:016x}; {}={}\r\n",
        spoken(random),
        random.number(),
        spoken(random),
        spoken(random),
    );
    if random.below(5) > 0 {
        return format!("GET {path} HTTP/1.1\r\n{fields}\r\n");
    }
    let body = format!("user={}&password={}&token={:x}", spoken(random), spoken(random), random.number());
    format!(
        "POST {path} HTTP/1.1\r\n{fields}Content-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn answer(random: &mut Random) -> Vec<u8> {
    let status =
        ["200 OK", "200 OK", "200 OK", "304 Not Modified", "404 Not Found"][random.below(5) as usize];
    let head = format!(
        "HTTP/1.1 {status}\r\nServer: nginx\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n\
         Set-Cookie: {}={:x}; path=/\r\nCache-Control: max-age=60\r\n",
        spoken(random),
        random.number()
    );
    let length = random.below(20_000) as usize;
    match random.below(4) {
        _ if status.starts_with("304") => format!("{head}\r\n").into_bytes(),
        0 => {
            let body = random.bytes(length);
            let head =
                format!("{head}Content-Type: application/octet-stream\r\nContent-Length: {length}\r\n\r\n");
            [head.into_bytes(), body].concat()
        }
        1 => {
            let mut out = format!("{head}Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n");
            for chunk in page(random, length).as_bytes().chunks(4000) {
                out += &format!("{:x}\r\n{}\r\n", chunk.len(), String::from_utf8_lossy(chunk));
            }
            out += "0\r\n\r\n";
            out.into_bytes()
        }
        _ => {
            let body = page(random, length);
            let length = body.len();
            format!("{head}Content-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
        }
    }
}

fn page(random: &mut Random, length: usize) -> String {
    format!(
        "<html><head><title>{}</title></head><body><p>{}</body></html>",
        spoken(random),
        text(random, length)
    )
}
