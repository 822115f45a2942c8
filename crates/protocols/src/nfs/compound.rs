//! Compounds of version 4: what their operations come to.
//!
//! Where the data of a file are yet to come, operations may stand behind them. They are read once the data came, and
//! with them the compound ends.

use std::sync::Arc;

use weir_applayer::ParseContext;
use weir_base::Timestamp;

use super::anomaly::NfsAnomaly;
use super::calls::{Call, Read};
use super::conversation::{Conversation, Streaming, unwrapped};
use super::rpc::{self, Credentials};
use super::version4::{self, End, Given, Wanted};
use super::xdr::Data;

/// A message that is read, but for what is yet to come of it.
#[derive(Debug, Default)]
pub struct Begun {
    /// The part of a file that it carries.
    pub part: Option<Streaming>,
    /// Bytes to come of the wrapped part, where there is one.
    pub missing: Option<usize>,
    /// Rest of a compound behind the data that are yet to come.
    pub rest: Option<Box<Rest>>,
}

impl Begun {
    /// Nothing but a part of a file is to come.
    pub fn of(part: Option<Streaming>) -> Self {
        Self { part, ..Self::default() }
    }
}

/// Operations that stand behind data that are yet to come.
#[derive(Debug)]
pub struct Rest {
    /// Bytes of the data to come.
    pub data: u32,
    /// Bytes of padding.
    pub padding: u32,
    /// Number of operations.
    count: u32,
    compound: Compound,
}

/// State of a compound from the operations before.
#[derive(Debug)]
enum Compound {
    Asked(Asked),
    Answered(Answered),
}

/// Of a call.
#[derive(Debug)]
struct Asked {
    xid: u32,
    credentials: Credentials,
    call: Call,
    /// The file that operations are about.
    current: Arc<[u8]>,
    /// The operation that makes or removes something.
    made: Option<u32>,
}

/// Of a reply.
#[derive(Debug)]
struct Answered {
    xid: u32,
    call: Call,
    /// Parts of files that came. They come in the order in which they were asked for.
    reads: usize,
    was_opened: bool,
    rpc_status: u32,
    /// Status of the last operation.
    outcome: u32,
}

impl Conversation {
    /// Whether a compound of which only the beginning is there has come to the data of a file.
    pub(super) fn compound_is_in_data(arguments: &[u8]) -> bool {
        matches!(version4::asked(arguments, |_| {}), End::InData(_))
    }

    /// Returns whether a compound's results end inside data.
    pub(super) fn answers_are_in_data(results: &[u8]) -> bool {
        matches!(version4::answered(results, |_, _| {}), End::InData(_))
    }

    /// Returns whether operations behind data end inside data again.
    pub(super) fn rest_is_in_data(rest: &Rest, operations: &[u8]) -> bool {
        let end = match rest.compound {
            Compound::Asked(_) => version4::asked_next(operations, rest.count, |_| {}),
            Compound::Answered(_) => version4::answered_next(operations, rest.count, |_, _| {}),
        };
        matches!(end, End::InData(_))
    }

    /// Takes a compound.
    pub(super) fn compound(
        &mut self,
        cx: &mut ParseContext<'_>,
        (xid, call): (u32, Call),
        message: &rpc::Call<'_>,
        time: Timestamp,
    ) -> Begun {
        let credentials = message.credentials.clone();
        let asked = Asked { xid, credentials, call, current: Arc::default(), made: None };
        let mut operations = Vec::new();
        let (end, missing) = match unwrapped(message.is_wrapped, message.arguments) {
            Some((arguments, missing)) => {
                (version4::asked(arguments, |operation| operations.push(operation)), missing)
            }
            None => (End::Cut, None),
        };
        Begun { missing, ..self.asked(cx, asked, operations, end, time) }
    }

    /// Takes the results of a compound.
    pub(super) fn compound_reply(
        &mut self,
        cx: &mut ParseContext<'_>,
        (xid, call): (u32, Call),
        results: &[u8],
        rpc_status: u32,
        time: Timestamp,
    ) -> Begun {
        let answered = Answered { xid, call, reads: 0, was_opened: false, rpc_status, outcome: 0 };
        let mut operations = Vec::new();
        let end = version4::answered(results, |status, operation| operations.push((status, operation)));
        self.answered(cx, answered, operations, end, time)
    }

    /// Takes operations behind data.
    pub(super) fn go_on(
        &mut self,
        cx: &mut ParseContext<'_>,
        rest: Rest,
        bytes: &[u8],
        time: Timestamp,
    ) -> Begun {
        match rest.compound {
            Compound::Asked(asked) => {
                let mut operations = Vec::new();
                let end = version4::asked_next(bytes, rest.count, |operation| operations.push(operation));
                self.asked(cx, asked, operations, end, time)
            }
            Compound::Answered(answered) => {
                let mut operations = Vec::new();
                let end = version4::answered_next(bytes, rest.count, |status, operation| {
                    operations.push((status, operation));
                });
                self.answered(cx, answered, operations, end, time)
            }
        }
    }

    /// The operations behind data will not come.
    pub(super) fn give_up_rest(&mut self, rest: Rest, time: Timestamp) {
        self.end_compound(rest.compound, time);
    }

    fn asked(
        &mut self,
        cx: &mut ParseContext<'_>,
        mut asked: Asked,
        operations: Vec<Wanted<'_>>,
        end: End,
        time: Timestamp,
    ) -> Begun {
        let (mut part, mut data) = (None, None);
        let Asked { xid, call, current, made, .. } = &mut asked;
        for operation in operations {
            match operation {
                Wanted::Handle(handle) => *current = handle.into(),
                Wanted::Name(name) => call.name = name.to_vec(),
                Wanted::Read(offset) => call.reads.push(Read { handle: Arc::clone(current), offset }),
                Wanted::Write(chunk) => {
                    data = Some(chunk.data);
                    part = self.write(cx, *xid, current, chunk, call, time);
                }
                Wanted::Close => {
                    call.transaction = self.close_written(*xid, current, time).or(call.transaction);
                }
                Wanted::Create(name) => {
                    call.handle = current.to_vec();
                    call.name = name.to_vec();
                    *made = Some(version4::CREATE);
                }
                Wanted::Remove(name) => {
                    call.name = name.to_vec();
                    *made = Some(version4::REMOVE);
                }
                Wanted::Other => {}
            }
        }
        self.behind(cx, Compound::Asked(asked), end, (part, data), time)
    }

    fn answered(
        &mut self,
        cx: &mut ParseContext<'_>,
        mut answered: Answered,
        operations: Vec<(u32, Given<'_>)>,
        end: End,
        time: Timestamp,
    ) -> Begun {
        let (mut part, mut data) = (None, None);
        let Answered { xid, call, reads, was_opened, rpc_status, outcome } = &mut answered;
        for (status, operation) in operations {
            match operation {
                Given::Opened => *was_opened = true,
                Given::Handle(handle) if *was_opened => self.names.learn(handle, &call.name),
                Given::Read(piece) => {
                    data = Some(piece.data);
                    if let Some(Read { handle, offset }) = call.reads.get(*reads) {
                        let (handle, name) = (handle.to_vec(), self.names.of(handle).to_vec());
                        let read =
                            Call { version: call.version, handle, name, offset: *offset, ..Call::default() };
                        part = self.piece(cx, *xid, piece, &read, *rpc_status, time);
                    }
                    *reads += 1;
                }
                Given::Changed | Given::Written | Given::Handle(_) | Given::Other => {}
            }
            *outcome = status;
        }
        self.behind(cx, Compound::Answered(answered), end, (part, data), time)
    }

    /// Keeps a compound that goes on behind data, and ends any other.
    fn behind(
        &mut self,
        cx: &mut ParseContext<'_>,
        compound: Compound,
        end: End,
        (part, data): (Option<Streaming>, Option<Data<'_>>),
        time: Timestamp,
    ) -> Begun {
        if let (End::InData(count @ 1..), Some(data)) = (end, data) {
            let rest = Rest { data: data.left(), padding: data.padding(), count, compound };
            return Begun { part, missing: None, rest: Some(Box::new(rest)) };
        }
        self.end_compound(compound, time);
        if end == End::Cut {
            self.anomaly(cx, NfsAnomaly::MalformedData);
        }
        Begun::of(part)
    }

    fn end_compound(&mut self, compound: Compound, time: Timestamp) {
        match compound {
            Compound::Asked(Asked { xid, credentials, mut call, made, .. }) => {
                if let Some(operation) = made {
                    call.transaction = Some(self.plain(xid, operation, &call, &credentials, None, time));
                }
                self.calls.add(xid, call);
            }
            Compound::Answered(Answered { xid, call, rpc_status, outcome, .. }) => {
                self.finish(&call, xid, rpc_status, outcome, None, time);
            }
        }
    }
}
