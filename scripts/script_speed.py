#!/usr/bin/env python3
"""How fast scripts of Zeek's language run, beside the same in Lua.

    scripts/script_speed.py BINARY [ROW...] [--runs 7] [--lua lua5.4] [--format text|markdown]

Each row is a loop of so many steps in both languages, in a function, with local variables. Programs run in turns, and
what an empty program takes is taken off. Shown are the medians in nanoseconds for a step, and the ratio of Weir to Lua
in the middle of the rounds, with the least and the most. Ends with status 1 where Weir is slower in a row.
"""

import argparse
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

# Steps of a row, Zeek's text and Lua's. Each is the body of a function with `n` steps; what comes before the loop is
# set up once.
ROWS = {
    "loops": (
        20_000_000,
        "local s = 0; local i = 0; while ( i < n ) { s += i; ++i; } print s;",
        "local s = 0; local i = 0; while i < n do s = s + i; i = i + 1 end print(s)",
    ),
    "branches": (
        20_000_000,
        "local s = 0; local i = 0; while ( i < n ) { if ( i % 3 == 0 ) s += 1; else if ( i % 5 == 0 ) s += 2; ++i; } print s;",
        "local s = 0; local i = 0; while i < n do if i % 3 == 0 then s = s + 1 elseif i % 5 == 0 then s = s + 2 end "
        "i = i + 1 end print(s)",
    ),
    "arithmetic": (
        10_000_000,
        "local x = 0.5; local i = 0; while ( i < n ) { x = x * 3.7 * (1.0 - x); ++i; } print x;",
        "local x = 0.5; local i = 0; while i < n do x = x * 3.7 * (1.0 - x); i = i + 1 end print(x)",
    ),
    "calls": (
        10_000_000,
        "local s = 0; local i = 0; while ( i < n ) { s = plus(s, i); ++i; } print s;",
        "local s = 0; local i = 0; while i < n do s = plus(s, i); i = i + 1 end print(s)",
    ),
    "recursion": (
        5_000_000,
        "local i = 0; local s = 0; while ( i < n ) { s += fibonacci(15); i += 1973; } print s;",
        "local i = 0; local s = 0; while i < n do s = s + fibonacci(15); i = i + 1973 end print(s)",
    ),
    "tables of counts": (
        5_000_000,
        "local t: table[count] of count; local i = 0; while ( i < n ) { t[i % 1000 * 7919] = i; ++i; } print |t|;",
        "local t = {}; local i = 0; while i < n do t[i % 1000 * 7919] = i; i = i + 1 end print(size(t))",
    ),
    "tables of strings": (
        5_000_000,
        'local t: table[string] of count &default=0; local k = names(); local i = 0; while ( i < n ) { ++t[k[i % 100]]; ++i; } print |t|;',
        "local t = {}; local k = names(); local i = 0; while i < n do local w = k[i % 100]; t[w] = (t[w] or 0) + 1; i = i + 1 end "
        "print(size(t))",
    ),
    "table walks": (
        10_000_000,
        "local t: table[count] of count; local j = 0; while ( j < 1000 ) { t[j * 7919] = j; ++j; } local s = 0; local i = 0; "
        "while ( i < n ) { for ( k, v in t ) s += v; i += 1000; } print s;",
        "local t = {}; for j = 0, 999 do t[j * 7919] = j end local s = 0; local i = 0; while i < n do for k, v in pairs(t) do "
        "s = s + v end i = i + 1000 end print(s)",
    ),
    "sets": (
        5_000_000,
        "local t: set[count]; local i = 0; local s = 0; while ( i < n ) { if ( i % 1000 in t ) ++s; else add t[i % 1000]; ++i; } "
        "print s;",
        "local t = {}; local i = 0; local s = 0; while i < n do if t[i % 1000] then s = s + 1 else t[i % 1000] = true end i = i + 1 "
        "end print(s)",
    ),
    "vectors": (
        10_000_000,
        "local v: vector of count; local i = 0; while ( i < n ) { v[i % 1000] = i; ++i; } local s = 0; for ( j, x in v ) s += x; "
        "print s;",
        "local v = {}; local i = 0; while i < n do v[i % 1000 + 1] = i; i = i + 1 end local s = 0; for j, x in ipairs(v) do "
        "s = s + x end print(s)",
    ),
    "records": (
        10_000_000,
        "local r = Point($x=0, $y=0); local i = 0; while ( i < n ) { r$x += 1; r$y = r$x + i; ++i; } print r$y;",
        "local r = { x = 0, y = 0 }; local i = 0; while i < n do r.x = r.x + 1; r.y = r.x + i; i = i + 1 end print(r.y)",
    ),
    "new records": (
        5_000_000,
        "local s = 0; local i = 0; while ( i < n ) { local r = Point($x=i, $y=1); s += r$y; ++i; } print s;",
        "local s = 0; local i = 0; while i < n do local r = { x = i, y = 1 }; s = s + r.y; i = i + 1 end print(s)",
    ),
    "joined strings": (
        3_000_000,
        'local s = 0; local a = "host-"; local i = 0; while ( i < n ) { local w = a + "name"; s += |w|; ++i; } print s;',
        "local s = 0; local a = 'host-'; local i = 0; while i < n do local w = a .. 'name'; s = s + #w; i = i + 1 end print(s)",
    ),
    "formatted strings": (
        2_000_000,
        'local s = 0; local i = 0; while ( i < n ) { s += |fmt("%d:%s", i, "x")|; ++i; } print s;',
        "local s = 0; local i = 0; while i < n do s = s + #string.format('%d:%s', i, 'x'); i = i + 1 end print(s)",
    ),
    "parts of strings": (
        3_000_000,
        'local s = 0; local a = "the quick brown fox jumps over"; local i = 0; while ( i < n ) { s += |a[4:9]|; ++i; } print s;',
        "local s = 0; local a = 'the quick brown fox jumps over'; local i = 0; while i < n do s = s + #a:sub(5, 9); i = i + 1 end "
        "print(s)",
    ),
    "compared strings": (
        5_000_000,
        'local s = 0; local k = names(); local i = 0; while ( i < n ) { if ( k[i % 100] == "host42" ) ++s; ++i; } print s;',
        "local s = 0; local k = names(); local i = 0; while i < n do if k[i % 100] == 'host42' then s = s + 1 end i = i + 1 end "
        "print(s)",
    ),
    "patterns": (
        3_000_000,
        'local s = 0; local k = names(); local i = 0; while ( i < n ) { if ( /[0-9]+$/ in k[i % 100] ) ++s; ++i; } print s;',
        "local s = 0; local k = names(); local i = 0; while i < n do if k[i % 100]:find('[0-9]+$') then s = s + 1 end i = i + 1 end "
        "print(s)",
    ),
    "patterns in long text": (
        100_000,
        'local s = 0; local a = string_cat(gsub(fmt("%500s", ""), / /, "ab "), "x17"); local i = 0; '
        "while ( i < n ) { if ( /x[0-9]+/ in a ) ++s; ++i; } print s;",
        "local s = 0; local a = string.rep('ab ', 500) .. 'x17'; local i = 0; "
        "while i < n do if a:find('x[0-9]+') then s = s + 1 end i = i + 1 end print(s)",
    ),
    "closures": (
        5_000_000,
        "local f = adder(3); local s = 0; local i = 0; while ( i < n ) { s = f(s); ++i; } print s;",
        "local f = adder(3); local s = 0; local i = 0; while i < n do s = f(s); i = i + 1 end print(s)",
    ),
    "events": (
        5_000_000,
        None,
        None,
    ),
}

ZEEK = """
type Point: record { x: count; y: count; };
function plus(a: count, b: count): count { return a + b; }
function fibonacci(n: count): count { if ( n < 2 ) return n; return fibonacci(n - 1) + fibonacci(n - 2); }
function names(): vector of string { local v: vector of string; local i = 0; while ( i < 100 ) { v += fmt("host%d", i); ++i; } return v; }
function adder(a: count): function(b: count): count { return function[a](b: count): count { return a + b; }; }
function run(n: count)
\t{
\tBODY
\t}
event zeek_init() { run(STEPS); }
"""

LUA = """
local function plus(a, b) return a + b end
local function fibonacci(n) if n < 2 then return n end return fibonacci(n - 1) + fibonacci(n - 2) end
local function names() local v = {}; for i = 0, 99 do v[i] = string.format("host%d", i) end return v end
local function adder(a) return function(b) return a + b end end
local function size(t) local n = 0; for _ in pairs(t) do n = n + 1 end return n end
local function run(n)
BODY
end
run(STEPS)
"""

# Events are queued and handled one after the other; Lua has no such thing, so that a queue of closures' arguments with a
# table of handlers stands for it.
EVENTS_ZEEK = """
global total = 0;
global left = STEPS;
event heard(i: count, s: string) { total += i; if ( left > 0 ) { --left; event heard(left, s); } }
event zeek_init() { event heard(0, "x"); }
event zeek_done() { print total; }
"""
EVENTS_LUA = """
local total, left = 0, STEPS
local queue, first, last = {}, 1, 0
local handlers = {}
local function raise(name, ...) last = last + 1; queue[last] = { name, ... } end
handlers.heard = { function(i, s) total = total + i; if left > 0 then left = left - 1; raise("heard", left, s) end end }
raise("heard", 0, "x")
while first <= last do
  local event = queue[first]; queue[first] = nil; first = first + 1
  for _, handler in ipairs(handlers[event[1]]) do handler(table.unpack(event, 2)) end
end
print(total)
"""


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--lua", default="lua5.4")
    parser.add_argument("--format", choices=["text", "markdown"], default="text")
    return parser.parse_intermixed_args()


def texts(name):
    """The steps and both programs of a row."""
    steps, zeek, lua = ROWS[name]
    if zeek is None or lua is None:
        return steps, EVENTS_ZEEK.replace("STEPS", str(steps)), EVENTS_LUA.replace("STEPS", str(steps))
    frames = ((ZEEK, zeek), (LUA, lua))
    return steps, *(frame.replace("BODY", body).replace("STEPS", str(steps)) for frame, body in frames)


def measure(command):
    """CPU seconds of a run, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != 0 or process.stderr:
        sys.exit(f"script_speed: {' '.join(map(str, command))}: {process.stderr.strip()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, process.stdout.strip()


def main():
    given = arguments()
    if shutil.which(given.lua) is None:
        sys.exit(f"script_speed: there is no {given.lua} here; --lua names another, and Debian's package is lua5.4")
    slower = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        zeek = folder / "zeek"
        zeek.symlink_to(pathlib.Path(given.binary).resolve())
        files = {"zeek": folder / "row.zeek", "lua": folder / "row.lua"}
        commands = {"zeek": [zeek, "-b", files["zeek"]], "lua": [given.lua, files["lua"]]}

        def write(zeek_text, lua_text):
            files["zeek"].write_text(zeek_text)
            files["lua"].write_text(lua_text)

        write("event zeek_init() { }\n", "\n")
        empty = {word: min(measure(command)[0] for _ in range(5)) for word, command in commands.items()}
        if given.format == "markdown":
            print("| row | Weir, ns | Lua, ns | Weir / Lua |\n|---|---:|---:|---:|")
        for name in given.rows or ROWS:
            steps, zeek_text, lua_text = texts(name)
            write(zeek_text, lua_text)
            times = {word: [] for word in commands}
            printed = {}
            for _ in range(given.runs):
                for word, command in commands.items():
                    taken, printed[word] = measure(command)
                    times[word].append(max(taken - empty[word], 1e-6))
            if name != "arithmetic" and printed["zeek"] != printed["lua"]:
                sys.exit(f"script_speed: {name} prints {printed['zeek']} and {printed['lua']}")
            ratios = [one / two for one, two in zip(times["zeek"], times["lua"])]
            ratio = statistics.median(ratios)
            slower |= ratio > 1
            step = {word: statistics.median(taken) / steps * 1e9 for word, taken in times.items()}
            if given.format == "markdown":
                print(f"| {name} | {step['zeek']:.1f} | {step['lua']:.1f} | {ratio:.2f} |", flush=True)
            else:
                print(
                    f"{name:24} Weir {step['zeek']:8.1f} ns   Lua {step['lua']:8.1f} ns   {ratio:5.2f} "
                    f"({min(ratios):.2f} to {max(ratios):.2f})",
                    flush=True,
                )
    sys.exit(1 if slower else 0)


main()
