#!/usr/bin/env bash
# Checks the dependencies with cargo-deny, where it is installed: building it takes longer than all
# other tests together. Licences are checked without it too, by crates/weir/tests/project/licences.rs.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo deny --version >/dev/null 2>&1; then
    echo "deny: skipped, cargo-deny is not installed ('cargo install --locked cargo-deny' does that)"
    exit 0
fi
echo "deny: licences, bans and sources of the dependencies"
for manifest in Cargo.toml analyst/Cargo.toml python/Cargo.toml; do
    cargo deny --manifest-path $manifest --log-level error --offline check --config deny.toml --hide-inclusion-graph \
        licenses bans sources
done
if [ -d "${CARGO_HOME:-$HOME/.cargo}/advisory-dbs" ]; then
    echo "deny: advisories, from the copy of the database that is here"
    cargo deny --log-level error --offline check advisories
else
    echo "deny: advisories skipped, their database is not here ('cargo deny fetch' does that)"
fi
