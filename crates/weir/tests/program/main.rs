//! Tests of the program as users start it.

mod command_line;
mod frames;
mod run;
mod sample;
mod stream;
