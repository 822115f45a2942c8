//! Observes the traffic as Zeek does, and writes the rows of its logs.
//!
//! Connections are Zeek's, not the flow table's: their own table decides who is the originator and when a connection
//! is over ([`connection`]). A worker gives its [`Observer`] each packet, transaction and alert, the ticks of the
//! capture's clock and the ends of flows. Protocols bring their own streams ([`weir_applayer::ZeekLogs`]); those that
//! no protocol brings are in [`streams`].

mod across;
mod connection;
mod events;
mod files;
mod flow;
mod identifier;
mod joined;
mod limits;
mod notice;
mod observer;
mod plan;
mod policy;
mod recent;
mod rows;
mod seeded;
mod settings;
mod site;
mod streams;
mod tracking;
mod tunnel;

#[cfg(test)]
mod tests;

pub use across::Across;
pub use connection::Unseen;
pub use connection::table::ConnectionId;
pub use events::{EventSettings, Pace, StreamPiece};
pub use flow::ObservedFlow;
pub use observer::{GivenUp, Observer};
pub use plan::{Environment, Plan};
pub use policy::measure::Traffic;
pub use weir_applayer::mime::recognise as recognise_type;

pub use seeded::{SeedKey, seed_key};
pub use settings::{NETWORK_FORM, ZeekSettings, interval, is_network, is_script, is_timeout, loadable};
