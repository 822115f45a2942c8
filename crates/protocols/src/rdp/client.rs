//! Client data blocks (MS-RDPBCGR 2.2.1.3).

use weir_base::Reader;

/// Most channels of a client that are kept; it can have 31.
pub const MAX_CHANNELS: usize = 64;

/// Kinds of blocks.
const CORE: u16 = 0xc001;
const NETWORK: u16 = 0xc003;

/// Client core data (MS-RDPBCGR 2.2.1.3.2).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Core {
    /// The version of the protocol.
    pub version: u32,
    /// Pixels from left to right.
    pub desktop_width: u16,
    /// Pixels from top to bottom.
    pub desktop_height: u16,
    /// Bits of a pixel, by number.
    pub color_depth: u16,
    /// The layout of the keyboard.
    pub keyboard_layout: u32,
    /// The build.
    pub build: u32,
    /// The name, as sent.
    pub name: Vec<u8>,
    /// The kind of keyboard.
    pub keyboard_type: u32,
    /// More of that.
    pub keyboard_subtype: u32,
    /// Number of function keys.
    pub function_keys: u32,
    /// The file of an input method editor, as sent.
    pub ime_file: Vec<u8>,
    /// Optional fields, which old clients lack.
    pub more: More,
}

/// Optional fields, which old clients lack; none of them without those before.
///
/// It has a field for each number of the core data block behind those that all clients send (MS-RDPBCGR 2.2.1.3.2).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct More {
    /// Bits of a pixel, by number.
    pub post_beta2_color_depth: Option<u16>,
    /// The product.
    pub product_id: Option<u16>,
    /// Its serial number.
    pub serial_number: Option<u32>,
    /// Bits of a pixel.
    pub high_color_depth: Option<u16>,
    /// Colour depths of a pixel, by flags.
    pub supported_color_depths: Option<u16>,
    /// Capability flags (`earlyCapabilityFlags`).
    pub capabilities: Option<u16>,
    /// The product's identifier, as sent.
    pub digital_product_id: Option<Vec<u8>>,
    /// Connection type of the network.
    pub connection_hint: Option<u8>,
    /// Protocol that the server selected.
    pub selected_protocol: Option<u32>,
    /// Millimetres from left to right.
    pub physical_width: Option<u32>,
    /// Millimetres from top to bottom.
    pub physical_height: Option<u32>,
    /// Orientation of the desktop, in degrees.
    pub orientation: Option<u16>,
    /// Scale factor of the desktop, in percent.
    pub scale: Option<u32>,
    /// Scale factor of the device, in percent.
    pub device_scale: Option<u32>,
}

/// A client.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Client {
    /// Core data.
    pub core: Option<Core>,
    /// Channels that it wants, as sent; none where it does not say.
    pub channels: Option<Vec<[u8; 8]>>,
}

/// Reads what data say; nothing where they are no client's.
pub fn read(data: &[u8]) -> Option<Client> {
    // Behind a header of T.125 and T.124, whose parameters say nothing.
    let data = data.strip_prefix(b"\x7f\x65")?;
    let mut blocks = user_data(data, b"Duca")?;
    let mut client = Client::default();
    while let Some((kind, block)) = next_block(&mut blocks) {
        match kind {
            CORE if client.core.is_none() => client.core = core(block),
            NETWORK if client.channels.is_none() => client.channels = channels(block),
            _ => {}
        }
    }
    Some(client)
}

/// The blocks behind a key of H.221 and their length.
pub fn user_data<'a>(data: &'a [u8], key: &[u8]) -> Option<Reader<'a>> {
    let place = memchr::memmem::find(data, key)?;
    let mut reader = Reader::new(data.get(place + key.len()..)?);
    let length = match reader.u8()? {
        high @ 0x80..0xc0 => u16::from_be_bytes([high & 0x3f, reader.u8()?]),
        short => short.into(),
    };
    reader.sub(length.into())
}

/// A block, and its kind.
pub fn next_block<'a>(blocks: &mut Reader<'a>) -> Option<(u16, &'a [u8])> {
    let (kind, length) = (blocks.u16_le()?, usize::from(blocks.u16_le()?));
    Some((kind, blocks.take(length.checked_sub(4)?)?))
}

fn core(block: &[u8]) -> Option<Core> {
    let mut reader = Reader::new(block);
    let mut core = Core {
        version: reader.u32_le()?,
        desktop_width: reader.u16_le()?,
        desktop_height: reader.u16_le()?,
        color_depth: reader.u16_le()?,
        ..Core::default()
    };
    // The key that logs in.
    reader.skip(2)?;
    core.keyboard_layout = reader.u32_le()?;
    core.build = reader.u32_le()?;
    core.name = reader.take(32)?.to_vec();
    core.keyboard_type = reader.u32_le()?;
    core.keyboard_subtype = reader.u32_le()?;
    core.function_keys = reader.u32_le()?;
    core.ime_file = reader.take(64)?.to_vec();
    more(&mut reader, &mut core.more);
    Some(core)
}

/// Reads as far as there is anything, and as it makes sense.
fn more(reader: &mut Reader<'_>, more: &mut More) -> Option<()> {
    more.post_beta2_color_depth = reader.u16_le().filter(|depth| matches!(depth, 0 | 0xca00..=0xca04));
    more.post_beta2_color_depth?;
    more.product_id = Some(reader.u16_le()?);
    more.serial_number = Some(reader.u32_le()?);
    more.high_color_depth = reader.u16_le().filter(|depth| matches!(depth, 0 | 4 | 8 | 15 | 16 | 24));
    more.high_color_depth?;
    more.supported_color_depths = Some(reader.u16_le()?);
    more.capabilities = Some(reader.u16_le()?);
    more.digital_product_id = Some(reader.take(64)?.to_vec());
    more.connection_hint = reader.u8().filter(|hint| *hint <= 7);
    more.connection_hint?;
    reader.skip(1)?;
    more.selected_protocol = Some(reader.u32_le()?);
    let millimetres = |length: &u32| (10..=10_000).contains(length);
    more.physical_width = reader.u32_le().filter(millimetres);
    more.physical_width?;
    more.physical_height = reader.u32_le().filter(millimetres);
    more.physical_height?;
    more.orientation = reader.u16_le().filter(|degrees| matches!(degrees, 0 | 90 | 180 | 270));
    more.orientation?;
    more.scale = reader.u32_le().filter(|percent| (100..=500).contains(percent));
    more.scale?;
    more.device_scale = reader.u32_le().filter(|percent| matches!(percent, 100 | 140 | 180));
    Some(())
}

fn channels(block: &[u8]) -> Option<Vec<[u8; 8]>> {
    let mut reader = Reader::new(block);
    let count = usize::try_from(reader.u32_le()?).unwrap_or(usize::MAX);
    let mut channels = Vec::new();
    for _ in 0..count.min(MAX_CHANNELS) {
        let Some(name) = reader.array() else { break };
        reader.skip(4);
        channels.push(name);
    }
    Some(channels)
}

/// Text of UTF-16 in UTF-8, as far as a zero.
pub fn text(utf16: &[u8]) -> String {
    let units = utf16.chunks_exact(2).map(|unit| match unit {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    char::decode_utf16(units.take_while(|unit| *unit != 0))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The name of a channel.
pub fn channel_name(name: &[u8; 8]) -> &[u8] {
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    name.get(..end).unwrap_or_default()
}
