#!/usr/bin/env bash
# Takes the pictures of the guide's page on `weir view`, of the sample capture: scripts/view.sh [WEIR-ANALYST] [WEIR]
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
analyst=${1:-$target/release/weir-analyst}
engine=${2:-$target/release/weir}
folder=$(mktemp -d)
trap 'kill $(cat "$folder/pid") 2>/dev/null; rm -rf "$folder"' EXIT
"$analyst" view sample/sample.pcap -S sample/sample.rules --engine "$engine" >"$folder/address" 2>"$folder/said" &
echo $! >"$folder/pid"
while [ ! -s "$folder/address" ]; do
    kill -0 "$(cat "$folder/pid")" || { cat "$folder/said"; exit 1; }
    sleep 0.1
done
cargo run --quiet --manifest-path analyst/Cargo.toml --target-dir "$target/analyst" -p weir-view --example pictures -- \
    "$(cat "$folder/address")" docs
