#!/usr/bin/env bash
# Times pages of `weir view` and answers of `weir query` on many records, which it makes (the same ones each time), and prints
# tables of Markdown. The program is that of `make analyst`; files of earlier runs in the folder are taken as they are.
#
#   scripts/many_records.sh FOLDER [RECORDS] [CONNECTIONS]    10 million and 100 million without numbers; 4 GB then
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?the folder to make them in}
records=${2:-10000000}
connections=${3:-100000000}
target=${CARGO_TARGET_DIR:-target}
program=$target/analyst/release/weir-analyst
cargo build --quiet --release --manifest-path analyst/Cargo.toml --target-dir "$target/analyst" --bins --examples

# make NAME WORD…: has an example write into a folder, once.
make() {
    [ -e "$folder/$1.made" ] || { mkdir -p "$folder/$1"; "$target/analyst/release/examples/$1" "${@:2}" >&2; }
    touch "$folder/$1.made"
}
make records "$folder/records" "$records"
make connections "$connections" "$folder/connections"

cookies=$(mktemp) said=$(mktemp)
"$program" view "$folder/records" >"$said" 2>/dev/null &
server=$!
trap 'kill $server 2>/dev/null || true; rm -f "$cookies" "$said"' EXIT
until address=$(grep -m 1 -o 'http://[^ ]*' "$said"); do kill -0 $server; sleep 0.1; done
curl -s -o /dev/null -c "$cookies" "$address"
base=${address%%/\?*}

# page PATH…: the seconds until all of them are there, asked for together as a browser does.
page() {
    local begin=$EPOCHREALTIME path pids=()
    for path in "$@"; do
        curl -sf -o /dev/null -b "$cookies" "$base$path" &
        pids+=($!)
    done
    wait "${pids[@]}"
    echo "$begin $EPOCHREALTIME" | awk '{ printf "%.2f", $2 - $1 }'
}

row() { printf '| %s | %s | %s |\n' "$1" "$(page "${@:2}")" "$(page "${@:2}")"; }
printf '| `weir view` of %s records | first, s | again, s |\n|---|---|---|\n' "$records"
row 'overview' / /api/about /api/traffic /api/talkers /api/lost /api/alerts
row 'alerts' /api/alerts
row 'search of a network and a name' '/api/search?q=src_ip%3A10.0.0.0%2F8%20and%20http.hostname%3A*a*'
row 'search of a word anywhere' '/api/search?q=evil'
row 'the latest records of a type' '/api/search?table=dns'
printf '\n| `weir query` of %s connections | CPU s | s | MB |\n|---|---|---|---|\n' "$connections"
while IFS= read -r sql; do
    /usr/bin/env bash -c "TIMEFORMAT='%U %S %R'; time '$program' query \"\$1\" '$folder/connections' >/dev/null" - "$sql" 2>"$said"
    read -r user system clock < <(tail -n 1 "$said")
    memory=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$program" query "$sql" "$folder/connections")
    printf '| `%s` | %s | %s | %s |\n' "$sql" "$(echo "$user $system" | awk '{ printf "%.2f", $1 + $2 }')" "$clock" "$memory"
done <<'SQL'
select count(*) from conn where id.resp_p = 443
select count(*) from conn where service = 'dns' and orig_bytes > 1000
select count(*) from conn where id.orig_h = '10.0.0.1'
select id.resp_p, count(*) from conn group by 1 order by 2 desc limit 10
SQL
