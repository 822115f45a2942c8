//! Zeek's ldap log, a row for each request and its answer, and its ldap_search log, which has those of searches.
//!
//! A row is written with the last answer, or at the end of the connection.

use std::collections::BTreeMap;

use weir_applayer::zeek::News;
use weir_applayer::zeek::column::Vector;
use weir_applayer::{Transport, ZeekLogger, ZeekLogs, ZeekSink, ZeekValue, zeek_stream};
use weir_base::Timestamp;

use super::content::{Authentication, Content, Search};
use super::filter;
use super::message::Message;
use super::names::operation;
use super::parser::START_TLS;
use super::transaction::{LdapTransaction, outcome};

zeek_stream! {
    static MESSAGES: "ldap" of a connection;
    /// A row as it is written.
    struct MessageColumns {
        message_id: Int,
        version: Int,
        opcode: Text,
        result: Text,
        diagnostic_message: Text,
        object: Text,
        argument: Text,
    }
}

zeek_stream! {
    static SEARCHES: "ldap_search" of a connection;
    /// A row as it is written.
    struct SearchColumns {
        message_id: Int,
        scope: Text,
        deref_aliases: Text,
        base_object: Text,
        result_count: Count,
        result: Text,
        diagnostic_message: Text,
        filter: Text,
        attributes: Vector<Text>,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&MESSAGES, &SEARCHES], |_| Box::<LdapLogger>::default())
};

/// Most rows of either log that wait for an answer; none does any more where there would be others.
pub const MAX_PENDING: usize = 10;

/// Most that wait, whatever scripts say.
const MOST_PENDING: usize = 1024;

/// Settings of scripts: most rows of either log that wait, 0 for any number.
const MAX_MESSAGES: &str = "LDAP::max_pending_messages";
const MAX_SEARCHES: &str = "LDAP::max_pending_searches";

/// Setting of scripts: the attributes that are asked for are logged.
const LOGS_ATTRIBUTES: &str = "LDAP::default_log_search_attributes";

/// More rows would wait than may.
const TOO_MANY_MESSAGES: &str = "LDAP_max_pending_messages_exceeded";
const TOO_MANY_SEARCHES: &str = "LDAP_max_pending_searches_exceeded";

/// The source of what is odd.
const SOURCE: Option<&str> = Some("LDAP");

/// Who am I? (RFC 4532)
const WHO_AM_I: &[u8] = b"1.3.6.1.4.1.4203.1.11.3";

/// A row of the ldap log.
#[derive(Debug, Default)]
struct MessageRow {
    time: Timestamp,
    version: Option<u8>,
    operation: Option<&'static str>,
    result: Option<&'static str>,
    diagnostic: Option<Vec<u8>>,
    object: Option<Vec<u8>>,
    argument: Option<Vec<u8>>,
}

/// A row of the ldap_search log.
#[derive(Debug, Default)]
struct SearchRow {
    time: Timestamp,
    scope: Option<&'static str>,
    aliases: Option<&'static str>,
    base: Option<Vec<u8>>,
    found: u64,
    result: Option<&'static str>,
    diagnostic: Option<Vec<u8>>,
    filter: Option<Vec<u8>>,
    attributes: Option<Vec<Vec<u8>>>,
}

/// Follows one connection.
#[derive(Debug, Default)]
struct LdapLogger {
    messages: BTreeMap<u32, MessageRow>,
    searches: BTreeMap<u32, SearchRow>,
    /// Bytes of those rows.
    held: usize,
    /// Messages logged of transactions that wait for more.
    told: BTreeMap<u64, usize>,
}

impl ZeekLogger for LdapLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<LdapTransaction>() else { return };
        let request = tx.request.iter().map(|(message, time)| (message, *time));
        let responses = tx.responses.iter().map(|response| (&response.message, response.time));
        let told = self.told.remove(&tx.meta.id).unwrap_or_default();
        let mut count = told;
        for (message, time) in request.chain(responses).skip(told) {
            count += 1;
            let tcp = sink.connection().endpoints.transport == Transport::Tcp;
            sink.service(if tcp { "ldap_tcp" } else { "ldap_udp" });
            self.message(message, time, sink);
        }
        if !news.complete {
            self.told.insert(tx.meta.id, count);
        }
    }

    fn held(&self) -> usize {
        self.held
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.end_messages(sink);
        self.end_searches(sink);
    }
}

impl LdapLogger {
    fn message(&mut self, message: &Message, time: Timestamp, sink: &mut dyn ZeekSink) {
        let before = self.size_of(message.id);
        self.take(message, time, sink);
        self.held = (self.held + self.size_of(message.id)).saturating_sub(before);
    }

    /// Writes the messages that wait.
    fn end_messages(&mut self, sink: &mut dyn ZeekSink) {
        for (id, row) in std::mem::take(&mut self.messages) {
            self.held = self.held.saturating_sub(row.size());
            if id > 0 {
                row.write(id, sink);
            }
        }
    }

    /// Writes the searches that wait.
    fn end_searches(&mut self, sink: &mut dyn ZeekSink) {
        for (id, row) in std::mem::take(&mut self.searches) {
            self.held = self.held.saturating_sub(row.size());
            if id > 0 {
                row.write(id, sink);
            }
        }
    }

    /// Bytes of the rows of an id.
    fn size_of(&self, id: u32) -> usize {
        self.messages.get(&id).map_or(0, MessageRow::size) + self.searches.get(&id).map_or(0, SearchRow::size)
    }

    fn take(&mut self, message: &Message, time: Timestamp, sink: &mut dyn ZeekSink) {
        match message.operation {
            operation::SEARCH_REQUEST => {
                if let Content::Search(search) = &message.content {
                    let with_attributes =
                        sink.settings().is_some_and(|settings| settings.is_set(LOGS_ATTRIBUTES));
                    self.search(message.id, time, sink).begin(message, search, with_attributes);
                }
            }
            operation::SEARCH_RESULT_ENTRY => self.search(message.id, time, sink).found += 1,
            operation::SEARCH_RESULT_DONE => {
                self.search(message.id, time, sink).done(message);
                if let Some(row) = self.searches.remove(&message.id) {
                    row.write(message.id, sink);
                }
            }
            operation::SEARCH_RESULT_REFERENCE => {}
            kind => {
                let most = most_pending(sink, MAX_MESSAGES);
                if self.messages.len() >= most && !self.messages.contains_key(&message.id) {
                    sink.weird_of(time, TOO_MANY_MESSAGES, None, SOURCE);
                    self.end_messages(sink);
                }
                let row = self.messages.entry(message.id);
                let row = row.or_insert_with(|| MessageRow { time, ..MessageRow::default() });
                row.add(message, time, sink);
                let is_last = operation::is_result(kind)
                    || matches!(kind, operation::UNBIND_REQUEST | operation::ABANDON_REQUEST);
                if is_last && let Some(row) = self.messages.remove(&message.id) {
                    row.write(message.id, sink);
                }
            }
        }
    }

    /// The row of a search; begun where there is none.
    fn search(&mut self, id: u32, time: Timestamp, sink: &mut dyn ZeekSink) -> &mut SearchRow {
        if self.searches.len() >= most_pending(sink, MAX_SEARCHES) && !self.searches.contains_key(&id) {
            sink.weird_of(time, TOO_MANY_SEARCHES, None, SOURCE);
            self.end_searches(sink);
        }
        self.searches.entry(id).or_insert_with(|| SearchRow { time, ..SearchRow::default() })
    }
}

/// Returns the number of rows that may wait.
fn most_pending(sink: &dyn ZeekSink, setting: &str) -> usize {
    match sink.settings().and_then(|settings| settings.count(setting)) {
        Some(0) => MOST_PENDING,
        Some(most) => usize::try_from(most).unwrap_or(MOST_PENDING).min(MOST_PENDING),
        None => MAX_PENDING,
    }
}

/// Something, where there is anything of it.
fn filled(text: &[u8]) -> Option<Vec<u8>> {
    (!text.is_empty()).then(|| text.to_vec())
}

/// Bytes of texts.
fn lengths<const N: usize>(texts: [&Option<Vec<u8>>; N]) -> usize {
    texts.into_iter().flatten().map(Vec::capacity).sum()
}

impl SearchRow {
    fn size(&self) -> usize {
        let attributes = self.attributes.iter().flatten().map(|name| name.capacity() + size_of::<Vec<u8>>());
        let texts = lengths([&self.base, &self.diagnostic, &self.filter]);
        size_of::<(u32, Self)>() + texts + attributes.sum::<usize>()
    }

    fn begin(&mut self, message: &Message, search: &Search, with_attributes: bool) {
        self.scope = Some(name(&["base", "single", "tree"], search.scope));
        self.aliases = Some(name(&["never", "searching", "finding", "always"], search.aliases));
        self.base = filled(message.at(search.base)).or(self.base.take());
        let mut text = Vec::new();
        filter::append(message.at(search.filter), &mut text);
        self.filter = Some(text);
        if with_attributes {
            let names = search.attributes.iter().map(|place| message.at(*place).to_vec());
            self.attributes = Some(names.collect());
        }
    }

    fn done(&mut self, message: &Message) {
        let Some(outcome) = outcome(message) else { return };
        self.result = Some(result(outcome.code));
        self.diagnostic = filled(message.at(outcome.message)).or(self.diagnostic.take());
    }

    fn write(&self, id: u32, sink: &mut dyn ZeekSink) {
        let names: Option<Vec<ZeekValue<'_>>> =
            self.attributes.as_ref().map(|names| names.iter().map(|name| ZeekValue::String(name)).collect());
        let row = SearchColumns {
            message_id: i64::from(id).into(),
            scope: self.scope.into(),
            deref_aliases: self.aliases.into(),
            base_object: self.base.as_deref().into(),
            result_count: self.found.into(),
            result: self.result.into(),
            diagnostic_message: self.diagnostic.as_deref().into(),
            filter: self.filter.as_deref().into(),
            attributes: names.as_deref().map_or(Vector::UNSET, Vector::even_if_empty),
        };
        sink.row(&SEARCHES, self.time, &row.values());
    }
}

impl MessageRow {
    fn size(&self) -> usize {
        size_of::<(u32, Self)>() + lengths([&self.diagnostic, &self.object, &self.argument])
    }

    fn add(&mut self, message: &Message, time: Timestamp, sink: &mut dyn ZeekSink) {
        let mut odd = |name: &str, before: &str, after: &str| {
            let about = format!("{}: {before} -> {after}", message.id);
            sink.weird_of(time, name, Some(&about), SOURCE);
        };
        let word = opcode(message.operation);
        if let Content::Bind { version, authentication, .. } = &message.content {
            self.version.get_or_insert(*version);
            self.operation = Some(match authentication {
                Authentication::Simple(_) => "bind simple",
                Authentication::Sasl(..) => "bind SASL",
                Authentication::Other(SICILY_NEGOTIATE) => "sicily_negotiate",
                Authentication::Other(SICILY_RESPONSE) => "sicily_response",
                Authentication::Other(_) => "unknown",
            });
        } else if word != "bind" {
            if let Some(before) = self.operation.filter(|before| *before != word) {
                odd("LDAP_message_opcode_change", before, word);
            }
            self.operation = Some(word);
        } else if self.operation.is_none() {
            let about = format!("{}: {word}", message.id);
            sink.weird_of(time, "LDAP_bind_without_opcode", Some(&about), SOURCE);
            self.operation = Some(word);
        }
        if let Some(outcome) = outcome(message) {
            self.result = Some(result(outcome.code));
            self.diagnostic = filled(message.at(outcome.message)).or(self.diagnostic.take());
        }
        self.object = object(message).or(self.object.take());
        let shows = sink.settings().is_some_and(|settings| settings.is_set("LDAP::default_capture_password"));
        self.argument = argument(message, shows).or(self.argument.take());
    }

    fn write(&self, id: u32, sink: &mut dyn ZeekSink) {
        let row = MessageColumns {
            message_id: i64::from(id).into(),
            version: self.version.map(i64::from).into(),
            opcode: self.operation.into(),
            result: self.result.into(),
            diagnostic_message: self.diagnostic.as_deref().into(),
            object: self.object.as_deref().into(),
            argument: self.argument.as_deref().into(),
        };
        sink.row(&MESSAGES, self.time, &row.values());
    }
}

/// Kinds of authentication of MS-ADTS 5.1.1.1.3.
const SICILY_NEGOTIATE: u8 = 10;
const SICILY_RESPONSE: u8 = 11;

/// Returns the object of a message.
fn object(message: &Message) -> Option<Vec<u8>> {
    match &message.content {
        Content::Bind { name, .. } | Content::Delete(name) => filled(message.at(*name)),
        Content::Modify { object, .. } => filled(message.at(*object)),
        Content::Abandon(id) => Some(id.to_string().into_bytes()),
        Content::Extended { name: Some(name), .. } if message.operation == operation::EXTENDED_REQUEST => {
            let name = message.at(*name);
            let word: &[u8] = match name {
                START_TLS => b"StartTLS",
                WHO_AM_I => b"whoami",
                _ => b"unknown",
            };
            filled(name).map(|name| [&name[..], b" (", word, b")"].concat())
        }
        _ => None,
    }
}

/// Returns its argument; `shows` says whether passwords are shown.
fn argument(message: &Message, shows: bool) -> Option<Vec<u8>> {
    let Content::Bind { authentication, .. } = &message.content else { return None };
    match authentication {
        Authentication::Simple(password) => {
            filled(message.at(*password)).map(|password| if shows { password } else { b"REDACTED".to_vec() })
        }
        Authentication::Sasl(mechanism, _) => filled(message.at(*mechanism)),
        Authentication::Other(SICILY_NEGOTIATE | SICILY_RESPONSE) => Some(b"NTLMSSP".to_vec()),
        Authentication::Other(_) => None,
    }
}

/// Zeek's name of an operation and of its answer.
const fn opcode(kind: u8) -> &'static str {
    match kind {
        operation::BIND_REQUEST | operation::BIND_RESPONSE => "bind",
        operation::UNBIND_REQUEST => "unbind",
        operation::MODIFY_REQUEST
        | operation::MODIFY_RESPONSE
        | operation::MOD_DN_REQUEST
        | operation::MOD_DN_RESPONSE => "modify",
        operation::ADD_REQUEST | operation::ADD_RESPONSE => "add",
        operation::DEL_REQUEST | operation::DEL_RESPONSE => "delete",
        operation::COMPARE_REQUEST | operation::COMPARE_RESPONSE => "compare",
        operation::ABANDON_REQUEST => "abandon",
        operation::EXTENDED_REQUEST | operation::EXTENDED_RESPONSE => "extended",
        operation::INTERMEDIATE_RESPONSE => "intermediate",
        _ => "unknown",
    }
}

/// A name by number.
fn name(names: &[&'static str], number: u32) -> &'static str {
    usize::try_from(number).ok().and_then(|index| names.get(index)).copied().unwrap_or("unknown")
}

/// Zeek's name of what became of a request.
fn result(code: u32) -> &'static str {
    RESULTS.iter().find(|(known, _)| *known == code).map_or("unknown", |(_, name)| name)
}

const RESULTS: &[(u32, &str)] = &[
    (0, "success"),
    (1, "operations error"),
    (2, "protocol error"),
    (3, "time limit exceeded"),
    (4, "size limit exceeded"),
    (5, "compare false"),
    (6, "compare true"),
    (7, "auth method not supported"),
    (8, "stronger auth required"),
    (9, "partial results"),
    (10, "referral"),
    (11, "admin limit exceeded"),
    (12, "unavailable critical extension"),
    (13, "confidentiality required"),
    (14, "SASL bind in progress"),
    (16, "no such attribute"),
    (17, "undefined attribute type"),
    (18, "inappropriate matching"),
    (19, "constraint violation"),
    (20, "attribute or value exists"),
    (21, "invalid attribute syntax"),
    (32, "no such object"),
    (33, "alias problem"),
    (34, "invalid DN syntax"),
    (36, "alias dereferencing problem"),
    (48, "inappropriate authentication"),
    (49, "invalid credentials"),
    (50, "insufficient access rights"),
    (51, "busy"),
    (52, "unavailable"),
    (53, "unwilling to perform"),
    (54, "loop detect"),
    (60, "sort control missing"),
    (61, "offset range error"),
    (64, "naming violation"),
    (65, "object class violation"),
    (66, "not allowed on non-leaf"),
    (67, "not allowed on RDN"),
    (68, "entry already exists"),
    (69, "object class mods prohibited"),
    (70, "results too large"),
    (71, "affects multiple DSAs"),
    (76, "control error"),
    (80, "other"),
    (81, "server down"),
    (82, "local error"),
    (83, "encoding error"),
    (84, "decoding error"),
    (85, "timeout"),
    (86, "auth unknown"),
    (87, "filter error"),
    (88, "user canceled"),
    (89, "param error"),
    (90, "no memory"),
    (91, "connect error"),
    (92, "not supported"),
    (93, "control not found"),
    (94, "no results returned"),
    (95, "more results to return"),
    (96, "client loop"),
    (97, "referral limit exceeded"),
    (100, "invalid response"),
    (101, "ambiguous response"),
    (112, "TLS not supported"),
    (113, "intermediate response"),
    (114, "unknown type"),
    (115, "LCUP invalid data"),
    (116, "LCUP unsupported scheme"),
    (117, "LCUP reload required"),
    (118, "canceled"),
    (119, "no such operation"),
    (120, "too late"),
    (121, "cannot cancel"),
    (122, "assertion failed"),
    (123, "authorization denied"),
];
