#!/bin/sh
# Installs what a make target needs and is missing; says nothing and is done at once when nothing is.
#
#   scripts/setup.sh build    C and C++ compilers, pkg-config, libpcap, Hyperscan, libmagic, Rust
#   scripts/setup.sh analyst  the same, with the newer Rust that weir-analyst needs
#   scripts/setup.sh test     the same, rustfmt, clippy, bash, redis-server
#   scripts/setup.sh cases    Python 3 with PyYAML, for the verification cases
#   scripts/setup.sh fuzz     the same as build, bash, a nightly Rust, cargo-fuzz
#
# Rust is one that is here and new enough, else the system's own package, else rustup's stable one. Packages
# are installed as root or through sudo where it asks for no password; elsewhere the line to run is shown.
# Plain POSIX shell and tools: this runs first, also where bash is missing (Alpine) or old (macOS).
set -eu
cd "$(dirname "$0")/.."
# What asks and shows has a query engine in it, which needs a newer Rust than the engine does.
case ${1:-build} in test | analyst) manifest=analyst/Cargo.toml ;; *) manifest=Cargo.toml ;; esac
wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$manifest")
target=${CARGO_TARGET_DIR:-target}
# A link to the folder of the Rust to use, where another one comes first in PATH. The Makefile's PATH begins with it.
link=$target/rust
PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
# A folder to put before the system's own paths, for tests.
system=${SETUP_SYSTEM:-}
required='' optional=''

stop() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }
has_library() { has pkg-config && pkg-config --exists "$1"; }
has_shared() {
    for folder in /lib /usr/lib /usr/lib64 /usr/local/lib /opt/homebrew/lib '/usr/lib/*-linux-gnu*'; do
        # shellcheck disable=SC2086
        for file in "$system"$folder/$1.*; do [ ! -e "$file" ] || return 0; done
    done
    return 1
}
has_yaml() { python3 -c 'import yaml' >/dev/null 2>&1; }
# macOS has libpcap, and nothing for pkg-config to find it by.
has_pcap() { [ "$(uname)" = Darwin ] || has_library libpcap; }
has_tools() { cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; }

# ---- Packages ----

manager=none
for word in apt-get dnf pacman apk brew; do
    if has $word; then
        manager=$word
        break
    fi
done

# package WORD: what the system's packages for it are called; nothing where it needs none, the word where they are not
# known.
package() {
    [ "$manager" != none ] || { printf ' %s' "$1"; return; }
    awk -v word="$1" -v manager="$manager" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == manager) column = i; next }
        $1 == word && column && $column != "-" { gsub(",", " ", $column); printf " %s", $column }' <<TABLE
word        apt-get           dnf                  pacman       apk             brew
compilers   build-essential   gcc,gcc-c++          base-devel   build-base      -
pkg-config  pkg-config        pkgconf-pkg-config   pkgconf      pkgconf         pkgconf
pcap        libpcap-dev       libpcap-devel        libpcap      libpcap-dev     -
hyperscan   libhyperscan-dev  vectorscan-devel     vectorscan   vectorscan-dev  vectorscan
magic       libmagic1         file-libs            file         libmagic        libmagic
rust        -                 rust,cargo           rust         rust,cargo      rust
tools       -                 rustfmt,clippy       -            rustfmt,rust-clippy  -
bash        bash              bash                 bash         bash            bash
redis       redis-server      -                    -            -               -
curl        curl,ca-certificates  curl             curl         curl            curl
python      python3           python3              python       python3         python
yaml        python3-yaml      python3-pyyaml       python-yaml  py3-yaml        -
TABLE
}

need() { required="$required$(package "$1")"; }
like() { optional="$optional$(package "$1")"; }

# Whether packages can be installed without a question: as root, through sudo that asks for no password.
may_install() {
    case $manager in
        none) return 1 ;;
        brew) return 0 ;;
    esac
    [ "$(id -u)" = 0 ] || { has sudo && sudo -n true 2>/dev/null; }
}

as_root() {
    if [ "$manager" = brew ] || [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# The lists of what there is, which a new system does not have.
update() {
    [ "$manager" = apt-get ] && [ -z "${updated:-}" ] || return 0
    updated=1
    as_root apt-get update -qq || echo "setup: apt-get update failed; going on with the lists of packages that are here"
}

# Whether the system's packages have this one.
offers() {
    case $manager in
        apt-get) apt-get install -s -qq "$1" ;;
        dnf) dnf -q info "$1" ;;
        pacman) pacman -Si "$1" ;;
        apk) [ -n "$(apk search -q -e "$1")" ] ;;
        brew) brew info "$1" ;;
    esac >/dev/null 2>&1
}

# put PACKAGE…: installs packages.
put() {
    case $manager in
        apt-get) as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" ;;
        dnf) as_root dnf install -y -q "$@" ;;
        pacman) as_root pacman -S --needed --noconfirm "$@" ;;
        apk) as_root apk add -q "$@" ;;
        brew) brew install -q "$@" ;;
    esac >/dev/null
}

# Installs what is needed and liked; where that is not possible, shows how, and stops.
install_packages() {
    if [ -n "$required$optional" ] && may_install; then
        if [ -n "$required" ]; then
            update
            echo "setup: installing$required"
            # shellcheck disable=SC2086
            put $required || stop "$manager could not install:$required"
        fi
        for name in $optional; do
            offers "$name" || continue
            echo "setup: installing $name"
            put "$name" || echo "setup: going on without $name"
        done
    elif [ -n "$required" ]; then
        show_line "$required$(for name in $optional; do ! offers "$name" || printf ' %s' "$name"; done)"
    fi
    required='' optional=''
}

# show_line PACKAGES: the one line that whoever may install packages runs.
show_line() {
    as=''
    [ "$(id -u)" = 0 ] || [ "$manager" = brew ] || as='sudo '
    case $manager in
        apt-get) line="${as}apt-get update && ${as}apt-get install$1" ;;
        dnf) line="${as}dnf install$1" ;;
        pacman) line="${as}pacman -S --needed$1" ;;
        apk) line="${as}apk add$1" ;;
        brew) line="brew install$1" ;;
        none) stop "no package manager that is known here; please install a C and a C++ compiler, pkg-config, libpcap, and Rust $wanted or later" ;;
    esac
    [ -z "$as" ] || has sudo || line="su -c '$(echo "$line" | sed 's/sudo //g')'"
    printf 'setup: please run this line, then make again:\n\n    %s\n\n' "$line" >&2
    exit 1
}

system_packages() {
    has cc && has c++ || need compilers
    has pkg-config || need pkg-config
    has_pcap || need pcap
    has_library libhs || like hyperscan
    has_shared libmagic || like magic
}

# ---- Rust ----

# at_least A B: whether version A is B or later, by its first two numbers.
at_least() { printf '%s\n%s\n' "$1" "$2" | awk -F '[.-]' '{ n[NR] = $1 * 1000 + $2 } END { exit !(n[1] >= n[2]) }'; }
version() { "$1" --version 2>/dev/null | awk '{ print $2; exit }'; }
is_new() { at_least "$(version "$1")" "$wanted" && at_least "$(version "$2")" "$wanted"; }

# Whether there is a Rust that is new enough: the first in PATH, one further on, a toolchain of rustup that is not its
# default, or one of a distribution that has several side by side.
find_rust() {
    rm -f "$link"
    hash -r
    if is_new cargo rustc; then return 0; fi
    IFS=:
    # shellcheck disable=SC2086
    set -- $PATH
    unset IFS
    for folder in "$@" "${RUSTUP_HOME:-$HOME/.rustup}"/toolchains/*/bin "$system"/usr/lib/rust-*/bin; do
        [ -x "$folder/cargo" ] && is_new "$folder/cargo" "$folder/rustc" || continue
        mkdir -p "$target"
        ln -s "$folder" "$link"
        PATH="$folder:$PATH"
        echo "setup: using the Rust $(version cargo) of $folder"
        return 0
    done
    return 1
}

# What is appended to names of packages of Debian or Ubuntu for the first Rust that is new enough: nothing,
# `-web` (made for browsers, in the security archive), `-1.89`.
apt_rust() {
    for name in rustc rustc-web $(apt-cache search --names-only '^rustc-[0-9.]+$' 2>/dev/null | cut -d' ' -f1 | sort -t. -k2 -n -r); do
        found=$(apt-cache show --no-all-versions "$name" 2>/dev/null | sed -n 's/^Version: *//p' | head -n 1)
        if at_least "${found:-0}" "$wanted"; then
            echo "${name#rustc}"
            return 0
        fi
    done
    return 1
}

# rust_packages build|test: the system's packages; nothing where none of them is new enough.
rust_packages() {
    if [ "$manager" != apt-get ]; then
        package rust
        [ "$1" = build ] || package tools
        return 0
    fi
    suffix=$(apt_rust) || return 0
    printf ' rustc%s cargo%s' "$suffix" "$suffix"
    [ "$1" = build ] || printf ' rustfmt%s rust%s-clippy' "$suffix" "$suffix"
}

# Installs the system's Rust, unless it would take away an older one that somebody wanted.
packaged_rust() {
    may_install || return 1
    update
    packages=$(rust_packages "$1")
    [ -n "$packages" ] || return 1
    echo "setup: installing$packages"
    [ "$manager" != apt-get ] || packages="--no-remove$packages"
    # shellcheck disable=SC2086
    put $packages && find_rust
}

# Installs rustup's stable Rust beside what is here; it becomes nobody's default.
rustup_rust() {
    if has rustup; then
        echo "setup: installing the stable Rust through rustup"
        rustup toolchain install stable --profile minimal && find_rust
        return
    fi
    if ! has curl && may_install; then
        need curl
        install_packages
    fi
    has curl || return 1
    echo "setup: installing Rust through rustup"
    script=$(curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs) || return 1
    printf '%s\n' "$script" |
        RUSTUP_INIT_SKIP_PATH_CHECK=yes sh -s -- -y --quiet --profile minimal --no-modify-path && find_rust
}

# rust build|test
rust() {
    packaged_rust "$1" && return
    rustup_rust && return
    packages=$(rust_packages "$1")
    here=$(version cargo)
    echo "setup: Rust $wanted or later is needed, ${here:-none} is here, and rustup could not install one" >&2
    [ -z "$packages" ] || show_line "$packages"
    stop "see https://rustup.rs for ways to install it"
}

# rustfmt and clippy from where the Rust in use is from.
rust_tools() {
    has_tools && return
    folder=$(dirname "$(command -v rustc)")
    case $folder in
        */toolchains/*/bin) toolchain="--toolchain $(basename "${folder%/bin}")" ;;
        *) toolchain='' ;;
    esac
    if has rustup && { [ -n "$toolchain" ] || [ -e "$folder/rustup" ]; }; then
        # shellcheck disable=SC2086
        rustup component add $toolchain rustfmt clippy || stop "rustup could not add rustfmt and clippy"
    elif [ "$manager" = apt-get ]; then
        owner=$(dpkg-query -S "$folder/rustc" 2>/dev/null | sed -n 's/^rustc\([^:]*\):.*/ rustfmt\1 rust\1-clippy/p')
        required="$required$owner"
    else
        need tools
    fi
    install_packages
    has_tools || stop "rustfmt and clippy are needed for the Rust in $folder"
}

# build_tools build|test: all that compiles.
build_tools() {
    [ "$(uname)" != Darwin ] || xcode-select -p >/dev/null 2>&1 || stop "please run 'xcode-select --install', then make again"
    system_packages
    [ "$1" = build ] || has bash || need bash
    [ "$1" = build ] || has redis-server || like redis
    found=yes
    find_rust || found=no
    if [ $found = no ] && [ -n "$required" ] && ! may_install; then
        required="$required$(rust_packages "$1")"
    fi
    install_packages
    [ $found = yes ] || rust "$1"
    has_library libhs || echo "setup: no Hyperscan here; Weir uses its own matchers, slower on large rule sets"
    has_shared libmagic || echo "setup: no libmagic here; rules on file.magic and force-magic need it"
}

# announce FILE SENTENCE: what a first build takes, where FILE is not there yet.
announce() {
    [ -e "$target/$1" ] || echo "setup: $2"
}

# ---- Other tools ----

# The system's package first; a python3 that is not the system's gets its own.
python_with_yaml() {
    has python3 || need python
    has_yaml || like yaml
    install_packages
    has_yaml && return
    python3 -m pip install --quiet --user pyyaml 2>/dev/null ||
        python3 -m pip install --quiet --user --break-system-packages pyyaml 2>/dev/null || true
    has_yaml || stop "python3 needs PyYAML: install python3-yaml, or 'pip install pyyaml'"
}

fuzzing() {
    if ! cargo +nightly --version >/dev/null 2>&1; then
        has rustup || stop "fuzzing needs a nightly Rust, through rustup"
        rustup toolchain install nightly --profile minimal || stop "rustup could not install a nightly Rust"
    fi
    cargo fuzz --version >/dev/null 2>&1 || cargo install --quiet cargo-fuzz || stop "cargo-fuzz could not be installed"
}

case "${1:-build}" in
    build)
        announce release/weir "a first build takes about 6 minutes on two cores (10 minutes of CPU time) and 1.2 GB of disk here; Rust and libraries, where they are missing, 1.3 GB more"
        build_tools build
        ;;
    analyst) build_tools build ;;
    test)
        announce debug/weir "a first run of all tests takes about 20 minutes on two cores and 6 GB of disk here; Rust and libraries, where they are missing, 1.3 GB more"
        build_tools test
        rust_tools
        ;;
    cases) python_with_yaml ;;
    fuzz) build_tools test; fuzzing ;;
    *) stop "unknown word '$1': build, analyst, test, cases or fuzz" ;;
esac
