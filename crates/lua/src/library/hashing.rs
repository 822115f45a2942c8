//! `suricata.hashing`: digests at once or piece by piece.

use md5::Md5;
use mlua::{Error, Lua, LuaString, Table, UserData, UserDataMethods};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use weir_base::hex;

/// The functions, with their documentation.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("sha256_digest", "SHA-256 of a string, in bytes."),
    ("sha256_hex_digest", "SHA-256 of a string, in hexadecimal."),
    ("sha256", "Hasher of SHA-256."),
    ("sha1_digest", "SHA-1 of a string, in bytes."),
    ("sha1_hex_digest", "SHA-1 of a string, in hexadecimal."),
    ("sha1", "Hasher of SHA-1."),
    ("md5_digest", "MD5 of a string, in bytes."),
    ("md5_hex_digest", "MD5 of a string, in hexadecimal."),
    ("md5", "Hasher of MD5."),
    (":update", "Takes more of what is hashed."),
    (":finalize", "Digest in bytes; the hasher is done."),
    (":finalize_to_hex", "Digest in hexadecimal; the hasher is done."),
];

pub(super) fn open(lua: &Lua) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    add::<Sha256>(lua, &library, ["sha256_digest", "sha256_hex_digest", "sha256"])?;
    add::<Sha1>(lua, &library, ["sha1_digest", "sha1_hex_digest", "sha1"])?;
    add::<Md5>(lua, &library, ["md5_digest", "md5_hex_digest", "md5"])?;
    Ok(library)
}

fn add<D: Digest + Send + Sync + 'static>(lua: &Lua, library: &Table, names: [&str; 3]) -> mlua::Result<()> {
    let [digest, hex_digest, hasher] = names;
    library.raw_set(
        digest,
        lua.create_function(|lua, text: LuaString| lua.create_string(D::digest(text.as_bytes())))?,
    )?;
    library.raw_set(
        hex_digest,
        lua.create_function(|_, text: LuaString| Ok(hex::string(&D::digest(text.as_bytes()))))?,
    )?;
    library.raw_set(hasher, lua.create_function(|_, ()| Ok(Hasher::<D>(Some(D::new()))))?)
}

/// A digest under way; none once it is finished.
struct Hasher<D>(Option<D>);

impl<D: Digest> Hasher<D> {
    fn state(&mut self) -> mlua::Result<&mut D> {
        self.0.as_mut().ok_or_else(|| Error::runtime("the hash is finalized"))
    }

    fn finish(&mut self) -> mlua::Result<Vec<u8>> {
        let state = self.0.take().ok_or_else(|| Error::runtime("the hash is finalized"))?;
        Ok(state.finalize().to_vec())
    }
}

impl<D: Digest + Send + Sync + 'static> UserData for Hasher<D> {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method_mut("update", |_, hasher, text: LuaString| {
            hasher.state()?.update(text.as_bytes());
            Ok(())
        });
        methods.add_method_mut("finalize", |lua, hasher, ()| lua.create_string(hasher.finish()?));
        methods.add_method_mut("finalize_to_hex", |_, hasher, ()| Ok(hex::string(&hasher.finish()?)));
    }
}
