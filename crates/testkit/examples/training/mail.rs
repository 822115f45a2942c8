//! Lines of text: mail, and the start of a remote login.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::conversation;
use crate::words::{host, spoken, text};

/// A mail, a look into a mailbox of files, or a login.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    match random.below(3) {
        0 => mail(random, begin),
        1 => files(random, begin),
        _ => login(random, begin),
    }
}

fn mail(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let (from, to) = (host(random), host(random));
    let body = format!(
        "From: {a}@{from}\r\nTo: {b}@{to}\r\nSubject: {}\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain\r\n\r\n{}\r\n.\r\n",
        text(random, 30).replace(['\r', '\n'], " "),
        text(random, 3000),
        a = spoken(random),
        b = spoken(random),
    );
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

fn files(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let mut talk = conversation(random, begin, 21).handshake().server_sends("220 ready\r\n");
    talk = talk.client_sends(format!("USER {}\r\n", spoken(random))).server_sends("331 password?\r\n");
    talk = talk.client_sends(format!("PASS {}\r\n", spoken(random))).server_sends("230 welcome\r\n");
    for _ in 0..random.below(5) {
        talk = talk.client_sends(format!("CWD {}\r\n", spoken(random))).server_sends("250 done\r\n");
    }
    talk.client_sends("QUIT\r\n").server_sends("221 bye\r\n").close().frames()
}

fn login(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let mut talk = conversation(random, begin, 22)
        .handshake()
        .client_sends("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
        .server_sends("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n");
    for _ in 0..random.below(30) {
        let (asked, answered) = (40 + random.below(200) as usize, 40 + random.below(1000) as usize);
        talk = talk.client_sends(random.bytes(asked)).server_sends(random.bytes(answered));
    }
    talk.close().frames()
}
