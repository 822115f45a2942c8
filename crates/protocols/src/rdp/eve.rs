//! EVE records of type `rdp`.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::client::{Client, Core, More, channel_name, text};
use super::names;
use super::negotiation::{CHOSEN_FLAGS, Confirm, REQUEST_FLAGS, Request};
use super::transaction::{Item, RdpTransaction};

/// The record type.
pub static EVE: EveLog = EveLog::new("rdp", LogDirection::Packet, |_| eve::writer(write));

fn write(tx: &RdpTransaction, json: &mut JsonWriter<'_>) -> bool {
    json.unsigned("tx_id", tx.meta.id + 1);
    match &tx.item {
        Item::Request(request) => write_request(request, json),
        Item::Confirm(confirm) => write_confirm(*confirm, json),
        Item::Client(client) => write_client(client, json),
        Item::Server(_) => json.string("event_type", "connect_response"),
        Item::Certificates(serials) => {
            json.string("event_type", "tls_handshake");
            json.strings("x509_serials", serials);
        }
    }
    true
}

/// Value of a record for what has no name.
const UNKNOWN: &str = "unknown";

/// The names of flags, where any is set.
fn write_flags<F: Copy + Into<u32>>(key: &str, flags: F, names: &[(F, &str)], json: &mut JsonWriter<'_>) {
    if flags.into() == 0 {
        return;
    }
    json.array(key);
    let set = names.iter().filter(|(flag, _)| flags.into() & (*flag).into() != 0);
    set.for_each(|(_, name)| json.push_string(name));
    json.close_array();
}

fn write_request(request: &Request, json: &mut JsonWriter<'_>) {
    json.string("event_type", "initial_request");
    json.optional_string("cookie", request.cookie.as_ref());
    if let Some(flags) = request.flags {
        write_flags("flags", flags, REQUEST_FLAGS, json);
    }
}

fn write_confirm(confirm: Confirm, json: &mut JsonWriter<'_>) {
    json.string("event_type", "initial_response");
    match confirm {
        Confirm::Nothing => {}
        Confirm::Chosen(flags, protocol) => {
            write_flags("server_supports", flags, CHOSEN_FLAGS, json);
            json.string("protocol", names::protocol(protocol).unwrap_or(UNKNOWN));
        }
        Confirm::Failed(code) => {
            json.unsigned("error_code", code);
            json.string("reason", names::failure(code).unwrap_or(UNKNOWN));
        }
    }
}

fn write_client(client: &Client, json: &mut JsonWriter<'_>) {
    json.string("event_type", "connect_request");
    if let Some(core) = &client.core {
        json.object("client");
        write_core(core, json);
        write_more(&core.more, json);
        json.close_object();
    }
    if let Some(channels) = client.channels.as_deref().filter(|channels| !channels.is_empty()) {
        json.strings("channels", channels.iter().map(channel_name));
    }
}

/// Text, where there is any.
fn write_text(key: &str, utf16: &[u8], json: &mut JsonWriter<'_>) {
    let text = text(utf16);
    if !text.is_empty() {
        json.string(key, &text);
    }
}

fn write_core(core: &Core, json: &mut JsonWriter<'_>) {
    json.string("version", names::version(core.version).unwrap_or(UNKNOWN));
    json.unsigned("desktop_width", core.desktop_width);
    json.unsigned("desktop_height", core.desktop_height);
    json.optional_unsigned("color_depth", color_depth(core));
    json.string("keyboard_layout", names::language(core.keyboard_layout).unwrap_or(UNKNOWN));
    json.string("build", names::windows(core.build).unwrap_or(UNKNOWN));
    write_text("client_name", &core.name, json);
    json.optional_string("keyboard_type", names::keyboard(core.keyboard_type));
    json.optional_unsigned("keyboard_subtype", Some(core.keyboard_subtype).filter(|kind| *kind != 0));
    json.optional_unsigned("function_keys", Some(core.function_keys).filter(|keys| *keys != 0));
    write_text("ime", &core.ime_file, json);
}

fn write_more(more: &More, json: &mut JsonWriter<'_>) {
    json.optional_unsigned("product_id", more.product_id);
    json.optional_unsigned("serial_number", more.serial_number.filter(|serial| *serial != 0));
    if let Some(capabilities) = more.capabilities {
        write_flags("capabilities", capabilities, names::CAPABILITIES, json);
    }
    if let Some(id) = &more.digital_product_id {
        write_text("id", id, json);
    }
    json.optional_string("connection_hint", more.connection_hint.and_then(names::connection_hint));
    json.optional_unsigned("physical_width", more.physical_width);
    json.optional_unsigned("physical_height", more.physical_height);
    json.optional_unsigned("desktop_orientation", more.orientation);
    json.optional_unsigned("scale_factor", more.scale);
    json.optional_unsigned("device_scale_factor", more.device_scale);
}

/// Bits of a pixel, by what new clients say of it, or old ones.
fn color_depth(core: &Core) -> Option<u64> {
    let by_number = |number: u16| match number {
        0xca00 => Some(4),
        0xca01 => Some(8),
        0xca02 => Some(15),
        0xca03 => Some(16),
        0xca04 => Some(24),
        _ => None,
    };
    let high = core.more.high_color_depth.filter(|bits| *bits != 0).map(u64::from);
    let post_beta2 = || core.more.post_beta2_color_depth.and_then(by_number);
    high.or_else(post_beta2).or_else(|| by_number(core.color_depth).filter(|bits| *bits <= 8))
}
