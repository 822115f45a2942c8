//! `weir-analyst`: questions and pages over records that were written, and hunts in captures that were kept. `weir query`,
//! `weir view`, `weir hunt` and `weir archive` run it.

mod archive;
mod hunt;
mod query;
mod view;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Asks what is in records that were written, and hunts in captures that were kept.
#[derive(Parser, Debug)]
#[command(name = "weir", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Ask a question in SQL of the records in files and folders
    #[command(after_long_help = query::help())]
    Query(query::Arguments),
    /// Keep records as Apache Parquet: a folder for each table, a file for each hour
    Archive(archive::Arguments),
    /// Run the rules of today over the captures of an archive
    #[command(after_long_help = hunt::HELP)]
    Hunt(hunt::Arguments),
    /// Show records in a browser or in a terminal, from an overview down to the bytes
    #[command(after_long_help = view::HELP)]
    View(view::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Query(arguments) => query::run(arguments).map_err(|error| error.to_string()),
        Command::Archive(arguments) => archive::run(&arguments).map_err(|error| error.to_string()),
        Command::Hunt(arguments) => hunt::run(&arguments),
        Command::View(arguments) => view::run(&arguments),
    };
    done.unwrap_or_else(|sentence| {
        eprintln!("weir: {sentence}");
        ExitCode::FAILURE
    })
}
