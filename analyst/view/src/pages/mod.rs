//! What pages ask for.

pub mod about;
pub mod alerts;
pub mod connection;
pub mod export;
pub mod overview;
pub mod packets;
pub mod record;
pub mod search;

use arrow::array::RecordBatch;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use weir_query::Search;

use crate::answer::Problem;
use crate::tables::Span;

/// The words of a request's address; what is wrong with them is told in JSON as everything is.
pub struct Asked<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = Query::<T>::try_from_uri(&parts.uri);
        query
            .map(|Query(asked)| Self(asked))
            .map_err(|error| Problem::question(format!("{}.", error.body_text())))
    }
}

/// Reads a parameter that may be left empty.
fn optional<'de, D: Deserializer<'de>, T: std::str::FromStr>(from: D) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| serde::de::Error::custom("a number is expected"))
}

/// A part of time as it stands in addresses: microseconds since 1970.
#[derive(Clone, Copy, Deserialize, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Where it begins.
    #[serde(default, deserialize_with = "optional")]
    pub from: Option<i64>,
    /// Where it ends.
    #[serde(default, deserialize_with = "optional")]
    pub to: Option<i64>,
}

impl When {
    fn span(self) -> Span {
        Span { from: self.from, to: self.to }
    }
}

fn parse(text: &str) -> Result<Search, Problem> {
    Search::parse(text).map_err(Problem::question)
}

/// The first value of a column, as a number.
fn only(batches: &[RecordBatch], name: &str) -> Option<i64> {
    batches.iter().find_map(|batch| crate::records::numbers(batch, name).first().copied().flatten())
}
