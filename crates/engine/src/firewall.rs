//! The firewall's rules and policies, from the configuration and the command line.

use std::path::PathBuf;

use weir_applayer::{Progress, Protocol};
use weir_base::{Direction, Pipes};
use weir_config::{ConfigError, FirewallSettings, PolicySettings, PolicyText, Settings};
use weir_detect::firewall::{Policies, Policy, Table, ruling};
use weir_detect::hook::state_named;
use weir_rules::{Action, ActionScope};

/// Settings of the firewall, from the configuration and the command line.
#[derive(Clone, Debug)]
pub struct FirewallPlan {
    /// Rule files, in order.
    pub files: Vec<(PathBuf, Pipes)>,
    /// Policies where no rule matches.
    pub policies: Policies,
}

impl FirewallPlan {
    /// Reads it; none where there is to be no firewall. `only` are the files of the command line, in
    /// whose place those of the configuration are not read.
    pub fn from_settings(
        settings: &Settings,
        only: Option<&PathBuf>,
        protocols: &[&'static Protocol],
    ) -> Result<Option<Self>, ConfigError> {
        let firewall = FirewallSettings::from_settings(settings);
        let files = match (only, firewall.enabled) {
            (Some(file), _) => vec![(file.clone(), Pipes::Read)],
            (None, true) => firewall.files.into_iter().map(|file| (file, Pipes::Refuse)).collect(),
            (None, false) => return Ok(None),
        };
        Ok(Some(Self { files, policies: policies(settings, protocols)? }))
    }
}

fn policies(settings: &Settings, protocols: &[&'static Protocol]) -> Result<Policies, ConfigError> {
    let texts = PolicySettings::from_settings(settings);
    let mut policies = Policies::default();
    for (table, hook, slot) in [
        (Table::PreFlow, "pre-flow", &mut policies.pre_flow),
        (Table::PreStream, "pre-stream", &mut policies.pre_stream),
        (Table::PacketFilter, "filter", &mut policies.filter),
    ] {
        if let Some(text) = texts.packet(hook)? {
            *slot = policy(&texts, table, &format!("packet.{hook}"), &text)?;
        }
    }
    known_names(settings, &texts, protocols)?;
    for protocol in protocols {
        let names: Vec<&str> =
            std::iter::once(protocol.name).chain(protocol.aliases.iter().copied()).collect();
        for direction in Direction::BOTH {
            for (position, state) in protocol.states[direction].iter().enumerate() {
                let progress = Progress(position as u8);
                let mut hooks = vec![key(state)];
                hooks.extend(general_names(protocol, direction, progress));
                let hooks: Vec<&str> = hooks.iter().map(String::as_str).collect();
                if let Some(text) = texts.app(&names, &hooks)? {
                    let place = format!("app.{}.{}", protocol.name, key(state));
                    let policy = policy(&texts, Table::AppFilter, &place, &text)?;
                    policies.states.insert((protocol.name, direction, progress), policy);
                }
            }
        }
    }
    Ok(policies)
}

/// A state's name as the configuration spells it.
fn key(state: &str) -> String {
    state.replace('_', "-")
}

/// Returns the names of a protocol's first and last states that all protocols share.
fn general_names(protocol: &Protocol, direction: Direction, progress: Progress) -> Vec<String> {
    let side = match direction {
        Direction::ToServer => "request",
        Direction::ToClient => "response",
    };
    let mut names = Vec::new();
    if progress == Progress::default() {
        names.push(format!("{side}-started"));
    }
    if progress == protocol.complete(direction) {
        names.push(format!("{side}-complete"));
    }
    names
}

/// Refuses the names of hooks that a protocol has not; protocols that are not there are left alone.
fn known_names(
    settings: &Settings,
    texts: &PolicySettings<'_>,
    protocols: &[&'static Protocol],
) -> Result<(), ConfigError> {
    for name in texts.protocols() {
        let Some(protocol) = protocols.iter().find(|protocol| protocol.is_named(name)) else {
            let message = format!("There is no protocol {name} that firewall.policies.app could be for.");
            settings.warn("firewall", message, None);
            continue;
        };
        for hook in texts.hooks(name) {
            if state_named(protocol, &hook.replace('-', "_")).is_none() {
                let states = Direction::BOTH.iter().flat_map(|direction| protocol.states[*direction]);
                let names: Vec<String> = states.map(|state| key(state)).collect();
                let place = format!("app.{name}.{hook}");
                return Err(
                    texts.wrong(&place, &format!("a policy of a hook of {name}: {}", names.join(", ")))
                );
            }
        }
    }
    Ok(())
}

fn policy(
    texts: &PolicySettings<'_>,
    table: Table,
    place: &str,
    text: &PolicyText,
) -> Result<Policy, ConfigError> {
    let action = Action::from_name(&text.action).filter(|action| *action != Action::Config);
    let scope = ActionScope::from_name(&text.scope);
    let ruled = action.zip(scope).and_then(|(action, scope)| ruling(table, action, scope).ok());
    match ruled {
        Some(ruling) => Ok(Policy { ruling, alert: text.alert }),
        None => {
            let accept = match table {
                Table::PreFlow => "accept:packet, accept:hook, drop:packet",
                Table::PreStream | Table::PacketFilter => {
                    "accept:packet, accept:flow, accept:hook, drop:packet, drop:flow"
                }
                Table::AppFilter => "accept:hook, accept:tx, accept:flow, drop:packet, drop:flow",
            };
            let written = format!("{}:{}", text.action, text.scope);
            Err(texts.wrong(place, &format!("one of {accept}, not {written},")))
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_detect::firewall::Ruling;

    use super::*;

    fn plan(yaml: &str) -> Result<Option<FirewallPlan>, ConfigError> {
        let text = format!("%YAML 1.1\n---\n{yaml}");
        let settings = Settings::from_text::<&str>(text.as_bytes(), "test.yaml", &[]).unwrap();
        FirewallPlan::from_settings(&settings, None, weir_protocols::ALL)
    }

    #[test]
    fn policies_of_states() {
        let yaml = "firewall:\n  enabled: yes\n  policies:\n    packet:\n      filter: [\"accept:hook\"]\n    app:\n      tls:\n        request-started: [\"accept:flow\", \"alert\"]\n        server-hello: [\"drop:packet\"]\n";
        let policies = plan(yaml).unwrap().unwrap().policies;
        assert_eq!(policies.filter, Policy::silent(Ruling::Accept(ActionScope::Hook)));
        let of = |direction, progress| policies.state("tls", direction, Progress(progress));
        let accept = Policy { ruling: Ruling::Accept(ActionScope::Flow), alert: true };
        assert_eq!(of(Direction::ToServer, 0), accept);
        assert_eq!(of(Direction::ToServer, 1), Policy::built_in(Table::AppFilter));
        assert_eq!(of(Direction::ToClient, 1), Policy::silent(Ruling::Drop { flow: false, reject: None }));
    }

    #[test]
    fn wrong_policies_are_named() {
        let with = |policies: &str| format!("firewall:\n  enabled: yes\n  policies:\n{policies}");
        for (policies, expected) in [
            ("    app:\n      http1:\n        request-started: [\"accept:foo\"]\n", "accept:tx"),
            ("    default-policy: [\"accept:tx\"]\n", "accept:packet, accept:hook"),
            ("    app:\n      tls:\n        client-hi: [\"accept:hook\"]\n", "client-hello-done"),
            ("    packet:\n      filter: [\"drop\"]\n", "accept:hook or drop:flow"),
        ] {
            let error = plan(&with(policies)).unwrap_err().to_string();
            assert!(error.contains(expected), "{policies}: {error}");
        }
        assert!(plan("firewall:\n  enabled: no\n").unwrap().is_none());
    }
}
