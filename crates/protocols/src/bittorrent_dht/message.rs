//! Messages (BEP 5): queries, responses and errors.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::bencode::Value;

/// Bytes of a node's number.
const NODE_ID: usize = 20;

/// A message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message<'a> {
    /// Number of the transaction; without one the message is malformed.
    pub transaction: Option<&'a [u8]>,
    /// Client and its version.
    pub version: Option<&'a [u8]>,
    /// Content.
    pub body: Body<'a>,
}

/// Content of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body<'a> {
    /// A query: its method and arguments.
    Query(&'a str, Query<'a>),
    /// A response.
    Response(Response<'a>),
    /// An error: its number and text.
    Error(u16, &'a str),
}

/// Arguments of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Query<'a> {
    /// Number of the node that asks.
    pub id: &'a [u8],
    /// Number of the node that is looked for (`find_node`).
    pub target: Option<&'a [u8]>,
    /// Hash of a torrent (`get_peers`, `announce_peer`).
    pub info_hash: Option<&'a [u8]>,
    /// Token that a response to `get_peers` gave (`announce_peer`).
    pub token: Option<&'a [u8]>,
    /// Whether the datagram's source port is meant rather than `port`: 0 or 1.
    pub implied_port: Option<u8>,
    /// Port of the peer (`announce_peer`).
    pub port: Option<u16>,
}

/// Values of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Response<'a> {
    /// Number of the node that answers.
    pub id: &'a [u8],
    /// Nodes with IPv4 addresses, one behind the other ([`nodes`]).
    pub nodes: &'a [u8],
    /// Nodes with IPv6 addresses.
    pub nodes6: &'a [u8],
    /// List of peers, each as bytes that [`peer`] reads.
    pub values: Option<Value<'a>>,
    /// Token for a later `announce_peer`.
    pub token: Option<&'a [u8]>,
}

impl<'a> Message<'a> {
    /// Whether a datagram begins like a message; others are passed over.
    pub fn begins(bytes: &[u8]) -> bool {
        matches!(bytes, [b'd', b'1', b':', b'a' | b'r', b'd', _, ..])
            || matches!(bytes, [b'd', b'1', b':', b'e', b'l', _, ..] | [b'd', b'2', b':', b'i', b'p', _, ..])
    }

    /// Reads a message.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (mut kind, mut method, mut query, mut response, mut error) = (None, None, None, None, None);
        let (mut transaction, mut version) = (None, None);
        for (key, value) in Value::read(bytes)?.entries()? {
            match key {
                b"y" => kind = Some(value.text()?),
                b"q" => method = Some(value.text()?),
                b"a" => query = Some(Query::read(value)?),
                b"r" => response = Some(Response::read(value)?),
                b"e" => error = Some(read_error(value)?),
                b"t" => transaction = Some(value.bytes()?),
                b"v" => version = Some(value.bytes()?),
                _ => {}
            }
        }
        let body = match kind? {
            "q" => Body::Query(method?, query?),
            "r" => Body::Response(response?),
            "e" => error.map(|(number, text)| Body::Error(number, text))?,
            _ => return None,
        };
        Some(Self { transaction, version: transaction.and(version), body })
    }
}

impl<'a> Query<'a> {
    fn read(arguments: Value<'a>) -> Option<Self> {
        let (mut query, mut id) = (Self::default(), None);
        for (key, value) in arguments.entries()? {
            match key {
                b"id" => id = Some(value.bytes()?),
                b"target" => query.target = Some(value.bytes()?),
                b"info_hash" => query.info_hash = Some(value.bytes()?),
                b"token" => query.token = Some(value.bytes()?),
                b"implied_port" => query.implied_port = Some(value.number()?),
                b"port" => query.port = Some(value.number()?),
                _ => {}
            }
        }
        Some(Self { id: id?, ..query })
    }
}

impl<'a> Response<'a> {
    fn read(values: Value<'a>) -> Option<Self> {
        let (mut response, mut id) = (Self::default(), None);
        for (key, value) in values.entries()? {
            match key {
                b"id" => id = Some(value.bytes()?),
                b"nodes" => response.nodes = value.bytes()?,
                b"nodes6" => response.nodes6 = value.bytes()?,
                b"token" => response.token = Some(value.bytes()?),
                b"values" => {
                    if let Some(peers) = value.list() {
                        let mut some = false;
                        for each in peers {
                            peer(each.bytes()?)?;
                            some = true;
                        }
                        response.values = some.then_some(value);
                    }
                }
                _ => {}
            }
        }
        Some(Self { id: id?, ..response })
    }

    /// The peers: address and port.
    pub fn peers(self) -> Option<impl Iterator<Item = (Address, u16)>> {
        Some(self.values?.list()?.filter_map(|each| peer(each.bytes()?)))
    }
}

/// A list of a number and a text; each may come again, and the last one holds.
fn read_error(values: Value<'_>) -> Option<(u16, &str)> {
    let (mut number, mut text) = (None, None);
    for value in values.list()? {
        match value {
            Value::Integer(_) => number = Some(value.number()?),
            Value::Bytes(_) => text = Some(value.text()?),
            _ => {}
        }
    }
    Some((number?, text?))
}

/// Address of a node or a peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// Of IPv4.
    V4(Ipv4Addr),
    /// Of IPv6.
    V6(Ipv6Addr),
}

/// Reads nodes of a form, as many as are whole: number, address, port.
pub fn nodes<const ADDRESS: usize>(
    bytes: &[u8],
    address: impl Fn([u8; ADDRESS]) -> Address,
) -> impl Iterator<Item = (&[u8], Address, u16)> {
    bytes.chunks_exact(NODE_ID + ADDRESS + 2).filter_map(move |node| {
        let (id, rest) = node.split_at_checked(NODE_ID)?;
        let (own, port) = rest.split_first_chunk()?;
        Some((id, address(*own), u16::from_be_bytes(*port.first_chunk()?)))
    })
}

/// Reads a peer: an address of IPv6 where there are bytes for one, and a port.
fn peer(bytes: &[u8]) -> Option<(Address, u16)> {
    let (address, port) = match bytes.split_first_chunk::<16>() {
        Some((address, port)) if port.len() >= 2 => (Address::V6(Ipv6Addr::from(*address)), port),
        _ => {
            let (address, port) = bytes.split_first_chunk::<4>()?;
            (Address::V4(Ipv4Addr::from(*address)), port)
        }
    };
    Some((address, u16::from_be_bytes(*port.first_chunk()?)))
}
