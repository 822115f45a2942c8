//! EVE records of type `dhcp`: of messages that give an address, or of all with `extended`.

use std::io::Write as _;
use std::net::Ipv4Addr;

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::{JsonWriter, hex};

use super::message::{Message, Opt, REPLY, REQUEST, addresses, code, kind};
use super::names;
use super::transaction::DhcpTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("dhcp", LogDirection::Packet, configure);

#[derive(Debug)]
struct DhcpWriter {
    extended: bool,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    Box::new(DhcpWriter { extended: options.flag("extended", false) })
}

impl EveWriter for DhcpWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<DhcpTransaction>(transaction) else { return false };
        let message = &tx.message;
        let name = match message.operation {
            REQUEST => "request",
            REPLY => "reply",
            _ => "<unknown>",
        };
        json.string("type", name);
        json.unsigned("id", message.exchange);
        separated("client_mac", message.hardware(), json);
        address("assigned_ip", message.assigned, json);
        if self.extended {
            address("client_ip", message.client, json);
            if message.operation == REPLY {
                address("relay_ip", message.relay, json);
                address("next_server_ip", message.next_server, json);
            }
        }
        let mut told = [false; 256];
        for option in &message.options {
            // Repeated options are written once.
            if let Some(told) = told.get_mut(usize::from(option.code))
                && !std::mem::replace(told, true)
            {
                self.option(message, option, json);
            }
        }
        true
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        let tx = downcast::<DhcpTransaction>(transaction);
        self.extended || tx.is_some_and(|tx| tx.message.kind() == Some(kind::ACK))
    }
}

impl DhcpWriter {
    fn option(&self, message: &Message, option: &Opt, json: &mut JsonWriter<'_>) {
        let value = message.value(option);
        match option.code {
            code::KIND => json.string("dhcp_type", names::kind(value.first().copied().unwrap_or_default())),
            code::CLIENT_ID => separated("client_id", value.get(1..).unwrap_or_default(), json),
            code::HOST_NAME if !value.is_empty() => json.string("hostname", value),
            code::RENEWAL_TIME => json.optional_unsigned("renewal_time", message.seconds(option.code)),
            _ if !self.extended => {}
            code::LEASE_TIME => json.optional_unsigned("lease_time", message.seconds(option.code)),
            code::REBINDING_TIME => json.optional_unsigned("rebinding_time", message.seconds(option.code)),
            code::SUBNET_MASK => first_address("subnet_mask", value, json),
            code::REQUESTED_ADDRESS => first_address("requested_ip", value, json),
            code::ROUTERS => all_addresses("routers", value, json),
            code::DNS_SERVERS => all_addresses("dns_servers", value, json),
            code::VENDOR_CLASS => json.string("vendor_class_identifier", value),
            code::PARAMETERS => {
                json.strings("params", value.iter().filter_map(|code| names::parameter(*code)));
            }
            _ => {}
        }
    }
}

fn separated(key: &str, bytes: &[u8], json: &mut JsonWriter<'_>) {
    json.text(key, |out| hex::append_separated(out, bytes, b':'));
}

fn address(key: &str, address: Ipv4Addr, json: &mut JsonWriter<'_>) {
    json.text(key, |out| _ = write!(out, "{address}"));
}

fn first_address(key: &str, value: &[u8], json: &mut JsonWriter<'_>) {
    if let Some(first) = addresses(value).next() {
        address(key, first, json);
    }
}

fn all_addresses(key: &str, value: &[u8], json: &mut JsonWriter<'_>) {
    json.array(key);
    for address in addresses(value) {
        json.push_text(|out| _ = write!(out, "{address}"));
    }
    json.close_array();
}
