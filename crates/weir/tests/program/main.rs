//! Tests of the program as users start it.

mod accounts;
mod bench;
mod captures;
mod check;
mod command_line;
mod data;
mod databases;
mod descriptions;
mod explain;
mod files;
mod firewall;
mod flows;
mod frames;
mod inline;
mod packets;
mod protocols;
mod run;
mod sample;
mod statistics;
mod stream;
mod zeek;
mod zeek_beside_eve;
mod zeek_http;
mod zeek_overheard;
mod zeek_readers;
mod zeek_websocket;
