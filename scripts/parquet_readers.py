#!/usr/bin/env python3
"""Checks that others read what `weir archive` keeps, and find the same in it as `weir query` does.

    scripts/parquet_readers.py WEIR-ANALYST PATH…                    PATH: folders of records
    scripts/parquet_readers.py WEIR-ANALYST --tables FOLDER PATH…    FOLDER: what `weir --parquet` wrote of the same records

DuckDB, Polars and pandas are asked for the rows of each table, its columns, and the number of distinct values of each column
that is a text, a number or a time; one that is not installed is told of (`pip install duckdb polars pandas pyarrow`).
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile


def ask(program, places, sql):
    """Returns the rows that `weir query` answers."""
    run = subprocess.run([program, "query", "-o", "csv", sql, *places], capture_output=True, text=True, check=True)
    return list(csv.reader(io.StringIO(run.stdout)))[1:]


def is_plain(kind):
    """Whether values of a type are compared: each reader has its own form for lists."""
    return not kind.startswith(("list", "("))


def with_duckdb(files, columns):
    import duckdb
    counts = ", ".join(f'count(distinct "{column}")' for column in columns)
    return list(duckdb.sql(f"select count(*), {counts} from read_parquet({files!r}, union_by_name=true)").fetchall()[0])


def with_polars(files, columns):
    import polars
    frame = polars.concat([polars.read_parquet(file) for file in files], how="diagonal_relaxed")
    return [len(frame)] + [frame[column].drop_nulls().n_unique() for column in columns]


def with_pandas(files, columns):
    import pandas
    frame = pandas.concat([pandas.read_parquet(file) for file in files])
    return [len(frame)] + [frame[column].nunique() for column in columns]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, paths = sys.argv[1], sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory() as archive:
        if paths[0] == "--tables":
            archive, paths = paths[1], paths[2:]
        else:
            subprocess.run([program, "archive", *paths, "--to", archive], check=True)
            paths = [archive]
        tables = [folder for folder in sorted(pathlib.Path(archive).glob("*/*")) if folder.is_dir()]
        for reader in (with_duckdb, with_polars, with_pandas):
            name = reader.__name__.removeprefix("with_")
            try:
                __import__(name)
            except ImportError:
                print(f"{name}: skipped, it is not installed here")
                continue
            for folder in tables:
                table = f"{folder.parent.name}.{folder.name}"
                listed = subprocess.run([program, "query", "--columns", table, *paths], capture_output=True, text=True, check=True)
                kinds = [line.split("  ", 1) for line in listed.stdout.splitlines()]
                columns = [column for column, kind in kinds if is_plain(kind)]
                counts = ", ".join(f'count(distinct "{column}")' for column in columns)
                own = [int(value) for value in ask(program, paths, f"select count(*), {counts} from {table}")[0]]
                theirs = [int(value) for value in reader([str(file) for file in sorted(folder.glob("*.parquet"))], columns)]
                wrong = [column for column, one, other in zip(["rows", *columns], own, theirs) if one != other]
                failed += bool(wrong)
                if wrong:
                    more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
                    print(f"{name}: {table} differs in {', '.join(wrong[:5])}{more}")
            print(f"{name}: {len(tables)} tables read")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
