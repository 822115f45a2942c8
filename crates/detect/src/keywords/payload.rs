//! Checks on the size of payloads and buffers, and which buffer later options look at.

use weir_rules::value::{IntegerMatch, comma_list};
use weir_rules::{Quotes, RuleOption, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::buffer::{Buffer, BufferCheck, Check, IsDataAt, Longest};
use crate::model::signature::{Absent, PacketCheck};
use crate::model::view::PacketView;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "isdataat",
        [
            "isdataat:[!]<bytes|variable>[,relative];",
            "There is data that far into the buffer, or that far after the match before.",
            "content:\"user\"; isdataat:!1,relative;",
        ],
        is_data_at,
    ),
    Keyword::new(
        "bsize",
        [
            "bsize:<comparison>;",
            "The size of the sticky buffer in force, in bytes.",
            "http.uri; content:\"/admin\"; bsize:<20;",
        ],
        buffer_size,
    ),
    Keyword::new(
        "dsize",
        ["dsize:<comparison>;", "The size of the packet's payload, in bytes.", "dsize:>300;"],
        payload_size,
    ),
    Keyword::new(
        "urilen",
        [
            "urilen:<comparison>[,norm|raw];",
            "The length of the request's URI, normalised or as sent.",
            "urilen:1<>10,raw;",
        ],
        uri_length,
    ),
    Keyword::new(
        "pkt_data",
        [
            "pkt_data;",
            "Options that follow look at the payload again, not at a sticky buffer.",
            "http.uri; content:\"a\"; pkt_data; content:\"b\";",
        ],
        |option, rule| {
            option.no_argument()?;
            rule.select_payload(option)
        },
    ),
    Keyword::new(
        "absent",
        [
            "absent[:or_else];",
            "The sticky buffer in force is not there at all, or (`or_else`) its checks hold.",
            "http.referer; absent;",
        ],
        absent,
    ),
];

fn is_data_at(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let argument = option.argument(true, Quotes::Optional)?;
    let mut text = argument.text;
    let mut negated = argument.negated;
    // The sign may also stand inside the quotes.
    if let (false, true) = (negated, text.starts_with('!')) {
        text = text.slice(weir_rules::Span::new(1, text.len())).trimmed();
        negated = true;
    }
    let mut items = comma_list(&text).into_iter();
    let Some(first) = items.next() else {
        return Err(text.error("`isdataat` takes a number of bytes."));
    };
    let at = rule.number(option, &first, 0, i64::from(u16::MAX))?;
    let mut relative = false;
    for item in items {
        match item.as_str() {
            "relative" => relative = true,
            "rawbytes" => {}
            other => {
                return Err(item
                    .error(format!("pcre_exec parse error, ret -1, string {other}"))
                    .with_help("write `isdataat:10;` or `isdataat:!1,relative;`"));
            }
        }
    }
    rule.push_check(option, Check::IsDataAt(IsDataAt { at, relative, negated }))
}

/// `bsize`, `urilen`: the size of a buffer.
struct BufferSize {
    comparison: IntegerMatch<u64>,
    keyword: &'static str,
    longest: Option<Longest>,
}

impl BufferCheck for BufferSize {
    fn matches(&self, buffer: &Buffer<'_>) -> bool {
        self.comparison.matches(buffer.offset.saturating_add(buffer.bytes.len() as u64))
    }

    fn name(&self) -> &'static str {
        self.keyword
    }

    fn longest(&self) -> Option<Longest> {
        self.longest
    }
}

/// The bound that `bsize` sets for contents: that of a comparison with one number or a range, as written.
fn buffer_bound(comparison: &IntegerMatch<u64>) -> Option<Longest> {
    match *comparison {
        IntegerMatch::Equal(most) | IntegerMatch::Less(most) => Some(Longest::Buffer { least: None, most }),
        IntegerMatch::Between(least, most) => Some(Longest::Buffer { least: Some(least), most }),
        _ => None,
    }
}

/// The bound that `urilen` sets for each content. Strict comparisons are taken by the number after theirs, and the
/// largest size stands for any beyond.
fn uri_bound(comparison: &IntegerMatch<u16>) -> Option<Longest> {
    let most = match *comparison {
        IntegerMatch::Equal(size) | IntegerMatch::LessOrEqual(size) => size,
        IntegerMatch::Less(size) | IntegerMatch::Between(_, size) => size.saturating_add(1),
        _ => u16::MAX,
    };
    (most < u16::MAX).then_some(Longest::Content(most.into()))
}

fn buffer_size(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    if !rule.in_buffer() {
        return Err(option
            .name
            .error("`bsize` needs a sticky buffer before it.")
            .with_help("for the payload of packets write `dsize`"));
    }
    let comparison = IntegerMatch::parse(&text).map_err(|e| text.locate(e))?;
    let longest = buffer_bound(&comparison);
    rule.push_check(option, Check::Whole(Box::new(BufferSize { comparison, keyword: "bsize", longest })))
}

/// `dsize`
struct PayloadSize(IntegerMatch<u16>);

impl PacketCheck for PayloadSize {
    fn matches(&self, view: &PacketView<'_>) -> bool {
        u16::try_from(view.facts.packet.payload.len()).is_ok_and(|size| self.0.matches(size))
    }

    fn observed(&self, view: &PacketView<'_>) -> Option<String> {
        Some(format!("the payload has {} bytes", view.facts.packet.payload.len()))
    }
}

fn payload_size(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let comparison: IntegerMatch<u16> = IntegerMatch::parse(&text).map_err(|e| text.locate(e))?;
    if std::mem::replace(&mut rule.given.payload_size, true) {
        return Err(option
            .name
            .error("Can't use 2 or more dsizes in the same sig.  Invalidating signature."));
    }
    // Bounds are taken as written.
    rule.demands.payload_limit = match comparison {
        IntegerMatch::Equal(size) | IntegerMatch::NotEqual(size) | IntegerMatch::Less(size) => {
            Some(size.into())
        }
        IntegerMatch::Between(_, size) => Some(size.into()),
        _ => None,
    };
    rule.push_header_check(PayloadSize(comparison));
    Ok(())
}

fn uri_length(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let mut items = comma_list(&text).into_iter();
    let Some(first) = items.next() else {
        return Err(text.error("`urilen` takes a comparison with a number of bytes."));
    };
    let field = match items.next() {
        None => "http.uri",
        Some(word) if word == "norm" => "http.uri",
        Some(word) if word == "raw" => "http.uri.raw",
        Some(word) => {
            return Err(word.error(format!("`{word}` is no URI: it is `norm` or `raw`.")));
        }
    };
    let wanted = IntegerMatch::<u16>::parse(&first).map_err(|e| first.locate(e))?;
    let comparison = wanted.widened();
    let longest = uri_bound(&wanted);
    let environment = rule.environment;
    let Some((_, rows)) = environment.fields.find(field) else {
        return Err(option.name.error(format!("No protocol here has the field `{field}`.")));
    };
    let list = rule.list_of(option, rows)?;
    let size = BufferSize { comparison, keyword: "urilen", longest };
    rule.push_check_to(option, list, Check::Whole(Box::new(size)))
}

fn absent(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let wanted = match &option.value {
        None => Absent::Only,
        Some(value) if value == "or_else" => Absent::OrElse,
        Some(value) => {
            return Err(value.error(format!("unhandled value for absent keyword: {value}")));
        }
    };
    let Some(buffer) = rule.current_buffer() else {
        return Err(option
            .name
            .error("no buffer for absent keyword")
            .with_help("write `http.referer; absent;`"));
    };
    if !buffer.checks.is_empty() {
        return Err(option.name.error("absent must come first right after buffer"));
    }
    if buffer.absent.is_some() {
        return Err(option.name.error("absent must come first right after buffer"));
    }
    buffer.absent = Some(wanted);
    Ok(())
}
