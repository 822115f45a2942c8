//! The head of messages (RFC 5905 7.3).

use weir_base::Reader;

/// Bytes of the head.
pub const HEAD: usize = 48;

/// Modes by name.
pub const MODES: &[(&str, u64)] = &[
    ("reserved", 0),
    ("symmetric_active", 1),
    ("symmetric_passive", 2),
    ("client", 3),
    ("server", 4),
    ("broadcast", 5),
    ("control", 6),
    ("private", 7),
];

/// NTP timestamp (RFC 5905 6): seconds since 1900, and fractions of a second in units of 2^-32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment(pub u64);

/// Header of a message (RFC 5905 7.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The version.
    pub version: u8,
    /// The mode: [`MODES`].
    pub mode: u8,
    /// Stratum: distance of the clock from a reference clock.
    pub stratum: u8,
    /// Poll interval: the logarithm of seconds, by base 2.
    pub poll: i8,
    /// Precision of the clock: the logarithm of seconds, by base 2.
    pub precision: i8,
    /// Root delay: the round trip to the reference clock, in units of 1/65536 of a second.
    pub root_delay: u32,
    /// Root dispersion, in the same units.
    pub root_dispersion: u32,
    /// Reference identifier: its address, or letters.
    pub reference: [u8; 4],
    /// Time at which the clock was set.
    pub reference_time: Moment,
    /// When the message that this one answers was sent.
    pub origin_time: Moment,
    /// When it came.
    pub receive_time: Moment,
    /// When this one was sent.
    pub transmit_time: Moment,
}

/// The version and the mode in the first byte.
pub const fn version_and_mode(first: u8) -> (u8, u8) {
    ((first >> 3) & 7, first & 7)
}

impl Message {
    /// Reads the head of a message of any version.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes.get(..HEAD)?);
        let (version, mode) = version_and_mode(reader.u8()?);
        let stratum = reader.u8()?;
        let [poll, precision] = reader.array()?.map(u8::cast_signed);
        let (root_delay, root_dispersion) = (reader.u32()?, reader.u32()?);
        let reference = reader.array()?;
        let mut moment = || reader.u64().map(Moment);
        let [reference_time, origin_time, receive_time, transmit_time] =
            [moment()?, moment()?, moment()?, moment()?];
        Some(Self {
            version,
            mode,
            stratum,
            poll,
            precision,
            root_delay,
            root_dispersion,
            reference,
            reference_time,
            origin_time,
            receive_time,
            transmit_time,
        })
    }

    /// Reads a message of a version that is current: 3 or 4.
    pub fn read_current(bytes: &[u8]) -> Option<Self> {
        Self::read(bytes).filter(|message| matches!(message.version, 3 | 4))
    }
}
