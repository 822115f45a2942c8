#!/usr/bin/env bash
# Reads every capture of a folder and asks whether the accounts balance: packets, flows and bytes of
# streams are each somewhere (`accounts.unbalanced` of the summary). Without the folder there is
# nothing to do, and that is said.
#
#   scripts/accounts.sh FOLDER BINARY
set -euo pipefail
folder=${1:?the folder of captures}
binary=${2:?the program to check}
# Captures read by one run.
batch=100

if [ ! -d "$folder" ]; then
    echo "accounts: skipped, $folder is not here"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%%YAML 1.1\n---\noutputs: []\n' > "$work/quiet.yaml"

# The same capture often lies in several folders: one of each content is enough.
find "$folder/" -type f \( -name '*.pcap' -o -name '*.pcapng' \) -size -4096k -print0 |
    xargs -0 -r md5sum | sort | awk '!seen[$1]++ { sub(/^[^ ]+ +/, ""); print }' > "$work/captures"

# check OPTIONS CAPTURE...: says what does not balance. Captures that cannot be read are no matter.
check() {
    local options=$1 said
    shift
    local reads=()
    for capture in "$@"; do reads+=(-r "$capture"); done
    # shellcheck disable=SC2086 # options are words
    said=$("$binary" -c "$work/quiet.yaml" -l "$work" --shared-log-folder $options "${reads[@]}" --summary=json 2> /dev/null) || true
    case "$said" in
        *'"unbalanced":[]'*) ;;
        *) printf 'from %s on, %s: %s\n' "$1" "$options" "$(grep -o '"unbalanced":\[[^]]*\]' <<< "$said")" ;;
    esac
}
export -f check
export binary work
for options in '-k none' '-k none --simulate-ips'; do
    xargs -a "$work/captures" -d '\n' -n "$batch" -P 2 bash -c 'check "$@"' check "$options" >> "$work/broken"
done
if [ -s "$work/broken" ]; then
    cat "$work/broken"
    exit 1
fi
echo "accounts: $(wc -l < "$work/captures") captures of $folder balance"
