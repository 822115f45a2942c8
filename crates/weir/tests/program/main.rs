//! Tests of the program as users start it.

mod captures;
mod command_line;
mod explain;
mod firewall;
mod frames;
mod run;
mod sample;
mod stream;
mod zeek;
