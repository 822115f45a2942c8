//! `weir list`: what rules can be written with, from the tables that run them.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use weir_engine::reference;
use weir_lint::LINTS;

use crate::information::print_text;

/// List what rules can be written with: keywords, protocols, fields, events, findings.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,

    /// As JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand, Debug)]
enum What {
    /// All keywords, with their meaning in short
    Keywords,
    /// One keyword: syntax, meaning, example, limits, since when
    Keyword {
        /// Its name, or another spelling
        name: String,
    },
    /// The application protocols
    AppLayerProtos,
    /// Fields of a protocol's transactions that rules can match
    Fields {
        /// The protocol
        protocol: String,
    },
    /// The events of decoder, stream and protocols
    Events,
    /// Kinds of findings of `weir check`
    Findings,
}

/// Lists.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let json = arguments.json;
    let text = match &arguments.what {
        What::Keywords => match json {
            true => reference::keywords_json(&reference::keywords()),
            false => lines(reference::keywords().iter().map(|k| (k.name, k.text))),
        },
        What::Keyword { name } => {
            let keyword = reference::keyword(name)
                .ok_or_else(|| format!("There is no keyword {name}. `weir list keywords` lists them all."))?;
            match json {
                true => reference::keywords_json(&[keyword]),
                false => keyword.page(),
            }
        }
        What::AppLayerProtos => names(&reference::protocol_names(), json),
        What::Fields { protocol } => {
            let fields = reference::fields(protocol).ok_or_else(|| {
                format!("There is no protocol {protocol}. `weir list app-layer-protos` lists them all.")
            })?;
            match json {
                true => reference::keywords_json(&fields),
                false => lines(fields.iter().map(|k| (k.name, k.text))),
            }
        }
        What::Events => {
            let events = reference::events();
            match json {
                true => reference::events_json(&events),
                false => {
                    let lines = events.iter().map(|event| format!("{}:{}\n", event.keyword, event.name));
                    lines.collect()
                }
            }
        }
        What::Findings => lines(LINTS.iter().map(|lint| (lint.name, lint.summary))),
    };
    print_text(&text);
    Ok(ExitCode::SUCCESS)
}

/// The list that is meant by a word that is none: one of a keyword or protocol of that name.
pub fn meant(word: &str) -> Option<String> {
    let of_protocol = || reference::fields(word).map(|_| format!("weir list fields {word}"));
    let keyword = reference::keyword(word).map(|_| format!("weir list keyword {word}"));
    of_protocol().or(keyword)
}

/// Names with what they mean, the meanings below each other.
fn lines<'a>(rows: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let width = rows.clone().map(|(name, _)| name.len()).max().unwrap_or_default();
    rows.map(|(name, text)| format!("{name:width$}  {text}\n")).collect()
}

fn names(names: &[&str], json: bool) -> String {
    match json {
        true => reference::names_json(names),
        false => names.iter().map(|name| format!("{name}\n")).collect(),
    }
}
