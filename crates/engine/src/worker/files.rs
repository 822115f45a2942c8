//! Files that rules or the configuration want stored, and certificates that rules do.

use weir_applayer::{File, FileState, Parser, Storage};
use weir_base::{Direction, IdSet, PerDirection, Position};
use weir_detect::AlertQueue;
use weir_detect::post::StoreScope;
use weir_flow::Flow;
use weir_output::Occasion;

use super::{PacketContext, Rest};
use crate::session::Session;

impl Rest {
    /// A rule wants files of `direction` stored.
    pub(super) fn request_store(
        &self,
        flow: &mut Flow<Session>,
        direction: Direction,
        scope: StoreScope,
        alerts: &AlertQueue,
    ) {
        if self.file_store.is_none() {
            return;
        }
        let alerts = alerts.as_slice();
        // The alert of a rule on the packet speaks for all of them.
        let mut ids = match alerts.iter().any(|alert| alert.transaction.is_none()) {
            true => flow.session.take_unasked(direction, scope),
            false => IdSet::default(),
        };
        alerts.iter().filter_map(|alert| alert.transaction).for_each(|id| ids.insert(id));
        for &id in ids.sorted() {
            flow.session.logged.note_reviewed(id);
            let Some(transaction) = flow.session.parser_mut().and_then(|parser| parser.transaction_mut(id))
            else {
                continue;
            };
            let meta = transaction.meta_mut();
            meta.store_files[direction] |= scope == StoreScope::Transaction;
            let files = meta.files.iter_mut().filter(|file| file.direction == direction);
            files.filter(|file| scope != StoreScope::File || !file.is_past()).for_each(File::request_store);
        }
        if scope == StoreScope::Flow {
            let created = flow.session.parser().map_or(0, Parser::created);
            let from = ids.sorted().first().copied().unwrap_or(created);
            flow.session.store_files_from(direction, from);
        }
    }

    /// A rule wants the certificates stored that a transaction carries in `direction`.
    pub(super) fn request_certificates(&self, flow: &mut Flow<Session>, id: u64, direction: Direction) {
        if self.certificates.is_none() {
            return;
        }
        let Some(parser) = flow.session.parser_mut() else { return };
        let Some(transaction) = parser.transaction_mut(id) else { return };
        let wanted = &mut transaction.meta_mut().certificates[direction];
        if *wanted == Storage::Unwanted {
            *wanted = Storage::Wanted;
        }
    }

    /// Stores the certificates of a transaction that a rule asked for.
    pub(super) fn store_certificates(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        id: u64,
    ) {
        let Some(store) = &self.certificates else { return };
        let (key, packet) = (flow.core.key, context.packet);
        let Some(parser) = flow.session.parser_mut() else { return };
        let fields = parser.protocol().fields;
        let Some(transaction) = parser.transaction_mut(id) else { return };
        for direction in Direction::BOTH {
            if transaction.meta().certificates[direction] != Storage::Wanted {
                continue;
            }
            let occasion = Occasion {
                time: packet.time,
                packet: (!packet.is_pseudo()).then_some(packet.number),
                client: (key.source, key.source_port),
                server: (key.destination, key.destination_port),
                transport: key.protocol,
            };
            let place = (context.moment.position, self.recorder.outlets());
            store.store(fields, transaction, direction, &occasion, place);
            transaction.meta_mut().certificates[direction] = Storage::Done;
        }
    }

    /// Describes each file by libmagic, as soon as that is possible; where somebody asks.
    pub(super) fn describe_files(&mut self, flow: &mut Flow<Session>, changed: &mut IdSet) {
        let Some(magic) = &mut self.magic else { return };
        let Some(parser) = flow.session.parser_mut() else { return };
        for &id in changed.sorted() {
            let Some(transaction) = parser.transaction_mut(id) else { continue };
            for file in transaction.meta_mut().files.iter_mut().filter(|file| file.can_be_described()) {
                // A failure of libmagic is final.
                file.description = Some(magic.describe(file.head()).unwrap_or_default().into());
            }
        }
    }

    /// Hands the store what the files of a transaction gathered.
    pub(super) fn store_files(&mut self, flow: &mut Flow<Session>, id: u64, position: Position) {
        let Some(store) = &mut self.file_store else { return };
        let whole_flow = flow.session.store_files();
        let is_read =
            |direction| !flow.session.tcp.as_deref().is_some_and(|tcp| tcp.depth_reached(direction));
        let is_read = PerDirection::from_fn(is_read);
        let Some(transaction) = flow.session.parser_mut().and_then(|parser| parser.transaction_mut(id))
        else {
            return;
        };
        let mut wanted = [false; 2];
        let meta = transaction.meta_mut();
        for file in &mut meta.files {
            if meta.store_files[file.direction] || whole_flow[file.direction].is_some_and(|from| id >= from) {
                file.request_store();
            }
            let [to_server, to_client] = &mut wanted;
            match file.direction {
                Direction::ToServer => *to_server |= file.store_requested,
                Direction::ToClient => *to_client |= file.store_requested,
            }
            // What is left of the file will not be seen.
            if file.store_requested && !is_read[file.direction] {
                file.close(FileState::Truncated);
            }
            store.look(file, position, self.recorder.outlets());
        }
        let stream_depth = store.settings().stream_depth;
        for (direction, wanted) in Direction::BOTH.into_iter().zip(wanted) {
            if let (true, Some(tcp)) = (wanted, flow.session.tcp.as_deref_mut()) {
                // A stream that is read to its end is read no farther than that either.
                if stream_depth == 0 || stream_depth > tcp.depth(direction) {
                    tcp.set_depth(direction, stream_depth);
                }
            }
        }
    }
}
