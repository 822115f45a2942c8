//! Directions of bytes in a flow.

/// Towards the server (the flow's responder) or back to the client (its originator).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Direction {
    /// From the client to the server.
    ToServer = 0,
    /// From the server to the client.
    ToClient = 1,
}

impl Direction {
    /// Both directions, to the server first.
    pub const BOTH: [Direction; 2] = [Direction::ToServer, Direction::ToClient];

    /// The other way.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Direction::ToServer => Direction::ToClient,
            Direction::ToClient => Direction::ToServer,
        }
    }

    /// The spelling of EVE records and rules.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::ToServer => "to_server",
            Direction::ToClient => "to_client",
        }
    }
}

/// One value for each direction, indexed by [`Direction`] without a bounds check.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct PerDirection<T> {
    /// The value of the client-to-server direction.
    pub to_server: T,
    /// The value of the server-to-client direction.
    pub to_client: T,
}

impl<T> PerDirection<T> {
    /// Makes both values with `make`.
    pub fn from_fn(mut make: impl FnMut(Direction) -> T) -> Self {
        Self { to_server: make(Direction::ToServer), to_client: make(Direction::ToClient) }
    }
}

impl<T> std::ops::Index<Direction> for PerDirection<T> {
    type Output = T;
    #[inline]
    fn index(&self, direction: Direction) -> &T {
        match direction {
            Direction::ToServer => &self.to_server,
            Direction::ToClient => &self.to_client,
        }
    }
}

impl<T> std::ops::IndexMut<Direction> for PerDirection<T> {
    #[inline]
    fn index_mut(&mut self, direction: Direction) -> &mut T {
        match direction {
            Direction::ToServer => &mut self.to_server,
            Direction::ToClient => &mut self.to_client,
        }
    }
}
