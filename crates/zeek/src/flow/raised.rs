//! The events of a flow's protocol, on their way to scripts.

use weir_applayer::ZeekConnection;
use weir_applayer::zeek::EventSink;
use weir_base::{EventValue, Timestamp};

use crate::connection::Connection;
use crate::connection::table::ConnectionId;
use crate::events;
use crate::observer::Connections;
use crate::rows::Rows;

/// Takes the events of a flow's protocol.
pub(super) struct FlowEvents<'a, 'b> {
    pub(super) rows: &'a mut Rows<'b>,
    pub(super) connections: &'a mut Connections,
    pub(super) connection: ConnectionId,
    pub(super) about: ZeekConnection<'a>,
    pub(super) numbers: &'a [Option<u32>],
    /// When the bytes were captured that events are of, where that is not now.
    pub(super) captured: Option<Timestamp>,
}

impl EventSink for FlowEvents<'_, '_> {
    fn wants(&self, event: usize) -> bool {
        self.numbers.get(event).copied().flatten().is_some()
    }

    fn raise(&mut self, event: usize, arguments: &[EventValue<'_>]) {
        let Some(number) = self.numbers.get(event).copied().flatten() else { return };
        let Some(events) = &self.rows.plan.events else { return };
        let known = self.connections.table.get(self.connection).map(Connection::observed);
        let state = known.unwrap_or_else(|| events::known(&self.about));
        let position = self.rows.position;
        events.send_of(self.rows.out, position, self.captured, number, arguments, Some(&state));
    }

    fn captured_at(&mut self, time: Timestamp) {
        let now = self.now();
        let is_known = time != Timestamp::default();
        self.captured = if is_known { Some(time).filter(|time| *time < now) } else { self.rows.captured };
    }

    fn left_out(&mut self) {
        self.connections.messages_left_out += 1;
    }

    fn weird(&mut self, name: &str, addl: Option<&str>, source: &str) {
        let time = self.captured.unwrap_or_else(|| self.now());
        self.rows.weird(Some(&self.about), time, name, addl, Some(source));
    }

    fn is_set(&self, setting: &str) -> bool {
        self.rows.plan.events.as_ref().is_some_and(|events| events.settings.is_set(setting))
    }

    fn count(&self, setting: &str) -> Option<u64> {
        self.rows.plan.events.as_ref()?.settings.count(setting)
    }

    fn connection(&self) -> ZeekConnection<'_> {
        self.about
    }

    fn now(&self) -> Timestamp {
        let position = self.rows.position;
        if position.is_at_end() { self.connections.reached } else { position.clock }
    }
}
