//! The tunnels that a connection is met in, and the one that it carries.

use weir_base::event::TunnelState;

use super::Connection;
use crate::identifier::Id;
use crate::tunnel::Within;

/// Meaning of the tunnel of a packet to its connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// It is that of the packet before.
    None,
    /// It is another one.
    Other,
    /// It is another one, and the last that is followed.
    TooMany,
}

impl Connection {
    /// Notes that an end sent a packet of a tunnel, which may be no service before both did.
    pub(crate) fn carries(&mut self, service: &'static str, originator: bool, waits_for_both: bool) {
        let ends = &mut self.rare().tunnel_ends;
        let [sent, answered] = ends;
        *(if originator { sent } else { answered }) = true;
        if !waits_for_both || *ends == [true; 2] {
            self.service(service);
        }
    }

    /// Returns whether an end sent a packet of a tunnel.
    pub(crate) fn carries_any(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.tunnel_ends != [false; 2])
    }

    /// Notes the tunnel that it carries; whether there was none before.
    pub(crate) fn opens_tunnel(&mut self, name: &'static str) -> bool {
        self.rare().tunnel.replace(name).is_none()
    }

    /// Name of the tunnel that it carries.
    pub(crate) fn tunnel(&self) -> Option<&'static str> {
        self.rare.as_ref()?.tunnel
    }

    /// The tunnels it was met in, in the order of time.
    pub(crate) fn parents(&self) -> &[Id] {
        self.rare.as_ref().map_or(&[], |rare| &rare.parents)
    }

    /// Keeps the tunnels around its first packet for scripts.
    pub(crate) fn keep_around(&mut self, around: &[Within]) {
        if !around.is_empty() {
            self.rare().around = around.iter().map(Within::state).collect();
        }
    }

    /// Returns the tunnels around its first packet, where they were kept.
    pub(crate) fn around(&self) -> &[TunnelState] {
        self.rare.as_ref().map_or(&[], |rare| &rare.around)
    }

    /// Notes the tunnel of the next packet; `most` changes are followed.
    pub(crate) fn changes_tunnel(&mut self, parent: Id, most: u32) -> Change {
        let current =
            self.rare.as_ref().and_then(|rare| rare.current_parent.or(rare.parents.first().copied()));
        if current == Some(parent) {
            return Change::None;
        }
        let rare = self.rare();
        rare.current_parent = Some(parent);
        rare.tunnel_changes = rare.tunnel_changes.saturating_add(1);
        if rare.tunnel_changes <= most && !rare.parents.contains(&parent) {
            rare.parents.push(parent);
        }
        if rare.tunnel_changes == most.saturating_add(1) {
            self.reached_limit();
            return Change::TooMany;
        }
        Change::Other
    }
}
