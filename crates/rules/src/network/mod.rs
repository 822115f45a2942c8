//! Addresses and ports of a rule: expressions, the variables they may name, and the sets they stand for.
//!
//! An expression is `any`, one value, a range, `$NAME`, `!` before any of these but `any`, or a list in
//! brackets. As in Suricata a list is flattened before negation is applied: whatever stands under an even
//! number of `!`, through nested lists and variables, is included; whatever stands under an odd number is
//! excluded; nothing included means everything included; the set is what is included less what is excluded.
//! So `[10.0.0.0/8,![10.1.0.0/16,!10.1.1.1]]` does not hold 10.1.1.1. A set that holds nothing is an error.

mod address;
mod expression;
mod port;
mod ranges;
mod resolver;

pub use address::{AddressRange, AddressSet};
pub use expression::{Expression, ExpressionKind, parse_addresses, parse_ports};
pub use port::{PortRange, PortSet};
pub use ranges::{Bound, RangeSet};
pub use resolver::{Resolver, VariableMap, Variables};
