//! SCTP (RFC 9260): the common header, and a look over the chunks.

use super::super::walk::{Outcome, Walk};
use crate::event::DecodeEvent;
use crate::header::{Sctp, Transport};
use crate::packet::LayerKind;

const LENGTH: usize = 12;
const CHUNK_HEADER_LENGTH: usize = 4;
const DATA: u8 = 0;
const INIT: u8 = 1;

/// Packets with more chunks, or more chunks of data, are odd: they would be small ones.
const MOST_CHUNKS: usize = 16;
const MOST_DATA_CHUNKS: usize = 8;

impl<'a> Walk<'_, 'a> {
    pub(super) fn sctp(&mut self, bytes: &'a [u8]) -> Outcome {
        self.counters().sctp += 1;
        let (&[sh, sl, dh, dl, a, b, c, d, ..], chunks) =
            self.fixed::<LENGTH>(bytes, DecodeEvent::SCTP_PKT_TOO_SMALL)?;
        let header = bytes.get(..LENGTH)?;
        let sctp = Sctp {
            header,
            source_port: u16::from_be_bytes([sh, sl]),
            destination_port: u16::from_be_bytes([dh, dl]),
            verification_tag: u32::from_be_bytes([a, b, c, d]),
            chunks,
        };
        self.layer(LayerKind::Sctp, header);
        self.packet.transport = Transport::Sctp(sctp);
        self.packet.payload = chunks;
        self.sctp_chunks(&sctp);
        Some(())
    }

    /// Each chunk takes at least its header: the loop ends with the bytes.
    fn sctp_chunks(&mut self, sctp: &Sctp<'a>) {
        let mut rest = sctp.chunks;
        let (mut count, mut data) = (0usize, 0usize);
        let mut init = false;
        while !rest.is_empty() {
            let Some(&[kind, _, high, low]) = rest.first_chunk::<CHUNK_HEADER_LENGTH>() else {
                self.note(DecodeEvent::SCTP_CHUNK_TOO_SMALL);
                break;
            };
            let length = usize::from(u16::from_be_bytes([high, low]));
            if length < CHUNK_HEADER_LENGTH || length > rest.len() {
                self.note(DecodeEvent::SCTP_CHUNK_LEN_INVALID);
                break;
            }
            count += 1;
            init |= kind == INIT;
            data += usize::from(kind == DATA);
            // Chunks are padded to four bytes; the last may lack its padding.
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
        if init && count > 1 {
            self.note(DecodeEvent::SCTP_INIT_CHUNK_BUNDLED);
        }
        if init && sctp.verification_tag != 0 {
            self.note(DecodeEvent::SCTP_INIT_WITH_NON_ZERO_VTAG);
        }
        if data > 0 && sctp.verification_tag == 0 {
            self.note(DecodeEvent::SCTP_DATA_WITH_ZERO_VTAG);
        }
        if count > MOST_CHUNKS {
            self.note(DecodeEvent::SCTP_TOO_MANY_CHUNKS);
        }
        if data > MOST_DATA_CHUNKS {
            self.note(DecodeEvent::SCTP_TOO_MANY_DATA_CHUNKS);
        }
    }
}
