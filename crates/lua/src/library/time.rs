//! Times as scripts read them.

use weir_base::Timestamp;

/// `11/24/2009-18:57:25.179869`
pub(super) fn legacy(time: Timestamp) -> String {
    let c = time.local().civil;
    let micros = time.micros();
    format!(
        "{:02}/{:02}/{:04}-{:02}:{:02}:{:02}.{micros:06}",
        c.month, c.day, c.year, c.hour, c.minute, c.second
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let time = Timestamp::new(1_700_000_000, 5_000);
        assert_eq!(legacy(time), "11/14/2023-22:13:20.000005");
    }
}
