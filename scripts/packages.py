#!/usr/bin/env python3
"""Whether packages of Zeek scripts that people have published load, run, and write what their own tests expect.

    scripts/packages.py BINARY SHARED [WORDS...] [--captures NUMBER] [--workers] [--traffic] [--show]

Takes the packages of SHARED/zeekscript/packages, or those whose names have one of WORDS. Each is installed as its
manager would, and then:
- loaded alone;
- run over NUMBER captures (50 unless another is given) of SHARED/zeek/captures, those of all kinds in turn: the table has how many
  runs ended well, and how many told an error while they ran;
- tested by the commands of its tests that have captures and baselines: how many files are equal, of those whose captures
  the package brings, and of those whose captures are among SHARED's. A log is compared in the columns that both have, whatever
  the order of rows; times and ids are not compared.
With --workers, what a package prints and logs with 2, 4 and 8 workers is compared with that of one, over four of its captures,
or over SHARED/traffic/traffic.pcap with --traffic. --show tells the errors, and what tests expect and did not get.
Ends with status 1 where a package does less than is known of it, which REASONS lists.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CAPTURES = {".pcap", ".pcapng", ".cap", ".trace"}
# Larger captures take a time that tells nothing more of scripts.
LARGEST = 400_000
SECONDS = 120
# Of packages that do less than load, run and write their baselines: why.
REASONS = {
    "theflakes+bro-large_uploads": "a brace is missing in its script",
    "sethhall+credit-card-exposure": "it loads a file that is made when it is installed",
    "esnet-security+logfilter": "it takes the predicates of filters, which Zeek removed",
    "initconf+detect-kaspersky": "it adds to a pattern without a value, which is an error in Zeek",
    "dopheide-esnet+zeek-notice-config": "its enumeration defines Notice::LOG a second time, which is an error in Zeek",
    "dopheide-esnet+zeek-ntp-monlist": "its server is at a private address, which is local since Zeek 5",
    "corelight+CVE-2021-38647": "its baseline has hosts without ports, as logs of HTTP had them before",
    "corelight+detect-ransomware-filenames": "it reads its patterns from the folder that Zeek is started in, and uses them though they are not there",
    "J-Gras+intel-expire": "in one of its tests, what is read before the first packet has the time one, in Zeek 8 zero",
    "J-Gras+intel-extensions": "three of its tests need a cluster, or a peer that gives commands",
    "corelight+my_stats": "it logs the memory and the times of the run",
    "initconf+vnc-scanner": "it names hosts in the order of a set",
    "zeek-packages+zeek-agent-v2": "it needs an agent",
    "ncsa+bro-simple-scan": "its scanner is at a private address, which is local since Zeek 5",
    "initconf+Apple-RDP-net-assistant-DoS": "it handles udp_session_done of a protocol of which Zeek does not raise it any more",
    "initconf+misp_intel": "one of its connections has data before its handshake, which is read once it is acknowledged",
    "anthonykasza+ssl-extensions": "two of its captures have QUIC that the Zeek of its baselines did not read",
}
ERROR = re.compile(r"(?:^|\d )(?:(?:expression|fatal|internal) )?error(?: in|:)")
# What is not the same from run to run, or from version to version: times, ids of connections and files.
VARIES = [
    (re.compile(r"\b\d{9,10}\.\d{1,9}\b|X{10}\.X{6}|0\.000000"), "TIME"),
    (re.compile(r"(?<=ts\":)(?:\d{13}|X{13}|TIME)"), "0"),
    (re.compile(r"\b(?:\d{4}|XXXX)(?:-(?:\d\d|XX)){5}\b"), "DATE"),
    (re.compile(r"\b[CFH][A-Za-z0-9]{11,18}\b"), "ID"),
]
TEST_COMMAND = re.compile(r"^\s*#+\s*@TEST-EXEC:\s*(.*)")
INSIDE = re.compile(r"^#?\s*@TEST-START-FILE\s+(\S+)[^\n]*\n(.*?)^#?\s*@TEST-END-FILE[^\n]*\n?", re.M | re.S)
DIFF = re.compile(r"btest-diff\s+(\S+)")
# Of the shell, where commands of tests expect the tools of Zeek.
TOOLS = ["zeek", "zeek-cut"]


class Package:
    """A folder of scripts with a file that describes it."""

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        about = next((path for name in ("zkg.meta", "bro-pkg.meta") if (path := folder / name).exists()), None)
        found = re.search(r"^script_dir\s*=\s*(\S+)", about.read_text() if about else "", re.M)
        self.scripts = folder / (found.group(1) if found else ".")


def install(shared, folder, binary):
    """Links all packages as their manager does, below their names, and Zeek's tools; answers the packages."""
    packages = [Package(path) for path in sorted((shared / "zeekscript" / "packages").iterdir()) if path.is_dir()]
    (folder / "site" / "packages").mkdir(parents=True)
    for package in packages:
        (folder / "site" / "packages" / package.name.split("+")[-1]).symlink_to(package.scripts.resolve())
    (folder / "bin").mkdir()
    for tool in TOOLS:
        (folder / "bin" / tool).symlink_to(binary)
    older = folder / "bin" / "bro"
    older.write_text('#!/bin/sh\nexec zeek "$@"\n')
    older.chmod(0o755)
    return packages


def environment(folder, package):
    """Variables of a run: where Zeek's tools and other packages are."""
    path = f".:{folder}/site:{folder}/site/packages:{package.scripts}"
    return {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "ZEEKPATH": path, "BROPATH": path, "ZEEK": "zeek", "ZEEK_PREFIX": str(folder), "TZ": "UTC", "LC_ALL": "C"}


def run(command, folder, variables):
    """Status and messages of a command, which is a failure where it does not end."""
    try:
        ended = subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False, shell=isinstance(command, str))
    except subprocess.TimeoutExpired:
        return 124, f"error: no end in {SECONDS} seconds"
    return ended.returncode, ended.stdout.decode(errors="replace")


def errors(messages):
    """The lines that tell errors, each once and without its time."""
    lines = [re.sub(r"^\d+\.\d+ ", "", line) for line in messages.splitlines() if ERROR.search(line)]
    return list(dict.fromkeys(lines))


def captures_of(folder, number):
    """So many captures below a folder, at equal distances among all that are not large."""
    every = sorted(path for path in folder.rglob("*") if path.suffix in CAPTURES and path.is_file() and path.stat().st_size < LARGEST)
    return [every[place * len(every) // number] for place in range(min(number, len(every)))]


def runs(package, captures, folder):
    """How many runs ended well, and the errors of all."""
    well, told = 0, []
    for capture in captures:
        with tempfile.TemporaryDirectory() as work:
            status, messages = run(["zeek", "-C", "-r", str(capture), str(package.scripts)], work, environment(folder, package))
        found = errors(messages)
        well += status == 0 and not found
        told += [f"{capture.name}: {line}" for line in found or ([f"status {status}"] if status else [])]
    return well, told


def canonical(text):
    """A text without what varies from run to run."""
    text = re.sub(r"^(###|#open|#close).*\n", "", text, flags=re.M)
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return text


def rows_of(text):
    """The lines of a text: those of logs by the names of columns, others whole."""
    fields, types = None, []
    for line in canonical(text).splitlines():
        if line.startswith("#fields"):
            fields, types = line.split("\t")[1:], []
        elif line.startswith("#types"):
            types = line.split("\t")[1:]
        elif line.startswith("{") and isinstance(row := of_json(line), dict):
            yield {name: ordered(json.dumps(value)) if isinstance(value, list) else str(value) for name, value in row.items()}
        elif fields and len(cells := line.split("\t")) == len(fields):
            yield {name: ordered(cell) if kind.startswith("set") else cell for name, kind, cell in zip(fields, types or fields, cells)}
        elif line.strip() and not line.startswith("#"):
            yield {"": line.strip()}


def of_json(line):
    """What a line says in JSON; nothing where it is something else."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def ordered(cell):
    """A list or set in a fixed order."""
    return ",".join(sorted(cell.split(",")))


def both(written, expected):
    """The rows of two files, sorted, in the columns that both have."""
    rows = [list(rows_of(text)) for text in (written, expected)]
    # A column without any value counts as one that is not there, as it is in JSON.
    names = [{name for row in part for name in row if row[name] != "-"} for part in rows]
    common = names[0] & names[1] if all(names) else names[0] | names[1]
    return [sorted(tuple(f"{name}={row[name]}" for name in sorted(row) if name in common and row[name] != "-") for row in part) for part in rows]


def parts(script):
    """The parts of a test: each has the script's text and the commands of all of it."""
    text = script.read_text(errors="replace")
    commands = [found.group(1) for line in text.splitlines() if (found := TEST_COMMAND.match(line))]
    return [(part, commands) for part in re.split(r"^#+\s*@TEST-START-NEXT.*$", text, flags=re.M)]


def settings(package, tests, folder, captures):
    """Variables that commands of tests name."""
    variables = environment(folder, package)
    about = (tests / "btest.cfg").read_text()
    for name, value in re.findall(r"^(\w+)=(.*)$", about.partition("[environment]")[2].partition("\n[")[0], re.M):
        value = value.replace("%(testbase)s", str(tests))
        if "`" not in value and "$" not in value and name not in ("PATH", "TMPDIR", "ZEEKPATH", "BROPATH") and "PLUGIN" not in name and "PROFILER" not in name and "ZAM" not in name:
            variables[name] = value
    if not os.path.isdir(variables.get("TRACES", "")):
        variables["TRACES"] = str(captures)
    # Tests of most packages name the seeds that come with Zeek's own tests: tables have their order by these.
    seeds = captures.parent.parent / "zeekscript" / "random.seed"
    if "SEED_FILE" in about and seeds.exists():
        variables["ZEEK_SEED_FILE"] = str(seeds)
    return variables


def tests_of(package, folder, captures):
    """Each baseline of a package whose captures are there: whether it brings them, its name, and what it lacks (nothing where it is equal)."""
    for about in sorted(package.folder.glob("*/btest.cfg")):
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(package.folder, copy, dirs_exist_ok=True)
            tests = pathlib.Path(copy) / about.parent.name
            subprocess.run(["chmod", "-R", "u+w", copy], check=False)
            named = next((name for name in ("Baseline", "baseline") if (tests / name).is_dir()), None)
            for baseline in sorted((tests / named).iterdir()) if named else []:
                yield from test(package, tests, baseline, settings(package, tests, folder, captures), captures)


def test(package, tests, baseline, variables, captures):
    """The files of one baseline."""
    *inside, name = baseline.name.split(".")
    whole, _, number = name.rpartition("-")
    found = [(path, 0) for path in tests.joinpath(*inside).glob(f"{name}.*")]
    found = found or [(path, int(number) - 1) for path in tests.joinpath(*inside).glob(f"{whole}.*") if number.isdigit()]
    # Names of tests may have dots of their own.
    found = found or [(path, 0) for path in tests.rglob("*") if f"{path.relative_to(tests).with_suffix('')}".replace("/", ".") == baseline.name]
    if not found or not (every := parts(found[0][0]))[found[0][1]:]:
        return
    script, (text, commands) = found[0][0], every[found[0][1]]
    work = tests / ".tmp" / baseline.name
    work.mkdir(parents=True, exist_ok=True)
    (work / script.name).write_text(unpacked(text, work))
    variables = {**variables, "INPUT": str(work / script.name)}
    shown, compared, brings = [], set(), True
    for command in commands:
        command = command.replace("%INPUT", str(work / script.name)).replace("%DIR", str(script.parent)).replace("/Traces/", f"{captures}/")
        command = re.sub(r"(\.\./){3}scripts\b", str(package.scripts), command)
        named = re.findall(r"-C?r\s+(\S+)", expanded(command, variables))
        brings = brings and all(path.startswith(str(tests)) for path in named)
        if any(not os.path.exists(path) for path in named):
            return
        difference = DIFF.match(command)
        if not difference:
            status, _ = run(f"{{ {command}\n}} 2>>.stderr >>.stdout", work, variables)
            shown += [f"status {status} of {command}"] if status else []
            continue
        file = difference.group(1)
        expected, written = baseline / file.replace("/", "."), work / file
        if file in compared or not expected.exists():
            continue
        compared.add(file)
        lacks = differing(written, expected)
        told = errors((work / ".stderr").read_text(errors="replace")) if (work / ".stderr").exists() else []
        yield brings, f"{baseline.name}/{file}", [*shown, *told[:3], *lacks] if lacks else None


def unpacked(text, work):
    """A script without the files that it holds, which are written beside it."""
    for name, content in re.findall(INSIDE, text):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(content)
    return re.sub(INSIDE, "", text)


def expanded(command, variables):
    """A command with the values of variables."""
    return re.sub(r"\$\{?(\w+)\}?", lambda found: variables.get(found.group(1), ""), command)


def differing(written, expected):
    """The first rows that only one of two files has; nothing where they say the same."""
    if not written.exists():
        return ["was not written"]
    one, other = both(written.read_text(errors="replace"), expected.read_text(errors="replace"))
    lacking, more = (collections.Counter(a) - collections.Counter(b) for a, b in ((other, one), (one, other)))
    return [f"- {' '.join(row)}" for row in lacking][:3] + [f"+ {' '.join(row)}" for row in more][:3]


def output(binary, package, folder, capture, workers):
    """All that a run with so many workers prints and logs."""
    with tempfile.TemporaryDirectory() as work:
        command = [binary, "-r", str(capture), "-k", "none", "-q", "-t", str(workers), "--zeek-script", str(package.scripts), "-l", work]
        status, messages = run(command, work, environment(folder, package))
        found = {path.name: [line for line in path.read_bytes().splitlines() if not line.startswith((b"#open", b"#close"))] for path in sorted(pathlib.Path(work).iterdir()) if path.is_file() and path.name not in ("stats.log", "weir.log", "eve.json", "suricata.log")}
        return {**found, "": [str(status), messages]}


def differ(binary, package, folder, captures):
    """The captures and numbers of workers with other output than one worker."""
    found = []
    for capture in captures:
        alone = output(binary, package, folder, capture, 1)
        for workers in (2, 4, 8):
            other = output(binary, package, folder, capture, workers)
            found += [f"{capture.name}, {workers} workers: {name or 'messages'}" for name in sorted(alone.keys() | other.keys()) if alone.get(name) != other.get(name)]
    return found


def measure(package, given, folder, captures):
    """A row of the table, and what --show tells below it."""
    with tempfile.TemporaryDirectory() as work:
        status, messages = run(["zeek", "-C", "--parse-only", str(package.scripts)], work, environment(folder, package))
    loads = status == 0 and not errors(messages)
    below = errors(messages)[:3] or messages.splitlines()[:3] if not loads else []
    well, told = runs(package, captures, folder) if loads else (0, [])
    below += told
    tests = list(tests_of(package, folder, given.shared / "zeek" / "captures")) if loads else []
    below += [line if place else f"test {name}: {line}" for _, name, lacks in tests if lacks is not None for place, line in enumerate(lacks or ["differs"])]
    workers = []
    if given.workers and loads:
        long = [given.shared / "traffic" / "traffic.pcap"] if given.traffic else captures[::max(1, len(captures) // 4)][:4]
        workers = differ(given.binary, package, folder, long)
        below += workers
    row = {"name": package.name, "loads": loads, "well": well, "runs": len(captures), "errors": len(told), "workers": len(workers), "below": below}
    for kind, brings in (("", True), (" elsewhere", False)):
        lacking = [lacks for brought, _, lacks in tests if brought == brings]
        row |= {f"equal{kind}": sum(lacks is None for lacks in lacking), f"tests{kind}": len(lacking)}
    return row


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary", type=os.path.realpath)
    parser.add_argument("shared", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("words", nargs="*")
    parser.add_argument("--captures", type=int, default=50, metavar="NUMBER")
    parser.add_argument("--workers", action="store_true")
    parser.add_argument("--traffic", action="store_true")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if not (given.shared / "zeekscript" / "packages").is_dir():
        print(f"There are no packages in {given.shared}/zeekscript: nothing is measured.")
        return 0
    captures = captures_of(given.shared / "zeek" / "captures", given.captures)
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        packages = install(given.shared, folder, given.binary)
        chosen = [one for one in packages if not given.words or any(word in one.name for word in given.words)]
        rows = list(pool.map(lambda package: shown(measure(package, given, folder, captures), given), chosen))
    return summary(rows)


def shown(row, given):
    """Prints a row as soon as it is there."""
    loads = f"{row['well']:>3} of {row['runs']}" if row["loads"] else "not loaded"
    workers = ("equal" if not row["workers"] else f"{row['workers']} differ") if given.workers else ""
    elsewhere = f"and {row['equal elsewhere']} of {row['tests elsewhere']}" if row["tests elsewhere"] else ""
    print(f"{row['name']:<40}{loads:>11}{row['errors']:>7} errors{row['equal']:>4} of {row['tests']:<4}{elsewhere:<12}{workers}", flush=True)
    if given.show:
        print("".join(f"    {line}\n" for line in row["below"]), end="", flush=True)
    return row


def summary(rows):
    """The last line, and the reasons of packages that do less; status 1 where one has no reason."""
    lacking = [row for row in rows if not row["loads"] or row["well"] < row["runs"] or row["equal"] < row["tests"] or row["workers"]]
    for row in lacking:
        print(f"{row['name']}: {REASONS.get(row['name'], 'not known')}")
    bringing = [row for row in rows if row["tests"]]
    whole = sum(row["equal"] == row["tests"] for row in bringing)
    count = {what: sum(row[what] for row in rows) for what in ("loads", "equal", "tests")}
    well = sum(row["loads"] and row["well"] == row["runs"] for row in rows)
    print(f"packages: {count['loads']} of {len(rows)} load, {well} run without an error, {count['equal']} of {count['tests']} files of tests equal; {whole} of {len(bringing)} packages that bring captures write their baselines")
    return 1 if any(row["name"] not in REASONS for row in lacking) else 0


sys.exit(main())
