//! Connection phase: the server's greeting, and the client's login.

use weir_base::Reader;

use super::value::{ended_text, text};

/// Capability flags of an end.
mod capability {
    pub const DATABASE: u32 = 0x8;
    pub const TLS: u32 = 0x800;
    pub const METHODS: u32 = 0x8_0000;
    pub const NO_ENDS: u32 = 0x100_0000;
    pub const ATTRIBUTES: u32 = 0x800_0000;
}

/// Capabilities of a server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greeting {
    /// Queries may have attributes.
    pub has_attributes: bool,
}

impl Greeting {
    /// Reads it behind the version: 9 or 10.
    pub fn read(version: u8, reader: &mut Reader<'_>) -> Option<Self> {
        ended_text(reader)?;
        let _connection = reader.u32_le()?;
        if version == 9 {
            ended_text(reader)?;
            return Some(Self::default());
        }
        // The first part of a challenge, some of what the server can do, a character set and a state.
        reader.skip(8 + 1 + 2 + 1 + 2)?;
        let capabilities = u32::from(reader.u16_le()?) << 16;
        let length = usize::from(reader.u8()?);
        if (1..21).contains(&length) {
            return None;
        }
        // A reserve, and the challenge's second part.
        reader.skip(10 + length.saturating_sub(8).max(13))?;
        if capabilities & capability::METHODS != 0 {
            ended_text(reader)?;
        }
        Some(Self { has_attributes: capabilities & capability::ATTRIBUTES != 0 })
    }
}

/// Login of a client (`HandshakeResponse`).
#[derive(Clone, Copy, Debug)]
pub struct Login<'a> {
    /// Its name; none where it wants TLS first.
    pub user: Option<&'a [u8]>,
    /// More may be said to prove it.
    pub may_continue: bool,
    /// Nothing but a message that all is well ends rows.
    pub has_no_ends: bool,
    /// Queries may have attributes.
    pub has_attributes: bool,
}

impl<'a> Login<'a> {
    /// Reads what answers a greeting of a version: 9 or 10.
    pub fn read(version: u8, reader: &mut Reader<'a>) -> Option<Self> {
        if version == 9 {
            reader.skip(2 + 3)?;
            let user = Some(ended_text(reader)?);
            ended_text(reader)?;
            return Some(Self { user, may_continue: false, has_no_ends: false, has_attributes: false });
        }
        let capabilities = reader.u32_le()?;
        let has = |capability| capabilities & capability != 0;
        // The largest packet, a character set and a reserve.
        reader.skip(4 + 1 + 23)?;
        let mut user = None;
        if !has(capability::TLS) {
            user = Some(ended_text(reader)?);
            let _proof = text(reader)?;
            if has(capability::DATABASE) {
                ended_text(reader)?;
            }
        }
        Some(Self {
            user,
            may_continue: user.is_some() && has(capability::METHODS),
            has_no_ends: has(capability::NO_ENDS),
            has_attributes: has(capability::ATTRIBUTES),
        })
    }
}
