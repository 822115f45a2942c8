//! File types, in the words of `file(1)`: the library libmagic, loaded when it is first wanted.
//!
//! The program runs without the library; only what asks for these words does not. Whoever asks can say
//! why ([`MagicError`]).

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;

use libloading::Library;
use weir_base::named_file;

/// Names of the library, the first that is found is used.
const NAMES: &[&str] = &["libmagic.so.1", "libmagic.so", "libmagic.dylib", "libmagic.1.dylib"];

/// `MAGIC_NONE`: words rather than MIME types, no look at other files.
const PLAIN: c_int = 0;

/// Longest description that is kept.
const MAX_DESCRIPTION: usize = 1024;

/// Reasons that there are no descriptions.
#[derive(Debug, thiserror::Error)]
pub enum MagicError {
    /// The library is not installed.
    #[error("the library libmagic is not here; install it (Debian's package is libmagic1)")]
    NoLibrary,
    /// The library is, but not its database, or it is broken.
    #[error("libmagic cannot load its database: {0}")]
    Database(String),
    /// The path of a database has a NUL byte in it.
    #[error("the path of the database has a zero byte in it")]
    Path,
}

/// The handle that libmagic calls a cookie.
type Cookie = *mut c_void;

/// The functions that are used.
struct Functions {
    open: unsafe extern "C" fn(c_int) -> Cookie,
    load: unsafe extern "C" fn(Cookie, *const c_char) -> c_int,
    buffer: unsafe extern "C" fn(Cookie, *const c_void, usize) -> *const c_char,
    error: unsafe extern "C" fn(Cookie) -> *const c_char,
    close: unsafe extern "C" fn(Cookie),
}

impl Functions {
    fn of(library: &Library) -> Option<Self> {
        // SAFETY: the types are those of <magic.h>, which have not changed since its first release.
        unsafe {
            Some(Self {
                open: *library.get(b"magic_open\0").ok()?,
                load: *library.get(b"magic_load\0").ok()?,
                buffer: *library.get(b"magic_buffer\0").ok()?,
                error: *library.get(b"magic_error\0").ok()?,
                close: *library.get(b"magic_close\0").ok()?,
            })
        }
    }
}

/// Describes files. Each worker has its own.
pub struct Magic {
    cookie: NonNull<c_void>,
    functions: Functions,
    /// Keeps the functions where they are.
    _library: Library,
}

// SAFETY: a cookie may be used by any thread, though not by two at a time; `describe` asks for `&mut`.
unsafe impl Send for Magic {}

impl Magic {
    /// Loads the library and `database`, or the one it was installed with.
    pub fn open(database: Option<&Path>) -> Result<Self, MagicError> {
        let database = match database {
            Some(path) => {
                // A file may be missing (its compiled form has another name) and a folder be one of sources.
                if let Err(error) = named_file::check(path)
                    && error.kind() == std::io::ErrorKind::InvalidInput
                {
                    return Err(MagicError::Database(format!("{}: {error}", path.display())));
                }
                let path = path.to_string_lossy().into_owned();
                Some(CString::new(path).map_err(|_| MagicError::Path)?)
            }
            None => None,
        };
        let library = library().ok_or(MagicError::NoLibrary)?;
        let functions = Functions::of(&library).ok_or(MagicError::NoLibrary)?;
        // SAFETY: `magic_open` takes any flags.
        let cookie = NonNull::new(unsafe { (functions.open)(PLAIN) })
            .ok_or_else(|| MagicError::Database("there is no memory".to_owned()))?;
        let magic = Self { cookie, functions, _library: library };
        let path = database.as_ref().map_or(std::ptr::null(), |path| path.as_ptr());
        // SAFETY: the cookie is open, and the path is null or ends with a zero byte.
        match unsafe { (magic.functions.load)(magic.cookie.as_ptr(), path) } {
            0 => Ok(magic),
            _ => Err(MagicError::Database(magic.error())),
        }
    }

    /// Returns libmagic's last error.
    fn error(&self) -> String {
        // SAFETY: the cookie is open.
        let text = unsafe { (self.functions.error)(self.cookie.as_ptr()) };
        text_at(text).unwrap_or_else(|| "it does not say why".to_owned())
    }

    /// Returns the type of the file that begins with `head`.
    pub fn describe(&mut self, head: &[u8]) -> Option<String> {
        // SAFETY: the cookie is open, and as many bytes are there as are said to be.
        let text = unsafe { (self.functions.buffer)(self.cookie.as_ptr(), head.as_ptr().cast(), head.len()) };
        let mut text = text_at(text)?;
        if text.len() > MAX_DESCRIPTION {
            let end = (0..=MAX_DESCRIPTION).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            text.truncate(end);
        }
        Some(text)
    }
}

impl Drop for Magic {
    fn drop(&mut self) {
        // SAFETY: the cookie is open, and nothing of it is used afterwards.
        unsafe { (self.functions.close)(self.cookie.as_ptr()) }
    }
}

impl std::fmt::Debug for Magic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Magic")
    }
}

fn library() -> Option<Library> {
    NAMES.iter().find_map(|name| {
        // SAFETY: libmagic does nothing when it is loaded.
        unsafe { Library::new(name) }.ok()
    })
}

/// A copy of the text at `pointer`; none where it is null.
fn text_at(pointer: *const c_char) -> Option<String> {
    // SAFETY: libmagic gives null or a text that ends with a zero byte and stays until the next call.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_words_where_the_library_is() {
        let mut magic = match Magic::open(None) {
            Ok(magic) => magic,
            Err(error) => {
                assert!(error.to_string().contains("libmagic"), "{error}");
                return;
            }
        };
        let cases: [(&[u8], &str); 4] = [
            (b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", "PDF document, version 1.5"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0", "PNG image data, 16 x 16"),
            (b"hello\n", "ASCII text"),
            (b"", "empty"),
        ];
        for (head, expected) in cases {
            let words = magic.describe(head).unwrap_or_default();
            assert!(words.contains(expected), "{words} for {head:?}");
        }
    }

    #[test]
    fn databases_that_are_not_there() {
        let Err(error) = Magic::open(Some(Path::new("/nowhere/magic.mgc"))) else {
            panic!("a database that is not there")
        };
        assert!(matches!(error, MagicError::Database(_) | MagicError::NoLibrary), "{error}");
    }
}
