//! Messages: errors of scripts, in the form that Zeek's users know.

use super::{Engine, Fault, Message};
use crate::source::Span;
use crate::values::Value;

impl Engine {
    /// Reports at a place.
    pub fn report_at(&mut self, severity: &str, span: Span, text: &str) {
        let place = if span.is_known() { self.program.files.place(span) } else { String::new() };
        self.report_of(severity, span, &place, text);
    }

    /// Reports; `place` may be empty.
    pub fn report(&mut self, severity: &str, place: &str, text: &str) {
        self.report_of(severity, Span::default(), place, text);
    }

    fn report_of(&mut self, severity: &str, span: Span, place: &str, text: &str) {
        if severity.ends_with("error")
            && !severity.starts_with("expression")
            && !severity.starts_with("runtime")
        {
            self.errors += 1;
        }
        if self.is_quiet {
            return;
        }
        if let Some(messages) = &mut self.output.messages {
            messages.push(Message { severity: severity.to_owned(), span, text: text.to_owned() });
            return;
        }
        if !crate::frameworks::reporter::raise(self, severity, place, text) {
            return;
        }
        let line = if place.is_empty() {
            format!("{severity}: {text}")
        } else {
            format!("{severity} in {place}: {text}")
        };
        let shown = self.time_of_message();
        self.output.flush();
        self.output.error(&format!("{shown}{line}\n"));
    }

    /// Reports what is wrong, and no matter of a place in scripts.
    pub fn report_apart(&mut self, text: &str) {
        let before = self.errors;
        self.report("error", "", text);
        self.errors = before;
    }

    /// Tells something that is no error.
    pub fn report_plain(&mut self, text: &str) {
        self.output.flush();
        self.output.error(&format!("{text}\n"));
    }

    /// Returns the time before messages, which those of a running engine have.
    fn time_of_message(&self) -> String {
        if self.is_running && self.network_time > 0.0 && self.has_packets {
            format!("{:.6} ", self.network_time)
        } else {
            String::new()
        }
    }

    /// Reports an error of a running handler; what it returns ends the handler.
    pub fn fail(&mut self, text: &str) -> Fault {
        let shown = format!("{text} ({})", self.current_text());
        self.run_time_errors += 1;
        self.report_at("expression error", self.current(), &shown);
        Fault::Error
    }

    /// Reports an error with the place of a whole function.
    pub fn fail_at(&mut self, span: Span, text: &str) -> Fault {
        self.run_time_errors += 1;
        self.report_at("runtime error", span, text);
        Fault::Error
    }

    /// Reports what a built-in function finds wrong; the handler goes on.
    pub fn complain(&mut self, text: &str) {
        let shown = format!("{text} ({})", self.current_text());
        let before = self.errors;
        self.report_at("error", self.current(), &shown);
        self.errors = before;
    }

    /// Reports what a built-in function finds wrong with a value.
    pub fn complain_of(&mut self, text: &str, value: &Value) {
        let bytes = crate::values::text_of(value, &self.program.types);
        let shown = format!("{text} ({} and {})", self.current_text(), String::from_utf8_lossy(&bytes));
        let before = self.errors;
        self.report_at("error", self.current(), &shown);
        self.errors = before;
    }

    /// Reports a warning about the call that runs.
    pub fn warn(&mut self, text: &str) {
        let shown = format!("{text} ({})", self.current_text());
        self.report_at("expression warning", self.current(), &shown);
    }
}
