//! Fields of a message.

use weir_applayer::{Access, Field, bytes, list};

use super::message::Name;
use super::sdp::Line;
use super::transaction::{COMPLETE, SipTransaction};

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
    Field::to_server("sip.method", COMPLETE, METHOD).doc("The method of a request."),
    Field::to_server("sip.uri", COMPLETE, URI).doc("The URI of a request."),
    Field::to_server("sip.request_line", COMPLETE, REQUEST_LINE).doc("The first line of a request."),
    Field::to_client("sip.stat_code", COMPLETE, STAT_CODE).doc("The status code of a response."),
    Field::to_client("sip.stat_msg", COMPLETE, STAT_MSG).doc("The status of a response in words."),
    Field::to_client("sip.response_line", COMPLETE, RESPONSE_LINE).doc("The first line of a response."),
    Field::both("sip.protocol", COMPLETE, PROTOCOL)
        .doc("The version in the first line of a message (`SIP/2.0`)."),
    Field::both("sip.from", COMPLETE, header!(From)).doc("The values of a message's `From`."),
    Field::both("sip.to", COMPLETE, header!(To)).doc("The values of a message's `To`."),
    Field::both("sip.via", COMPLETE, header!(Via)).doc("The values of a message's `Via`."),
    Field::both("sip.user_agent", COMPLETE, header!(UserAgent))
        .doc("The values of a message's `User-Agent`."),
    Field::both("sip.content_type", COMPLETE, header!(ContentType))
        .doc("The values of a message's `Content-Type`."),
    Field::both("sip.content_length", COMPLETE, header!(ContentLength))
        .doc("The values of a message's `Content-Length`."),
    Field::both("sdp.origin", COMPLETE, session!(Origin))
        .doc("Who makes the session that a message describes (`o=`)."),
    Field::both("sdp.session_name", COMPLETE, session!(SessionName)).doc("The name of the session (`s=`)."),
    Field::both("sdp.session_info", COMPLETE, session!(Info))
        .doc("What is said of the session in words (`i=`)."),
    Field::both("sdp.uri", COMPLETE, session!(Uri)).doc("Where more is said of the session (`u=`)."),
    Field::both("sdp.email", COMPLETE, session!(Email))
        .doc("The mail address of whoever answers for the session (`e=`)."),
    Field::both("sdp.phone_number", COMPLETE, session!(PhoneNumber))
        .doc("The phone number of whoever answers for the session (`p=`)."),
    Field::both("sdp.connection_data", COMPLETE, session!(ConnectionData))
        .doc("The address of the session's media (`c=`)."),
    Field::both("sdp.bandwidth", COMPLETE, BANDWIDTH).doc("The bandwidths of the session (`b=`)."),
    Field::both("sdp.time", COMPLETE, TIME).doc("When the session is (`t=`)."),
    Field::both("sdp.repeat_time", COMPLETE, REPEAT_TIME).doc("When the session is again (`r=`)."),
    Field::both("sdp.timezone", COMPLETE, session!(Timezone))
        .doc("The time zones of the session's times (`z=`)."),
    Field::both("sdp.encryption_key", COMPLETE, session!(EncryptionKey))
        .doc("The key of the session (`k=`)."),
    Field::both("sdp.attribute", COMPLETE, ATTRIBUTE).doc("The attributes of the session (`a=`)."),
    Field::both("sdp.media.media", COMPLETE, media!(Media)).doc("What each medium is, and where (`m=`)."),
    Field::both("sdp.media.media_info", COMPLETE, media!(Info))
        .aliases(&["sdp.media.session_info"])
        .doc("What is said of each medium in words (`i=`)."),
    Field::both("sdp.media.connection_data", COMPLETE, media!(ConnectionData))
        .doc("The address of each medium (`c=`)."),
    Field::both("sdp.media.encryption_key", COMPLETE, media!(EncryptionKey))
        .doc("The key of each medium (`k=`)."),
    Field::both("sdp.media.attribute", COMPLETE, MEDIA_ATTRIBUTE).doc("The attributes of all media (`a=`)."),
];
