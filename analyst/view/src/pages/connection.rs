//! All that records tell of one connection, whichever of its ids is known.
//!
//! EVE's records bear a `flow_id`, Zeek's a `uid`. Weir writes the one beside the other; where it did not, addresses, ports,
//! protocol (what a community id is made of) and overlapping times join them.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast as cast_array;
use arrow::datatypes::{DataType, Float64Type};
use axum::extract::State;
use datafusion::logical_expr::{Expr, cast, lit};
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use weir_query::Search;

use super::search::{Row, bound, ordered};
use super::{Asked, optional};
use crate::answer::{Json, Problem};
use crate::asker::collect;
use crate::records::{numbers, objects, texts};
use crate::shared::Shared;
use crate::tables::{Span, Table, column, within};

/// Records of a connection from one table at most.
const OF_TABLE: usize = 500;
/// Ids of one connection at most: a flow that Zeek splits has several.
const IDS: usize = 16;
/// Bytes of a text.
const LONGEST: usize = 4096;
/// Microseconds that clocks may differ, at either end of a connection.
const APART: i64 = 5_000_000;

/// Which connection.
#[derive(Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Which {
    /// Its `flow_id`, its `uid` or its community id.
    pub id: String,
    /// A moment of it, for ids come again in long times.
    #[serde(default, deserialize_with = "optional")]
    pub time: Option<i64>,
}

/// The two ends of a connection, the client's first.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Ends {
    /// The client's address.
    pub client: IpAddr,
    /// The client's port.
    pub client_port: Option<u16>,
    /// The server's address.
    pub server: IpAddr,
    /// The server's port.
    pub server_port: Option<u16>,
    /// The protocol of IP.
    pub protocol: String,
}

/// All that records tell of a connection.
#[derive(Serialize, Clone, Debug, Default)]
pub struct Connection {
    /// Its ids in EVE.
    pub flow_ids: BTreeSet<String>,
    /// Its ids in Zeek's logs.
    pub uids: BTreeSet<String>,
    /// Its community id.
    pub community_id: Option<String>,
    /// Its ends.
    pub ends: Option<Ends>,
    /// When it began, in microseconds.
    pub from: Option<i64>,
    /// When it ended.
    pub to: Option<i64>,
    /// Its records in the order of time.
    pub rows: Vec<Row>,
    /// There are more of them.
    pub cut: bool,
}

/// Gives all records of a connection.
pub async fn connection(
    State(shared): State<Arc<Shared>>,
    Asked(which): Asked<Which>,
) -> Result<Json<impl Serialize>, Problem> {
    Ok(Json(found(shared, which).await?))
}

/// Finds all records of a connection.
pub async fn found(shared: Arc<Shared>, which: Which) -> Result<Connection, Problem> {
    if which.id.is_empty() || which.id.len() > 64 {
        return Err(Problem::question("A connection is named by its flow_id, its uid or its community id."));
    }
    let asked = shared.clone();
    shared.asker.ask(async move { find(&asked, &which).await }).await
}

async fn find(shared: &Shared, which: &Which) -> Result<Connection, Problem> {
    let tables = shared.tables.all().await?;
    let mut finder = Finder { shared, tables, found: Connection::default(), whole: false };
    let around = which.time.map(|time| (time, time));
    if which.id.parse::<i64>().is_ok() {
        finder.found.flow_ids.insert(which.id.clone());
    } else if which.id.starts_with("1:") {
        finder.by_community_id(&which.id, around).await?;
    } else {
        finder.found.uids.insert(which.id.clone());
    }
    finder.learn(around).await?;
    // What one kind of records told, the other kind is found by, and then tells the rest.
    finder.join().await?;
    finder.learn(around).await?;
    finder.gather().await?;
    let mut found = finder.found;
    if found.rows.is_empty() {
        return Err(Problem::missing("No record has this id."));
    }
    if let Some(ends) = &found.ends {
        found.community_id = community_id(shared, ends).await?;
    }
    found.rows.sort_by_key(|row| row.time);
    found.cut |= bound(&mut found.rows, shared.asker.limits.bytes);
    Ok(found)
}

struct Finder<'s> {
    shared: &'s Shared,
    tables: Vec<Arc<Table>>,
    found: Connection,
    /// Ends and times are from a record that tells of the whole connection.
    whole: bool,
}

/// A column that is one of some texts.
fn one_of(name: &str, values: &BTreeSet<String>) -> Expr {
    let numbers: Option<Vec<Expr>> = if name == "flow_id" {
        values.iter().map(|id| Some(lit(id.parse::<i64>().ok()?))).collect()
    } else {
        None
    };
    column(name).in_list(numbers.unwrap_or_else(|| values.iter().map(lit).collect()), false)
}

impl Finder<'_> {
    /// Takes rows of a table.
    async fn rows(&self, table: &Table, condition: Expr) -> Result<(Vec<RecordBatch>, bool), Problem> {
        let mut frame = self.shared.tables.rows(table, &Search::All, Span::default()).await?;
        frame = frame.filter(condition)?;
        if self.whole
            && let Some(time) = table.time()
        {
            // Records of a connection may come long after its end, but not before it begins.
            frame = within(
                frame,
                time,
                Span { from: self.found.from.map(|from| from.saturating_sub(APART)), to: None },
            )?;
        }
        let found = collect(ordered(frame, table)?, OF_TABLE, self.shared.asker.limits.bytes).await?;
        Ok((found.batches, found.cut))
    }

    /// The condition on records of the ids that are known.
    fn of_ids(&self, table: &Table) -> Option<Expr> {
        let Connection { flow_ids, uids, .. } = &self.found;
        let ids = [("flow_id", flow_ids), ("uid", uids), ("zeek_uid", uids)];
        let known = ids.into_iter().filter(|(name, ids)| !ids.is_empty() && table.has(name));
        known.map(|(name, ids)| one_of(name, ids)).reduce(Expr::or)
    }

    /// Learns ids, ends and times from records of the whole connection, or from any where there is none.
    async fn learn(&mut self, around: Option<(i64, i64)>) -> Result<(), Problem> {
        let is_whole = |table: &Table| matches!(table.name.table.as_str(), "flow" | "conn");
        for wanted in [true, false] {
            for table in self.tables.clone().iter().filter(|table| is_whole(table) == wanted) {
                let Some(condition) = self.of_ids(table) else { continue };
                for batch in self.rows(table, condition).await?.0 {
                    self.learn_from(table, &batch, around, wanted);
                }
                if !wanted && self.found.ends.is_some() {
                    return Ok(());
                }
            }
            if self.whole {
                return Ok(());
            }
        }
        Ok(())
    }

    fn learn_from(&mut self, table: &Table, batch: &RecordBatch, around: Option<(i64, i64)>, whole: bool) {
        let Some(ends) = Ends::of(table, batch) else { return };
        let times = times(table, batch);
        let ids = |name| texts(batch, name);
        let (flows, uids, zeek_uids) = (ids("flow_id"), ids("uid"), ids("zeek_uid"));
        for (row, (ends, (begin, end))) in ends.into_iter().zip(times).enumerate() {
            let Some(ends) = ends else { continue };
            if whole
                && around.is_some_and(|(from, to)| {
                    end.saturating_add(APART) < from || begin.saturating_sub(APART) > to
                })
            {
                continue;
            }
            let new = |list: &[Option<String>]| list.get(row).cloned().flatten();
            let Connection { flow_ids, uids: known, from, to, ends: known_ends, .. } = &mut self.found;
            flow_ids.extend(new(&flows).filter(|_| flow_ids.len() < IDS));
            for uid in [new(&uids), new(&zeek_uids)] {
                known.extend(uid.filter(|_| known.len() < IDS));
            }
            if whole || known_ends.is_none() {
                if !self.whole {
                    *known_ends = Some(ends);
                }
                *from = Some(from.filter(|_| self.whole).map_or(begin, |from| from.min(begin)));
                *to = Some(to.filter(|_| self.whole).map_or(end, |to| to.max(end)));
                self.whole |= whole;
            }
        }
    }

    /// Finds the other kind of records by ends and time, where no id says it.
    async fn join(&mut self) -> Result<(), Problem> {
        let (Some(ends), Some(from), Some(to)) = (self.found.ends.clone(), self.found.from, self.found.to)
        else {
            return Ok(());
        };
        for (name, id, known) in [
            ("flow", "flow_id", !self.found.flow_ids.is_empty()),
            ("conn", "uid", !self.found.uids.is_empty()),
        ] {
            if known {
                continue;
            }
            for table in self.tables.clone().iter().filter(|table| table.name.table == name && table.has(id))
            {
                let Some(condition) = ends.condition(table) else { continue };
                for batch in self.rows(table, condition).await?.0 {
                    let overlaps = times(table, &batch).into_iter().map(|(begin, end)| {
                        begin <= to.saturating_add(APART) && end >= from.saturating_sub(APART)
                    });
                    let ids =
                        overlaps.zip(texts(&batch, id)).filter_map(|(overlaps, id)| id.filter(|_| overlaps));
                    let known = if id == "uid" { &mut self.found.uids } else { &mut self.found.flow_ids };
                    known.extend(ids.take(IDS));
                }
            }
        }
        Ok(())
    }

    /// Finds connections by a community id, where it is written or can be computed.
    async fn by_community_id(&mut self, id: &str, around: Option<(i64, i64)>) -> Result<(), Problem> {
        for table in self.tables.clone() {
            let rows = if table.has("community_id") {
                self.rows(&table, column("community_id").eq(lit(id))).await?.0
            } else if let ("flow" | "conn", Some(ends)) = (table.name.table.as_str(), table.ends()) {
                if !table.has_all(&ends) {
                    continue;
                }
                let frame = self.shared.tables.session.rows(&table.name).await?;
                let [from, from_port, to, to_port] = ends;
                let text = |name| cast(column(name), DataType::Utf8);
                let number = |name| cast(column(name), DataType::Int64);
                let ends = vec![text(from), number(from_port), text(to), number(to_port), text("proto")];
                let Some(call) = self.shared.tables.session.call("community_id", ends) else { continue };
                collect(frame.filter(call.eq(lit(id)))?, OF_TABLE, self.shared.asker.limits.bytes)
                    .await?
                    .batches
            } else {
                continue;
            };
            for batch in &rows {
                self.learn_from(&table, batch, around, matches!(table.name.table.as_str(), "flow" | "conn"));
            }
        }
        Ok(())
    }

    /// Takes all records of the connection.
    async fn gather(&mut self) -> Result<(), Problem> {
        let mut certificates = BTreeSet::new();
        for table in self.tables.clone() {
            let Some(condition) = self.of_ids(&table) else { continue };
            let (batches, cut) = self.rows(&table, condition).await?;
            self.found.cut |= cut;
            for batch in &batches {
                certificates.extend(fingerprints(batch));
                self.add(&table, batch)?;
            }
        }
        // Certificates are told of once, whoever shows them; the log of connections names them.
        let logs = self.tables.clone();
        for table in logs.iter().filter(|table| table.name.table == "x509" && table.has("fingerprint")) {
            if !certificates.is_empty() {
                let frame = self.shared.tables.session.rows(&table.name).await?;
                let frame = frame.filter(one_of("fingerprint", &certificates))?;
                for batch in &collect(frame, OF_TABLE, self.shared.asker.limits.bytes).await?.batches {
                    self.add(table, batch)?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, table: &Table, batch: &RecordBatch) -> Result<(), Problem> {
        let times = table.time().map_or_else(|| vec![None; batch.num_rows()], |time| numbers(batch, time));
        let records = times.into_iter().zip(objects(std::slice::from_ref(batch), LONGEST)?);
        self.found.rows.extend(records.map(|(time, record)| Row { table: table.full_name(), time, record }));
        Ok(())
    }
}

/// Fingerprints of certificates that records name.
fn fingerprints(batch: &RecordBatch) -> Vec<String> {
    let mut found = Vec::new();
    for name in ["cert_chain_fps", "client_cert_chain_fps"] {
        let Some(lists) = batch.column_by_name(name).and_then(|column| column.as_list_opt::<i32>()) else {
            continue;
        };
        let Ok(values) = cast_array(lists.values(), &DataType::Utf8) else { continue };
        let Some(values) = values.as_string_opt::<i32>() else { continue };
        found.extend(values.iter().flatten().take(IDS).map(str::to_owned));
    }
    found
}

/// When what each row tells of began and ended.
fn times(table: &Table, batch: &RecordBatch) -> Vec<(i64, i64)> {
    let moments =
        |name: Option<&str>| name.map_or_else(|| vec![None; batch.num_rows()], |name| numbers(batch, name));
    let begins = moments(table.begin());
    let ends = moments(if table.has("flow.end") { Some("flow.end") } else { table.time() });
    let durations =
        batch.column_by_name("duration").and_then(|column| cast_array(column, &DataType::Float64).ok());
    let durations = durations.as_ref().and_then(|column| column.as_primitive_opt::<Float64Type>());
    let lasts = |row: usize| {
        let seconds = durations
            .filter(|durations| !durations.is_null(row))
            .map_or(0.0, |durations| durations.value(row));
        (seconds.clamp(0.0, 1e9) * 1e6) as i64
    };
    let pairs = begins.into_iter().zip(ends).enumerate();
    pairs
        .map(|(row, (begin, end))| {
            let begin = begin.or(end).unwrap_or(0);
            (begin, end.unwrap_or(begin).saturating_add(lasts(row)).max(begin))
        })
        .collect()
}

impl Ends {
    /// The ends that each row tells.
    fn of(table: &Table, batch: &RecordBatch) -> Option<Vec<Option<Self>>> {
        let [from, from_port, to, to_port] = table.ends()?;
        let address =
            |name| texts(batch, name).into_iter().map(|text| text.and_then(|text| text.parse().ok()));
        let port = |name| {
            numbers(batch, name).into_iter().map(|port| port.and_then(|port| u16::try_from(port).ok()))
        };
        let ends =
            address(from).zip(port(from_port)).zip(address(to).zip(port(to_port))).zip(texts(batch, "proto"));
        let of_row = |(((client, client_port), (server, server_port)), protocol): (_, Option<String>)| {
            let protocol = protocol.unwrap_or_default().to_ascii_lowercase();
            Some(Self { client: client?, client_port, server: server?, server_port, protocol })
        };
        Some(ends.map(of_row).collect())
    }

    /// The condition that a row tells of these ends, in either direction.
    fn condition(&self, table: &Table) -> Option<Expr> {
        let [from, from_port, to, to_port] = table.ends()?;
        let port = |name: &str, port: Option<u16>| match port.filter(|_| table.has(name) && !self.is_icmp()) {
            Some(port) => column(name).eq(lit(i64::from(port))),
            None => lit(true),
        };
        let way = |client: IpAddr, client_port, server: IpAddr, server_port| {
            let addresses =
                column(from).eq(lit(client.to_string())).and(column(to).eq(lit(server.to_string())));
            addresses.and(port(from_port, client_port)).and(port(to_port, server_port))
        };
        let there = way(self.client, self.client_port, self.server, self.server_port);
        let back = way(self.server, self.server_port, self.client, self.client_port);
        let protocols = [self.protocol.clone(), self.protocol.to_ascii_uppercase()];
        let protocol = column("proto").in_list(protocols.iter().map(lit).collect(), false);
        Some(there.or(back).and(if table.has("proto") { protocol } else { lit(true) }))
    }

    fn is_icmp(&self) -> bool {
        self.protocol.contains("icmp")
    }
}

/// The community id of ends, where they have one.
async fn community_id(shared: &Shared, ends: &Ends) -> Result<Option<String>, Problem> {
    let Ends { client, client_port: Some(client_port), server, server_port: Some(server_port), protocol } =
        ends
    else {
        return Ok(None);
    };
    if !protocol.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Ok(None);
    }
    let sql = format!(
        "select community_id('{client}', {client_port}, '{server}', {server_port}, '{protocol}') as id"
    );
    for mut stream in shared.tables.session.query(&sql).await?.streams() {
        while let Some(batch) = stream.next().await {
            if let Some(id) = texts(&batch?, "id").into_iter().next() {
                return Ok(id);
            }
        }
    }
    Ok(None)
}
