//! Pages over records: a server on this machine alone that shows what Weir, Suricata and Zeek wrote, from an overview
//! down to the bytes of a connection, and the same in a terminal. It reads, and nothing else.

mod answer;
mod asker;
mod assets;
mod guard;
mod packets;
mod pages;
mod records;
mod rules;
mod server;
mod shared;
mod tables;
mod terminal;

pub use asker::Limits;
pub use server::Server;
pub use shared::Settings;
pub use terminal::show;
