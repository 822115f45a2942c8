//! Functions of what a single process without a broker lacks: they answer as Zeek does where the thing is switched off.

use crate::builtins::{Builtin, row};
use crate::values::Value;

/// Built-in functions.
pub const ROWS: &[Builtin] = &[
    row("Broker::publish", "(va_args: any): bool", |_, _| Ok(Value::Bool(false))),
    row("Cluster::publish", "(va_args: any): bool", |_, _| Ok(Value::Bool(false))),
    row("Cluster::publish_hrw", "(va_args: any): bool", |_, _| Ok(Value::Bool(false))),
    row("Cluster::publish_rr", "(va_args: any): bool", |_, _| Ok(Value::Bool(false))),
    row("have_spicy", "(): bool", |_, _| Ok(Value::Bool(false))),
    row("have_spicy_analyzers", "(): bool", |_, _| Ok(Value::Bool(false))),
    row("mmdb_open_location_db", "(f: string): bool", |_, _| Ok(Value::Bool(false))),
    row("mmdb_open_asn_db", "(f: string): bool", |_, _| Ok(Value::Bool(false))),
];
