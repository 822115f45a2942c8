//! EVE records of type `bittorrent_dht`.

use std::net::{Ipv4Addr, Ipv6Addr};

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::{JsonWriter, hex};

use super::message::{Address, Body, Query, Response, nodes};
use super::transaction::BittorrentDhtTransaction;

/// The record type.
pub static EVE: EveLog = EveLog {
    other_entries: &["bittorrent-dht"],
    ..EveLog::new("bittorrent_dht", LogDirection::Packet, |_| eve::writer(write))
};

fn write(tx: &BittorrentDhtTransaction, json: &mut JsonWriter<'_>) -> bool {
    let message = tx.message();
    json.hex("transaction_id", message.and_then(|message| message.transaction).unwrap_or_default());
    let Some(message) = message else { return true };
    if let Some(version) = message.version {
        json.hex("client_version", version);
    }
    match message.body {
        Body::Query(method, query) => {
            json.string("request_type", method);
            json.nested("request", |json| write_query(query, json));
        }
        Body::Response(response) => json.nested("response", |json| write_response(response, json)),
        Body::Error(number, text) => json.nested("error", |json| {
            json.unsigned("num", number);
            json.string("msg", text);
        }),
    }
    true
}

fn write_query(query: Query<'_>, json: &mut JsonWriter<'_>) {
    json.hex("id", query.id);
    for (key, value) in [("target", query.target), ("info_hash", query.info_hash), ("token", query.token)] {
        if let Some(value) = value {
            json.hex(key, value);
        }
    }
    json.optional_unsigned("implied_port", query.implied_port);
    json.optional_unsigned("port", query.port);
}

fn write_response(response: Response<'_>, json: &mut JsonWriter<'_>) {
    json.hex("id", response.id);
    let v4 = nodes(response.nodes, |address: [u8; 4]| Address::V4(Ipv4Addr::from(address)));
    write_nodes("nodes", v4, json);
    let v6 = nodes(response.nodes6, |address: [u8; 16]| Address::V6(Ipv6Addr::from(address)));
    write_nodes("nodes6", v6, json);
    if let Some(peers) = response.peers() {
        json.objects("values", peers, |json, (address, port)| write_place(address, port, json));
    }
    if let Some(token) = response.token {
        json.hex("token", token);
    }
}

fn write_nodes<'a>(
    key: &str,
    nodes: impl Iterator<Item = (&'a [u8], Address, u16)>,
    json: &mut JsonWriter<'_>,
) {
    let mut nodes = nodes.peekable();
    if nodes.peek().is_some() {
        json.objects(key, nodes, |json, (id, address, port)| {
            json.hex("id", id);
            write_place(address, port, json);
        });
    }
}

/// An address of IPv6 is written with all its zeros.
fn write_place(address: Address, port: u16, json: &mut JsonWriter<'_>) {
    match address {
        Address::V4(address) => json.string("ip", address.to_string()),
        Address::V6(address) => json.text("ip", |out| {
            for (place, group) in address.octets().chunks(2).enumerate() {
                if place > 0 {
                    out.push(b':');
                }
                hex::append(out, group);
            }
        }),
    }
    json.unsigned("port", port);
}
