//! DCE/RPC (C706, MS-RPCE): calls of remote procedures, over TCP in associations (version 5) and in datagrams
//! over UDP (version 4).
//!
//! A call, with its answer, is a transaction; so is a bind or a change of contexts. What a named pipe carries is the
//! same as what goes over TCP: [`association`] knows no transport. Limits: what is kept of a call's data
//! (`max-stub-size`), calls that are open (`max-tx`), contexts of an association ([`context::MAX_CONTEXTS`]),
//! calls with the same number that are told apart ([`index::MAX_ALIKE`]).

pub mod association;
pub mod checks;
pub mod connectionless;
pub mod context;
pub mod eve;
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

use weir_applayer::{Endpoints, Factory, Options, Parser, Protocol, Transport};
use weir_base::PerDirection;

use connectionless::DatagramParser;
use parser::DceRpcParser;
use settings::Settings;

/// The protocol.
pub static DCERPC: Protocol = Protocol {
    name: "dcerpc",
    aliases: &[],
    eve_name: "dcerpc",
    zeek_service: "dce_rpc",
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[135],
    probe_any_port: true,
    hints: &[],
    probe: Some(probe::probe),
    first_speaker: None,
    accepts_gaps: true,
    states: PerDirection {
        to_server: &["request_started", "request_complete"],
        to_client: &["response_started", "response_complete"],
    },
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: &[],
    configure,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: &[],
};

/// Opens a parser per flow.
#[derive(Debug)]
struct DceRpcFactory {
    settings: Settings,
}

/// Reads `app-layer.protocols.dcerpc`.
fn configure(options: &dyn Options) -> Box<dyn Factory> {
    Box::new(DceRpcFactory { settings: Settings::read(options) })
}

impl Factory for DceRpcFactory {
    fn open(&self, endpoints: &Endpoints) -> Box<dyn Parser> {
        match endpoints.transport {
            Transport::Tcp => Box::new(DceRpcParser::new(self.settings)),
            Transport::Udp => Box::new(DatagramParser::new(self.settings)),
        }
    }
}

#[cfg(test)]
mod tests;
