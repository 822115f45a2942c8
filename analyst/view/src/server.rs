//! The server: routes, and what they share.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::OnceCell;
use weir_query::{Session, Settings as QuerySettings};

use crate::answer::{JSON, Problem};
use crate::asker::{Asker, Limits};
use crate::guard::{Guard, guard};
use crate::rules::Rules;
use crate::tables::Tables;
use crate::{assets, pages};

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

/// A server that is ready to answer.
pub struct Server {
    listener: TcpListener,
    guard: Guard,
    shared: Arc<Shared>,
    remarks: Vec<String>,
    // Answers are computed on it, so that the server's own thread is always free. It ends with the server.
    _background: Background,
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

impl Server {
    /// Looks at the records, and begins to listen; the errors are sentences.
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
        let listener = TcpListener::bind(("127.0.0.1", settings.port)).await.map_err(|error| {
            format!(
                "Port {} of 127.0.0.1 cannot be listened at: {error}. Choose another one with --port.",
                settings.port
            )
        })?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
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
        Ok(Self {
            listener,
            guard: Guard::new(port)?,
            shared: Arc::new(shared),
            remarks,
            _background: background,
        })
    }

    /// The address to open, with its secret.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Sentences about what could not be read.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Answers until `stop` is ready. What the first page asks for is computed at once.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), String> {
        let router = Router::new()
            .route("/api/about", get(pages::about::about))
            .route("/api/traffic", get(pages::overview::traffic))
            .route("/api/talkers", get(pages::overview::talkers))
            .route("/api/lost", get(pages::overview::lost))
            .route("/api/alerts", get(pages::alerts::alerts))
            .route("/api/record", get(pages::record::record))
            .route("/api/connection", get(pages::connection::connection))
            .route("/api/packets", get(pages::packets::packets))
            .route("/api/stream", get(pages::packets::stream))
            .route("/api/search", get(pages::search::search))
            .route("/api/facets", get(pages::search::facets))
            .route("/api/export", get(pages::export::export))
            .with_state(self.shared.clone())
            .fallback(assets::asset)
            .layer(from_fn_with_state(self.guard.clone(), guard));
        let warm = tokio::spawn(pages::overview::warm(self.shared.clone()));
        let served = axum::serve(self.listener, router).with_graceful_shutdown(stop).await;
        warm.abort();
        served.map_err(|error| format!("The server ended: {error}."))
    }
}
