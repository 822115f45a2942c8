#!/usr/bin/env python3
"""Keys of EVE records: docs/eve-keys.md lists those that Weir writes.

  eve_keys.py add FILE...      adds the keys of these EVE logs to the page
  eve_keys.py missing SCHEMA   lists the keys of a JSON schema of EVE that the page has not, by the reason that
                               docs/coming-from-suricata.md gives, and ends with 1 where it gives none

A key is a path: `dns.answers[].rdata` is a member of each object in a list. `*` stands for any name.
"""
import fnmatch
import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "eve-keys.md"
HEAD = """# Keys of EVE

All keys that records have, by the object that they are in (`[]`: each of a list; `*`: any name). Tests hold that no record has another
key; `scripts/eve_keys.py` adds those of a log to this page, and compares it with a schema.

| object | keys |
|---|---|
"""


def on_page():
    keys = set()
    for row in re.findall(r"^\| `(.*?)` \| (.*) \|$", PAGE.read_text(), re.M) if PAGE.exists() else []:
        parent = "" if row[0] == "record" else row[0] + "."
        keys.update(parent + key for key in re.findall(r"`(.*?)`", row[1]))
    return keys


def write(keys):
    objects = {}
    for key in keys:
        parent, _, name = key.rpartition(".")
        objects.setdefault(parent, []).append(name)
    rows = (f"| `{parent or 'record'}` | {' '.join(f'`{n}`' for n in sorted(names))} |\n" for parent, names in sorted(objects.items()))
    PAGE.write_text(HEAD + "".join(rows))


def of_record(value, path=""):
    if isinstance(value, dict):
        for name, member in value.items():
            key = f"{path}.{name}" if path else name
            yield key
            yield from of_record(member, key)
    elif isinstance(value, list):
        for member in value:
            yield from of_record(member, path + "[]")


def of_schema(schema, node, path="", depth=0):
    if depth > 16:
        return
    if "$ref" in node:
        yield from of_schema(schema, schema["$defs"][node["$ref"].split("/")[-1]], path, depth + 1)
    for name, member in node.get("properties", {}).items():
        key = f"{path}.{name}" if path else name
        yield key
        yield from of_schema(schema, member, key, depth + 1)
    if isinstance(node.get("items"), dict):
        yield from of_schema(schema, node["items"], path + "[]", depth + 1)


def is_one_of(key, patterns):
    """Whether a key, or an object that it is in, is among the patterns."""
    parts = key.split(".")
    above = [".".join(parts[:n]) for n in range(1, len(parts) + 1)]
    quoted = [pattern.replace("[]", "[[][]]") for pattern in patterns]
    return any(fnmatch.fnmatchcase(k, p) for k in above for p in quoted)


def reasons():
    text = (DOCS / "coming-from-suricata.md").read_text().split("## Keys that are not written")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \| (.*?) \|$", text, re.M)
    return [(re.findall(r"`(.*?)`", keys), why) for keys, why in rows]


def add(files):
    keys = on_page()
    known = {key for key in keys if "*" in key}
    for name in files:
        for line in open(name, errors="replace"):
            keys.update(key for key in of_record(json.loads(line)) if not is_one_of(key, known))
    write(keys)


def missing(name):
    schema = json.load(open(name))
    keys = on_page()
    stars = {key for key in keys if "*" in key}
    gone = [k for k in sorted(set(of_schema(schema, schema))) if k not in keys and not is_one_of(k, stars)]
    unexplained = 0
    table = reasons()
    for key in gone:
        why = next((why for patterns, why in table if is_one_of(key, patterns)), None)
        unexplained += why is None
        print(f"{key}: {why or 'NO REASON GIVEN'}")
    print(f"{len(gone)} keys are not written, {unexplained} of them for no reason that is given", file=sys.stderr)
    return int(unexplained > 0)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["add", *files] if files:
            add(files)
        case ["missing", name]:
            sys.exit(missing(name))
        case _:
            sys.exit(__doc__)
