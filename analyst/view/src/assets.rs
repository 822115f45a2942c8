//! What browsers get: pages, scripts and styles, all within the program.

use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// A file by its path.
struct Asset {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
}

macro_rules! assets {
    ($($path:literal, $kind:literal, $file:literal;)*) => {
        &[$(Asset { path: $path, kind: $kind, text: include_str!(concat!("../assets/", $file)) }),*]
    };
}

const ASSETS: &[Asset] = assets! {
    "/", "text/html; charset=utf-8", "index.html";
    "/style.css", "text/css; charset=utf-8", "style.css";
    "/icon.svg", "image/svg+xml", "icon.svg";
    "/main.js", "text/javascript; charset=utf-8", "main.js";
    "/dom.js", "text/javascript; charset=utf-8", "dom.js";
    "/state.js", "text/javascript; charset=utf-8", "state.js";
    "/charts.js", "text/javascript; charset=utf-8", "charts.js";
    "/records.js", "text/javascript; charset=utf-8", "records.js";
    "/hex.js", "text/javascript; charset=utf-8", "hex.js";
    "/record.js", "text/javascript; charset=utf-8", "record.js";
    "/overview.js", "text/javascript; charset=utf-8", "overview.js";
    "/alerts.js", "text/javascript; charset=utf-8", "alerts.js";
    "/connection.js", "text/javascript; charset=utf-8", "connection.js";
    "/search.js", "text/javascript; charset=utf-8", "search.js";
};

/// Gives a file.
pub async fn asset(uri: Uri) -> Response {
    match ASSETS.iter().find(|asset| asset.path == uri.path()) {
        Some(asset) => {
            ([(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind))], asset.text).into_response()
        }
        None => (StatusCode::NOT_FOUND, "There is no such page.\n").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What traffic chose must never become markup or code, and nothing is loaded from elsewhere.
    #[test]
    fn no_asset_has_a_way_to_run_text() {
        const FORBIDDEN: [&str; 12] = [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "DOMParser",
            "srcdoc",
            "javascript:",
            "https://",
            "createContextualFragment",
            " onload=",
        ];
        for asset in ASSETS {
            for word in FORBIDDEN {
                assert!(!asset.text.contains(word), "{}: {word}", asset.path);
            }
            let elsewhere = asset.text.replace("http://www.w3.org/2000/svg", "").contains("http://");
            assert!(!elsewhere, "{}", asset.path);
        }
    }
}
