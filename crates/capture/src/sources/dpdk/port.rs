//! The functions of DPDK that are used, behind safe ones.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::ptr;
use std::sync::{Mutex, OnceLock};

use weir_config::dpdk::DpdkSettings;

/// Most packets of one look at a queue, as `shim.c` has it.
pub const BURST: usize = 256;

/// A packet on loan (`struct weir_packet`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Lent {
    buffer: *mut c_void,
    /// Its first byte.
    pub data: *const u8,
    /// Bytes of it that are there.
    pub length: u32,
    /// Bytes of it on the wire.
    pub wire_length: u32,
}

impl Lent {
    /// No packet.
    const NONE: Self = Self { buffer: ptr::null_mut(), data: ptr::null(), length: 0, wire_length: 0 };
}

#[repr(C)]
struct PortSettings {
    hash_functions: u64,
    pool_size: u32,
    pool_cache: u32,
    queues: u16,
    descriptors: u16,
    mtu: u16,
    promiscuous: u8,
    multicast: u8,
    strip_vlan: u8,
}

/// Counts of a card since it was started (`struct weir_port_counts`).
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct PortCounts {
    /// Packets that were taken in.
    pub received: u64,
    /// Packets for which a queue had no place.
    pub missed: u64,
    /// Packets with errors.
    pub errors: u64,
    /// Times that no memory was there for a packet.
    pub no_buffers: u64,
}

#[allow(unsafe_code, reason = "DPDK is a library of C")]
unsafe extern "C" {
    fn weir_dpdk_start(count: c_int, arguments: *mut *mut c_char) -> c_int;
    fn weir_dpdk_find(name: *const c_char, port: *mut u16, queues: *mut u16) -> c_int;
    fn weir_dpdk_open(
        port: u16,
        settings: *const PortSettings,
        pool: *mut *mut c_void,
        attempt: *mut *const c_char,
    ) -> c_int;
    fn weir_dpdk_close(port: u16, pool: *mut c_void);
    fn weir_dpdk_join();
    fn weir_dpdk_leave();
    fn weir_dpdk_receive(port: u16, queue: u16, packets: *mut Lent, most: u16) -> u16;
    fn weir_dpdk_release(packets: *const Lent, count: u16);
    fn weir_dpdk_count(port: u16, counts: *mut PortCounts) -> c_int;
    fn weir_dpdk_is_up(port: u16) -> c_int;
}

/// An attempt that failed.
#[derive(Debug)]
pub struct Fault {
    /// The attempt, as a clause.
    pub attempt: String,
    /// Error of DPDK or the system.
    pub reason: io::Error,
}

fn checked(attempt: &str, result: c_int) -> Result<(), Fault> {
    if result >= 0 {
        return Ok(());
    }
    Err(Fault { attempt: attempt.to_owned(), reason: io::Error::from_raw_os_error(-result) })
}

/// Text for C; a byte of value 0, which ends it there, ends it here.
fn c_text(text: &str) -> CString {
    let until = text.bytes().position(|byte| byte == 0).unwrap_or(text.len());
    CString::new(text.as_bytes().get(..until).unwrap_or_default()).unwrap_or_default()
}

/// Starts DPDK's environment with arguments of its command line; a process does so once.
#[allow(unsafe_code, reason = "DPDK is a library of C")]
pub fn start(arguments: &[String]) -> Result<(), Fault> {
    static STARTED: OnceLock<c_int> = OnceLock::new();
    let result = STARTED.get_or_init(|| {
        // The environment keeps the arguments.
        let words = std::iter::once("weir").chain(arguments.iter().map(String::as_str));
        let mut words: Vec<*mut c_char> = words.map(|word| c_text(word).into_raw()).collect();
        let count = c_int::try_from(words.len()).unwrap_or(0);
        words.push(ptr::null_mut());
        // SAFETY: `words` are that many texts, which are never freed, and a null behind them.
        unsafe { weir_dpdk_start(count, Vec::leak(words).as_mut_ptr()) }
    });
    checked("start DPDK's environment", *result)
}

/// A card that was started.
#[derive(Debug)]
pub struct Port {
    number: u16,
    pool: *mut c_void,
    counts: Mutex<PortCounts>,
}

#[allow(unsafe_code, reason = "DPDK's functions on a port may be called by any thread")]
// SAFETY: the pool is handed back to DPDK alone, whose functions on ports are called by any thread; a queue has one reader.
unsafe impl Send for Port {}
#[allow(unsafe_code, reason = "DPDK's functions on a port may be called by any thread")]
// SAFETY: as above.
unsafe impl Sync for Port {}

/// Returns the number of the card of a name, and how many queues it can have.
#[allow(unsafe_code, reason = "DPDK is a library of C")]
pub fn find(name: &str) -> Result<(u16, u16), Fault> {
    let (name, mut port, mut queues) = (c_text(name), 0, 0);
    // SAFETY: a text of C and two numbers that are written to.
    let result = unsafe { weir_dpdk_find(name.as_ptr(), &raw mut port, &raw mut queues) };
    checked("find it", result)?;
    Ok((port, queues))
}

#[allow(unsafe_code, reason = "DPDK is a library of C")]
impl Port {
    /// Starts a card with this many queues.
    pub fn open(number: u16, queues: u16, settings: &DpdkSettings) -> Result<Self, Fault> {
        let asked = PortSettings {
            hash_functions: settings.hash_functions.unwrap_or(0),
            pool_size: settings.pool_size.unwrap_or(0),
            pool_cache: settings.pool_cache.unwrap_or(u32::MAX),
            queues,
            descriptors: settings.descriptors.unwrap_or(0),
            mtu: settings.mtu,
            promiscuous: settings.promiscuous.into(),
            multicast: settings.multicast.into(),
            strip_vlan: settings.strip_vlan.into(),
        };
        let (mut pool, mut attempt) = (ptr::null_mut(), c"".as_ptr());
        // SAFETY: the settings are read, and two pointers written, while the call lasts.
        let result = unsafe { weir_dpdk_open(number, &raw const asked, &raw mut pool, &raw mut attempt) };
        let port = Self { number, pool, counts: Mutex::default() };
        // SAFETY: the shim names each attempt by a constant text.
        let attempt = unsafe { CStr::from_ptr(attempt) };
        checked(&attempt.to_string_lossy(), result)?;
        Ok(port)
    }

    /// Takes packets out of a queue, which no other thread does; they are given back by [`Port::release`].
    pub fn receive(&self, queue: u16, most: usize, packets: &mut Vec<Lent>) {
        packets.clear();
        packets.resize(most.min(BURST), Lent::NONE);
        let room = packets.len() as u16;
        // SAFETY: there is room for so many packets.
        let count = unsafe { weir_dpdk_receive(self.number, queue, packets.as_mut_ptr(), room) };
        packets.truncate(count.into());
    }

    /// Gives packets back.
    pub fn release(&self, packets: &mut Vec<Lent>) {
        // SAFETY: these came from `receive`, and are forgotten below.
        unsafe { weir_dpdk_release(packets.as_ptr(), packets.len() as u16) };
        packets.clear();
    }

    /// Counts since the card was started.
    pub fn counts(&self) -> PortCounts {
        let mut kept = self.counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut now = PortCounts::default();
        // SAFETY: the counts are written while the call lasts.
        if unsafe { weir_dpdk_count(self.number, &raw mut now) } == 0 {
            *kept = now;
        }
        *kept
    }

    /// Whether its link is up; a card that does not tell is.
    pub fn is_up(&self) -> bool {
        // SAFETY: the call takes a number.
        unsafe { weir_dpdk_is_up(self.number) != 0 }
    }
}

#[allow(unsafe_code, reason = "DPDK is a library of C")]
impl Drop for Port {
    fn drop(&mut self) {
        // SAFETY: nobody has a packet of it any more: each thread gives its own back before it lets go of the port.
        unsafe { weir_dpdk_close(self.number, self.pool) };
    }
}

/// Has the calling thread known to DPDK.
#[allow(unsafe_code, reason = "DPDK is a library of C")]
pub fn join() {
    // SAFETY: any thread may call it.
    unsafe { weir_dpdk_join() };
}

/// Has the calling thread forgotten.
#[allow(unsafe_code, reason = "DPDK is a library of C")]
pub fn leave() {
    // SAFETY: any thread may call it, also one that did not join.
    unsafe { weir_dpdk_leave() };
}
