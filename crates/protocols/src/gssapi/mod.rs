//! Authentication within other protocols (RFC 2743): SPNEGO around NTLM or a ticket
//! of Kerberos, or NTLM alone.

pub(crate) mod events;
pub(crate) mod ntlmssp;
pub(crate) mod token;
pub(crate) mod zeek;
