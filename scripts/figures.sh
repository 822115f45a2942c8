#!/usr/bin/env bash
# Puts figures from standard input into the guide's page on performance, in place of those that are there:
#
#   … | scripts/figures.sh NAME     between the lines <!-- NAME --> and <!-- end of NAME -->
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:?which figures}
page=docs/performance.md
figures=$(mktemp)
trap 'rm -f "$figures" "$figures.page"' EXIT
tee "$figures"
grep -q '^|' "$figures" || { echo "figures: there is no table to put into $page" >&2; exit 1; }
grep -qx "<!-- $name -->" $page || { echo "figures: $page has no place for $name" >&2; exit 1; }
awk -v begin="<!-- $name -->" -v end="<!-- end of $name -->" -v figures="$figures" '
    $0 == end { within = 0 }
    !within { print }
    $0 == begin {
        within = 1
        print ""
        while ((getline line < figures) > 0) print line
        print ""
    }' $page >"$figures.page"
cat "$figures.page" >$page
