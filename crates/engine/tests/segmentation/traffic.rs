//! What is said: HTTP, DNS and TLS, turn by turn.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use weir_base::Direction;
use weir_testkit::Random;

/// Rules of which each fires on the conversations, numbered from 1.
pub const RULES: &str = r#"alert http any any -> any any (msg:"uri"; flow:established,to_server; http.uri; content:"/second?"; fast_pattern; pcre:"/q=[a-z ]+$/"; sid:1;)
alert http any any -> any any (msg:"user agent"; http.user_agent; content:"segment"; startswith; content:"/1.0"; distance:0; endswith; sid:2;)
alert http any any -> any any (msg:"request body"; flow:to_server; http.method; content:"POST"; http.request_body; content:"password=hunter2"; sid:3;)
alert http any any -> any any (msg:"unpacked body"; flow:to_client; file.data; content:"needle in the haystack"; sid:4;)
alert http any any -> any any (msg:"status"; http.stat_code; content:"304"; sid:5;)
alert http any any -> any any (msg:"header"; flow:to_client; http.header; content:"X-Colour: green|0d 0a|"; sid:6;)
alert http any any -> any any (msg:"upload"; flow:to_server; file.name; content:"report.txt"; sid:7;)
alert dns any any -> any any (msg:"query"; dns.query; content:"second.example"; bsize:14; sid:8;)
alert tls any any -> any any (msg:"server name"; tls.sni; content:"secure.example"; sid:9;)
alert tls any any -> any any (msg:"certificate"; tls.cert_subject; content:"CN=secure.example"; sid:10;)
alert tcp any any -> any any (msg:"stream"; flow:established,to_server; content:"password=hunter2|26|end"; sid:11;)
"#;

const UP: Direction = Direction::ToServer;
const DOWN: Direction = Direction::ToClient;

/// What one side says before it waits for the other.
pub struct Turn {
    pub direction: Direction,
    pub bytes: Vec<u8>,
}

/// Two ends and what they say.
pub struct Talk {
    pub client: &'static str,
    pub server: &'static str,
    pub turns: Vec<Turn>,
}

/// All conversations.
pub fn conversations() -> Vec<Talk> {
    vec![
        Talk { client: "10.0.0.1:40001", server: "10.0.0.2:80", turns: http() },
        Talk { client: "10.0.0.1:40002", server: "10.0.0.2:53", turns: dns() },
        Talk { client: "10.0.0.1:40003", server: "10.0.0.2:443", turns: tls() },
        Talk { client: "10.0.0.1:40004", server: "10.0.0.2:389", turns: ldap() },
    ]
}

fn up(bytes: Vec<u8>) -> Turn {
    Turn { direction: UP, bytes }
}

fn down(bytes: Vec<u8>) -> Turn {
    Turn { direction: DOWN, bytes }
}

/// Pipelined requests, a chunked body in gzip, two uploads, and a body that ends with the connection.
fn http() -> Vec<Turn> {
    let get = |uri: &str| {
        format!(
            "GET {uri} HTTP/1.1\r\nHost: www.example\r\nUser-Agent: segment test/1.0\r\nCookie: a=b\r\n\r\n"
        )
    };
    let pipelined = [get("/first"), get("/second?q=any%20thing"), get("/third")].concat();
    let answers = [
        packed_answer(),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 26\r\n\r\n".to_vec(),
        b"abcdefghijklmnopqrstuvwxyz".to_vec(),
        b"HTTP/1.1 304 Not Modified\r\nETag: \"abc\"\r\n\r\n".to_vec(),
    ];
    let form = "user=someone&password=hunter2&end=1";
    let login = format!(
        "POST /login HTTP/1.1\r\nHost: www.example\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n\r\n{form}",
        form.len()
    );
    let created = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-Colour: green\r\n\r\nok";
    let part = "--limit\r\nContent-Disposition: form-data; name=\"file\"; filename=\"report.txt\"\r\n\
                Content-Type: text/plain\r\n\r\nline one\r\nline two\r\n--limit--\r\n";
    let upload = format!(
        "POST /upload HTTP/1.1\r\nHost: www.example\r\nContent-Type: multipart/form-data; boundary=limit\r\n\
         Content-Length: {}\r\n\r\n{part}",
        part.len()
    );
    let last = get("/last");
    let until_close = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end of the connection";
    vec![
        up(pipelined.into()),
        down(answers.concat()),
        up(login.into()),
        down(created.into()),
        up(upload.into()),
        down(created.into()),
        up(last.into()),
        down(until_close.into()),
    ]
}

/// An answer whose body is packed, then cut into chunks.
fn packed_answer() -> Vec<u8> {
    let mut random = Random::new(1);
    let mut body: Vec<u8> = random.bytes(3000).iter().map(|byte| b'a' + byte % 26).collect();
    body.extend(b"needle in the haystack");
    body.extend(random.bytes(500).iter().map(|byte| b'a' + byte % 26));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&body).expect("memory takes all");
    let packed = encoder.finish().expect("memory takes all");
    let mut answer =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in packed.chunks(700) {
        answer.extend(format!("{:x}\r\n", chunk.len()).bytes());
        answer.extend(chunk);
        answer.extend(b"\r\n");
    }
    answer.extend(b"0\r\n\r\n");
    answer
}

/// Three requests to delete in one turn, then their answers in another order.
fn ldap() -> Vec<Turn> {
    let message = |id: u8, operation: &[u8]| der(0x30, &[&[2, 1, id][..], operation].concat());
    let asked = [1, 2, 3].map(|id| message(id, &der(0x4a, &[b'a' + id])));
    let answered = [3, 1, 2].map(|id| message(id, &der(0x6b, b"\x0a\x01\0\x04\0\x04\0")));
    vec![up(asked.concat()), down(answered.concat())]
}

/// Three queries in one turn, then their answers.
fn dns() -> Vec<Turn> {
    let names = ["first.example", "second.example", "third.example"];
    let each = |answer: bool| {
        names.iter().enumerate().flat_map(|(id, name)| message(id as u16 + 1, name, answer)).collect()
    };
    vec![up(each(false)), down(each(true))]
}

/// A DNS message behind its length: a question for an address, or its answer.
fn message(id: u16, name: &str, answer: bool) -> Vec<u8> {
    let mut body = id.to_be_bytes().to_vec();
    body.extend(if answer { [0x81, 0x80] } else { [0x01, 0x00] });
    body.extend([0, 1, 0, u8::from(answer), 0, 0, 0, 0]);
    for label in name.split('.') {
        body.push(label.len() as u8);
        body.extend(label.bytes());
    }
    body.extend([0, 0, 1, 0, 1]);
    if answer {
        body.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4, 192, 0, 2, id as u8]);
    }
    sized(2, &body)
}

/// TLS 1.2 with a certificate of its own.
fn tls() -> Vec<Turn> {
    let record = |kind: u8, body: &[u8]| [&[kind, 3, 3][..], &sized(2, body)].concat();
    let handshake = |kind: u8, body: &[u8]| [&[kind][..], &sized(3, body)].concat();
    let change_cipher = record(20, &[1]);
    let sealed = |kind: u8, size: usize| record(kind, &vec![0xee; size]);
    let server_flight = [
        handshake(2, &server_hello()),
        handshake(11, &sized(3, &sized(3, &certificate(b"secure.example")))),
        handshake(12, &[3, 0, 29, 0]),
        handshake(14, &[]),
    ];
    vec![
        up(record(22, &handshake(1, &client_hello(b"secure.example")))),
        down(record(22, &server_flight.concat())),
        up([record(22, &handshake(16, &[7; 33])), change_cipher.clone(), sealed(22, 40)].concat()),
        down([change_cipher, sealed(22, 40)].concat()),
        up(sealed(23, 500)),
        down(sealed(23, 2000)),
    ]
}

fn client_hello(server_name: &[u8]) -> Vec<u8> {
    let entry = [&[0][..], &sized(2, server_name)].concat();
    let extensions = [
        extension(0, &sized(2, &entry)),
        extension(10, &sized(2, &[0, 29, 0, 23])),
        extension(11, &[1, 0]),
        extension(13, &sized(2, &[4, 3, 8, 4])),
        extension(16, &sized(2, b"\x02h2\x08http/1.1")),
    ];
    let ciphers = sized(2, &[0xc0, 0x2f, 0xc0, 0x30, 0x13, 0x01]);
    [&[3, 3][..], &[7; 32], &[0], &ciphers, &[1, 0], &sized(2, &extensions.concat())].concat()
}

fn server_hello() -> Vec<u8> {
    let chosen = extension(16, &sized(2, b"\x02h2"));
    [&[3, 3][..], &[9; 32], &[0], &[0xc0, 0x2f], &[0], &sized(2, &chosen)].concat()
}

fn extension(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &sized(2, data)].concat()
}

/// Bytes behind their length, which takes `width` bytes.
fn sized(width: usize, bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u32).to_be_bytes();
    [&length[4 - width..], bytes].concat()
}

/// A certificate (RFC 5280) with no real signature.
fn certificate(common_name: &[u8]) -> Vec<u8> {
    const RSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11];
    const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
    const COMMON_NAME: &[u8] = &[0x55, 4, 3];
    let algorithm = |id: &[u8]| der(0x30, &[der(6, id), vec![5, 0]].concat());
    let name =
        |text: &[u8]| der(0x30, &der(0x31, &der(0x30, &[der(6, COMMON_NAME), der(0x0c, text)].concat())));
    let modulus = [&[0][..], &[0xc1; 256]].concat();
    let key = der(0x30, &[der(2, &modulus), der(2, &[1, 0, 1])].concat());
    let to_be_signed = [
        der(0xa0, &der(2, &[2])),
        der(2, &[0, 0x97, 0xe6]),
        algorithm(RSA_WITH_SHA256),
        name(b"Test CA"),
        der(0x30, &[der(0x17, b"230101000000Z"), der(0x17, b"330101000000Z")].concat()),
        name(common_name),
        der(0x30, &[algorithm(RSA), der(3, &[&[0][..], &key].concat())].concat()),
    ];
    let signature = der(3, &[0; 257]);
    der(0x30, &[der(0x30, &to_be_signed.concat()), algorithm(RSA_WITH_SHA256), signature].concat())
}

/// One DER element.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len() as u16;
    let length =
        if length < 0x80 { vec![length as u8] } else { [&[0x82][..], &length.to_be_bytes()].concat() };
    [&[tag][..], &length, content].concat()
}
