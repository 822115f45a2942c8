#!/usr/bin/env bash
# Builds the program in several ways, measures them side by side and prints tables of Markdown.
#
#   scripts/matrix.sh allocators CAPTURE [rule file or pattern]   memory allocators, in the build that is quickest made
#   scripts/matrix.sh builds CAPTURE [rule file or pattern]       optimisation across crates, profile, processor
#
# Five builds each; they are left in target/matrix.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
what=${1:?what to compare}
capture=${2:?the capture to read}
rules=${3:-}
target=${CARGO_TARGET_DIR:-target}
folder=$target/matrix
mkdir -p "$folder"

# plain name option…: the build that is quickest made, kept under a name.
plain() {
    local name=$1
    shift
    echo "matrix: building $name" >&2
    cargo build --quiet --profile plain -p weir "$@" >&2
    cp "$target/plain/weir" "$folder/$name"
}

# shipped name VARIABLE=value…: a build for shipping, kept under a name.
shipped() {
    local name=$1
    shift
    echo "matrix: building $name" >&2
    env "$@" scripts/release.sh "$folder/$name" >&2
}

rows=(--row eve --row zeek)
case $what in
    allocators)
        programs=(jemalloc mimalloc snmalloc)
        for name in "${programs[@]}"; do plain "$name" --no-default-features --features "$name"; done
        plain system --no-default-features
        first=system
        # No crate brings it without many others, so it is the system's library, put in at the start.
        library=$(ldconfig -p | awk '/libtcmalloc(_minimal)?\.so/ { print $NF; exit }')
        if [ -n "$library" ]; then
            printf '#!/bin/sh\nLD_PRELOAD=%s exec "%s" "$@"\n' "$library" "$(realpath "$folder/system")" \
                >"$folder/tcmalloc"
            chmod +x "$folder/tcmalloc"
            programs+=(tcmalloc)
        else
            echo "matrix: there is no libtcmalloc here (Debian: libtcmalloc-minimal4), so it is left out" >&2
        fi
        ;;
    builds)
        plain plain
        first=plain
        programs=(lto lto-profile)
        shipped lto PROFILE=no
        shipped lto-profile PROFILE=yes
        if [ "$(uname -m)" = x86_64 ]; then
            shipped lto-profile-v3 CPU=x86-64-v3
            programs+=(lto-profile-v3)
        fi
        shipped lto-profile-native CPU=native
        programs+=(lto-profile-native)
        rows+=(--row flows)
        ;;
    *)
        echo "matrix: '$what' is nothing to compare: allocators or builds" >&2
        exit 1
        ;;
esac
[ -z "$rules" ] || rows+=(--row rules -S "$rules")
others=()
for name in "${programs[@]}"; do others+=(--vs "$folder/$name"); done
"$folder/$first" bench "$capture" "${rows[@]}" "${others[@]}" --format markdown
