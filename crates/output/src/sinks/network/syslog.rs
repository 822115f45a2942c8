//! A syslog server: messages of RFC 5424, in datagrams (RFC 5426), over TCP with octet counting (RFC 6587, 3.4.1) or over TLS
//! (RFC 5425).
//!
//! Syslog has no answers. Over a connection a message counts as taken when the connection still stood a while after it, or
//! when much more had been written: those before are sent again where it breaks.

use std::collections::VecDeque;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use weir_config::Records;
use weir_config::pipelines::{HostPort, SyslogSettings, SyslogTransport};

use super::backlog::{Piece, Window};
use super::connection::{Connection, addresses, lost};
use super::lines::{kind_of, time_of};
use super::sender::{Answers, Refusal, Transport};
use crate::sinks::priority;

/// How long after a message its connection has to stand.
const STANDING: Duration = Duration::from_secs(1);

/// Bytes that are written after a message before it counts as taken without that: more than buffers on the way hold, as a
/// rule.
const WRITTEN_AFTER: usize = 1 << 20;

/// Most bytes of a name in a message's head (RFC 5424, 6).
const NAME: usize = 48;
const MESSAGE_ID: usize = 32;
const HOST: usize = 255;

/// The beginning of messages, but for what they take of their records.
struct Head {
    /// Facility and severity combined.
    priority: u8,
    /// The sensor.
    host: String,
    /// The program.
    identity: String,
    records: Records,
}

/// A syslog server.
pub(super) struct Syslog {
    settings: SyslogSettings,
    head: Head,
    socket: Option<Socket>,
    out: Vec<u8>,
    /// Records that were written: when, how many, how many bytes.
    written: VecDeque<(Instant, u64, usize)>,
    bytes: usize,
    answers: Answers,
}

enum Socket {
    Datagrams(UdpSocket),
    Stream(Connection),
}

impl Syslog {
    pub(super) fn new(settings: SyslogSettings, records: Records) -> Self {
        let host = settings.host.clone().unwrap_or_else(host_name);
        let head = Head {
            priority: priority(&settings.facility, &settings.level),
            host: name(&host, HOST),
            identity: name(&settings.identity, NAME),
            records,
        };
        let (written, answers) = (VecDeque::new(), Answers::default());
        Self { settings, head, socket: None, out: Vec::new(), written, bytes: 0, answers }
    }

    /// The target in words.
    pub(super) fn describe(settings: &SyslogSettings) -> String {
        let scheme = match settings.transport {
            SyslogTransport::Udp => "udp",
            SyslogTransport::Tcp => "tcp",
            SyslogTransport::Tls => "tls",
        };
        format!("syslog at {scheme}://{}", settings.server)
    }
}

/// The name of this machine.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Printable ASCII of a name, without blanks, as far as there is room; `-` for nothing.
fn name(text: &str, room: usize) -> String {
    let name: String = text.chars().filter(char::is_ascii_graphic).take(room).collect();
    if name.is_empty() { "-".to_owned() } else { name }
}

/// Appends a message with a record.
fn message(out: &mut Vec<u8>, head: &Head, line: &[u8]) {
    let Head { priority, host, identity, records } = head;
    let time = time_of(*records, line).unwrap_or_else(|| "-".to_owned());
    let process = std::process::id();
    let kind = name(kind_of(*records, line).unwrap_or_default(), MESSAGE_ID);
    out.extend_from_slice(format!("<{priority}>1 {time} {host} {identity} {process} {kind} - ").as_bytes());
    out.extend_from_slice(line);
}

impl Transport for Syslog {
    fn window(&self) -> Window {
        Window { piece: 1000, records: 100_000, bytes: 64 * 1024 }
    }

    fn connect(&mut self) -> Result<(), Refusal> {
        self.socket = None;
        self.written.clear();
        self.bytes = 0;
        self.answers = Answers::default();
        let (server, ca_file) = (&self.settings.server, self.settings.ca_file.as_deref());
        self.socket = Some(match self.settings.transport {
            SyslogTransport::Tcp => Socket::Stream(Connection::tcp(server)?),
            SyslogTransport::Tls => Socket::Stream(Connection::tls(server, ca_file)?),
            SyslogTransport::Udp => Socket::Datagrams(udp(server)?),
        });
        Ok(())
    }

    fn send(&mut self, piece: &Piece) -> Result<(), Refusal> {
        let mut out = std::mem::take(&mut self.out);
        let result = match &mut self.socket {
            None => Err(Refusal::new("there is no connection", "Wait")),
            Some(Socket::Datagrams(socket)) => piece.lines().try_for_each(|line| {
                out.clear();
                message(&mut out, &self.head, line);
                datagram(socket, &out, &mut self.answers)
            }),
            Some(Socket::Stream(connection)) => {
                out.clear();
                let mut one = Vec::new();
                for line in piece.lines() {
                    one.clear();
                    message(&mut one, &self.head, line);
                    out.extend_from_slice(itoa::Buffer::new().format(one.len()).as_bytes());
                    out.push(b' ');
                    out.extend_from_slice(&one);
                }
                self.written.push_back((Instant::now(), piece.records.into(), out.len()));
                self.bytes += out.len();
                connection.write_whole(&out)
            }
        };
        self.out = out;
        result
    }

    fn answers(&mut self, wait: Duration) -> Result<Answers, Refusal> {
        if let Some(Socket::Stream(connection)) = &mut self.socket {
            connection.wait_for(wait).map_err(lost)?;
            // Servers say nothing, but when they go.
            connection.read_some(&mut [0; 512])?;
            while let Some((when, records, bytes)) = self.written.front() {
                if when.elapsed() < STANDING && self.bytes - bytes < WRITTEN_AFTER {
                    break;
                }
                self.answers.taken += records;
                self.bytes -= bytes;
                self.written.pop_front();
            }
        }
        Ok(std::mem::take(&mut self.answers))
    }
}

/// A socket for datagrams to the first address of a server.
fn udp(server: &HostPort) -> Result<UdpSocket, Refusal> {
    let address = addresses(server)?.next();
    let address =
        address.ok_or_else(|| Refusal::new("the name has no address", "Correct the name of the server"))?;
    let any = if address.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" };
    let socket = UdpSocket::bind(any).map_err(lost)?;
    socket.connect(address).map_err(lost)?;
    Ok(socket)
}

/// Sends a datagram; one that is too long is lost.
fn datagram(socket: &UdpSocket, message: &[u8], answers: &mut Answers) -> Result<(), Refusal> {
    match socket.send(message) {
        Ok(_) => answers.taken += 1,
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::MSGSIZE.raw_os_error()) => {
            answers.refused += 1;
            answers.cause.get_or_insert_with(|| {
                Refusal::new("it is too long for a datagram", "Use tcp:// or tls:// for such records")
            });
        }
        // Said of an earlier datagram: nobody listened. Of it nothing more can be done.
        Err(error) => return Err(lost(error)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_as_the_standard_has_them() {
        let process = std::process::id();
        for (records, line, start) in [
            (
                Records::Eve,
                r#"{"timestamp":"2026-11-29T20:00:01.123456+0100","event_type":"dns","x":1}"#,
                "<174>1 2026-11-29T20:00:01.123456+01:00 sensor suricata PID dns - {",
            ),
            (
                Records::Zeek,
                r#"{"_path":"conn","ts":1700000000.000005}"#,
                "<174>1 2023-11-14T22:13:20.000005Z sensor suricata PID conn - {",
            ),
            (Records::Eve, r#"{"event_type":"a b\"c"}"#, "<174>1 - sensor suricata PID ab\\ - {"),
            (Records::Eve, "text", "<174>1 - sensor suricata PID - - text"),
        ] {
            let head = Head { priority: 174, host: "sensor".into(), identity: "suricata".into(), records };
            let mut out = Vec::new();
            message(&mut out, &head, line.as_bytes());
            let found = String::from_utf8(out).unwrap();
            assert!(found.starts_with(&start.replace("PID", &process.to_string())), "{found}");
            assert!(found.ends_with(line));
        }
        assert_eq!((name("a sensor\u{e9}", 5), name(" ", 5)), ("asens".to_owned(), "-".to_owned()));
    }
}
