//! Runs Zeek scripts with the options of Zeek's command line.

use weir_script::command::{Options, run};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Values that are nested deeply need a deep stack.
    let worker = std::thread::Builder::new().stack_size(1 << 29).spawn(move || match Options::parse(&arguments) {
        Ok(options) => run(&options),
        Err(sentence) => {
            eprintln!("error: {sentence}");
            1
        }
    });
    let code = worker.map_or(1, |worker| worker.join().unwrap_or(1));
    std::process::exit(code);
}
