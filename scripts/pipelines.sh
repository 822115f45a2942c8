#!/usr/bin/env bash
# Sends records to servers of its own, kills these in mid-stream ten times, sends at 50,000 records a second, to Kafka over TLS
# and with each way to log in, with mistakes and without, and prints a table of what became of them. Without a server (Debian: redis-server; Java, Maven and librdkafka-dev for Kafka) its rows are
# left out, and a line says so.
#
#   scripts/pipelines.sh [RECORDS]    records of each run with kills, 500000 without a number
set -euo pipefail
cd "$(dirname "$0")/.."
records=${1:-500000}
target=${CARGO_TARGET_DIR:-target}
version=3.9.1
features=''

# Fetches Kafka with what it needs from Maven's repository, once.
fetch() {
    folder=$target/kafka-$version
    [ ! -e "$folder/done" ] || return 0
    mkdir -p "$folder"
    cat > "$folder/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>weir</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version>
  </dependency></dependencies>
</project>
POM
    (cd "$folder" && mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
        -DoutputDirectory=jars -DincludeScope=runtime) && touch "$folder/done"
}

if ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
    echo "pipelines: no Java or no Maven here (openjdk-17-jre-headless, maven): Kafka is left out"
elif ! pkg-config --exists rdkafka 2>/dev/null; then
    echo "pipelines: no librdkafka here (librdkafka-dev): Kafka is left out"
elif ! fetch; then
    echo "pipelines: Maven could not fetch Kafka $version: Kafka is left out"
else
    features='--features kafka'
    WEIR_KAFKA=$(cd "$target/kafka-$version/jars" && pwd)
    export WEIR_KAFKA
fi
export WEIR_PIPELINE_RECORDS="$records"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
# shellcheck disable=SC2086
cargo test --profile plain -p weir-output $features --test pipelines -- --nocapture --test-threads 1 ten_ figures kafka_security >"$out" ||
    { cat "$out"; exit 1; }
echo '| run | records | lost | twice at the target | sent again | waited on disk | connected again | last one acknowledged after |'
echo '|---|---|---|---|---|---|---|---|'
grep -oh '| .* |$' "$out" || true
