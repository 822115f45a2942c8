//! PDUs (RFC 1157 4, RFC 3416 3): requests and responses, and their variables.

use std::net::Ipv4Addr;

use weir_base::Reader;

use super::message::{MAX_VARIABLES, number};
use crate::ber::{self, tag};
use crate::span::Span;

/// Kinds, by number.
pub mod kind {
    /// Variables are asked for.
    pub const GET_REQUEST: u8 = 0;
    /// Request for the variables after those named.
    pub const GET_NEXT_REQUEST: u8 = 1;
    /// Response with the variables asked for, or an error.
    pub const RESPONSE: u8 = 2;
    /// Variables are to be set.
    pub const SET_REQUEST: u8 = 3;
    /// Something happened, in version 1.
    pub const TRAP_V1: u8 = 4;
    /// Much is asked for.
    pub const GET_BULK_REQUEST: u8 = 5;
    /// The highest one.
    pub const REPORT: u8 = 8;
}

/// Bits of a PDU's tag beside its number: context-specific, constructed (X.690 8.1.2).
const CONTEXT: u8 = 0xa0;

/// A variable, and what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its object identifier.
    pub name: Span,
    /// The tag of its value.
    pub tag: u8,
    /// The value.
    pub value: Span,
}

/// Trap of version 1 (RFC 1157 4.1.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trap {
    /// The object identifier of whom it happened to.
    pub enterprise: Span,
    /// The address of that.
    pub address: Option<Ipv4Addr>,
    /// The kind.
    pub kind: u8,
}

/// A PDU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pdu {
    /// Its kind.
    pub kind: u8,
    /// Error status; zero for none.
    pub error: u32,
    /// Trap of version 1.
    pub trap: Option<Trap>,
    /// The variables that it is about.
    pub variables: Vec<Variable>,
}

impl Pdu {
    /// Reads a PDU that is a part of `message`, and notes numbers that are none of 32 bits without a sign.
    pub fn read(message: &[u8], bytes: &[u8], fits: &mut bool) -> Option<Self> {
        let (tag, content) = ber::element(&mut Reader::new(bytes))?;
        let kind = tag.checked_sub(CONTEXT).filter(|kind| *kind <= kind::REPORT)?;
        let mut reader = Reader::new(content);
        let (mut error, mut trap) = (0, None);
        if kind == kind::TRAP_V1 {
            trap = Some(Trap::read(message, &mut reader, fits)?);
        } else {
            let _request = number(&mut reader, fits)?;
            let status = number(&mut reader, fits)?;
            let _index = number(&mut reader, fits)?;
            // Of requests for much, the numbers say how much.
            if kind != kind::GET_BULK_REQUEST {
                error = u32::try_from(status).unwrap_or(u32::MAX);
            }
        }
        let variables = variables(message, ber::tagged(&mut reader, tag::SEQUENCE)?)?;
        Some(Self { kind, error, trap, variables })
    }
}

impl Trap {
    fn read(message: &[u8], reader: &mut Reader<'_>, fits: &mut bool) -> Option<Self> {
        let enterprise = ber::tagged(reader, tag::OBJECT_IDENTIFIER)?;
        let (_, address) = ber::element(reader)?;
        let kind = u8::try_from(ber::integer(reader)?).ok()?;
        let _specific = number(reader, fits)?;
        let _time = ber::element(reader)?;
        let address = <[u8; 4]>::try_from(address).ok().map(Ipv4Addr::from);
        Some(Self { enterprise: Span::of(message, enterprise), address, kind })
    }
}

fn variables(message: &[u8], list: &[u8]) -> Option<Vec<Variable>> {
    let (mut variables, mut reader) = (Vec::new(), Reader::new(list));
    while !reader.is_empty() && variables.len() < MAX_VARIABLES {
        let mut pair = Reader::new(ber::tagged(&mut reader, tag::SEQUENCE)?);
        let name = ber::tagged(&mut pair, tag::OBJECT_IDENTIFIER)?;
        let (tag, value) = ber::element(&mut pair)?;
        variables.push(Variable { name: Span::of(message, name), tag, value: Span::of(message, value) });
    }
    Some(variables)
}
