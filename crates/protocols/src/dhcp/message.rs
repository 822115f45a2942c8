//! Messages (RFC 2131 2): a head as BOOTP has it, and options.

use std::net::Ipv4Addr;

use weir_base::Reader;

use super::anomaly::DhcpAnomaly;
use crate::span::Span;

/// Most options of a message that are kept.
pub const MAX_OPTIONS: usize = 1024;

/// A client asks.
pub const REQUEST: u8 = 1;
/// A server answers.
pub const REPLY: u8 = 2;

/// Magic cookie before the options (RFC 2131 3).
const MAGIC: [u8; 4] = [0x63, 0x82, 0x53, 0x63];

/// Bytes for the client's hardware address.
const HARDWARE: usize = 16;

/// Bytes for the names of the server and of a file to begin with.
const NAMES: usize = 64 + 128;

/// Options, by their code (RFC 2132, RFC 4702).
pub mod code {
    /// Fills up.
    pub const PAD: u8 = 0;
    /// Subnet mask.
    pub const SUBNET_MASK: u8 = 1;
    /// Routers.
    pub const ROUTERS: u8 = 3;
    /// Servers of DNS.
    pub const DNS_SERVERS: u8 = 6;
    /// The client's name.
    pub const HOST_NAME: u8 = 12;
    /// The domain that names are looked up in.
    pub const DOMAIN_NAME: u8 = 15;
    /// The address that the client wishes for.
    pub const REQUESTED_ADDRESS: u8 = 50;
    /// For how long an address is given.
    pub const LEASE_TIME: u8 = 51;
    /// DHCP message type.
    pub const KIND: u8 = 53;
    /// Parameter request list.
    pub const PARAMETERS: u8 = 55;
    /// Message, an error's text.
    pub const TEXT: u8 = 56;
    /// When the client is to ask its server again.
    pub const RENEWAL_TIME: u8 = 58;
    /// When it is to ask any server.
    pub const REBINDING_TIME: u8 = 59;
    /// Vendor class identifier.
    pub const VENDOR_CLASS: u8 = 60;
    /// Client identifier.
    pub const CLIENT_ID: u8 = 61;
    /// The client's name with its domain.
    pub const CLIENT_NAME: u8 = 81;
    /// The option that a relay adds on a client (RFC 3046).
    pub const RELAY_AGENT: u8 = 82;
    /// No more options follow.
    pub const END: u8 = 255;
}

/// Kinds of messages, by number.
pub mod kind {
    /// An address is given.
    pub const ACK: u8 = 5;
}

/// One option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opt {
    /// Its code: [`code`].
    pub code: u8,
    value: Span,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    text: Box<[u8]>,
    /// [`REQUEST`] or [`REPLY`]; what else is said, is kept.
    pub operation: u8,
    /// The number of the exchange.
    pub exchange: u32,
    /// The address that the client has.
    pub client: Ipv4Addr,
    /// The address that the client gets.
    pub assigned: Ipv4Addr,
    /// The server to turn to next.
    pub next_server: Ipv4Addr,
    /// The agent that stands between them.
    pub relay: Ipv4Addr,
    hardware: Span,
    /// The options, in order.
    pub options: Vec<Opt>,
    /// Anomaly of the options.
    pub anomaly: Option<DhcpAnomaly>,
}

/// Whether a datagram has the head of a message.
pub fn has_head(bytes: &[u8]) -> bool {
    bytes.get(MAGIC_AT..MAGIC_AT + MAGIC.len()) == Some(&MAGIC)
}

/// Where the options begin.
const MAGIC_AT: usize = 28 + HARDWARE + NAMES;

impl Message {
    /// Reads a datagram.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let operation = reader.u8()?;
        let _hardware_type = reader.u8()?;
        let hardware_length = usize::from(reader.u8()?).min(HARDWARE);
        let _hops = reader.u8()?;
        let exchange = reader.u32()?;
        let _seconds_and_flags = reader.u32()?;
        let mut address = || reader.array().map(<Ipv4Addr as From<[u8; 4]>>::from);
        let [client, assigned, next_server, relay] = [address()?, address()?, address()?, address()?];
        let hardware = Span::of(bytes, reader.take(HARDWARE)?.get(..hardware_length)?);
        reader.skip(NAMES)?;
        if reader.array()? != MAGIC {
            return None;
        }
        let (options, anomaly) = options(bytes, &mut reader);
        Some(Self {
            text: bytes.into(),
            operation,
            exchange,
            client,
            assigned,
            next_server,
            relay,
            hardware,
            options,
            anomaly,
        })
    }

    /// The message as it was sent.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The client's hardware address.
    pub fn hardware(&self) -> &[u8] {
        self.hardware.read(&self.text)
    }

    /// The value of an option of this message.
    pub fn value(&self, option: &Opt) -> &[u8] {
        option.value.read(&self.text)
    }

    /// The value of the first option with this code.
    pub fn option(&self, code: u8) -> Option<&[u8]> {
        self.options.iter().find(|option| option.code == code).map(|option| self.value(option))
    }

    /// Returns the message type.
    pub fn kind(&self) -> Option<u8> {
        self.option(code::KIND)?.first().copied()
    }

    /// The seconds that an option tells.
    pub fn seconds(&self, code: u8) -> Option<u32> {
        self.option(code).and_then(|value| Reader::new(value).u32())
    }

    /// The address that an option tells.
    pub fn address(&self, code: u8) -> Option<Ipv4Addr> {
        self.option(code).and_then(|value| addresses(value).next())
    }
}

/// The addresses in the value of an option.
pub fn addresses(value: &[u8]) -> impl Iterator<Item = Ipv4Addr> {
    let mut reader = Reader::new(value);
    std::iter::from_fn(move || reader.array::<4>().map(Ipv4Addr::from))
}

/// Reads options until the one that says that there are no more.
fn options(bytes: &[u8], reader: &mut Reader<'_>) -> (Vec<Opt>, Option<DhcpAnomaly>) {
    let mut options = Vec::new();
    loop {
        let code = match reader.u8() {
            None => return (options, Some(DhcpAnomaly::TruncatedOptions)),
            Some(code::END) => return (options, None),
            Some(code::PAD) => continue,
            Some(code) => code,
        };
        let value = reader.u8().and_then(|length| reader.take(usize::from(length)));
        let Some(value) = value else { return (options, Some(DhcpAnomaly::TruncatedOptions)) };
        if !fits(code, value.len()) {
            return (options, Some(DhcpAnomaly::MalformedOptions));
        }
        if options.len() < MAX_OPTIONS {
            options.push(Opt { code, value: Span::of(bytes, value) });
        }
    }
}

/// Whether an option with this code may have this length.
const fn fits(code: u8, length: usize) -> bool {
    match code {
        code::LEASE_TIME | code::RENEWAL_TIME | code::REBINDING_TIME => length == 4,
        code::CLIENT_ID => length >= 2,
        _ => true,
    }
}
