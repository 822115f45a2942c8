//! Conversations: packets in, events, states and bytes out.

mod delivery;
mod events;
mod options;
mod properties;
mod raw;
mod states;
