//! Options that are no check of a buffer: on packets and flows, on a match, and rates.

use weir_base::JsonWriter;
use weir_rules::value::{IntegerMatch, comma_list, parse_number};
use weir_rules::{Quotes, RuleOption};

use super::subject::{Subject, keyword_name};

/// Options of `threshold` and its kin.
const RATES: &[&str] = &["threshold", "detection_filter"];

/// Comparisons shown with their parts: the keyword, and the key of the object.
const COMPARISONS: &[(&str, &str)] =
    &[("dsize", "dsize"), ("flow.age", "flow_age"), ("icode", "code"), ("tcp.mss", "tcp_mss")];

/// Single numbers.
const NUMBERS: &[(&str, &str)] = &[("tcp.seq", "seq"), ("tcp.ack", "ack"), ("icmp_id", "id")];

/// The checks on packets and flows, as objects of the array that is open.
pub(super) fn write_packet(json: &mut JsonWriter<'_>, subject: &Subject<'_>) {
    for option in subject.packet_options() {
        write_option(json, option);
    }
}

/// Writes the options that act on a match.
pub(super) fn write_post(json: &mut JsonWriter<'_>, subject: &Subject<'_>) {
    for option in subject.options_at(&subject.signature.trace.post) {
        match keyword_name(option) {
            // What stores files once a rule has matched has a name of its own.
            "filestore" => {
                json.open_object();
                json.string("name", "__filestore__postmatch__");
                json.close_object();
            }
            _ => write_option(json, option),
        }
    }
}

/// The rates.
pub(super) fn rates<'s>(subject: &'s Subject<'_>) -> Vec<&'s RuleOption> {
    subject.options().iter().filter(|option| RATES.contains(&option.name.as_str())).collect()
}

/// One option: its keyword, and what its value says where reports show that.
pub(super) fn write_option(json: &mut JsonWriter<'_>, option: &RuleOption) {
    let name = keyword_name(option);
    json.open_object();
    json.string("name", name);
    let text = option.argument(false, Quotes::Optional).map(|argument| argument.text.to_string());
    let text = text.unwrap_or_default();
    let find = |table: &[(&str, &'static str)]| table.iter().find(|(n, _)| *n == name).map(|(_, key)| *key);
    if let (Some(key), Ok(comparison)) = (find(COMPARISONS), IntegerMatch::<u64>::parse(&text)) {
        json.object(key);
        write_comparison(json, &comparison);
        json.close_object();
    } else if let (Some(key), Ok(number)) = (find(NUMBERS), parse_number(text.trim())) {
        json.object(key);
        json.unsigned("number", number);
        json.close_object();
    } else {
        match name {
            "flowbits" => write_flowbits(json, option),
            "ipopts" => {
                json.object("ipopts");
                json.string("option", text.trim());
                json.close_object();
            }
            "tcp.window" => write_window(json, &text),
            _ => {}
        }
    }
    json.close_object();
}

/// The parts of a comparison.
fn write_comparison(json: &mut JsonWriter<'_>, comparison: &IntegerMatch<u64>) {
    let mut pair = |key: &str, names: [&str; 2], first: u64, second: u64| {
        json.object(key);
        json.unsigned(names[0], first);
        json.unsigned(names[1], second);
        json.close_object();
    };
    const RANGE: [&str; 2] = ["min", "max"];
    const BITS: [&str; 2] = ["mask", "value"];
    match *comparison {
        IntegerMatch::Between(low, high) | IntegerMatch::Within(low, high) => pair("range", RANGE, low, high),
        IntegerMatch::NotBetween(low, high) | IntegerMatch::NotWithin(low, high) => {
            pair("negated_range", RANGE, low, high);
        }
        IntegerMatch::MaskEqual { mask, value } => pair("bitmask", BITS, mask, value),
        IntegerMatch::MaskNotEqual { mask, value } => pair("negated_bitmask", BITS, mask, value),
        IntegerMatch::Equal(value) => json.unsigned("equal", value),
        IntegerMatch::NotEqual(value) => json.unsigned("diff", value),
        IntegerMatch::Greater(value) => json.unsigned("gt", value),
        IntegerMatch::GreaterOrEqual(value) => json.unsigned("gte", value),
        IntegerMatch::Less(value) => json.unsigned("lt", value),
        IntegerMatch::LessOrEqual(value) => json.unsigned("lte", value),
    }
}

fn write_window(json: &mut JsonWriter<'_>, text: &str) {
    let (size, negated) = match IntegerMatch::<u64>::parse(text) {
        Ok(IntegerMatch::Equal(size)) => (size, false),
        Ok(IntegerMatch::NotEqual(size)) => (size, true),
        _ => return,
    };
    json.object("window");
    json.unsigned("size", size);
    json.boolean("negated", negated);
    json.close_object();
}

/// The command and the names of a `flowbits` option; none for `noalert`.
pub(super) fn flowbits(option: &RuleOption) -> Option<(String, Vec<String>)> {
    let text = option.argument(false, Quotes::Optional).ok()?.text;
    let items = comma_list(&text);
    let [command, names] = items.as_slice() else { return None };
    Some((command.to_string(), names.split('|').map(|name| name.trim().to_owned()).collect()))
}

fn write_flowbits(json: &mut JsonWriter<'_>, option: &RuleOption) {
    let Some((command, names)) = flowbits(option) else { return };
    json.object("flowbits");
    json.string("cmd", command);
    json.array("names");
    for name in &names {
        json.push_string(name);
    }
    json.close_array();
    if names.len() > 1 {
        json.string("operator", "or");
    }
    json.close_object();
}
