#!/usr/bin/env bash
# Builds the program in several ways, measures them side by side and prints tables of Markdown.
#
#   scripts/matrix.sh allocators CAPTURE [rule file or pattern]   memory allocators, in the build that is quickest made
#   scripts/matrix.sh profiled CAPTURE [rule file or pattern]     those that are linked, in a build by a profile
#   scripts/matrix.sh builds CAPTURE [rule file or pattern]       optimisation, across crates, profile, processor
#
# The builds are left in target/matrix; with KEEP=yes those that are there are taken as they are, and with RUNS=0 nothing is
# measured, so that the building can be done beside other work. With PAGE=file, a page for browsers with the chart is written too, and with
# RUNS=15 so many runs are measured. Ratios have the half of the interval that holds the true one with 95 % behind them.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
what=${1:?what to compare}
capture=${2:?the capture to read}
rules=${3:-}
target=${CARGO_TARGET_DIR:-target}
# Plain builds and those for shipping bear the same names.
folder=$target/matrix/$what
mkdir -p "$folder"

# kept name: whether there is a build of that name that shall be used again.
kept() { [ "${KEEP:-no}" = yes ] && [ -x "$folder/$1" ]; }

# plain name option…: the build that is quickest made, kept under a name.
plain() {
    local name=$1
    shift
    ! kept "$name" || return 0
    echo "matrix: building $name" >&2
    cargo build --quiet --profile plain -p weir "$@" >&2
    cp "$target/plain/weir" "$folder/$name"
}

# shipped name VARIABLE=value…: a build for shipping, kept under a name.
shipped() {
    local name=$1
    shift
    ! kept "$name" || return 0
    echo "matrix: building $name" >&2
    env "$@" scripts/release.sh "$folder/$name" >&2
}

# preload name pattern package: the system's allocator with a library put in its place at the start, where there is one.
preload() {
    local name=$1 library
    library=$(ldconfig -p | awk -v pattern="$2" '$1 ~ pattern && !found++ { print $NF }')
    if [ -z "$library" ]; then
        echo "matrix: there is no library for $name here (Debian: $3), so it is left out" >&2
        return
    fi
    printf '#!/bin/sh\nLD_PRELOAD=%s exec "%s" "$@"\n' "$library" "$(realpath "$folder/system")" >"$folder/$name"
    chmod +x "$folder/$name"
    programs+=("$name")
}

programs=()
rows=(--row eve --row zeek)
case $what in
    allocators)
        programs=(jemalloc mimalloc mimalloc-secure snmalloc)
        for name in "${programs[@]}"; do plain "$name" --no-default-features --features "$name"; done
        plain system --no-default-features
        first=system
        # No crate brings these without many others, so they are the system's libraries, put in at the start.
        preload tcmalloc 'libtcmalloc(_minimal)?[.]so' libtcmalloc-minimal4
        preload hardened 'libhardened_malloc(-light)?[.]so' 'none; it is built from its source'
        preload scudo 'libscudo[.]so|libclang_rt[.]scudo_standalone.*[.]so' libclang-rt-dev
        preload mesh 'libmesh[.]so' 'none; it is built from its source'
        ;;
    profiled)
        first=system
        # What is counted once holds for all: but for `weir` itself, crates are the same whatever is linked.
        shipped system FEATURES=none PROFILE=yes BUILD=plain
        for name in jemalloc mimalloc mimalloc-secure snmalloc; do
            shipped "$name" FEATURES="$name" BUILD=plain COUNTED="$target/profiled-plain/weir.profdata"
            programs+=("$name")
        done
        ;;
    builds)
        plain plain
        first=plain
        programs=(plain-o2 lto lto-profile)
        CARGO_PROFILE_PLAIN_OPT_LEVEL=2 plain plain-o2
        shipped lto PROFILE=no
        shipped lto-profile PROFILE=yes
        if [ "$(uname -m)" = x86_64 ]; then
            for version in v2 v3; do
                shipped lto-profile-$version CPU=x86-64-$version
                programs+=(lto-profile-$version)
            done
        fi
        shipped lto-profile-native CPU=native
        programs+=(lto-profile-native)
        rows+=(--row flows)
        ;;
    *)
        echo "matrix: '$what' is nothing to compare: allocators, profiled or builds" >&2
        exit 1
        ;;
esac
[ -z "$rules" ] || rows+=(--row rules -S "$rules")
[ "${RUNS:-7}" != 0 ] || exit 0
others=()
for name in "${programs[@]}"; do others+=(--vs "$folder/$name"); done
"$folder/$first" bench "$capture" "${rows[@]}" "${others[@]}" --runs "${RUNS:-7}" ${PAGE:+--html "$PAGE"} --format markdown
