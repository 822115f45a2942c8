//! What screens ask, with the functions that pages ask with.

use std::path::PathBuf;
use std::sync::Arc;

use super::packets::{Wanted, Written};
use super::save::save;
use crate::answer::Problem;
use crate::packets::Extracted;
use crate::pages::about::{self, About};
use crate::pages::alerts::{self, Alerts};
use crate::pages::connection::{self, Connection};
use crate::pages::overview::{self, Loss, Talkers, Traffic};
use crate::pages::packets::{self, Said};
use crate::pages::record::{self, Records};
use crate::pages::search::{self, Facets, Page};
use crate::pages::{When, export};
use crate::shared::Shared;
use crate::tables::Span;

/// What a screen shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Traffic, alerts, hosts, losses.
    Overview,
    /// Alerts by rule.
    Alerts,
    /// Records for which a search holds.
    Search(search::Words),
    /// What the records of a search have in common.
    Common(search::Words),
    /// A record with all that is in it.
    Record(record::Which),
    /// All records of a connection.
    Connection(connection::Which),
    /// What both sides of a connection said.
    Said(packets::Which, When),
    /// All that a search found, as a file.
    Export(export::Words, PathBuf),
    /// The packets of a connection, as a file.
    Packets(Wanted, PathBuf),
    /// The keys.
    Help,
}

/// What the overview shows. What cannot be told of one part leaves the others.
#[derive(Clone, Debug)]
pub struct Overview {
    /// What there is.
    pub about: About,
    /// Traffic by time and protocol.
    pub traffic: Result<Traffic, Problem>,
    /// Alerts by rule.
    pub alerts: Result<Alerts, Problem>,
    /// Who talks to whom.
    pub talkers: Result<Talkers, Problem>,
    /// What was lost.
    pub lost: Result<Vec<Loss>, Problem>,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Traffic, alerts, hosts, losses.
    Overview(Box<Overview>),
    /// Alerts by rule.
    Alerts(Alerts),
    /// A page of records.
    Search(Page),
    /// What they have in common.
    Common(Facets),
    /// A record.
    Record(Records),
    /// A connection.
    Connection(Box<Connection>),
    /// What both sides said.
    Said(Said),
    /// The bytes of the file that was written.
    Exported(u64),
    /// The file of packets that was written.
    Packets(Written),
    /// The keys are known.
    Help,
}

impl Question {
    /// Asks. The work ends when nobody waits for it any more.
    pub async fn answer(self, shared: Arc<Shared>) -> Result<Answer, Problem> {
        Ok(match self {
            Self::Overview => Answer::Overview(Box::new(overview(&shared).await)),
            Self::Alerts => {
                let work = alerts::of_rules(shared.clone(), Span::default());
                Answer::Alerts(shared.asker.ask(work).await?)
            }
            Self::Search(words) => Answer::Search(search::found(shared, words, When::default()).await?),
            Self::Common(words) => Answer::Common(search::in_common(shared, words, When::default()).await?),
            Self::Record(which) => Answer::Record(record::found(shared, which).await?),
            Self::Connection(which) => Answer::Connection(Box::new(connection::found(shared, which).await?)),
            Self::Said(which, when) => Answer::Said(packets::said(shared, &which, when).await?),
            Self::Export(words, path) => {
                let file = export::file(shared, words, When::default()).await?;
                let written = tokio::task::spawn_blocking(move || save(file, &path)).await;
                Answer::Exported(written.map_err(Problem::failed)??)
            }
            Self::Packets(wanted, path) => Answer::Packets(written(shared, wanted, path).await?),
            Self::Help => Answer::Help,
        })
    }
}

/// Writes the packets of a connection to a file, if there are any.
async fn written(shared: Arc<Shared>, wanted: Wanted, path: PathBuf) -> Result<Written, Problem> {
    let Extracted { file, packets, remarks } = packets::extracted(shared, &wanted.which, wanted.when).await?;
    if packets == 0 {
        let mut sentences =
            vec!["The captures have no packets of this connection: no file was written.".to_owned()];
        sentences.extend(remarks);
        return Err(Problem::missing(sentences.join(" ")));
    }
    // Whoever reads where it is need not know where the program was started.
    let path = std::path::absolute(&path).unwrap_or(path);
    let place = path.clone();
    let bytes = tokio::task::spawn_blocking(move || save(file, &place)).await.map_err(Problem::failed)??;
    Ok(Written { path, packets, bytes, remarks })
}

async fn overview(shared: &Arc<Shared>) -> Overview {
    let (all, asker) = (Span::default(), &shared.asker);
    let (traffic, alerts, talkers, lost) = tokio::join!(
        asker.ask(overview::of_traffic(shared.clone(), all)),
        asker.ask(alerts::of_rules(shared.clone(), all)),
        asker.ask(overview::of_talkers(shared.clone(), all)),
        asker.ask(overview::of_lost(shared.clone(), all)),
    );
    Overview { about: about::of(shared), traffic, alerts, talkers, lost }
}
