#!/usr/bin/env bash
# Writes the outputs and pictures of docs/laboratory.md anew, each by the one command that the page names:
#
#   scripts/laboratory.sh WEIR CAPTURE [rule file or pattern]
#
# Pictures are taken by scripts/pages.py where there is a Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
weir=$(realpath "${1:?the program}")
capture=$(realpath "${2:?a capture}")
rules=${3:+$(realpath "$(dirname "$3")")/$(basename "$3")}
page=docs/laboratory.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=$(basename "$capture")
options=(-r "$capture")
shown="-r $name"
if [ -n "$rules" ]; then
    options+=(-S "$rules")
    shown="$shown -S 'rules/*.rules'"
fi

# put NAME COMMAND: standard input goes between the lines <!-- NAME --> and <!-- end of NAME -->.
put() {
    awk -v begin="<!-- $1 -->" -v end="<!-- end of $1 -->" -v command="$2" -v output=/dev/stdin '
        $0 == end { within = 0 }
        !within { print }
        $0 == begin {
            within = 1
            print ""
            if (command != "") print "    $ " command
            while ((getline line < output) > 0) print (command != "" ? "    " line : line)
            print ""
        }' "$page" >"$work/page"
    cat "$work/page" >"$page"
}

# picture NAME HEIGHT [option]: a picture of a page in the folder of work.
picture() {
    scripts/pages.py --picture "docs/laboratory-$1.png" --height="$2" "${@:3}" "$work/$1.html"
}

"$weir" profile cpu "${options[@]}" --limit 12 -o "$work/cpu" --html "$work/cpu.html" |
    sed 's/ *$//' | put cpu "weir profile cpu $shown --limit 12 -o cpu/ --html cpu.html"
"$weir" profile cpu "${options[@]}" --annotate find_set -o "$work/annotate" |
    sed -n '/^Of .* stacks/d; /of all samples$/,$p' | sed -n '1,24p' | sed 's/ *$//' |
    put annotate "weir profile cpu $shown --annotate find_set -o cpu/"
"$weir" profile heap "${options[@]}" --limit 10 -o "$work/heap" --html "$work/heap.html" |
    sed 's/ *$//' | put heap "weir profile heap $shown --limit 10 -o heap/ --html heap.html"
"$weir" profile compare "$work/heap/heap.0001.pb.gz" "$work/heap/heap.end.pb.gz" --limit 8 --html "$work/growth.html" |
    sed 's/ *$//' | put compare "weir profile compare heap/heap.0001.pb.gz heap/heap.end.pb.gz --limit 8 --html growth.html"
for subject in rules prefilter layers; do
    "$weir" profile "$subject" "${options[@]}" --limit 8 --html "$work/$subject.html" |
        sed 's/ *$//' | cut -c -140 | put "$subject" "weir profile $subject $shown --limit 8 --html $subject.html"
done
"$weir" profile locks "${options[@]}" -t 4 --limit 8 --html "$work/locks.html" |
    sed 's/ *$//' | cut -c -140 | put locks "weir profile locks $shown -t 4 --limit 8 --html locks.html"
(cd "$(dirname "$capture")" &&
    "$weir" bench --shell "gzip -1 -c $name" --shell "gzip -6 -c $name" --runs 9 --html "$work/shell.html") |
    sed 's/ *$//' | put shell "weir bench --shell 'gzip -1 -c $name' --shell 'gzip -6 -c $name' --runs 9 --html shell.html"
row=()
[ -z "$rules" ] || row=(-S "$rules" --row rules)
(cd "$(dirname "$capture")" &&
    "$weir" bench "$name" "${row[@]}" --unit none --workers 1..4 --runs 5 --html "$work/scaling.html") |
    fold -s -w 115 | sed 's/ *$//' | put scaling "weir bench $name --workers 1..4 --runs 5${rules:+ -S 'rules/*.rules'} --html scaling.html"
# show NAME HEIGHT CAPTION [option]: a picture of a page, and the line that shows it.
show() {
    picture "$1" "$2" "${@:4}" >&2
    printf '![%s](laboratory-%s.png)\n\n' "$3" "$1"
}
{
    show cpu 1500 "Page of a CPU profile"
    show heap 1500 "Page of a heap profile, dark" --dark
    show growth 1300 "Page of the difference of two heap dumps, with its graph"
    show rules 1000 "Page of a rule profile"
    show locks 1000 "Page of a lock profile, dark" --dark
    show shell 900 "Page of a comparison of two commands"
    show scaling 1150 "Page of a scaling measurement"
} | put pages ""
