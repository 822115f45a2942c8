//! The server: its routes.

use std::future::Future;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::guard::{Guard, guard};
use crate::shared::{Opened, Settings};
use crate::{assets, pages};

/// A server that is ready to answer.
pub struct Server {
    listener: TcpListener,
    guard: Guard,
    opened: Opened,
}

impl Server {
    /// Looks at the records, and begins to listen; the errors are sentences.
    pub async fn open(settings: Settings) -> Result<Self, String> {
        let port = settings.port;
        let opened = Opened::open(settings).await?;
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(|error| {
            format!(
                "Port {port} of 127.0.0.1 cannot be listened at: {error}. Choose another one with --port."
            )
        })?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        Ok(Self { listener, guard: Guard::new(port)?, opened })
    }

    /// The address to open, with its secret.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Sentences about what could not be read.
    pub fn remarks(&self) -> &[String] {
        &self.opened.remarks
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
            .with_state(self.opened.shared.clone())
            .fallback(assets::asset)
            .layer(from_fn_with_state(self.guard.clone(), guard));
        let warm = tokio::spawn(pages::overview::warm(self.opened.shared.clone()));
        let served = axum::serve(self.listener, router).with_graceful_shutdown(stop).await;
        warm.abort();
        served.map_err(|error| format!("The server ended: {error}."))
    }
}
