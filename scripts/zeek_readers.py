#!/usr/bin/env python3
"""Whether readers of Zeek's logs take those of Weir: pandas and DuckDB, where they are installed.

    scripts/zeek_readers.py BINARY CAPTURES

Writes the logs of every capture below CAPTURES in both forms, with the scripts of Zeek's policy, and loads
each: both readers in both forms must find the same rows, and columns of the type that the header announces.
Ends with status 1 where one does not, and with 0 and a word where no reader is installed.
"""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPTS = ["local", "misc/detect-traceroute", "protocols/ssl/expiring-certs", "protocols/ssl/weak-keys"]
OWN_LOGS = {"fast.log", "stats.log", "suricata.log", "weir.log"}
# What DuckDB makes of the plain types; the others stay text.
DUCKDB = {"time": "DOUBLE", "interval": "DOUBLE", "double": "DOUBLE", "count": "UBIGINT", "int": "BIGINT", "port": "USMALLINT"}
NUMBERS = set(DUCKDB)


def write(binary, capture, form, folder):
    """Has the logs of a capture written; they, by name."""
    command = [binary, "-r", str(capture), "-l", folder, "-k", "none", "-q", "--disable-detection", f"--zeek-logs={form}"]
    command += ["--set", "outputs.90.zeek.enabled=yes"]
    for number, name in enumerate(SCRIPTS):
        command += ["--set", f"outputs.90.zeek.scripts.{number}={name}"]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return {path.stem: path for path in pathlib.Path(folder).glob("*.log") if path.name not in OWN_LOGS}


def header(path):
    """The columns of a log with their types, in order."""
    names, types = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#fields\t"):
                names = line.rstrip("\n").split("\t")[1:]
            elif line.startswith("#types\t"):
                types = line.rstrip("\n").split("\t")[1:]
                return dict(zip(names, types))
    return {}


def lines_without_header(path, folder):
    """A copy without the lines that begin with `#`: only those are Zeek's own."""
    copy = pathlib.Path(folder) / f"{path.stem}.tsv"
    with open(path, "rb") as log, open(copy, "wb") as out:
        out.writelines(line for line in log if not line.startswith(b"#"))
    return copy


def pandas_rows(tsv, rows, columns, plain):
    import pandas

    table = pandas.read_csv(plain, sep="\t", names=list(columns), na_values=["-"], keep_default_na=False, quoting=3,
                            encoding="utf-8", low_memory=False)
    for name, kind in columns.items():
        if kind in NUMBERS and table[name].notna().any() and not pandas.api.types.is_numeric_dtype(table[name]):
            raise ValueError(f"pandas reads {name} as {table[name].dtype}, not as {kind}")
    frame = pandas.read_json(rows, lines=True, dtype=False)
    unknown = set(frame.columns) - set(columns)
    if unknown:
        raise ValueError(f"pandas finds further columns in JSON: {unknown}")
    return len(table), len(frame)


def duckdb_rows(tsv, rows, columns, plain):
    import duckdb

    kinds = {name: DUCKDB.get(kind, "VARCHAR") for name, kind in columns.items()}
    table = duckdb.connect()
    found = table.execute(
        "SELECT count(*) FROM read_csv(?, delim='\t', header=false, nullstr='-', quote='', escape='', columns=?)",
        [str(plain), kinds],
    ).fetchone()[0]
    also = table.execute("SELECT count(*) FROM read_json(?, format='newline_delimited')", [str(rows)]).fetchone()[0]
    return found, also


READERS = {"pandas": pandas_rows, "duckdb": duckdb_rows}


def check(binary, capture, readers):
    """Rows read, and what readers complain of."""
    complaints, total = [], 0
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        tsv, rows = write(binary, capture, "tsv", one), write(binary, capture, "json", other)
        if tsv.keys() != rows.keys():
            return 0, [f"{capture}: the forms have not the same logs"]
        for name, path in tsv.items():
            columns, plain = header(path), lines_without_header(path, one)
            expected = sum(1 for _ in open(plain, "rb"))
            for line in open(rows[name], encoding="utf-8"):
                json.loads(line)
            total += expected
            for reader in readers:
                try:
                    found = READERS[reader](path, rows[name], columns, plain)
                except Exception as error:
                    complaints.append(f"{capture}: {name}.log: {reader}: {error}")
                    continue
                if found != (expected, expected):
                    complaints.append(f"{capture}: {name}.log: {reader} finds {found} rows of {expected}")
    return total, complaints


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    readers = [name for name in READERS if importlib.util.find_spec(name)]
    if not readers:
        print("zeek readers: neither pandas nor duckdb is installed")
        return 0
    binary = os.path.realpath(sys.argv[1])
    captures = sorted(path for path in pathlib.Path(sys.argv[2]).rglob("*") if path.is_file())
    total, complaints = 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for rows, found in pool.map(lambda capture: check(binary, capture, readers), captures):
            total += rows
            complaints += found
    for complaint in complaints:
        print(complaint)
    print(f"zeek readers: {' and '.join(readers)} read {total} rows of {len(captures)} captures, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
