//! EVE records of type `rfb`.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::{Direction, JsonWriter};

use super::message::{Desktop, Version, result};
use super::transaction::RfbTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("rfb", LogDirection::Packet, |_| eve::writer(write));

fn write(tx: &RfbTransaction, json: &mut JsonWriter<'_>) -> bool {
    version("server_protocol_version", tx.versions[Direction::ToClient], json);
    version("client_protocol_version", tx.versions[Direction::ToServer], json);
    authentication(tx, json);
    json.optional_string("server_security_failure_reason", tx.reason.as_ref());
    if let Some(shared) = tx.shared {
        json.boolean("screen_shared", shared);
    }
    if let Some(found) = &tx.desktop {
        desktop(found, json);
    }
    true
}

fn version(key: &str, version: Option<Version>, json: &mut JsonWriter<'_>) {
    let Some(version) = version else { return };
    json.object(key);
    json.string("major", version.major);
    json.string("minor", version.minor);
    json.close_object();
}

fn authentication(tx: &RfbTransaction, json: &mut JsonWriter<'_>) {
    let Some(kind) = tx.security_type else { return };
    json.object("authentication");
    json.unsigned("security_type", kind);
    let [response, challenge] = Direction::BOTH.map(|direction| tx.challenge[direction]);
    if challenge.is_some() {
        json.object("vnc");
        for (key, bytes) in [("challenge", challenge), ("response", response)] {
            if let Some(bytes) = bytes {
                json.hex(key, &bytes);
            }
        }
        json.close_object();
    }
    if tx.result == Some(result::OK) {
        json.string("security_result", "OK");
    }
    json.close_object();
}

fn desktop(desktop: &Desktop, json: &mut JsonWriter<'_>) {
    json.object("framebuffer");
    json.unsigned("width", desktop.width);
    json.unsigned("height", desktop.height);
    json.string("name", &desktop.name);
    let pixels = &desktop.pixels;
    json.object("pixel_format");
    json.unsigned("bits_per_pixel", pixels.bits_per_pixel);
    json.unsigned("depth", pixels.depth);
    json.boolean("big_endian", pixels.big_endian);
    json.boolean("true_color", pixels.true_color);
    for (key, value) in ["red_max", "green_max", "blue_max"].into_iter().zip(pixels.maxima) {
        json.unsigned(key, value);
    }
    for (key, value) in ["red_shift", "green_shift", "blue_shift"].into_iter().zip(pixels.shifts) {
        json.unsigned(key, value);
    }
    json.close_object();
    json.close_object();
}
