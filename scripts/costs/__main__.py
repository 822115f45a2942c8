"""Measures inputs other than traffic where they grow: each at four sizes.

    python3 scripts/costs TABLE BINARY [ROW...]

TABLE is one of those in this folder: `scripts` in Zeek's language, `rules`, rule sets for `update`, `records` for Parquet
and questions, `lists` of pages and of the terminal (BINARY is then weir-analyst). Shown are CPU seconds and peak memory for n, 2n, 4n and 8n, without what the
start takes. Ends with status 1 where twice the size takes more than 2.2 times as long or as much memory.
"""

import importlib
import pathlib
import sys

TABLES = ["lists", "records", "rules", "scripts", "update"]

if len(sys.argv) < 3 or sys.argv[1] not in TABLES:
    sys.exit(__doc__)
table = importlib.import_module(sys.argv[1]).TABLE
sys.exit(1 if table.measure(str(pathlib.Path(sys.argv[2]).resolve()), sys.argv[3:]) else 0)
