#!/usr/bin/env bash
# Builds the program as `make build` does, and with a profile of where its branches go. Three steps: build
# it with counters, run that on traffic and rules that are made for it, build it again with what was counted.
#
#   scripts/release.sh OUTPUT
#
# CPU=x86-64-v3 (or native, or another name that rustc knows) builds for such processors only.
# FEATURES=mimalloc links another allocator than the default one, FEATURES=none the system's.
# BUILD=plain builds without optimisation across crates, which takes a third of the time, for comparisons.
# COUNTED=FILE takes what was counted before in place of counting, as of another allocator: branches go the same way.
# PROFILE=no leaves the profile out, and so does a machine without llvm-profdata of rustc's version.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
output=${1:?where to put the program}
target=${CARGO_TARGET_DIR:-target}
kind=${BUILD:-release}
folder=$target/profiled
[ "$kind" = release ] || folder=$target/profiled-$kind
host=$(rustc -vV | sed -n 's/^host: //p')
cpu=${CPU:+-Ctarget-cpu=$CPU}
features=()
[ -z "${FEATURES:-}" ] || features=(--no-default-features)
[ "${FEATURES:-none}" = none ] || features+=(--features "$FEATURES")
# What is trained on: sessions and rules.
sessions=5000
rules=5000

# build folder flag…: builds in a folder of its own. Naming the target keeps the flags from build scripts.
build() {
    local folder=$1
    shift
    RUSTFLAGS="${RUSTFLAGS:-} $*" cargo build --profile "$kind" -p weir "${features[@]}" --target "$host" --target-dir "$folder"
}

# The tool that reads counters, of the same LLVM as the compiler.
profdata() {
    local tool
    tool=$(rustc --print target-libdir)/../bin/llvm-profdata
    [ -x "$tool" ] || rustup component add llvm-tools >/dev/null 2>&1 || true
    [ -x "$tool" ] && echo "$tool"
}

# train program: runs it in the ways it is used.
train() {
    local program=$1 work=$2 row
    cargo build --profile plain -p weir-testkit --example training
    "$target/plain/examples/training" capture "$sessions" >"$work/training.pcap"
    "$target/plain/examples/training" rules "$rules" >"$work/training.rules"
    printf '%%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [flow]\n' >"$work/flows.yaml"
    while read -ra row; do
        rm -rf "$work/logs"
        mkdir "$work/logs"
        LLVM_PROFILE_FILE="$work/%p.profraw" "$program" -k none -q -l "$work/logs" \
            -r "$work/training.pcap" -r sample/sample.pcap "${row[@]}"
    done <<ROWS
--disable-detection -c $work/flows.yaml
--disable-detection
--disable-detection --zeek-logs --set outputs.eve-log.enabled=yes
--disable-detection --zeek-logs --set outputs.eve-log.enabled=yes -t 2
-S $work/training.rules -S sample/sample.rules
-S $work/training.rules -S sample/sample.rules --zeek-logs
ROWS
    rm -rf "$work/logs" "$work/training.pcap"
}

if [ "${PROFILE:-yes}" = no ]; then
    build "$folder/without" "$cpu"
    built=$folder/without
elif [ -n "${COUNTED:-}" ]; then
    build "$folder/optimised" "-Cprofile-use=$(realpath "$COUNTED")" "$cpu"
    built=$folder/optimised
elif ! tool=$(profdata); then
    echo "release: rustup has no llvm-tools here, so this build goes without a profile; it is a little slower"
    build "$folder/without" "$cpu"
    built=$folder/without
else
    mkdir -p "$folder"
    work=$(cd "$folder" && pwd)
    build "$folder/counting" "-Cprofile-generate=$work/stray"
    counting=$folder/counting/$host/$kind/weir
    # What was counted holds as long as the program that counts is the same.
    if ! sha256sum --status -c "$work/counted.sum" 2>/dev/null; then
        rm -rf "$work"/*.profraw "$folder/optimised"
        train "$counting" "$work"
        "$tool" merge -o "$work/weir.profdata" "$work"/*.profraw
        rm -rf "$work"/*.profraw "$work/stray"
        sha256sum "$counting" >"$work/counted.sum"
    fi
    build "$folder/optimised" "-Cprofile-use=$work/weir.profdata" "$cpu"
    built=$folder/optimised
fi
mkdir -p "$(dirname "$output")"
cp "$built/$host/$kind/weir" "$output"
