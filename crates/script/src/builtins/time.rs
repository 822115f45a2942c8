//! Times and dates.

use jiff::Timestamp;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

use super::{Builtin, double, row, text};
use crate::values::Value;
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("network_time", "(): time", |e, _| Ok(Value::Time(e.network_time))),
    row("current_time", "(): time", |_, _| Ok(Value::Time(crate::clock::now()))),
    row("set_network_time", "(nt: time): bool", |e, a| {
        e.network_time = double(a, 0);
        Ok(Value::Bool(true))
    }),
    row("strftime", "(fmt: string, d: time): string", |_, a| {
        Ok(Value::string(date(double(a, 1), &text(a, 0)).unwrap_or_default()))
    }),
    row("strptime", "(fmt: string, d: string): time", strptime),
];

/// Returns a time in the form of C's `strftime`, in the zone of the system.
pub fn date(seconds: f64, format: &str) -> Option<String> {
    let whole = seconds.floor();
    let stamp = Timestamp::new(whole as i64, ((seconds - whole) * 1e9) as i32).ok()?;
    jiff::fmt::strtime::format(format, &stamp.to_zoned(TimeZone::system())).ok()
}

fn strptime(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let (format, input) = (text(a, 0), text(a, 1));
    let read = || {
        let parts = BrokenDownTime::parse(&format, &input).ok()?;
        let mut parts = parts;
        if parts.year().is_none() {
            parts.set_year(Some(1900)).ok()?;
        }
        let date = parts.to_date().ok()?;
        let time = parts.to_time().unwrap_or(jiff::civil::Time::midnight());
        if let Some(offset) = parts.offset() {
            return offset.to_timestamp(date.to_datetime(time)).ok().map(|stamp| stamp.as_second());
        }
        date.to_datetime(time).to_zoned(TimeZone::system()).ok().map(|zoned| zoned.timestamp().as_second())
    };
    match read() {
        Some(seconds) => Ok(Value::Time(seconds as f64)),
        None => {
            engine.report("warning", "", &format!("strptime conversion failed: fmt:{format} d:{input}"));
            Ok(Value::Time(0.0))
        }
    }
}
