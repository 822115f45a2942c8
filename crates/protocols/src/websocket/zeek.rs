//! Service and weirds of frames in Zeek's logs; HTTP's logger writes the log ([`super::handshake`]).

use weir_applayer::zeek::News;
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink};
use weir_base::Direction;

use super::WEBSOCKET;
use super::events::EVENTS;
use super::frame::opcode;
use super::transaction::WebSocketTransaction;

/// The logs.
pub static LOGS: ZeekLogs =
    ZeekLogs { from_start: true, events: Some(&EVENTS), ..ZeekLogs::new(&[], |_| Box::new(WebSocketLogger)) };

/// Most bytes of a control frame's payload (RFC 6455 5.5).
const MAX_CONTROL: u64 = 125;

#[derive(Debug)]
struct WebSocketLogger;

impl ZeekLogger for WebSocketLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<WebSocketTransaction>() else { return };
        if tx.meta.only == Some(Direction::ToClient) {
            sink.service(WEBSOCKET.zeek_service);
        }
        if opcode::is_control(tx.opcode) && tx.length > MAX_CONTROL {
            let about = format!("{} > {MAX_CONTROL}", tx.length);
            let time = Direction::BOTH.map(|direction| tx.meta.first_seen[direction]).into_iter().max();
            let name = "websocket_control_frame_size_exceeded";
            sink.weird(time.unwrap_or_default(), name, Some(&about));
        }
    }
}
