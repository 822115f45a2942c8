#!/usr/bin/env bash
# Has the real suricata-update keep rules for Weir under the name `suricata`: it asks the program for its version, its
# build, its configuration, and to test the rules.
#
#   scripts/suricata_update.sh PROGRAM
#
# Needs suricata-update (Debian's package of that name, or PyPI's); where it is missing, says so and is done.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:?the program to test}")

command -v suricata-update >/dev/null || {
    echo "suricata-update: skipped, it is not installed ('apt-get install suricata-update' does that)"
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$program" "$work/suricata"
mkdir "$work/rules"
cp sample/sample.rules "$work/rules/"
tar -C "$work" -czf "$work/sample.rules.tar.gz" rules

# update WHAT EXPECTED OPTION…: runs it, and holds how it ends and that it neither warns nor complains.
update() {
    local what=$1 expected=$2 code=0
    shift 2
    suricata-update --suricata "$work/suricata" -D "$work/data" -o "$work/out" --no-reload --fail \
        --url "file://$work/sample.rules.tar.gz" "$@" >"$work/log" 2>&1 || code=$?
    # Rules that come with Suricata are not looked for: Weir brings none of its own.
    grep -v 'No distribution rule directory found' "$work/log" >"$work/said" || true
    if [ "$code" != "$expected" ] || { [ "$expected" = 0 ] && grep -qE '<(Warning|Error)>|Traceback' "$work/said"; }; then
        echo "suricata-update: $what ends with $code:" >&2
        cat "$work/log" >&2
        exit 1
    fi
    echo "suricata-update: $what ends with $code, as expected"
}

sed -e "s|^default-rule-path:.*|default-rule-path: $work/out|" -e "s|/etc/suricata/|$PWD/etc/|" etc/suricata.yaml >"$work/suricata.yaml"
update "without a configuration" 0
update "with a configuration" 0 --suricata-conf "$work/suricata.yaml" --force
grep -q "Found Suricata version 8" "$work/log" || { echo "suricata-update: no version was found" >&2; exit 1; }
grep -qE "^alert" "$work/out/suricata.rules" || { echo "suricata-update: no rules were written" >&2; exit 1; }
echo 'alert tcp any any -> any any (msg:"broken"; no_such_keyword; sid:1; rev:1;)' >"$work/broken.rules"
update "a rule that cannot be loaded" 1 --suricata-conf "$work/suricata.yaml" --force --local "$work/broken.rules"
