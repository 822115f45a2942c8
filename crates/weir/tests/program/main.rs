//! Tests of the program as users start it.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod accounts;
mod bench;
mod captures;
mod check;
mod command_line;
mod configurations;
mod data;
mod databases;
mod descriptions;
mod earlier_logs;
mod entropy;
mod eve_keys;
mod explain;
mod file_names;
mod files;
mod firewall;
mod flows;
mod frames;
mod inline;
mod live;
mod log_lines;
mod mistakes;
mod named_files;
mod namespaces;
mod packet_comments;
mod packets;
mod protocols;
mod run;
mod sample;
mod signals;
mod statistics;
mod stream;
mod summary;
mod time_zone;
mod zeek;
mod zeek_beside_eve;
mod zeek_extract;
mod zeek_http;
mod zeek_irc;
mod zeek_overheard;
mod zeek_readers;
mod zeek_socks;
mod zeek_tunnels;
mod zeek_websocket;
