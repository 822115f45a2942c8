//! Suggestions for a misspelt name.

/// Longest name that is compared with others.
const MAX_NAME: usize = 64;

/// The name that is closest to `name` in letters that are added, taken out, changed or swapped with their
/// neighbour: one, and one more for every four letters of the shorter name. Of several the first by alphabet.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.is_empty() || name.len() > MAX_NAME {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    names
        .into_iter()
        .filter(|known| known.len().abs_diff(name.len()) <= 1 + name.len() / 4)
        .map(|known| (strsim::osa_distance(&lower, &known.to_ascii_lowercase()), known))
        .filter(|(distance, known)| *distance <= 1 + known.len().min(name.len()) / 4)
        // A short name has too many neighbours.
        .filter(|(distance, known)| *distance * 2 < known.len())
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_lead_to_the_right_ones() {
        let names =
            ["content", "http.uri", "classtype", "flowbits", "http", "pcre", "memcap", "memcap-policy"];
        for (name, expected) in [
            ("contnet", Some("content")),
            ("contents", Some("content")),
            ("htp.uri", Some("http.uri")),
            ("htpt", Some("http")),
            ("HTTPP", Some("http")),
            ("memcpa", Some("memcap")),
            ("xyzzyplugh", None),
            ("q", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
        assert_eq!(nearest(&"content".repeat(20), names), None);
    }
}
