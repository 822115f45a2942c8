//! SIP (RFC 3261): telephones make themselves known, and call each other with descriptions of SDP (RFC 8866).

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ends::{Datagrams, Ends};
use crate::words::{host, spoken};

/// A telephone's exchange with its server.
pub fn exchange(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let talk = ends.datagrams(random, begin, 5060).client_port(5060);
    let phone = Phone {
        address: ends.client.to_string(),
        user: spoken(random),
        other: spoken(random),
        domain: host(random),
        call: format!("{:016x}", random.number()),
        tag: random.number() as u32,
    };
    let talk = match random.below(5) {
        0 | 1 => phone.registers(random, talk),
        2 => talk.asks(phone.asks("OPTIONS", 1, "")).answers(phone.answers("200 OK", "OPTIONS", 1, "")),
        _ => phone.calls(random, talk),
    };
    talk.frames()
}

/// Who calls whom.
struct Phone {
    address: String,
    user: String,
    other: String,
    domain: String,
    call: String,
    tag: u32,
}

impl Phone {
    fn registers(&self, random: &mut Random, talk: Datagrams) -> Datagrams {
        let nonce = random.number();
        let challenge =
            format!("WWW-Authenticate: Digest realm=\"{}\", nonce=\"{nonce:x}\"\r\n", self.domain);
        let shown = format!(
            "Authorization: Digest username=\"{}\", realm=\"{}\", nonce=\"{nonce:x}\", uri=\"sip:{}\", \
             response=\"{:032x}\"\r\nExpires: 3600\r\n",
            self.user,
            self.domain,
            self.domain,
            random.number()
        );
        let outcome = if random.below(6) == 0 { "403 Forbidden" } else { "200 OK" };
        talk.asks(self.asks("REGISTER", 1, "Expires: 3600\r\n"))
            .answers(self.answers("401 Unauthorized", "REGISTER", 1, &challenge))
            .asks(self.asks("REGISTER", 2, &shown))
            .answers(self.answers(outcome, "REGISTER", 2, ""))
    }

    fn calls(&self, random: &mut Random, talk: Datagrams) -> Datagrams {
        let talk = talk.asks(self.asks("INVITE", 1, &self.description(random))).answers(self.answers(
            "100 Trying",
            "INVITE",
            1,
            "",
        ));
        if random.below(4) == 0 {
            let answered =
                ["404 Not Found", "486 Busy Here", "480 Temporarily Unavailable"][random.below(3) as usize];
            return talk.answers(self.answers(answered, "INVITE", 1, "")).asks(self.asks("ACK", 1, ""));
        }
        talk.answers(self.answers("180 Ringing", "INVITE", 1, ""))
            .answers(self.answers("200 OK", "INVITE", 1, &self.description(random)))
            .asks(self.asks("ACK", 1, ""))
            .asks(self.asks("BYE", 2, ""))
            .answers(self.answers("200 OK", "BYE", 2, ""))
    }

    fn description(&self, random: &mut Random) -> String {
        let body = format!(
            "v=0\r\no={} {n} {n} IN IP4 {a}\r\ns=call\r\nc=IN IP4 {a}\r\nt=0 0\r\nm=audio {} RTP/AVP 0 8 101\r\n\
             a=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:101 telephone-event/8000\r\na=sendrecv\r\n",
            self.user,
            16_384 + random.below(8000) * 2,
            n = random.below(1 << 30),
            a = self.address,
        );
        format!("Content-Type: application/sdp\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    }

    fn asks(&self, method: &str, number: u32, more: &str) -> String {
        let whom = if method == "REGISTER" { "" } else { &*self.other };
        let at = if whom.is_empty() { "" } else { "@" };
        let first = format!("{method} sip:{whom}{at}{} SIP/2.0\r\n", self.domain);
        let agent = "Max-Forwards: 70\r\nUser-Agent: Desk Phone 2.1\r\n";
        self.message(&first, method, number, &format!("{agent}{more}"))
    }

    fn answers(&self, status: &str, method: &str, number: u32, more: &str) -> String {
        self.message(&format!("SIP/2.0 {status}\r\n"), method, number, more)
    }

    /// A message whose last fields may have a body behind them.
    fn message(&self, first: &str, method: &str, number: u32, last: &str) -> String {
        let Self { address, user, other, domain, call, tag } = self;
        let end = if last.contains("\r\n\r\n") { "" } else { "Content-Length: 0\r\n\r\n" };
        format!(
            "{first}Via: SIP/2.0/UDP {address}:5060;branch=z9hG4bK{tag:x}{number};rport\r\n\
             From: \"{user}\" <sip:{user}@{domain}>;tag={tag:x}\r\nTo: <sip:{other}@{domain}>\r\n\
             Call-ID: {call}@{address}\r\nCSeq: {number} {method}\r\nContact: <sip:{user}@{address}:5060>\r\n\
             {last}{end}"
        )
    }
}
