//! Messages: the header that TCP needs (MBAP), and what follows it by function.

use std::ops::RangeInclusive;

use weir_base::{Direction, Reader, Timestamp};

use super::function::{self, EXCEPTION, access, category, code};

/// Bytes before what the header's length counts.
pub const HEADER: usize = 6;

/// Longest message by the header's length: the unit, the function and 252 bytes.
pub const MAX_LENGTH: usize = 254;

/// Shortest one.
pub const MIN_LENGTH: usize = 2;

/// Most bits of one message.
const MAX_BITS: u16 = 2000;

/// Most words of one message.
const MAX_WORDS: u16 = 125;

/// Most bytes that a response tells.
const MAX_TOLD: u8 = 250;

/// Faults of a message.
pub mod error {
    /// A value.
    pub const VALUE: u8 = 1;
    /// The length.
    pub const LENGTH: u8 = 2;
    /// The exception.
    pub const EXCEPTION: u8 = 4;
    /// The function.
    pub const FUNCTION: u8 = 8;
    /// The protocol.
    pub const PROTOCOL: u8 = 0x10;

    /// By name, as records list them.
    pub const NAMES: &[(u8, &str)] = &[
        (VALUE, "DATA_VALUE"),
        (LENGTH, "DATA_LENGTH"),
        (EXCEPTION, "EXC_CODE"),
        (FUNCTION, "FUNC_CODE"),
        (PROTOCOL, "PROTO_ID"),
    ];
}

/// Range to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadRequest {
    /// Where it begins, from 0.
    pub address: u16,
    /// Number of values.
    pub quantity: u16,
}

/// Values to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Write {
    /// Several values.
    Multiple {
        /// Where they begin, from 0.
        address: u16,
        /// Number of values.
        quantity: u16,
        /// The values.
        data: Vec<u8>,
    },
    /// Bits of a register.
    Mask {
        /// Register, from 0.
        address: u16,
        /// Bits that stay.
        and_mask: u16,
        /// Bits that are set.
        or_mask: u16,
    },
    /// One value, or how many were written.
    Other {
        /// Where, from 0.
        address: u16,
        /// The value, or how many.
        data: u16,
    },
}

/// Data after the function code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Data {
    /// Nothing.
    Empty,
    /// Exception code: the reason that a function failed.
    Exception(u8),
    /// Diagnostics: their function, and its data.
    Diagnostic(u16, Vec<u8>),
    /// An encapsulated interface: its kind, and its data.
    Interface(u8, Vec<u8>),
    /// A request to read.
    ReadRequest(ReadRequest),
    /// Values read.
    ReadResponse(Vec<u8>),
    /// A request to write, or its response.
    Write(Write),
    /// A request to read and to write.
    ReadWrite(ReadRequest, Write),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl Data {
    /// Bytes of memory that it takes beside itself.
    pub const fn memory(&self) -> usize {
        match self {
            Self::Diagnostic(_, data)
            | Self::Interface(_, data)
            | Self::ReadResponse(data)
            | Self::Bytes(data)
            | Self::Write(Write::Multiple { data, .. })
            | Self::ReadWrite(_, Write::Multiple { data, .. }) => data.capacity(),
            Self::Empty
            | Self::Exception(_)
            | Self::ReadRequest(_)
            | Self::Write(_)
            | Self::ReadWrite(..) => 0,
        }
    }
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The number that its response has, too.
    pub transaction: u16,
    /// The protocol; zero.
    pub protocol: u16,
    /// Unit identifier: the device behind a gateway.
    pub unit: u8,
    /// The function code as sent.
    pub function: u8,
    /// Access of the function, by [`access`].
    pub access: u8,
    /// Category of the function, by [`category`].
    pub category: u8,
    /// Data after it.
    pub data: Data,
    /// Faults, by [`error`].
    pub errors: u8,
    /// When it was captured.
    pub time: Timestamp,
}

/// Identity that a response repeats of its request: the number, the unit, the function.
pub type Key = (u16, u8, u8);

/// Kind of the first bytes.
#[derive(Debug)]
pub enum Beginning {
    /// Too short; at least this many bytes are needed.
    Short(usize),
    /// A message, and how many bytes of the stream are its own.
    Message(Message, usize),
}

impl Message {
    /// Reads what `bytes` begin with. Of a message of no length that messages have, the header is all that is
    /// read; its unit and its function are zero, unless `any_length`, by which longer ones have them, and those that are
    /// not all there.
    /// Without a direction, only what is the same in both is looked into.
    pub fn read(bytes: &[u8], direction: Option<Direction>, any_length: bool) -> Beginning {
        let mut reader = Reader::new(bytes);
        let header = (|| Some((reader.u16()?, reader.u16()?, usize::from(reader.u16()?))))();
        let Some((transaction, protocol, length)) = header else { return Beginning::Short(HEADER) };
        let mut message = Self {
            transaction,
            protocol,
            unit: 0,
            function: 0,
            access: 0,
            category: 0,
            data: Data::Empty,
            errors: if protocol == 0 { 0 } else { error::PROTOCOL },
            time: Timestamp::default(),
        };
        let is_long = length > MAX_LENGTH && any_length;
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&length) {
            message.errors |= error::LENGTH;
            if !is_long {
                return Beginning::Message(message, HEADER + length);
            }
        }
        let shown = if is_long { MIN_LENGTH } else { length };
        let start = (|| Some((reader.u8()?, reader.u8()?)))();
        let Some((unit, function)) = start else { return Beginning::Short(HEADER + shown) };
        let body = reader.take(shown - MIN_LENGTH);
        // Of a message that fails the reason is to be there.
        let is_known = any_length && function < EXCEPTION;
        let Some(body) = body.or(is_known.then_some(&[][..])) else {
            return Beginning::Short(HEADER + shown);
        };
        let is_long = is_long || body.len() < shown - MIN_LENGTH;
        message.unit = unit;
        message.function = function;
        message.access = function::accessed(message.code());
        if !is_long {
            message.body(body, direction);
        }
        message.category = message.who_defines();
        Beginning::Message(message, HEADER + length)
    }

    /// The function code, also of an exception.
    pub const fn code(&self) -> u8 {
        self.function & !EXCEPTION
    }

    /// Whether something is read or written.
    pub const fn accesses(&self) -> bool {
        self.access & (access::READ | access::WRITE) != 0
    }

    fn who_defines(&self) -> u8 {
        let by_name =
            |name: Option<&str>| if name.is_some() { category::ASSIGNED } else { category::RESERVED };
        match (self.code(), &self.data) {
            (code::DIAGNOSTIC, Data::Diagnostic(function, _)) => {
                by_name(function::diagnostic_name(*function))
            }
            (code::MEI, Data::Interface(kind, _)) => by_name(function::interface_name(*kind)),
            (code::DIAGNOSTIC | code::MEI, _) => 0,
            (code, _) if function::name(code).is_some() => category::ASSIGNED,
            _ => function::category_of_unnamed(self.function),
        }
    }

    /// Reads what follows the function code.
    fn body(&mut self, body: &[u8], direction: Option<Direction>) {
        let mut reader = Reader::new(body);
        let read = match direction {
            Some(Direction::ToServer) => self.request(&mut reader),
            Some(Direction::ToClient) => self.response(&mut reader),
            None => self.either(&mut reader),
        };
        if read.is_none() {
            self.errors |= error::LENGTH;
            if self.data == Data::Empty {
                self.data = Data::Bytes(body.to_vec());
            }
        } else if !reader.is_empty() {
            self.errors |= error::LENGTH;
        }
    }

    fn flag(&mut self, wrong: bool, error: u8) {
        if wrong {
            self.errors |= error;
        }
    }

    fn either(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        match self.code() {
            _ if self.function >= EXCEPTION => self.exception(reader),
            code::DIAGNOSTIC => self.diagnostic(reader),
            code::MEI => self.interface(reader),
            _ => self.bytes(reader),
        }
    }

    fn request(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let length = reader.len();
        let wrong_length = match self.code() {
            code::DIAGNOSTIC => return self.diagnostic_request(reader),
            code::MEI => return self.interface(reader),
            code::READ_FILE | code::WRITE_FILE => length == 0,
            code::READ_EXCEPTION_STATUS
            | code::GET_EVENT_COUNTER
            | code::GET_EVENT_LOG
            | code::REPORT_SERVER_ID => length > 0,
            code::READ_FIFO_QUEUE => length != 2,
            _ => false,
        };
        self.flag(wrong_length, error::LENGTH);
        self.flag(self.function == 0 || self.function >= EXCEPTION, error::FUNCTION);
        if self.access & access::READ != 0 {
            self.read_request(reader)?;
        }
        match self.access & (access::READ | access::WRITE) {
            0 => self.bytes(reader),
            access::READ => Some(()),
            _ => self.write_request(reader),
        }
    }

    fn response(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let length = reader.len();
        match self.code() {
            _ if self.function >= EXCEPTION => return self.exception(reader),
            code::DIAGNOSTIC => return self.diagnostic(reader),
            code::MEI => return self.interface(reader),
            code::READ_EXCEPTION_STATUS => self.flag(length != 1, error::LENGTH),
            code::GET_EVENT_COUNTER => self.flag(length != 4, error::LENGTH),
            _ if self.access & access::READ != 0 => return self.read_response(reader),
            _ if self.access & access::WRITE != 0 => return self.write_response(reader),
            _ => {}
        }
        self.bytes(reader)
    }

    fn bytes(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        self.data = Data::Bytes(reader.take(reader.len())?.to_vec());
        Some(())
    }

    fn exception(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let exception = reader.u8()?;
        let of_files = matches!(self.code(), code::READ_FILE | code::WRITE_FILE);
        let wrong = function::exception_name(exception).is_none()
            || exception == function::MEMORY_PARITY_ERROR && !of_files;
        self.flag(wrong, error::EXCEPTION);
        self.data = Data::Exception(exception);
        Some(())
    }

    fn diagnostic(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        if reader.len() < 2 {
            self.errors |= error::LENGTH;
            return Some(());
        }
        let function = reader.u16()?;
        self.data = Data::Diagnostic(function, reader.take(reader.len())?.to_vec());
        Some(())
    }

    fn diagnostic_request(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        self.flag(reader.len() != 4, error::LENGTH);
        self.diagnostic(reader)?;
        let wrong = match &self.data {
            // Any query is returned, and all data of what is reserved may be right.
            Data::Diagnostic(0 | 4, _) => false,
            Data::Diagnostic(function, _) if function::diagnostic_name(*function).is_none() => false,
            Data::Diagnostic(1, data) => {
                matches!(**data, [first, second] if second != 0 || !matches!(first, 0 | 0xff))
            }
            Data::Diagnostic(3, data) => matches!(**data, [_, second] if second != 0),
            Data::Diagnostic(_, data) => matches!(**data, [first, second] if first != 0 || second != 0),
            _ => false,
        };
        self.flag(wrong, error::VALUE);
        Some(())
    }

    fn interface(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        if reader.is_empty() {
            self.errors |= error::LENGTH;
            return Some(());
        }
        let kind = reader.u8()?;
        self.data = Data::Interface(kind, reader.take(reader.len())?.to_vec());
        Some(())
    }

    /// Most objects of one message.
    const fn most(&self) -> u16 {
        if self.access & access::BITS != 0 { MAX_BITS } else { MAX_WORDS }
    }

    /// Bytes of that many objects.
    fn bytes_of(&self, quantity: u16) -> usize {
        let quantity = usize::from(quantity);
        if self.access & access::BITS != 0 { quantity.div_ceil(8) } else { 2 * quantity }
    }

    fn read_request(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let request = ReadRequest { address: reader.u16()?, quantity: reader.u16()? };
        self.flag(request.quantity == 0 || request.quantity > self.most(), error::VALUE);
        self.data = Data::ReadRequest(request);
        Some(())
    }

    fn read_response(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        if reader.is_empty() {
            self.errors |= error::LENGTH;
            return Some(());
        }
        let count = reader.u8()?;
        let wrong = !(1..=MAX_TOLD).contains(&count) || reader.len() != usize::from(count);
        self.flag(wrong, error::VALUE);
        self.data = Data::ReadResponse(reader.take(reader.len())?.to_vec());
        Some(())
    }

    fn write_request(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        if self.access & access::MULTIPLE == 0 {
            let write = self.write_one(reader)?;
            if let Write::Other { data, .. } = write {
                self.flag(self.access & access::COILS != 0 && !matches!(data, 0 | 0xff00), error::VALUE);
            }
            self.data = Data::Write(write);
            return Some(());
        }
        let (address, quantity, count) = (reader.u16()?, reader.u16()?, usize::from(reader.u8()?));
        self.flag(quantity == 0 || reader.len() != count, error::LENGTH);
        self.flag(quantity > self.most() || count != self.bytes_of(quantity), error::VALUE);
        let write = Write::Multiple { address, quantity, data: reader.take(reader.len())?.to_vec() };
        self.data = match self.data {
            Data::ReadRequest(read) if self.code() == code::READ_WRITE_REGISTERS => {
                Data::ReadWrite(read, write)
            }
            _ => Data::Write(write),
        };
        Some(())
    }

    fn write_response(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let write = self.write_one(reader)?;
        if let Write::Other { data: quantity, .. } = write
            && self.access & access::MULTIPLE != 0
        {
            self.flag(quantity == 0 || quantity > self.most(), error::VALUE);
        }
        self.data = Data::Write(write);
        Some(())
    }

    /// A value, or how many there are; or masks.
    fn write_one(&self, reader: &mut Reader<'_>) -> Option<Write> {
        let address = reader.u16()?;
        Some(if self.access & (access::SINGLE | access::MULTIPLE) != 0 {
            Write::Other { address, data: reader.u16()? }
        } else {
            Write::Mask { address, and_mask: reader.u16()?, or_mask: reader.u16()? }
        })
    }

    /// Returns the identity that a response repeats of its request.
    pub const fn key(&self) -> Key {
        (self.transaction, self.unit, self.code())
    }

    /// Whether it is the response to `request`. It is marked where it does not say what was asked for.
    pub fn answers(&mut self, request: &Self) -> bool {
        let same = self.transaction == request.transaction
            && self.unit == request.unit
            && self.code() == request.code()
            && self.access == request.access;
        // Unknown functions and failures have no access.
        if !same || self.category != category::ASSIGNED || matches!(self.data, Data::Exception(_)) {
            return same;
        }
        let as_asked = self.fits(request);
        self.flag(as_asked == Some(false), error::VALUE);
        as_asked.is_some()
    }

    /// Whether it says what was asked for, where it can be the response.
    fn fits(&self, request: &Self) -> Option<bool> {
        Some(match (&self.data, &request.data) {
            (Data::Bytes(_), Data::Bytes(_)) => true,
            (Data::Bytes(_), _) if self.errors & error::LENGTH != 0 => true,
            (_, Data::Bytes(_)) if request.errors & error::LENGTH != 0 => true,
            (Data::ReadResponse(told), Data::ReadRequest(asked) | Data::ReadWrite(asked, _)) => {
                // Events and rules for Suricata count objects as bits, whatever they are, unless some are written, too.
                let quantity = usize::from(asked.quantity);
                let as_bits = self.code() != code::READ_WRITE_REGISTERS;
                told.len() == if as_bits { quantity.div_ceil(8) } else { 2 * quantity }
            }
            (Data::Write(done), Data::Write(asked)) => done.fits(asked)?,
            (Data::Diagnostic(done, _), Data::Diagnostic(asked, _)) if done == asked => true,
            (Data::Interface(done, _), Data::Interface(asked, _)) if done == asked => true,
            _ => return None,
        })
    }

    /// Returns the numbers of the objects asked for, which are one more than their addresses.
    pub fn numbers(&self) -> Option<RangeInclusive<u16>> {
        let (address, quantity) = match &self.data {
            Data::Write(Write::Other { address, .. } | Write::Mask { address, .. }) => (*address, 1),
            Data::ReadRequest(ReadRequest { address, quantity })
            | Data::Write(Write::Multiple { address, quantity, .. })
            | Data::ReadWrite(_, Write::Multiple { address, quantity, .. }) => (*address, *quantity),
            _ => return None,
        };
        let last = address.checked_add(quantity)?;
        (quantity > 0).then(|| address.saturating_add(1)..=last)
    }

    /// Returns the value written to the object of this number.
    pub fn written(&self, number: u16) -> Option<u16> {
        if !self.numbers()?.contains(&number) {
            return None;
        }
        let of_bits = self.access & access::COILS != 0;
        match &self.data {
            Data::Write(Write::Other { data, .. }) if self.access & access::SINGLE != 0 => {
                Some(if of_bits { u16::from(*data != 0) } else { *data })
            }
            Data::Write(Write::Multiple { address, data, .. })
            | Data::ReadWrite(_, Write::Multiple { address, data, .. }) => {
                let index = usize::from(number.checked_sub(1)?.checked_sub(*address)?);
                if of_bits {
                    Some(u16::from(data.get(index / 8)? >> (index % 8) & 1))
                } else {
                    let high = data.get(2 * index)?;
                    Some(u16::from_be_bytes([*high, *data.get(2 * index + 1)?]))
                }
            }
            _ => None,
        }
    }
}

impl Write {
    /// Whether it says what was asked for, where it can be the response.
    fn fits(&self, request: &Self) -> Option<bool> {
        match (self, request) {
            (Self::Mask { .. }, Self::Mask { .. }) | (Self::Other { .. }, Self::Other { .. }) => {
                Some(self == request)
            }
            (Self::Other { address, data }, Self::Multiple { address: asked, quantity, .. }) => {
                Some((address, data) == (asked, quantity))
            }
            _ => None,
        }
    }
}
