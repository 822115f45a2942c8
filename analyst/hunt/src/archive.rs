//! The records of an archive: which of them are of the connection of a hit.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use weir_query::{Session, Settings};

/// Hits that are joined together.
pub(crate) const AT_ONCE: usize = 1000;
/// Seconds that clocks of the archive's records and of a capture may differ, at either end of a connection.
const APART: f64 = 5.0;

/// The records of an archive.
pub(crate) struct Archive {
    session: Session,
    runtime: Runtime,
    has_flows: bool,
    has_connections: bool,
}

/// A connection that the archive's records tell of.
#[derive(Clone, Debug)]
struct Connection {
    begin: f64,
    end: f64,
    flow_id: Option<i64>,
    uid: Option<String>,
}

impl Archive {
    /// Looks at the records in files and folders.
    pub(crate) fn open(paths: &[PathBuf]) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .build()
            .map_err(|error| format!("Threads cannot be started: {error}."))?;
        let session = Session::open(paths, &Settings::default()).map_err(|error| error.to_string())?;
        let has = |schema: &str, table: &str| {
            session.tables().iter().any(|listed| listed.name.schema == schema && listed.name.table == table)
        };
        let (has_flows, has_connections) = (has("eve", "flow"), has("zeek", "conn"));
        let mut archive = Self { session, runtime, has_flows, has_connections };
        // Without community ids nothing tells which records belong together.
        archive.has_flows &=
            archive.has_columns("eve.flow", &["community_id", "flow_id", "flow.start", "flow.end"])?;
        archive.has_connections &= archive.has_columns("zeek.conn", &["ts", "uid", "id.orig_h", "proto"])?;
        Ok(archive)
    }

    fn has_columns(&self, table: &str, names: &[&str]) -> Result<bool, String> {
        let known = match table {
            "eve.flow" => self.has_flows,
            _ => self.has_connections,
        };
        if !known {
            return Ok(false);
        }
        let columns =
            self.runtime.block_on(self.session.columns(table)).map_err(|error| error.to_string())?;
        Ok(names.iter().all(|name| columns.iter().any(|column| column.name == *name)))
    }

    /// Returns sentences about files that hold nothing.
    pub(crate) fn unreadable(&self) -> Vec<String> {
        // An archive's folder holds its captures, too: only what cannot be opened is told.
        self.session
            .unreadable()
            .iter()
            .filter(|sentence| sentence.contains("cannot be read"))
            .cloned()
            .collect()
    }

    /// Returns what could not be read, a sentence each.
    pub(crate) fn remarks(&self) -> Vec<String> {
        self.session.remarks()
    }

    /// Gives each hit the ids of its connection in the archive's records, and returns how many have some.
    pub(crate) fn join(&mut self, hits: &mut [Value]) -> Result<u64, String> {
        let ids: BTreeSet<String> = hits.iter().filter_map(plain_id).collect();
        if ids.is_empty() || !(self.has_flows || self.has_connections) {
            return Ok(0);
        }
        let list = ids.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(",");
        let mut known: HashMap<String, Vec<Connection>> = HashMap::new();
        if self.has_flows {
            let sql = format!(
                "select community_id, to_unixtime(flow.start) as a, to_unixtime(flow.end) as b, flow_id from eve.flow \
                 where community_id in ({list})"
            );
            self.ask(&sql, &mut |batch| {
                let ends = ends(batch)?;
                let flow_ids = cast(batch.column(3), &DataType::Int64).ok()?;
                let flow_ids = flow_ids.as_primitive_opt::<Int64Type>()?;
                for (row, (id, begin, end)) in ends {
                    let flow_id = (!flow_ids.is_null(row)).then(|| flow_ids.value(row));
                    known.entry(id).or_default().push(Connection { begin, end, flow_id, uid: None });
                }
                Some(())
            })?;
        }
        if self.has_connections {
            let sql = format!(
                "select * from (select community_id(id.orig_h, id.orig_p, id.resp_h, id.resp_p, proto) as c, \
                 to_unixtime(ts) as a, to_unixtime(ts) + coalesce(duration, 0) as b, uid from zeek.conn) as x \
                 where c in ({list})"
            );
            self.ask(&sql, &mut |batch| {
                let ends = ends(batch)?;
                let uids = cast(batch.column(3), &DataType::Utf8).ok()?;
                let uids = uids.as_string_opt::<i32>()?;
                for (row, (id, begin, end)) in ends {
                    let uid = (!uids.is_null(row)).then(|| uids.value(row).to_owned());
                    known.entry(id).or_default().push(Connection { begin, end, flow_id: None, uid });
                }
                Some(())
            })?;
        }
        let mut joined = 0;
        for hit in hits {
            let found = plain_id(hit).and_then(|id| Some((known.get(&id)?, id)));
            let Some((connections, id)) = found else { continue };
            let Some(moment) = hit.get("timestamp").and_then(Value::as_str).and_then(seconds) else {
                continue;
            };
            let of_hit: Vec<&Connection> =
                connections.iter().filter(|c| c.begin - APART <= moment && moment <= c.end + APART).collect();
            let nearest = |has: fn(&Connection) -> bool| {
                let with = of_hit.iter().filter(|connection| has(connection));
                with.min_by(|a, b| (moment - a.begin).abs().total_cmp(&(moment - b.begin).abs()))
            };
            let flow_id = nearest(|c| c.flow_id.is_some()).and_then(|c| c.flow_id);
            let uid = nearest(|c| c.uid.is_some()).and_then(|c| c.uid.clone());
            if flow_id.is_none() && uid.is_none() {
                continue;
            }
            joined += 1;
            if let Some(members) = hit.as_object_mut() {
                members.insert(
                    "archive".to_owned(),
                    json!({ "flow_id": flow_id, "uid": uid, "community_id": id }),
                );
            }
        }
        Ok(joined)
    }

    /// Asks and gives each batch of rows.
    fn ask(&self, sql: &str, take: &mut dyn FnMut(&RecordBatch) -> Option<()>) -> Result<(), String> {
        self.runtime.block_on(async {
            let answer = self.session.query(sql).await.map_err(|error| error.to_string())?;
            for mut stream in answer.streams() {
                while let Some(batch) = stream.next().await {
                    // A column of another type than all logs have joins nothing.
                    let _ = take(&batch.map_err(|error| error.to_string())?);
                }
            }
            Ok(())
        })
    }
}

/// A row, and its connection's community id, beginning and end.
type RowEnds = (usize, (String, f64, f64));

/// Returns the ends of each row's connection, where it has all of them.
fn ends(batch: &RecordBatch) -> Option<Vec<RowEnds>> {
    let texts = cast(batch.column(0), &DataType::Utf8).ok()?;
    let begins = cast(batch.column(1), &DataType::Float64).ok()?;
    let ends = cast(batch.column(2), &DataType::Float64).ok()?;
    let (texts, begins) = (texts.as_string_opt::<i32>()?, begins.as_primitive_opt::<Float64Type>()?);
    let ends = ends.as_primitive_opt::<Float64Type>()?;
    let whole = |row: &usize| !texts.is_null(*row) && !begins.is_null(*row) && !ends.is_null(*row);
    let of_row = |row| (row, (texts.value(row).to_owned(), begins.value(row), ends.value(row)));
    Some((0..batch.num_rows()).filter(whole).map(of_row).collect())
}

/// The community id of a hit, where it is one: letters, digits and few signs.
fn plain_id(hit: &Value) -> Option<String> {
    let id = hit.get("community_id")?.as_str()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=:".contains(&byte);
    id.bytes().all(plain).then(|| id.to_owned())
}

/// Seconds since 1970 of a record's time.
fn seconds(text: &str) -> Option<f64> {
    Some(weir_query::parse_time(text)? as f64 / 1e6)
}
