//! The surroundings: environment, processes, hosts.

use std::process::{Command, Stdio};

use super::{Builtin, argument, bytes, row, text};
use crate::types::TypeId;
use crate::values::{Key, TableValue, Value};
use crate::vm::{Engine, Fault, Wait};

pub(super) const ROWS: &[Builtin] = &[
    row("getenv", "(var: string): string", |e, a| {
        let name = text(a, 0);
        let known = e.frameworks.environment.get(&name).cloned();
        Ok(Value::string(known.or_else(|| std::env::var(&name).ok()).unwrap_or_default()))
    }),
    row("setenv", "(var: string, val: string): bool", |e, a| {
        // Other threads read the process's own environment: what scripts set is kept beside it.
        e.frameworks.environment.insert(text(a, 0), text(a, 1));
        Ok(Value::Bool(true))
    }),
    row("getpid", "(): count", |_, _| Ok(Value::Count(u64::from(std::process::id())))),
    row("gethostname", "(): string", |_, _| {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Ok(Value::string(name.trim()))
    }),
    row("system", "(str: string): int", |e, a| Ok(Value::Int(run(e, &text(a, 0), &[], None)))),
    row("system_env", "(str: string, env: table_string_of_string): int", |e, a| {
        let pairs: Vec<(String, String)> = argument(a, 1)
            .table()
            .map(|table| {
                table.entries().into_iter().map(|entry| (entry.key.0.text(), entry.value.text())).collect()
            })
            .unwrap_or_default();
        let pairs: Vec<_> =
            pairs.into_iter().map(|(name, value)| (format!("ZEEK_ARG_{name}"), value)).collect();
        Ok(Value::Int(run(e, &text(a, 0), &pairs, None)))
    }),
    row("piped_exec", "(program: string, to_write: string): bool", |e, a| {
        Ok(Value::Bool(run(e, &text(a, 0), &[], Some(bytes(a, 1))) == 0))
    }),
    row("syslog", "(s: string): any", |_, _| Ok(Value::Unset)),
    row("blocking_lookup_hostname", "(host: string): addr_set", |e, a| Ok(hosts(e, &text(a, 0)))),
    row("lookup_hostname", "(host: string): addr_set", |e, a| {
        let found = hosts(e, &text(a, 0));
        Err(Fault::Wait(Wait::Ready(found)))
    }),
    row("lookup_addr", "(host: addr): string", |e, a| {
        let address = crate::values::text_of(&argument(a, 0), e.types());
        let address = String::from_utf8_lossy(&address).into_owned();
        let name = if is_fake() { format!("fake_addr_lookup_result_{address}") } else { "<???>".to_owned() };
        Err(Fault::Wait(Wait::Ready(Value::string(name))))
    }),
    row("lookup_hostname_txt", "(host: string): string", |_, a| {
        let name =
            if is_fake() { format!("fake_lookup_result_16_{}", text(a, 0)) } else { "<???>".to_owned() };
        Err(Fault::Wait(Wait::Ready(Value::string(name))))
    }),
    row("sleep", "(i: interval): interval", |_, a| {
        let before = crate::clock::now();
        crate::clock::sleep(super::double(a, 0).clamp(0.0, 60.0));
        Ok(Value::Interval(crate::clock::now() - before))
    }),
];

/// Runs a command in the shell; returns its exit code. Its output goes where the program's goes.
fn run(engine: &mut Engine, command: &str, environment: &[(String, String)], input: Option<&[u8]>) -> i64 {
    engine.output.flush();
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command);
    shell.envs(engine.frameworks.environment.iter());
    shell.envs(environment.iter().map(|(name, value)| (name, value)));
    if input.is_some() {
        shell.stdin(Stdio::piped());
    }
    let Ok(mut child) = shell.spawn() else { return -1 };
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        use std::io::Write as _;
        let _ = stdin.write_all(input);
    }
    child.wait().map_or(-1, |status| status.code().map_or(-1, i64::from))
}

fn is_fake() -> bool {
    std::env::var("ZEEK_DNS_FAKE").is_ok()
}

/// Returns the addresses of a name. Without a resolver that answers, the set is empty.
fn hosts(engine: &mut Engine, name: &str) -> Value {
    use std::net::ToSocketAddrs as _;
    let ty = engine.program.types.table(&[TypeId::ADDR], None);
    let set = TableValue::new(ty);
    if !is_fake() {
        for found in (name, 0).to_socket_addrs().into_iter().flatten() {
            if let Some(address) = crate::values::Addr::parse(&found.ip().to_string()) {
                set.insert(Key::new(&Value::Addr(address)), Value::Unset, engine.now());
            }
        }
    } else if let Some(address) = crate::values::Addr::parse(name) {
        set.insert(Key::new(&Value::Addr(address)), Value::Unset, engine.now());
    }
    Value::Table(set.into())
}
