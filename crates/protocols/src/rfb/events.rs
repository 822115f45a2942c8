//! Events of RFB for scripts: what the two sides agree on, each when it was said.

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue};

use super::message::result;
use super::transaction::RfbTransaction;

event_names! {
    /// Their names.
    const NAMES;
    SERVER_VERSION = "rfb_server_version",
    CLIENT_VERSION = "rfb_client_version",
    TYPE = "rfb_authentication_type",
    FAILURE = "rfb_auth_result",
    SUCCESS = "rfb_authentication_result",
    SHARE = "rfb_share_flag",
    SERVER = "rfb_server_parameters",
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/rfb/main",
    bodies: None,
    names: NAMES,
    open: || Box::<RfbRaiser>::default(),
};

#[derive(Debug, Default)]
struct RfbRaiser {
    told: [bool; 7],
}

impl EventRaiser for RfbRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<RfbTransaction>() else { return };
        let c = EventValue::Connection;
        let mut tell = |event: usize, values: Option<&[EventValue<'_>]>| {
            if let (Some(values), Some(told)) = (values, self.told.get_mut(event))
                && !std::mem::replace(told, true)
            {
                sink.raise(event, &[&[c], values].concat());
            }
        };
        for (direction, event) in
            [(Direction::ToClient, SERVER_VERSION), (Direction::ToServer, CLIENT_VERSION)]
        {
            let version = tx.versions[direction].as_ref();
            let parts =
                version.map(|version| [&version.major, &version.minor].map(|part| EventValue::String(part)));
            tell(event, parts.as_ref().map(|parts| &parts[..]));
        }
        let method = tx.security_type.map(|method| [EventValue::from(method)]);
        tell(TYPE, method.as_ref().map(|values| &values[..]));
        let success = tx.result.map(|code| code == result::OK);
        for (event, outcome) in [(FAILURE, success.map(|success| !success)), (SUCCESS, success)] {
            let outcome = outcome.map(|outcome| [EventValue::Bool(outcome)]);
            tell(event, outcome.as_ref().map(|values| &values[..]));
        }
        let shared = tx.shared.map(|shared| [EventValue::Bool(shared)]);
        tell(SHARE, shared.as_ref().map(|values| &values[..]));
        let desktop = tx
            .desktop
            .as_ref()
            .map(|desktop| [EventValue::String(&desktop.name), desktop.width.into(), desktop.height.into()]);
        tell(SERVER, desktop.as_ref().map(|values| &values[..]));
    }
}
