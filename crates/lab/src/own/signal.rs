//! A signal for each so many microseconds of CPU time of the process (`setitimer`, `SIGPROF`), and what its handler may
//! know. The kernel delivers it to a thread that runs.
#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::own::unwind::Registers;

/// Function that the handler calls: no allocation, no lock that waits.
pub type Handler = fn(Registers);

static HANDLER: AtomicUsize = AtomicUsize::new(0);

/// Has a handler called at each tick of the process's CPU time.
pub fn start(microseconds: u32, handler: Handler) -> io::Result<()> {
    HANDLER.store(handler as usize, Ordering::Release);
    // SAFETY: the action is whole, its handler keeps to what handlers may do, and the pointers are to locals.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_tick as *const () as usize;
        // On the thread's own stack: others for signals are too small to unwind on.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        if libc::sigaction(libc::SIGPROF, &action, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    tick_every(microseconds)
}

/// Ends the ticks. The handler stays, for one may be on its way.
pub fn stop() {
    let _ = tick_every(0);
}

fn tick_every(microseconds: u32) -> io::Result<()> {
    let time = libc::timeval { tv_sec: 0, tv_usec: microseconds.min(999_999).into() };
    let timer = libc::itimerval { it_interval: time, it_value: time };
    // SAFETY: the pointer is to a local; nobody asks for the old timer.
    let done = unsafe { libc::setitimer(libc::ITIMER_PROF, &timer, std::ptr::null_mut()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

extern "C" fn on_tick(_signal: libc::c_int, _information: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let handler = HANDLER.load(Ordering::Acquire);
    if handler == 0 || context.is_null() {
        return;
    }
    // SAFETY: only `start` writes there, and writes such functions; the kernel passes the context of the thread;
    // the number of the last error is the interrupted thread's own.
    unsafe {
        let handler: Handler = std::mem::transmute::<usize, Handler>(handler);
        let errno = *libc::__errno_location();
        handler(registers(&*context.cast::<libc::ucontext_t>()));
        *libc::__errno_location() = errno;
    }
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let of = |register: libc::c_int| {
        context.uc_mcontext.gregs.get(register as usize).map_or(0, |value| *value as u64)
    };
    Registers { instruction: of(libc::REG_RIP), stack: of(libc::REG_RSP), frame: of(libc::REG_RBP), link: 0 }
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let of = |register: usize| context.uc_mcontext.regs.get(register).copied().unwrap_or_default();
    Registers {
        instruction: context.uc_mcontext.pc,
        stack: context.uc_mcontext.sp,
        frame: of(29),
        link: of(30),
    }
}

/// Returns the id of the calling thread, as handlers may ask for it.
pub fn thread_id() -> u32 {
    // SAFETY: a system call without arguments.
    let id = unsafe { libc::syscall(libc::SYS_gettid) };
    u32::try_from(id).unwrap_or_default()
}

/// Returns nanoseconds of the monotonic clock, as handlers may ask for them.
pub fn now() -> u64 {
    nanoseconds(libc::CLOCK_MONOTONIC)
}

/// Returns nanoseconds of CPU time that the process has used.
pub fn cpu_time() -> u64 {
    nanoseconds(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local.
    unsafe { libc::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}
