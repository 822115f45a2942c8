//! Files and folders.

use std::cell::Cell;
use std::rc::Rc;

use super::{Builtin, argument, bytes, count, row, text};
use crate::values::{FileValue, Value};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("open", "(f: string): file", |e, a| open(e, a, false)),
    row("open_for_append", "(f: string): file", |e, a| open(e, a, true)),
    row("close", "(f: file): bool", |e, a| {
        let Value::File(file) = argument(a, 0) else { return Ok(Value::Bool(false)) };
        let was_open = file.is_open.replace(false);
        Ok(Value::Bool(was_open && (file.handle < 2 || e.output.close(file.handle))))
    }),
    row("write_file", "(f: file, data: string): bool", |e, a| {
        let Value::File(file) = argument(a, 0) else { return Ok(Value::Bool(false)) };
        Ok(Value::Bool(file.is_open.get() && e.output.write(file.handle, bytes(a, 1))))
    }),
    row("flush_all", "(): bool", |e, _| {
        for handle in 0..1024 {
            e.output.flush_file(handle);
        }
        Ok(Value::Bool(true))
    }),
    row("set_buf", "(f: file, buffered: bool): any", |e, a| {
        if let Value::File(file) = argument(a, 0) {
            e.output.set_buffered(file.handle, super::is_true(a, 1));
        }
        Ok(Value::Unset)
    }),
    row("active_file", "(f: file): bool", |_, a| {
        Ok(Value::Bool(matches!(argument(a, 0), Value::File(file) if file.is_open.get())))
    }),
    row("get_file_name", "(f: file): string", |_, a| match argument(a, 0) {
        Value::File(file) => Ok(Value::string(&file.name)),
        _ => Ok(Value::string("")),
    }),
    row("enable_raw_output", "(f: file): any", |_, a| {
        if let Value::File(file) = argument(a, 0) {
            file.is_raw.set(true);
        }
        Ok(Value::Unset)
    }),
    row("file_size", "(f: string): double", |_, a| {
        let size = std::fs::metadata(text(a, 0)).map(|known| known.len() as f64);
        Ok(Value::Double(size.unwrap_or(-1.0)))
    }),
    row("file_mode", "(mode: count): string", |_, a| Ok(Value::string(mode(count(a, 0))))),
    row("mkdir", "(f: string): bool", |e, a| {
        let name = text(a, 0);
        let done = std::fs::create_dir(&name).is_ok() || std::path::Path::new(&name).is_dir();
        if !done {
            e.complain(&format!("cannot create directory '{name}'"));
        }
        Ok(Value::Bool(done))
    }),
    row("rmdir", "(d: string): bool", |e, a| {
        let name = text(a, 0);
        let done = std::fs::remove_dir(&name);
        if let Err(error) = &done {
            e.complain(&format!("cannot remove directory '{name}': {error}"));
        }
        Ok(Value::Bool(done.is_ok()))
    }),
    row("unlink", "(f: string): bool", |e, a| {
        let name = text(a, 0);
        let done = std::fs::remove_file(&name);
        if let Err(error) = &done {
            e.complain(&format!("cannot unlink file '{name}': {error}"));
        }
        Ok(Value::Bool(done.is_ok()))
    }),
    row("rename", "(src_f: string, dst_f: string): bool", |e, a| {
        let (from, to) = (text(a, 0), text(a, 1));
        let done = std::fs::rename(&from, &to);
        if let Err(error) = &done {
            e.complain(&format!("cannot rename file '{from}' to '{to}': {error}"));
        }
        Ok(Value::Bool(done.is_ok()))
    }),
    row("rotate_file", "(f: file): rotate_info", |e, a| {
        let Value::File(file) = argument(a, 0) else { return Ok(Value::Unset) };
        e.output.flush_file(file.handle);
        Ok(rotate(e, &file.name))
    }),
    row("rotate_file_by_name", "(f: string): rotate_info", |e, a| Ok(rotate(e, &text(a, 0)))),
    row("calc_next_rotate", "(i: interval): interval", |e, a| {
        let interval = super::double(a, 0).max(1.0);
        let now = e.now();
        Ok(Value::Interval(interval - now.rem_euclid(interval)))
    }),
    row("find_in_zeekpath", "(p: string): string", |_, a| {
        let name = text(a, 0);
        let folders = std::env::var("ZEEKPATH").unwrap_or_else(|_| ".".to_owned());
        let found = folders.split(':').map(|folder| format!("{folder}/{name}"));
        let found = found.into_iter().find(|path| std::path::Path::new(path).exists());
        Ok(Value::string(found.unwrap_or_default()))
    }),
];

fn open(engine: &mut Engine, a: &[Value], appends: bool) -> Outcome<Value> {
    let name = text(a, 0);
    let handle = match name.as_str() {
        "-" | "/dev/stdout" => 0,
        "/dev/stderr" => 1,
        _ => match engine.output.open(&name, appends) {
            Ok(handle) => handle,
            Err(error) => {
                engine.complain(&format!("can't open {name}: {error}"));
                let file = FileValue {
                    name,
                    handle: usize::MAX,
                    is_open: Cell::new(false),
                    is_raw: Cell::new(false),
                };
                return Ok(Value::File(Rc::new(file)));
            }
        },
    };
    let file = FileValue { name, handle, is_open: Cell::new(true), is_raw: Cell::new(false) };
    let file = Value::File(Rc::new(file));
    engine.raise_named("file_opened", vec![file.clone()]);
    Ok(file)
}

/// Returns rights of a file as `ls` shows them.
fn mode(mode: u64) -> String {
    let mut out = String::new();
    for (shift, special, letter) in [(6, 0o4000, 's'), (3, 0o2000, 's'), (0, 0o1000, 't')] {
        let bits = mode >> shift & 7;
        out.push(if bits & 4 > 0 { 'r' } else { '-' });
        out.push(if bits & 2 > 0 { 'w' } else { '-' });
        out.push(match (mode & special > 0, bits & 1 > 0) {
            (true, true) => letter,
            (true, false) => letter.to_ascii_uppercase(),
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    out
}

/// Moves a file away under a new name, and begins it anew.
fn rotate(engine: &mut Engine, name: &str) -> Value {
    let now = engine.now();
    let new = format!("{name}.{}.{:.6}", std::process::id(), now);
    let done = std::fs::rename(name, &new).and_then(|()| std::fs::File::create(name));
    if done.is_err() {
        engine.complain(&format!("cannot rotate file '{name}'"));
        return Value::Unset;
    }
    let fields = [
        ("old_name", Value::string(name)),
        ("new_name", Value::string(new)),
        ("open", Value::Time(now)),
        ("close", Value::Time(now)),
    ];
    engine.record_of("rotate_info", &fields)
}
