//! Reads handshakes; what follows them is another protocol's.

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Request, TransactionList, factory, parser_transactions,
};
use weir_base::{Direction, PerDirection, Reader, Timestamp};

use super::SOCKS;
use super::message::{self, BIND, Fault, NO_METHOD, PASSWORD, Read};
use super::transaction::SocksTransaction;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::<SocksParser>::default())
}

/// Next message of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Next {
    /// The methods of authentication, the choice of one; or the one message of version 4.
    #[default]
    Greeting,
    /// A proof of who it is, or whether that will do.
    Authentication,
    /// A request, or the answer to it.
    Message,
    /// Host that has connected to the server, as a client asked for.
    Visitor,
    /// Bytes of another protocol.
    Payload,
    /// Nothing that can be read.
    Unread,
}

/// One connection.
#[derive(Debug, Default)]
struct SocksParser {
    next: PerDirection<Next>,
    /// The method of authentication, once the server has chosen one.
    method: Option<u8>,
    /// The client asked for a visitor.
    binds: bool,
    transactions: TransactionList<SocksTransaction>,
}

impl Parser for SocksParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut consumed = 0;
        loop {
            let rest = bytes.get(consumed..).unwrap_or_default();
            match self.next[direction] {
                Next::Unread => return Outcome::Ok,
                // What is left belongs to what follows, once the other side is ready for that, too.
                Next::Payload => return keep(consumed, rest),
                _ if rest.is_empty() => return Outcome::Ok,
                _ => {}
            }
            let mut reader = Reader::new(rest);
            let ends = |reader: &Reader<'_>| cx.arrival((consumed + reader.position()).saturating_sub(1));
            match self.message(direction, &mut reader, ends) {
                Ok(()) => consumed += reader.position(),
                Err(Fault::Short) => return keep(consumed, rest),
                Err(Fault::Malformed) => return Outcome::Error,
            }
            if self.next.to_server == Next::Payload && self.next.to_client == Next::Payload {
                cx.request(Request::Upgrade(None));
                return Outcome::Incomplete { consumed, needed: 0 };
            }
        }
    }

    parser_transactions!(&SOCKS);
}

/// Keeps the rest, which is shown again with more.
const fn keep(consumed: usize, rest: &[u8]) -> Outcome {
    if rest.is_empty() { Outcome::Ok } else { Outcome::Incomplete { consumed, needed: rest.len() + 1 } }
}

impl SocksParser {
    /// Reads what a side says next; `time` tells when it came as far as it was read.
    fn message(
        &mut self,
        direction: Direction,
        reader: &mut Reader<'_>,
        time: impl Fn(&Reader<'_>) -> Timestamp,
    ) -> Read<()> {
        let next = match direction {
            Direction::ToServer => self.of_client(reader, time)?,
            Direction::ToClient => self.of_server(reader, time)?,
        };
        self.next[direction] = next;
        Ok(())
    }

    fn of_client(&mut self, reader: &mut Reader<'_>, time: impl Fn(&Reader<'_>) -> Timestamp) -> Read<Next> {
        let first = reader.peek();
        let request = match self.next.to_server {
            Next::Greeting if first == Some(4) => message::request_of_4(reader)?,
            Next::Greeting => {
                message::methods(reader)?;
                return Ok(Next::Authentication);
            }
            Next::Authentication if self.is_authenticated(first) => {
                if self.is_other_authentication(Direction::ToServer, reader, &time) {
                    return Ok(Next::Unread);
                }
                let (name, password) = message::login(reader)?;
                if let Some(handshake) = self.handshake() {
                    handshake.login = Some((time(reader), name));
                    handshake.password = Some(password.into());
                }
                return Ok(Next::Message);
            }
            Next::Authentication | Next::Message => message::request(reader)?,
            Next::Visitor | Next::Payload | Next::Unread => return Ok(Next::Unread),
        };
        let time = time(reader);
        self.binds = request.command == BIND;
        if let Some(handshake) = self.handshake() {
            handshake.request = Some((time, request));
            handshake.complete(Direction::ToServer, time);
        }
        Ok(Next::Payload)
    }

    /// Whether a client proves who it is next, as the server chose; where it does not wait for that, the version of
    /// what it says tells.
    fn is_authenticated(&self, first: Option<u8>) -> bool {
        self.method.map_or(first == Some(1), |method| !NO_METHOD.contains(&method))
    }

    fn of_server(&mut self, reader: &mut Reader<'_>, time: impl Fn(&Reader<'_>) -> Timestamp) -> Read<Next> {
        let reply = match self.next.to_client {
            Next::Greeting if reader.peek() == Some(0) => message::reply_of_4(reader)?,
            Next::Greeting => {
                let method = message::choice(reader)?;
                self.method = Some(method);
                let is_over = NO_METHOD.contains(&method);
                return Ok(if is_over { Next::Message } else { Next::Authentication });
            }
            Next::Authentication => {
                if self.is_other_authentication(Direction::ToClient, reader, &time) {
                    return Ok(Next::Unread);
                }
                let code = message::login_reply(reader)?;
                if let Some(handshake) = self.handshake() {
                    handshake.login_code = Some((time(reader), code));
                }
                return Ok(Next::Message);
            }
            Next::Message => message::reply(reader)?,
            Next::Visitor => {
                match reader.peek() {
                    Some(0) => message::reply_of_4(reader)?,
                    _ => message::reply(reader)?,
                };
                return Ok(Next::Payload);
            }
            Next::Payload | Next::Unread => return Ok(Next::Unread),
        };
        let time = time(reader);
        let next = if self.binds && reply.is_success() { Next::Visitor } else { Next::Payload };
        if let Some(handshake) = self.handshake() {
            handshake.reply = Some((time, reply));
            handshake.complete(Direction::ToClient, time);
        }
        Ok(next)
    }

    /// Takes note of authentication by other means than passwords, or by another version of those.
    fn is_other_authentication(
        &mut self,
        direction: Direction,
        reader: &Reader<'_>,
        time: impl Fn(&Reader<'_>) -> Timestamp,
    ) -> bool {
        let method = self.method.unwrap_or(PASSWORD);
        let (name, about) = match reader.peek() {
            _ if method != PASSWORD => ("socks5_unsupported_authentication_method", method.to_string()),
            Some(version) if version != 1 => {
                ("socks5_unsupported_authentication", format!("method {method}, version {version}"))
            }
            _ => return false,
        };
        let time = time(reader);
        if let Some(handshake) = self.handshake() {
            handshake.unread.push((time, name, about));
            handshake.meta.seen(direction, time);
        }
        true
    }

    /// The transaction, which the first thing to tell makes.
    fn handshake(&mut self) -> Option<&mut SocksTransaction> {
        if self.transactions.created() == 0 {
            self.transactions.push(SocksTransaction::default());
        }
        self.transactions.last_mut()
    }
}
