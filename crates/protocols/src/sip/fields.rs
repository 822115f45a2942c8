//! Fields of a message.

use weir_applayer::{Access, Field, FieldDirection, bytes, list};

use super::message::Name;
use super::sdp::Line;
use super::transaction::{COMPLETE, SipTransaction};

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    direction: FieldDirection,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction, ready_at: COMPLETE, access, doc }
}

const UP: FieldDirection = FieldDirection::ToServer;
const DOWN: FieldDirection = FieldDirection::ToClient;
const BOTH: FieldDirection = FieldDirection::Both;

/// The values of a header field.
macro_rules! header {
    ($name:ident) => {
        list!(SipTransaction, |tx, _, index| tx.header(Name::$name, index))
    };
}

/// A value of which a session has one.
macro_rules! session {
    ($line:ident) => {
        bytes!(SipTransaction, |tx, _| {
            let description = tx.description.as_deref()?;
            description.one(description.session(), Line::$line)
        })
    };
}

/// Values of which each medium has one.
macro_rules! media {
    ($line:ident) => {
        list!(SipTransaction, |tx, _, index| tx.description.as_deref()?.of_media(Line::$line, index))
    };
}

const METHOD: Access = bytes!(SipTransaction, |tx, _| tx.of_request(0));
const URI: Access = bytes!(SipTransaction, |tx, _| tx.of_request(1));
const REQUEST_LINE: Access = bytes!(SipTransaction, |tx, _| tx.is_request().then(|| tx.head.start_line()));
const STAT_CODE: Access = bytes!(SipTransaction, |tx, _| tx.of_response(1));
const STAT_MSG: Access = bytes!(SipTransaction, |tx, _| tx.of_response(2));
const RESPONSE_LINE: Access =
    bytes!(SipTransaction, |tx, _| (!tx.is_request()).then(|| tx.head.start_line()));
const PROTOCOL: Access = bytes!(SipTransaction, |tx, _| tx.version());
const BANDWIDTH: Access = list!(SipTransaction, |tx, _, index| tx.description.as_deref()?.bandwidth(index));
const ATTRIBUTE: Access = list!(SipTransaction, |tx, _, index| tx.description.as_deref()?.attribute(index));
const TIME: Access = list!(SipTransaction, |tx, _, index| tx.description.as_deref()?.time(index));
const REPEAT_TIME: Access = list!(SipTransaction, |tx, _, index| tx.description.as_deref()?.repeat(index));
const MEDIA_ATTRIBUTE: Access =
    list!(SipTransaction, |tx, _, index| tx.description.as_deref()?.media_attribute(index));

/// The rows.
pub const FIELDS: &[Field] = &[
    field("sip.method", &[], UP, METHOD, "The method of a request."),
    field("sip.uri", &[], UP, URI, "The URI of a request."),
    field("sip.request_line", &[], UP, REQUEST_LINE, "The first line of a request."),
    field("sip.stat_code", &[], DOWN, STAT_CODE, "The status code of a response."),
    field("sip.stat_msg", &[], DOWN, STAT_MSG, "The status of a response in words."),
    field("sip.response_line", &[], DOWN, RESPONSE_LINE, "The first line of a response."),
    field("sip.protocol", &[], BOTH, PROTOCOL, "The version in the first line of a message (`SIP/2.0`)."),
    field("sip.from", &[], BOTH, header!(From), "The values of a message's `From`."),
    field("sip.to", &[], BOTH, header!(To), "The values of a message's `To`."),
    field("sip.via", &[], BOTH, header!(Via), "The values of a message's `Via`."),
    field("sip.user_agent", &[], BOTH, header!(UserAgent), "The values of a message's `User-Agent`."),
    field("sip.content_type", &[], BOTH, header!(ContentType), "The values of a message's `Content-Type`."),
    field(
        "sip.content_length",
        &[],
        BOTH,
        header!(ContentLength),
        "The values of a message's `Content-Length`.",
    ),
    field(
        "sdp.origin",
        &[],
        BOTH,
        session!(Origin),
        "Who makes the session that a message describes (`o=`).",
    ),
    field("sdp.session_name", &[], BOTH, session!(SessionName), "The name of the session (`s=`)."),
    field("sdp.session_info", &[], BOTH, session!(Info), "What is said of the session in words (`i=`)."),
    field("sdp.uri", &[], BOTH, session!(Uri), "Where more is said of the session (`u=`)."),
    field(
        "sdp.email",
        &[],
        BOTH,
        session!(Email),
        "The mail address of whoever answers for the session (`e=`).",
    ),
    field(
        "sdp.phone_number",
        &[],
        BOTH,
        session!(PhoneNumber),
        "The phone number of whoever answers for the session (`p=`).",
    ),
    field(
        "sdp.connection_data",
        &[],
        BOTH,
        session!(ConnectionData),
        "The address of the session's media (`c=`).",
    ),
    field("sdp.bandwidth", &[], BOTH, BANDWIDTH, "The bandwidths of the session (`b=`)."),
    field("sdp.time", &[], BOTH, TIME, "When the session is (`t=`)."),
    field("sdp.repeat_time", &[], BOTH, REPEAT_TIME, "When the session is again (`r=`)."),
    field("sdp.timezone", &[], BOTH, session!(Timezone), "The time zones of the session's times (`z=`)."),
    field("sdp.encryption_key", &[], BOTH, session!(EncryptionKey), "The key of the session (`k=`)."),
    field("sdp.attribute", &[], BOTH, ATTRIBUTE, "The attributes of the session (`a=`)."),
    field("sdp.media.media", &[], BOTH, media!(Media), "What each medium is, and where (`m=`)."),
    field(
        "sdp.media.media_info",
        &["sdp.media.session_info"],
        BOTH,
        media!(Info),
        "What is said of each medium in words (`i=`).",
    ),
    field(
        "sdp.media.connection_data",
        &[],
        BOTH,
        media!(ConnectionData),
        "The address of each medium (`c=`).",
    ),
    field("sdp.media.encryption_key", &[], BOTH, media!(EncryptionKey), "The key of each medium (`k=`)."),
    field("sdp.media.attribute", &[], BOTH, MEDIA_ATTRIBUTE, "The attributes of all media (`a=`)."),
];
