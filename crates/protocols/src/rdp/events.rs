//! Events of RDP for scripts: what the two sides agree on.

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue, Reader};

use super::client::{Core, channel_name, next_block, text, user_data};
use super::negotiation::Confirm;
use super::server::Server;
use super::transaction::{Item, RdpTransaction};

event_names! {
    /// Their names.
    const NAMES;
    CONNECT_REQUEST = "rdp_connect_request",
    NEGOTIATION_RESPONSE = "rdp_negotiation_response",
    NEGOTIATION_FAILURE = "rdp_negotiation_failure",
    CLIENT_CORE = "rdp_client_core_data",
    CLIENT_SECURITY = "rdp_client_security_data",
    CLIENT_NETWORK = "rdp_client_network_data",
    CLIENT_CLUSTER = "rdp_client_cluster_data",
    CREATE_RESPONSE = "rdp_gcc_server_create_response",
    SERVER_SECURITY = "rdp_server_security",
    SERVER_CERTIFICATE = "rdp_server_certificate",
    BEGIN_ENCRYPTION = "rdp_begin_encryption",
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/rdp/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(RdpRaiser),
};

/// Kinds of blocks of clients (MS-RDPBCGR 2.2.1.3.1).
const CORE: u16 = 0xc001;
const SECURITY: u16 = 0xc002;
const NETWORK: u16 = 0xc003;
const CLUSTER: u16 = 0xc004;

/// Most channels of a client.
const MAX_CHANNELS: usize = 64;

/// Options of a channel (MS-RDPBCGR 2.2.1.3.4.1), in the order of Zeek's record.
const CHANNEL_OPTIONS: [u32; 11] = [
    0x8000_0000,
    0x4000_0000,
    0x2000_0000,
    0x1000_0000,
    0x0800_0000,
    0x0400_0000,
    0x0200_0000,
    0x0080_0000,
    0x0040_0000,
    0x0020_0000,
    0x0010_0000,
];

#[derive(Debug)]
struct RdpRaiser;

impl EventRaiser for RdpRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<RdpTransaction>().filter(|_| news.complete) else { return };
        let c = EventValue::Connection;
        match &tx.item {
            Item::Request(request) => {
                let cookie = request.cookie.as_deref().unwrap_or_default();
                let flags = EventValue::Count(request.flags.unwrap_or(0).into());
                sink.raise(CONNECT_REQUEST, &[c, EventValue::String(cookie), flags]);
            }
            Item::Confirm(Confirm::Chosen(flags, protocol)) => {
                sink.raise(NEGOTIATION_RESPONSE, &[c, (*protocol).into(), (*flags).into()]);
                if *protocol > 0 {
                    sink.raise(BEGIN_ENCRYPTION, &[c, (*protocol).into()]);
                }
            }
            Item::Confirm(Confirm::Failed(code)) => {
                sink.raise(NEGOTIATION_FAILURE, &[c, (*code).into(), EventValue::Count(0)]);
            }
            Item::Client(client) => {
                for heard in tx.meta.heard.take() {
                    let core = client.core.as_ref().filter(|_| heard.direction == Direction::ToServer);
                    // What does not fit its format has no event.
                    let _ = blocks(&heard.bytes, core, sink);
                }
            }
            Item::Server(server) => answered(server, sink),
            Item::Confirm(Confirm::Nothing) | Item::Certificates(_) => {}
        }
    }
}

fn answered(server: &Server, sink: &mut dyn EventSink) {
    let c = EventValue::Connection;
    if let Some(result) = server.result {
        sink.raise(CREATE_RESPONSE, &[c, result.into()]);
    }
    let Some(security) = &server.security else { return };
    sink.raise(SERVER_SECURITY, &[c, security.method.into(), security.level.into()]);
    if security.method > 0 && security.level > 0 {
        sink.raise(BEGIN_ENCRYPTION, &[c, EventValue::Count(0)]);
    }
    if let Some(certificate) = &security.certificate {
        let arguments = [c, certificate.kind.into(), EventValue::Bool(certificate.is_permanent)];
        sink.raise(SERVER_CERTIFICATE, &arguments);
    }
}

/// Raises the events of a client's blocks.
fn blocks(data: &[u8], of_client: Option<&Core>, sink: &mut dyn EventSink) -> Option<()> {
    let mut blocks = user_data(data.strip_prefix(b"\x7f\x65")?, b"Duca")?;
    while let Some((kind, block)) = next_block(&mut blocks) {
        let mut reader = Reader::new(block);
        match kind {
            CORE => {
                if let Some(found) = of_client {
                    core(found, block, sink);
                }
            }
            SECURITY => {
                let Some(methods) = reader.u32_le() else { continue };
                let fields = [methods.into(), reader.u32_le().unwrap_or(0).into()];
                sink.raise(CLIENT_SECURITY, &[EventValue::Connection, EventValue::Record(&fields)]);
            }
            NETWORK => channels(reader, sink),
            CLUSTER => {
                let (Some(flags), Some(id)) = (reader.u32_le(), reader.u32_le()) else { continue };
                // Zeek counts the bits from the other end.
                let turned = flags.reverse_bits();
                let fields = [
                    flags.into(),
                    id.into(),
                    EventValue::Bool(turned & 1 != 0),
                    (turned >> 2 & 0xf).into(),
                    EventValue::Bool(turned & 2 != 0),
                    EventValue::Bool(turned & 0x40 != 0),
                ];
                sink.raise(CLIENT_CLUSTER, &[EventValue::Connection, EventValue::Record(&fields)]);
            }
            _ => {}
        }
    }
    Some(())
}

fn channels(mut reader: Reader<'_>, sink: &mut dyn EventSink) {
    let count = reader.u32_le().unwrap_or(0);
    let mut named: Vec<([u8; 8], u32)> = Vec::new();
    while named.len() < MAX_CHANNELS.min(count as usize)
        && let (Some(name), Some(options)) = (reader.array::<8>(), reader.u32_le())
    {
        named.push((name, options));
    }
    let fields: Vec<Vec<EventValue<'_>>> = named
        .iter()
        .map(|(name, options)| {
            let head = [EventValue::String(channel_name(name)), (*options).into()];
            let bits = CHANNEL_OPTIONS.map(|bit| EventValue::Bool(options & bit != 0));
            head.into_iter().chain(bits).collect()
        })
        .collect();
    let records: Vec<EventValue<'_>> = fields.iter().map(|fields| EventValue::Record(fields)).collect();
    sink.raise(CLIENT_NETWORK, &[EventValue::Connection, EventValue::List(&records)]);
}

fn core(core: &Core, block: &[u8], sink: &mut dyn EventSink) {
    // The key that logs in stands behind the version, the size and the depth.
    let key =
        block.get(10..12).map_or(0, |key| key.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)));
    let (name, input, product) = (
        text(&core.name),
        text(&core.ime_file),
        core.more.digital_product_id.as_deref().map(text).unwrap_or_default(),
    );
    let more = &core.more;
    let flags = more.capabilities.map(|flags| {
        [1u16, 2, 4, 8, 0x40, 0x80, 0x100, 0x200, 0x400].map(|bit| EventValue::Bool(flags & bit != 0))
    });
    let fields = [
        (core.version >> 16).into(),
        (core.version & 0xffff).into(),
        core.desktop_width.into(),
        core.desktop_height.into(),
        core.color_depth.into(),
        EventValue::Count(key),
        core.keyboard_layout.into(),
        core.build.into(),
        EventValue::text(&name),
        core.keyboard_type.into(),
        core.keyboard_subtype.into(),
        core.function_keys.into(),
        EventValue::text(&input),
        EventValue::count(more.post_beta2_color_depth),
        EventValue::count(more.product_id),
        EventValue::count(more.serial_number),
        EventValue::count(more.high_color_depth),
        EventValue::count(more.supported_color_depths),
        flags.as_ref().map_or(EventValue::Unset, |flags| EventValue::Record(flags)),
        EventValue::text(&product),
    ];
    sink.raise(CLIENT_CORE, &[EventValue::Connection, EventValue::Record(&fields)]);
}
