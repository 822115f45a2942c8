//! The configuration of SMTP: `app-layer.protocols.smtp`.

use weir_applayer::Options;
use weir_applayer::body::BodyLimits;

use crate::mime::MessageSettings;
use crate::mime::fields::MAX_VALUE;
use crate::mime::urls::UrlSettings;

/// Most schemes of addresses that are looked for.
const MAX_SCHEMES: usize = 32;

/// Treatment of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extraction {
    /// Nothing.
    Nothing,
    /// They are taken apart.
    Mime,
    /// Each is one file.
    Raw,
}

/// The configuration, read once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// `raw-extraction` and `mime.decode-mime`
    pub extraction: Extraction,
    /// `mime`
    pub message: MessageSettings,
    /// `inspected-tracker`
    pub limits: BodyLimits,
    /// `max-tx`
    pub max_transactions: usize,
}

impl Settings {
    /// Reads the configuration.
    pub(super) fn read(options: &dyn Options) -> Self {
        let decode = options.flag("mime.decode-mime", true);
        let raw = options.flag("raw-extraction", false);
        if raw && options.text("mime.decode-mime").is_some() && decode {
            options.complain("raw-extraction", "mime.decode-mime is on, too; raw extraction is left out");
        }
        let is_raw = raw && !(options.text("mime.decode-mime").is_some() && decode);
        let depth = match options.size("mime.header-value-depth", 2000) {
            0 => MAX_VALUE,
            depth => usize::try_from(depth).unwrap_or(MAX_VALUE),
        };
        let size = |key: &str, default| options.size(&format!("inspected-tracker.{key}"), default);
        let max = options.size("max-tx", 256).max(1);
        Self {
            extraction: match (is_raw, decode) {
                (true, _) => Extraction::Raw,
                (false, true) => Extraction::Mime,
                (false, false) => Extraction::Nothing,
            },
            message: MessageSettings {
                decode_base64: options.flag("mime.decode-base64", true),
                decode_quoted_printable: options.flag("mime.decode-quoted-printable", true),
                value_depth: depth,
                urls: options.flag("mime.extract-urls", true).then(|| url_settings(options)),
                body_md5: body_md5(options),
            },
            limits: BodyLimits {
                limit: size("content-limit", 100_000),
                minimal_inspect: size("content-inspect-min-size", 32_768),
                window: size("content-inspect-window", 4096),
            },
            max_transactions: usize::try_from(max).unwrap_or(usize::MAX),
        }
    }
}

fn url_settings(options: &dyn Options) -> UrlSettings {
    let mut schemes = options.list("mime.extract-urls-schemes");
    if schemes.is_empty() {
        schemes.push("http".to_owned());
    }
    schemes.truncate(MAX_SCHEMES);
    schemes.iter_mut().for_each(|scheme| scheme.make_ascii_lowercase());
    UrlSettings { schemes, with_scheme: options.flag("mime.log-url-scheme", false) }
}

/// `auto`, like nothing at all, leaves it to rules that ask for the digest.
fn body_md5(options: &dyn Options) -> bool {
    match options.text("mime.body-md5") {
        Some(text) if !text.eq_ignore_ascii_case("auto") => options.flag("mime.body-md5", false),
        _ => options.rules_use("email.body_md5"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[(&str, &str)]) -> Settings {
        Settings::read(&crate::testing::Settings(texts))
    }

    #[test]
    fn what_is_extracted() {
        use Extraction::{Mime, Nothing, Raw};
        let cases: [(&[(&'static str, &'static str)], Extraction); 5] = [
            (&[], Mime),
            (&[("mime.decode-mime", "no")], Nothing),
            (&[("raw-extraction", "yes")], Raw),
            (&[("raw-extraction", "yes"), ("mime.decode-mime", "no")], Raw),
            (&[("raw-extraction", "yes"), ("mime.decode-mime", "yes"), ("may-complain", "")], Mime),
        ];
        for (texts, expected) in cases {
            assert_eq!(read(texts).extraction, expected, "{texts:?}");
        }
    }

    #[test]
    fn addresses_and_digests() {
        let settings = read(&[("mime.extract-urls-schemes.0", "HTTPS"), ("mime.log-url-scheme", "yes")]);
        let urls = UrlSettings { schemes: vec!["https".to_owned()], with_scheme: true };
        assert_eq!((settings.message.urls, settings.message.body_md5), (Some(urls), false));
        assert_eq!(read(&[("mime.extract-urls", "no")]).message.urls, None);
        let cases: [(&[(&'static str, &'static str)], bool); 4] = [
            (&[("mime.body-md5", "yes")], true),
            (&[("mime.body-md5", "auto")], false),
            (&[("mime.body-md5", "auto"), ("rules-use", "email.body_md5")], true),
            (&[("mime.body-md5", "no"), ("rules-use", "email.body_md5")], false),
        ];
        for (texts, expected) in cases {
            assert_eq!(read(texts).message.body_md5, expected, "{texts:?}");
        }
    }
}
