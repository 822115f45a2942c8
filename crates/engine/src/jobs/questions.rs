//! Questions of the control socket to a run that reads captures.

use crossbeam_channel::{Receiver, Sender, bounded};
use weir_base::Duration;
use weir_flow::FlowId;

use crate::statistics::Report;
use crate::worker::asked::FlowCounts;

/// Longest wait for an answer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// Questions that wait, at most.
const WAITING: usize = 4;

/// A question, answered between two batches of packets.
pub(crate) enum Question {
    /// The counters until now.
    Counters(Sender<Report>),
    /// The counts of a flow.
    Flow(FlowId, Sender<Option<FlowCounts>>),
}

/// Questions on their way.
pub(crate) type Questions = Receiver<Question>;

/// Makes the way from who asks to who answers.
pub(crate) fn way() -> (Sender<Question>, Questions) {
    bounded(WAITING)
}

/// Asks and waits for the answer; none where it does not come in time.
pub(crate) fn ask<T>(to: &Sender<Question>, question: impl FnOnce(Sender<T>) -> Question) -> Option<T> {
    let (answer, answers) = bounded(1);
    to.try_send(question(answer)).ok()?;
    answers.recv_timeout(ANSWERED_WITHIN).ok()
}
