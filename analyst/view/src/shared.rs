//! What all pages share: the records, and who asks them.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::sync::OnceCell;
use weir_query::{Session, Settings as QuerySettings};

use crate::answer::{JSON, Problem};
use crate::asker::{Asker, Limits};
use crate::rules::Rules;
use crate::tables::Tables;

/// Answers that are kept at most: those of the overview, which are asked for again and again.
const KEPT: usize = 64;

/// What is shown, and how.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Files and folders of records.
    pub records: Vec<PathBuf>,
    /// Captures that connections' packets are taken from.
    pub captures: Vec<PathBuf>,
    /// Files of rules, to show their texts.
    pub rules: Vec<PathBuf>,
    /// Port of 127.0.0.1; with 0 the system chooses one.
    pub port: u16,
    /// Threads and memory for questions.
    pub query: QuerySettings,
    /// Bounds of answers.
    pub limits: Limits,
}

/// What all pages share.
pub struct Shared {
    /// The records.
    pub tables: Tables,
    /// Asks them.
    pub asker: Asker,
    /// Rules that were named.
    pub rules: Rules,
    /// Where they are.
    pub rule_files: Vec<PathBuf>,
    /// Captures that were named.
    pub captures: Vec<PathBuf>,
    /// Where the records are.
    pub records: Vec<PathBuf>,
    kept: Mutex<HashMap<String, Kept>>,
}

/// An answer that is computed once.
type Kept = Arc<OnceCell<Arc<[u8]>>>;

impl Shared {
    /// Gives an answer that is computed once, for records do not change while they are shown.
    pub async fn keep<T: Serialize>(
        &self,
        key: String,
        answer: impl Future<Output = Result<T, Problem>>,
    ) -> Result<Response, Problem> {
        let cell = self.kept.lock().map_or_else(
            |_| Arc::default(),
            |mut kept| {
                if kept.len() >= KEPT && !kept.contains_key(&key) {
                    kept.clear();
                }
                kept.entry(key).or_default().clone()
            },
        );
        let bytes = cell
            .get_or_try_init(|| async {
                let bytes = serde_json::to_vec(&answer.await?).map_err(Problem::failed)?;
                Ok::<_, Problem>(Arc::from(bytes))
            })
            .await?;
        Ok(([(header::CONTENT_TYPE, JSON)], bytes.to_vec()).into_response())
    }
}

/// A runtime that ends without waiting for what it does.
struct Background(Option<tokio::runtime::Runtime>);

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Records that are ready to be asked.
pub struct Opened {
    /// What all pages share.
    pub shared: Arc<Shared>,
    /// Sentences about what could not be read.
    pub remarks: Vec<String>,
    // Answers are computed on it, so that who shows them is always free. It ends with the records.
    _background: Background,
}

impl Opened {
    /// Looks at the records; the errors are sentences.
    pub async fn open(settings: Settings) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(settings.query.threads.max(1))
            .thread_name("questions")
            .build()
            .map_err(|error| format!("Threads cannot be started: {error}."))?;
        let handle = runtime.handle().clone();
        let background = Background(Some(runtime));
        let (paths, query) = (settings.records.clone(), settings.query.clone());
        let session = handle.spawn_blocking(move || Session::open(&paths, &query)).await;
        let session = session.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        let (rules, mut remarks) = Rules::read(&settings.rules);
        remarks.extend(session.unreadable().iter().cloned());
        let tables = Tables::new(session);
        if tables.listed().is_empty() {
            return Err(
                "There are no records in these files: EVE, Zeek's logs and Parquet are read.".to_owned()
            );
        }
        let shared = Shared {
            tables,
            asker: Asker::new(handle, settings.limits),
            rules,
            rule_files: settings.rules,
            captures: settings.captures,
            records: settings.records,
            kept: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared), remarks, _background: background })
    }
}
