//! Commands about tenants, of which there are none: one set of rules is in force for all traffic.

use super::arguments::Arguments;
use super::{Answer, Context};

/// Answer where tenants would be needed.
pub(super) const NO_TENANTS: &str = "multi-tenant support not enabled";

pub(super) fn refused(_: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    Err(NO_TENANTS.into())
}
