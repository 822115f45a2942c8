//! Commands about the interfaces that are listened on.

use serde_json::json;

use super::arguments::Arguments;
use super::{Answer, Live};
use crate::stats::Totals;

pub(super) fn interfaces(live: &mut Live<'_, '_>, _: &Arguments<'_>) -> Answer {
    let names = live.listeners.interface_names();
    Ok(json!({"count": names.len(), "ifaces": names}))
}

pub(super) fn interface_counts(live: &mut Live<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let name = arguments.text("iface");
    if !live.listeners.interface_names().iter().any(|known| known == name) {
        return Err("Iface does not exist".into());
    }
    let each = live.listeners.totals_now().ok_or("stats not yet synchronized")?;
    let mut of_interface = Totals::default();
    let own = live.listeners.interfaces().zip(&each).filter(|(interface, _)| *interface == name);
    own.for_each(|(_, totals)| of_interface.merge(totals));
    Ok(json!({
        "pkts": of_interface.value("capture.kernel_packets"),
        "invalid-checksums": of_interface.value("tcp.invalid_checksum"),
        "drop": of_interface.value("capture.kernel_drops"),
        "bypassed": of_interface.value("flow_bypassed.pkts") + of_interface.value("flow_bypassed.local_capture_pkts"),
    }))
}

pub(super) fn bypassed(live: &mut Live<'_, '_>, _: &Arguments<'_>) -> Answer {
    let shunted = live.listeners.shunted_interfaces();
    if shunted.is_empty() {
        return Err("Bypass not enabled".into());
    }
    let each = live.listeners.totals_now().ok_or("stats not yet synchronized")?;
    let mut answer = serde_json::Map::new();
    for name in shunted {
        let mut of_interface = Totals::default();
        let own = live.listeners.interfaces().zip(&each).filter(|(interface, _)| *interface == name);
        own.for_each(|(_, totals)| of_interface.merge(totals));
        let mut counts = serde_json::Map::new();
        for version in ["ipv4", "ipv6"] {
            for (key, counter) in
                [("maps_count", "capture_open"), ("success", "capture"), ("fail", "capture_full")]
            {
                let value = of_interface.value(&format!("flow_bypassed.{counter}_{version}"));
                counts.insert(format!("{version}_{key}"), value.into());
            }
        }
        answer.insert(name, counts.into());
    }
    Ok(answer.into())
}
