//! Actions of a rule that matches, besides raising its alert.

use weir_base::Direction;

use super::view::PacketFacts;
use crate::state::FlowDetect;

/// State that actions can change.
pub struct PostView<'a> {
    /// The packet and its flow.
    pub facts: &'a PacketFacts<'a>,
    /// The transaction that the rule matched in.
    pub transaction: Option<u64>,
    /// The flow's state, where there is a flow.
    pub state: Option<&'a mut FlowDetect>,
    /// Requests to the engine.
    pub requests: &'a mut Vec<PostRequest>,
    /// Counts where there was no room for a bit, a number, a value or a tag.
    pub no_room: &'a mut u64,
}

impl PostView<'_> {
    /// Takes note of whether there was room for what the rule sets.
    pub fn note(&mut self, room: bool) {
        *self.no_room += u64::from(!room);
    }
}

/// Something a rule asks of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PostRequest {
    /// `bypass`
    Bypass,
    /// `config:logging disable`: the transaction is not to be logged.
    SilenceTransaction(u64),
    /// `config:tracking disable`: the packet is to be part of no flow.
    LeaveUntracked,
    /// `tls.store`: keep the certificates that the transaction carries in the direction.
    StoreCertificates(u64, Direction),
    /// `filestore`: keep the files of the direction.
    StoreFiles(Direction, StoreScope),
}

/// Files that `filestore` keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StoreScope {
    /// The one that matched.
    #[default]
    File,
    /// All of the transaction.
    Transaction,
    /// All of the flow.
    Flow,
}

/// `tls.store`
pub struct StoreCertificates;

impl PostAction for StoreCertificates {
    fn apply(&self, view: &mut PostView<'_>) {
        let direction = view.facts.direction;
        view.requests.extend(view.transaction.map(|id| PostRequest::StoreCertificates(id, direction)));
    }
}

/// An action (`flowbits:set`).
pub trait PostAction: Send + Sync {
    /// Does it.
    fn apply(&self, view: &mut PostView<'_>);

    /// Whether it asks for files to be stored.
    fn stores_files(&self) -> bool {
        false
    }
}
