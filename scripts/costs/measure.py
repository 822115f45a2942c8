"""Measures runs whose input grows."""

import os
import pathlib
import subprocess
import tempfile
import threading

# Most growth of time and memory for twice the size; less than these says nothing of growth.
GROWTH, SECONDS, BYTES = 2.2, 0.04, 16 << 20
STEPS = [1, 2, 4, 8]
# A row that is out of bounds is run again so often, and the least of each size counts: other programs only add to a time.
AGAIN = 3
PATIENCE = 60


class Table:
    """Rows, each of which makes the input of a run for a size.

    `command(binary, made)` writes what a row made into the folder it is in, and returns the command that reads it;
    `nothing` is what a row makes of the least size, whose cost is that of the start."""

    def __init__(self, command, nothing):
        self.command = command
        self.nothing = nothing
        self.rows = {}

    def row(self, size, status=0):
        """Makes a row of a function of a size, whose run ends with this status; its first line of documentation says what
        is special."""

        def keep(function):
            self.rows[function.__name__.replace("_", "-")] = (size, status, function)
            return function

        return keep

    def measure(self, binary, names):
        """Prints CPU seconds and peak memory of the rows; returns the names of those out of bounds."""
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            os.chdir(folder)
            start = min(run(self.command(binary, self.nothing))[:2] for _ in range(3))
            wrong = [name for name in names or self.rows if not self.measured(binary, name, start)]
            os.chdir("/")
        return wrong

    def measured(self, binary, name, start):
        """Prints a row; whether it is within bounds."""
        size, status, make = self.rows[name]
        rows, wrong = None, {}
        for _ in range(AGAIN):
            measured = [run(self.command(binary, make(size * step))) for step in STEPS]
            rows = measured if rows is None else [min(a, b) for a, b in zip(rows, measured)]
            wrong = growth(rows, start)
            if not wrong or rows[-1][2] != status:
                break
        ended = [f"status {row[2]}: {row[3].strip().splitlines()[-1:]}" for row in rows if row[2] != status]
        told = ", ".join([f"{unit} ×{ratio:.1f}" for unit, ratio in wrong.items()] + ended[:1])
        said = " ".join(rows[-1][3].split())[:60]
        times = " ".join(f"{row[0] - start[0]:7.3f}" for row in rows)
        print(f"{name:28} {size * STEPS[-1]:9} {times} s {rows[-1][1] / 1e6:6.0f} MB  {told or said}", flush=True)
        return not told


def run(command):
    """CPU seconds, peak memory and status of a command, and the beginning of what it said."""
    with open("said", "wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
    watch = threading.Timer(PATIENCE, process.kill)
    watch.start()
    _, status, usage = os.wait4(process.pid, 0)
    watch.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    # No more: the memory of this program is where that of its runs begins.
    with pathlib.Path("said").open("rb") as said:
        beginning = said.read(1000).decode(errors="replace")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, process.returncode, beginning


def growth(rows, start):
    """Most growth of CPU seconds and of memory from a size to twice that."""
    worst = {}
    for unit, least, number in (("time", SECONDS, 0), ("memory", BYTES, 1)):
        values = [row[number] - start[number] for row in rows]
        ratios = [b / a for a, b in zip(values, values[1:]) if a > least]
        if ratios and max(ratios) > GROWTH:
            worst[unit] = max(ratios)
    return worst
