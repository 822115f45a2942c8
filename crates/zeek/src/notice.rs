//! Notices: what Zeek's scripts find worth a look.

use std::net::IpAddr;

use weir_applayer::zeek::Script;
use weir_applayer::zeek::column::{Count, Double, Set, Text};
use weir_applayer::{ZeekConnection, ZeekValue};
use weir_base::{Duration, Timestamp};
use weir_output::known::Claim;

use crate::rows::{self, Rows};
use crate::streams::{self, NoticeRow};

/// For how long a notice is not repeated where its script does not say otherwise.
const SUPPRESSION: Duration = Duration::from_secs(60 * 60);

/// Notice of a script.
#[derive(Debug)]
pub(crate) struct Notice<'a> {
    /// Its type (`Weird::Activity`).
    pub(crate) note: &'static str,
    pub(crate) message: &'a str,
    pub(crate) sub: Option<&'a str>,
    pub(crate) file_description: Option<&'a str>,
    /// The source where there is no connection.
    pub(crate) source: Option<IpAddr>,
    /// Claim by which it is new, where it is not to be repeated.
    pub(crate) claim: Option<Claim>,
    pub(crate) suppress_for: Duration,
}

impl<'a> Notice<'a> {
    /// One without anything else.
    pub(crate) const fn new(note: &'static str, message: &'a str) -> Self {
        Self {
            note,
            message,
            sub: None,
            file_description: None,
            source: None,
            claim: None,
            suppress_for: SUPPRESSION,
        }
    }

    /// Not to be repeated for so long by what identifies it.
    #[must_use]
    pub(crate) fn once(mut self, identifier: impl std::hash::Hash, suppress_for: Duration) -> Self {
        self.claim = Some(Claim::new((self.note, identifier), suppress_for));
        self.suppress_for = suppress_for;
        self
    }
}

impl Rows<'_> {
    /// A row of `notice`.
    pub(crate) fn notice(
        &mut self,
        connection: Option<&ZeekConnection<'_>>,
        ts: Timestamp,
        notice: Notice<'_>,
    ) {
        let ends = connection.map(|connection| connection.endpoints);
        let is_loaded = |script| self.plan.scripts.has(script);
        let community = ends.filter(|_| is_loaded(Script::NoticeCommunityIds));
        let community = community.map(|ends| rows::community_id(ends, rows::protocol(ends)));
        let log = [ZeekValue::String(b"Notice::ACTION_LOG")];
        let row = NoticeRow {
            fuid: Text::UNSET,
            file_mime_type: Text::UNSET,
            file_desc: notice.file_description.into(),
            proto: ends.map(rows::transport).into(),
            note: notice.note.into(),
            msg: notice.message.into(),
            sub: notice.sub.into(),
            src: notice.source.or(ends.map(|ends| ends.client)).into(),
            dst: ends.map(|ends| ends.server).into(),
            p: ends.map(|ends| ends.server_port).into(),
            n: Count::UNSET,
            peer_descr: Text::UNSET,
            actions: log.as_slice().into(),
            email_dest: Set::even_if_empty(&[]),
            suppress_for: notice.suppress_for.into(),
            remote_location_country_code: Text::UNSET,
            remote_location_region: Text::UNSET,
            remote_location_city: Text::UNSET,
            remote_location_latitude: Double::UNSET,
            remote_location_longitude: Double::UNSET,
            community_id: community.as_ref().into(),
        };
        let values = row.values(is_loaded);
        match notice.claim {
            Some(claim) => self.news(&streams::NOTICE, connection, ts, claim, &values),
            None => self.row(&streams::NOTICE, connection, ts, &values),
        }
    }
}
