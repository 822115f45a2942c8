#!/usr/bin/env python3
"""Prints what the program is made of, as CycloneDX 1.5: each library that is linked, with version, licence and checksum.

    scripts/sbom.py [TARGET]     for a target of Rust; this machine's where none is named

The text is a function of Cargo.lock, of the features, and of SOURCE_DATE_EPOCH where it is set.
"""

import datetime
import json
import os
import subprocess
import sys
import tomllib
import uuid

ROOT = "weir"


def metadata(target: str) -> dict:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", target]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        # Sources of crates that no build here needed are not there yet.
        command.remove("--offline")
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def host() -> str:
    lines = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout.splitlines()
    return next(line.split()[1] for line in lines if line.startswith("host: "))


def linked(nodes: dict, start: str) -> list[str]:
    """The packages that are linked into one, by id: no dependencies of builds and of tests."""
    seen, left = set(), [start]
    while left:
        package = left.pop()
        if package in seen:
            continue
        seen.add(package)
        for dependency in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                left.append(dependency["pkg"])
    return sorted(seen)


def checksums() -> dict:
    with open("Cargo.lock", "rb") as file:
        packages = tomllib.load(file)["package"]
    return {(p["name"], p["version"]): p["checksum"] for p in packages if "checksum" in p}


def component(package: dict, sums: dict) -> dict:
    name, version = package["name"], package["version"]
    found = {
        "type": "library",
        "bom-ref": f"pkg:cargo/{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:cargo/{name}@{version}",
    }
    if package["license"]:
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if (name, version) in sums:
        found["hashes"] = [{"alg": "SHA-256", "content": sums[name, version]}]
    return found


def main() -> None:
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    target = sys.argv[1] if len(sys.argv) > 1 else host()
    found = metadata(target)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    root = next(identifier for identifier, package in packages.items() if package["name"] == ROOT)
    ids = linked(nodes, root)
    sums = checksums()
    components = {identifier: component(packages[identifier], sums) for identifier in ids}
    main_component = components.pop(root) | {"type": "application"}
    relations = []
    for identifier in ids:
        on = [d["pkg"] for d in nodes[identifier]["deps"] if d["pkg"] in ids and any(k["kind"] is None for k in d["dep_kinds"])]
        ref = main_component["bom-ref"] if identifier == root else components[identifier]["bom-ref"]
        relations.append({"ref": ref, "dependsOn": sorted(components[other]["bom-ref"] for other in set(on))})
    described = {"component": main_component, "properties": [{"name": "target", "value": target}]}
    if "SOURCE_DATE_EPOCH" in os.environ:
        time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        described["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ")
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": described,
        "components": sorted(components.values(), key=lambda c: c["bom-ref"]),
        "dependencies": sorted(relations, key=lambda r: r["ref"]),
    }
    # A number that stands for the content.
    bom["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bom, sort_keys=True))}"
    print(json.dumps(bom, indent=1))


main()
