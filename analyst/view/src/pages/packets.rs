//! The packets of one connection, from the captures that were named.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use super::{Asked, When, optional};
use crate::answer::{Json, Problem, in_base64};
use crate::packets::{Conversation, Extracted, Filter, Side, Wish, filtered, pcapng};
use crate::shared::Shared;

/// Microseconds before and after a connection that packets are taken from.
const AROUND: i64 = 1_000_000;
/// Bytes of each side of a conversation.
const SIDE: usize = 256 << 10;

/// Says that there is nothing to take packets from.
pub const NO_CAPTURE: &str = "No capture was named: start `weir view` with one, or with --captures.";

/// Which packets.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Which {
    /// The client's address.
    pub client: IpAddr,
    /// The server's address.
    pub server: IpAddr,
    /// The client's port; without it, any.
    #[serde(default, deserialize_with = "optional")]
    pub client_port: Option<u16>,
    /// The server's port; without it, any.
    #[serde(default, deserialize_with = "optional")]
    pub server_port: Option<u16>,
    /// The protocol of IP, by name or number.
    pub protocol: String,
}

impl Which {
    fn filter(&self, when: When) -> Result<Filter, Problem> {
        let protocol = match self.protocol.as_str() {
            "tcp" => 6,
            "udp" => 17,
            "icmp" => 1,
            "icmp6" | "ipv6-icmp" => 58,
            "sctp" => 132,
            other => other
                .parse()
                .map_err(|_| Problem::question("The protocol is to be tcp, udp, icmp, sctp or a number."))?,
        };
        let span = when.span();
        let has_ports = matches!(protocol, 6 | 17 | 132);
        Ok(Filter {
            client: (self.client, self.client_port.filter(|_| has_ports)),
            server: (self.server, self.server_port.filter(|_| has_ports)),
            protocol,
            from: span.from.map_or(i64::MIN, |from| from.saturating_sub(AROUND)),
            to: span.to.map_or(i64::MAX, |to| to.saturating_add(AROUND)),
        })
    }
}

fn has_captures(shared: &Shared) -> Result<(), Problem> {
    if shared.captures.is_empty() {
        return Err(Problem::missing(NO_CAPTURE));
    }
    Ok(())
}

/// Gives the packets as a file.
pub async fn packets(
    State(shared): State<Arc<Shared>>,
    Asked(which): Asked<Which>,
    Asked(when): Asked<When>,
) -> Result<Response, Problem> {
    let file = extracted(shared, &which, when).await?.file;
    super::export::send(file, "application/x-pcapng", "connection.pcapng").await
}

/// Takes the packets out of the captures.
pub async fn extracted(shared: Arc<Shared>, which: &Which, when: When) -> Result<Extracted, Problem> {
    has_captures(&shared)?;
    let filter = which.filter(when)?;
    let asked = shared.clone();
    let extracted = shared.asker.ask(async move {
        let work = move || {
            let limits = asked.asker.limits;
            pcapng(&asked.captures, &filter, limits.download, Instant::now() + limits.time)
        };
        tokio::task::spawn_blocking(work).await.map_err(Problem::failed)?.map_err(Problem::failed)
    });
    extracted.await
}

/// A piece of what one side said.
#[derive(Serialize, Clone, Debug)]
pub struct Piece {
    /// The client said it, not the server.
    pub from_client: bool,
    /// Bytes that are missing before it.
    pub gap: u64,
    /// The moment of its first packet in microseconds.
    pub time: i64,
    /// What was said.
    #[serde(serialize_with = "in_base64")]
    pub bytes: Vec<u8>,
}

/// What both sides of a connection said.
#[derive(Serialize, Clone, Debug)]
pub struct Said {
    /// In the order of the packets.
    pub pieces: Vec<Piece>,
    /// Packets that were found.
    pub packets: u64,
    /// There is more.
    pub cut: bool,
    /// Sentences about what could not be read.
    pub remarks: Vec<String>,
}

/// Gives what both sides said.
pub async fn stream(
    State(shared): State<Arc<Shared>>,
    Asked(which): Asked<Which>,
    Asked(when): Asked<When>,
) -> Result<Json<impl Serialize>, Problem> {
    Ok(Json(said(shared, &which, when).await?))
}

/// Puts together what both sides said.
pub async fn said(shared: Arc<Shared>, which: &Which, when: When) -> Result<Said, Problem> {
    has_captures(&shared)?;
    let filter = which.filter(when)?;
    let asked = shared.clone();
    let said = shared.asker.ask(async move {
        let work = move || {
            let mut conversation = Conversation::new(SIDE);
            let until = Instant::now() + asked.asker.limits.time;
            let remarks = filtered(&asked.captures, &filter, until, &mut |found| {
                conversation.add(found);
                Ok(if conversation.is_full() { Wish::Enough } else { Wish::More })
            });
            let (cut, packets) = (conversation.is_full(), conversation.packets());
            let piece = |piece: crate::packets::Piece| Piece {
                from_client: piece.side == Side::Client,
                gap: piece.gap,
                time: piece.time,
                bytes: piece.bytes,
            };
            remarks.map(|remarks| Said {
                pieces: conversation.finish().into_iter().map(piece).collect(),
                packets,
                cut,
                remarks,
            })
        };
        tokio::task::spawn_blocking(work).await.map_err(Problem::failed)?.map_err(Problem::failed)
    });
    said.await
}
