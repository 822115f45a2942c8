//! Mail: how it is sent (RFC 5321), and how it is fetched (RFC 1939).

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::conversation;
use crate::words::{host, spoken, text};

/// A mail that is sent, or a mailbox that is read.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    if random.below(4) == 0 { mailbox(random, begin) } else { mail(random, begin) }
}

fn mail(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let (from, to) = (host(random), host(random));
    let body = message(random) + ".\r\n";
    conversation(random, begin, 25)
        .handshake()
        .server_sends(format!("220 {to} ESMTP\r\n"))
        .client_sends(format!("EHLO {from}\r\n"))
        .server_sends(format!("250-{to}\r\n250-PIPELINING\r\n250 8BITMIME\r\n"))
        .client_sends(format!("MAIL FROM:<{}@{from}>\r\n", spoken(random)))
        .server_sends("250 ok\r\n")
        .client_sends(format!("RCPT TO:<{}@{to}>\r\n", spoken(random)))
        .server_sends("250 ok\r\n")
        .client_sends("DATA\r\n")
        .server_sends("354 go on\r\n")
        .client_sends(body)
        .server_sends("250 queued\r\n")
        .client_sends("QUIT\r\n")
        .server_sends("221 bye\r\n")
        .close()
        .frames()
}

fn mailbox(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let mut talk = conversation(random, begin, 110)
        .handshake()
        .server_sends("+OK ready\r\n")
        .client_sends(format!("USER {}\r\n", spoken(random)))
        .server_sends("+OK\r\n")
        .client_sends(format!("PASS {}\r\n", spoken(random)));
    if random.below(8) == 0 {
        talk = talk.server_sends("-ERR wrong password\r\n");
    } else {
        let count = random.below(5);
        talk = talk.server_sends("+OK\r\n").client_sends("STAT\r\n");
        talk = talk.server_sends(format!("+OK {count} {}\r\n", count * 2000));
        for number in 1..=count {
            let said = message(random);
            talk = talk.client_sends(format!("RETR {number}\r\n"));
            talk = talk.server_sends(format!("+OK {} octets\r\n{said}.\r\n", said.len()));
        }
    }
    talk.client_sends("QUIT\r\n").server_sends("+OK bye\r\n").close().frames()
}

/// A mail with its head.
fn message(random: &mut Random) -> String {
    let (from, to) = (host(random), host(random));
    format!(
        "From: {a}@{from}\r\nTo: {b}@{to}\r\nSubject: {}\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain\r\n\r\n{}\r\n",
        text(random, 30).replace(['\r', '\n'], " "),
        text(random, 3000),
        a = spoken(random),
        b = spoken(random),
    )
}
