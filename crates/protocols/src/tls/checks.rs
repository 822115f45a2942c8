//! Keywords with a grammar of their own.

use weir_applayer::field::TransactionCheck;
use weir_applayer::{Transaction, downcast};
use weir_base::Direction;
use weir_base::time::Civil;

use super::certificate::Certificate;
use super::transaction::{Steps, TlsTransaction};
use super::version::Version;

type Parsed = Result<Box<dyn TransactionCheck>, String>;

/// A check by closure over the conversation and the sender's direction.
struct Check<F>(F);

impl<F: Fn(&TlsTransaction, Direction) -> bool + Send + Sync> TransactionCheck for Check<F> {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        downcast::<TlsTransaction>(transaction).is_some_and(|tx| (self.0)(tx, direction))
    }
}

fn boxed(check: impl Fn(&TlsTransaction, Direction) -> bool + Send + Sync + 'static) -> Parsed {
    Ok(Box::new(Check(check)))
}

fn certificate(tx: &TlsTransaction, direction: Direction) -> Option<&Certificate> {
    tx.sides[direction].certificate.as_ref()
}

fn required<'a>(option: Option<&'a str>, what: &str) -> Result<&'a str, String> {
    match option.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => Ok(text),
        None => Err(format!("{what} is missing")),
    }
}

fn nothing(option: Option<&str>) -> Result<(), String> {
    match option {
        None | Some("") => Ok(()),
        Some(_) => Err("the keyword takes no option".into()),
    }
}

/// `tls.version`
pub fn version(option: Option<&str>) -> Parsed {
    let text = required(option, "a version such as 1.2")?.trim_matches('"').trim();
    let wanted = match text {
        "1.0" => Version::TLS10,
        "1.1" => Version::TLS11,
        "1.2" => Version::TLS12,
        "1.3" => Version::TLS13,
        _ => {
            let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let number = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
            Version(number.ok_or("the version should be 1.0, 1.1, 1.2, 1.3 or a number such as 0x7f12")?)
        }
    };
    boxed(move |tx, direction| {
        let side = &tx.sides[direction];
        wanted == if side.version == Version(0) { side.record_version } else { side.version }
    })
}

/// `ssl_version`
pub fn record_version(option: Option<&str>) -> Parsed {
    let text = required(option, "a version such as tls1.2")?;
    let mut wanted = Vec::new();
    let mut unwanted = Vec::new();
    for word in text.split(',').map(|word| word.trim().trim_matches('"').trim()) {
        let (list, name) = match word.strip_prefix('!') {
            Some(name) => (&mut unwanted, name.trim()),
            None => (&mut wanted, word),
        };
        list.push(match name.to_ascii_lowercase().as_str() {
            "sslv2" => Version::SSL2,
            "sslv3" => Version::SSL3,
            "tls1.0" => Version::TLS10,
            "tls1.1" => Version::TLS11,
            "tls1.2" => Version::TLS12,
            "tls1.3" => Version::TLS13,
            _ => return Err(format!("{name} is none of sslv2, sslv3, tls1.0, tls1.1, tls1.2 and tls1.3")),
        });
        if list.iter().rev().skip(1).any(|before| Some(before) == list.last()) {
            return Err(format!("{name} stands twice"));
        }
    }
    if !wanted.is_empty() && !unwanted.is_empty() {
        return Err("negated versions and others cannot stand beside each other".into());
    }
    boxed(move |tx, direction| {
        let side = &tx.sides[direction];
        // Records of TLS 1.3 carry an older number.
        let version = if side.version.is_13() { Version::TLS13 } else { side.record_version };
        version != Version(0)
            && !unwanted.contains(&version)
            && (wanted.is_empty() || wanted.contains(&version) || wanted.contains(&side.version))
    })
}

/// Whether a step of the handshake was seen.
type Seen = fn(&Steps) -> bool;

/// `ssl_state`
pub fn state(option: Option<&str>) -> Parsed {
    let text = required(option, "a state such as client_hello")?;
    let mut wanted: Vec<(bool, Seen)> = Vec::new();
    for word in text.split(['|', ',']).map(str::trim) {
        let (negated, name) = match word.strip_prefix('!') {
            Some(name) => (true, name.trim()),
            None => (false, word),
        };
        wanted.push((
            negated,
            match name.to_ascii_lowercase().as_str() {
                "client_hello" => |steps| steps.client_hello,
                "server_hello" => |steps| steps.server_hello,
                "client_keyx" => |steps| steps.client_key_exchange,
                "server_keyx" => |steps| steps.server_key_exchange,
                "unknown" => |steps| steps.unknown,
                _ => return Err(format!("{name} is no state of a handshake")),
            },
        ));
    }
    boxed(move |tx, _| wanted.iter().any(|(negated, seen)| seen(&tx.steps) != *negated))
}

/// `"text"` or `!"text"`: whether it is negated, and the text.
fn quoted(option: Option<&str>) -> Result<(bool, String), String> {
    let text = required(option, "a text")?;
    let (negated, text) = match text.strip_prefix('!') {
        Some(rest) => (true, rest.trim()),
        None => (false, text),
    };
    let inner = text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
    let text = inner.ok_or("the text must be double quoted")?;
    if text.is_empty() { Err("the text is empty".into()) } else { Ok((negated, text.into())) }
}

fn contains(haystack: &[u8], needle: &str) -> bool {
    memchr::memmem::find(haystack, needle.as_bytes()).is_some()
}

/// `tls.subject`
pub fn subject(option: Option<&str>) -> Parsed {
    let (negated, text) = quoted(option)?;
    boxed(move |tx, direction| {
        let subject = certificate(tx, direction).and_then(|found| found.subject.as_deref());
        subject.is_some_and(|subject| contains(subject, &text) != negated)
    })
}

/// `tls.issuerdn`
pub fn issuer(option: Option<&str>) -> Parsed {
    let (negated, text) = quoted(option)?;
    boxed(move |tx, direction| {
        let issuer = certificate(tx, direction).and_then(|found| found.issuer.as_deref());
        issuer.is_some_and(|issuer| contains(issuer, &text) != negated)
    })
}

/// `tls.fingerprint`
pub fn fingerprint(option: Option<&str>) -> Parsed {
    let (negated, text) = quoted(option)?;
    let text = text.to_ascii_lowercase();
    boxed(move |tx, direction| {
        let fingerprint = tx.sides[direction].fingerprint();
        fingerprint.is_some_and(|found| contains(found.as_bytes(), &text) != negated)
    })
}

/// A range of moments, ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    first: i64,
    last: i64,
}

/// `2015`, `<2015`, `>2015-10`, `2015-10-22<>2015-10-23 12:00`.
fn span(option: Option<&str>) -> Result<Span, String> {
    let text = required(option, "a date")?.trim_matches('"');
    let all = Span { first: i64::MIN, last: i64::MAX };
    if let Some((first, last)) = text.split_once("<>") {
        // Neither end is included.
        let span = Span { first: moment(first)? + 1, last: moment(last)? - 1 };
        return if span.first <= span.last {
            Ok(span)
        } else {
            Err("the first date is the later one".into())
        };
    }
    if let Some(text) = text.strip_prefix('<') {
        return Ok(Span { last: moment(text)? - 1, ..all });
    }
    if let Some(text) = text.strip_prefix('>') {
        return Ok(Span { first: moment(text)? + 1, ..all });
    }
    let first = moment(text)?;
    Ok(Span { first, last: first })
}

/// A date with as much of the time as is given: year, month, day, hour, minute, second.
fn moment(text: &str) -> Result<i64, String> {
    let bad = || format!("{text} is no date such as 2015-10-22T23:59:59");
    let text = text.trim();
    let mut parts = [1970, 1, 1, 0, 0, 0];
    let mut given = 0;
    for (slot, word) in parts.iter_mut().zip(text.split(['-', 'T', ' ', ':'])) {
        *slot = word.parse::<i64>().map_err(|_| bad())?;
        given += 1;
    }
    if given != text.split(['-', 'T', ' ', ':']).count() {
        return Err(bad());
    }
    let [year, month, day, hour, minute, second] = parts;
    let fits = (0..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    if !fits {
        return Err(bad());
    }
    let [month, day, hour, minute, second] = [month, day, hour, minute, second].map(|part| part as u8);
    Ok(Civil { year, month, day, hour, minute, second }.to_seconds())
}

/// `tls_cert_notbefore`
pub fn not_before(option: Option<&str>) -> Parsed {
    let span = span(option)?;
    boxed(move |tx, direction| {
        let date = certificate(tx, direction).and_then(|found| found.not_before);
        date.is_some_and(|date| span.first <= date && date <= span.last)
    })
}

/// `tls_cert_notafter`
pub fn not_after(option: Option<&str>) -> Parsed {
    let span = span(option)?;
    boxed(move |tx, direction| {
        let date = certificate(tx, direction).and_then(|found| found.not_after);
        date.is_some_and(|date| span.first <= date && date <= span.last)
    })
}

/// When the certificate was seen.
fn seconds(tx: &TlsTransaction, direction: Direction) -> i64 {
    i64::try_from(tx.sides[direction].certified_at.seconds()).unwrap_or(i64::MAX)
}

/// `tls_cert_expired`
pub fn expired(option: Option<&str>) -> Parsed {
    nothing(option)?;
    boxed(|tx, direction| {
        let date = certificate(tx, direction).and_then(|found| found.not_after);
        date.is_some_and(|date| date < seconds(tx, direction))
    })
}

/// `tls_cert_valid`
pub fn valid(option: Option<&str>) -> Parsed {
    nothing(option)?;
    boxed(|tx, direction| {
        let certificate = certificate(tx, direction);
        certificate.and_then(|found| found.is_valid_at(seconds(tx, direction))) == Some(true)
    })
}

/// `tls.store`
pub fn store(option: Option<&str>) -> Parsed {
    nothing(option)?;
    Ok(Box::new(Store))
}

struct Store;

impl TransactionCheck for Store {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        downcast::<TlsTransaction>(transaction).is_some_and(|tx| !tx.sides[direction].certificates.is_empty())
    }

    fn stores_certificates(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let (min, max) = (i64::MIN, i64::MAX);
        let cases: [(&str, Option<(i64, i64)>); 9] = [
            ("2015", Some((1_420_070_400, 1_420_070_400))),
            ("<1970-01-02", Some((min, 86_399))),
            (">1970-01-02T00:00:01", Some((86_402, max))),
            ("1970<>1970-01-01 01:00", Some((1, 3599))),
            ("1971<>1970", None),
            ("1970-13", None),
            ("1970-01-01T00:00:00:00", None),
            ("yesterday", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let found = span(Some(text)).ok();
            assert_eq!(found, expected.map(|(first, last)| Span { first, last }), "{text}");
        }
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        assert!(version(Some("1.4")).is_err() && version(None).is_err());
        assert!(version(Some("0x7f12")).is_ok() && version(Some("1.3")).is_ok());
        assert!(record_version(Some("sslv4")).is_err() && record_version(Some("sslv2, tls1.3")).is_ok());
        assert!(
            record_version(Some("sslv3,sslv3")).is_err() && record_version(Some("sslv3,!tls1.0")).is_err()
        );
        assert!(subject(Some("CN=a")).is_err() && issuer(Some("!\"CN=a\"")).is_ok());
        assert!(state(Some("asleep")).is_err() && state(Some("client_hello|server_hello")).is_ok());
        assert!(expired(Some("yes")).is_err() && store(None).is_ok());
        assert_eq!(quoted(Some("!\"CN=a, b\"")), Ok((true, "CN=a, b".into())));
        assert!(quoted(Some("\"\"")).is_err());
    }
}
