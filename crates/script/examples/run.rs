//! Runs Zeek scripts with the options of Zeek's command line.

use weir_script::command::{Options, run_apart};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let code = match Options::parse(&arguments) {
        Ok(options) => run_apart(options, None),
        Err(sentence) => {
            eprintln!("error: {sentence}");
            1
        }
    };
    std::process::exit(code);
}
