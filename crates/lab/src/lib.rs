//! The laboratory: profiles of where time and memory go, in the program that people run.
//!
//! A [`record`]er collects call stacks as addresses, [`symbols`] give them functions and lines, [`formats`] write them
//! for the tools that people have, [`report`] as a page for a browser. Nothing here knows what the program does, but
//! [`purpose`], which tells from the names of functions what memory and time are for.

pub mod annotate;
pub mod compare;
pub mod formats;
#[cfg(target_os = "linux")]
pub mod heap;
pub mod image;
#[cfg(target_os = "linux")]
mod own;
pub mod profile;
pub mod purpose;
#[cfg(target_os = "linux")]
pub mod record;
pub mod report;
pub mod statistics;
pub mod summary;
pub mod symbols;
