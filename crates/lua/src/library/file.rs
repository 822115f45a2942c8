//! `suricata.file`: files that ended, in scripts of outputs; rules are shown none.

use mlua::{Error, MultiValue, Value};
use weir_applayer::{File, FileState};
use weir_base::hex;

use super::Method;
use crate::host::Host;
use crate::value::{nothing, number, string};

/// The methods; the first row says why there is no file.
pub(super) const METHODS: &[Method] = &[
    ("", "", |lua, host, _| match host.file {
        Some(_) => Ok(MultiValue::new()),
        None => nothing(lua, "error: no file"),
    }),
    ("file_id", "Number of the file.", |_, host, _| one(number(file(host)?.id))),
    ("tx_id", "Id of its transaction.", |_, host, _| {
        one(host.file.map_or(Value::Nil, |(_, transaction)| number(transaction)))
    }),
    ("name", "Name.", |lua, host, _| one(string(lua, &file(host)?.name)?)),
    ("size", "Bytes seen.", |_, host, _| one(number(file(host)?.size))),
    ("magic", "Type in words; nothing where files are not described.", |lua, host, _| {
        match &file(host)?.description {
            Some(description) => one(string(lua, description.as_bytes())?),
            None => one(Value::Nil),
        }
    }),
    ("md5", "MD5 in hexadecimal; nothing where it was not made.", |lua, host, _| {
        digest(lua, file(host)?.md5())
    }),
    ("sha1", "SHA-1 in hexadecimal; nothing where it was not made.", |lua, host, _| {
        digest(lua, file(host)?.sha1())
    }),
    ("sha256", "SHA-256 in hexadecimal; nothing where it was not made.", |lua, host, _| {
        digest(lua, file(host)?.sha256())
    }),
    ("get_state", "`CLOSED`, `TRUNCATED`, `ERROR` or `OPENED`.", |lua, host, _| {
        let name = match file(host)?.state {
            FileState::Open => "OPENED",
            FileState::Closed => "CLOSED",
            FileState::Truncated => "TRUNCATED",
            FileState::Error => "ERROR",
        };
        one(string(lua, name)?)
    }),
    ("is_stored", "Whether the file is stored.", |_, host, _| one(Value::Boolean(file(host)?.stored))),
];

fn one(value: Value) -> mlua::Result<MultiValue> {
    Ok([value].into_iter().collect())
}

fn file<'a>(host: &Host<'a>) -> mlua::Result<&'a File> {
    host.file.map(|(file, _)| file).ok_or_else(|| Error::runtime("no file"))
}

fn digest<const N: usize>(lua: &mlua::Lua, digest: Option<[u8; N]>) -> mlua::Result<MultiValue> {
    one(digest.map_or(Ok(Value::Nil), |digest| string(lua, hex::string(&digest)))?)
}
