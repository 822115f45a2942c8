//! How the project is built and installed: what `scripts/setup.sh` finds, installs and says on systems of many
//! kinds, which are folders of stand-ins for their commands; and `make install`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::workspace;

/// What the script may use of any system.
const TOOLS: &[&str] = &[
    "awk", "basename", "cat", "chmod", "cut", "dirname", "env", "head", "ln", "mkdir", "printf", "rm", "sed",
    "sh", "sort",
];

const COMPILERS: &[(&str, &str)] =
    &[("cc", ""), ("c++", ""), ("pkg-config", ""), ("uname", "echo Linux"), ("bash", "")];

/// Writes down how it was called; where it is told to install Rust, there is one from then on.
const APT_GET: &str = r#"
    case "$*" in
        *-s*) exit 0 ;;
        *--no-remove*) [ ! -e "$BIN/cargo" ] || exit 100 ;;
    esac
    echo "apt-get $*" >>"$BIN/../calls"
    case "$*" in *rustc-web*) new_rust "$BIN" ;; esac"#;
/// Debian 12 with its security archive.
const APT_CACHE: &str = r#"
    case "$*" in
        *search*) ;;
        *rustc-web) echo "Version: 1.96.0+dfsg1-1~deb12u2" ;;
        *rustc) echo "Version: 1.63.0+dfsg1-2" ;;
    esac"#;
/// Another package manager, which has a Rust.
const MANAGER: &str = r#"
    echo "${0##*/} $*" >>"$BIN/../calls"
    case "$*" in *rust*) new_rust "$BIN" ;; esac"#;
const CARGO: &str = r#"case "$*" in --version) echo "cargo VERSION (0123abc 2026-01-01)" ;; esac"#;
const RUSTC: &str = r#"echo "rustc VERSION (0123abc 2026-01-01)""#;
/// Answers with an installer that puts a new Rust where rustup does.
const CURL: &str = r#"echo 'mkdir -p "$HOME/.cargo/bin"; new_rust "$HOME/.cargo/bin"'"#;
/// Puts a new Rust into a folder.
const NEW_RUST: &str = r#"
    for tool in cargo rustc; do
        printf '#!/bin/sh\n[ "$1" != --version ] || echo "%s 1.96.0 (0123abc 2026-01-01)"\n' $tool >"$1/$tool"
        chmod +x "$1/$tool"
    done"#;
const ROOT: &str = "echo 0";
const USER: &str = "echo 1000";

/// A system made of stand-ins.
struct System {
    folder: PathBuf,
}

impl System {
    /// Without Rust, with all else that a build needs; `commands` are added, and replace others of their name.
    fn new(name: &str, commands: &[(&str, &str)]) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("systems").join(name);
        let _ = fs::remove_dir_all(&folder);
        let system = Self { folder };
        for path in ["bin", "home", "target/release", "target/debug", "usr/lib"] {
            fs::create_dir_all(system.folder.join(path)).expect("a folder");
        }
        for file in ["target/release/weir", "target/debug/weir", "usr/lib/libmagic.so.1", "calls"] {
            fs::write(system.folder.join(file), "").expect("a file");
        }
        let path = std::env::var_os("PATH").expect("PATH");
        for tool in TOOLS {
            let found =
                std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.is_file());
            if let Some(found) = found {
                symlink(found, system.folder.join("bin").join(tool)).expect("a link");
            }
        }
        for (command, script) in
            COMPILERS.iter().chain([&("id", ROOT), &("new_rust", NEW_RUST)]).chain(commands)
        {
            system.command(&format!("bin/{command}"), script);
        }
        system
    }

    fn command(&self, path: &str, script: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let _ = fs::remove_file(&path);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a command");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a command that runs");
    }

    /// A Rust in a folder.
    fn rust(self, folder: &str, version: &str) -> Self {
        self.command(&format!("{folder}/cargo"), &CARGO.replace("VERSION", version));
        self.command(&format!("{folder}/rustc"), &RUSTC.replace("VERSION", version));
        self
    }

    fn without(self, commands: &[&str]) -> Self {
        for command in commands {
            fs::remove_file(self.folder.join("bin").join(command)).expect("a command");
        }
        self
    }

    fn run(&self, words: &[&str]) -> Output {
        let bin = self.folder.join("bin");
        Command::new("/bin/sh")
            .arg(workspace::root().join("scripts/setup.sh"))
            .args(words)
            .env_clear()
            .env("PATH", &bin)
            .env("BIN", &bin)
            .env("HOME", self.folder.join("home"))
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("SETUP_SYSTEM", &self.folder)
            .output()
            .expect("a shell")
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.folder.join("calls")).expect("the list of calls")
    }

    /// Where the link to a Rust that is not the first one leads.
    fn link(&self) -> Option<PathBuf> {
        let to = fs::read_link(self.folder.join("target/rust")).ok()?;
        to.strip_prefix(&self.folder).ok().map(Path::to_owned)
    }
}

/// Runs setup and holds its exit code, what it said, what it had installed.
fn expect(system: &System, word: &str, code: i32, said: &[&str], calls: &[&str]) {
    let output = system.run(&[word]);
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let name = system.folder.file_name().expect("a name").display();
    assert_eq!(output.status.code(), Some(code), "{name}: {text}");
    assert_eq!(text.is_empty(), said.is_empty(), "{name}: {text}");
    for part in said {
        assert!(text.contains(part), "{name}: no '{part}' in: {text}");
    }
    let made = system.calls();
    assert_eq!(made.lines().collect::<Vec<_>>(), calls, "{name}: {text}");
}

const DEBIAN: &[(&str, &str)] = &[("apt-get", APT_GET), ("apt-cache", APT_CACHE)];
const UPDATE: &str = "apt-get update -qq";

#[test]
fn a_rust_that_is_new_enough_is_used_wherever_it_is() {
    let system = System::new("new-rust", DEBIAN).rust("bin", "1.96.0");
    expect(&system, "build", 0, &[], &[]);
    assert_eq!(system.link(), None);
    for (place, version, link) in [
        // In the Makefile's PATH already.
        ("home/.cargo/bin", "1.95.0", None),
        ("home/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/bin", "2.0.1", Some(())),
        ("usr/lib/rust-1.91/bin", "1.91.0-nightly", Some(())),
    ] {
        let system = System::new("other-rust", DEBIAN).rust("bin", "1.63.0").rust(place, version);
        let said: &[&str] = if link.is_some() { &[version, place] } else { &[] };
        expect(&system, "build", 0, said, &[]);
        assert_eq!(system.link(), link.map(|()| place.into()), "{place}");
    }
    // An old toolchain of rustup comes first, the distribution's Rust is new.
    let system = System::new("old-rustup", DEBIAN).rust("home/.cargo/bin", "1.80.1").rust("bin", "1.96.0");
    expect(&system, "build", 0, &["using the Rust 1.96.0"], &[]);
    assert_eq!(system.link(), Some("bin".into()));
}

#[test]
fn the_distribution_has_a_rust_else_rustup_installs_one_beside_the_old() {
    let system = System::new("no-rust", DEBIAN);
    let install = "apt-get install -y -qq --no-install-recommends --no-remove rustc-web cargo-web";
    expect(&system, "build", 0, &["installing rustc-web cargo-web"], &[UPDATE, install]);
    // Once done, there is nothing to do.
    expect(&system, "build", 0, &[], &[UPDATE, install]);

    let system = System::new("no-rust-test", DEBIAN);
    let install = format!("{install} rustfmt-web rust-web-clippy");
    expect(&system, "test", 0, &["installing rustc-web"], &[UPDATE, &install]);

    // The distribution's new one would take away its old one.
    let system = System::new("old-rust", DEBIAN).rust("bin", "1.63.0");
    system.command("bin/curl", CURL);
    expect(&system, "build", 0, &["through rustup"], &[UPDATE]);
    assert!(system.folder.join("home/.cargo/bin/cargo").exists());

    let system = System::new("no-rustup", DEBIAN).rust("bin", "1.63.0");
    system.command("bin/curl", "echo 'curl: (6) Could not resolve host' >&2; exit 6");
    let line = "\n    apt-get update && apt-get install rustc-web cargo-web\n";
    expect(&system, "build", 1, &["1.63.0 is here", line], &[UPDATE]);
}

#[test]
fn who_may_not_install_gets_one_line_to_run() {
    let asks = ("sudo", r#"[ "$1" = -n ] && exit 1; echo "sudo $*" >>"$BIN/../calls""#);
    let commands = [DEBIAN, &[("id", USER), asks, ("pkg-config", "exit 1")]].concat();
    let system = System::new("sudo-asks", &commands).without(&["cc"]);
    let line = "\n    sudo apt-get update && sudo apt-get install build-essential libpcap-dev rustc-web cargo-web libhyperscan-dev\n";
    expect(&system, "build", 1, &[line], &[]);

    let system = System::new("no-sudo", &commands).without(&["cc", "sudo"]);
    let line = "\n    su -c 'apt-get update && apt-get install build-essential libpcap-dev rustc-web";
    expect(&system, "build", 1, &[line], &[]);

    // Rust alone needs no packages: rustup's goes into the home.
    let system = System::new("user-rust", &[DEBIAN, &[("id", USER), asks, ("curl", CURL)]].concat());
    expect(&system, "build", 0, &["through rustup"], &[]);
}

#[test]
fn other_systems_have_their_own_names_for_packages() {
    let none: &[&str] = &["cc", "bash"];
    for (manager, install, rust) in [
        (
            "dnf",
            "dnf install -y -q gcc gcc-c++ libpcap-devel bash",
            "dnf install -y -q rust cargo rustfmt clippy",
        ),
        (
            "pacman",
            "pacman -S --needed --noconfirm base-devel libpcap bash",
            "pacman -S --needed --noconfirm rust",
        ),
        ("apk", "apk add -q build-base libpcap-dev bash", "apk add -q rust cargo rustfmt rust-clippy"),
    ] {
        let none_here = [(manager, MANAGER), ("pkg-config", "[ \"$2\" = libhs ]")];
        let system = System::new(manager, &none_here).without(none);
        expect(&system, "test", 0, &["installing"], &[install, rust]);
        let system = System::new(manager, &[&none_here[..], &[("id", USER)]].concat()).without(none);
        expect(&system, "test", 1, &["su -c '", "please run this line"], &[]);
    }
    // macOS has libpcap, and installs nothing as root.
    let mac = [("brew", MANAGER), ("uname", "echo Darwin"), ("xcode-select", ""), ("id", USER)];
    let system = System::new("brew", &mac).without(&["bash"]);
    expect(&system, "test", 0, &["installing"], &["brew install -q bash", "brew install -q rust"]);
    let system = System::new("mac-without-compilers", &[mac[0], mac[1], ("xcode-select", "exit 2")]);
    expect(&system, "build", 1, &["xcode-select --install"], &[]);
    let system = System::new("unknown-system", &[]).without(&["cc"]);
    expect(&system, "build", 1, &["no package manager", "C++ compiler", "Rust 1."], &[]);
    let system = System::new("unknown-system-rust", &[("curl", CURL)]);
    expect(&system, "build", 0, &["through rustup"], &[]);
}

#[test]
fn the_readme_tells_of_each_package_manager() {
    let root = workspace::root();
    let script = fs::read_to_string(root.join("scripts/setup.sh")).expect("the script");
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
    let managers = script.lines().find_map(|line| line.strip_prefix("for word in ")).expect("the managers");
    let managers: Vec<&str> =
        managers.trim_end_matches("; do").split(' ').filter(|word| *word != "apt-get").collect();
    assert_eq!(managers.len(), 4, "{managers:?}");
    let rows: String = readme.lines().filter(|line| line.starts_with('|')).collect();
    for word in managers.into_iter().map(|manager| format!("`{manager}`")) {
        assert!(rows.contains(&word), "{word}");
    }
    for system in ["Debian 12 and 13 | supported", "Ubuntu", "Fedora", "Arch", "Alpine", "macOS"] {
        assert!(rows.contains(system), "{system}");
    }
}

#[test]
fn what_only_linux_has_is_built_on_linux_only() {
    let metadata = workspace::metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().expect("packages");
    let all = packages.iter().flat_map(|package| package["dependencies"].as_array().expect("dependencies"));
    let counters: Vec<_> = all.filter(|dependency| dependency["name"] == "perf-event2").collect();
    assert!(!counters.is_empty());
    for dependency in counters {
        assert_eq!(dependency["target"], "cfg(target_os = \"linux\")");
    }
}

#[test]
fn bare_systems_are_tried_where_they_can_be_made_and_not_in_every_run() {
    let system = System::new("bare", &[("id", USER)]).without(&["bash"]);
    let path =
        std::env::join_paths([system.folder.join("bin"), "/usr/bin".into(), "/bin".into()]).expect("a path");
    let script = workspace::root().join("scripts/bare.sh");
    let bare = |words: &[&str]| {
        let output = Command::new("bash").arg(&script).args(words).env("PATH", &path).output().expect("bash");
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    };
    let (code, said) = bare(&["12", "demo"]);
    assert_eq!((code, said.as_str()), (Some(0), "bare: skipped, a new root can be made by root only\n"));
    let (code, said) = bare(&["11"]);
    assert!(code == Some(2) && said.contains("unknown word '11'"), "{said}");
    for file in ["Makefile", ".ci/run", "scripts/cases.sh"] {
        let text = fs::read_to_string(workspace::root().join(file)).expect("a file");
        assert!(!text.contains("bare.sh"), "{file}");
    }
}

#[test]
fn a_first_build_is_announced() {
    let system = System::new("first-build", DEBIAN).rust("bin", "1.96.0");
    for (word, file) in [("build", "target/release/weir"), ("test", "target/debug/weir")] {
        fs::remove_file(system.folder.join(file)).expect("a file");
        expect(&system, word, 0, &["minutes", "GB"], &[]);
    }
}

#[test]
fn scripts_can_be_read_by_their_shells() {
    let folder = workspace::root().join("scripts");
    let mut checked = 0;
    for entry in fs::read_dir(&folder).expect("the scripts") {
        let path = entry.expect("a script").path();
        if path.extension().is_some_and(|extension| extension == "sh") {
            let text = fs::read_to_string(&path).expect("text");
            let shell = if text.starts_with("#!/bin/sh\n") { "sh" } else { "bash" };
            // What runs before anything is installed takes the shell that each system has.
            assert_eq!(shell == "sh", path.ends_with("setup.sh"), "{}", path.display());
            let output = Command::new(shell).arg("-n").arg(&path).output().expect("a shell");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            checked += 1;
        }
    }
    assert!(checked > 5);
}

/// A version's first two numbers.
fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.split('.').map(|number| number.parse().expect("a number"));
    (numbers.next().expect("a first number"), numbers.next().unwrap_or(0))
}

#[test]
fn the_rust_that_is_asked_for_is_enough_for_what_is_built() {
    let metadata = workspace::built_packages();
    let packages = metadata["packages"].as_array().expect("packages");
    let asked = |name: &str| {
        packages.iter().find(|package| package["name"] == name).map(|package| &package["rust_version"])
    };
    let own = asked("weir").and_then(|version| version.as_str()).expect("rust-version of weir");
    for package in packages {
        let needs = package["rust_version"].as_str().unwrap_or("1.0");
        assert!(
            version(needs) <= version(own),
            "{} {} needs Rust {needs}",
            package["name"],
            package["version"]
        );
    }
    let output = System::new("asked", &[]).rust("bin", "1.0.0").run(&["build"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("Rust {own} or later")), "{said}");
}

/// Stands in for the program, which writes its manual pages and completions.
const PROGRAM: &str = "#!/bin/sh
case $1 in
    man) echo page >\"$2/weir.1\" && echo page >\"$2/weir-check.1\" ;;
    completions) echo \"words for $2\" ;;
esac
";

#[test]
fn install_puts_what_was_built_where_it_is_asked_to_and_uninstall_takes_it_away() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("install");
    let _ = fs::remove_dir_all(&folder);
    let make = |goal: &str| {
        let output = Command::new("make")
            .args([goal, "PREFIX=/usr"])
            .arg(format!("DESTDIR={}", folder.join("stage").display()))
            .current_dir(workspace::root())
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .env_remove("MAKEFLAGS")
            .env_remove("MAKELEVEL")
            .output()
            .expect("make");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (done, said) = make("install");
    assert!(!done && said.contains("please run 'make build' first"), "{said}");
    fs::create_dir_all(folder.join("target/release")).expect("a folder");
    fs::write(folder.join("target/release/weir"), PROGRAM).expect("a file");
    let (done, said) = make("install");
    assert!(done, "{said}");
    let prefix = folder.join("stage/usr");
    let program = prefix.join("bin/weir");
    assert_eq!(fs::read(&program).expect("the program"), PROGRAM.as_bytes());
    assert_eq!(program.metadata().expect("the program").permissions().mode() & 0o777, 0o755);
    let of_program = [
        "share/man/man1/weir.1",
        "share/man/man1/weir-check.1",
        "share/bash-completion/completions/weir",
        "share/zsh/site-functions/_weir",
        "share/fish/vendor_completions.d/weir.fish",
    ];
    for file in
        ["share/weir/suricata.yaml", "share/doc/weir/getting-started.md", "share/doc/weir/LICENSE-MIT"]
            .iter()
            .chain(&of_program)
    {
        assert!(prefix.join(file).exists(), "{file}");
    }
    let units = prefix.join("lib/systemd/system");
    for unit in ["weir.service", "weir@.service"] {
        let text = fs::read_to_string(units.join(unit)).expect("a unit");
        assert!(text.contains("ExecStart=/usr/bin/weir ") && text.contains("Type=notify"), "{unit}: {text}");
    }
    let logrotate = folder.join("stage/etc/logrotate.d/weir");
    assert!(logrotate.exists() && prefix.join("lib/sysusers.d/weir.conf").exists());
    verify_units(&units);
    assert!(make("uninstall").0);
    let gone = |path: &Path| !path.exists();
    for file in of_program {
        assert!(gone(&prefix.join(file)), "{file}");
        // The folders are other programs', too.
        fs::remove_dir_all(prefix.join("share").join(file.split('/').nth(1).expect("a folder")))
            .unwrap_or_default();
    }
    assert!(gone(&logrotate) && gone(&units.join("weir.service")) && gone(&units.join("weir@.service")));
    let left: Vec<_> = ["bin", "share", "share/doc"]
        .iter()
        .flat_map(|name| fs::read_dir(prefix.join(name)).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.ends_with("share/doc"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Has systemd read units, with programs that are here in place of those that are not.
fn verify_units(units: &Path) {
    let here = units.with_file_name("verified");
    fs::create_dir_all(&here).expect("a folder");
    let names = [
        ("weir-update.timer", "weir-update.timer"),
        ("weir.service", "weir.service"),
        ("weir-update.service", "weir-update.service"),
        ("weir@.service", "weir@eth0.service"),
    ];
    for (unit, name) in names {
        let text =
            fs::read_to_string(units.join(unit)).expect("a unit").replace("/usr/bin/weir", "/bin/true");
        fs::write(here.join(name), text).expect("a unit");
        let mut command = Command::new("systemd-analyze");
        let Ok(output) = command.arg("verify").arg(here.join(name)).output() else {
            println!("skipped: units are verified by `systemd-analyze`, which is not here");
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let of_unit: Vec<&str> = said.lines().filter(|line| line.contains(name)).collect();
        assert!(of_unit.is_empty(), "{of_unit:?}");
    }
}
