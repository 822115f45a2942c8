//! The few declarations of libhs that are used (hs_common.h, hs_compile.h, hs_runtime.h of 5.4).

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

#[repr(C)]
pub(super) struct Database {
    opaque: [u8; 0],
}

#[repr(C)]
pub(super) struct Scratch {
    opaque: [u8; 0],
}

#[repr(C)]
pub(super) struct RawCompileError {
    pub(super) message: *mut c_char,
    pub(super) expression: c_int,
}

/// Platform that a database was compiled for.
#[repr(C)]
#[derive(Debug, Default)]
pub(super) struct Platform {
    pub(super) tune: c_uint,
    pub(super) cpu_features: c_ulonglong,
    reserved: [c_ulonglong; 2],
}

pub(super) const SUCCESS: c_int = 0;
pub(super) const FLAG_CASELESS: c_uint = 1;
pub(super) const MODE_BLOCK: c_uint = 1;

pub(super) type MatchHandler = unsafe extern "C" fn(
    id: c_uint,
    from: c_ulonglong,
    to: c_ulonglong,
    flags: c_uint,
    context: *mut c_void,
) -> c_int;

unsafe extern "C" {
    pub(super) fn hs_version() -> *const c_char;
    pub(super) fn hs_valid_platform() -> c_int;
    pub(super) fn hs_compile_lit_multi(
        expressions: *const *const c_char,
        flags: *const c_uint,
        ids: *const c_uint,
        lengths: *const usize,
        elements: c_uint,
        mode: c_uint,
        platform: *const c_void,
        database: *mut *mut Database,
        error: *mut *mut RawCompileError,
    ) -> c_int;
    pub(super) fn hs_free_compile_error(error: *mut RawCompileError) -> c_int;
    pub(super) fn hs_free_database(database: *mut Database) -> c_int;
    pub(super) fn hs_database_size(database: *const Database, size: *mut usize) -> c_int;
    pub(super) fn hs_populate_platform(platform: *mut Platform) -> c_int;
    pub(super) fn hs_serialize_database(
        database: *const Database,
        bytes: *mut *mut c_char,
        length: *mut usize,
    ) -> c_int;
    pub(super) fn hs_deserialize_database(
        bytes: *const c_char,
        length: usize,
        database: *mut *mut Database,
    ) -> c_int;
    pub(super) fn hs_alloc_scratch(database: *const Database, scratch: *mut *mut Scratch) -> c_int;
    pub(super) fn hs_free_scratch(scratch: *mut Scratch) -> c_int;
    pub(super) fn hs_scan(
        database: *const Database,
        data: *const c_char,
        length: c_uint,
        flags: c_uint,
        scratch: *mut Scratch,
        on_event: Option<MatchHandler>,
        context: *mut c_void,
    ) -> c_int;
    /// The C library's, by which libhs allocates unless told otherwise.
    pub(super) fn free(memory: *mut c_void);
}
