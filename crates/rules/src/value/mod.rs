//! The small grammars that the values of many keywords share.
//!
//! Each reads a `&str` and places its errors by bytes of that text;
//! [`Spanned::locate`](crate::Spanned::locate) moves them into the rule.

pub mod integer;
pub mod integer_list;
pub mod list;
pub mod number;
pub mod pattern;

pub use integer::{IntegerMatch, Unsigned};
pub use integer_list::{IntegerIndex, IntegerListMatch};
pub use list::{comma_list, key_value};
pub use number::{parse_number, parse_size};
pub use pattern::{parse_pattern, unescape};
