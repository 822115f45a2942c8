//! From text to syntax trees.

pub mod ast;
mod constants;
pub mod display;
mod lexer;
pub mod listing;
mod loading;
mod parser;

pub use lexer::{Lexer, Token};
pub use loading::{Found, Loader};
pub use parser::{Failure, Host, Parser};
