//! DCE/RPC (C706, MS-RPCE): calls of remote procedures, over TCP in associations (version 5) and in datagrams
//! over UDP (version 4).
//!
//! A call, with its answer, is a transaction; so is a bind or a change of contexts. What a named pipe carries is the
//! same as what goes over TCP: [`association`] knows no transport. Limits: what is kept of a call's data
//! (`max-stub-size`), calls that are open (`max-tx`), contexts of an association ([`context::MAX_CONTEXTS`])
//! and those with the same number ([`context::MAX_SAME`]), calls with the same number that are distinguished
//! ([`index::MAX_ALIKE`]).

pub mod association;
pub mod checks;
pub mod connectionless;
pub mod context;
pub mod eve;
pub mod events;
pub mod fields;
pub mod frame;
pub mod index;
pub mod names;
pub mod parser;
pub mod pdu;
pub mod probe;
pub mod settings;
pub mod transaction;
pub mod uuid;
pub mod zeek;

use weir_applayer::{AnyPort, Factory, Options, Protocol, Transport, factory};

use connectionless::DatagramParser;
use parser::DceRpcParser;
use settings::Settings;

/// The protocol.
pub static DCERPC: Protocol = Protocol {
    zeek_service: "dce_rpc",
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[135],
    any_port: AnyPort::OneSide,
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    frames: frame::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("dcerpc", configure)
};

/// Reads `app-layer.protocols.dcerpc`.
fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |endpoints| match endpoints.transport {
        Transport::Tcp => Box::new(DceRpcParser::new(settings)),
        Transport::Udp => Box::new(DatagramParser::new(settings)),
    })
}

#[cfg(test)]
mod tests;
