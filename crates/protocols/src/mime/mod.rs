//! Mail as it is sent: header fields, parts within parts, transfer encodings (RFC 5322, 2045, 2046).
//!
//! A [`Message`] is read line by line; its parts go to a [`Sink`] as they come. Everything kept of it is
//! bounded: fields by [`fields::MAX_FIELDS`] and the configured depth of values, parts within each other by
//! [`message::MAX_DEPTH`], names and addresses found by [`message::MAX_ATTACHMENTS`] and [`urls::MAX_URLS`].

pub mod entities;
pub mod events;
pub mod fields;
pub mod lines;
pub mod message;
pub mod parameter;
pub mod transfer;
pub mod urls;

pub use fields::Fields;
pub use lines::{Line, Lines};
pub use message::{Flaw, Message, MessageSettings, Sink};
