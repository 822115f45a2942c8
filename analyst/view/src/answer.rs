//! Answers to requests: JSON, or a sentence about what is wrong.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use weir_query::QueryError;

/// Why there is no answer; a sentence with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What the sentence means to programs.
    pub status: StatusCode,
    /// What it says to people.
    pub sentence: String,
}

impl Problem {
    /// The question is wrong.
    pub fn question(sentence: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, sentence: sentence.into() }
    }

    /// There is nothing of that name.
    pub fn missing(sentence: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, sentence: sentence.into() }
    }

    /// It takes too long, or too much is asked at a time.
    pub fn busy(sentence: impl Into<String>) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, sentence: sentence.into() }
    }

    /// Something else failed.
    pub fn failed(sentence: impl ToString) -> Self {
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, sentence: sentence.to_string() }
    }
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Self {
        Self::failed(error)
    }
}

impl From<datafusion::error::DataFusionError> for Problem {
    fn from(error: datafusion::error::DataFusionError) -> Self {
        QueryError::from(error).into()
    }
}

impl From<arrow::error::ArrowError> for Problem {
    fn from(error: arrow::error::ArrowError) -> Self {
        Self::failed(error)
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        #[derive(Serialize)]
        struct Said {
            error: String,
        }
        (self.status, Json(Said { error: self.sentence })).into_response()
    }
}

/// Writes bytes as a text, for JSON has none.
pub fn in_base64<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&STANDARD.encode(bytes))
}

/// Anything, as JSON.
pub struct Json<T>(pub T);

/// The type of JSON's bytes.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => ([(header::CONTENT_TYPE, JSON)], bytes).into_response(),
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        }
    }
}
