//! Numbers.

use super::{Builtin, count, double, row};
use crate::values::Value;
use crate::vm::Engine;

pub(super) const ROWS: &[Builtin] = &[
    row("floor", "(d: double): double", |_, a| Ok(Value::Double(double(a, 0).floor()))),
    row("ceil", "(d: double): double", |_, a| Ok(Value::Double(double(a, 0).ceil()))),
    row("sqrt", "(x: double): double", |e, a| {
        if double(a, 0) < 0.0 {
            e.complain("negative sqrt argument");
            return Ok(Value::Double(-1.0));
        }
        Ok(Value::Double(double(a, 0).sqrt()))
    }),
    row("exp", "(d: double): double", |_, a| Ok(Value::Double(double(a, 0).exp()))),
    row("ln", "(d: double): double", |e, a| Ok(Value::Double(logarithm(e, double(a, 0), f64::ln)))),
    row("log10", "(d: double): double", |e, a| Ok(Value::Double(logarithm(e, double(a, 0), f64::log10)))),
    row("log2", "(d: double): double", |e, a| Ok(Value::Double(logarithm(e, double(a, 0), f64::log2)))),
    row("pow", "(x: double, y: double): double", |_, a| Ok(Value::Double(double(a, 0).powf(double(a, 1))))),
    row("modulo", "(a: int, b: int): int", |e, a| {
        let (value, by) = (a.first().map_or(0, Value::int), a.get(1).map_or(0, Value::int));
        match value.checked_rem_euclid(by) {
            Some(rest) => Ok(Value::Int(rest)),
            None => Err(e.fail("modulo by zero")),
        }
    }),
    row("rand", "(max: count): count", |e, a| Ok(Value::Count(e.random.draw(count(a, 0))))),
    row("srand", "(seed: count): any", |e, a| {
        e.random.seed(count(a, 0));
        Ok(Value::Unset)
    }),
    row(
        "haversine_distance",
        "(lat1: double, long1: double, lat2: double, long2: double): double",
        |_, a| {
            let radians = |place| double(a, place).to_radians();
            let (one, other) = (radians(0), radians(2));
            let half = |difference: f64| (difference / 2.0).sin().powi(2);
            let inner = half(other - one) + one.cos() * other.cos() * half(radians(3) - radians(1));
            // The radius of the earth in miles.
            Ok(Value::Double(2.0 * 3958.8 * inner.sqrt().min(1.0).asin()))
        },
    ),
];

fn logarithm(engine: &mut Engine, value: f64, of: fn(f64) -> f64) -> f64 {
    if value <= 0.0 {
        engine.complain("non-positive logarithm argument");
        return -1.0;
    }
    of(value)
}
