//! Tests of the program as users start it.

mod captures;
mod check;
mod command_line;
mod descriptions;
mod explain;
mod firewall;
mod frames;
mod run;
mod sample;
mod stream;
mod zeek;
