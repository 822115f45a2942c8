//! SIP, and the sessions that it describes.

use super::{Row, row};

const fn up(keyword: &'static str, hit: &'static str, miss: &'static str, bad: &'static str) -> Row {
    row(keyword, "sip", hit, miss, bad)
}

/// The rows.
pub const ROWS: &[Row] = &[
    up(
        "sdp.attribute",
        "sdp.attribute; content:\"sendrecv\"; bsize:8;",
        "sdp.attribute; content:\"rtpmap\";",
        "sdp.attribute:1;",
    ),
    up(
        "sdp.bandwidth",
        "sdp.bandwidth; content:\"AS:64\"; bsize:5;",
        "sdp.bandwidth; content:\"AS:65\";",
        "sdp.bandwidth:1;",
    ),
    up(
        "sdp.connection_data",
        "sdp.connection_data; content:\"IN IP4 10.2.0.1\"; bsize:15;",
        "sdp.connection_data; content:\"IN IP4 10.2.0.9\";",
        "sdp.connection_data:1;",
    ),
    up(
        "sdp.email",
        "sdp.email; content:\"al@a.example\"; bsize:12;",
        "sdp.email; content:\"AL@\";",
        "sdp.email:1;",
    ),
    up(
        "sdp.encryption_key",
        "sdp.encryption_key; content:\"prompt\"; bsize:6;",
        "sdp.encryption_key; content:\"clear\";",
        "sdp.encryption_key:1;",
    ),
    up(
        "sdp.media.attribute",
        "sdp.media.attribute; content:\"rtpmap:0\"; startswith;",
        "sdp.media.attribute; content:\"sendrecv\";",
        "sdp.media.attribute:1;",
    ),
    up(
        "sdp.media.connection_data",
        "sdp.media.connection_data; content:\"IN IP4 10.2.0.9\"; bsize:15;",
        "sdp.media.connection_data; content:\"10.2.0.1\";",
        "sdp.media.connection_data:1;",
    ),
    up(
        "sdp.media.encryption_key",
        "sdp.media.encryption_key; content:\"clear\"; startswith;",
        "sdp.media.encryption_key; content:\"prompt\";",
        "sdp.media.encryption_key:1;",
    ),
    up(
        "sdp.media.media",
        "sdp.media.media; content:\"audio 9 RTP/AVP 0\"; bsize:17;",
        "sdp.media.media; content:\"video\";",
        "sdp.media.media:1;",
    ),
    up(
        "sdp.media.media_info",
        "sdp.media.media_info; content:\"sound\"; bsize:5;",
        "sdp.media.media_info; content:\"about\";",
        "sdp.media.media_info:1;",
    ),
    up(
        "sdp.origin",
        "sdp.origin; content:\"al 1 2 IN IP4\"; startswith;",
        "sdp.origin; content:\"bob\";",
        "sdp.origin:1;",
    ),
    up(
        "sdp.phone_number",
        "sdp.phone_number; content:\"+1 555 0100\"; bsize:11;",
        "sdp.phone_number; content:\"+2\";",
        "sdp.phone_number:1;",
    ),
    up(
        "sdp.repeat_time",
        "sdp.repeat_time; content:\"7d 1h 0 25h\"; bsize:11;",
        "sdp.repeat_time; content:\"100\";",
        "sdp.repeat_time:1;",
    ),
    up(
        "sdp.session_info",
        "sdp.session_info; content:\"about lunch\"; bsize:11;",
        "sdp.session_info; content:\"sound\";",
        "sdp.session_info:1;",
    ),
    up(
        "sdp.session_name",
        "sdp.session_name; content:\"talk\"; bsize:4;",
        "sdp.session_name; content:\"Talk\";",
        "sdp.session_name:1;",
    ),
    up("sdp.time", "sdp.time; content:\"100 200\"; bsize:7;", "sdp.time; content:\"300\";", "sdp.time:1;"),
    up(
        "sdp.timezone",
        "sdp.timezone; content:\"150 -1h 200 0\"; bsize:13;",
        "sdp.timezone; content:\"+1h\";",
        "sdp.timezone:1;",
    ),
    up(
        "sdp.uri",
        "sdp.uri; content:\"http://a.example/talk\"; bsize:21;",
        "sdp.uri; content:\"https\";",
        "sdp.uri:1;",
    ),
    up(
        "sip.content_length",
        "sip.content_length; content:\"287\"; bsize:3;",
        "sip.content_length; content:\"278\";",
        "sip.content_length:1;",
    ),
    up(
        "sip.content_type",
        "sip.content_type; content:\"application/sdp\"; bsize:15;",
        "sip.content_type; content:\"text\";",
        "sip.content_type:1;",
    ),
    up(
        "sip.from",
        "sip.from; content:\"<sip:al@a.example>\"; startswith;",
        "sip.from; content:\"bob\";",
        "sip.from:1;",
    ),
    up(
        "sip.method",
        "sip.method; content:\"INVITE\"; bsize:6;",
        "sip.method; content:\"BYE\";",
        "sip.method:1;",
    ),
    up(
        "sip.protocol",
        "sip.protocol; content:\"SIP/2.0\"; bsize:7;",
        "sip.protocol; content:\"SIP/2.1\";",
        "sip.protocol:1;",
    ),
    up(
        "sip.request_line",
        "sip.request_line; content:\"INVITE sip:bob@b.example SIP/2.0\"; bsize:32;",
        "sip.request_line; content:\"200\";",
        "sip.request_line:1;",
    ),
    up(
        "sip.response_line",
        "sip.response_line; content:\"SIP/2.0 486 Busy Here\"; bsize:21;",
        "sip.response_line; content:\"INVITE\";",
        "sip.response_line:1;",
    ),
    up(
        "sip.stat_code",
        "sip.stat_code; content:\"486\"; bsize:3;",
        "sip.stat_code; content:\"200\";",
        "sip.stat_code:1;",
    ),
    up(
        "sip.stat_msg",
        "sip.stat_msg; content:\"Busy Here\"; bsize:9;",
        "sip.stat_msg; content:\"OK\";",
        "sip.stat_msg:1;",
    ),
    up(
        "sip.to",
        "sip.to; content:\"<sip:bob@b.example>\"; bsize:19;",
        "sip.to; content:\"al\";",
        "sip.to:1;",
    ),
    up(
        "sip.uri",
        "sip.uri; content:\"sip:bob@b.example\"; bsize:17;",
        "sip.uri; content:\"tel\";",
        "sip.uri:1;",
    ),
    up(
        "sip.user_agent",
        "sip.user_agent; content:\"phone/1\"; bsize:7;",
        "sip.user_agent; content:\"phone/2\";",
        "sip.user_agent:1;",
    ),
    up(
        "sip.via",
        "sip.via; content:\"SIP/2.0/UDP c\"; startswith;",
        "sip.via; content:\"TCP\";",
        "sip.via:1;",
    ),
];
