//! `weir archive`: records as Apache Parquet, in a tenth of the space.

use std::path::PathBuf;
use std::process::ExitCode;

use weir_query::{ArchiveSettings, FileSettings, QueryError, Session, Settings, archive};

/// Options and words of the command.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files and folders of records
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Folder to keep them in
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,

    /// MB of a file after which another one is begun for the same hour
    #[arg(long, value_name = "MB", default_value = "512", value_parser = clap::value_parser!(u32).range(1..))]
    roll: u32,

    /// Strength of compression, 1 to 22
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(i32).range(1..=22))]
    level: i32,

    /// Threads; without it, one for each core
    #[arg(short = 't', long, value_name = "N")]
    threads: Option<usize>,
}

/// Keeps the records.
pub fn run(arguments: &Arguments) -> Result<ExitCode, QueryError> {
    let mut settings = Settings::default();
    settings.threads = arguments.threads.unwrap_or(settings.threads).max(1);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.threads)
        .build()
        .map_err(|error| QueryError(format!("Threads cannot be started: {error}.")))?;
    let session = Session::open(&arguments.paths, &settings)?;
    for sentence in session.unreadable() {
        eprintln!("weir: {sentence}");
    }
    let tables = session.tables();
    if tables.is_empty() {
        return Err(QueryError(
            "There are no records in these files: EVE, Zeek's logs and Parquet are read.".to_owned(),
        ));
    }
    let how = ArchiveSettings {
        folder: arguments.to.clone(),
        files: FileSettings { roll: u64::from(arguments.roll) * 1_000_000, level: arguments.level },
    };
    println!("{:>12} {:>6} {:>10}  table", "rows", "files", "MB");
    for listed in tables {
        let kept = runtime.block_on(archive(&session, &listed.name, &how))?;
        let megabytes = kept.bytes as f64 / 1e6;
        println!(
            "{:>12} {:>6} {megabytes:>10.2}  {}.{}",
            kept.rows, kept.files, listed.name.schema, listed.name.table
        );
    }
    let remarks = session.remarks();
    for sentence in &remarks {
        eprintln!("weir: {sentence}");
    }
    Ok(if remarks.is_empty() && session.unreadable().is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}
