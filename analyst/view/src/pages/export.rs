//! All that a search found, as a file.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use serde::Deserialize;
use tokio::io::AsyncReadExt;
use weir_query::{Form, Search, print};

use super::search::{ordered, tables_of};
use super::{Asked, When, parse};
use crate::answer::Problem;
use crate::shared::Shared;
use crate::tables::{Span, Table};

/// Bytes that are sent at a time.
const CHUNK: usize = 64 << 10;

/// What is exported, and how.
#[derive(Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The search.
    #[serde(default)]
    pub q: String,
    /// One table; without it, all.
    #[serde(default)]
    pub table: String,
    /// `csv`, `json` or `parquet`.
    #[serde(default)]
    pub form: String,
}

/// Gives a file.
pub async fn export(
    State(shared): State<Arc<Shared>>,
    Asked(words): Asked<Words>,
    Asked(when): Asked<When>,
) -> Result<Response, Problem> {
    let form = words.form.clone();
    let file = file(shared, words, when).await?;
    let kind = match form.as_str() {
        "csv" => "text/csv; charset=utf-8",
        "json" => "application/x-ndjson",
        _ => "application/vnd.apache.parquet",
    };
    send(file, kind, &format!("records.{form}")).await
}

/// Writes all that a search found to a file that nobody else sees.
pub async fn file(shared: Arc<Shared>, words: Words, when: When) -> Result<std::fs::File, Problem> {
    let search = parse(&words.q)?;
    if !["csv", "json", "parquet"].contains(&words.form.as_str()) {
        return Err(Problem::question("A search is exported as csv, json or parquet."));
    }
    let asked = shared.clone();
    let file = shared.asker.ask(async move {
        let tables = tables_of(&asked, &words.table).await?;
        if tables.len() > 1 && words.form != "json" {
            return Err(Problem::question("CSV and Parquet hold one type of records: choose one."));
        }
        write(&asked, &tables, &search, when.span(), &words.form).await
    });
    file.await
}

/// Writes to a file of limited length, for a limited time.
struct Bounded {
    file: std::fs::File,
    left: u64,
    until: Instant,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len() as u64).filter(|_| Instant::now() < self.until);
        self.left = left.ok_or_else(|| io::Error::other(TOO_LONG))?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Says that an export ended before its end.
const TOO_LONG: &str = "the export is too long";

/// Writes the records of tables to a file that nobody else sees.
async fn write(
    shared: &Shared,
    tables: &[Arc<Table>],
    search: &Search,
    span: Span,
    form: &str,
) -> Result<std::fs::File, Problem> {
    let temporary = tempfile::NamedTempFile::new()?;
    let limits = shared.asker.limits;
    let mut out =
        Bounded { file: temporary.reopen()?, left: limits.download, until: Instant::now() + limits.time };
    for table in tables {
        let frame = ordered(shared.tables.rows(table, search, span).await?, table)?;
        let answer = shared.tables.session.answer(frame).await?;
        let form = match form {
            "csv" => Form::Csv,
            "json" => Form::Json,
            _ => Form::Parquet(temporary.path().to_owned()),
        };
        // What writes stays on its thread.
        let printed = tokio::task::block_in_place(|| {
            let mut buffered = io::BufWriter::new(&mut out);
            tokio::runtime::Handle::current().block_on(print(answer, &form, &mut buffered))
        });
        match printed {
            Err(error) if error.0.contains(TOO_LONG) => return Err(too_long()),
            printed => printed?,
        };
    }
    Ok(temporary.reopen()?)
}

fn too_long() -> Problem {
    Problem::question(
        "The export is too long. Search for less, or ask with `weir query`, which has no such bound.",
    )
}

/// Sends a file as it is read.
pub async fn send(file: std::fs::File, kind: &'static str, name: &str) -> Result<Response, Problem> {
    let length = file.metadata()?.len();
    let file = tokio::fs::File::from_std(file);
    let chunks = futures::stream::unfold(file, async |mut file| {
        let mut chunk = Vec::with_capacity(CHUNK);
        match file.read_buf(&mut chunk).await {
            Ok(0) => None,
            Ok(_) => Some((Ok(Bytes::from(chunk)), file)),
            Err(error) => Some((Err(error), file)),
        }
    });
    let name = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(Problem::failed)?),
        (header::CONTENT_LENGTH, HeaderValue::from(length)),
    ];
    Ok((headers, Body::from_stream(chunks.boxed())).into_response())
}
