//! System calls that a monitor needs not, refused with EPERM (seccomp): those that start programs, look into other
//! processes, change mounts, modules, namespaces, the clock or keys, and load programs into the kernel.
//!
//! The filter is a program of the kernel's classic BPF over `struct seccomp_data`: the number of the call, the
//! architecture, the arguments.

use seccompiler::{BpfProgram, sock_filter};

/// Whether new processes may be made; no program may be started in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processes {
    /// Threads only.
    None,
    /// The process may be doubled.
    Some,
}

/// Offsets in `struct seccomp_data`, on machines that store the low half of a number first.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;

#[cfg(target_arch = "x86_64")]
const OWN_ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const OWN_ARCHITECTURE: u32 = 0xC000_00B7;

/// Numbers of calls from here on are those of x32, another interface of the same architecture.
const X32: u32 = 0x4000_0000;

/// Calls of all architectures.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_personality,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] =
    &[libc::SYS_kexec_file_load, libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_kexec_file_load];

/// Calls that make processes and never threads.
#[cfg(target_arch = "x86_64")]
const DOUBLING: &[libc::c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const DOUBLING: &[libc::c_long] = &[];

/// Refuses the calls to this thread, and to those that it starts. It can no longer get rights by starting programs
/// (`no_new_privs`), or may administrate the system.
pub fn confine(processes: Processes) -> Result<(), String> {
    seccompiler::apply_filter(&program(processes))
        .map_err(|error| format!("System calls cannot be refused: {error}."))
}

fn program(processes: Processes) -> BpfProgram {
    let mut program =
        vec![load(ARCHITECTURE), skip_if(OWN_ARCHITECTURE, 1), answer(libc::EPERM), load(NUMBER)];
    // Of another interface none is taken.
    program
        .extend([instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32), answer(libc::EPERM)]);
    let doubling = if processes == Processes::None { DOUBLING } else { &[] };
    for number in [REFUSED, REFUSED_HERE, doubling].into_iter().flatten() {
        program.extend([unless(*number), answer(libc::EPERM)]);
    }
    if processes == Processes::None {
        // The flags of this call are in memory, which filters do not see. Without it libraries make threads by the
        // other one.
        program.extend([unless(libc::SYS_clone3), answer(libc::ENOSYS)]);
        let is_thread =
            instruction(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 1, 0, libc::CLONE_THREAD as u32);
        program.extend([
            instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 3, libc::SYS_clone as u32),
            load(FIRST_ARGUMENT),
            is_thread,
            answer(libc::EPERM),
        ]);
    }
    program.push(instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW));
    program
}

const fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt, jf, k }
}

/// Loads four bytes of the call.
const fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset)
}

/// Leaves out so many instructions where the value is this one.
const fn skip_if(value: u32, count: u8) -> sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, count, 0, value)
}

/// Leaves the next instruction out unless this is the call.
const fn unless(number: libc::c_long) -> sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number as u32)
}

/// Answers the call with an error.
const fn answer(error: libc::c_int) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | error as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_stay_within_the_program() {
        for processes in [Processes::None, Processes::Some] {
            let program = program(processes);
            for (place, one) in program.iter().enumerate() {
                assert!(place + usize::from(one.jt.max(one.jf)) < program.len(), "{place}");
            }
            assert!(program.len() < 4096);
        }
    }
}
