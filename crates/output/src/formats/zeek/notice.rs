//! Notices: what Zeek's scripts find worth a look.

use std::net::IpAddr;

use weir_applayer::zeek::Script;
use weir_applayer::{ZeekConnection, ZeekValue};
use weir_base::{Duration, Timestamp};

use super::rows::{self, Rows};
use super::streams;
use crate::known::Claim;

/// For how long a notice is not repeated where its script does not say otherwise.
const SUPPRESSION: Duration = Duration::from_secs(60 * 60);

/// What a script says of something.
#[derive(Debug)]
pub(super) struct Notice<'a> {
    /// Its type (`Weird::Activity`).
    pub(super) note: &'static str,
    pub(super) message: &'a str,
    pub(super) sub: Option<&'a str>,
    pub(super) file_description: Option<&'a str>,
    /// The source where there is no connection.
    pub(super) source: Option<IpAddr>,
    /// What makes it new, where it is not to be repeated.
    pub(super) claim: Option<Claim>,
    pub(super) suppress_for: Duration,
}

impl<'a> Notice<'a> {
    /// One without anything else.
    pub(super) const fn new(note: &'static str, message: &'a str) -> Self {
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
    pub(super) fn once(mut self, identifier: impl std::hash::Hash, suppress_for: Duration) -> Self {
        self.claim = Some(Claim::new((self.note, identifier), suppress_for));
        self.suppress_for = suppress_for;
        self
    }
}

impl Rows<'_> {
    /// A row of `notice`.
    pub(super) fn notice<'n>(
        &mut self,
        connection: Option<&ZeekConnection<'_>>,
        ts: Timestamp,
        notice: Notice<'n>,
    ) {
        let text = |text: Option<&'n str>| ZeekValue::text(text.map(str::as_bytes));
        let ends = connection.map(|connection| connection.endpoints);
        let address = |address: Option<IpAddr>| address.map_or(ZeekValue::Unset, ZeekValue::Addr);
        let log = [ZeekValue::String(b"Notice::ACTION_LOG")];
        let mut values = vec![
            ZeekValue::Unset,
            ZeekValue::Unset,
            text(notice.file_description),
            ends.map_or(ZeekValue::Unset, |ends| ZeekValue::String(rows::transport(ends))),
            text(Some(notice.note)),
            text(Some(notice.message)),
            text(notice.sub),
            address(notice.source.or(ends.map(|ends| ends.client))),
            address(ends.map(|ends| ends.server)),
            ends.map_or(ZeekValue::Unset, |ends| ZeekValue::Port(ends.server_port)),
            ZeekValue::Unset,
            ZeekValue::Unset,
            ZeekValue::List(&log),
            ZeekValue::List(&[]),
            ZeekValue::span(notice.suppress_for),
            ZeekValue::Unset,
            ZeekValue::Unset,
            ZeekValue::Unset,
            ZeekValue::Unset,
            ZeekValue::Unset,
        ];
        let community = if self.plan.scripts.has(Script::NoticeCommunityIds) { ends } else { None };
        let community = community.map(|ends| rows::community_id(ends, rows::protocol(ends)));
        values.push(ZeekValue::text(community.as_deref()));
        values.truncate(streams::NOTICE.columns.len() + usize::from(community.is_some()));
        match notice.claim {
            Some(claim) => self.news(&streams::NOTICE, connection, ts, claim, &values),
            None => self.row(&streams::NOTICE, connection, ts, &values),
        }
    }
}
