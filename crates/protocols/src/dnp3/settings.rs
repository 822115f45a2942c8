//! The configuration of DNP3: `app-layer.protocols.dnp3`.

use weir_applayer::Options;
use weir_applayer::waiting::MAX_LIVE;

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `max-tx`: messages of a flow that are live before more are too many; those are read all the same, up to
    /// [`MAX_LIVE`].
    pub max_transactions: usize,
    /// `max-points`: points of a message.
    pub max_points: usize,
    /// `max-objects`: objects of a message.
    pub max_objects: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_transactions: 32, max_points: 16_384, max_objects: 2048 }
    }
}

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        let default = Self::default();
        let number = |path: &str, default: usize| {
            options.text(path).map_or(default, |text| {
                text.trim().parse().unwrap_or_else(|_| {
                    options.complain(path, "it should be a number; the default is used");
                    default
                })
            })
        };
        let max_transactions = number("max-tx", default.max_transactions);
        if max_transactions > MAX_LIVE {
            options.complain("max-tx", &format!("no more than {MAX_LIVE} messages are live"));
        }
        Self {
            max_transactions: max_transactions.min(MAX_LIVE),
            max_points: number("max-points", default.max_points),
            max_objects: number("max-objects", default.max_objects),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Settings as Texts;

    #[test]
    fn by_text() {
        type Case<'a> = (&'a [(&'a str, &'a str)], (usize, usize, usize));
        let cases: &[Case<'_>] = &[
            (&[], (32, 16_384, 2048)),
            (&[("max-tx", "5"), ("max-points", "6"), ("max-objects", "7")], (5, 6, 7)),
            (&[("max-tx", "x"), ("max-points", "-1"), ("may-complain", "")], (32, 16_384, 2048)),
            (&[("max-tx", "1000000"), ("may-complain", "")], (MAX_LIVE, 16_384, 2048)),
        ];
        for (texts, expected) in cases {
            let Settings { max_transactions, max_points, max_objects } = Settings::read(&Texts(texts));
            assert_eq!((max_transactions, max_points, max_objects), *expected, "{texts:?}");
        }
    }
}
