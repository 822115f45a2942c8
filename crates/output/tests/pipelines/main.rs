//! Records to servers of their own: what arrives while these go away and come back, and what is said of it.
//!
//! A server that is not installed is told of in a printed line. `scripts/pipelines.sh` runs the same with more records and at a
//! rate, and against Kafka.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

#[cfg(feature = "kafka")]
mod authority;
mod bulk;
#[cfg(feature = "kafka")]
mod kafka;
#[cfg(feature = "kafka")]
mod kafka_security;
mod redis;
mod run;
mod syslog;
mod tls;
mod zeek;
