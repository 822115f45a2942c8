//! The lane: the thread that reads scripts, takes events and runs their handlers.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use weir_base::Timestamp;
use weir_base::event::{
    self, CLOCK, EventMessage, FILE, FIRST_PACKET, FORGET, PACKET, PAYLOAD, ROW, ReadValue,
};

use super::BATCHES;
use super::connection::Known;
use super::demand::{self, Demand, EACH};
use super::rows::Layouts;
use super::streams::{Delivered, Streams};
use super::values;
use crate::command::{self, Options, STACK};
use crate::driver::Driver;
use crate::frameworks::discarding::Discarders;
use crate::frameworks::expectations::BEGINNING;
use crate::frameworks::files::{self, Knowledge, Piece};
use crate::frameworks::filters::Check;
use crate::frameworks::{packets, skipping, thresholds, unknown_protocols};
use crate::signatures::Signatures;
use crate::signatures::rule::{Content, FirstPacket};
use crate::types::TypeId;
use crate::values::{Addr, Value};
use crate::vm::{Fault, Outcome};

/// What the lane takes.
#[derive(Debug)]
pub enum Batch {
    /// Messages of events.
    Events(Vec<u8>),
    /// There are no more.
    End,
}

/// Takes messages for a lane.
pub type Taker = Box<dyn Fn(&[u8]) + Send + Sync>;

/// What scripts do beside handling events.
pub struct Hooks {
    /// Called once, when scripts ask for the end of the run.
    pub stop: Box<dyn Fn() + Send>,
    /// Called when scripts end the process by `exit`.
    pub exit: Box<dyn Fn(i32) + Send>,
    /// Returns whether somebody asked for the end of the run.
    pub is_over: Box<dyn Fn() -> bool + Send>,
    /// Finds types of files.
    pub knowledge: Knowledge,
    /// Compiles filters of packets.
    pub check_filter: Check,
}

/// A lane that runs.
pub struct Lane {
    sender: SyncSender<Batch>,
    thread: JoinHandle<i32>,
}

impl Lane {
    /// Reads scripts on a thread of their own and runs `zeek_init`; the answer is what they ask for.
    ///
    /// # Errors
    ///
    /// The exit code where nothing is to be run: scripts cannot be read, or end the process.
    pub fn start(options: Options, hooks: Hooks) -> Result<(Self, Demand), i32> {
        let (sender, receiver) = sync_channel(BATCHES);
        let (tell, told) = channel();
        let builder = std::thread::Builder::new().name("scripts".to_owned()).stack_size(STACK);
        let thread = builder.spawn(move || run(&options, &hooks, &receiver, &tell)).map_err(|_| 1)?;
        match told.recv() {
            Ok(Ok(demand)) => Ok((Self { sender, thread }, demand)),
            Ok(Err(code)) => {
                let _ = thread.join();
                Err(code)
            }
            Err(_) => Err(thread.join().unwrap_or(1)),
        }
    }

    /// Returns who takes messages for the lane. It waits while the lane has much to do.
    pub fn taker(&self) -> Taker {
        let sender = self.sender.clone();
        // A lane that is gone has said why.
        Box::new(move |messages| drop(sender.send(Batch::Events(messages.to_vec()))))
    }

    /// Runs what is left, and `zeek_done`; the exit code.
    pub fn finish(self) -> i32 {
        let _ = self.sender.send(Batch::End);
        self.thread.join().unwrap_or(1)
    }
}

fn run(
    options: &Options,
    hooks: &Hooks,
    receiver: &Receiver<Batch>,
    tell: &Sender<Result<Demand, i32>>,
) -> i32 {
    let path = std::env::var("ZEEKPATH").ok();
    let mut driver = Driver::new(path.as_deref());
    driver.engine.frameworks.bare = options.bare;
    driver.engine.has_packets = true;
    driver.engine.frameworks.files.knowledge = Some(hooks.knowledge);
    driver.engine.frameworks.filters.check = Some(hooks.check_filter);
    let before = demand::settings(&driver.engine);
    if let Err(code) = command::read(&mut driver, options) {
        driver.engine.close();
        let _ = tell.send(Err(code));
        return code;
    }
    driver.engine.frameworks.packets.path = options.reads.first().cloned().unwrap_or_default();
    let begun = begin(&mut driver, hooks);
    if let Err(code) = begun {
        driver.engine.close();
        let _ = tell.send(Err(code));
        return code;
    }
    let mut demand = Demand::of(&driver, &before);
    demand.packets |= options.writes.is_some();
    let _ = tell.send(Ok(demand));
    let mut work = Work::new(driver, hooks);
    work.reads.clone_from(&options.reads);
    work.writes.clone_from(&options.writes);
    work.heed(Ok(()));
    while let Ok(Batch::Events(messages)) = receiver.recv() {
        work.take(&messages);
    }
    work.end()
}

/// Rounds of events that raise others which are handled for a packet.
const ROUNDS: u32 = 4;

fn begin(driver: &mut Driver, hooks: &Hooks) -> Result<(), i32> {
    let engine = &mut driver.engine;
    engine.prepare_steering();
    let result = engine.run_top_level().and_then(|()| engine.begin());
    let result = result.and_then(|()| engine.wait_while_suspended(&hooks.is_over));
    engine.rounds = Some(ROUNDS);
    match result {
        Ok(()) => Ok(()),
        Err(Fault::Exit) => Err(engine.exit_code.unwrap_or(0)),
        Err(_) => Err(1),
    }
}

/// The moment and packet that messages are of.
#[derive(Clone, Copy, PartialEq, Eq)]
struct At {
    clock: u64,
    packet: u64,
}

struct Work<'a> {
    driver: Driver,
    known: Known,
    hooks: &'a Hooks,
    at: Option<At>,
    has_clock: bool,
    /// Scripts asked for the end: what comes is passed over.
    is_over: bool,
    layouts: Layouts,
    /// Connections and files that the packet at hand ended: their rows may still come.
    over: Vec<Vec<u8>>,
    signatures: Option<Signatures>,
    /// Captures that are read: scripts hear when they are over.
    reads: Vec<String>,
    /// The file that all packets are written to.
    writes: Option<String>,
    /// When frameworks looked at what they read, by the time of packets.
    polled: f64,
    streams: Streams,
    /// The event that is raised behind all others of a packet, and its arguments.
    last: Option<u32>,
    /// The event behind each packet of a connection, where scripts set thresholds.
    each: Option<u32>,
    /// The events of a connection that begins, and that ends.
    begins: Option<u32>,
    ends: Option<u32>,
    discarders: Discarders,
    /// Scripts hear of protocols that nothing knows.
    tells_unknown: bool,
    /// Scripts have discarded the packet at hand.
    is_discarded: bool,
    behind: Vec<Vec<Value>>,
}

impl<'a> Work<'a> {
    fn new(mut driver: Driver, hooks: &'a Hooks) -> Self {
        let known = Known::default();
        let (layouts, over) = (Layouts::default(), Vec::new());
        let signatures = driver.take_signatures();
        let streams = Streams::of(&driver.engine);
        let last = driver.engine.program.function_named("raw_packet");
        let each =
            driver.engine.program.function_named(EACH).filter(|_| thresholds::wants_packets(&driver.engine));
        let begins = driver.engine.program.function_named(BEGINNING);
        let ends = driver.engine.program.function_named("connection_state_remove");
        let discarders = Discarders::of(&driver.engine);
        let unknown = driver.engine.program.function_named(unknown_protocols::EVENT);
        let tells_unknown = unknown.is_some_and(|number| driver.engine.is_heard(number));
        Self {
            driver,
            known,
            hooks,
            at: None,
            has_clock: false,
            is_over: false,
            layouts,
            over,
            signatures,
            reads: Vec::new(),
            writes: None,
            polled: 0.0,
            streams,
            last,
            each,
            begins,
            ends,
            discarders,
            tells_unknown,
            is_discarded: false,
            behind: Vec::new(),
        }
    }

    fn take(&mut self, mut messages: &[u8]) {
        while !self.is_over
            && let Some((message, length)) = event::read(messages)
        {
            let outcome = self.message(&message);
            self.heed(outcome);
            messages = messages.get(length..).unwrap_or_default();
        }
    }

    /// Ends the process, or the run, where scripts ask for that.
    fn heed(&mut self, outcome: Outcome<()>) {
        if matches!(outcome, Err(Fault::Exit)) {
            let code = self.driver.engine.exit_code.unwrap_or(0);
            crate::frameworks::finish(&mut self.driver.engine);
            self.driver.engine.close();
            self.is_over = true;
            (self.hooks.exit)(code);
        }
        if self.driver.engine.is_terminating && !self.is_over {
            self.is_over = true;
            (self.hooks.stop)();
        }
    }

    fn message(&mut self, message: &EventMessage<'_>) -> Outcome<()> {
        let is_late = self.turn_to(message)?;
        let is_discarded = self.is_discarded && !matches!(message.function, CLOCK | PACKET | FORGET | ROW);
        if self.driver.engine.is_terminating || is_discarded || self.is_unwanted(message) {
            return Ok(());
        }
        let engine = &mut self.driver.engine;
        match message.function {
            CLOCK => {}
            PACKET => self.packet(message)?,
            FIRST_PACKET | PAYLOAD => self.matched(message, is_late)?,
            FORGET => self.end_of_connection(message)?,
            FILE => self.file(message, is_late)?,
            ROW => {
                let waiting = engine.queue.len();
                self.layouts.raise(engine, &mut self.known, &message.arguments);
                if is_of_start(&message.arguments) && engine.queue.len() > waiting {
                    engine.date_last(0.0);
                }
                if is_late && engine.queue.len() > waiting {
                    engine.date_last(seconds(message.clock));
                }
            }
            function => {
                let Some(types) = parameters(engine, function) else { return Ok(()) };
                let mut arguments = Vec::with_capacity(types.len());
                for (read, ty) in message.arguments.iter().zip(types) {
                    arguments.push(values::value(engine, &mut self.known, read, ty));
                }
                if let (Some(signatures), Some(ReadValue::Connection(read)), Some(record)) =
                    (&mut self.signatures, message.arguments.first(), arguments.first())
                {
                    let told = Known::told(read, record);
                    signatures.hear(engine, function, told, &message.arguments)?;
                }
                engine.put_analyzer_id(function, &arguments);
                if self.begins == Some(function) && engine.frameworks.expectations.exist() {
                    engine.tell_expected(arguments.first().unwrap_or(&Value::Unset));
                }
                if self.ends == Some(function) {
                    self.streams.readers.end_before(engine, &message.arguments, &arguments);
                }
                if self.each == Some(function) {
                    thresholds::look(engine, &message.arguments, arguments.first());
                }
                if self.last == Some(function) {
                    self.behind.push(arguments);
                    return Ok(());
                }
                let waiting = engine.queue.len();
                engine.raise(function, arguments);
                if is_late && engine.queue.len() > waiting {
                    engine.date_last(seconds(message.clock));
                }
            }
        }
        Ok(())
    }

    /// A connection is over.
    fn end_of_connection(&mut self, message: &EventMessage<'_>) -> Outcome<()> {
        let Some(ReadValue::String(uid)) = message.arguments.first() else { return Ok(()) };
        let engine = &mut self.driver.engine;
        if let Some(record) = self.known.find(uid) {
            self.streams.readers.end(engine, uid, &Value::Record(record.clone()));
        }
        if let Some(signatures) = &mut self.signatures {
            signatures.end(engine, uid)?;
        }
        self.over.push(uid.to_vec());
        Ok(())
    }

    /// Takes the packet at hand, which scripts may discard.
    fn packet(&mut self, message: &EventMessage<'_>) -> Outcome<()> {
        let engine = &mut self.driver.engine;
        let ty = packets::header_type(engine);
        let header = message.arguments.get(4).map(|read| values::value(engine, &mut self.known, read, ty));
        let header = header.unwrap_or_default();
        if let Some(ReadValue::String(bytes)) = message.arguments.get(3)
            && self.discarders.exist()
        {
            self.is_discarded = self.discarders.discard(engine, &header, bytes)?;
        }
        engine.frameworks.packets.take(&message.arguments, header);
        if self.tells_unknown && !self.is_discarded {
            unknown_protocols::tell(engine);
        }
        if let Some(path) = &self.writes
            && let Some(Err(error)) = engine.frameworks.packets.dump_current(path)
        {
            engine.complain(&format!("cannot write packets to {path}: {error}"));
            self.writes = None;
        }
        Ok(())
    }

    /// Turns to the packet of a message: what the one before caused is over then. Returns whether the message tells late of
    /// an earlier packet, and belongs to the packet that tells.
    fn turn_to(&mut self, message: &EventMessage<'_>) -> Outcome<bool> {
        let is_at_end = message.clock.0 == u64::MAX;
        let packet = if is_at_end { 0 } else { message.packet };
        let at = At { clock: message.clock.0, packet };
        let is_late = self.at.is_some_and(|now| now.packet == packet && at.clock < now.clock);
        if self.at == Some(at) || is_late {
            return Ok(is_late);
        }
        // The clock is told before the packet that moved it: handlers of what was due see what that packet did.
        if self.at == Some(At { packet: 0, ..at }) {
            self.at = Some(at);
            return Ok(false);
        }
        // Handlers of a packet's events see what all of the packet did.
        self.raise_last();
        self.driver.engine.drain()?;
        if self.driver.engine.is_terminating {
            return Ok(false);
        }
        self.forget();
        self.driver.engine.wait_while_suspended(&self.hooks.is_over)?;
        (self.at, self.is_discarded) = (Some(at), false);
        if is_at_end {
            self.tell_end()?
        } else {
            self.reach(message)?
        }
        Ok(false)
    }

    /// Returns whether scripts have said that they do not want what a message is of.
    fn is_unwanted(&mut self, message: &EventMessage<'_>) -> bool {
        let engine = &mut self.driver.engine;
        if skipping::passes_over(engine, message.function, &message.arguments) {
            return true;
        }
        if !engine.frameworks.steering.is_active() {
            return false;
        }
        match (message.function, &*message.arguments) {
            (CLOCK | PACKET | FORGET | FIRST_PACKET | PAYLOAD, _) => false,
            (ROW, [ReadValue::String(log), ReadValue::Table(cells)]) => {
                let uid = match super::rows::cell(cells, "uid") {
                    Some(ReadValue::String(uid)) => uid,
                    _ => [].as_slice(),
                };
                engine.frameworks.steering.drops_row(&String::from_utf8_lossy(log), uid)
            }
            (function, arguments) => {
                let uid = arguments.iter().find_map(|read| match read {
                    ReadValue::Connection(read) => Some(read.uid),
                    _ => None,
                });
                engine.passes_over(function, uid.unwrap_or_default())
            }
        }
    }

    /// Raises what comes behind the other events of a packet.
    fn raise_last(&mut self) {
        for arguments in self.behind.drain(..) {
            if let Some(event) = self.last {
                self.driver.engine.raise(event, arguments);
            }
        }
    }

    /// Tells scripts that captures are over.
    fn tell_end(&mut self) -> Outcome<()> {
        let engine = &mut self.driver.engine;
        engine.frameworks.packets.end();
        engine.tell_net_done();
        for path in self.reads.drain(..) {
            engine.raise_named("Pcap::file_done", vec![Value::string(path)]);
        }
        engine.drain()
    }

    /// Forgets what an earlier packet ended.
    fn forget(&mut self) {
        let ended = self.driver.engine.frameworks.files.take_ended();
        self.over.extend(ended.iter().map(|id| id.to_vec()));
        for id in self.over.drain(..) {
            self.driver.engine.end_owner(&id, self.known.find(&id));
            self.known.forget(&id);
            self.driver.engine.frameworks.steering.forget(&id);
            self.driver.engine.frameworks.limits.forget(&id);
            self.driver.engine.frameworks.skipping.forget(&id);
        }
    }

    /// Takes a piece of a file. Handlers of what happened before have run then.
    fn file(&mut self, message: &EventMessage<'_>, is_late: bool) -> Outcome<()> {
        let engine = &mut self.driver.engine;
        let [
            ReadValue::Connection(read),
            ReadValue::String(id),
            ReadValue::String(source),
            ReadValue::Bool(is_orig),
            ReadValue::String(name),
            ReadValue::Count(depth),
            total,
            mime_type,
            ReadValue::Bool(is_in_parts),
            ReadValue::Count(offset),
            ReadValue::String(bytes),
            end,
            captured,
        ] = &*message.arguments
        else {
            return Ok(());
        };
        let count = |value: &ReadValue<'_>| match value {
            ReadValue::Count(count) => Some(*count),
            _ => None,
        };
        engine.drain()?;
        let connection = self.known.connection(engine, read);
        let piece = Piece {
            id,
            source,
            connection: Some((connection, *is_orig)),
            name,
            depth: *depth,
            total: count(total),
            mime_type: if let ReadValue::String(mime_type) = mime_type { mime_type } else { b"" },
            offset: Some(*offset),
            is_in_parts: *is_in_parts,
            bytes,
            end: count(end),
        };
        let clock = engine.network_time;
        // What is told behind the last packet has its own time.
        let is_apart = is_late || message.clock.0 == u64::MAX;
        if let (true, ReadValue::Time(captured)) = (is_apart, captured) {
            engine.network_time = micros(*captured);
        }
        let result = files::take(engine, &piece);
        let result = if is_apart { result.and_then(|()| engine.drain()) } else { result };
        engine.network_time = clock;
        result
    }

    /// Matches signatures against what workers send of a connection.
    fn matched(&mut self, message: &EventMessage<'_>, is_late: bool) -> Outcome<()> {
        let engine = &mut self.driver.engine;
        let [ReadValue::Connection(read), ReadValue::Bool(is_orig), rest @ ..] = &*message.arguments else {
            return Ok(());
        };
        let record = self.known.connection(engine, read);
        let told = Known::told(read, &record);
        let waiting = engine.queue.len();
        if let [ReadValue::Bool(_), ReadValue::String(bytes), place @ ..] = rest {
            engine.keep_contents(read.uid, *is_orig, bytes);
            let offset = if let [ReadValue::Count(offset)] = place { Some(*offset) } else { None };
            let now = seconds(message.clock);
            let delivered = Delivered { is_orig: *is_orig, offset, bytes, now, is_late };
            self.streams.deliver(engine, read, &record, &delivered);
        }
        match (rest, &mut self.signatures) {
            ([ReadValue::String(ip), ReadValue::String(transport), size], Some(signatures)) => {
                let mut ends = read.ends.map(|end| (Addr(end.address), end.port));
                if !is_orig {
                    ends.reverse();
                }
                let packet = FirstPacket { ip, transport, protocol: read.protocol, ends };
                let size = if let ReadValue::Count(size) = size { Some(*size) } else { None };
                signatures.first(engine, told, *is_orig, &packet, size)?;
            }
            ([ReadValue::Bool(begins), ReadValue::String(bytes), ..], Some(signatures))
                if !bytes.is_empty() =>
            {
                signatures.feed(engine, told, *is_orig, (Content::Payload, *begins), bytes)?;
            }
            _ => {}
        }
        if is_late && engine.queue.len() > waiting {
            engine.date_last(seconds(message.clock));
        }
        Ok(())
    }

    /// The clock shows the time of a message.
    fn reach(&mut self, message: &EventMessage<'_>) -> Outcome<()> {
        let now = seconds(message.clock).max(FIRST_MOMENT);
        let engine = &mut self.driver.engine;
        if now > engine.network_time {
            engine.reach(now)?;
        }
        engine.frameworks.packets.time = Some(now);
        if now - self.polled >= HEARTBEAT {
            self.polled = now;
            engine.read_inputs()?;
        }
        if !std::mem::replace(&mut self.has_clock, true) {
            engine.raise_named("network_time_init", Vec::<Value>::new());
            engine.drain()?;
        }
        Ok(())
    }

    fn end(&mut self) -> i32 {
        self.raise_last();
        if !self.is_over {
            let outcome = self.driver.engine.drain().and_then(|()| self.tell_end());
            let _ = outcome;
        }
        let engine = &mut self.driver.engine;
        let outcome = engine.end();
        let _ = outcome;
        crate::frameworks::finish(engine);
        let code = engine.exit_code.unwrap_or(0);
        engine.close();
        code
    }
}

/// Seconds of packets between looks at what frameworks read.
const HEARTBEAT: f64 = 1.0;

/// The first time that packets have: none is dated before.
const FIRST_MOMENT: f64 = 1.0;

/// Returns whether a row is that of the filter, which scripts see as it was written when they began.
fn is_of_start(row: &[ReadValue<'_>]) -> bool {
    matches!(row.first(), Some(ReadValue::String(b"packet_filter")))
}

/// Seconds since 1970, without the nanoseconds that Zeek does not know.
fn seconds(moment: Timestamp) -> f64 {
    moment.seconds() as f64 + f64::from(moment.micros()) / 1e6
}

/// A moment as exact as Zeek knows it.
fn micros(moment: f64) -> f64 {
    (moment * 1e6).round() / 1e6
}

/// Returns the types of an event's parameters.
pub(super) fn parameters(engine: &crate::vm::Engine, function: u32) -> Option<Vec<TypeId>> {
    let function = engine.program.functions.get(function as usize)?;
    let signature = engine.types().signature(function.ty)?;
    Some(signature.parameters.iter().map(|parameter| parameter.ty).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::net::IpAddr;

    use weir_base::EventValue;
    use weir_base::event::{ConnectionState, EndState, transport};

    use super::*;
    use crate::driver::Script;

    fn state(size: u64) -> ConnectionState<'static> {
        let end = |port: u16| EndState {
            address: IpAddr::from([10, 0, 0, 1]),
            port,
            size,
            state: 4,
            packets: 2,
            ip_bytes: 90,
            flow_label: 0,
            link: None,
        };
        ConnectionState {
            uid: b"C1",
            ends: [end(1024), end(80)],
            protocol: 6,
            start: Timestamp::new(1, 0),
            duration: 250_000_000,
            history: b"Sh",
            services: &["ftp-data"],
            vlans: [None; 2],
            tunnels: &[],
            is_whole: true,
        }
    }

    /// Runs a script over messages; what it prints.
    fn printed(script: &'static str, messages: fn(&HashMap<String, u32>) -> Vec<u8>) -> String {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            let mut driver = Driver::new(Some("."));
            driver.engine.has_packets = true;
            driver.engine.output.captured = Some((Vec::new(), String::new()));
            assert!(driver.read(&[Script::Text("script.zeek".to_owned(), script.into())]));
            let hooks = Hooks {
                stop: Box::new(|| ()),
                exit: Box::new(|_| ()),
                is_over: Box::new(|| false),
                check_filter: |_| Ok(()),
                knowledge: Knowledge {
                    recognise: |head| head.starts_with(b"GIF8").then_some("image/gif"),
                    readers: &[],
                    streams: &[],
                },
            };
            begin(&mut driver, &hooks).unwrap();
            let demand = Demand::of(&driver, &[]);
            driver.engine.frameworks.files.knowledge = Some(hooks.knowledge);
            driver.engine.frameworks.filters.check = Some(hooks.check_filter);
            let mut work = Work::new(driver, &hooks);
            work.take(&messages(&demand.functions));
            work.end();
            let (out, errors) = work.driver.engine.output.captured.take().unwrap();
            assert_eq!(errors, "");
            String::from_utf8(out).unwrap()
        });
        thread.unwrap().join().unwrap()
    }

    #[test]
    fn handlers_see_what_their_packet_did() {
        let script =
            "event new_connection(c: connection) { print c$uid, c$orig$size, c$service, network_time(); }
            event connection_state_remove(c: connection) { print \"over\", c$id$resp_p, c$history; }
            event zeek_done() { print \"done\", network_time(); }";
        let printed = printed(script, |functions| {
            let mut out = Vec::new();
            let mut send = |second: u64, packet: u64, name: &str, size: u64| {
                let at = (Timestamp::new(second, 0), packet);
                event::write(&mut out, at, functions[name], &[EventValue::Connection], Some(&state(size)));
            };
            send(5, 1, "new_connection", 0);
            // Of the same packet.
            send(5, 1, "connection_state_remove", 7);
            event::write(&mut out, (Timestamp::new(9, 0), 2), CLOCK, &[], None);
            out
        });
        assert_eq!(printed, "C1, 7, {\nftp-data\n}, 5.0\nover, 80/tcp, Sh\ndone, 9.0\n");
    }

    #[test]
    fn rows_of_the_engine_join_what_scripts_keep() {
        let script = "@load base/protocols/http
            redef record HTTP::Info += { note: string &log &optional; };
            event http_request(c: connection, method: string, original_URI: string, unescaped_URI: string, version: string) {
                c$http$note = \"seen\";
                c$http$host = \"scripts\";
            }
            event HTTP::log_http(rec: HTTP::Info) { print rec$uri, rec?$note ? rec$note : \"-\", rec$host, rec$id$resp_p; }
            event zeek_init() { Log::remove_default_filter(HTTP::LOG); }";
        let printed = printed(script, |functions| {
            let mut out = Vec::new();
            let at = (Timestamp::new(5, 0), 1);
            let text = EventValue::text;
            let request = [EventValue::Connection, text("GET"), text("/a"), text("/a"), text("1.1")];
            event::write(&mut out, at, functions["http_request"], &request, Some(&state(0)));
            for (depth, uri) in [(1, "/native"), (2, "/other")] {
                let cells = [
                    (text("uid"), text("C1")),
                    (text("id.resp_p"), EventValue::Port(80, transport::TCP)),
                    (text("trans_depth"), EventValue::Count(depth)),
                    (text("host"), text("native")),
                    (text("uri"), text(uri)),
                ];
                let cells: Vec<EventValue<'_>> =
                    cells.into_iter().flat_map(|(name, cell)| [name, cell]).collect();
                event::write(&mut out, at, ROW, &[text("http"), EventValue::Table(&cells)], None);
            }
            out
        });
        assert_eq!(printed, "/native, seen, scripts, 80/tcp\n/other, -, native, 80/tcp\n");
    }

    #[test]
    fn timers_go_by_packets_and_late_events_by_their_own() {
        let script = "event later() { print \"later\", network_time(); }
            event udp_request(u: connection) { print \"request\", network_time(); schedule 2secs { later() }; }";
        let printed = printed(script, |functions| {
            let mut out = Vec::new();
            let mut send = |second: u64, packet: u64, function: u32| {
                let at = (Timestamp::new(second, 0), packet);
                event::write(&mut out, at, function, &[EventValue::Connection], Some(&state(0)));
            };
            send(5, 1, CLOCK);
            send(4, 1, functions["udp_request"]);
            send(8, 2, CLOCK);
            out
        });
        assert_eq!(printed, "request, 4.0\nlater, 8.0\n");
    }

    #[test]
    fn what_is_due_sees_the_packet_that_moved_the_clock() {
        let script = "event later(c: connection) { print \"later\", network_time(), c$orig$size; }
            event new_connection(c: connection) { schedule 2secs { later(c) }; }
            event udp_reply(u: connection) { print \"reply\", u$orig$size; }";
        let printed = printed(script, |functions| {
            let mut out = Vec::new();
            let mut send = |second: u64, packet: u64, function: u32, size: u64| {
                let at = (Timestamp::new(second, 0), packet);
                event::write(&mut out, at, function, &[EventValue::Connection], Some(&state(size)));
            };
            send(5, 1, functions["new_connection"], 1);
            send(8, 0, CLOCK, 0);
            send(8, 2, functions["udp_reply"], 9);
            out
        });
        assert_eq!(printed, "later, 8.0, 9\nreply, 9\n");
    }

    /// Appends a piece of a file: a second, where it belongs, the bytes, and its end.
    fn piece(
        out: &mut Vec<u8>,
        second: u64,
        is_in_parts: bool,
        (offset, bytes): (u64, &[u8]),
        end: Option<u64>,
    ) {
        let arguments = [
            EventValue::Connection,
            EventValue::text("F1"),
            EventValue::text("HTTP"),
            EventValue::Bool(false),
            EventValue::text("a.gif"),
            EventValue::Count(2),
            EventValue::Unset,
            EventValue::Unset,
            EventValue::Bool(is_in_parts),
            EventValue::Count(offset),
            EventValue::String(bytes),
            EventValue::count(end),
            EventValue::Time(Timestamp::new(second, 0)),
        ];
        event::write(out, (Timestamp::new(second, 0), second), FILE, &arguments, Some(&state(0)));
    }

    const FOLLOWED: &str = "@load base/frameworks/files
        @load base/files/hash
        event data(f: fa_file, data: string) { print \"data\", data; }
        event file_new(f: fa_file) {
            print \"new\", f$source, f$seen_bytes;
            Files::add_analyzer(f, Files::ANALYZER_MD5);
            Files::add_analyzer(f, Files::ANALYZER_DATA_EVENT, [$stream_event=data]);
        }
        event file_sniff(f: fa_file, meta: fa_metadata) { print \"sniff\", meta?$mime_type ? meta$mime_type : \"-\"; }
        event file_gap(f: fa_file, offset: count, len: count) { print \"gap\", offset, len; }
        event file_hash(f: fa_file, kind: string, hash: string) { print kind, hash[:8]; }
        event file_timeout(f: fa_file) { print \"timeout\", network_time(); }
        event file_state_remove(f: fa_file) &priority=-5 {
            print \"over\", f$seen_bytes, f$missing_bytes, f$info$filename, f$info$depth, |f$conns|;
        }
        event zeek_init() { Log::disable_stream(Files::LOG); }";

    #[test]
    fn files_are_followed() {
        let whole = printed(FOLLOWED, |_| {
            let mut out = Vec::new();
            piece(&mut out, 5, false, (0, b"GIF8"), None);
            piece(&mut out, 6, false, (4, b"9a"), None);
            piece(&mut out, 7, false, (0, b""), Some(6));
            out
        });
        assert_eq!(
            whole,
            "new, HTTP, 0\ndata, GIF8\ndata, 9a\nsniff, image/gif\nmd5, 17af9e4a\nover, 6, 0, a.gif, 2, 1\n"
                .replace("17af9e4a", &md5("GIF89a"))
        );
        let holed = printed(FOLLOWED, |_| {
            let mut out = Vec::new();
            piece(&mut out, 5, false, (0, b"GIF8"), None);
            piece(&mut out, 6, false, (8, b"x"), None);
            event::write(&mut out, (Timestamp::new(200, 0), 9), CLOCK, &[], None);
            out
        });
        assert_eq!(
            holed,
            "new, HTTP, 0\ndata, GIF8\nsniff, image/gif\ngap, 4, 4\ndata, x\ntimeout, 200.0\nover, 5, 4, a.gif, 2, 1\n"
        );
    }

    #[test]
    fn parts_of_files_are_put_in_order() {
        let ordered = printed(FOLLOWED, |_| {
            let mut out = Vec::new();
            piece(&mut out, 5, true, (4, b"9a"), None);
            piece(&mut out, 6, true, (0, b"GIF8"), None);
            piece(&mut out, 7, true, (8, b"z"), None);
            out
        });
        let expected = "new, HTTP, 0\ndata, GIF8\ndata, 9a\ntimeout, 7.0\nsniff, image/gif\ngap, 6, 2\ndata, z\nover, 7, 2, a.gif, 2, 1\n";
        assert_eq!(ordered, expected);
    }

    fn md5(text: &str) -> String {
        use md5::Digest as _;
        crate::builtins::hexadecimal(&md5::Md5::digest(text))[..8].to_owned()
    }

    #[test]
    fn what_is_cut_short_is_passed_over() {
        let script = "event udp_request(u: connection) { print u$id$orig_p; }";
        let printed = printed(script, |functions| {
            let mut out = Vec::new();
            let at = (Timestamp::new(1, 0), 1);
            let arguments = [EventValue::Port(1, transport::UDP)];
            event::write(&mut out, at, functions["udp_request"], &arguments, None);
            out.truncate(out.len() - 1);
            out
        });
        assert_eq!(printed, "");
    }
}
