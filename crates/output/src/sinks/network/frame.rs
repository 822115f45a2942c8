//! Frames of lines, as they stand in the files of a spool (`spool.rs` says what these look like).

use std::io::{self, Read};

use flate2::Crc;

/// Beginning of a file.
pub(super) const MAGIC: &[u8; 8] = b"WEIRSPL1";

/// Bytes of a frame before its lines.
pub(super) const HEAD: usize = 12;

/// Most bytes of a frame: larger ones are damage.
const LARGEST_FRAME: u32 = 64 << 20;

fn checksum(length: [u8; 4], records: [u8; 4], bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    [&length[..], &records[..], bytes].into_iter().for_each(|part| crc.update(part));
    crc.sum()
}

/// Length, records and checksum of a frame's head.
pub(super) fn head(file: &mut impl Read) -> io::Result<[[u8; 4]; 3]> {
    let mut parts = [[0; 4]; 3];
    for part in &mut parts {
        file.read_exact(part)?;
    }
    Ok(parts)
}

/// Makes a frame of whole lines, so many records. Lines of more than 64 MiB are an error.
pub fn frame(lines: &[u8], records: u32) -> io::Result<Vec<u8>> {
    let length = u32::try_from(lines.len()).ok().filter(|length| *length <= LARGEST_FRAME);
    let length = length.ok_or(io::ErrorKind::FileTooLarge)?.to_le_bytes();
    let records = records.to_le_bytes();
    let sum = checksum(length, records, lines).to_le_bytes();
    let mut frame = Vec::with_capacity(HEAD + lines.len());
    [&length[..], &records[..], &sum[..], lines].into_iter().for_each(|part| frame.extend_from_slice(part));
    Ok(frame)
}

/// Reads a frame: its lines, and how many records they are. One that is damaged or cut off is an error.
pub fn read_frame(file: &mut impl Read) -> io::Result<(Vec<u8>, u32)> {
    let [length, records, sum] = head(file)?;
    let bytes = u32::from_le_bytes(length);
    if bytes > LARGEST_FRAME {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut lines = Vec::new();
    file.take(bytes.into()).read_to_end(&mut lines)?;
    let is_whole = lines.len() == bytes as usize;
    if !is_whole || checksum(length, records, &lines) != u32::from_le_bytes(sum) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok((lines, u32::from_le_bytes(records)))
}
