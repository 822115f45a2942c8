//! Standard output, and files that scripts write.

use std::io::Write as _;
use std::rc::Rc;

use super::{Engine, Fault, Outcome};
use crate::source::Span;
use crate::values::{FileValue, Style, Value, print_value};

/// Most bytes that wait to be written.
const BUFFER: usize = 64 << 10;

/// A message of what reads scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `error`, `fatal error`, `warning`.
    pub severity: String,
    /// The lines it is about, where it is about some.
    pub span: Span,
    /// The sentence.
    pub text: String,
}

/// Where text goes.
pub struct Output {
    buffer: Vec<u8>,
    /// Open files by their handle.
    files: Vec<Option<std::io::BufWriter<std::fs::File>>>,
    /// Handles of files that are written at once.
    unbuffered: std::collections::HashSet<usize>,
    /// Takes what is reported in place of standard error, where somebody wants it in parts.
    pub messages: Option<Vec<Message>>,
    /// Takes what would go to standard output and standard error, in tests.
    pub captured: Option<(Vec<u8>, String)>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            buffer: Vec::new(),
            files: vec![None, None],
            unbuffered: Default::default(),
            messages: None,
            captured: None,
        }
    }
}

impl Output {
    /// Writes to standard output.
    pub fn print(&mut self, bytes: &[u8]) {
        if let Some((out, _)) = &mut self.captured {
            out.extend_from_slice(bytes);
            return;
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }

    /// Writes to standard error.
    pub fn error(&mut self, text: &str) {
        match &mut self.captured {
            Some((_, errors)) => errors.push_str(text),
            None => {
                // Where standard error is closed, nobody can be told.
                let _ = std::io::stderr().write_all(text.as_bytes());
            }
        }
    }

    /// Writes what waits.
    pub fn flush(&mut self) {
        let mut out = std::io::stdout();
        let _ = out.write_all(&self.buffer);
        let _ = out.flush();
        self.buffer.clear();
    }

    /// Opens a file; returns its handle.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn open(&mut self, name: &str, appends: bool) -> std::io::Result<usize> {
        let mut options = std::fs::OpenOptions::new();
        options.create(true).write(true);
        if appends {
            options.append(true);
        } else {
            options.truncate(true);
        }
        let file = options.open(name)?;
        self.files.push(Some(std::io::BufWriter::new(file)));
        Ok(self.files.len() - 1)
    }

    /// Writes to a file.
    pub fn write(&mut self, handle: usize, bytes: &[u8]) -> bool {
        match handle {
            0 => self.print(bytes),
            1 => self.error(&String::from_utf8_lossy(bytes)),
            _ => match self.files.get_mut(handle) {
                Some(Some(file)) => {
                    let done = file.write_all(bytes);
                    let is_at_once = self.unbuffered.contains(&handle);
                    return done.and_then(|()| if is_at_once { file.flush() } else { Ok(()) }).is_ok();
                }
                _ => return false,
            },
        }
        true
    }

    /// Has a file be written at once, or when there is much to write.
    pub fn set_buffered(&mut self, handle: usize, is_buffered: bool) {
        if is_buffered {
            self.unbuffered.remove(&handle);
        } else {
            self.unbuffered.insert(handle);
        }
    }

    /// Writes what waits for a file.
    pub fn flush_file(&mut self, handle: usize) -> bool {
        match self.files.get_mut(handle) {
            Some(Some(file)) => file.flush().is_ok(),
            _ => true,
        }
    }

    /// Closes a file; false where it is closed already.
    pub fn close(&mut self, handle: usize) -> bool {
        match self.files.get_mut(handle).and_then(Option::take) {
            Some(mut file) => file.flush().is_ok(),
            None => false,
        }
    }

    /// Closes all files.
    pub fn close_all(&mut self) {
        for file in &mut self.files {
            if let Some(mut file) = file.take() {
                let _ = file.flush();
            }
        }
        self.flush();
    }
}

impl Engine {
    /// Runs `print`: the first value may be a file.
    pub(super) fn print(&mut self, all: &[Value]) -> Outcome<()> {
        let (file, values) = match all.split_first() {
            Some((Value::File(file), rest)) => (Some(file.clone()), rest),
            _ => (None, all),
        };
        // What a function that returned nothing was to give is not printed.
        if values.iter().any(|value| !value.is_set()) {
            return Ok(());
        }
        let raw = file.as_ref().is_some_and(|file| file.is_raw.get());
        let style = if raw { Style::Raw } else { Style::Escaped };
        if self.print_to_log(values, file.is_some()) {
            return Ok(());
        }
        let mut line = Vec::new();
        for (at, value) in values.iter().enumerate() {
            if at > 0 && !raw {
                line.extend_from_slice(b", ");
            }
            self.print_one(value, style, &mut line);
        }
        if !raw {
            line.push(b'\n');
        }
        match file {
            None => self.output.print(&line),
            Some(file) => self.write_file(&file, &line)?,
        }
        Ok(())
    }

    /// Writes a value as `print` does.
    pub fn print_one(&self, value: &Value, style: Style, out: &mut Vec<u8>) {
        print_value(value, &self.program.types, style, out);
    }

    /// Writes bytes to a file of scripts.
    pub fn write_file(&mut self, file: &Rc<FileValue>, bytes: &[u8]) -> Outcome<()> {
        if !file.is_open.get() || !self.output.write(file.handle, bytes) {
            return Err(self.fail("writing to a file that is not open"));
        }
        Ok(())
    }

    /// Ends a handler whose assertion failed.
    pub(super) fn assertion(&mut self, message: Option<Value>) -> Fault {
        let shown = self.current_text();
        let more = message.map(|text| format!(" ({})", text.text())).unwrap_or_default();
        self.run_time_errors += 1;
        self.report_at("error", self.current(), &format!("assertion failure: {shown}{more}"));
        self.exit_code.get_or_insert(1);
        Fault::Error
    }

    /// Closes all files.
    pub fn close(&mut self) {
        self.output.close_all();
    }
}
