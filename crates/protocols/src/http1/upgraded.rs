//! A request after which the connection goes on in another protocol, for the parser of that one
//! (RFC 9110, 7.8).

use super::transaction::HttpTransaction;

type Text = Box<[u8]>;

/// Such a request, in words of HTTP that its other versions share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UpgradedRequest {
    /// The method.
    pub(crate) method: Text,
    /// The target as written.
    pub(crate) target: Text,
    /// Names and values of the header fields, repeated ones joined.
    pub(crate) fields: Box<[(Text, Text)]>,
}

impl UpgradedRequest {
    /// The request of `transaction`, of which nothing is missing.
    pub(super) fn of(transaction: &HttpTransaction) -> Option<Self> {
        let fields = transaction.request.headers.iter();
        Some(Self {
            method: transaction.method_text()?.into(),
            target: transaction.target()?.into(),
            fields: fields.map(|(name, value)| (name.into(), value.into())).collect(),
        })
    }
}
