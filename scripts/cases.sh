#!/usr/bin/env bash
# Holds what was reached: the verification cases listed in conformance/passing.txt, the same records for
# any number of workers and the same EVE with Zeek's logs and without, the shares of equal rows in conformance/zeek.txt, and that the ids of Zeek's logs
# can be joined. All need a folder of cases, which is not part of this project; without it there is
# nothing to do, and that is said.
#
#   scripts/cases.sh FOLDER BINARY
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?the folder of verification cases}
binary=${2:?the program to check}

if [ -x "$folder/conformance/run" ]; then
    scripts/setup.sh cases
    echo "conformance: the cases of conformance/passing.txt, from $folder/conformance"
    "$folder/conformance/run" --binary "$binary" --require conformance/passing.txt --only-required
else
    echo "conformance: skipped, $folder/conformance is not here"
fi

# The cases of scripts are run by a program of Python's package index, which not every machine reaches.
tool=$HOME/.cache/zeekscript-btest
if [ ! -x "$folder/zeekscript/run" ]; then
    echo "zeekscript: skipped, $folder/zeekscript is not here"
elif ! { [ -x "$tool/bin/btest" ] || { python3 -m venv "$tool" && "$tool/bin/pip" install --quiet btest; } >/dev/null 2>&1; }; then
    rm -rf "$tool"
    echo "zeekscript: skipped, btest cannot be installed"
else
    echo "zeekscript: the cases of conformance/zeekscript.txt, from $folder/zeekscript"
    # Some wait for times of the clock, so that they may be tried twice.
    "$folder/zeekscript/run" --binary "$binary" --require conformance/zeekscript.txt --only-required ||
        "$folder/zeekscript/run" --binary "$binary" --require conformance/zeekscript.txt --only-required
fi

# With one worker and two of 2, 4 and 8, in turn; the large capture with all of them, and many rules. Some folders of
# damaged captures: `make mutations` reads more of them.
parts=()
for part in conformance zeek; do
    [ -d "$folder/$part" ] || continue
    parts+=("$folder/$part")
    scripts/determinism.py "$binary" "$folder/$part" --two
    scripts/determinism.py "$binary" "$folder/$part" --workers 3 --damage 1
done
[ ${#parts[@]} = 0 ] || scripts/determinism.py "$binary" "${parts[@]}" --folders 60 --damage 1 --workers 3
[ ! -d "$folder/traffic" ] || \
    scripts/determinism.py "$binary" "$folder/traffic" --rules "$folder/rules/et-open/*.rules"

if [ ! -x "$folder/zeek/compare" ]; then
    echo "zeek: skipped, $folder/zeek is not here"
    exit 0
fi
logs=$(awk '!/^#/ && NF == 3 { printf "%s%s", comma, $1; comma = "," }' conformance/zeek.txt)
# With rules: the same words but the one that leaves rules out.
with_rules=$(mktemp)
trap 'rm -f "$with_rules"' EXIT
chmod +x "$with_rules"
cat >"$with_rules" <<WRAPPER
#!/usr/bin/env bash
words=()
for word in "\$@"; do [ "\$word" = --disable-detection ] || words+=("\$word"); done
exec "$(realpath "$binary")" "\${words[@]}" -S "$PWD/sample/sample.rules"
WRAPPER
# column program: the shares that the column of conformance/zeek.txt asks for.
shares() {
    local table
    table=$("$folder/zeek/compare" --binary "$2" --logs "$logs")
    printf '%s\n' "$table"
    # A row of the table: log, rows expected, found, equal, share of the expected, …
    printf '%s\n' "$table" | awk -v column="$1" '
        NR == FNR { if (!/^#/ && NF == 3) least[$1] = $column; next }
        /^FAIL / { failed = 1 }
        $1 in least {
            seen[$1] = 1
            if ($5 + 0 < least[$1]) { printf "zeek: %s is at %s, below %s%%\n", $1, $5, least[$1]; failed = 1 }
        }
        END {
            for (log_name in least) if (!(log_name in seen)) { printf "zeek: no row of %s\n", log_name; failed = 1 }
            exit failed
        }
    ' conformance/zeek.txt -
}
echo "zeek: the shares of conformance/zeek.txt, from $folder/zeek"
shares 2 "$binary"
echo "zeek: the same with rules"
shares 3 "$with_rules"
scripts/zeek_ids.py "$binary" "$folder/zeek/captures"
