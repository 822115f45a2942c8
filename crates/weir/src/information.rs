//! Answers that need no run: version, build, lists.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use weir_engine::load::RuleReport;
use weir_engine::reference;
use weir_engine::summary::Extent;
use weir_rules::Colour;

use crate::build_information;
use crate::cli::Arguments;

/// The release whose behaviour is kept under the name `suricata`.
const COMPATIBLE_RELEASE: &str = "8.0.7";

/// The table of `--list-runmodes`.
const RUN_MODES: &str = "\
------------------------------------- Runmodes ------------------------------------------
| RunMode Type      | Custom Mode       | Description
|----------------------------------------------------------------------------------------
| PCAP_FILE         | single            | One thread reads, inspects and records
|                   -----------------------------------------------------------------------
|                   | autofp, workers   | One thread reads, as many as there are cores
|                   |                   | (or -t says) inspect
|----------------------------------------------------------------------------------------
| AF_PACKET_DEV     | single            | One thread for each interface
|                   -----------------------------------------------------------------------
|                   | autofp, workers   | As many for each as there are cores (or -t says)
|----------------------------------------------------------------------------------------
| NFQ               | any               | One thread for each queue
|----------------------------------------------------------------------------------------
| PCAP_DEV          | any               | One thread for each interface
|----------------------------------------------------------------------------------------
| AF_XDP_DEV        | single            | One thread for each interface
|                   -----------------------------------------------------------------------
|                   | autofp, workers   | One thread for each queue of a card (or as -t says)
------------------------------------------------------------------------------------------
";

/// Broken rules shown in full, unless all are asked for.
const SHOWN_FAILURES: usize = 100;

/// Answers an option that asks for information; none where the command line asks for a run.
pub fn answer(arguments: &Arguments, compatible: bool) -> Option<ExitCode> {
    if arguments.version {
        print_text(&format!("{}\n", version(compatible)));
    } else if arguments.build_info {
        let program = match compatible {
            true => version(compatible),
            false => format!(
                "{}, speaking the rule language and EVE JSON of release {COMPATIBLE_RELEASE}",
                version(compatible)
            ),
        };
        print_text(&build_information::text(&program));
    } else if let Some(what) = &arguments.list_keywords {
        return Some(list_keywords(what));
    } else if arguments.list_app_layer_protos {
        let mut text = String::from("=========Supported App Layer Protocols=========\n");
        for name in reference::protocol_names() {
            text.push_str(&format!("{name}\n"));
        }
        print_text(&text);
    } else if arguments.list_app_layer_frames {
        let mut text = String::from("=========Supported App Layer Frames=========\n");
        for frame in reference::frames() {
            text.push_str(&format!("{frame}\n"));
        }
        print_text(&text);
    } else if arguments.list_app_layer_hooks {
        let mut text = String::from("=========Supported App Layer Hooks=========\n");
        for hook in reference::hooks() {
            text.push_str(&format!("{hook}\n"));
        }
        print_text(&text);
    } else if arguments.list_rule_protos {
        list("Supported rule protocols", &reference::rule_protocol_names());
    } else if arguments.dump_features {
        list("Features", &reference::feature_names());
    } else if arguments.list_runmodes {
        print_text(RUN_MODES);
    } else {
        return None;
    }
    Some(ExitCode::SUCCESS)
}

fn list(title: &str, names: &[&str]) {
    let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
    print_text(&format!("====={title}=====\n{lines}"));
}

fn version(compatible: bool) -> String {
    if compatible {
        format!("This is Suricata version {COMPATIBLE_RELEASE} RELEASE")
    } else {
        format!("weir {}", env!("CARGO_PKG_VERSION"))
    }
}

/// The first line of the engine's log.
pub fn banner(compatible: bool) -> String {
    if compatible {
        format!("This is Suricata version {COMPATIBLE_RELEASE} RELEASE running in USER mode")
    } else {
        format!("This is Weir version {} running in USER mode", env!("CARGO_PKG_VERSION"))
    }
}

fn list_keywords(what: &str) -> ExitCode {
    let keywords = reference::keywords();
    let mut text = String::new();
    match what {
        "" => {
            text.push_str("=====Supported keywords=====\n");
            keywords.iter().for_each(|k| text.push_str(&format!("- {}\n", k.name)));
        }
        "csv" => {
            text.push_str("name;description;app layer;features;documentation\n");
            for k in &keywords {
                text.push_str(&format!("{};{};{};{};\n", k.name, k.text, k.protocol, k.kind));
            }
        }
        "all" => keywords.iter().for_each(|k| text.push_str(&format!("{}\n", k.long()))),
        name => match keywords.iter().find(|k| k.name == name) {
            Some(keyword) => text.push_str(&format!("{}\n", keyword.long())),
            None => {
                eprintln!("There is no keyword {name}. --list-keywords lists them all.");
                return ExitCode::FAILURE;
            }
        },
    }
    print_text(&text);
    ExitCode::SUCCESS
}

/// Prints on standard output; a reader that has gone away (`| head`) is no error.
pub fn print_text(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Says on standard error what is wrong; on a terminal in lines that fit it.
pub fn complain(name: &str, sentence: &str) {
    let text = format!("{name}: {sentence}");
    let terminal = std::io::stderr().is_terminal();
    eprintln!("{}", if terminal { weir_base::wrap(&text, 2) } else { text });
}

/// Shows rules that could not be loaded, with a caret under the word.
pub fn print_failures(report: &RuleReport, compatible: bool, extent: Extent) {
    if compatible {
        return;
    }
    let colour = if std::io::stderr().is_terminal() { Colour::On } else { Colour::Off };
    let shown = if extent == Extent::All { usize::MAX } else { SHOWN_FAILURES };
    for failure in report.failures.iter().take(shown) {
        eprintln!("{}\n", failure.render(colour));
    }
    if report.failures.len() > shown {
        eprintln!("… and {} more (--all).", report.failures.len() - shown);
    }
    for sentence in &report.unreadable {
        eprintln!("{sentence}");
    }
}
