//! `zeek-cut`: columns of Zeek's tab-separated logs, for those who start Weir under that name.

use std::io::{self, BufRead, Write};

use crate::time_format::{Zone, format_time};

/// Usage.
pub const USAGE: &str = "\
zeek-cut [options] [<columns>]

Extracts the given columns from ASCII Zeek logs on standard input, and outputs
them to standard output. If no columns are given, all are selected. By default,
the format header blocks are left out.

    -c       Include the first format header block in the output.
    -C       Include all format header blocks in the output.
    -m       Include the first format header block in the output in minimal view.
    -M       Include all format header blocks in the output in minimal view.
    -d       Convert time values into human-readable format.
    -D <fmt> Like -d, but specify format for time (see strftime(3) for syntax).
    -F <ofs> Sets a different output field separator character.
    -h       Show help.
    -n       Print all fields *except* those specified.
    -u       Like -d, but print timestamps in UTC instead of local time.
    -U <fmt> Like -D, but print timestamps in UTC instead of local time.

For time conversion option -d or -u, the format string can be specified by
setting an environment variable: ZEEK_CUT_TIMEFMT
";

/// The form of converted times.
const TIME_FORMAT: &str = "%Y-%m-%dT%H:%M:%S%z";

/// Header blocks that are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Headers {
    #[default]
    None,
    First,
    All,
}

/// Options of the command line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    headers: Headers,
    /// Only the names of the columns of a header block.
    minimal: bool,
    times: Option<(String, Zone)>,
    separator: Option<String>,
    except: bool,
    columns: Vec<String>,
    /// Only print the usage.
    pub help: bool,
}

impl Cut {
    /// Reads the arguments behind the program's name.
    pub fn parse(
        arguments: impl IntoIterator<Item = String>,
        format: Option<String>,
    ) -> Result<Self, String> {
        let mut cut = Self::default();
        let mut arguments = arguments.into_iter();
        let format = format.unwrap_or_else(|| TIME_FORMAT.to_owned());
        while let Some(argument) = arguments.next() {
            let Some(letters) = argument.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
                cut.columns.push(argument);
                continue;
            };
            if letters == "-help" {
                cut.help = true;
                continue;
            }
            if letters == "-" {
                cut.columns.extend(arguments.by_ref());
                break;
            }
            let mut letters = letters.chars();
            while let Some(letter) = letters.next() {
                let mut value = || {
                    let rest: String = letters.by_ref().collect();
                    let value = if rest.is_empty() { arguments.next() } else { Some(rest) };
                    value.ok_or_else(|| format!("option -{letter} needs a value"))
                };
                match letter {
                    'c' => (cut.headers, cut.minimal) = (Headers::First, false),
                    'C' => (cut.headers, cut.minimal) = (Headers::All, false),
                    'm' => (cut.headers, cut.minimal) = (Headers::First, true),
                    'M' => (cut.headers, cut.minimal) = (Headers::All, true),
                    'd' => cut.times = Some((format.clone(), Zone::Local)),
                    'u' => cut.times = Some((format.clone(), Zone::Utc)),
                    'D' => cut.times = Some((value()?, Zone::Local)),
                    'U' => cut.times = Some((value()?, Zone::Utc)),
                    'F' => cut.separator = Some(separator(value()?)?),
                    'n' => cut.except = true,
                    'h' => cut.help = true,
                    _ => return Err(format!("there is no option -{letter}")),
                }
            }
        }
        if cut.times.as_ref().is_some_and(|(format, _)| format.is_empty()) {
            return Err("time format string cannot be empty".to_owned());
        }
        Ok(cut)
    }

    /// Reads logs to their end. `complain` is called with rows that cannot be cut.
    pub fn run(
        &self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
        complain: &mut dyn FnMut(&str),
    ) -> io::Result<()> {
        let mut state = State { separator: "\t".to_owned(), ..State::default() };
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line)? > 0 {
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            if text.starts_with(b"#") {
                self.header(&mut state, &String::from_utf8_lossy(text), output)?;
            } else {
                state.in_header = false;
                if !self.row(&state, text, output)? {
                    complain("skipping log line (not enough fields)");
                }
            }
            line.clear();
        }
        output.flush()
    }

    fn header(&self, state: &mut State, line: &str, output: &mut dyn Write) -> io::Result<()> {
        // What closes a log counts to the block of the next one.
        if !std::mem::replace(&mut state.in_header, true) {
            state.blocks += 1;
        }
        if let Some(escaped) = line.strip_prefix("#separator ") {
            state.separator = unescape(escaped);
        }
        let mut parts = line.split(state.separator.as_str());
        let key = parts.next().unwrap_or_default();
        let values: Vec<&str> = parts.collect();
        let mut selected = None;
        if key == "#fields" {
            state.select(&values, &self.columns, self.except);
            selected = Some(state.take(&values));
        } else if key == "#types" {
            state.times = values.iter().map(|kind| *kind == "time").collect();
            let converted = self.times.is_some();
            let types = values.iter().map(|kind| if converted && *kind == "time" { "string" } else { kind });
            selected = Some(state.take(&types.collect::<Vec<&str>>()));
        }
        let wanted = match self.headers {
            Headers::None => false,
            Headers::First => state.blocks == 1,
            Headers::All => true,
        };
        if !wanted || self.minimal && key != "#fields" {
            return Ok(());
        }
        let separator = self.separator.as_deref().unwrap_or(&state.separator);
        match selected {
            Some(columns) if self.minimal => writeln!(output, "{}", columns.join(separator)),
            Some(columns) => writeln!(output, "{key}{separator}{}", columns.join(separator)),
            None => writeln!(output, "{line}"),
        }
    }

    /// The answer is whether the row has all cells that are wanted.
    fn row(&self, state: &State, line: &[u8], output: &mut dyn Write) -> io::Result<bool> {
        let cells: Vec<&[u8]> = split(line, state.separator.as_bytes());
        if state.columns.iter().flatten().any(|index| *index >= cells.len()) {
            return Ok(false);
        }
        let separator = self.separator.as_deref().unwrap_or(&state.separator);
        let mut first = true;
        for column in &state.columns {
            if !std::mem::take(&mut first) {
                output.write_all(separator.as_bytes())?;
            }
            // A column that the log does not have stays empty, so that the others keep their places.
            let Some((index, cell)) = column.and_then(|index| Some((index, *cells.get(index)?))) else {
                continue;
            };
            let is_time = state.times.get(index).copied().unwrap_or_default();
            match self
                .times
                .as_ref()
                .filter(|_| is_time)
                .and_then(|(format, zone)| format_time(std::str::from_utf8(cell).ok()?, format, *zone))
            {
                Some(text) => output.write_all(text.as_bytes())?,
                None => output.write_all(cell)?,
            }
        }
        output.write_all(b"\n")?;
        Ok(true)
    }
}

/// Header of the log at hand.
#[derive(Debug, Default)]
struct State {
    separator: String,
    /// The columns to write, by their place; none where the log lacks one.
    columns: Vec<Option<usize>>,
    /// Columns of times.
    times: Vec<bool>,
    /// Header blocks so far.
    blocks: usize,
    in_header: bool,
}

impl State {
    fn select(&mut self, names: &[&str], wanted: &[String], except: bool) {
        // Types come after the fields, or not at all.
        self.times.clear();
        let all = 0..names.len();
        self.columns = if wanted.is_empty() {
            all.map(Some).collect()
        } else if except {
            all.filter(|&index| names.get(index).is_some_and(|name| !wanted.iter().any(|w| w == name)))
                .map(Some)
                .collect()
        } else {
            wanted.iter().map(|name| names.iter().position(|known| known == name)).collect()
        };
    }

    fn take<'a>(&self, values: &[&'a str]) -> Vec<&'a str> {
        let value = |column: &Option<usize>| column.and_then(|index| values.get(index).copied());
        self.columns.iter().map(|column| value(column).unwrap_or_default()).collect()
    }
}

/// One character.
fn separator(text: String) -> Result<String, String> {
    if text.len() == 1 { Ok(text) } else { Err("field separator must be a single character".to_owned()) }
}

/// `\x09` as the character it stands for.
fn unescape(text: &str) -> String {
    let digits = text.strip_prefix("\\x").and_then(|digits| u8::from_str_radix(digits, 16).ok());
    digits.map_or_else(|| text.to_owned(), |byte| char::from(byte).to_string())
}

fn split<'a>(line: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    match separator {
        [byte] => line.split(|other| other == byte).collect(),
        _ => vec![line],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "#separator \\x09\n#set_separator\t,\n#path\tdns\n#fields\tts\tuid\tquery\n\
        #types\ttime\tstring\tstring\n1700000000.123456\tC1\ta.com\n-\tC2\t-\n#close\t2023-11-14-22-13-21\n";

    fn cut(arguments: &str) -> String {
        let cut = Cut::parse(arguments.split_whitespace().map(str::to_owned), None).unwrap();
        let mut output = Vec::new();
        cut.run(&mut format!("{LOG}{LOG}").as_bytes(), &mut output, &mut |_| {}).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn columns() {
        let once = |text: &str| format!("{text}{text}");
        let cases = [
            ("uid query", once("C1\ta.com\nC2\t-\n")),
            ("query nothing uid", once("a.com\t\tC1\n-\t\tC2\n")),
            ("nothing", once("\n\n")),
            ("uid -d nothing", once("C1\t\nC2\t\n")),
            ("", once("1700000000.123456\tC1\ta.com\n-\tC2\t-\n")),
            ("-n ts", once("C1\ta.com\nC2\t-\n")),
            ("-F, uid query", once("C1,a.com\nC2,-\n")),
            ("-u ts uid", once("2023-11-14T22:13:20+0000\tC1\n-\tC2\n")),
            ("-U %Y ts", once("2023\n-\n")),
            ("-m uid query", format!("uid\tquery\n{}", once("C1\ta.com\nC2\t-\n"))),
            ("-M uid query", once("uid\tquery\nC1\ta.com\nC2\t-\n")),
        ];
        for (arguments, expected) in cases {
            assert_eq!(cut(arguments), expected, "{arguments}");
        }
        let header =
            "#separator \\x09\n#set_separator\t,\n#path\tdns\n#fields\tts\tuid\n#types\tstring\tstring\n";
        assert!(cut("-c -u ts uid").starts_with(header));
        assert_eq!(cut("-c ts").matches("#fields").count(), 1);
        assert_eq!(cut("-C ts").matches("#close").count(), 2);
        assert!(
            cut("-c -F, ts x uid")
                .starts_with("#separator \\x09\n#set_separator\t,\n#path\tdns\n#fields,ts,,uid\n")
        );
    }

    #[test]
    fn each_header_says_how_its_rows_are_written() {
        let logs = "#separator \\x2c\n#set_separator,|\n#fields,uid,ts,to\n#types,string,time,set[string]\n\
            C1,1.000000,a|b\n#close,2023-11-14-22-13-21\n\
            #separator \\x09\n#fields\tts\tnote\tuid\n#types\ttime\tstring\tstring\n2.000000\tx,y\tC2\n\
            #separator \\x20\n#fields ts uid\n3.000000 C3\n4.000000 C4";
        for (arguments, expected) in [
            ("uid ts", "C1,1.000000\nC2\t2.000000\nC3 3.000000\nC4 4.000000\n"),
            ("-u ts", "1970-01-01T00:00:01+0000\n1970-01-01T00:00:02+0000\n3.000000\n4.000000\n"),
            ("to note", "a|b,\n\tx,y\n \n \n"),
            ("-F: uid to", "C1:a|b\nC2:\nC3:\nC4:\n"),
            ("-M uid", "uid\nC1\nuid\nC2\nuid\nC3\nC4\n"),
        ] {
            let cut = Cut::parse(arguments.split_whitespace().map(str::to_owned), None).unwrap();
            let mut output = Vec::new();
            cut.run(&mut logs.as_bytes(), &mut output, &mut |_| {}).unwrap();
            assert_eq!(String::from_utf8(output).unwrap(), expected, "{arguments}");
        }
    }

    #[test]
    fn short_rows_are_told_of() {
        let log = "#separator \\x09\n#fields\ta\tb\tc\n1\t2\n1\t2\t3\n#close\t2023-11-14-22-13-21\n";
        for (columns, expected, told) in [("b", "2\n2\n", 0), ("c a", "3\t1\n", 1), ("", "1\t2\t3\n", 1)] {
            let cut = Cut::parse(columns.split_whitespace().map(str::to_owned), None).unwrap();
            let (mut output, mut complaints) = (Vec::new(), 0);
            cut.run(&mut log.as_bytes(), &mut output, &mut |_| complaints += 1).unwrap();
            assert_eq!(
                (String::from_utf8(output).unwrap().as_str(), complaints),
                (expected, told),
                "{columns}"
            );
        }
    }

    #[test]
    fn refusals() {
        for arguments in ["-x", "-D", "-F ab"] {
            assert!(
                Cut::parse(arguments.split_whitespace().map(str::to_owned), None).is_err(),
                "{arguments}"
            );
        }
    }
}
