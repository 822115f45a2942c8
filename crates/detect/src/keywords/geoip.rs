//! `geoip`: the countries of a packet's addresses.

use std::net::IpAddr;
use std::sync::Arc;

use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::{Cost, PacketCheck};
use crate::model::view::PacketView;
use crate::state::countries::Countries;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "geoip",
    [
        "geoip:[src|dst|both|any,]<country>[,<country>…]; geoip:[…,]!<country>[,!<country>…];",
        "The source, the destination, both or either of them are in one of these countries, or in none of them. \
         The setting `geoip-database` names a file in MaxMind's format.",
        "geoip:src,CN,RU;",
    ],
    geoip,
)];

/// Addresses that are looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Source,
    Destination,
    Both,
    Any,
}

struct CountryCheck {
    database: Arc<Countries>,
    ends: Ends,
    codes: Vec<String>,
    negated: bool,
}

impl CountryCheck {
    /// Whether the address's country, where it is known, is as wanted.
    fn fits(&self, address: Option<IpAddr>) -> bool {
        let country = address.and_then(|address| self.database.of(address));
        country.is_some_and(|country| self.codes.iter().any(|code| code == country) != self.negated)
    }
}

impl PacketCheck for CountryCheck {
    fn cost(&self) -> Cost {
        Cost::Search
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        let source = || self.fits(view.facts.packet.source());
        let destination = || self.fits(view.facts.packet.destination());
        match self.ends {
            Ends::Source => source(),
            Ends::Destination => destination(),
            Ends::Both => source() && destination(),
            Ends::Any => source() || destination(),
        }
    }
}

fn geoip(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let mut items = comma_list(&text);
    let ends = match items.first().map(|item| item.as_str()) {
        Some("src") => Some(Ends::Source),
        Some("dst") => Some(Ends::Destination),
        Some("both") => Some(Ends::Both),
        Some("any") => Some(Ends::Any),
        _ => None,
    };
    if ends.is_some() {
        items.remove(0);
    }
    let negated = items.first().is_some_and(|item| item.starts_with('!'));
    let mut codes = Vec::with_capacity(items.len());
    for item in &items {
        let code = item.strip_prefix('!');
        if code.is_some() != negated {
            return Err(item.error("Countries are all to be there, or all with `!` before them."));
        }
        let code = code.unwrap_or(item);
        if code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(item.error(format!("`{code}` is no code of a country; they have two letters.")));
        }
        codes.push(code.to_ascii_uppercase());
    }
    if codes.is_empty() {
        return Err(text.error("No country is named."));
    }
    rule.demands.lists = true;
    let database = match &*rule.environment.countries {
        Ok(database) => Arc::clone(database),
        Err(reason) => return Err(option.name.error(format!("`geoip` cannot be used: {reason}."))),
    };
    rule.push_packet_check(CountryCheck { database, ends: ends.unwrap_or(Ends::Any), codes, negated });
    Ok(())
}
