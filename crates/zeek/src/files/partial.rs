//! Files that are sent in parts, by several messages and perhaps several connections (RFC 9110 14):
//! put together, and logged once they are whole or nothing more came for [`SILENCE`].

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use ahash::RandomState;
use weir_applayer::file::{Digests, HEAD_BYTES};
use weir_applayer::zeek::{FileFate, FilePart};
use weir_applayer::{Endpoints, File, ZeekConnection, mime};
use weir_base::{Direction, Duration, Timestamp};

use crate::files::extract::{Coming, Extracted};
use crate::files::{self, Summary};
use crate::identifier;
use crate::rows::Rows;

/// The time that a file waits for its next part.
const SILENCE: Duration = Duration::from_secs(120);

/// Most files under way; the one that waits longest is ended for another, or where all are being sent the one of which a
/// part ended longest ago.
const MAX_FILES: usize = 4096;

/// Most connections of a file that get a row.
const MAX_CONNECTIONS: usize = 64;

/// Most separate stretches of a file; more are counted as missing.
const MAX_STRETCHES: usize = 1024;

/// Client, and its request.
type Key = (IpAddr, bool, Vec<u8>);

/// A file of which parts were seen.
///
/// It is flat, as each part that comes changes nearly all of it.
#[derive(Debug)]
struct Partial {
    fuid: String,
    source: Vec<u8>,
    connections: Vec<(Vec<u8>, Endpoints)>,
    /// Parts of which more comes, by their connections and numbers.
    coming: Vec<(Vec<u8>, u64)>,
    first: Timestamp,
    last: Timestamp,
    filename: Vec<u8>,
    total: Option<u64>,
    /// The stretches that were seen, ascending, apart from each other.
    stretches: Vec<(u64, u64)>,
    mime_type: Option<&'static str>,
    head: Vec<u8>,
    extracted: Extracted,
    /// Its place among all files.
    place: Option<(Standing, Timestamp)>,
}

/// The standing of a file, first what is ended first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Standing {
    /// It waits for its next part.
    Waits,
    /// A part of it is being sent.
    IsSent,
}

/// The files under way of a worker.
#[derive(Debug)]
pub(crate) struct PartialFiles {
    files: HashMap<Arc<Key>, Partial, RandomState>,
    /// Their keys by what they are doing and when the last part of them ended.
    order: BTreeSet<(Standing, Timestamp, Arc<Key>)>,
}

impl Default for PartialFiles {
    fn default() -> Self {
        Self { files: HashMap::with_hasher(weir_base::keyed_hash()), order: BTreeSet::new() }
    }
}

impl PartialFiles {
    /// Takes in a part.
    pub(crate) fn part(
        &mut self,
        connection: &ZeekConnection<'_>,
        source: &[u8],
        url: &[u8],
        (file, fate): (&File, FileFate),
        rows: &mut Rows<'_>,
    ) -> FilePart {
        let key = (connection.endpoints.client, file.direction == Direction::ToServer, url.to_vec());
        let known = self.files.get_key_value(&key).map(|(key, _)| Arc::clone(key));
        if known.is_none()
            && self.files.len() >= MAX_FILES
            && let Some((_, _, oldest)) = self.order.first().cloned()
        {
            self.end(&oldest, true, rows);
        }
        let key = known.unwrap_or_else(|| Arc::new(key));
        let partial = self.files.entry(Arc::clone(&key)).or_insert_with(|| {
            Partial::new(identifier::of_parts(source, connection, file, url), source, file)
        });
        let coming = if fate == FileFate::Open { Coming::More } else { Coming::Nothing };
        let start = file.start.unwrap_or_default();
        partial.extracted.take((file, start), coming, (source, &partial.fuid), rows);
        let mut added = FilePart::default();
        if partial.is_under_way((connection.uid, file.id), coming) {
            self.put(&key);
            return added;
        }
        if partial.connections.len() < MAX_CONNECTIONS
            && !partial.connections.iter().any(|(uid, _)| uid == connection.uid)
        {
            partial.connections.push((connection.uid.to_owned(), *connection.endpoints));
            added.fuid = Some(partial.fuid.clone());
        }
        added.mime_type = partial.add(file);
        if partial.is_whole() {
            self.end(&key, false, rows);
        } else {
            self.put(&key);
        }
        added
    }

    /// Puts a file where it belongs among all.
    fn put(&mut self, key: &Arc<Key>) {
        let Some(file) = self.files.get_mut(&**key) else { return };
        let standing = if file.is_coming() { Standing::IsSent } else { Standing::Waits };
        let place = (standing, file.last);
        let before = file.place.replace(place);
        if before == Some(place) {
            return;
        }
        if let Some((standing, last)) = before {
            self.order.remove(&(standing, last, Arc::clone(key)));
        }
        self.order.insert((place.0, place.1, Arc::clone(key)));
    }

    /// Ends files that nothing more came of.
    pub(crate) fn expire(&mut self, now: Timestamp, rows: &mut Rows<'_>) {
        let is_over = |place: &&(Standing, Timestamp, Arc<Key>)| {
            place.0 == Standing::Waits && place.1.plus(SILENCE) <= now
        };
        let over = self.order.iter().take_while(is_over).map(|(_, _, key)| Arc::clone(key)).collect();
        self.end_all(over, rows);
    }

    /// Ends all files.
    pub(crate) fn finish(&mut self, rows: &mut Rows<'_>) {
        self.end_all(self.files.keys().cloned().collect(), rows);
    }

    /// Ends these files in the order in which they began.
    fn end_all(&mut self, mut keys: Vec<Arc<Key>>, rows: &mut Rows<'_>) {
        keys.sort_by_cached_key(|key| (self.files.get(&**key).map(|file| file.first), Arc::clone(key)));
        for key in keys {
            self.end(&key, true, rows);
        }
    }

    fn end(&mut self, key: &Arc<Key>, timed_out: bool, rows: &mut Rows<'_>) {
        let Some(file) = self.files.remove(&**key) else { return };
        if let Some((standing, last)) = file.place {
            self.order.remove(&(standing, last, Arc::clone(key)));
        }
        let seen = file.stretches.iter().map(|(start, end)| end - start).sum();
        let reached = file.stretches.last().map_or(0, |(_, end)| *end);
        let mime_type = file.mime_type.or_else(|| mime::recognise(&file.head));
        let mut summary = Summary {
            ts: file.first,
            source: &file.source,
            depth: 0,
            analyzers: files::analyzers(mime_type),
            mime_type,
            filename: &file.filename,
            last: file.last,
            is_orig: key.1,
            seen,
            total: file.total,
            missing: reached.saturating_sub(seen),
            timed_out,
            digests: Digests::default(),
            executable: files::executable(mime_type, &file.head),
            extracted: file.extracted,
        };
        for (uid, endpoints) in &file.connections {
            let connection = ZeekConnection { endpoints, start: file.first, uid };
            files::write(&file.fuid, &summary, &connection, rows);
            // Of what it is there is one row, however many connections it came by.
            summary.executable = None;
        }
    }
}

impl Partial {
    fn new(fuid: String, source: &[u8], file: &File) -> Self {
        Self {
            fuid,
            source: source.to_owned(),
            connections: Vec::new(),
            coming: Vec::new(),
            first: file.first_seen,
            last: file.last_seen,
            filename: file.name.clone(),
            total: file.announced,
            stretches: Vec::new(),
            mime_type: None,
            head: Vec::new(),
            extracted: Extracted::default(),
            place: None,
        }
    }

    /// Notes whether more comes of a part, by its connection and number, and answers that.
    fn is_under_way(&mut self, (uid, id): (&[u8], u64), coming: Coming) -> bool {
        let known = self.coming.iter().position(|part| part.0 == uid && part.1 == id);
        match (coming, known) {
            (Coming::More, None) if self.coming.len() < MAX_CONNECTIONS => {
                self.coming.push((uid.to_owned(), id))
            }
            (Coming::Nothing, Some(index)) => drop(self.coming.swap_remove(index)),
            _ => {}
        }
        coming == Coming::More
    }

    /// Whether a part of it is under way, which is waited for.
    fn is_coming(&self) -> bool {
        !self.coming.is_empty()
    }

    /// Takes in a part; answers the type where it shows it.
    fn add(&mut self, file: &File) -> Option<&'static str> {
        self.first = self.first.min(file.first_seen);
        self.last = self.last.max(file.last_seen);
        self.total = self.total.or(file.announced);
        let start = file.start.unwrap_or_default();
        let held = file.head().len() as u64;
        // What a gap cut out is not where the bytes after it would make believe.
        let seen = if file.missing == 0 { file.size } else { held.min(file.size) };
        self.cover(start, start.saturating_add(seen));
        if file.missing > 0 {
            let end = start.saturating_add(file.size).saturating_add(file.missing);
            self.cover(end.saturating_sub(file.size.saturating_sub(seen)), end);
        }
        if self.mime_type.is_some() || start != self.head.len() as u64 || self.head.len() >= HEAD_BYTES {
            return None;
        }
        self.head.extend_from_slice(file.head());
        if self.head.len() >= HEAD_BYTES || self.is_whole() {
            self.mime_type = mime::recognise(&self.head);
        }
        self.mime_type
    }

    fn cover(&mut self, start: u64, end: u64) {
        if end <= start {
            return;
        }
        let from = self.stretches.partition_point(|stretch| stretch.1 < start);
        let to = self.stretches.partition_point(|stretch| stretch.0 <= end);
        let touched = self.stretches.get(from..to).unwrap_or_default();
        let merged = touched.iter().fold((start, end), |all, one| (all.0.min(one.0), all.1.max(one.1)));
        self.stretches.splice(from..to.max(from), [merged]);
        self.stretches.truncate(MAX_STRETCHES);
    }

    fn is_whole(&self) -> bool {
        self.total.is_some_and(|total| self.stretches.first() == Some(&(0, total)))
    }
}
