//! `base64_decode` and `base64_data`: checks on what part of a buffer decodes to.

use weir_rules::value::{comma_list, key_value};
use weir_rules::{Quotes, RuleOption, SyntaxError};

use crate::builder::keyword::Keyword;
use crate::builder::{List, RuleBuilder};
use crate::model::buffer::{Base64Decode, Check};

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "base64_decode",
        [
            "base64_decode[:[bytes <n>][, offset <n>][, relative]];",
            "Decodes Base64 in the payload or in the sticky buffer in force, for `base64_data`.",
            "content:\"data=\"; base64_decode:bytes 64, relative; base64_data; content:\"MZ\";",
        ],
        base64_decode,
    ),
    Keyword::new(
        "base64_data",
        [
            "base64_data;",
            "Sticky buffer: what `base64_decode` decoded.",
            "base64_decode:offset 4; base64_data; content:\"MZ\"; startswith;",
        ],
        |option, rule| {
            option.no_argument()?;
            if !rule.checks.lists().flatten().any(is_decode) {
                return Err(option
                    .name
                    .error("`base64_data` needs a `base64_decode` before it.")
                    .with_help("write `base64_decode; base64_data; content:\"…\";`"));
            }
            rule.select_decoded();
            Ok(())
        },
    ),
];

fn is_decode(check: &Check) -> bool {
    matches!(check, Check::Base64Decode(_))
}

fn base64_decode(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let mut decode = Base64Decode { bytes: None, offset: 0, relative: false, checks: Vec::new() };
    if option.value.is_some() {
        let text = option.argument(false, Quotes::Optional)?.text;
        for item in comma_list(&text) {
            let (key, value) = key_value(&item);
            let number = || value.parse::<u16>().ok().map(usize::from);
            match (key.as_str(), value.is_empty(), number()) {
                ("bytes", false, Some(bytes)) if bytes > 0 => decode.bytes = Some(bytes),
                ("offset", false, Some(offset)) => decode.offset = offset,
                ("relative", true, _) => decode.relative = true,
                _ => {
                    return Err(item.error(format!("`base64_decode` does not know `{item}`.")).with_help(
                        "it knows bytes and offset, each with a number up to 65535, and relative",
                    ));
                }
            }
        }
    }
    let before = rule.checks.lists().flatten().any(is_decode);
    if before || rule.current() == List::Decoded {
        return Err(option.name.error("A rule can have only one `base64_decode`."));
    }
    rule.push_check(option, Check::Base64Decode(Box::new(decode)))
}
