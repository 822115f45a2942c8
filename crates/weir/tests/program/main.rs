//! Tests of the program as users start it.

mod command_line;
mod run;
mod sample;
mod stream;
