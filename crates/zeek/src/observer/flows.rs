//! Events of flows: what they belong to, their protocols, transactions and ends.

use weir_applayer::zeek::News;
use weir_applayer::{Heard, NoOptions, Protocol, Transaction};
use weir_output::outlet::OutletsAt;
use weir_output::protocol_number;
use weir_output::{AlertRecord, RecordContext};

use super::{Connections, Observer};
use crate::connection::table::ConnectionId;
use crate::flow::{End, ObservedFlow};
use crate::rows::Rows;
use crate::streams::{self, SignatureRow};

impl Observer {
    /// The part of a flow that its packets of a connection begin.
    pub fn flow(&self, id: ConnectionId) -> Option<ObservedFlow> {
        Some(ObservedFlow::new(id, self.connections.table.get(id)?, &self.memory))
    }

    /// The part of a conversation inside of a flow.
    pub fn inside(&self, flow: &mut ObservedFlow) -> Option<ObservedFlow> {
        Some(flow.inside(self.flow(flow.connection())?))
    }

    /// Keeps a flow at the connection that its packet belongs to: where that is another one than
    /// before, what is open is ended and a new part begins. The answer is whether it is new.
    pub fn flow_begin(
        &mut self,
        flow: &mut Option<Box<ObservedFlow>>,
        id: ConnectionId,
        out: &mut OutletsAt<'_>,
    ) -> bool {
        if flow.as_ref().is_some_and(|flow| flow.connection() == id) {
            return false;
        }
        if let Some(old) = flow.as_mut() {
            self.flow_end(old, out);
        }
        *flow = self.flow(id).map(Box::new);
        if let (Some(flow), Some(connection)) = (flow, self.connections.table.get_mut(id))
            && connection.is_tcp()
            && std::mem::replace(&mut connection.followed, true)
        {
            // Zeek's connections are the same in all VLANs: the first flow of one is what is read of it.
            flow.pass_by();
        }
        true
    }

    /// The flow's protocol is known: its rows are written from now on, and `conn` names it unless its logs are to
    /// confirm it first.
    pub fn protocol_begin(&mut self, flow: &mut ObservedFlow, protocol: &'static Protocol) {
        if flow.is_open() {
            return;
        }
        flow.open(protocol, &NoOptions, self.plan.events.as_ref());
        let confirms = protocol.zeek.is_some_and(|logs| logs.confirms);
        if !protocol.zeek_service.is_empty()
            && self.plan.names_service(protocol.zeek_service)
            && flow.speaks(protocol)
            && !confirms
            && let Some(connection) = self.connections.table.get_mut(flow.connection())
            && connection.service(protocol.zeek_service)
        {
            flow.is_confirmed_silently();
        }
    }

    /// A transaction of the flow made progress.
    pub fn transaction(
        &mut self,
        flow: &mut ObservedFlow,
        transaction: &dyn Transaction,
        complete: bool,
        out: &mut OutletsAt<'_>,
    ) {
        let news = News { transaction, complete };
        if !flow.has_news(news) {
            return;
        }
        let mut rows = Self::rows_at(&self.plan, out);
        Self::confirm(flow, &self.connections, &mut rows);
        flow.transaction(news, &mut self.connections, rows);
    }

    /// Messages of the flow were sent that are of no transaction.
    pub fn heard(&mut self, flow: &mut ObservedFlow, messages: &Heard, out: &mut OutletsAt<'_>) {
        if !messages.is_empty() {
            let mut rows = Self::rows_at(&self.plan, out);
            Self::confirm(flow, &self.connections, &mut rows);
            flow.heard(messages, &mut self.connections, &mut rows);
        }
    }

    /// Tells scripts of a protocol that became known when nothing could be told.
    fn confirm(flow: &mut ObservedFlow, connections: &Connections, rows: &mut Rows<'_>) {
        if let Some(service) = flow.take_confirmed()
            && let Some(connection) = connections.table.get(flow.connection())
        {
            rows.raise_confirmation(connection, service);
        }
    }

    /// The parser of the flow's protocol failed: `conn` does not name it. One with logs tells for itself what Zeek
    /// would not take.
    pub fn protocol_violation(
        &mut self,
        flow: &ObservedFlow,
        protocol: &'static Protocol,
        out: &mut OutletsAt<'_>,
    ) {
        if protocol.zeek.is_none() && !protocol.zeek_service.is_empty() {
            let (table, now) = (&mut self.connections.table, out.position.clock);
            let mut rows = Self::rows_at(&self.plan, out);
            flow.failed(table, now, protocol.zeek_service, &mut rows);
        }
    }

    /// The flow speaks another protocol from now on: what is open is written, but what the same protocol may
    /// go on with inside of the other one.
    pub fn protocol_end(&mut self, flow: &mut ObservedFlow, out: &mut OutletsAt<'_>) {
        let rows = Self::rows_at(&self.plan, out);
        flow.end(&mut self.connections, rows, End::Protocol);
    }

    /// The flow ended: what is open is written.
    pub fn flow_end(&mut self, flow: &mut ObservedFlow, out: &mut OutletsAt<'_>) {
        let rows = Self::rows_at(&self.plan, out);
        flow.end(&mut self.connections, rows, End::Flow);
        if !flow.is_beside()
            && let Some(connection) = self.connections.table.get_mut(flow.connection())
            && connection.is_tcp()
        {
            connection.followed = false;
        }
    }

    /// A rule matched in a packet of the flow, if it has one.
    pub fn alert(
        &mut self,
        flow: Option<&ObservedFlow>,
        cx: &RecordContext<'_>,
        record: &AlertRecord<'_>,
        out: &mut OutletsAt<'_>,
    ) {
        let connection = flow.map(|flow| flow.identity().view());
        let rule = record.rule;
        let protocol = cx.flow.map(|flow| flow.core.key.protocol);
        let protocol = protocol.and_then(protocol_number::name).map(str::to_ascii_lowercase);
        let action = if record.dropped { "blocked" } else { "allowed" };
        let row = SignatureRow {
            proto: protocol.as_deref().into(),
            action: action.into(),
            gid: rule.gid.into(),
            sid: rule.sid.into(),
            rev: rule.rev.into(),
            msg: (&*rule.msg).into(),
            classification: rule.classtype.as_ref().map(|class| &*class.description).into(),
            severity: rule.priority.into(),
        };
        let time = cx.packet.map_or(cx.now, |packet| packet.time);
        let mut rows = Self::rows_at(&self.plan, out);
        rows.row(&streams::SIGNATURES_ALERT, connection.as_ref(), time, &row.values());
    }
}
