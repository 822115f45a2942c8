#!/usr/bin/env python3
"""Looks at pages of `weir profile --html` in a real browser, and takes the pictures of the guide.

    scripts/pages.py PAGE.html…                       check the pages in headless Chromium
    scripts/pages.py --picture OUT.png PAGE.html      and take a picture of one (--dark, --height=N)
    scripts/pages.py --hostile WEIR                   check a page whose names are markup

A page is right if its script ran to the end, each part of its data is there, tables sort, flame graphs zoom, charts have
axes, and nothing that was text became markup. Where there is no Chromium, a line says so and all is well.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome"]
# Run in the page behind its own script: it clicks, looks, and leaves what it found in an element.
CHECK = r"""
(() => {
  const found = [];
  const check = (is, what) => { if (!is) found.push(what); };
  const parts = JSON.parse(document.getElementById('data').textContent).parts;
  check(document.documentElement.dataset.ready === String(parts.length), 'the script did not come to its end');
  check(document.querySelectorAll('section').length === parts.length, 'a part is missing');
  check(!document.querySelector('main img, main iframe, main script, main a'), 'text became markup');
  document.querySelectorAll('section[data-kind=table]').forEach((section, number) => {
    const heads = [...section.querySelectorAll('th')];
    heads.forEach((head, column) => {
      for (const way of ['first', 'second']) {
        head.click();
        const order = head.getAttribute('aria-sort');
        check(order, `table ${number}: column ${column} does not sort (${way} click)`);
        const part = parts.filter(part => part.kind === 'table')[number];
        const shown = [...section.querySelectorAll('tbody tr')].map(row => row.children[column].textContent);
        check(shown.length === part.rows.length, `table ${number}: rows are lost`);
        if (!part.columns[column][1]) {
          const right = shown.slice().sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
          if (order === 'descending') right.reverse();
          check(JSON.stringify(right) === JSON.stringify(shown), `table ${number}: column ${column} is out of order`);
        }
      }
    });
  });
  document.querySelectorAll('section[data-kind=flame]').forEach((section, number) => {
    const boxes = () => [...section.querySelectorAll('.flame div')];
    check(boxes().length > 0, `flame graph ${number} is empty`);
    const narrow = boxes().find(box => parseFloat(box.style.width) < 99);
    if (!narrow) return;
    const title = narrow.title;
    narrow.click();
    const wide = boxes().find(box => box.title === title);
    check(wide && parseFloat(wide.style.width) > 99.9, `flame graph ${number} does not zoom`);
    section.querySelector('button').click();
    const again = boxes().find(box => box.title === title);
    check(again && parseFloat(again.style.width) < 99, `flame graph ${number} does not zoom out`);
    const input = section.querySelector('input');
    input.value = 'no function has this name';
    input.dispatchEvent(new Event('input'));
    check(section.querySelectorAll('.dim').length === boxes().length, `flame graph ${number} does not search`);
  });
  document.querySelectorAll('section[data-kind=chart]').forEach((section, number) => {
    const texts = [...section.querySelectorAll('svg text')].map(text => text.textContent);
    const part = parts.filter(part => part.kind === 'chart')[number];
    for (const title of [part.across, part.upward]) check(texts.includes(title), `chart ${number} has no axis "${title}"`);
    check(!/NaN|Infinity|undefined/.test(section.innerHTML), `chart ${number} has numbers that are none`);
    check(section.querySelectorAll('.legend span').length === part.series.length, `chart ${number} has no legend`);
  });
  const before = getComputedStyle(document.body).backgroundColor;
  document.querySelector('header button').click();
  check(getComputedStyle(document.body).backgroundColor !== before, 'light and dark look the same');
  const verdict = document.createElement('pre');
  verdict.id = 'verdict';
  verdict.textContent = JSON.stringify(found);
  document.body.append(verdict);
})();
"""


def browser():
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def run(program, options, url):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   f"--user-data-dir={folder}", "--virtual-time-budget=5000", *options, url]
        return subprocess.run(command, capture_output=True, text=True, timeout=180)


def check(program, path):
    """What is wrong with a page; nothing where all is right."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    head = re.sub(r"<title>.*?</title>", "", page.split('id="data"')[0], flags=re.S)
    if re.search(r"(?:src|href)\s*=|url\(|@import", head) or "default-src 'none'" not in head:
        return ["it may load something"]
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as copy:
        copy.write(page.replace("</body>", f"<script>{CHECK}</script></body>"))
        copy.flush()
        seen = run(program, ["--dump-dom"], "file://" + copy.name)
    verdict = re.search(r'<pre id="verdict">(.*?)</pre>', seen.stdout, re.S)
    if not verdict:
        return ["its script failed: " + seen.stderr[-2000:]]
    text = verdict.group(1)
    for entity, letter in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")]:
        text = text.replace(entity, letter)
    return json.loads(text)


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def hostile(weir, folder):
    """A page of a profile whose names are markup."""
    evil = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>&amp;"
    strings = ["", "cpu", "nanoseconds", evil, "main"]
    message = field(1, field(1, 1) + field(2, 2))
    for location, value in [(1, 70), (2, 30)]:
        message += field(2, field(1, varint(location) + varint(2)) + field(2, varint(value)))
    for location in (1, 2):
        message += field(4, field(1, location) + field(3, 4096 * location) + field(4, field(1, location) + field(2, 7)))
        message += field(5, field(1, location) + field(2, 2 + location) + field(4, 3))
    message += b"".join(field(6, text.encode()) for text in strings) + field(13, 3)
    with gzip.open(os.path.join(folder, "cpu.pb.gz"), "wb") as file:
        file.write(message)
    path = os.path.join(folder, "hostile.html")
    subprocess.run([weir, "profile", "report", folder, "--html", path], check=True, stdout=subprocess.DEVNULL)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--picture")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--height", type=int, default=1400)
    parser.add_argument("--unchecked", action="store_true", help="take a picture of a page of another kind")
    parser.add_argument("--hostile", metavar="WEIR")
    options = parser.parse_args()
    program = browser()
    if not program:
        print("pages: skipped, for there is no Chromium here (Debian: chromium)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        pages = list(options.pages)
        if options.hostile:
            pages.append(hostile(os.path.abspath(options.hostile), folder))
        wrong = 0
        for page in [] if options.unchecked else pages:
            found = check(program, page)
            wrong += bool(found)
            print(f"pages: {os.path.basename(page)}: {'; '.join(found) if found else 'right'}")
    if options.picture and options.pages:
        url = "file://" + os.path.abspath(options.pages[0]) + ("#dark" if options.dark else "#light")
        size = f"--window-size=1320,{options.height}"
        run(program, [size, f"--screenshot={os.path.abspath(options.picture)}"], url)
        print(f"pages: {options.picture}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
