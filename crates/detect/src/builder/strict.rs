//! `--strict-rule-keywords`: of which keywords a value that is not known any more, or not here, is
//! an error and not a warning.

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StrictKeywords {
    /// Of none.
    #[default]
    None,
    /// Of all.
    All,
    /// Of these.
    Some(Vec<String>),
}

impl StrictKeywords {
    /// `all`, nothing for the same, or names with commas between.
    pub fn parse(text: &str) -> Self {
        let names: Vec<String> =
            text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if names.is_empty() || names.iter().any(|name| name == "all") { Self::All } else { Self::Some(names) }
    }

    /// Whether `keyword` is one of them.
    pub fn covers(&self, keyword: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some(names) => names.iter().any(|name| name.eq_ignore_ascii_case(keyword)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StrictKeywords;

    #[test]
    fn what_is_covered() {
        for (text, classtype, reference) in [
            ("", true, true),
            ("all", true, true),
            ("reference, all", true, true),
            ("reference", false, true),
            ("reference,classtype", true, true),
            ("content", false, false),
        ] {
            let strict = StrictKeywords::parse(text);
            assert_eq!(
                (strict.covers("classtype"), strict.covers("reference")),
                (classtype, reference),
                "{text}"
            );
        }
        assert!(!StrictKeywords::default().covers("classtype"));
    }
}
