//! Every dependency may be used under a licence that `deny.toml` allows.

use crate::workspace;

/// The list `allow` of `deny.toml`.
fn allowed() -> Vec<String> {
    let text = std::fs::read_to_string(workspace::root().join("deny.toml")).expect("deny.toml");
    let (_, list) = text.split_once("allow = [").expect("a list of licences");
    let (list, _) = list.split_once(']').expect("an end of the list");
    list.split(',')
        .map(|word| word.trim().trim_matches('"').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether one choice of each `OR` makes all parts of each `AND` allowed. Brackets hold no more than
/// one level, which is what licence expressions use; `/` is the old spelling of `OR`.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('/', " OR ");
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for word in expression.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
        match word {
            "(" => depth += 1,
            ")" => depth -= 1,
            "AND" if depth == 0 => parts.push(String::new()),
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push_str(word);
                    part.push(' ');
                }
            }
        }
    }
    parts.iter().all(|part| {
        part.split(" OR ").any(|choice| {
            choice.split(" AND ").all(|licence| allowed.iter().any(|name| name == licence.trim()))
        })
    })
}

#[test]
fn expressions() {
    let allowed = ["MIT".to_owned(), "Zlib".to_owned()];
    let cases = [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-2.0 OR MIT", true),
        ("MIT/Apache-2.0", true),
        ("MIT AND Zlib", true),
        ("MIT AND GPL-2.0", false),
        ("(MIT OR GPL-2.0) AND Zlib", true),
        ("(Apache-2.0 OR GPL-2.0) AND Zlib", false),
    ];
    for (expression, expected) in cases {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn dependencies_have_allowed_licences() {
    let allowed = allowed();
    assert!(allowed.len() > 2, "{allowed:?}");
    let metadata = workspace::built_packages();
    for package in metadata["packages"].as_array().expect("packages") {
        let name = &package["name"];
        let licence = package["license"].as_str().unwrap_or_else(|| panic!("{name} names no licence"));
        assert!(is_allowed(licence, &allowed), "{name} is under {licence}, which deny.toml does not allow");
    }
}
