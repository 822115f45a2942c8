//! Data types of packets.

use weir_base::Reader;

/// A number in one byte, or behind that in two, three or eight.
pub fn integer(reader: &mut Reader<'_>) -> Option<u64> {
    Some(match reader.u8()? {
        // Nothing, and an error, stand in for a number.
        0xfb | 0xff => 0,
        0xfc => reader.u16_le()?.into(),
        0xfd => {
            let [low, middle, high] = reader.array()?;
            u32::from_le_bytes([low, middle, high, 0]).into()
        }
        0xfe => reader.u64_le()?,
        small => small.into(),
    })
}

/// A text behind its length.
pub fn text<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = integer(reader)?;
    reader.take(usize::try_from(length).ok()?)
}

/// A text that a zero byte ends.
pub fn ended_text<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let end = reader.rest().iter().position(|byte| *byte == 0)?;
    let text = reader.take(end)?;
    reader.skip(1)?;
    Some(text)
}
