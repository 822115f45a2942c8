//! The words every other crate is written in: time, direction, ids, a total byte reader,
//! counters, and the JSON writer that records are appended with.
//!
//! Knows nothing of packets, protocols or rules.

pub mod append;
pub mod base64;
pub mod blocks;
pub mod counters;
pub mod cycles;
pub mod delivery;
pub mod direction;
pub mod event;
pub mod expiring;
pub mod hex;
pub mod ids;
pub mod json;
pub mod keyed_hash;
pub mod memory;
pub mod named_file;
pub mod nearest;
pub mod position;
pub mod prefetch;
pub mod product;
pub mod profile;
pub mod reader;
pub mod seeds;
pub mod sequence;
pub mod stable_hash;
pub mod steps;
pub mod time;
pub mod turn;
pub mod unreadable;
pub mod wrap;
pub mod zone;

pub use blocks::Blocks;
pub use counters::{CounterVisitor, Counters};
pub use delivery::{ArrivalTimes, Delivery, Piece, Recipients};
pub use direction::{Direction, PerDirection};
pub use event::EventValue;
pub use expiring::Expiring;
pub use ids::{IdMap, IdSet};
pub use json::JsonWriter;
pub use keyed_hash::{hash_seed, keyed_hash};
pub use named_file::Pipes;
pub use nearest::nearest;
pub use position::{Place, Position};
pub use prefetch::prefetch;
pub use product::Product;
pub use reader::Reader;
pub use sequence::{Sequence, WorkerNumber};
pub use time::{Duration, Timestamp};
pub use turn::Turn;
pub use unreadable::Unreadable;
pub use wrap::{wrap, wrap_items};
pub use zone::LocalTime;
