//! Capabilities (capabilities(7)): those that are held, and giving away all but a few.

use std::io;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

/// Capabilities in effect.
pub fn held() -> CapabilitySet {
    capabilities(None).map_or(CapabilitySet::empty(), |sets| sets.effective)
}

/// Takes capabilities out of the bounding set, which needs `CAP_SETPCAP`: no program that is started gets them.
pub fn bound(keep: CapabilitySet) -> io::Result<()> {
    for bit in 0..u64::BITS {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        if keep.contains(one) {
            continue;
        }
        match remove_capability_from_bounding_set(one) {
            Ok(()) => {}
            // The kernel knows no more of them.
            Err(Errno::INVAL) => break,
            // Without the right to that, programs get no rights that this process has not: see `keep`.
            Err(Errno::PERM) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Gives away all capabilities but these, of those that are there, and the way to new ones.
pub fn keep(keep: CapabilitySet) -> io::Result<()> {
    bound(keep)?;
    match clear_ambient_capability_set() {
        // A kernel before 4.3 has no such set.
        Ok(()) | Err(Errno::INVAL) => {}
        Err(error) => return Err(error.into()),
    }
    let permitted = capabilities(None)?.permitted & keep;
    set_capabilities(
        None,
        CapabilitySets { effective: permitted, permitted, inheritable: CapabilitySet::empty() },
    )?;
    set_no_new_privs(true)?;
    Ok(())
}

/// Names of capabilities, as in `cap_net_raw, cap_net_admin`.
pub fn names(set: CapabilitySet) -> String {
    let names = set.iter_names().map(|(name, _)| format!("cap_{}", name.to_ascii_lowercase()));
    names.collect::<Vec<_>>().join(", ")
}

/// Puts all capabilities that the process may have into effect.
pub fn take_up() -> io::Result<()> {
    let sets = capabilities(None)?;
    Ok(set_capabilities(None, CapabilitySets { effective: sets.permitted, ..sets })?)
}

/// Does something without any capability in effect.
pub fn without<T>(act: impl FnOnce() -> T) -> io::Result<T> {
    let sets = capabilities(None)?;
    set_capabilities(None, CapabilitySets { effective: CapabilitySet::empty(), ..sets })?;
    let done = act();
    set_capabilities(None, sets)?;
    Ok(done)
}
