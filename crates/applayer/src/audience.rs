//! Audiences of readings: those who learn what is found in a connection; and the part of its beginning that was seen.

/// The audience of a reading of a connection: those who learn what it finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// Rules and records; Zeek's logs are not written, or get a fork.
    Records,
    /// Rules, records and Zeek's logs. Where Zeek reads in another way, the reading forks.
    Everyone,
    /// Zeek's logs alone: malformed bytes and holes are read as Zeek does.
    Zeek(ZeekOnly),
}

/// Readings for Zeek's logs alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ZeekOnly {
    /// The reading that forked off that of rules and records.
    Fork,
    /// A connection that rules and records do not read: they did not see its beginning, or one side of it.
    Unread,
    /// The conversation that a connection's protocol carries.
    Carried,
}

impl Audience {
    /// Whether bytes are read as Zeek reads them.
    #[inline]
    pub const fn reads_as_zeek(self) -> bool {
        matches!(self, Self::Zeek(_))
    }

    /// Whether the reading is for Zeek's logs, alone or with others.
    #[inline]
    pub const fn tells_zeek(self) -> bool {
        !matches!(self, Self::Records)
    }

    /// Whether the reading forks where Zeek reads in another way.
    #[inline]
    pub const fn may_fork(self) -> bool {
        matches!(self, Self::Everyone)
    }

    /// Whether TLS and HTTP are looked for in what follows protocols that are not known.
    #[inline]
    pub const fn reads_anew(self) -> bool {
        matches!(self, Self::Everyone | Self::Zeek(ZeekOnly::Fork | ZeekOnly::Unread))
    }

    /// Whether what goes through the protocol is read, too.
    #[inline]
    pub const fn reads_carried(self) -> bool {
        matches!(self, Self::Everyone | Self::Zeek(ZeekOnly::Fork))
    }
}

/// The part of a connection's beginning that was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beginning {
    /// All of it.
    Seen,
    /// No handshake: client and server may be the other way round.
    Midstream,
    /// Nothing, and ports tell who is the client: protocols of which Zeek's logs want the beginning are not read.
    Missed,
}
