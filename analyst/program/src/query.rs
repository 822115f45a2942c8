//! `weir query`: a question in SQL, and the answer.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use weir_query::{FUNCTIONS, Form, QUESTIONS, QueryError, Session, Settings, chart, print};

/// Options and words of the command.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The question; without one, the tables are listed
    sql: Option<String>,

    /// Files and folders; without any, the folder here
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Form of the answer; parquet needs --to
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    /// File to write the answer to, in place of showing it
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,

    /// Draw a bar for each row, as long as its last number
    #[arg(long, conflicts_with = "output")]
    chart: bool,

    /// List the columns of a table
    #[arg(long, value_name = "TABLE")]
    columns: Option<String>,

    /// Show how the question would be answered
    #[arg(long)]
    explain: bool,

    /// Threads; without it, one for each core
    #[arg(short = 't', long, value_name = "N")]
    threads: Option<usize>,

    /// Memory for computing in MB; more goes to the disk
    #[arg(long, value_name = "MB", default_value = "2048")]
    memory: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Output {
    Table,
    Json,
    Csv,
    Parquet,
}

/// Returns what `--help` says behind the options.
pub fn help() -> String {
    let mut text = String::from(
        "Tables are named as records are: alert, flow, dns, http of EVE; conn, ssl, files of Zeek. Where both have one, \
         dns means EVE's and zeek.dns Zeek's.\nColumns are named as in the logs: http.hostname, alert.signature, id.orig_h.\n\n\
         Functions beside those of SQL:\n",
    );
    let widest = FUNCTIONS.iter().map(|function| function.call.len()).max().unwrap_or(0);
    for function in FUNCTIONS {
        text.push_str(&format!("  {:<widest$}  {}\n", function.call, function.about));
    }
    text.push_str("\nQuestions to begin with:\n");
    for question in &QUESTIONS {
        text.push_str(&format!("\n  {}\n    weir query \"{}\"\n", question.words, question.sql));
    }
    text
}

/// Answers.
pub fn run(mut query: Arguments) -> Result<ExitCode, QueryError> {
    // A first word that is a place is no question.
    if let Some(path) = query.sql.take_if(|sql| PathBuf::from(&*sql).exists()) {
        query.paths.insert(0, path.into());
    }
    if query.paths.is_empty() {
        query.paths.push(".".into());
    }
    let mut settings = Settings::default();
    settings.threads = query.threads.unwrap_or(settings.threads).max(1);
    settings.memory = query.memory.saturating_mul(1 << 20);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.threads)
        .build()
        .map_err(|error| QueryError(format!("Threads cannot be started: {error}.")))?;
    let session = Session::open(&query.paths, &settings)?;
    for sentence in session.unreadable() {
        eprintln!("weir: {sentence}");
    }
    let result = runtime.block_on(answer(&session, &query));
    let remarks = session.remarks();
    for sentence in &remarks {
        eprintln!("weir: {sentence}");
    }
    result?;
    // As the engine does: 2 where some input could not be read.
    Ok(if remarks.is_empty() && session.unreadable().is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

async fn answer(session: &Session, query: &Arguments) -> Result<(), QueryError> {
    let failed = |error: std::io::Error| QueryError(format!("The answer cannot be written: {error}."));
    let mut out = std::io::stdout().lock();
    if let Some(table) = &query.columns {
        for column in session.columns(table).await? {
            writeln!(out, "{}  {}", column.name, column.kind).map_err(failed)?;
        }
        return Ok(());
    }
    let Some(sql) = &query.sql else {
        for listed in session.tables() {
            writeln!(out, "{:>12}  {}.{}", listed.rows, listed.name.schema, listed.name.table)
                .map_err(failed)?;
        }
        return Ok(());
    };
    let answer = session.query(sql).await?;
    if query.explain {
        return write!(out, "{}", answer.plan()).map_err(failed);
    }
    if query.chart {
        let width = std::env::var("COLUMNS").ok().and_then(|width| width.parse().ok()).unwrap_or(100);
        let text = chart(answer, width).await?;
        return write!(out, "{text}").map_err(failed);
    }
    let form = match (query.output, &query.to) {
        (Output::Table, _) => Form::Table,
        (Output::Json, _) => Form::Json,
        (Output::Csv, _) => Form::Csv,
        (Output::Parquet, Some(path)) => Form::Parquet(path.clone()),
        (Output::Parquet, None) => {
            return Err(QueryError("Parquet is no text: name a file with --to.".to_owned()));
        }
    };
    let printed = match &query.to {
        Some(path) if query.output != Output::Parquet => {
            let file = std::fs::File::create(path)
                .map_err(|error| QueryError(format!("{} cannot be written: {error}.", path.display())))?;
            print(answer, &form, &mut std::io::BufWriter::new(file)).await?
        }
        _ => print(answer, &form, &mut std::io::BufWriter::new(&mut out)).await?,
    };
    if form == Form::Table && std::io::stderr().is_terminal() {
        eprintln!("{} rows", printed.rows);
    }
    if printed.hidden > 0 {
        eprintln!("weir: {} rows more are not shown; --output csv shows all.", printed.hidden);
    }
    Ok(())
}
