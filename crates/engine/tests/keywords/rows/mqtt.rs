//! MQTT.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "mqtt.connack.session_present",
        "mqtt",
        "mqtt.type:CONNACK; mqtt.connack.session_present:yes;",
        "mqtt.type:CONNACK; mqtt.connack.session_present:no;",
        "mqtt.connack.session_present:1;",
    ),
    row(
        "mqtt.connect.clientid",
        "mqtt",
        "mqtt.connect.clientid; content:\"sensor-1\"; bsize:8;",
        "mqtt.connect.clientid; content:\"sensor-2\";",
        "mqtt.connect.clientid:1;",
    ),
    row(
        "mqtt.connect.flags",
        "mqtt",
        "mqtt.connect.flags:username,password,will,!will_retain,clean_session;",
        "mqtt.connect.flags:username,!password;",
        "mqtt.connect.flags:user;",
    ),
    row(
        "mqtt.connect.password",
        "mqtt",
        "mqtt.connect.password; content:\"secret\"; bsize:6;",
        "mqtt.connect.password; content:\"Secret\";",
        "mqtt.connect.password:1;",
    ),
    row(
        "mqtt.connect.protocol_string",
        "mqtt",
        "mqtt.connect.protocol_string; content:\"MQTT\"; bsize:4;",
        "mqtt.connect.protocol_string; content:\"MQIsdp\";",
        "mqtt.connect.protocol_string:1;",
    ),
    row(
        "mqtt.connect.username",
        "mqtt",
        "mqtt.connect.username; content:\"user\"; bsize:4;",
        "mqtt.connect.username; content:\"users\";",
        "mqtt.connect.username:1;",
    ),
    row(
        "mqtt.connect.willmessage",
        "mqtt",
        "mqtt.connect.willmessage; content:\"gone\"; bsize:4;",
        "mqtt.connect.willmessage; content:\"last\";",
        "mqtt.connect.willmessage:1;",
    ),
    row(
        "mqtt.connect.willtopic",
        "mqtt",
        "mqtt.connect.willtopic; content:\"last/will\"; bsize:9;",
        "mqtt.connect.willtopic; content:\"gone\";",
        "mqtt.connect.willtopic:1;",
    ),
    row("mqtt.flags", "mqtt", "mqtt.flags:dup,!retain;", "mqtt.flags:retain;", "mqtt.flags:kept;"),
    row(
        "mqtt.protocol_version",
        "mqtt",
        "mqtt.protocol_version:5;",
        "mqtt.protocol_version:<5;",
        "mqtt.protocol_version:256;",
    ),
    row(
        "mqtt.publish.message",
        "mqtt",
        "mqtt.publish.message; content:\"21.5 C\"; bsize:6;",
        "mqtt.publish.message; content:\"22\";",
        "mqtt.publish.message:1;",
    ),
    row(
        "mqtt.publish.topic",
        "mqtt",
        "mqtt.publish.topic; content:\"hall/heat\"; bsize:9;",
        "mqtt.publish.topic; content:\"hall/light\";",
        "mqtt.publish.topic:1;",
    ),
    row("mqtt.qos", "mqtt", "mqtt.type:PUBLISH; mqtt.qos:1;", "mqtt.qos:2;", "mqtt.qos:3;"),
    row(
        "mqtt.reason_code",
        "mqtt",
        "mqtt.type:PUBACK; mqtt.reason_code:16;",
        "mqtt.type:PUBACK; mqtt.reason_code:>16;",
        "mqtt.reason_code:256;",
    ),
    row(
        "mqtt.subscribe.topic",
        "mqtt",
        "mqtt.subscribe.topic; content:\"hall/#\"; bsize:6;",
        "mqtt.subscribe.topic; content:\"hall/heat\";",
        "mqtt.subscribe.topic:1;",
    ),
    row("mqtt.type", "mqtt", "mqtt.type:SUBACK;", "mqtt.type:AUTH;", "mqtt.type:SUB;"),
    row(
        "mqtt.unsubscribe.topic",
        "mqtt",
        "mqtt.unsubscribe.topic; content:\"hall/#\"; bsize:6;",
        "mqtt.unsubscribe.topic; content:\"hall/heat\";",
        "mqtt.unsubscribe.topic:1;",
    ),
];
