//! Calls that wait for their replies (RFC 5531, sections 8 and 9), and what scripts are told of both.

use std::hash::{DefaultHasher, Hash, Hasher};

use weir_base::event::Nested;
use weir_base::{EventValue, Reader};

use super::xdr::Xdr;

/// Longest credentials of a verifier.
const MAX_VERIFIER: usize = 400;
/// Longest name of a machine.
const MAX_MACHINE: usize = 255;
/// Most groups of a user.
const MAX_GROUPS: usize = 64;
/// The flavour of credentials that have a machine's user.
const AUTH_UNIX: u32 = 1;

/// Statuses of replies, as scripts number them.
pub(super) mod status {
    /// The call was carried out. This and those up to [`SYSTEM_ERR`] are numbers of the protocol (section 9).
    pub const SUCCESS: u32 = 0;
    /// The program does not have the version.
    pub const PROG_MISMATCH: u32 = 2;
    /// The last of the protocol's numbers.
    pub const SYSTEM_ERR: u32 = 5;
    /// No reply was seen.
    pub const TIMEOUT: u32 = 6;
    /// The version of remote procedure calls is another one.
    pub const VERS_MISMATCH: u32 = 7;
    /// The caller is not admitted.
    pub const AUTH_ERROR: u32 = 8;
    /// Anything else.
    pub const UNKNOWN_ERROR: u32 = 9;
}

/// A call.
#[derive(Debug)]
pub(super) struct Call {
    pub program: u32,
    pub version: u32,
    pub procedure: u32,
    stamp: u32,
    user: u32,
    group: u32,
    machine: Vec<u8>,
    groups: Vec<u32>,
    /// When its first and its last byte came.
    pub times: [f64; 2],
    /// Its length behind number and kind, and that of what is in front of the arguments.
    pub length: usize,
    pub header: usize,
    digest: u64,
    /// The arguments could be read.
    pub is_valid: bool,
    /// The arguments, as far as they are told with the reply.
    pub arguments: Vec<u8>,
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl Call {
    /// Reads what is behind number and kind, up to the arguments.
    pub(super) fn read<'a>(body: &'a [u8], times: [f64; 2]) -> Option<(Self, Xdr<'a>)> {
        let mut xdr = Xdr::new(body);
        xdr.u32();
        let [program, version, procedure, flavor] = [xdr.u32(), xdr.u32(), xdr.u32(), xdr.u32()];
        let credentials = xdr.opaque(usize::MAX)?;
        skip_verifier(&mut xdr);
        if !xdr.is_whole() {
            return None;
        }
        let mut call = Self {
            program,
            version,
            procedure,
            stamp: 0,
            user: 0,
            group: 0,
            machine: Vec::new(),
            groups: Vec::new(),
            times,
            length: body.len(),
            header: xdr.position(),
            digest: digest(body),
            is_valid: false,
            arguments: Vec::new(),
        };
        if flavor == AUTH_UNIX {
            call.read_user(credentials)?;
        }
        Some((call, xdr))
    }

    /// Reads the credentials of a machine's user (appendix A).
    fn read_user(&mut self, bytes: &[u8]) -> Option<()> {
        let mut xdr = Xdr::new(bytes);
        self.stamp = xdr.u32();
        self.machine = xdr.opaque(MAX_MACHINE)?.to_vec();
        (self.user, self.group) = (xdr.u32(), xdr.u32());
        let count = usize::try_from(xdr.u32()).ok().filter(|count| *count <= MAX_GROUPS)?;
        self.groups = (0..count).map(|_| xdr.u32()).collect();
        Some(())
    }

    /// Returns whether these bytes behind number and kind are the call once more.
    pub(super) fn is_again(&self, body: &[u8]) -> bool {
        self.length == body.len() && self.digest == digest(body)
    }

    /// Returns the bytes that are kept of it.
    pub(super) fn kept(&self) -> usize {
        self.machine.len() + self.groups.len() * size_of::<u32>() + self.arguments.len()
    }

    /// Returns the record that sums up call and reply, with the status that the program gives.
    pub(super) fn info(&self, reply: &Reply, status: u32) -> Nested<'_> {
        let [begun, last] = self.times;
        let [reply_begun, reply_last] = reply.times;
        let groups = self.groups.iter().map(|group| Nested::from(*group)).collect();
        Nested::Record(vec![
            reply.status.into(),
            status.into(),
            EventValue::Moment(begun).into(),
            EventValue::Interval(last - begun).into(),
            self.length.into(),
            EventValue::Moment(reply_begun).into(),
            EventValue::Interval(reply_last - reply_begun).into(),
            reply.length.into(),
            self.user.into(),
            self.group.into(),
            self.stamp.into(),
            EventValue::String(&self.machine).into(),
            Nested::List(groups),
        ])
    }
}

/// A reply, or that there was none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply {
    pub status: u32,
    /// When its first and its last byte came.
    pub times: [f64; 2],
    /// Its length behind number and kind.
    pub length: usize,
}

impl Reply {
    /// Returns whether the call was carried out.
    pub(super) const fn is_success(&self) -> bool {
        self.status == status::SUCCESS
    }
}

/// Reads the status of a reply, up to the results; the second says that it makes no sense. None where it is not all there.
pub(super) fn read_status(xdr: &mut Xdr<'_>) -> Option<(u32, bool)> {
    let found = match xdr.u32() {
        0 => {
            skip_verifier(xdr);
            let accepted = xdr.u32();
            if accepted == status::PROG_MISMATCH {
                xdr.u64();
            }
            (if accepted <= status::SYSTEM_ERR { accepted } else { status::UNKNOWN_ERROR }, false)
        }
        1 => match xdr.u32() {
            0 => {
                xdr.u64();
                (status::VERS_MISMATCH, false)
            }
            1 => {
                xdr.u32();
                (status::AUTH_ERROR, false)
            }
            _ => (status::UNKNOWN_ERROR, true),
        },
        _ => (status::UNKNOWN_ERROR, true),
    };
    xdr.is_whole().then_some(found)
}

fn skip_verifier(xdr: &mut Xdr<'_>) {
    xdr.u32();
    xdr.opaque(MAX_VERIFIER);
}

/// Reads number and kind of a message.
pub(super) fn read_head(message: &[u8]) -> Option<(u32, u32, &[u8])> {
    let mut reader = Reader::new(message);
    Some((reader.u32()?, reader.u32()?, reader.rest()))
}
