//! Requests of a rule to the engine when it matches, and hints to it.

use weir_base::Direction;
use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::keywords::file::require_file;
use crate::model::buffer::content::FastPattern;
use crate::model::post::{PostAction, PostRequest, PostView, StoreScope};
use crate::model::signature::Subjects;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "bypass",
        ["bypass;", "The rest of the flow is not looked at.", "tls.sni; content:\"video.example\"; bypass;"],
        |option, rule| {
            option.no_argument()?;
            if rule.given.stores_files {
                return Err(option.name.error("bypass can't work with filestore keyword"));
            }
            rule.given.bypass = true;
            rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
            rule.push_post(Bypass);
            Ok(())
        },
    ),
    Keyword::new(
        "config",
        [
            "config:<logging|tracking> disable, type <tx|flow>, scope <tx|packet>;",
            "`config:logging disable, type tx, scope tx;`: the transaction that the rule matches in is not logged. \
             `config:tracking disable, type flow, scope packet;`, in the firewall's hook `pre_flow`: the packet is \
             made part of no flow.",
            "dns.query; content:\"internal.example\"; config:logging disable, type tx, scope tx;",
        ],
        config,
    ),
    Keyword::new(
        "nfq_set_mark",
        [
            "nfq_set_mark:<mark>/<mask>;",
            "Netfilter is told this mark with the packet's verdict; only packets from a queue of netfilter have one.",
            "nfq_set_mark:0x8/0x8;",
        ],
        mark,
    ),
    Keyword::new(
        "prefilter",
        [
            "prefilter;",
            "What stands before it is looked at first. A content becomes the fast pattern; other checks are cheap \
             already.",
            "tcp.flags:S; prefilter;",
        ],
        prefilter,
    ),
    Keyword::new(
        "filestore",
        [
            "filestore[:<request|response|both>[,<file|tx|flow>]];",
            "Files are stored: the one that matched, those of the transaction, or those of the flow.",
            "fileext:\"exe\"; filestore;",
        ],
        filestore,
    ),
];

/// `config:logging disable`
struct DisableLogging;

impl PostAction for DisableLogging {
    fn apply(&self, view: &mut PostView<'_>) {
        view.requests.extend(view.transaction.map(PostRequest::SilenceTransaction));
    }
}

/// `config:tracking disable`
struct DisableTracking;

impl PostAction for DisableTracking {
    fn apply(&self, view: &mut PostView<'_>) {
        view.requests.push(PostRequest::LeaveUntracked);
    }
}

fn config(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let words: Vec<String> =
        comma_list(&text).iter().map(|i| i.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["logging disable", "type tx", "scope tx"] => {
            rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
            rule.push_post(DisableLogging);
            Ok(())
        }
        ["tracking disable", "type flow", "scope packet"] => {
            rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
            rule.push_post(DisableTracking);
            Ok(())
        }
        _ => Err(text
            .error(format!("`{text}` is nothing that a rule can configure."))
            .with_help("write `config:logging disable, type tx, scope tx;`")),
    }
}

/// The mark is checked and given to nobody: no source of packets takes marks.
fn mark(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let number = |word: &str| match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).is_ok(),
        None => word.bytes().all(|byte| byte.is_ascii_digit()) && word.parse::<u32>().is_ok(),
    };
    if !text.split_once('/').is_some_and(|(mark, mask)| number(mark.trim()) && number(mask.trim())) {
        return Err(text
            .error(format!("`{text}` is no mark with its mask."))
            .with_help("write `nfq_set_mark:0x8/0x8;`"));
    }
    rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
    Ok(())
}

struct Bypass;

impl PostAction for Bypass {
    fn apply(&self, view: &mut PostView<'_>) {
        view.requests.push(PostRequest::Bypass);
    }
}

fn prefilter(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    option.no_argument()?;
    if let Ok(content) = rule.newest_content(option)
        && !content.negated
        && content.fast_pattern.is_none()
    {
        content.fast_pattern = Some(FastPattern::Whole);
    }
    Ok(())
}

/// `filestore`
struct StoreFiles {
    /// The rule's direction where it names none.
    to_server: bool,
    to_client: bool,
    scope: StoreScope,
}

impl PostAction for StoreFiles {
    fn stores_files(&self) -> bool {
        true
    }

    fn apply(&self, view: &mut PostView<'_>) {
        let own = !self.to_server && !self.to_client;
        for direction in Direction::BOTH {
            let named = match direction {
                Direction::ToServer => self.to_server,
                Direction::ToClient => self.to_client,
            };
            if named || (own && direction == view.facts.direction) {
                view.requests.push(PostRequest::StoreFiles(direction, self.scope));
            }
        }
    }
}

fn filestore(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    if rule.given.bypass {
        return Err(option.name.error("filestore can't work with bypass keyword"));
    }
    rule.given.stores_files = true;
    let mut action = StoreFiles { to_server: false, to_client: false, scope: StoreScope::default() };
    if option.value.is_some() {
        let text = option.argument(false, Quotes::Optional)?.text;
        let items = comma_list(&text);
        if items.len() > 2 {
            return Err(text.error("`filestore` takes a direction and a scope."));
        }
        if let Some(direction) = items.first() {
            (action.to_server, action.to_client) = match direction.as_str() {
                "request" | "to_server" => (true, false),
                "response" | "to_client" => (false, true),
                "both" => (true, true),
                _ => {
                    return Err(direction
                        .error(format!("`{direction}` is no direction of files."))
                        .with_help("directions are request, response and both"));
                }
            };
        }
        if let Some(scope) = items.get(1) {
            action.scope = match scope.as_str() {
                "file" => StoreScope::File,
                "tx" => StoreScope::Transaction,
                "ssn" | "flow" => StoreScope::Flow,
                _ => return Err(scope.error(format!("`{scope}` is no scope: file, tx or flow."))),
            };
        }
    }
    if !action.to_server && !action.to_client {
        require_file(option, rule)?;
    }
    rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
    rule.push_post(action);
    Ok(())
}
