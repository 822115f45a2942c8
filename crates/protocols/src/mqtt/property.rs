//! Properties of messages (5.0, 2.2.2).

use weir_base::Reader;

use super::header::variable;

/// Type of a property's value.
#[derive(Clone, Copy)]
enum Shape {
    Byte,
    TwoBytes,
    FourBytes,
    Variable,
    Text,
    Binary,
    Pair,
}

/// Number, name and shape of each.
const KNOWN: &[(u32, &str, Shape)] = &[
    (1, "payload_format_indicator", Shape::Byte),
    (2, "message_expiry_interval", Shape::FourBytes),
    (3, "content_type", Shape::Text),
    (8, "response_topic", Shape::Text),
    (9, "correlation_data", Shape::Binary),
    (11, "subscription_identifier", Shape::Variable),
    (17, "session_expiry_interval", Shape::FourBytes),
    (18, "assigned_client_identifier", Shape::Text),
    (19, "server_keep_alive", Shape::TwoBytes),
    (21, "authentication_method", Shape::Text),
    (22, "authentication_data", Shape::Binary),
    (23, "request_problem_information", Shape::Byte),
    (24, "will_delay_interval", Shape::FourBytes),
    (25, "request_response_information", Shape::Byte),
    (26, "response_information", Shape::Text),
    (28, "server_reference", Shape::Text),
    (31, "reason_string", Shape::Text),
    (33, "receive_maximum", Shape::TwoBytes),
    (34, "topic_alias_maximum", Shape::TwoBytes),
    (35, "topic_alias", Shape::TwoBytes),
    (36, "maximum_qos", Shape::Byte),
    (37, "retain_available", Shape::Byte),
    (38, "", Shape::Pair),
    (39, "maximum_packet_size", Shape::FourBytes),
    (40, "wildcard_subscription_available", Shape::Byte),
    (41, "subscription_identifier_available", Shape::Byte),
    (42, "shared_subscription_available", Shape::Byte),
];

/// One property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property<'a> {
    /// A number, by name.
    Number(&'static str, u32),
    /// Text, by name.
    Text(&'static str, &'a [u8]),
    /// Bytes, by name.
    Binary(&'static str, &'a [u8]),
    /// A name and text that the sender chose.
    User(&'a [u8], &'a [u8]),
    /// One that is not known: what follows its number is read as the next.
    Unknown,
}

/// The properties that `bytes` are, in order; ends early, with `None`, where one makes no sense.
pub fn properties(bytes: &[u8]) -> impl Iterator<Item = Option<Property<'_>>> {
    let mut reader = Some(Reader::new(bytes));
    std::iter::from_fn(move || {
        let left = reader.as_mut().filter(|reader| !reader.is_empty())?;
        let property = read(left);
        if property.is_none() {
            reader = None;
        }
        Some(property)
    })
}

fn read<'a>(reader: &mut Reader<'a>) -> Option<Property<'a>> {
    let number = variable(reader).ok()?;
    let Some(&(_, name, shape)) = KNOWN.iter().find(|(known, ..)| *known == number) else {
        return Some(Property::Unknown);
    };
    Some(match shape {
        Shape::Byte => Property::Number(name, reader.u8()?.into()),
        Shape::TwoBytes => Property::Number(name, reader.u16()?.into()),
        Shape::FourBytes => Property::Number(name, reader.u32()?),
        Shape::Variable => Property::Number(name, variable(reader).ok()?),
        Shape::Text => Property::Text(name, text(reader)?),
        Shape::Binary => Property::Binary(name, text(reader)?),
        Shape::Pair => Property::User(text(reader)?, text(reader)?),
    })
}

/// Bytes with their length before them (5.0, 1.5.4).
fn text<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u16()?;
    reader.take(length.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_in_order() {
        let cases: &[(&[u8], &[Option<Property<'_>>])] = &[
            (b"", &[]),
            (
                b"\x01\x01\x21\x00\x14\x11\x00\x00\x00\x09\x0b\x80\x01",
                &[
                    Some(Property::Number("payload_format_indicator", 1)),
                    Some(Property::Number("receive_maximum", 20)),
                    Some(Property::Number("session_expiry_interval", 9)),
                    Some(Property::Number("subscription_identifier", 128)),
                ],
            ),
            (
                b"\x03\x00\x02ab\x26\x00\x01k\x00\x01v\x09\x00\x01\xff",
                &[
                    Some(Property::Text("content_type", b"ab")),
                    Some(Property::User(b"k", b"v")),
                    Some(Property::Binary("correlation_data", b"\xff")),
                ],
            ),
            (b"\x7e\x24\x02", &[Some(Property::Unknown), Some(Property::Number("maximum_qos", 2))]),
            (b"\x24", &[None]),
            (b"\x24\x01\x03\x00\x05ab", &[Some(Property::Number("maximum_qos", 1)), None]),
        ];
        for (bytes, expected) in cases {
            assert_eq!(properties(bytes).collect::<Vec<_>>(), *expected, "{bytes:02x?}");
        }
    }
}
