#!/usr/bin/env bash
# Installs what a make target needs and is missing; says nothing and is done at once when nothing is.
#
#   scripts/setup.sh build    C compiler, libpcap, Hyperscan, libmagic, Rust
#   scripts/setup.sh test     the same, rustfmt, clippy
#   scripts/setup.sh cases    Python 3 with PyYAML, for the verification cases
#   scripts/setup.sh fuzz     the same as build, a nightly Rust, cargo-fuzz
#
# System packages come from apt, where there is one and we may use it; Rust comes from rustup.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

stop() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }
has_library() { has pkg-config && pkg-config --exists "$1"; }
has_shared() { ldconfig -p 2>/dev/null | grep -q "$1"; }
has_yaml() { python3 -c 'import yaml' >/dev/null 2>&1; }

# How to run apt-get: as root, through sudo where it asks for no password, or not at all.
apt_command() {
    has apt-get || return 1
    if [ "$(id -u)" = 0 ]; then
        echo "env DEBIAN_FRONTEND=noninteractive apt-get"
    elif has sudo && sudo -n true 2>/dev/null; then
        echo "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get"
    else
        return 1
    fi
}

# install_packages required|optional package…
install_packages() {
    local need=$1 apt
    shift
    [ $# -gt 0 ] || return 0
    if ! apt=$(apt_command); then
        [ "$need" = optional ] && return 0
        stop "please install these packages (Debian's names) and run this again: $*"
    fi
    echo "setup: installing $*"
    if [ -z "${apt_updated:-}" ]; then
        $apt update -qq || true
        apt_updated=1
    fi
    $apt install -y -qq --no-install-recommends "$@" >/dev/null && return 0
    [ "$need" = optional ] || stop "apt-get could not install: $*"
}

system_packages() {
    local missing=()
    if ! has cc || ! has c++; then missing+=(build-essential); fi
    has pkg-config || missing+=(pkg-config)
    has_library libpcap || missing+=(libpcap-dev)
    install_packages required "${missing[@]}"
    if ! has_library libhs; then
        install_packages optional libhyperscan-dev
        has_library libhs || echo "setup: no Hyperscan here; Weir uses its own matchers, slower on large rule sets"
    fi
    if ! has_shared libmagic.so.1; then
        install_packages optional libmagic1
        has_shared libmagic.so.1 || echo "setup: no libmagic here; rules on file.magic and force-magic need it"
    fi
}

# Whether the version $1 is $2 or later.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -1)" = "$2" ]; }

rust() {
    local wanted found
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    if ! has cargo && ! has rustup; then
        has curl || install_packages required curl ca-certificates
        echo "setup: installing Rust through rustup"
        curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
            sh -s -- -y --quiet --profile minimal --no-modify-path ||
            stop "Rust $wanted or later is needed and could not be installed; see https://rustup.rs"
    fi
    found=$(cargo --version 2>/dev/null | cut -d' ' -f2) || true
    if ! at_least "${found:-0}" "$wanted"; then
        has rustup || stop "Rust $wanted or later is needed, ${found:-none} is here; see https://rustup.rs"
        echo "setup: Rust ${found:-is missing}, installing the stable toolchain"
        if ! rustup toolchain install stable --profile minimal || ! rustup default stable; then
            stop "rustup could not install a stable Rust of $wanted or later"
        fi
        found=$(cargo --version | cut -d' ' -f2)
        at_least "$found" "$wanted" || stop "Rust $wanted or later is needed, $found is here: see 'rustup show'"
    fi
}

rust_tools() {
    local tool
    for tool in rustfmt clippy; do
        cargo "${tool/rustfmt/fmt}" --version >/dev/null 2>&1 && continue
        has rustup || stop "the Rust component $tool is needed"
        rustup component add "$tool" || stop "rustup could not add $tool"
    done
}

# Debian's package first; a python3 that is not Debian's gets its own.
python_with_yaml() {
    has python3 || install_packages required python3
    has_yaml && return 0
    install_packages optional python3-yaml
    has_yaml && return 0
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
    build) system_packages; rust ;;
    test) system_packages; rust; rust_tools ;;
    cases) python_with_yaml ;;
    fuzz) system_packages; rust; fuzzing ;;
    *) stop "unknown word '$1': build, test, cases or fuzz" ;;
esac
