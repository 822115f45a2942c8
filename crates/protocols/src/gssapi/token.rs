//! Tokens of authentication: SPNEGO (RFC 4178) around NTLM or a ticket of Kerberos, or NTLM
//! alone.

use weir_base::Reader;

use super::ntlmssp;
use crate::ber;

/// Content of a security token.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Token {
    /// The ticket.
    pub ticket: Option<Ticket>,
    /// The message of NTLM.
    pub ntlm: Option<ntlmssp::Message>,
    /// The outcome so far of a negotiation (0 for success).
    pub outcome: Option<u8>,
    /// It is one of SPNEGO.
    pub is_negotiation: bool,
}

/// Realm and name of the service of a Kerberos ticket (RFC 4120 5.3).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ticket {
    /// The realm.
    pub realm: Vec<u8>,
    /// The parts of the server's name.
    pub names: Vec<Vec<u8>>,
}

/// Object identifiers: SPNEGO, Kerberos, and what Windows calls that too.
const SPNEGO: &[u8] = b"\x2b\x06\x01\x05\x05\x02";
pub(crate) const KERBEROS: &[u8] = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02";
const MS_KERBEROS: &[u8] = b"\x2a\x86\x48\x82\xf7\x12\x01\x02\x02";

/// Tags: a token with the mechanism's identifier before it, the two messages of a negotiation, parts of these.
const INITIAL: u8 = 0x60;
const OFFER: u8 = 0xa0;
const ANSWER: u8 = 0xa1;
const fn part(number: u8) -> u8 {
    0xa0 | number
}

/// Most parts of a name, and mechanisms of an offer.
const MAX_NAMES: usize = 16;

impl Token {
    /// Reads a token.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mut token = Self::default();
        token.negotiation(bytes, &mut |_| {});
        if token.ticket.is_none() {
            token.ntlm = ntlmssp::Message::find(bytes);
        }
        token
    }

    /// Finds the request of Kerberos to an application, with its tag, that a token carries.
    pub(crate) fn find_request<'a>(bytes: &'a [u8]) -> Option<&'a [u8]> {
        let mut found = None;
        Self::default().negotiation(bytes, &mut |token: &'a [u8]| found = request(token));
        found
    }

    /// Reads a token of SPNEGO, and calls `tell` with what it carries of Kerberos.
    fn negotiation<'a>(&mut self, bytes: &'a [u8], tell: &mut dyn FnMut(&'a [u8])) -> Option<()> {
        let (tag, content) = ber::element(&mut Reader::new(bytes))?;
        let mut reader = Reader::new(content);
        if tag == ANSWER {
            self.is_negotiation = true;
            return self.answer(content);
        }
        if tag != INITIAL || ber::tagged(&mut reader, ber::tag::OBJECT_IDENTIFIER)? != SPNEGO {
            return None;
        }
        self.is_negotiation = true;
        let offer = ber::tagged(&mut reader, OFFER)?;
        let mut parts = Reader::new(ber::tagged(&mut Reader::new(offer), ber::tag::SEQUENCE)?);
        let mut with_kerberos = false;
        while let Some((tag, content)) = ber::element(&mut parts) {
            let mut content = Reader::new(content);
            if tag == part(0) {
                let mut mechanisms = Reader::new(ber::tagged(&mut content, ber::tag::SEQUENCE)?);
                with_kerberos = std::iter::from_fn(|| ber::element(&mut mechanisms))
                    .take(MAX_NAMES)
                    .any(|(_, mechanism)| [KERBEROS, MS_KERBEROS].contains(&mechanism));
            } else if tag == part(2) && with_kerberos {
                let carried = ber::tagged(&mut content, ber::tag::OCTET_STRING)?;
                tell(carried);
                self.ticket = Ticket::of_token(carried);
            }
        }
        Some(())
    }

    fn answer(&mut self, content: &[u8]) -> Option<()> {
        let mut parts = Reader::new(ber::tagged(&mut Reader::new(content), ber::tag::SEQUENCE)?);
        let state = ber::tagged(&mut parts, part(0))?;
        self.outcome = ber::element(&mut Reader::new(state))?.1.first().copied();
        Some(())
    }
}

/// The tag of a request to an application (RFC 4120 5.5.1).
const REQUEST: u8 = 0x6e;

/// Returns the request to an application, with its tag, in a token of Kerberos (RFC 4121 4.1), whose identifier may be
/// left out.
fn request(token: &[u8]) -> Option<&[u8]> {
    let (tag, content) = ber::element(&mut Reader::new(token))?;
    if tag == REQUEST {
        return Some(token);
    }
    let mut reader = Reader::new(content);
    if tag != INITIAL || ber::tagged(&mut reader, ber::tag::OBJECT_IDENTIFIER).is_none() {
        return None;
    }
    // The token is a request.
    (reader.u16()? == 0x0100 && reader.peek() == Some(REQUEST)).then_some(reader.rest())
}

impl Ticket {
    /// The ticket in a token of Kerberos.
    fn of_token(token: &[u8]) -> Option<Self> {
        Self::of_request(ber::tagged(&mut Reader::new(request(token)?), REQUEST)?)
    }

    fn of_request(request: &[u8]) -> Option<Self> {
        let mut parts = Reader::new(ber::tagged(&mut Reader::new(request), ber::tag::SEQUENCE)?);
        let ticket = find(&mut parts, part(3))?;
        let ticket = ber::tagged(&mut Reader::new(ticket), 0x61)?;
        let mut parts = Reader::new(ber::tagged(&mut Reader::new(ticket), ber::tag::SEQUENCE)?);
        let realm = ber::element(&mut Reader::new(find(&mut parts, part(1))?))?.1.to_vec();
        let name = ber::tagged(&mut Reader::new(find(&mut parts, part(2))?), ber::tag::SEQUENCE)?;
        let names = find(&mut Reader::new(name), part(1))?;
        let mut names = Reader::new(ber::tagged(&mut Reader::new(names), ber::tag::SEQUENCE)?);
        let names = std::iter::from_fn(|| ber::element(&mut names)).take(MAX_NAMES);
        Some(Self { realm, names: names.map(|(_, name)| name.to_vec()).collect() })
    }
}

/// The content of the next element with a tag.
fn find<'a>(reader: &mut Reader<'a>, wanted: u8) -> Option<&'a [u8]> {
    std::iter::from_fn(|| ber::element(reader)).find(|(tag, _)| *tag == wanted).map(|(_, content)| content)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::ntlmssp::tests::authenticate;
    use super::*;

    fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        [&[tag, 0x82][..], &(content.len() as u16).to_be_bytes(), &content].concat()
    }

    /// Makes the token of a client that has a ticket.
    pub(crate) fn ticket() -> Vec<u8> {
        let names = element(0x30, &[&element(0x1b, &[b"cifs"]), &element(0x1b, &[b"server"])]);
        let name = element(0x30, &[&element(0xa0, &[b"\x02\x01\x02"]), &element(0xa1, &[&names])]);
        let realm = element(0x1b, &[b"EXAMPLE"]);
        let version = element(0xa0, &[b"\x02\x01\x05"]);
        let ticket = element(0x30, &[&version, &element(0xa1, &[&realm]), &element(0xa2, &[&name])]);
        element(0x6e, &[&element(0x30, &[&version, &element(0xa3, &[&element(0x61, &[&ticket])])])])
    }

    /// An offer to negotiate that carries `token`.
    pub(crate) fn offer(mechanism: &[u8], token: &[u8]) -> Vec<u8> {
        let mechanisms = element(0x30, &[&element(6, &[mechanism])]);
        let token = element(4, &[token]);
        let parts = element(0x30, &[&element(0xa0, &[&mechanisms]), &element(0xa2, &[&token])]);
        element(0x60, &[&element(6, &[SPNEGO]), &element(0xa0, &[&parts])])
    }

    /// An answer to that.
    pub(crate) fn answer(outcome: u8, token: &[u8]) -> Vec<u8> {
        let state = element(0xa0, &[&[10, 1, outcome]]);
        element(0xa1, &[&element(0x30, &[&state, &element(0xa2, &[&element(4, &[token])])])])
    }

    #[test]
    fn tickets() {
        let bare = ticket();
        let wrapped = element(0x60, &[&element(6, &[KERBEROS]), b"\x01\0", &bare]);
        let expected =
            Ticket { realm: b"EXAMPLE".to_vec(), names: vec![b"cifs".to_vec(), b"server".to_vec()] };
        for (mechanism, token) in [(KERBEROS, &bare), (KERBEROS, &wrapped), (MS_KERBEROS, &wrapped)] {
            let bytes = offer(mechanism, token);
            let read = Token::read(&bytes);
            assert_eq!((read.ticket, read.is_negotiation), (Some(expected.clone()), true));
            for length in 0..bytes.len() {
                let _ = Token::read(&bytes[..length]);
            }
        }
        assert_eq!(Token::read(&offer(b"\x2b\x06", &bare)).ticket, None);
    }

    #[test]
    fn messages_of_ntlm() {
        let message = authenticate("D", "U", "H");
        for (bytes, outcome, is_negotiation) in [
            (offer(b"\x2b\x06", &message), None, true),
            (answer(1, &message), Some(1), true),
            (message.clone(), None, false),
        ] {
            let read = Token::read(&bytes);
            assert!(matches!(read.ntlm, Some(ntlmssp::Message::Authenticate(_))));
            assert_eq!((read.outcome, read.is_negotiation), (outcome, is_negotiation));
        }
        assert_eq!(Token::read(b"nothing"), Token::default());
    }
}
