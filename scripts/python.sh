#!/usr/bin/env bash
# Builds the Python package and tests it, with a Ray cluster of two nodes on this machine. The wheel is left in
# target/python/wheels.
#
#   scripts/python.sh [--require]    with that word it fails where Python or a package cannot be had
#
# PYTHON names the Python to use, WEIR and WEIR_ANALYST programs that are built already. Packages come from where pip is
# told to get them; without Ray its tests are left out, and a line says so.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
place=$target/python
python=${PYTHON:-python3}

skip() {
    echo "python: skipped, $*"
    [ "$require" = no ] || exit 1
    exit 0
}
case ${1:-} in
    '') require=no ;;
    --require) require=yes ;;
    *) echo "python: unknown word '$1': --require" >&2; exit 2 ;;
esac

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip "there is no Python 3.9 or later (PYTHON=program)"
"$python" -m venv "$place/venv" >/dev/null 2>&1 || skip "Python has no module venv ('apt-get install python3-venv' does that)"
pip() { "$place/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install 'maturin>=1.9,<2' 'pyarrow>=16' pytest mypy || skip "packages cannot be had: maturin, pyarrow, pytest, mypy"
pip install 'ray>=2.9' || {
    [ "$require" = no ] || skip "Ray cannot be had"
    echo "python: Ray cannot be had here, its tests are left out"
}

scripts/setup.sh analyst
[ ! -d "$target/rust" ] || PATH=$target/rust:$PATH
if [ -z "${WEIR:-}" ]; then
    cargo build --quiet -p weir
    WEIR=$target/debug/weir
fi
# Clippy in the compiler's place while the crates are built, so that what they stand on is built once.
if command -v clippy-driver >/dev/null; then
    export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__
fi
if [ -z "${WEIR_ANALYST:-}" ]; then
    cargo build --quiet --manifest-path analyst/Cargo.toml --target-dir "$target/analyst" -p weir-analyst
    WEIR_ANALYST=$target/analyst/debug/weir-analyst
fi
export WEIR WEIR_ANALYST

! cargo fmt --version >/dev/null 2>&1 || cargo fmt --manifest-path python/Cargo.toml --check
rm -rf "$place/wheels"
"$place/venv/bin/maturin" build --quiet --locked --profile dev --manifest-path python/Cargo.toml \
    --target-dir "$target/analyst" --interpreter "$place/venv/bin/python" --out "$place/wheels"
pip install --force-reinstall --no-deps "$place"/wheels/weir-*.whl
(cd python && "$place/venv/bin/mypy" --cache-dir "$place/mypy" weir)
"$place/venv/bin/pytest" python --rootdir python -c python/pyproject.toml -q -p no:cacheprovider
echo "python: all passed, the package is $(ls "$place"/wheels/weir-*.whl)"
