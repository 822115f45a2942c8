"""Looks at records with `weir view`, as who sits before it does: `looks.py terminal|pages PROGRAM RECORDS WAY OPTION...`.

WAY is JSON: for the terminal, keys with the words that are on the screen when they are done; for the pages, the ends of their
addresses."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import urllib.request

ROWS, COLUMNS = 50, 160
PATIENCE = 50
# Moves of the cursor, the screen made empty, and all else that steers, which has no letters.
STEERS = re.compile(r"\x1b\[(?:(\d*);?(\d*)H|(2?J)|[?\d;]*[a-zA-Z])|\x1b.")


class Screen:
    """The letters of a terminal, by what is written to it."""

    def __init__(self):
        self.lines = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.rest = ""

    def take(self, text):
        """Takes what a program writes; what is cut waits for the rest of it."""
        text, self.rest = self.rest + text, ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                if self.row < ROWS and self.column < COLUMNS:
                    self.lines[self.row][self.column] = text[at]
                self.column += 1
                at += 1
                continue
            found = STEERS.match(text, at)
            if not found:
                self.rest = text[at:]
                return
            if found.group(1) is not None:
                self.row, self.column = int(found.group(1) or 1) - 1, int(found.group(2) or 1) - 1
            elif found.group(3):
                self.lines = [[" "] * COLUMNS for _ in range(ROWS)]
            at = found.end()

    def has(self, words):
        """Whether words are somewhere on it."""
        return any(words in "".join(line) for line in self.lines)


def terminal(program, records, way, options):
    """Presses keys, each when the screen before is there; ends by `q`."""
    process, near = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm"
        os.execv(program, [program, "view", "--terminal", "--timeout", "45", records, *options])
    fcntl.ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen = Screen()
    for keys, words in [["", "1 Overview"], *way, ["q", None]]:
        os.write(near, keys.encode())
        while words is None or not screen.has(words):
            if not select.select([near], [], [], PATIENCE)[0]:
                sys.exit(f"{words!r} is not on the screen after {keys!r}:\n" + "\n".join(map("".join, screen.lines)))
            try:
                screen.take(os.read(near, 1 << 16).decode(errors="replace"))
            except OSError:
                if words is not None:
                    sys.exit("The program ended:\n" + "\n".join(map("".join, screen.lines)))
                break
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status)


def pages(program, records, way, options):
    """Asks for pages, one after another; ends by a signal."""
    command = [program, "view", "--timeout", "45", records, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = process.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(), urllib.request.ProxyHandler({}))
        opener.open(address, timeout=PATIENCE).read()
        for end in way:
            with opener.open(address.split("/?")[0] + end, timeout=PATIENCE) as answer:
                while answer.read(1 << 16):
                    pass
    finally:
        process.send_signal(signal.SIGINT)
        status = process.wait()
    return status


if __name__ == "__main__":
    _, kind, program, records, way, *options = sys.argv
    sys.exit({"terminal": terminal, "pages": pages}[kind](program, records, json.loads(way), options))
