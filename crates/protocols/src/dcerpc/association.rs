//! An association's messages put together to calls, whatever carries them: a connection, or a named pipe.

use weir_applayer::TxMeta;
use weir_base::{Direction, PerDirection, Timestamp};

use super::context::{Contexts, MAX_CONTEXTS};
use super::pdu::{self, Answer, Header, Request, kind};
use super::transaction::{COMPLETE, Credential, Exchange};
use crate::gssapi::token::Token;

/// Kinds of proofs (MS-RPCE 2.2.1.1.7): by SPNEGO, and by NTLM.
const NEGOTIATION: u8 = 9;
const NTLM: u8 = 10;

/// Most messages whose proofs wait for a call.
const MAX_CREDENTIALS: usize = 4;

/// The calls of an association.
pub trait Calls {
    /// The newest call of a number that waits for `direction`, and fits.
    fn find(&self, number: u32, direction: Direction, fits: &dyn Fn(&Exchange) -> bool) -> Option<u64>;

    /// A new call that a message begins; none where messages of that type do not.
    fn open(&mut self, header: Header) -> Option<u64>;

    /// A call.
    fn exchange(&mut self, id: u64) -> Option<(&mut TxMeta, &mut Exchange)>;

    /// Returns the bytes of a response that count as its data.
    fn response_data<'a>(&self, body: &'a [u8]) -> &'a [u8];
}

/// The call that a message belongs to, if it does to one.
pub type Current = Option<u64>;

/// A message, and when its first and last byte were captured.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Its header.
    pub header: Header,
    /// Bytes after that.
    pub body: &'a [u8],
    /// When its first byte was captured.
    pub first: Timestamp,
    /// When its last byte was captured.
    pub last: Timestamp,
    /// Messages are kept as they were sent, for scripts.
    pub keeps: bool,
}

/// One association.
#[derive(Clone, Debug, Default)]
pub struct Association {
    contexts: Contexts,
    /// Credentials that each side sent, until a call takes them.
    credentials: PerDirection<Vec<Credential>>,
}

impl Association {
    /// Takes a message, of whose call's data `most` bytes are kept; none where its body makes no sense.
    pub fn take(&mut self, calls: &mut dyn Calls, message: Message<'_>, most: usize) -> Option<Current> {
        let Message { header, body, .. } = message;
        let direction = header.direction();
        self.prove(&message);
        let id = match header.kind {
            kind::BIND | kind::ALTER_CONTEXT => self.bind(calls, header, body)?,
            kind::BIND_ACK | kind::ALTER_CONTEXT_RESPONSE => self.answer(calls, header, body)?,
            kind::REQUEST => self.request(calls, header, body)?,
            kind::RESPONSE => self.response(calls, header, body)?,
            kind::BIND_NAK => calls.find(header.call, direction, &|call| asked(call, &[kind::BIND])),
            kind::FAULT => {
                calls.find(header.call, direction, &|call| asked(call, &[kind::REQUEST, kind::ALTER_CONTEXT]))
            }
            _ => calls.open(header),
        };
        let Some(id) = id else { return Some(None) };
        let (data, is_last) = match header.kind {
            kind::REQUEST => (Request::read(header.order, body)?.stub, header.is_last()),
            kind::RESPONSE => (calls.response_data(body), header.is_last()),
            _ => (&[][..], true),
        };
        let (meta, exchange) = calls.exchange(id)?;
        meta.seen(direction, message.first);
        meta.seen(direction, message.last);
        exchange.take(direction, header.kind, data, most, message.last);
        if message.keeps {
            exchange.tell(header, body, most);
        }
        exchange.sides[direction].credentials.append(&mut self.credentials[direction]);
        if is_last {
            meta.advance(direction, COMPLETE);
        }
        Some(Some(id))
    }

    /// Keeps what a message says of who sent it.
    fn prove(&mut self, &Message { header, body, keeps, .. }: &Message<'_>) {
        let proof = header.proof(body).filter(|_| kind::makes_known(header.kind));
        let Some((kind, token)) = proof else { return };
        let credential = match kind {
            NEGOTIATION | NTLM => {
                let kept = if keeps { token } else { &[] };
                Credential::Token(Box::new(Token::read(token)), kept.into())
            }
            other => Credential::Unknown(other),
        };
        let credentials = &mut self.credentials[header.direction()];
        if credentials.len() < MAX_CREDENTIALS {
            credentials.push(credential);
        }
    }

    fn bind(&mut self, calls: &mut dyn Calls, header: Header, body: &[u8]) -> Option<Current> {
        let offers = pdu::offers(header.order, body)?;
        self.contexts.offer(header.call, header.is_first(), &offers);
        let id = calls.open(header);
        if let Some((_, exchange)) = id.and_then(|id| calls.exchange(id)) {
            exchange.contexts = self.contexts.offered_by(header.call, offers.len());
        }
        Some(id)
    }

    fn answer(&mut self, calls: &mut dyn Calls, header: Header, body: &[u8]) -> Option<Current> {
        let answer = Answer::read(header.order, body)?;
        self.contexts.answer(header.call, &answer.results);
        let kind = if header.kind == kind::BIND_ACK { kind::BIND } else { kind::ALTER_CONTEXT };
        let asked = calls.find(header.call, Direction::ToClient, &|call| asked(call, &[kind]));
        // What answers nothing says no more than it has results.
        let most = if asked.is_some() { MAX_CONTEXTS } else { answer.results.len() };
        let id = asked.or_else(|| calls.open(header));
        if let Some((_, exchange)) = id.and_then(|id| calls.exchange(id)) {
            exchange.contexts = self.contexts.offered_by(header.call, most);
            exchange.address = answer.address.into();
        }
        Some(id)
    }

    fn request(&mut self, calls: &mut dyn Calls, header: Header, body: &[u8]) -> Option<Current> {
        let request = Request::read(header.order, body)?;
        // A later fragment, or the call of an answer that was seen before it.
        let id = calls.find(header.call, Direction::ToServer, &|call| {
            call.is_call() && !header.is_first()
                || call.sides.to_server.kind.is_none() && call.sides.to_client.kind == Some(kind::RESPONSE)
        });
        let id = id.or_else(|| calls.open(header));
        if let Some((_, exchange)) = id.and_then(|id| calls.exchange(id)) {
            exchange.context = request.context;
            exchange.operation = request.operation;
            exchange.contexts = self.contexts.numbered(request.context);
        }
        Some(id)
    }

    fn response(&mut self, calls: &mut dyn Calls, header: Header, body: &[u8]) -> Option<Current> {
        let context = pdu::response_context(header.order, body)?;
        let id = calls.find(header.call, Direction::ToClient, &|call| {
            call.is_call() || call.sides.to_client.kind == Some(kind::RESPONSE)
        });
        let id = id.or_else(|| calls.open(header));
        if let Some((_, exchange)) = id.and_then(|id| calls.exchange(id)) {
            if !exchange.is_call() {
                exchange.context = context;
            }
            exchange.contexts = self.contexts.numbered(exchange.context);
        }
        Some(id)
    }
}

/// Whether the client's message is of one of these types.
fn asked(call: &Exchange, kinds: &[u8]) -> bool {
    call.sides.to_server.kind.is_some_and(|kind| kinds.contains(&kind))
}
